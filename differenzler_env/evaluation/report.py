"""Evaluation: the report, one HTML page with everything in it. Needs matplotlib."""

import html
from collections.abc import Callable
from typing import Any

from .. import __version__
from .details import QUANTILES, Details, details
from .evaluate import Evaluation
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

STYLE = """
:root { --ink: #1d2a26; --soft: #5d6b66; --line: #d9dfdc; --green: #1b6b4a; --paper: #f6f7f4; }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
main { max-width: 1180px; margin: 0 auto; padding: 32px 24px 64px; }
h1 { font-size: 28px; margin: 0 0 4px; overflow-wrap: anywhere; }
h2 { font-size: 17px; margin: 0 0 4px; }
p { margin: 0 0 8px; color: var(--soft); }
.figures { display: grid; gap: 16px; margin: 24px 0;
  grid-template-columns: repeat(auto-fit, minmax(140px, 1fr)); }
.figure, .card { background: #fff; border: 1px solid var(--line); border-radius: 10px; }
.figure { padding: 14px 16px; }
.figure b { display: block; font-size: 24px; line-height: 1.25; color: var(--green); }
.figure span { color: var(--soft); font-size: 14px; display: block; }
.cards { display: grid; gap: 20px; grid-template-columns: repeat(auto-fit, minmax(480px, 1fr)); }
.card { padding: 18px 20px; min-width: 0; overflow-x: auto; }
.card svg { width: 100%; height: auto; display: block; }
.wide { grid-column: 1 / -1; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: 5px 10px; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 600; font-size: 14px; }
td { white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
.fault { color: #a3261b; }
footer { margin-top: 32px; color: var(--soft); font-size: 14px; }
@media (max-width: 560px) { .cards { grid-template-columns: 1fr; } }
"""


def report_page(evaluation: Evaluation) -> str:
    """The report of an evaluation as one HTML page: no other file, no script, nothing from the net.

    Raises:
        ModuleNotFoundError: without matplotlib.
    """
    what = details(evaluation)
    field = ", ".join(evaluation.field)
    title = f"{evaluation.hero} at a table of {field}"
    body = [
        f"<h1>{_text(evaluation.hero)}</h1>",
        f"<p>at a table of {_text(field)}: {evaluation.deals:,} deals, each played with the agent "
        f"in every seat ({evaluation.games:,} games), seed {evaluation.seed}</p>",
        _figures(evaluation, what),
        *(
            f'<p class="fault">{_text(name)} forfeited deals: it {_text(reason)}</p>'
            for name, reason in evaluation.faults().items()
        ),
        '<div class="cards">',
        *(_card(*plot, evaluation, what) for plot in PLOTS),
        _table_card("By place at the table", _place_rows(what)),
        _table_card("By size of the bid", _bid_rows(what), wide=True),
        _table_card("Intervals checked", _interval_rows(evaluation), wide=True),
        "</div>",
        f"<footer>Intervals hold 95 % and are over deals, matches won over matches. Rules: "
        f"{_text(repr(evaluation.rules))}. differenzler-env {__version__}.</footer>",
    ]
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_text(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(body)
        + "\n</main>\n</body>\n</html>\n"
    )


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
        "Their sum. What it misses the points of the deal by, somebody pays, however all play.",
        bid_sums,
    ),
    (
        "How precise this is",
        "The difference to the others, paired by deal, and its interval as deals were added.",
        precision,
    ),
)


def _text(text: str) -> str:
    return html.escape(text)


def _figures(evaluation: Evaluation, what: Details) -> str:
    values = evaluation.to_json()
    floor = values["floor"]
    avoidable = "" if what.avoidable is None else f"{what.avoidable:.2f} above it at these tables"
    figures = [
        _figure("penalty a deal", evaluation.penalty(), ".2f"),
        _figure("penalty of the others", evaluation.field_penalty(), ".2f"),
        _figure("difference to the others", evaluation.difference(), "+.2f"),
        _figure("matches won", evaluation.win_share(), ".1%"),
        _plain("exact bids", f"{values['exact_share']:.1%}", ""),
        _plain(
            "mean bid", f"{values['bid_mean']:.1f}", f"{values['points_mean']:.1f} points taken"
        ),
        _plain("floor set by the bids", "–" if floor is None else f"{floor:.2f}", avoidable),
    ]
    if values["illegal"] or values["field_illegal"]:
        others = f"{values['field_illegal']} by the others"
        figures.append(_plain("deals forfeited", str(values["illegal"]), others))
    return f'<div class="figures">{"".join(figures)}</div>'


def _figure(name: str, estimate: Estimate, form: str) -> str:
    return _plain(name, _minus(format(estimate.mean, form)), _interval(estimate, form))


def _plain(name: str, value: str, below: str) -> str:
    below = below or "&nbsp;"
    return f'<div class="figure"><span>{name}</span><b>{value}</b><span>{below}</span></div>'


def _interval(estimate: Estimate, form: str = ".2f") -> str:
    if estimate.ci95 is None:
        return ""
    low, high = estimate.ci95
    return _minus(f"{low:{form}} … {high:{form}}")


def _minus(number: str) -> str:
    """A number with a minus sign in place of the hyphen."""
    return number.replace("-", "−")


def _card(
    title: str,
    meaning: str,
    draw: Callable[[Evaluation, Details], str],
    evaluation: Evaluation,
    what: Details,
) -> str:
    return (
        f'<section class="card"><h2>{title}</h2><p>{meaning}</p>{draw(evaluation, what)}</section>'
    )


def _table_card(title: str, rows: list[list[Any]], wide: bool = False) -> str:
    head, *body = rows
    cells = "".join(f"<th>{_text(str(cell))}</th>" for cell in head)
    lines = "".join(
        "<tr>" + "".join(f"<td>{_text(str(cell))}</td>" for cell in row) + "</tr>" for row in body
    )
    kind = "card wide" if wide else "card"
    return (
        f'<section class="{kind}"><h2>{title}</h2><table><thead><tr>{cells}</tr></thead>'
        f"<tbody>{lines}</tbody></table></section>"
    )


def _place_rows(what: Details) -> list[list[Any]]:
    rows: list[list[Any]] = [["place", "penalty", "95 % interval", "bid", "points", "exact"]]
    for place in what.places:
        rows.append(
            [
                place.name,
                f"{place.penalty.mean:.2f}",
                _interval(place.penalty),
                f"{place.bid:.1f}",
                f"{place.points:.1f}",
                f"{place.exact:.1%}",
            ]
        )
    return rows


def _bid_rows(what: Details) -> list[list[Any]]:
    quantiles = [f"points {quantile} %" for quantile in QUANTILES]
    rows: list[list[Any]] = [
        ["bid", "how often", "penalty", "95 % interval", "points − bid", "exact", *quantiles]
    ]
    total = sum(size.count for size in what.bid_sizes)
    for size in what.bid_sizes:
        rows.append(
            [
                size.name,
                f"{size.count / total:.1%}",
                f"{size.penalty.mean:.2f}",
                _interval(size.penalty),
                _minus(f"{size.excess.mean:+.2f}"),
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
        rows.append([name, _minus(f"{estimate.mean:.3f}"), *map(_fine, (estimate, bootstrap))])
    return rows


def _fine(estimate: Estimate) -> str:
    return _interval(estimate, ".3f")
