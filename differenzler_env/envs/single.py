"""Environments: Gymnasium's form, one learner at a table of agents. Bookkeeping only, no rules."""

from contextlib import suppress
from typing import Any, ClassVar

import gymnasium
import numpy as np
from numpy.typing import NDArray

from ..actions import NUM_ACTIONS, parse_action
from ..agents.table import choose_action, illegal_choice
from ..checks import one_of
from ..engine.state import OBJECTIVES
from ..errors import GameOverError, IllegalActionError
from ..game import Game
from ..rules import Rules
from .match import ILLEGAL, forfeit_reward, match_rules, play, start_match
from .rendering import FRAMES_PER_SECOND, MODES, Renderer
from .seating import Seating
from .spaces import action_space, final_state, observation_space
from .undo import undone_on_failure

_PARTS = ("_game", "_ended", "_learner", "_places")
"""All that changes in a match, the game first; see :func:`.undo.undone_on_failure`."""


class DifferenzlerEnv(gymnasium.Env[Any, Any]):
    """One seat of a Differenzler table; the other seats are played by agents.

    ## Action space
    ``Discrete(194)``: 0…157 bid that many points, 158…193 play card ``action − 158``, where a card
    is ``9 · suit + rank`` (suits C D H S, ranks 6 7 8 9 10 J Q K A). Every step is a decision of
    the learner: in a deal of four players one bid, then nine cards.

    ## Observation space
    A dict of ``observation`` (float32 [N] in [−1, 1], laid out in ``observation.LAYOUT``) and
    ``action_mask`` (int8 [194], 1 = legal); with ``flat=True`` the vector alone. The mask is all
    ones once the episode has ended.

    ## Rewards
    Objective ``"penalty"``: minus the learner's penalty in the step that settles a deal, else 0.
    Objective ``"win"``: 0 until the match ends, then 1/k if the learner is one of k winners. What
    the opponents' cards bring about comes with the learner's step before them.

    ## Episode
    A match, terminated with its last card, never truncated. ``illegal="terminate"``: an illegal bid
    or card ends it with minus (the worst possible penalty of a deal + 1) for each deal not yet
    settled, −1 in all under ``"win"``. ``illegal="raise"``: it raises and changes nothing.

    ## Info
    ``action_mask`` as above; ``deal`` in the step that settles a deal: the learner's ``bid``,
    ``points`` and ``penalty``; ``illegal`` in the step that an illegal bid or card has ended: the
    sentence that ``illegal="raise"`` raises.

    ## Reset
    ``reset(seed=s)`` deals what ``Game(rules, seed=s)`` deals; without a seed the next match
    follows.
    ``options={"deal": {"hands", "trump", "dealer", "turned_up"}}`` sets up the first deal.

    Args:
        rules: a :class:`Rules`, a text such as ``"table?players=5"``, or None for the default.
        seat: the learner's seat, or ``"random"``: drawn anew for each match.
        opponents: an agent spec, an agent or a callable ``(view, rng) -> action`` for all other
            seats; a list of them from the learner's right-hand neighbour onward; or
            ``{"pool": [...]}``, drawn anew for each seat and match.
        objective: what is rewarded: ``"penalty"``, each deal, or ``"win"``, won matches.
        flat: whether an observation is the vector alone.
        illegal: what an illegal bid or card does: ``"terminate"`` ends the match at a cost,
            ``"raise"`` raises and changes nothing.
        render_mode: None, ``"ansi"``, ``"human"`` or ``"rgb_array"``: the learner's view.
        render_seat: another seat whose view is shown, or ``"open"`` for all.
        deals: deals of a match in place of what ``rules`` say.
        render_cards: the cards shown, ``"french"`` or ``"german"``.

    ## Version history
    * v0: first version
    """

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "render_modes": list(MODES),
        "render_fps": FRAMES_PER_SECOND,
    }

    def __init__(
        self,
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
        self.rules = match_rules(rules, deals)
        self.objective = one_of("objective", objective, OBJECTIVES)
        self.illegal = one_of("illegal", illegal, ILLEGAL)
        self.render_mode = render_mode
        self.observation_space = observation_space(flat)
        self.action_space = action_space()
        self._flat = flat
        self._renderer = Renderer(render_mode, render_seat, self.rules, render_cards)
        self._seating = Seating(self.rules, seat, opponents)
        self._game: Game | None = None
        self._ended = False
        self._learner = 0
        self._places: list[int] = []

    @property
    def game(self) -> Game:
        """The game behind the environment, hidden cards and all; for tests and displays."""
        if self._game is None:
            raise gymnasium.error.ResetNeeded("there is no game before reset(); call reset() first")
        return self._game

    @property
    def learner_seat(self) -> int:
        """Where the learner sits in this match."""
        return self._learner

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start a match and play it up to the learner's first bid.

        Raises:
            ValueError: for an impossible deal in ``options``; nothing is changed then.
        """
        game = start_match(self._game, self.rules, self.objective, seed, options)
        super().reset(seed=None if seed is None else int(seed))
        with undone_on_failure(self, *_PARTS):
            self._game = game
            self._ended = False
            learners, seating = self._seating.draw(
                lambda purpose: np.array([game.row_key(purpose)], np.uint64)
            )
            self._learner = int(learners[0])
            self._places = seating[0].tolist()
            self._let_others_play()
        self._renderer.show(game, self._learner)
        return self._observation(), self._info()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """The learner bids or plays a card; then the others, up to the learner's next decision.

        Raises:
            IllegalActionError: for something that is not an action at all and, with
                ``illegal="raise"``, for an illegal bid or card. Nothing is changed then.
            GameOverError: after the end of the episode.
        """
        game = self.game
        if self._ended:
            raise GameOverError("the episode has ended; call reset()")
        action = parse_action(action)
        with undone_on_failure(self, *_PARTS):
            reward, told = self._turn(game, action)
        self._renderer.show(game, self._learner)
        return self._observation(), reward, self._ended, False, self._info(**told)

    def action_masks(self) -> NDArray[np.bool_]:
        """The mask as bool [194], where MaskablePPO looks for it."""
        return self._mask().astype(np.bool_)

    def state(self) -> NDArray[np.float32]:
        """The whole table, float32 [S], as the learner sits at it; its observation comes first."""
        if self.game.is_over:
            return final_state(self.game.observe(self._learner))
        return self.game.state()  # the learner is to act

    def render(self) -> Any:
        """The learner's view as the render mode says."""
        return self._renderer.frame(self.game, self._learner)

    def _turn(self, game: Game, action: int) -> tuple[float, dict[str, Any]]:
        """The learner's action, then those of the others; its reward, and what its info tells."""
        try:
            reward, deal = self._play(action)
        except IllegalActionError as error:
            if self.illegal == "raise":
                raise
            self._ended = True
            cost = forfeit_reward(self.rules, self.objective, game.settled_deals)
            return cost, {"illegal": str(error)}
        # At most one deal is settled a step: each deal waits for the learner's bid.
        later_reward, later_deal = self._let_others_play()
        self._ended = game.is_over
        deal = deal or later_deal
        return reward + later_reward, {} if deal is None else {"deal": deal}

    def _play(self, action: int) -> tuple[float, dict[str, int] | None]:
        rewards, deals = play(self.game, action)
        return rewards[self._learner], None if deals is None else deals[self._learner]

    def _let_others_play(self) -> tuple[float, dict[str, int] | None]:
        game, total, settled = self.game, 0.0, None
        while (seat := game.current_seat) is not None and seat != self._learner:
            agent = self._seating.agents[self._places[seat]]
            name = f"opponent {agent.spec} in seat {seat}"
            try:
                action = choose_action(game, agent)
            except IllegalActionError as error:
                raise IllegalActionError(f"{name}: {error}") from None
            played = None
            with suppress(IllegalActionError):
                played = self._play(action)
            if played is None:
                # The game's own sentence lists what is legal, and so the opponent's hand: it must
                # not go along as this one's context either.
                raise IllegalActionError(f"{name} {illegal_choice(action)}")
            reward, deal = played
            total += reward
            settled = settled or deal
        return total, settled

    def _mask(self) -> NDArray[np.int8]:
        if self._ended:
            return np.ones(NUM_ACTIONS, np.int8)
        return self.game.mask(self._learner)

    def _observation(self) -> Any:
        vector = self.game.observe(self._learner)
        return vector if self._flat else {"observation": vector, "action_mask": self._mask()}

    def _info(self, **told: Any) -> dict[str, Any]:
        return {"action_mask": self._mask(), **told}
