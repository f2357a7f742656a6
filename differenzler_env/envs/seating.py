"""Environments: who sits where. The learner's seat and its opponents, drawn anew for each match.

All draws are functions of the match's key, so a row of a batch and a single game with the same seed
seat the same players.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..agents.registry import share_agents, split_list
from ..checks import is_integer
from ..rules import Rules

LEARNER = -1
"""Stands in a seating where the learner sits: nobody is asked there."""

# What a draw is for, so that seat and opponents are drawn independently of each other.
SEAT_PURPOSE = 1
OPPONENT_PURPOSE = 2  # and the following: one for each seat


Keys = Callable[[int], NDArray[np.uint64]]
"""Given a purpose, the keys uint64 [B] of the rows' matches for that purpose."""


class Seating:
    """Where the learner and its opponents sit.

    Args:
        rules: the rules of the table; its players are P.
        seat: the learner's seat 0…P−1, or ``"random"``.
        opponents: an agent spec, an agent or a callable ``(view, rng) -> action`` for all other
            seats; a list of P−1 of them from the learner's right-hand neighbour onward (a text with
            commas is such a list); or ``{"pool": [...]}``, from which each seat draws anew for each
            match.

    Raises:
        ValueError: for a seat that is not at the table, a list of another length, an empty pool or
            an opponent that cannot be loaded.
    """

    def __init__(self, rules: Rules, seat: int | str, opponents: Any) -> None:
        self._players = rules.players
        self._seat = _checked_seat(seat, self._players)
        self._pooled = isinstance(opponents, Mapping)
        if self._pooled and set(opponents) != {"pool"}:
            raise ValueError(
                f"opponents has the keys {sorted(map(str, opponents))}; the mapping form is "
                "{'pool': [...]} and nothing else"
            )
        given = opponents["pool"] if self._pooled else opponents
        entries = _entries(given)
        if self._pooled and not entries:
            raise ValueError("the pool of opponents is empty; give at least one agent")
        others = self._players - 1
        if not self._pooled and len(entries) != others and (_is_list(given) or len(entries) != 1):
            raise ValueError(
                f"{len(entries)} opponents are given for a table of {self._players} seats; give "
                f"{others}, from the learner's right-hand neighbour onward, or one for all"
            )
        # However often an agent is listed, it is asked once a step for all its rows.
        known: dict[Any, int] = {}
        places = [known.setdefault(_name(entry), len(known)) for entry in entries]
        unique = [entries[places.index(place)] for place in range(len(known))]
        self.agents = share_agents(unique, rules)
        self._order = np.array(places, np.int64)

    @property
    def needs_memory(self) -> bool:
        """Whether an opponent looks at views, which also tell of the deals settled before."""
        return not all(agent.batched for agent in self.agents)

    def draw(self, keys: Keys) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The learner's seats int64 [B] and the seating int64 [B, P] of the rows' matches.

        A seating holds an index into :attr:`agents` for each absolute seat, ``LEARNER`` where the
        learner sits.
        """
        drawn = keys(SEAT_PURPOSE)
        if self._seat is None:
            learners = _choice(drawn, self._players)
        else:
            learners = np.full(len(drawn), self._seat, np.int64)
        seating = np.empty((len(learners), self._players), np.int64)
        rows_index = np.arange(len(learners))
        seating[rows_index, learners] = LEARNER
        for distance in range(1, self._players):
            seats = (learners + distance) % self._players
            if self._pooled:
                chosen = _choice(keys(OPPONENT_PURPOSE + distance), len(self._order))
            else:
                chosen = np.full(len(learners), (distance - 1) % len(self._order), np.int64)
            seating[rows_index, seats] = self._order[chosen]
        return learners, seating


def _checked_seat(seat: int | str, players: int) -> int | None:
    if isinstance(seat, str) and seat == "random":
        return None
    if not is_integer(seat) or not 0 <= seat < players:
        raise ValueError(f"seat is {seat!r}; allowed: 0 to {players - 1}, or 'random'")
    return int(seat)


def _is_list(opponents: Any) -> bool:
    if isinstance(opponents, str):
        return "," in opponents
    return isinstance(opponents, Sequence)


def _entries(opponents: Any) -> list[Any]:
    if isinstance(opponents, str):
        return list(split_list(opponents))
    return list(opponents) if isinstance(opponents, Sequence) else [opponents]


def _name(entry: Any) -> Any:
    """What tells agents apart: specs by their text, all others by identity."""
    return entry if isinstance(entry, str) else id(entry)


def _choice(keys: NDArray[np.uint64], options: int) -> NDArray[np.int64]:
    """One of so many options a row; the bias of the remainder is below 2⁻⁵⁰."""
    return (keys % np.uint64(options)).astype(np.int64)
