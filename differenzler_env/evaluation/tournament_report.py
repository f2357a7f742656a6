"""Evaluation: the report of a tournament, one HTML page. Needs matplotlib."""

from typing import Any

from .names import legend, short_names
from .page import card, fault_notes, interval, minus, table_card, text, whole_page
from .plots import ladder
from .statistics import Estimate
from .tournament import Standing

PENALTY = "Mean penalty of a deal with its interval; the lower the better."
RATING = (
    "Bradley–Terry on the Elo scale: how often an agent ends a match ahead of another at its "
    "table. 400 points are odds of ten to one; the mean is 0."
)
CROSS = {
    "mixed": "Penalty of the row’s agent less that of the column’s where both sit. Below zero the "
    "row is better.",
    "copies": "Penalty of the row’s agent as a guest at a table of the column’s; in its own column "
    "among its own. Loss abroad: what it pays among strangers more than among its own.",
}


def tournament_page(standing: Standing) -> str:
    """The report of a tournament as one HTML page: no other file, no script, nothing from the net.

    Raises:
        ModuleNotFoundError: without matplotlib.
    """
    names, order = short_names(standing.agents), standing.ranking()
    shown = [names[agent] for agent in order]
    tables = "mixed tables" if standing.filled == "mixed" else "tables of copies"
    body = [
        "<h1>Tournament</h1>",
        f"<p>{len(names)} agents at {tables}: {standing.deals:,} deals ({standing.games:,} games), "
        f"seed {standing.seed}</p>",
        *(f"<p>{text(line)}</p>" for line in legend(standing.agents, names)),
        *fault_notes(standing.faults()),
        '<div class="cards">',
        table_card("Ranking", _ranking_rows(standing, names), wide=True),
        card("Penalty", ladder(shown, [standing.penalty(a) for a in order], "penalty"), PENALTY),
        card("Rating", ladder(shown, [standing.rating(a) for a in order], "rating"), RATING),
        table_card(
            "Cross table", _cross_rows(standing, names), wide=True, meaning=CROSS[standing.filled]
        ),
        "</div>",
    ]
    return whole_page(f"Tournament of {', '.join(names)}", body, standing.rules)


def _ranking_rows(standing: Standing, names: list[str]) -> list[list[Any]]:
    head = ["agent", "penalty", "95 % interval", "matches won", "rating", "95 % interval"]
    rows: list[list[Any]] = [[*head, "bid", "points", "exact", "games forfeited"]]
    for rank, agent in enumerate(standing.ranking(), 1):
        penalty, rating = standing.penalty(agent), standing.rating(agent)
        rows.append(
            [
                f"{rank}. {names[agent]}",
                f"{penalty.mean:.2f}",
                interval(penalty),
                f"{standing.win_share(agent).mean:.1%}",
                minus(f"{rating.mean:+.0f}"),
                interval(rating, "+.0f"),
                f"{standing.bid_mean(agent):.1f}",
                f"{standing.points_mean(agent):.1f}",
                f"{standing.exact_share(agent):.1%}",
                standing.illegal(agent),
            ]
        )
    return rows


def _cross_rows(standing: Standing, names: list[str]) -> list[list[Any]]:
    ranking, mixed = standing.ranking(), standing.filled == "mixed"
    last = [] if mixed else ["loss abroad"]
    rows: list[list[Any]] = [["", *(names[agent] for agent in ranking), *last]]
    for agent in ranking:
        cells = [
            "·" if mixed and agent == other else _cell(standing.cross(agent, other), mixed)
            for other in ranking
        ]
        rows.append([names[agent], *cells, *([] if mixed else [_cell(standing.gap(agent), True)])])
    return rows


def _cell(estimate: Estimate, sign: bool) -> str:
    """Mean and half width; a dot where the two never met."""
    if not estimate.count:
        return "·"
    return minus(f"{estimate:{'+.2f' if sign else '.2f'}}")
