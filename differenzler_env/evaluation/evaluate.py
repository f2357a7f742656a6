"""Evaluation: how a hero does at a table of others, on duplicate deals."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..agents import Agent, as_agent, load_field
from ..agents.registry import RulesLike
from ..checks import typed_seed
from ..rule_text import get_rules
from ..rules import Rules
from .names import short_names
from .seatings import hero_seatings
from .session import (
    Progress,
    Session,
    check_limits,
    enough_matches,
    identity,
    store_at,
    whole_matches,
)
from .statistics import Estimate, bid_floor, normal_estimate, share_estimate, win_shares
from .tables import Measured, Tables


@dataclass(frozen=True)
class Evaluation(Measured):
    """The result of :func:`evaluate`.

    Attributes:
        hero: spec of the hero.
        field: specs of the others, P − 1 or more of a named field.
        rules: rules of the table.
        seed: seed of the deals.
        agents: specs of the different agents; ``tables.seating`` holds their numbers.
        tables: what happened; the hero sits in seat s in seating s.
        decisions_per_second: of all seats; None if nothing had to be played any more.
    """

    hero: str
    field: tuple[str, ...]
    rules: Rules
    seed: int
    agents: tuple[str, ...]
    tables: Tables
    decisions_per_second: float | None

    def __repr__(self) -> str:
        specs = list(dict.fromkeys((self.hero, *self.field)))
        names = dict(zip(specs, short_names(specs), strict=True))
        field = ", ".join(names[spec] for spec in dict.fromkeys(self.field))
        return (
            f"Evaluation({names[self.hero]} at a table of {field}: penalty {self.penalty()}, "
            f"theirs {self.field_penalty()}, difference {self.difference()}; "
            f"{self.deals} deals, seed {self.seed})"
        )

    def of_hero(self, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The hero's entries of a table array ``[M, S, D, P]``, as ``[M, D, S]``."""
        seats = np.arange(self.rules.players)
        return array[:, seats, :, seats].transpose(1, 2, 0)

    def deal_sums(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Penalties of hero and field on each deal, summed over its seatings, int64 ``[deals]``."""
        penalties = self.tables.penalties.astype(np.int64)
        hero = self.of_hero(penalties).sum(axis=2).ravel()
        everyone = penalties.sum(axis=(1, 3)).ravel()
        return hero, everyone - hero

    def penalty(self) -> Estimate:
        """The hero's mean penalty of a deal, with its interval over deals."""
        return normal_estimate(self.deal_sums()[0] / self.rules.players)

    def field_penalty(self) -> Estimate:
        """The mean penalty of the others at the same tables."""
        players = self.rules.players
        return normal_estimate(self.deal_sums()[1] / (players * (players - 1)))

    def difference(self) -> Estimate:
        """Hero − field, paired by deal: below zero where the hero is better."""
        return normal_estimate(self.deal_differences())

    def deal_differences(self) -> npt.NDArray[np.float64]:
        """Hero − field on each deal, float64 ``[deals]``; exactly 0 for copies."""
        hero, field = self.deal_sums()
        players = self.rules.players
        differences: npt.NDArray[np.float64] = (hero * (players - 1) - field) / (
            players * (players - 1)
        )
        return differences

    def win_share(self) -> Estimate:
        """The hero's share of matches won, ties shared, with its interval over matches.

        Among copies of itself it is known: 1/P, as nothing tells the seats of a match apart."""
        seats = np.arange(self.rules.players)
        if len(self.agents) == 1:
            fair = 1 / len(seats)
            return Estimate(fair, (fair, fair), self.tables.matches)
        shares = win_shares(self.tables.match_penalties)
        return share_estimate(shares[:, seats, seats].mean(axis=1))

    def exact_share(self) -> Estimate:
        """The share of the hero's bids hit exactly, with its interval over deals."""
        # A penalty above zero means a missed bid, a revoke or a forfeited game.
        hit = self.of_hero(self.tables.penalties) <= 0
        return share_estimate(hit.mean(axis=2).ravel())

    def floor(self) -> float | None:
        """Mean |total − Σ bids| / P: what no play could have saved; None where other settings than
        bid and points decide the penalty."""
        rules = self.rules
        if rules.stoeck or rules.exact_bonus or rules.revoke_penalty is not None:
            return None
        return float(bid_floor(self.tables.bids, self.tables.points).mean())

    def illegal(self) -> tuple[int, int]:
        """Games forfeited by the hero and by the field: deals in one seating each."""
        forfeits = self.tables.forfeits
        hero = int(self.of_hero(forfeits).sum())
        return hero, int(forfeits.sum()) - hero

    def to_json(self) -> dict[str, Any]:
        """The result as JSON values; all but ``decisions_per_second`` repeat with the seed."""
        hero_bids = self.of_hero(self.tables.bids)
        hero_points = self.of_hero(self.tables.points)
        illegal, field_illegal = self.illegal()
        return {
            "hero": self.hero,
            "field": list(self.field),
            "rules": self.rules.to_dict(),
            "seed": self.seed,
            "deals": self.deals,
            "games": self.games,
            "penalty": self.penalty().to_json(),
            "field_penalty": self.field_penalty().to_json(),
            "difference": self.difference().to_json(),
            "bid_mean": float(hero_bids.mean()),
            "points_mean": float(hero_points.mean()),
            "exact_share": self.exact_share().mean,
            "win_share": self.win_share().to_json(),
            "floor": self.floor(),
            "illegal": illegal,
            "field_illegal": field_illegal,
            "faults": self.faults(),
            "decisions_per_second": self.decisions_per_second,
        }


def evaluate(
    hero: str | Agent | Callable[..., int],
    field: str | Sequence[str | Agent],
    rules: RulesLike = None,
    deals: int = 1000,
    seed: int | None = None,
    workers: int | None = 1,
    progress: Progress | None = None,
    until_ci: float | None = None,
    resume: Path | str | None = None,
) -> Evaluation:
    """Plays whole matches on duplicate deals: each with the hero in every seat, the others
    following in an order that runs through all their orders, match by match.

    Args:
        hero: the agent measured.
        field: the P − 1 others, or one that fills the table, or a named field such as ``"@v0"``,
            whose agents take turns if there are more; their order does not matter.
        rules: a text such as ``"table?players=5"``, rules, or None for the default.
        deals: distinct deals, rounded up to whole matches.
        seed: of the deals and of the agents' draws; None draws one.
        workers: processes to play in, None for as many as are worth it; the numbers do not depend
            on it.
        progress: called with the number of matches played and to be played.
        until_ci: go on after ``deals`` until the 95 % intervals of penalty and difference are no
            wider than this, from end to end.
        resume: file that keeps what has been played; a run that finds it goes on from there. More
            deals may be asked for later.

    Raises:
        SpecError: for an agent that cannot be loaded, or a field that does not fit the table.
        ValueError: for other impossible arguments, and for a file of another run.
    """
    rules = get_rules(rules)
    seed = typed_seed(seed)
    matches = whole_matches(deals, rules)
    check_limits(workers, until_ci)
    champion = as_agent(hero, rules)
    others = load_field(field, rules, more=True)
    others = sorted(others, key=lambda agent: agent.spec)  # stable: the order given does not matter
    agents = distinct([champion, *others])
    numbers = [number_of(agents, agent) for agent in [champion, *others]]
    what = identity("evaluate", agents, rules, seed) | {"numbers": numbers}
    session = Session(
        agents,
        rules,
        seed,
        lambda first, count: hero_seatings(numbers, count, first, rules.players),
        workers=workers,
        progress=progress,
        store=store_at(resume, what),
    )

    def evaluation(tables: Tables) -> Evaluation:
        return Evaluation(
            hero=champion.spec,
            field=tuple(agent.spec for agent in others),
            rules=rules,
            seed=seed,
            agents=tuple(agent.spec for agent in agents),
            tables=tables,
            decisions_per_second=session.decisions_per_second(),
        )

    def wanted(tables: Tables) -> int:
        assert until_ci is not None
        so_far = evaluation(tables)
        width = 2 * max(so_far.penalty().half_width, so_far.difference().half_width)
        return enough_matches(tables.matches, width, until_ci)

    return evaluation(session.play(matches, None if until_ci is None else wanted))


def distinct(agents: Sequence[Agent]) -> list[Agent]:
    """The agents without doubles: those loaded from the same spec are one."""
    found: list[Agent] = []
    for agent in agents:
        if number_of(found, agent) < 0:
            found.append(agent)
    return found


def number_of(agents: Sequence[Agent], wanted: Agent) -> int:
    """The place of an agent, or of one from the same spec, in a list; −1 if it is not there."""
    for number, agent in enumerate(agents):
        same_spec = agent.from_spec and wanted.from_spec and agent.spec == wanted.spec
        if agent is wanted or same_spec:
            return number
    return -1
