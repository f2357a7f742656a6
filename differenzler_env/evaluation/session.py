"""Evaluation: a session plays matches until there are enough, keeping what has been played."""

import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np

from .. import __version__
from ..agents import Agent
from ..agents.registry import find_file
from ..checks import is_integer
from ..rules import Rules
from ..specs import split_spec
from .duplicate import CHUNK, play_matches
from .tables import Integers, Store, Tables

Progress = Callable[[int, int], None]
"""Called with the number of matches played so far and the number to be played."""

MAX_DEALS = 10_000_000
"""Distinct deals of a run. What happens at the tables is kept: so many take over a gigabyte."""

SAVE_EVERY = 10.0
"""Seconds between saves of what has been played."""


@dataclass
class Session:
    """Plays the matches of an evaluation or tournament.

    Attributes:
        agents: the players.
        rules: rules of all matches.
        seed: with the number of a match, the key of its deals.
        seatings: gives the seatings int ``[count, S, P]`` of matches first … first + count − 1.
        workers: processes, None for as many as are worth it; the numbers do not depend on it.
        progress: called as matches are played.
        store: keeps what has been played; None keeps nothing.
    """

    agents: Sequence[Agent]
    rules: Rules
    seed: int
    seatings: Callable[[int, int], Integers]
    workers: int | None = 1
    progress: Progress | None = None
    store: Store | None = None

    seconds: float = 0.0
    """Time spent playing."""
    fresh: int = 0
    """Matches played in this session, not read from the store."""

    def play(self, matches: int, wanted: Callable[[Tables], int] | None = None) -> Tables:
        """The tables of the first so many matches, or of more.

        Args:
            matches: how many.
            wanted: asked after that for the number of matches that will be enough; play ends when
                it names no more than there are.
        """
        played = self.store.load(self._fits) if self.store is not None else None
        while True:
            if played is None or played.matches < matches:
                played = self._play_on(played, matches)
            tables = played.first(matches)
            more = matches if wanted is None else wanted(tables)
            if more <= matches:
                return tables
            matches = more

    def _fits(self, tables: Tables) -> bool:
        """Whether this session would play such tables: its agents where they would sit, in matches
        as long."""
        return (
            np.array_equal(tables.seating, self.seatings(0, tables.matches))
            and tables.dealers.shape[1] == self.rules.deals
            and set(tables.faults) <= set(range(len(self.agents)))
        )

    def _play_on(self, played: Tables | None, matches: int) -> Tables:
        parts = [] if played is None else [played]
        done = sum(part.matches for part in parts)
        self._report(done, matches)
        begun = saved = time.perf_counter()
        try:
            for part in play_matches(
                self.agents,
                self.rules,
                self.seed,
                self.seatings(done, matches - done),
                first_match=done,
                workers=self.workers,
            ):
                parts.append(part)
                done += part.matches
                self.fresh += part.matches
                self._report(done, matches)
                if self.store is not None and time.perf_counter() - saved > SAVE_EVERY:
                    parts = [Tables.joined(parts)]
                    self.store.save(parts[0])
                    saved = time.perf_counter()
        finally:
            self.seconds += time.perf_counter() - begun
            if self.store is not None and parts:
                self.store.save(Tables.joined(parts))
        return Tables.joined(parts)

    def _report(self, done: int, matches: int) -> None:
        if self.progress is not None:
            self.progress(done, matches)

    def decisions_per_second(self) -> float | None:
        """Decisions of all seats in this session; None if all was read from the store."""
        if not self.fresh:
            return None
        seatings, players = self.seatings(0, 1).shape[1:]
        each = self.rules.deals * players * (1 + self.rules.tricks)
        return round(float(self.fresh * seatings * each / max(self.seconds, 1e-9)), 1)


def check_limits(workers: int | None, until_ci: float | None) -> None:
    """Before the work is done: these can be.

    Raises:
        ValueError: unless ``workers`` is 1 or more and ``until_ci`` above 0, or None.
    """
    if until_ci is not None and not (isinstance(until_ci, Real) and until_ci > 0):
        raise ValueError(f"until_ci is {until_ci!r}; allowed: a number above 0")
    if workers is not None and not (is_integer(workers) and workers >= 1):
        raise ValueError(f"workers is {workers!r}; allowed: 1 or more")


def whole_matches(deals: int, rules: Rules) -> int:
    """How many matches hold at least so many deals.

    Raises:
        ValueError: unless ``deals`` is a whole number from 1 to :data:`MAX_DEALS`.
    """
    if not is_integer(deals) or not 1 <= deals <= MAX_DEALS:
        raise ValueError(f"deals is {deals!r}; allowed: 1 to {MAX_DEALS:,}")
    return -(-int(deals) // rules.deals)


def enough_matches(matches: int, width: float, wanted: float) -> int:
    """How many matches will make an interval as narrow as wanted, given its width after some.

    Intervals narrow with the square root; early widths are uncertain, so at most four times as
    many matches are played before looking again. Whole chunks, to waste nothing.
    """
    if width <= wanted:
        return matches
    needed = matches * min(4.0, 1.02 * (width / wanted) ** 2)
    return max(matches + 1, -(-int(needed) // CHUNK) * CHUNK)


def identity(kind: str, agents: Sequence[Agent], rules: Rules, seed: int) -> dict[str, Any]:
    """What a run is, for its :class:`~.tables.Store`: another run must not go on from its file."""
    return {
        "format": 1,
        "kind": kind,
        "version": __version__,
        "rules": rules.to_dict(),
        "seed": seed,
        "agents": [agent.spec for agent in agents],
        "files": [_digest(agent.spec) for agent in agents],
    }


def _digest(spec: str) -> str | None:
    """SHA-256 of a checkpoint, as the file behind a name may change; None for other agents."""
    name, options = split_spec(spec) if spec else ("", {})
    name = options.get("policy", name)  # of search
    if not name.endswith(".safetensors"):
        return None
    return hashlib.sha256(find_file(name).read_bytes()).hexdigest()


def store_at(path: Path | str | None, what: dict[str, Any]) -> Store | None:
    """The store of a run, None without a path."""
    return None if path is None else Store(Path(path), what)
