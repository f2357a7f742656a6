"""Environments: Gymnasium's vector form over one batch; all rows' opponents are asked together.

Row for row it is :class:`~differenzler_env.envs.single.DifferenzlerEnv`; see there for actions,
observations, rewards and arguments.
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from ..actions import NUM_ACTIONS
from ..agents.table import choose_actions, illegal_choice
from ..batch import Batch
from ..checks import is_integer, one_of
from ..engine.state import OBJECTIVES
from ..errors import GameOverError, IllegalActionError
from ..rules import Rules
from ..transcript import illegal_sentence
from .match import ILLEGAL, forfeit_reward, match_rules
from .options import checked_actions, deal_options, reset_mask_option, row_seeds
from .rendering import FRAMES_PER_SECOND, MODES, Renderer
from .seating import Seating
from .spaces import action_space, final_state, observation_space
from .undo import undone_on_failure

_PARTS = ("_batch", "_ended", "_learners", "_places")
"""All that changes in matches, the games first; see :func:`.undo.undone_on_failure`."""


class DifferenzlerVectorEnv(VectorEnv[Any, Any, Any]):
    """Many learners, each at its own table, on the batch engine.

    Row i after ``reset(seed=s)`` is a single environment after ``reset(seed=s + i)``.

    | returned by ``step`` | form |
    |---|---|
    | observations | ``observation`` float32 [n, N], ``action_mask`` int8 [n, 194]; or vectors |
    | rewards | float64 [n] |
    | terminations, truncations | bool [n]; truncations are all False |
    | infos | ``action_mask`` int8 [n, 194]; ``deal``: ``bid``, ``points``, ``penalty`` int64 [n]; |
    | | ``illegal``: a sentence or None, object [n] |

    Each info has its ``_`` companion, bool [n], as Gymnasium builds them. All arrays are fresh.

    Autoreset: ``NEXT_STEP`` (default): the step after the end ignores that row's action and returns
    the first observation of the next match, reward 0. ``SAME_STEP``: the ending step itself returns
    it, with the last observation and infos in ``final_obs`` and ``final_info``. ``DISABLED``: ended
    rows must be reset with ``options={"reset_mask": bool [n]}`` before the next step.

    Args:
        num_envs: number of rows, n.
        autoreset_mode: an ``AutoresetMode`` or its value.
        rules: as for the single environment, as all that follow.
        seat: the learner's seat, in every row.
        opponents: the agents at the other seats; each is asked once for all its rows.
        objective: what is rewarded: ``"penalty"``, each deal, or ``"win"``, won matches.
        flat: whether observations are the vectors alone.
        illegal: ``"terminate"`` or ``"raise"``, all rows alike.
        render_mode: None, ``"ansi"``, ``"human"`` or ``"rgb_array"``.
        render_seat: another seat whose view is shown, or ``"open"`` for all.
        deals: deals of a match in place of what ``rules`` say.
        render_cards: the cards shown, ``"french"`` or ``"german"``.
    """

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "render_modes": list(MODES),
        "render_fps": FRAMES_PER_SECOND,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        num_envs: int = 1,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        *,
        rules: Rules | str | None = None,
        seat: int | str = 0,
        opponents: Any = "thumb",
        objective: str = "penalty",
        flat: bool = False,
        illegal: str = "terminate",
        render_mode: str | None = None,
        render_seat: int | str | None = None,
        deals: int | None = None,
        render_cards: str = "french",
    ) -> None:
        if not is_integer(num_envs) or num_envs < 1:
            raise ValueError(f"num_envs is {num_envs!r}; allowed: 1 or more")
        self.num_envs = num_envs
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {  # type: ignore[misc]
            **type(self).metadata,
            "autoreset_mode": self.autoreset_mode,
        }
        self.rules = match_rules(rules, deals)
        self.objective = one_of("objective", objective, OBJECTIVES)
        self.illegal = one_of("illegal", illegal, ILLEGAL)
        self.render_mode = render_mode
        self.single_observation_space = observation_space(flat)
        self.single_action_space = action_space()
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._flat = flat
        self._seating = Seating(self.rules, seat, opponents)
        self._renderers = [
            Renderer(render_mode, render_seat, self.rules, render_cards)
            for _ in range(num_envs if render_mode else 1)
        ]
        self._rows = np.arange(num_envs)
        self._batch: Batch | None = None
        self._ended = np.zeros(num_envs, np.bool_)
        self._learners = np.zeros(num_envs, np.int64)
        self._places = np.zeros((num_envs, self.rules.players), np.int64)

    @property
    def batch(self) -> Batch:
        """The games behind the environment, hidden cards and all; for tests and displays."""
        if self._batch is None:
            raise gymnasium.error.ResetNeeded("there are no games before reset(); call reset()")
        return self._batch

    @property
    def learner_seats(self) -> NDArray[np.int64]:
        """Where the learners sit in their matches, int64 [n]."""
        return self._learners.copy()

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Start a match in every row, or in those of ``options["reset_mask"]``.

        Args:
            seed: one for each row (None: that row's next match), or an int s for s, s+1, …
            options: ``deal``: a list with the first deal, or None, for each row; ``reset_mask``:
                bool [n], the rows to reset.

        Raises:
            ValueError: for a list of the wrong length, an impossible deal or a bad mask; nothing is
                changed then.
        """
        seeds = row_seeds(seed, self.num_envs)
        deals = deal_options(options, self.num_envs)
        mask = reset_mask_option(options, self.num_envs)
        rows = np.ones(self.num_envs, np.bool_) if mask is None else mask
        batch = self._restarted(rows, seeds)
        for row in np.flatnonzero(rows):
            deal = deals[row]
            if deal is not None:
                batch.set_deal(int(row), **deal)
        if isinstance(seed, int):
            super().reset(seed=seed)  # Gymnasium's own generator, which nothing here draws from
        with undone_on_failure(self, *_PARTS):
            self._batch = batch
            self._begin(rows)
            self._let_others_play()
        self._show()
        action_mask = self._masks()
        observations = self._observations(action_mask)
        infos = {"action_mask": action_mask * rows[:, None], "_action_mask": rows.copy()}
        return observations, infos

    def step(
        self, actions: Any
    ) -> tuple[Any, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Each learner bids or plays a card; then the others, up to its next decision.

        Args:
            actions: integers [n].

        Raises:
            ValueError: for an array of another shape or kind.
            IllegalActionError: for a number outside the action space and, with ``illegal="raise"``,
                for an illegal bid or card; nothing is changed then.
            GameOverError: with ``DISABLED``, if a row has ended and not been reset.
        """
        batch, resetting = self.batch, self._ended
        chosen = checked_actions(actions, ~resetting)
        if self.autoreset_mode == AutoresetMode.DISABLED and resetting.any():
            row = int(np.flatnonzero(resetting)[0])
            raise GameOverError(
                f"the match of row {row} is over; reset it with options={{'reset_mask': ...}}"
            )
        before = self._masks()
        illegal = ~resetting & (before[self._rows, np.where(resetting, 0, chosen)] == 0)
        sentences = self._sentences(chosen, illegal)
        if illegal.any() and self.illegal == "raise":
            row = int(np.flatnonzero(illegal)[0])
            raise IllegalActionError(f"row {row}: {sentences['illegal'][row]}")

        forfeits = np.zeros(self.num_envs, np.float64)
        forfeits[illegal] = [
            forfeit_reward(self.rules, self.objective, int(settled_deals))
            for settled_deals in batch.deal_number[illegal]
        ]
        active = ~resetting & ~illegal
        infos: dict[str, Any] = {}
        with undone_on_failure(self, *_PARTS):
            if resetting.any():
                self._batch = self._restarted(resetting, [None] * self.num_envs)
                self._begin(resetting)
            earned, settled = self._apply(chosen, active)
            later_earned, later_settled = self._let_others_play()
            rewards, settled = forfeits + earned + later_earned, settled | later_settled
            self._ended = illegal | (self.batch.current_seat < 0)
            terminations = self._ended.copy()
            if self.autoreset_mode == AutoresetMode.SAME_STEP and terminations.any():
                infos |= self._final(terminations, settled, sentences)
                settled, sentences = settled & ~terminations, {}
                self._batch = self._restarted(terminations, [None] * self.num_envs)
                self._begin(terminations)
                self._let_others_play()
        self._show()
        action_mask = self._masks()
        infos |= self._infos(action_mask, np.ones(self.num_envs, np.bool_), settled) | sentences
        truncations = np.zeros(self.num_envs, np.bool_)
        return self._observations(action_mask), rewards, terminations, truncations, infos

    def action_masks(self) -> NDArray[np.bool_]:
        """The masks as bool [n, 194]; all True in ended rows."""
        return self._masks().astype(np.bool_)

    def state(self) -> NDArray[np.float32]:
        """The whole tables, float32 [n, S], as the learners sit at them."""
        states = self.batch.state()
        over = self.batch.current_seat < 0
        if over.any():
            states[over] = final_state(self._vectors()[over])
        return states

    def render(self) -> Any:
        """The learners' views as the render mode says, one a row; None without a mode."""
        if self.render_mode is None:
            return self._renderers[0].frame(self.batch.game(0), 0)
        frames = tuple(
            renderer.frame(self.batch.game(row), int(self._learners[row]))
            for row, renderer in enumerate(self._renderers)
        )
        return None if self.render_mode == "human" else frames

    # Matches -------------------------------------------------------------------------------

    def _restarted(self, rows: NDArray[np.bool_], seeds: list[int | None]) -> Batch:
        """A copy of the batch with a match begun in some rows: match 0 of a seed, or the next."""
        seeded = rows & np.array([seed is not None for seed in seeds])
        if self._batch is None:
            batch = Batch(
                self.num_envs,
                rules=self.rules,
                objective=self.objective,
                remember=self._seating.needs_memory or self.render_mode is not None,
            )
        else:
            batch = self._batch.copy()
            if (rows & ~seeded).any():
                batch.reset(mask=rows & ~seeded)
        if seeded.any():
            batch.reset(mask=seeded, seed=[0 if seed is None else seed for seed in seeds])
        return batch

    def _begin(self, rows: NDArray[np.bool_]) -> None:
        """Seat learners and opponents of the rows' new matches."""
        learners, places = self._seating.draw(self.batch.row_keys)
        self._learners = np.where(rows, learners, self._learners)
        self._places = np.where(rows[:, None], places, self._places)
        self._ended = self._ended & ~rows

    def _let_others_play(self) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Play on in each row until its learner is to act or its match is over; what the learners
        earn by it, and the rows with a deal settled."""
        total = np.zeros(self.num_envs, np.float64)
        settled = np.zeros(self.num_envs, np.bool_)
        while True:
            seats = self.batch.current_seat
            waiting = (seats >= 0) & (seats != self._learners)
            if not waiting.any():
                return total, settled
            actions = choose_actions(self.batch, self._seating.agents, self._places)
            played = None
            with suppress(IllegalActionError):
                played = self._apply(actions, waiting)
            if played is None:
                # The batch's own sentence lists what is legal, and so the opponent's hand: it must
                # not go along as this one's context either.
                raise IllegalActionError(self._opponents_fault(actions, waiting))
            earned, deal_over = played
            total += earned
            settled |= deal_over

    def _opponents_fault(self, actions: NDArray[np.int64], waiting: NDArray[np.bool_]) -> str:
        """Which opponent chose an illegal action, in the first such row."""
        inside = (actions >= 0) & (actions < NUM_ACTIONS)
        legal = self.batch.legal_mask()[self._rows, np.where(inside, actions, 0)] != 0
        row = int(np.flatnonzero(waiting & ~(inside & legal))[0])
        seat = int(self.batch.current_seat[row])
        agent = self._seating.agents[self._places[row, seat]]
        choice = illegal_choice(int(actions[row]))
        return f"row {row}: opponent {agent.spec} in seat {seat} {choice}"

    def _apply(
        self, actions: NDArray[np.int64], active: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Play actions in the active rows; the learners' rewards, and the rows with a deal
        settled."""
        rewards, deal_over, _ = self.batch.step(actions, active=active)
        return rewards[self._rows, self._learners].astype(np.float64), deal_over

    # What is returned ----------------------------------------------------------------------

    def _masks(self) -> NDArray[np.int8]:
        masks = self.batch.legal_mask()
        masks[self._ended] = 1
        return masks

    def _observations(self, masks: NDArray[np.int8]) -> Any:
        vectors = self._vectors()
        return vectors if self._flat else {"observation": vectors, "action_mask": masks}

    def _vectors(self) -> NDArray[np.float32]:
        """The learners' observation vectors, float32 [n, N]."""
        vectors = self.batch.observe()
        # A batch shows seat 0's view where a match is over; the learner may sit elsewhere.
        over = np.flatnonzero((self.batch.current_seat < 0) & (self._learners != 0))
        if over.size:
            every_seat = self.batch.select(over).observe_all()
            vectors[over] = every_seat[np.arange(over.size), self._learners[over]]
        return vectors

    def _infos(
        self,
        masks: NDArray[np.int8],
        rows: NDArray[np.bool_],
        settled: NDArray[np.bool_],
    ) -> dict[str, Any]:
        """Infos of some rows, in the form that Gymnasium gathers them in."""
        infos: dict[str, Any] = {
            "action_mask": masks * rows[:, None],
            "_action_mask": rows.copy(),
        }
        settled = settled & rows
        if settled.any():
            deal: dict[str, Any] = {}
            last = self.batch.settled
            for key, values in (
                ("bid", last.bids),
                ("points", last.points),
                ("penalty", last.penalties),
            ):
                mine = values[self._rows, self._learners].astype(np.int64)
                deal[key], deal[f"_{key}"] = mine * settled, settled.copy()
            infos["deal"], infos["_deal"] = deal, settled.copy()
        return infos

    def _sentences(self, actions: NDArray[np.int64], illegal: NDArray[np.bool_]) -> dict[str, Any]:
        """Infos that say what was wrong, in the rows with an illegal action; none without one."""
        if not illegal.any():
            return {}
        told = np.full(self.num_envs, None, object)
        for row in np.flatnonzero(illegal):
            record = self.batch.state_records[row : row + 1]
            told[row] = illegal_sentence(record, self.rules, int(actions[row]))
        return {"illegal": told, "_illegal": illegal}

    def _final(
        self, ended: NDArray[np.bool_], settled: NDArray[np.bool_], sentences: dict[str, Any]
    ) -> dict[str, Any]:
        """The last observations and infos of the rows that have just ended."""
        masks = self._masks()
        vectors = self._vectors()
        final_obs = np.full(self.num_envs, None, object)
        for row in np.flatnonzero(ended):
            vector, mask = vectors[row].copy(), masks[row].copy()
            final_obs[row] = vector if self._flat else {"observation": vector, "action_mask": mask}
        return {
            "final_obs": final_obs,
            "_final_obs": ended.copy(),
            "final_info": self._infos(masks, ended, settled) | sentences,
            "_final_info": ended.copy(),
        }

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()
