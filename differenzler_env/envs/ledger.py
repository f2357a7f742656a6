"""Environments: a wrapper that writes down the matches played, to check a library's books.

    env = Ledger(differenzler_v0.env())
    ...  # any library, any training
    env.penalties().sum(axis=0)  # what each seat really paid

Whatever a library adds up as its rewards must be minus these penalties (objective ``"penalty"``).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import BaseWrapper

from ..errors import RecordError
from ..game import Game


class Ledger(BaseWrapper[str, dict[str, Any], Any]):
    """An AEC environment that keeps a game record of each match.

    Attributes:
        records: the finished matches as game records, in the order played.
        forfeited: how many matches were ended by an illegal move; they have no record.
    """

    def __init__(self, env: AECEnv[str, dict[str, Any], Any]) -> None:
        super().__init__(env)
        self.records: list[dict[str, Any]] = []
        self.forfeited = 0

    def step(self, action: Any) -> None:
        """As the environment's own; the match is written down with its last card."""
        going = bool(self.agents) and not any(self.terminations.values())
        super().step(action)
        if going and any(self.terminations.values()):
            game: Game = self.unwrapped.game  # type: ignore[attr-defined]
            if game.is_over:
                self.records.append(game.to_record())
            else:
                self.forfeited += 1

    def penalties(self) -> NDArray[np.int64]:
        """The penalties of the matches, int64 ``[matches, P]``: not as they were booked, but of the
        records played again, each bid and card checked against the rules.

        Raises:
            RecordError: if a match was forfeited, so that its penalties are not those of the game.
        """
        if self.forfeited:
            raise RecordError(f"{self.forfeited} matches were ended by an illegal move")
        games = [Game.from_record(record) for record in self.records]
        sums = [game.penalties for game in games]
        return np.array(sums, np.int64).reshape(len(sums), len(self.possible_agents))
