"""Command line: ``differenzler tournament``, several agents on the same deals."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import tyro

from .options import PlaySeed, ResultFile, Resume, RulesText, UntilCi, Workers

if TYPE_CHECKING:
    from rich.table import Table

    from ..evaluation.statistics import Estimate
    from ..evaluation.tournament import Standing


NAME_WIDTH, CELL_WIDTH = 24, 9
"""Of the cross table, in characters: number and name of a row, and a cell, with their margins."""
TIGHT = (0, 1, 0, 0)
"""Margins of a cell: top, right, bottom, left."""


@dataclass
class Tournament:
    """Rank agents against each other: the same deals for all, in every seat."""

    agents: Annotated[tyro.conf.Positional[tuple[str, ...]], tyro.conf.arg(metavar="AGENT AGENT …")]
    """two agents or more: names such as thumb, FILE.safetensors or package.module:factory"""
    deals: int = 500
    """distinct deals, rounded up to whole matches; each is played at all tables"""
    tables: Literal["mixed", "copies"] = "mixed"
    """mixed: different agents at each table; copies: each agent at tables of each other, and alone
    among its own"""
    rules: RulesText = "swisslos"
    seed: PlaySeed = 1
    workers: Workers = None
    until_ci: UntilCi = None
    resume: Resume = None
    json: ResultFile = None
    report: Path | None = None
    """folder for a report to look at: one HTML page with tables and plots, and its figures"""

    def run(self) -> None:
        """Does what the command says."""
        from rich.console import Console

        from ..evaluation.names import legend, short_names
        from ..evaluation.tournament import tournament
        from ..rule_text import get_rules
        from .common import (
            check_output,
            check_report,
            progress_bar,
            tell_faults,
            write_json,
        )

        rules = get_rules(self.rules)
        check_output(self.json, stream=True)
        check_output(self.resume)
        check_report(self.report)
        with progress_bar("matches") as progress:
            standing = tournament(
                self.agents,
                rules=rules,
                deals=self.deals,
                seed=self.seed,
                workers=self.workers,
                tables=self.tables,
                progress=progress,
                until_ci=self.until_ci,
                resume=self.resume,
            )
        write_json(self.json, standing.to_json())
        if self.report is not None:
            from ..evaluation.tournament_report import tournament_page
            from .common import write_report

            write_report(self.report, tournament_page(standing), standing.to_json())
        console = Console()
        names = short_names(standing.agents)
        mixed = standing.filled == "mixed"
        print("Penalty a deal, " + ("at mixed tables" if mixed else "at tables of the others"))
        console.print(ranking_table(standing, names))
        print(
            "Row less column where both sit (below zero: the row is better)"
            if mixed
            else "Row as a guest at a table of the column; in its own column: among its own"
        )
        for table in cross_tables(standing, names, console.width):
            console.print(table)
        for line in legend(standing.agents, names):
            print(line)
        print(f"{standing.deals} deals, {standing.games} games, seed {standing.seed}")
        tell_faults(standing)


def ranking_table(standing: "Standing", names: Sequence[str]) -> "Table":
    """The agents from best to worst."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, padding=TIGHT)
    table.add_column("", justify="right")
    table.add_column("agent", overflow="fold")
    for name in ("penalty", "won", "rating", "bid", "points", "exact"):
        table.add_column(name, justify="right", no_wrap=True)
    forfeited = any(standing.illegal(agent) for agent in range(len(standing.agents)))
    if forfeited:
        table.add_column("games\nforfeited", justify="right", no_wrap=True)
    for rank, agent in enumerate(standing.ranking(), 1):
        row: list[str | Text] = [
            str(rank),
            Text(names[agent]),
            f"{standing.penalty(agent):.2f}",
            f"{standing.win_share(agent).mean:.1%}",
            f"{standing.rating(agent):+.0f}",
            f"{standing.bid_mean(agent):.1f}",
            f"{standing.points_mean(agent):.1f}",
            f"{standing.exact_share(agent):.1%}",
        ]
        table.add_row(*row, *([str(standing.illegal(agent))] if forfeited else []))
    return table


def cross_tables(standing: "Standing", names: Sequence[str], width: int) -> "list[Table]":
    """The cross table, best agents first; half widths of the 95 % intervals below the means. As
    many tables as it takes for all columns to fit the width, in characters."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    ranking, mixed = standing.ranking(), standing.filled == "mixed"
    columns: list[tuple[str, list[str]]] = []
    for rank, column in enumerate(ranking, 1):
        cells = []
        for row in ranking:
            cell = standing.cross(row, column)
            empty = (mixed and row == column) or not cell.count
            cells.append("·" if empty else _two_lines(cell, "+.2f" if mixed else ".2f"))
        columns.append((str(rank), cells))
    if not mixed:
        gaps = [_two_lines(standing.gap(row), "+.2f") for row in ranking]
        columns.append(("loss\nabroad", gaps))
    at_once = max(1, (width - NAME_WIDTH) // CELL_WIDTH)
    tables = []
    for start in range(0, len(columns), at_once):
        part = columns[start : start + at_once]
        table = Table(box=SIMPLE_HEAD, padding=TIGHT)
        table.add_column("", justify="right")
        table.add_column("agent", overflow="fold")
        for name, _ in part:
            table.add_column(name, justify="right", no_wrap=True)
        for place, agent in enumerate(ranking):
            cells = [cells[place] for _, cells in part]
            table.add_row(str(place + 1), Text(names[agent]), *cells)
        tables.append(table)
    return tables


def _two_lines(estimate: "Estimate", form: str) -> str:
    """The mean, and the half width of its interval below it."""
    return f"{estimate:{form}}".replace(" ± ", "\n± ")
