"""Environments: what the wrapped AEC environment adds, and its turn-based parallel form.

An illegal bid or card ends the match for everybody; calls in the wrong order are answered with a
sentence.
"""

from collections.abc import Mapping
from typing import Any

from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils.conversions import turn_based_aec_to_parallel_wrapper
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from ..actions import parse_action
from ..errors import GameOverError, IllegalActionError
from ..rules import Rules
from .aec import raw_env


class IllegalActionWrapper(OrderEnforcingWrapper[str, dict[str, Any], Any]):
    """Ends the match when the seat to act makes an illegal move, instead of raising.

    The offender gets minus (the worst possible penalty of a deal + 1) for each deal not yet settled
    (−1 in all under objective ``"win"``), all others 0; all terminate, nobody is truncated. The
    offender's own info says why, under ``illegal``. What is no action at all (not an integer, or
    outside the action space) raises and changes nothing. So does a step after the end.
    """

    env: raw_env

    def step(self, action: Any) -> None:
        """Act for ``agent_selection``; None in its dead turn.

        Raises:
            IllegalActionError: for something that is not an action at all.
            ValueError: for an action in a dead turn.
            GameOverError: once all agents are gone.
        """
        if not self._has_reset:
            super().step(action)  # which says what is missing
            return
        env = self.env  # asked directly: each look through the wrapper costs a microsecond
        if not env.agents:
            raise GameOverError("the match is over and all agents are gone; call reset()")
        if not env.terminations[env.agent_selection]:
            parse_action(action)
        self._has_updated = True
        try:
            env.step(action)
        except IllegalActionError as error:
            env.forfeit(str(error))

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """What the seat to act is told; as of the wrapped environment."""
        return self.env.last(observe) if self._has_reset else super().last(observe)

    def __str__(self) -> str:
        return str(self.env)


class TurnBasedParallelEnv(turn_based_aec_to_parallel_wrapper[str, dict[str, Any], Any]):
    """PettingZoo's turn-based conversion, which also answers a step after the end.

    Each step takes the action of the seat to act (``infos[agent]["active_agent"]``) from the
    mapping; the actions of other seats are ignored.
    """

    def step(self, actions: dict[str, Any]) -> tuple[Any, Any, Any, Any, Any]:
        """One action of the seat to act.

        Raises:
            GameOverError: after the end of the match.
            IllegalActionError: if the seat to act is not among the actions, or they are no mapping.
        """
        if not hasattr(self, "agents"):
            raise AttributeError("there is no seat to act before reset(); call reset() first")
        if not self.agents:
            raise GameOverError("the match is over; call reset()")
        agent = self.aec_env.agent_selection
        if not isinstance(actions, Mapping):
            raise IllegalActionError(
                f"actions are a mapping from agents to actions, not {actions!r}"
            )
        if agent not in actions:
            raise IllegalActionError(f"it is {agent}'s turn, but the actions hold none for {agent}")
        returned: tuple[Any, Any, Any, Any, Any]
        returned = super().step(actions)  # type: ignore[no-untyped-call]
        return returned


def env(
    rules: Rules | str | None = None,
    objective: str = "penalty",
    render_mode: str | None = None,
    render_seat: int | str | None = None,
    render_cards: str = "french",
) -> AECEnv[str, dict[str, Any], Any]:
    """Differenzler in PettingZoo's AEC form: four seats (or two to five), a match an episode.

    As :class:`raw_env`, which has the tables of actions, observations, rewards and infos, but an
    illegal bid or card ends the match in place of raising: see :class:`IllegalActionWrapper`.

    Args:
        rules: a :class:`Rules`, a text such as ``"table?players=5"``, or None for the default.
        objective: what is rewarded: ``"penalty"``, each deal, or ``"win"``, won matches.
        render_mode: None, ``"ansi"``, ``"human"`` or ``"rgb_array"``.
        render_seat: the seat whose view is shown, ``"open"`` for all; None: the seat to act.
        render_cards: the cards shown, ``"french"`` or ``"german"``.
    """
    return IllegalActionWrapper(raw_env(rules, objective, render_mode, render_seat, render_cards))


def parallel_env(
    rules: Rules | str | None = None,
    objective: str = "penalty",
    render_mode: str | None = None,
    render_seat: int | str | None = None,
    render_cards: str = "french",
) -> ParallelEnv[str, dict[str, Any], Any]:
    """Differenzler in PettingZoo's parallel form, turn-based: a step takes the action of one seat.

    As :func:`env`; ``infos[agent]["active_agent"]`` says whose action the next step takes from the
    mapping.

    Args:
        rules: a :class:`Rules`, a text such as ``"table?players=5"``, or None for the default.
        objective: what is rewarded: ``"penalty"``, each deal, or ``"win"``, won matches.
        render_mode: None, ``"ansi"``, ``"human"`` or ``"rgb_array"``.
        render_seat: the seat whose view is shown, ``"open"`` for all; None: the seat to act.
        render_cards: the cards shown, ``"french"`` or ``"german"``.
    """
    return TurnBasedParallelEnv(env(rules, objective, render_mode, render_seat, render_cards))
