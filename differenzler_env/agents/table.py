"""Agents: asking the players at many tables for their actions."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..actions import NUM_ACTIONS, action_name, parse_action
from ..batch import Batch
from ..engine.state import take_records
from ..errors import IllegalActionError
from ..game import Game
from .base import Actions, Agent, as_actions, keyed_rng


def choose_actions(
    batch: Batch, agents: Sequence[Agent], seating: npt.NDArray[np.integer]
) -> Actions:
    """The actions of one step of a batch.

    Args:
        batch: B games.
        agents: the players.
        seating: int ``[B, P]``: which of ``agents`` sits where, −1 for a seat that is asked
            elsewhere.

    Returns:
        int64 ``[B]``; −1 on finished rows and where the seat to act has −1 in ``seating``. They may
        be illegal; numbers outside the action space from an ``act_batch`` become 194.

    Raises:
        IllegalActionError: for something that is not an action at all, as in an environment.
        TypeError: for an ``act_batch`` that returns other than an integer a row.
    """
    actions = np.full(batch.num_games, -1, np.int64)
    seats = batch.current_seat
    rows = np.flatnonzero(seats >= 0)
    players = np.full(batch.num_games, -1, np.int64)
    players[rows] = seating[rows, seats[rows]]
    views = keys = None
    for number, agent in enumerate(agents):
        mine = np.flatnonzero(players == number)
        if not mine.size:
            continue
        if keys is None:
            keys = batch.decision_keys()
        if agent.batched:
            if views is None:
                views = batch.views()
            chosen = agent.act_batch(take_records(views, mine), keys[mine])
            try:
                actions[mine] = as_actions(chosen, len(mine))
            except TypeError as error:
                raise TypeError(f"agent {agent.spec}: {error}") from None
        else:
            for row in mine:
                view = batch.player_view(int(row))
                action = agent.act(view, keyed_rng(int(keys[row])))
                try:
                    actions[row] = parse_action(action)
                except IllegalActionError as error:
                    raise IllegalActionError(f"row {row}: agent {agent.spec}: {error}") from None
    return actions


def illegal_choice(action: int) -> str:
    """What an agent did that chose an illegal action, in words. They tell what was chosen and no
    more: what would have been legal shows the hand, and others at the table may read this."""
    if not 0 <= action < NUM_ACTIONS:
        return "chose a number outside the action space"
    return f"chose {action_name(action)}, which is not legal there"


def choose_action(game: Game, agent: Agent) -> int:
    """The agent's action for the seat to act; the same as in row 0 of a batch with that seed.

    Raises:
        IllegalActionError: for something that is not an action at all. It may still be illegal.
        ValueError: when the match is over.
    """
    seat = game.current_seat
    if seat is None:
        raise ValueError("the match is over: no seat is to act")
    return parse_action(agent.act(game.view(seat), keyed_rng(game.decision_key())))
