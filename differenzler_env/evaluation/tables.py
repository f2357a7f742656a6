"""Evaluation: what happened at the tables, as arrays, and a file to keep it in."""

import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..files import replacing

Integers = npt.NDArray[np.integer[Any]]


@dataclass(frozen=True)
class Tables:
    """What happened in M matches of D deals, each in S seatings of P seats.

    Attributes:
        seating: int16 ``[M, S, P]``: number of the agent in each seat.
        dealers: int8 ``[M, D]``.
        bids: int16 ``[M, S, D, P]``.
        points: int16 ``[M, S, D, P]``.
        penalties: int16 ``[M, S, D, P]``; a forfeited game costs the worst possible penalty.
        out_of_reach: int8 ``[M, S, D, P]``: number of the trick, from 1, after which the bid could
            no longer be hit exactly (too many points, or too few left in the deal); 0 where it was
            hit. Card points only: Stöck is not counted.
        forfeits: bool ``[M, S, D, P]``: the agent raised or chose an illegal action; a stand-in
            played the seat to the end of the deal.
        faults: first fault of each agent that had one, number → one line.
    """

    seating: Integers
    dealers: Integers
    bids: Integers
    points: Integers
    penalties: Integers
    out_of_reach: Integers
    forfeits: npt.NDArray[np.bool_]
    faults: dict[int, str]

    @classmethod
    def joined(cls, parts: Sequence["Tables"]) -> "Tables":
        """The matches of several tables, one after the other."""
        faults: dict[int, str] = {}
        for part in reversed(parts):
            faults |= part.faults
        arrays = {name: np.concatenate([getattr(part, name) for part in parts]) for name in ARRAYS}
        return cls(**arrays, faults=faults)

    def check(self) -> None:
        """Refuse arrays that do not belong together, as those of a damaged file may not.

        Raises:
            ValueError: unless all are whole numbers or bools, of the same matches, deals and seats.
        """
        matches, seatings, players = self.seating.shape
        _, deals = self.dealers.shape
        full = (matches, seatings, deals, players)
        expected = {"seating": self.seating.shape, "dealers": (matches, deals)}
        for name in ARRAYS:
            array = getattr(self, name)
            if array.shape != expected.get(name, full) or array.dtype.kind not in "bi":
                raise ValueError(f"{name} is {array.dtype} of shape {array.shape}")

    def first(self, matches: int) -> "Tables":
        """The first so many matches."""
        return Tables(
            **{name: getattr(self, name)[:matches] for name in ARRAYS}, faults=self.faults
        )

    @property
    def matches(self) -> int:
        """M."""
        return len(self.seating)

    @property
    def match_penalties(self) -> npt.NDArray[np.int64]:
        """Sums over the deals of a match, int64 ``[M, S, P]``."""
        total: npt.NDArray[np.int64] = self.penalties.sum(axis=2, dtype=np.int64)
        return total

    def seats_of(self, agent: int) -> npt.NDArray[np.bool_]:
        """Where an agent sits, bool ``[M, S, 1, P]``, to broadcast over deals."""
        here: npt.NDArray[np.bool_] = (self.seating == agent)[:, :, None, :]
        return here


ARRAYS = tuple(entry.name for entry in fields(Tables) if entry.name != "faults")
"""Names of the arrays of :class:`Tables`."""


class Measured:
    """What an evaluation and a tournament both say of their tables."""

    agents: tuple[str, ...]
    tables: Tables

    @property
    def deals(self) -> int:
        """Distinct deals."""
        matches, _, deals, _ = self.tables.penalties.shape
        return int(matches * deals)

    @property
    def games(self) -> int:
        """Deals played: each distinct one in every seating."""
        return self.deals * int(self.tables.seating.shape[1])

    def faults(self) -> dict[str, str]:
        """The first fault of each agent that forfeited games, by its spec."""
        return {self.agents[number]: what for number, what in self.tables.faults.items()}

    def always_forfeited(self) -> list[str]:
        """Specs of the agents that forfeited every game they sat in: their figures are those of
        the worst penalty, not of any play."""
        forfeits = self.tables.forfeits
        return [
            self.agents[number]
            for number in self.tables.faults
            if forfeits[np.broadcast_to(self.tables.seats_of(number), forfeits.shape)].all()
        ]


@dataclass(frozen=True)
class Store:
    """A file that keeps what has been played, so that an interrupted run can go on.

    Attributes:
        path: the file, a NumPy archive; nothing in it is executed.
        identity: JSON values that say what is being played. A file of something else is refused.
    """

    path: Path
    identity: dict[str, Any]

    def load(self, fits: Callable[[Tables], bool]) -> Tables | None:
        """What has been played; None if there is no file yet.

        Args:
            fits: whether this run would play such tables.

        Raises:
            ValueError: if the file is damaged or holds something else.
        """
        if not self.path.exists():
            return None
        try:
            with self.path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
                document = json.loads(str(archive["document"]))
                tables = Tables(
                    **{name: archive[name] for name in ARRAYS},
                    faults={int(number): what for number, what in document["faults"].items()},
                )
                identity = dict(document["identity"])
            tables.check()
        except Exception:  # a ZIP file has many ways to be damaged, and as many errors
            raise self._damaged() from None
        for name, value in self.identity.items():
            if identity.get(name) != value:
                raise ValueError(
                    f"{str(self.path)!r} holds another run: its {name} is "
                    f"{json.dumps(identity.get(name))}, not {json.dumps(value)}"
                )
        if not fits(tables):
            raise self._damaged()
        return tables

    def _damaged(self) -> ValueError:
        return ValueError(f"{str(self.path)!r} is damaged, or not the file of an earlier run")

    def save(self, tables: Tables) -> None:
        """Writes what has been played under a temporary name, then renames it."""
        document = {"identity": self.identity, "faults": tables.faults}
        content = io.BytesIO()
        arrays = {name: getattr(tables, name) for name in ARRAYS}
        np.savez_compressed(content, document=np.array(json.dumps(document)), **arrays)
        with replacing(self.path) as temporary:
            temporary.write_bytes(content.getvalue())
