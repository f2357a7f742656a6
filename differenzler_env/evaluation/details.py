"""Evaluation: what happened at the table. Where the hero sat, how much it bid, how the bids of a
table fit together, and when bids were lost."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..cards import MAX_POINTS
from .evaluate import Evaluation
from .statistics import Estimate, normal_estimate, ratio_estimate

QUANTILES = (10, 25, 50, 75, 90)
"""Per cent of the points taken, in :class:`BidSize`."""
SMALLEST = (0, 1, 11, 21, 31, 41, 51, 61, 81)
"""Smallest bid of each group of bids; the largest is the highest bid there is."""

Integers = npt.NDArray[np.integer[Any]]


@dataclass(frozen=True)
class PlaceFigures:
    """The hero's deals in one place at the table; each deal is played in all of them.

    Attributes:
        name: ``"forehand"`` (leads), …, ``"dealer"``.
        penalty: mean penalty over deals.
        bid, points: means.
        exact: share of exact bids.
    """

    name: str
    penalty: Estimate
    bid: float
    points: float
    exact: float


@dataclass(frozen=True)
class BidSize:
    """The hero's bids of one size.

    Attributes:
        low, high: the bids of this group.
        count: how many there were.
        penalty: mean penalty.
        excess: mean of points − bid: above zero, more was taken than bid.
        quantiles: of the points taken, at :data:`QUANTILES` per cent.
        exact: share of exact bids.
    """

    low: int
    high: int
    count: int
    penalty: Estimate
    excess: Estimate
    quantiles: tuple[float, ...]
    exact: float

    @property
    def name(self) -> str:
        """The group as text, such as ``"11–20"``."""
        return str(self.low) if self.low == self.high else f"{self.low}–{self.high}"


@dataclass(frozen=True)
class Details:
    """What happened at the tables of an evaluation.

    Attributes:
        places: from forehand to dealer.
        bid_sizes: groups of bids that came up, from small to large.
        bid_sum: mean of the sum of the bids of a table.
        bid_sum_deviation: its standard deviation.
        table_penalty: mean penalty of all seats.
        avoidable: ``table_penalty`` above the floor that the bids set; None where there is none.
        out_of_reach: share of the hero's bids lost after each trick, ``[0]`` those hit exactly;
            None with Stöck, which can bring a bid back.
        field_out_of_reach: the same for the others.
    """

    places: tuple[PlaceFigures, ...]
    bid_sizes: tuple[BidSize, ...]
    bid_sum: float
    bid_sum_deviation: float
    table_penalty: float
    avoidable: float | None
    out_of_reach: tuple[float, ...] | None
    field_out_of_reach: tuple[float, ...] | None

    def to_json(self) -> dict[str, Any]:
        """All of it as JSON values."""
        return {
            "places": [
                {
                    "place": place.name,
                    "penalty": place.penalty.to_json(),
                    "bid_mean": place.bid,
                    "points_mean": place.points,
                    "exact_share": place.exact,
                }
                for place in self.places
            ],
            "bid_sizes": [
                {
                    "low": size.low,
                    "high": size.high,
                    "count": size.count,
                    "penalty": size.penalty.to_json(),
                    "excess": size.excess.to_json(),
                    "points_quantiles": dict(zip(map(str, QUANTILES), size.quantiles, strict=True)),
                    "exact_share": size.exact,
                }
                for size in self.bid_sizes
            ],
            "bid_sum": {"mean": self.bid_sum, "standard_deviation": self.bid_sum_deviation},
            "table_penalty": self.table_penalty,
            "avoidable": self.avoidable,
            "out_of_reach": self.out_of_reach and list(self.out_of_reach),
            "field_out_of_reach": self.field_out_of_reach and list(self.field_out_of_reach),
        }


def details(evaluation: Evaluation) -> Details:
    """What happened at the tables of an evaluation."""
    tables, floor = evaluation.tables, evaluation.floor()
    sums = tables.bids.sum(axis=-1, dtype=np.int64)
    table_penalty = float(tables.penalties.mean())
    hero_lost, field_lost = _bids_lost(evaluation)
    known = not evaluation.rules.stoeck
    return Details(
        places=tuple(_places(evaluation)),
        bid_sizes=tuple(_bid_sizes(evaluation)),
        bid_sum=float(sums.mean()),
        bid_sum_deviation=float(sums.std()),
        table_penalty=table_penalty,
        avoidable=None if floor is None else table_penalty - floor,
        out_of_reach=_shares(hero_lost) if known else None,
        field_out_of_reach=_shares(field_lost) if known else None,
    )


def _bids_lost(evaluation: Evaluation) -> tuple[Integers, Integers]:
    """How many bids of hero and field were lost after each trick, ``[tricks + 1]`` each."""
    lost, tricks = evaluation.tables.out_of_reach, evaluation.rules.tricks
    hero = np.bincount(evaluation.of_hero(lost).ravel(), minlength=tricks + 1)
    return hero, np.bincount(lost.ravel(), minlength=tricks + 1) - hero


def _shares(counts: Integers) -> tuple[float, ...]:
    return tuple((counts / counts.sum()).tolist())


def place_names(players: int) -> list[str]:
    """Names of the places at a table, from the first to lead to the dealer."""
    middle = ["second", "third", "fourth"][: players - 2]
    return ["forehand", *middle, "dealer"]


def _places(evaluation: Evaluation) -> list[PlaceFigures]:
    players = evaluation.rules.players
    tables = evaluation.tables
    # In seating s the hero sits in seat s: [M, D, S] turned to places counted from forehand.
    forehand = (tables.dealers.astype(np.int64) + 1)[:, :, None]
    seats = (forehand + np.arange(players)) % players

    def in_places(array: Integers) -> Integers:
        return np.take_along_axis(evaluation.of_hero(array), seats, axis=2)

    bids, points = in_places(tables.bids), in_places(tables.points)
    penalties = in_places(tables.penalties)
    return [
        PlaceFigures(
            name=name,
            penalty=normal_estimate(penalties[:, :, place].ravel()),
            bid=float(bids[:, :, place].mean()),
            points=float(points[:, :, place].mean()),
            exact=float((penalties[:, :, place] <= 0).mean()),
        )
        for place, name in enumerate(place_names(players))
    ]


def _bid_sizes(evaluation: Evaluation) -> list[BidSize]:
    tables, players = evaluation.tables, evaluation.rules.players
    bids, points, penalties = (
        evaluation.of_hero(array).reshape(-1, players).astype(np.int64)
        for array in (tables.bids, tables.points, tables.penalties)
    )
    sizes = []
    highs = [*(low - 1 for low in SMALLEST[1:]), MAX_POINTS]
    for low, high in zip(SMALLEST, highs, strict=True):
        here = (bids >= low) & (bids <= high)
        if not here.any():
            continue
        counts = here.sum(axis=1)
        sizes.append(
            BidSize(
                low=low,
                high=high,
                count=int(counts.sum()),
                penalty=ratio_estimate((penalties * here).sum(axis=1), counts),
                excess=ratio_estimate(((points - bids) * here).sum(axis=1), counts),
                quantiles=tuple(np.percentile(points[here], QUANTILES).tolist()),
                exact=float((penalties[here] <= 0).mean()),
            )
        )
    return sizes
