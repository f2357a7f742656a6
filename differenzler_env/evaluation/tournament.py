"""Evaluation: tournaments, several agents against each other on the same deals.

Two ways to fill a table:

* ``mixed``: different agents at each table, every deal played by all of them equally often and in
  every seat. This is the ladder: mean penalty, win share, rating, and who pays less than whom.
* ``copies``: one agent at a table of copies of another, for all ordered pairs, and of itself. This
  is the cross-play matrix: what an agent loses among strangers.

Nothing depends on the order in which the agents are named.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..agents import Agent
from ..agents.registry import RulesLike, share_agents
from ..checks import one_of, typed_seed
from ..rule_text import get_rules
from ..rules import Rules
from .evaluate import distinct
from .names import short_names
from .seatings import copies_seatings, mixed_seatings
from .session import (
    Progress,
    Session,
    check_limits,
    enough_matches,
    identity,
    store_at,
    whole_matches,
)
from .statistics import Estimate, normal_estimate, rating_estimates, share_estimate, win_shares
from .tables import Measured, Tables

TABLES = ("mixed", "copies")

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Standing(Measured):
    """The result of :func:`tournament`. Methods take the number of an agent: its place in
    ``agents``.

    Attributes:
        agents: specs of the N agents, in the order given.
        filled: ``"mixed"`` or ``"copies"``.
        rules: rules of the tables.
        seed: seed of the deals.
        tables: what happened; ``tables.seating`` holds places in ``agents``.
        decisions_per_second: of all seats; None if nothing had to be played any more.
    """

    agents: tuple[str, ...]
    filled: str
    rules: Rules
    seed: int
    tables: Tables
    decisions_per_second: float | None

    def __repr__(self) -> str:
        names = short_names(self.agents)
        places = [
            f"{rank}. {names[agent]} {self.penalty(agent)}"
            for rank, agent in enumerate(self.ranking(), 1)
        ]
        return (
            f"Standing({', '.join(places)}; {self.filled} tables, {self.deals} deals, "
            f"seed {self.seed})"
        )

    def _deal_means(self, array: npt.NDArray[Any], where: npt.NDArray[np.bool_]) -> Floats:
        """Means of a table array ``[M, S, D, P]`` over the seats in ``where`` (``[M, S, P]``) of
        each deal, float64 ``[M, D]``; NaN where there is none."""
        sums = np.einsum("msdp,msp->md", array.astype(np.int64), where.astype(np.int64))
        counts = where.sum(axis=(1, 2))[:, None]
        means: Floats = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
        return means

    def _seats(self, agent: int) -> npt.NDArray[np.bool_]:
        """The seats of an agent that count for its own figures, bool ``[M, S, P]``: all of them at
        mixed tables, those among strangers where tables are filled with copies."""
        here: npt.NDArray[np.bool_] = self.tables.seating == agent
        return np.logical_and(here, _alone(here)) if self.filled == "copies" else here

    def penalty(self, agent: int) -> Estimate:
        """Mean penalty of a deal (at tables of copies: among strangers)."""
        return self._estimate(self._seats(agent))

    def _estimate(self, where: npt.NDArray[np.bool_]) -> Estimate:
        return _over_deals(self._deal_means(self.tables.penalties, where))

    def cross(self, row: int, column: int) -> Estimate:
        """A cell of the cross table.

        Mixed tables: penalty of the row's agent less that of the column's where both sit, paired by
        deal. Copies: penalty of the row's agent at a table of the column's agent.
        """
        cell = self._difference if self.filled == "mixed" else self._guest
        return cell(row, column)

    def beside(self, row: int, column: int) -> Estimate:
        """Mean penalty of one agent at the tables where another sits too."""
        return self._estimate((self.tables.seating == row) & self._both(row, column))

    def _both(self, row: int, column: int) -> npt.NDArray[np.bool_]:
        """Tables where both agents sit, bool ``[M, S, 1]``."""
        seating = self.tables.seating
        both: npt.NDArray[np.bool_] = (seating == row).any(axis=2) & (seating == column).any(axis=2)
        return both[:, :, None]

    def _difference(self, row: int, column: int) -> Estimate:
        seating = self.tables.seating
        ours, theirs = seating == row, seating == column
        both = self._both(row, column)
        penalties = self.tables.penalties
        return _over_deals(
            self._deal_means(penalties, ours & both) - self._deal_means(penalties, theirs & both)
        )

    def _guest(self, row: int, column: int) -> Estimate:
        seating = self.tables.seating
        guests = seating == row
        if row == column:
            return self._estimate(guests & guests.all(axis=2, keepdims=True))
        hosts = (seating == column).any(axis=2, keepdims=True)
        return self._estimate(guests & hosts & _alone(guests))

    def gap(self, agent: int) -> Estimate:
        """Tables of copies: what an agent pays among strangers more than among its own, paired by
        deal; of no deals at mixed tables."""
        here = self.tables.seating == agent
        own = here & here.all(axis=2, keepdims=True)
        penalties = self.tables.penalties
        abroad = self._deal_means(penalties, self._seats(agent))
        return _over_deals(abroad - self._deal_means(penalties, own))

    def win_share(self, agent: int) -> Estimate:
        """Share of whole matches won, ties shared, over matches; a fair share is 1/P."""
        where = self._seats(agent)
        shares = win_shares(self.tables.match_penalties) * where
        return share_estimate(shares.sum(axis=(1, 2)) / where.sum(axis=(1, 2)))

    def rating(self, agent: int) -> Estimate:
        """Rating among the others: see :func:`~.statistics.rating_estimates`."""
        return self._ratings[agent]

    @cached_property
    def _ratings(self) -> list[Estimate]:
        """All ratings, which hang together."""
        return rating_estimates(self._wins())

    def _wins(self) -> Floats:
        """How often each agent came out ahead of each other, ties half, ``[M, N, N]``."""
        sums, seating = self.tables.match_penalties, self.tables.seating
        count = len(self.agents)
        wins = np.zeros((len(sums), count, count))
        match = np.arange(len(sums))[:, None]
        for one in range(self.rules.players):
            for other in range(self.rules.players):
                ahead = (sums[..., one] < sums[..., other]) + 0.5 * (
                    sums[..., one] == sums[..., other]
                )
                np.add.at(wins, (match, seating[..., one], seating[..., other]), ahead)
        wins[:, np.arange(count), np.arange(count)] = 0
        return wins

    def exact_share(self, agent: int) -> float:
        """Share of exactly hit bids."""
        exact = self._deal_means(self.tables.penalties <= 0, self._seats(agent))
        return float(exact.mean())

    def bid_mean(self, agent: int) -> float:
        """Mean bid."""
        return float(self._deal_means(self.tables.bids, self._seats(agent)).mean())

    def points_mean(self, agent: int) -> float:
        """Mean of the points taken."""
        return float(self._deal_means(self.tables.points, self._seats(agent)).mean())

    def illegal(self, agent: int) -> int:
        """Games that an agent forfeited: deals in one seating each, all its seats counted."""
        return int((self.tables.forfeits & self.tables.seats_of(agent)).sum())

    def ranking(self) -> list[int]:
        """Places in ``agents``, the lowest penalty first."""
        return sorted(range(len(self.agents)), key=lambda agent: self.penalty(agent).mean)

    def to_json(self) -> dict[str, Any]:
        """The result as JSON values; all but ``decisions_per_second`` repeat with the seed."""
        count = range(len(self.agents))
        document: dict[str, Any] = {
            "agents": list(self.agents),
            "tables": self.filled,
            "rules": self.rules.to_dict(),
            "seed": self.seed,
            "deals": self.deals,
            "games": self.games,
            "ranking": [self.agents[agent] for agent in self.ranking()],
            "penalty": [self.penalty(agent).to_json() for agent in count],
            "win_share": [self.win_share(agent).to_json() for agent in count],
            "rating": [self.rating(agent).to_json() for agent in count],
            "bid_mean": [self.bid_mean(agent) for agent in count],
            "points_mean": [self.points_mean(agent) for agent in count],
            "exact_share": [self.exact_share(agent) for agent in count],
            "illegal": [self.illegal(agent) for agent in count],
            "faults": self.faults(),
            "cross": [[self.cross(row, column).to_json() for column in count] for row in count],
            "decisions_per_second": self.decisions_per_second,
        }
        if self.filled == "copies":
            document["gap"] = [self.gap(agent).to_json() for agent in count]
        return document


def tournament(
    agents: Sequence[str | Agent],
    rules: RulesLike = None,
    deals: int = 500,
    seed: int | None = None,
    workers: int | None = 1,
    tables: str = "mixed",
    progress: Progress | None = None,
    until_ci: float | None = None,
    resume: Path | str | None = None,
) -> Standing:
    """Plays a tournament of whole matches on duplicate deals.

    Args:
        agents: two or more different agents.
        rules: a text such as ``"table?players=5"``, rules, or None for the default.
        deals: distinct deals, rounded up to whole matches; each is played at many tables.
        seed: of the deals and of the agents' draws; None draws one.
        workers: processes, None for as many as are worth it; the numbers do not depend on it.
        tables: ``"mixed"`` or ``"copies"``, as above.
        progress: called with the number of matches played and to be played.
        until_ci: go on after ``deals`` until the 95 % intervals of all agents' penalties are no
            wider than this, from end to end.
        resume: file that keeps what has been played; a run that finds it goes on from there.

    Raises:
        SpecError: for an agent that cannot be loaded.
        ValueError: for other impossible arguments, and for a file of another run.
    """
    rules = get_rules(rules)
    seed = typed_seed(seed)
    matches = whole_matches(deals, rules)
    one_of("tables", tables, TABLES)
    check_limits(workers, until_ci)
    loaded = share_agents(agents, rules)
    if len(loaded) < 2:
        raise ValueError(f"a tournament needs two agents or more, not {len(loaded)}")
    if len(distinct(loaded)) < len(loaded):
        twice = next(a.spec for a in loaded if [b.spec for b in loaded].count(a.spec) > 1)
        raise ValueError(f"agent {twice!r} is named twice; a tournament needs different agents")
    # Tables are made up for the agents sorted by name, so that their order does not matter.
    ranks = sorted(range(len(loaded)), key=lambda agent: loaded[agent].spec)
    make_up = mixed_seatings if tables == "mixed" else copies_seatings

    def seatings(first: int, count: int) -> npt.NDArray[np.int16]:
        return np.array(ranks, np.int16)[make_up(len(loaded), rules.players, count, first)]

    session = Session(
        loaded,
        rules,
        seed,
        seatings,
        workers=workers,
        progress=progress,
        store=store_at(resume, identity(f"tournament, {tables} tables", loaded, rules, seed)),
    )

    def standing(played: Tables) -> Standing:
        return Standing(
            agents=tuple(agent.spec for agent in loaded),
            filled=tables,
            rules=rules,
            seed=seed,
            tables=played,
            decisions_per_second=session.decisions_per_second(),
        )

    def wanted(played: Tables) -> int:
        assert until_ci is not None
        so_far = standing(played)
        width = 2 * max(so_far.penalty(agent).half_width for agent in range(len(loaded)))
        return enough_matches(played.matches, width, until_ci)

    return standing(session.play(matches, None if until_ci is None else wanted))


def _alone(here: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Where an agent is the only one of its kind at the table, bool ``[M, S, 1]``."""
    alone: npt.NDArray[np.bool_] = here.sum(axis=2, keepdims=True) == 1
    return alone


def _over_deals(values: Floats) -> Estimate:
    """Estimate over the deals ``[M, D]`` that have a value."""
    known = values[~np.isnan(values)]
    return normal_estimate(known)
