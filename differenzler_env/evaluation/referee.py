"""Evaluation: the referee. Asks the agents, and lets one that errs forfeit the deal instead of the
whole evaluation.

An agent errs by raising or by choosing what is not legal. It then pays the worst possible penalty
for that deal, and ``thumb`` plays its seat to the end of the deal, so that the others get a game;
in the next deal it is asked again.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..actions import NUM_ACTIONS, parse_action
from ..agents import Agent, keyed_rng
from ..agents.base import Actions, Keys, Records, as_actions
from ..agents.baselines import ThumbAgent
from ..agents.table import illegal_choice
from ..batch import Batch
from ..engine.state import take_records
from ..errors import IllegalActionError, where_raised

NONE = -1


class Referee:
    """Asks the agents of a batch.

    Args:
        batch: B games.
        agents: the players.
        seating: int ``[B, P]``: number of the agent in each seat.

    Attributes:
        forfeits: bool ``[B, P]``: seats that have forfeited the deal at hand.
        faults: the first fault of each agent that had one, number → one line.
    """

    def __init__(
        self, batch: Batch, agents: Sequence[Agent], seating: npt.NDArray[np.integer[Any]]
    ) -> None:
        self.batch = batch
        self.agents = agents
        self.seating = seating
        self.forfeits = np.zeros(seating.shape, np.bool_)
        self.faults: dict[int, str] = {}
        self._stand_in = ThumbAgent(batch.rules)

    def actions(self) -> Actions:
        """A legal action for each row that is not over, int64 ``[B]``."""
        batch = self.batch
        seats = batch.current_seat
        rows = np.flatnonzero(seats >= 0)
        views, keys, masks = batch.views(), batch.decision_keys(), batch.legal_mask()
        actions = np.full(batch.num_games, NONE, np.int64)
        players = np.full(batch.num_games, NONE, np.int64)
        asked = rows[~self.forfeits[rows, seats[rows]]]
        players[asked] = self.seating[asked, seats[asked]]
        for number, agent in enumerate(self.agents):
            mine = np.flatnonzero(players == number)
            if not mine.size:
                continue
            if agent.batched:
                actions[mine] = self._ask_batched(number, take_records(views, mine), keys[mine])
            else:
                actions[mine] = [self._ask_for_row(number, int(row), keys) for row in mine]
            self._check(number, mine, seats, actions, masks)
        absent = np.flatnonzero((seats >= 0) & (actions == NONE))
        if absent.size:
            actions[absent] = self._stand_in.act_batch(take_records(views, absent), keys[absent])
        actions[seats < 0] = 0
        return actions

    def deal_over(self, rows: npt.NDArray[np.intp]) -> None:
        """The deal of these rows is settled: their seats are asked again."""
        self.forfeits[rows] = False

    def _check(
        self, number: int, rows: Any, seats: Any, actions: Actions, masks: npt.NDArray[np.int8]
    ) -> None:
        """Strikes out illegal actions; seats without an action have forfeited."""
        chosen = actions[rows]
        inside = (chosen >= 0) & (chosen < NUM_ACTIONS)
        legal = inside & (masks[rows, np.where(inside, chosen, 0)] != 0)
        for row in rows[~legal & (chosen != NONE)][:1]:
            self._fault(number, illegal_choice(int(actions[row])))
        actions[rows[~legal]] = NONE
        self.forfeits[rows[~legal], seats[rows[~legal]]] = True

    def _ask_batched(self, number: int, views: Records, keys: Keys) -> Actions:
        agent = self.agents[number]
        try:
            return as_actions(agent.act_batch(views.copy(), keys.copy()), len(views))
        except (Exception, SystemExit):
            # Somewhere in these rows: ask row by row, so that only those at fault forfeit.
            pass
        actions = np.full(len(views), NONE, np.int64)
        for row in range(len(views)):
            one = slice(row, row + 1)
            try:
                actions[row] = as_actions(agent.act_batch(views[one], keys[one]), 1)[0]
            except (Exception, SystemExit) as error:
                self._fault(number, _raised(error))
        return actions

    def _ask_for_row(self, number: int, row: int, keys: Keys) -> int:
        view = self.batch.player_view(row)
        try:
            action = self.agents[number].act(view, keyed_rng(int(keys[row])))
        except (Exception, SystemExit) as error:
            self._fault(number, _raised(error))
            return NONE
        try:
            return parse_action(action)
        except IllegalActionError as error:
            self._fault(number, f"chose {' '.join(f'{action!r}: {error}'.split())}")
            return NONE

    def _fault(self, number: int, what: str) -> None:
        self.faults.setdefault(number, what)


def _raised(error: BaseException) -> str:
    message = " ".join(str(error).split())
    return f"raised {type(error).__name__}: {message}{where_raised(error)}"
