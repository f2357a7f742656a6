"""Evaluation: the report of an evaluation, one HTML page. Needs matplotlib."""

from collections.abc import Callable
from typing import Any

from .details import QUANTILES, Details, details
from .evaluate import Evaluation
from .page import card, fault_notes, interval, minus, table_card, text, whole_page
from .plots import (
    bid_against_points,
    bid_sums,
    bids_lost,
    penalties_reached,
    penalty_by_bid,
    penalty_by_place,
    precision,
)
from .statistics import Estimate, bootstrap_estimate


def report_page(evaluation: Evaluation) -> str:
    """The report of an evaluation as one HTML page: no other file, no script, nothing from the net.

    Raises:
        ModuleNotFoundError: without matplotlib.
    """
    found = details(evaluation)
    field = ", ".join(evaluation.field)
    body = [
        f"<h1>{text(evaluation.hero)}</h1>",
        f"<p>at a table of {text(field)}: {evaluation.deals:,} deals, each played with the agent "
        f"in every seat ({evaluation.games:,} games), seed {evaluation.seed}</p>",
        _figures(evaluation, found),
        *fault_notes(evaluation.faults()),
        '<div class="cards">',
        *(card(title, draw(evaluation, found), meaning) for title, meaning, draw in PLOTS),
        table_card("By place at the table", _place_rows(found)),
        table_card("By size of the bid", _bid_rows(found), wide=True),
        table_card("Intervals checked", _interval_rows(evaluation), wide=True),
        "</div>",
    ]
    return whole_page(f"{evaluation.hero} at a table of {field}", body, evaluation.rules)


Plot = tuple[str, str, Callable[[Evaluation, Details], str]]
PLOTS: tuple[Plot, ...] = (
    (
        "Bids and points",
        "Each bid against the points then taken; darker is more often. The line is the median of "
        "the points, the band holds half of them.",
        bid_against_points,
    ),
    (
        "Penalties",
        "How many deals cost no more than so many points. Further up and left is better.",
        penalties_reached,
    ),
    ("By size of the bid", "Mean penalty of the agent's bids of each size.", penalty_by_bid),
    (
        "By place at the table",
        "Mean penalty by where the agent sits from the dealer; forehand leads the first trick.",
        penalty_by_place,
    ),
    (
        "When bids were lost",
        "After which trick the bid could no longer be hit exactly: too many points already, or too "
        "few left in the deal.",
        bids_lost,
    ),
    (
        "The bids of a table",
        "Their sum. Whatever it misses the points of the deal by, somebody pays however they play.",
        bid_sums,
    ),
    (
        "How precise this is",
        "The difference to the others, paired by deal, and its interval as deals were added.",
        precision,
    ),
)


def _figures(evaluation: Evaluation, found: Details) -> str:
    values = evaluation.to_json()
    floor = values["floor"]
    avoidable = "" if found.avoidable is None else f"{found.avoidable:.2f} above it at these tables"
    figures = [
        _figure("penalty a deal", evaluation.penalty(), ".2f"),
        _figure("penalty of the others", evaluation.field_penalty(), ".2f"),
        _figure("difference to the others", evaluation.difference(), "+.2f"),
        _figure("matches won", evaluation.win_share(), ".1%"),
        _figure("exact bids", evaluation.exact_share(), ".1%"),
        _plain(
            "mean bid", f"{values['bid_mean']:.1f}", f"{values['points_mean']:.1f} points taken"
        ),
        _plain("floor set by the bids", "–" if floor is None else f"{floor:.2f}", avoidable),
    ]
    if values["illegal"] or values["field_illegal"]:
        others = f"{values['field_illegal']} by the others"
        figures.append(_plain("games forfeited", str(values["illegal"]), others))
    return f'<div class="figures">{"".join(figures)}</div>'


def _figure(name: str, estimate: Estimate, form: str) -> str:
    return _plain(name, minus(format(estimate.mean, form)), interval(estimate, form))


def _plain(name: str, value: str, below: str) -> str:
    below = below or "&nbsp;"
    return f'<div class="figure"><span>{name}</span><b>{value}</b><span>{below}</span></div>'


def _place_rows(found: Details) -> list[list[Any]]:
    rows: list[list[Any]] = [["place", "penalty", "95 % interval", "bid", "points", "exact"]]
    for place in found.places:
        rows.append(
            [
                place.name,
                f"{place.penalty.mean:.2f}",
                interval(place.penalty),
                f"{place.bid:.1f}",
                f"{place.points:.1f}",
                f"{place.exact:.1%}",
            ]
        )
    return rows


def _bid_rows(found: Details) -> list[list[Any]]:
    quantiles = [f"points {quantile} %" for quantile in QUANTILES]
    rows: list[list[Any]] = [
        ["bid", "how often", "penalty", "95 % interval", "points − bid", "exact", *quantiles]
    ]
    total = sum(size.count for size in found.bid_sizes)
    for size in found.bid_sizes:
        rows.append(
            [
                size.name,
                f"{size.count / total:.1%}",
                f"{size.penalty.mean:.2f}",
                interval(size.penalty),
                minus(f"{size.excess.mean:+.2f}"),
                f"{size.exact:.1%}",
                *(f"{value:.0f}" for value in size.quantiles),
            ]
        )
    return rows


def _interval_rows(evaluation: Evaluation) -> list[list[Any]]:
    """The normal formula beside the bootstrap."""
    players = evaluation.rules.players
    hero, others = evaluation.deal_sums()
    values = (hero / players, others / (players * (players - 1)), evaluation.deal_differences())
    estimates = (evaluation.penalty(), evaluation.field_penalty(), evaluation.difference())
    rows: list[list[Any]] = [["figure", "mean", "normal formula", "bootstrap over deals"]]
    names = ("penalty", "penalty of the others", "difference")
    for name, estimate, sample in zip(names, estimates, values, strict=True):
        bootstrap = bootstrap_estimate(sample)
        rows.append([name, minus(f"{estimate.mean:.3f}"), *map(_fine, (estimate, bootstrap))])
    return rows


def _fine(estimate: Estimate) -> str:
    return interval(estimate, ".3f")
