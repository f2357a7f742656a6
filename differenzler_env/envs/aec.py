"""Environments: PettingZoo's agent-environment cycle over one game. Bookkeeping only, no rules.

``env()`` is :class:`raw_env` inside the wrapper of ``illegal.py``; ``parallel_env()`` is
PettingZoo's turn-based conversion of that.
"""

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv

from ..actions import NUM_ACTIONS
from ..checks import one_of
from ..engine.state import OBJECTIVES
from ..errors import GameOverError
from ..game import Game
from ..rule_text import get_rules
from ..rules import Rules
from .match import forfeit_reward, play, start_match
from .rendering import FRAMES_PER_SECOND, MODES, Renderer
from .spaces import action_space, observation_space, state_space

_AFTER_RESET = frozenset(
    {
        "agents",
        "num_agents",
        "agent_selection",
        "rewards",
        "terminations",
        "truncations",
        "infos",
        "_cumulative_rewards",
    }
)


class raw_env(AECEnv[str, dict[str, Any], Any]):  # noqa: N801  (PettingZoo's name)
    """Differenzler as an AEC environment that raises on illegal actions.

    | | |
    |---|---|
    | agents | ``player_0`` … ``player_{P-1}``: the seats |
    | actions | ``Discrete(194)``: 0…157 bid that many points, 158…193 play card ``action − 158`` |
    | observation | dict: ``observation`` float32 [N] in [−1, 1], ``action_mask`` int8 [194] |
    | mask | 1 = legal; all zero for seats not to act and in dead turns |
    | infos | ``action_mask`` as in the observation; ``deal`` and ``illegal`` (below) |
    | state | ``state()`` float32 [S], the whole table as the seat to act sits at it |
    | episode | a match; all seats terminate with its last card, none is ever truncated |

    Reward, objective ``"penalty"``: minus the penalty, to each seat in the step that settles a
    deal, 0 otherwise. Objective ``"win"``: 0 until the match ends, then 1/k to each of the k
    winners.

    ``infos[agent]["deal"]`` holds ``bid``, ``points`` and ``penalty`` of that seat from the step
    that settles a deal until the seat has acted, so that each seat sees it once.
    ``infos[agent]["illegal"]`` is there after :meth:`forfeit`, which the wrapped environment calls.

    ``reset(options={"deal": {"hands", "trump", "dealer", "turned_up"}})`` sets up the first deal;
    other options are ignored. ``reset()`` without a seed goes on to the next match.

    Args:
        rules: a :class:`Rules`, a text such as ``"table?players=5"``, or None for the default.
        objective: what is rewarded: ``"penalty"``, each deal, or ``"win"``, won matches.
        render_mode: None, ``"ansi"``, ``"human"`` or ``"rgb_array"``.
        render_seat: the seat whose view is shown, ``"open"`` for all; None: the seat to act.
        render_cards: the cards shown, ``"french"`` or ``"german"``.
    """

    metadata = {  # noqa: RUF012  (PettingZoo reads it from the class)
        "name": "differenzler_v0",
        "render_modes": list(MODES),
        "render_fps": FRAMES_PER_SECOND,
        "is_parallelizable": False,
    }

    def __init__(
        self,
        rules: Rules | str | None = None,
        objective: str = "penalty",
        render_mode: str | None = None,
        render_seat: int | str | None = None,
        render_cards: str = "french",
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.rules = get_rules(rules)
        self.objective = one_of("objective", objective, OBJECTIVES)
        self.render_mode = render_mode
        self._renderer = Renderer(render_mode, render_seat, self.rules, render_cards)
        self.possible_agents = [f"player_{seat}" for seat in range(self.rules.players)]
        self.observation_spaces = {agent: observation_space() for agent in self.possible_agents}
        self.action_spaces = {agent: action_space() for agent in self.possible_agents}
        self.state_space = state_space()
        self._seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._game: Game | None = None

    def __getattr__(self, name: str) -> Any:
        # Only reached where the attribute is not there, which for these means: not yet.
        if name in _AFTER_RESET:
            raise AttributeError(f"{name} is not there before reset(); call reset() first")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The observation space of an agent, the same object every time.

        Raises:
            ValueError: for an agent that is not at the table.
        """
        self._seat(agent)
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The action space of an agent, the same object every time.

        Raises:
            ValueError: for an agent that is not at the table.
        """
        self._seat(agent)
        return self.action_spaces[agent]

    @property
    def game(self) -> Game:
        """The game behind the environment, hidden cards and all; for tests and displays."""
        if self._game is None:
            raise gymnasium.error.ResetNeeded("there is no game before reset(); call reset() first")
        return self._game

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a match: with a seed that of ``Game(rules, seed=seed)``, without one the next.

        Raises:
            ValueError: for an impossible deal in ``options``; nothing is changed then.
        """
        self._game = start_match(self._game, self.rules, self.objective, seed, options)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._settled: dict[str, dict[str, int]] = {}
        self._skip_agent_selection: str | None = None  # type: ignore[assignment]
        self._select_next()
        self._renderer.show(*self._viewpoint())

    def step(self, action: Any) -> None:
        """Act for ``agent_selection``: a bid or a card, None in its dead turn.

        Raises:
            IllegalActionError: for an action that is not legal now; nothing is changed then.
            ValueError: for an action in a dead turn.
            GameOverError: once all agents are gone.
        """
        game = self.game
        if not self.agents:
            raise GameOverError("the match is over and all agents are gone; call reset()")
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        rewards, deals = play(game, action)
        self._settled.pop(agent, None)
        if deals is not None:
            self._settled = dict(zip(self.agents, deals, strict=True))
        self._finish_step(agent, rewards)

    def forfeit(self, sentence: str) -> None:
        """End the match because the seat to act has made an illegal move.

        That seat gets minus (the worst possible penalty of a deal + 1) for each deal not yet
        settled, −1 in all under objective ``"win"``; the others get 0. All terminate.

        Args:
            sentence: what was wrong. It may name the seat's cards, so that seat's info alone has
                it, under ``illegal``.
        """
        agent = self.agent_selection
        rewards = [0.0] * len(self.possible_agents)
        rewards[self._seat_of[agent]] = forfeit_reward(
            self.rules, self.objective, self.game.settled_deals
        )
        self._settled.pop(agent, None)
        self.terminations = dict.fromkeys(self.agents, True)
        self._finish_step(agent, rewards)
        self.infos[agent]["illegal"] = sentence

    def observe(self, agent: str) -> dict[str, Any]:
        """What an agent may know now; the mask is all zero unless it is to act.

        Raises:
            ValueError: for an agent that is not at the table.
        """
        seat = self._seat(agent)
        return {"observation": self.game.observe(seat), "action_mask": self._mask(agent)}

    def _seat(self, agent: str) -> int:
        if agent not in self._seat_of:
            raise ValueError(
                f"there is no agent {agent!r}; agents are {', '.join(self.possible_agents)}"
            )
        return self._seat_of[agent]

    def state(self) -> NDArray[np.float32]:
        """The whole table, float32 [S], as the seat to act sits at it (seat 0 after the end)."""
        return self.game.state()

    def render(self) -> Any:
        """The table as the render mode says; the view of the seat to act unless ``render_seat``."""
        return self._renderer.frame(*self._viewpoint())

    def close(self) -> None:
        """Nothing is held open."""

    def _viewpoint(self) -> tuple[Game, int]:
        # The view of the seat to act is shown, after the end that of seat 0.
        return self.game, self._seat_of[self.agent_selection] if self.agents else 0

    def _mask(self, agent: str) -> NDArray[np.int8]:
        if agent == self.agent_selection:
            return self._legal.copy()
        return np.zeros(NUM_ACTIONS, np.int8)

    def _finish_step(self, agent: str, rewards: list[float]) -> None:
        # The agent has seen through last() what it had collected before this step.
        self._cumulative_rewards[agent] = 0.0
        self.rewards = dict(zip(self.possible_agents, rewards, strict=True))
        self._accumulate_rewards()
        if self.game.is_over:
            self.terminations = dict.fromkeys(self.agents, True)
        self._select_next()
        self._renderer.show(*self._viewpoint())

    def _select_next(self) -> None:
        seat = self.game.current_seat
        if self.terminations[self.agents[0]] or seat is None:
            self.agent_selection = self.agents[0]  # dead turns come in seat order
            self._legal = np.zeros(NUM_ACTIONS, np.int8)
        else:
            self.agent_selection = self.possible_agents[seat]
            self._legal = self.game.legal_mask()
        masks = np.zeros((len(self.agents), NUM_ACTIONS), np.int8)
        masks[self.agents.index(self.agent_selection)] = self._legal
        self.infos = {
            agent: {"action_mask": mask} for agent, mask in zip(self.agents, masks, strict=True)
        }
        for agent, deal in self._settled.items():
            self.infos[agent]["deal"] = dict(deal)

    def _clear_rewards(self) -> None:
        # PettingZoo's own writes the integer 0 into the dict given out; rewards are floats here.
        self.rewards = dict.fromkeys(self.rewards, 0.0)
