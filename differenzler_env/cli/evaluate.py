"""Command line: ``differenzler evaluate``, a hero at a table of others."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from .options import PlaySeed, ResultFile, Resume, RulesText, UntilCi, Workers

if TYPE_CHECKING:
    from rich.table import Table

    from ..evaluation import Estimate, Evaluation
    from ..evaluation.details import Details


@dataclass
class Evaluate:
    """Measure an agent at a table of others, on duplicate deals with the agent in every seat."""

    hero: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="AGENT")]
    """the agent measured: a name such as thumb, FILE.safetensors or package.module:factory"""
    field: str
    """the others, separated by commas, or one that fills the table, or a named field such as @v0"""
    deals: int = 1000
    """distinct deals, rounded up to whole matches; each is played with the hero in every seat"""
    rules: RulesText = "swisslos"
    seed: PlaySeed = 1
    workers: Workers = None
    until_ci: UntilCi = None
    resume: Resume = None
    json: ResultFile = None
    details: bool = False
    """also print penalties by place at the table and by size of the bid, what the bids of a table
    cost, and after which trick bids were lost"""
    report: Path | None = None
    """folder for a report to look at: one HTML page with plots, and its figures"""

    def run(self) -> None:
        """Does what the command says."""
        from rich.console import Console

        from ..evaluation import evaluate
        from ..evaluation.names import short_names
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
            result = evaluate(
                self.hero,
                self.field,
                rules=rules,
                deals=self.deals,
                seed=self.seed,
                workers=self.workers,
                progress=progress,
                until_ci=self.until_ci,
                resume=self.resume,
            )
        write_json(self.json, result.to_json())
        if self.report is not None:
            from ..evaluation.details import details
            from ..evaluation.report import report_page
            from .common import write_report

            figures = result.to_json() | {"details": details(result).to_json()}
            write_report(self.report, report_page(result), figures)
        console = Console()
        speed = result.decisions_per_second
        specs = list(dict.fromkeys((result.hero, *result.field)))
        names = dict(zip(specs, short_names(specs), strict=True))
        field = ", ".join(names[spec] for spec in result.field)
        print(f"{names[result.hero]} at a table of {field}")
        console.print(result_table(result))
        floor = "" if result.floor() is None else " The floor is what the bids alone cost a seat."
        print(f"Penalties: lower is better.{floor}")
        print(
            f"{result.deals} deals, {result.games} games, seed {result.seed}"
            + ("" if speed is None else f"; {speed:,.0f} decisions a second")
        )
        if self.details:
            for part in details_tables(result):
                console.print(part)
        tell_faults(result)


def result_table(result: "Evaluation") -> "Table":
    """The result as a table for people."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    values = result.to_json()
    table = Table(box=SIMPLE_HEAD)
    table.add_column("")
    table.add_column("mean", justify="right")
    table.add_column("95 % interval", justify="right")
    rows: list[tuple[str, str, str]] = [
        ("penalty a deal", *estimate_cells(result.penalty())),
        ("penalty of the others", *estimate_cells(result.field_penalty())),
        ("difference, paired by deal", *estimate_cells(result.difference(), sign=True)),
        ("matches won", *estimate_cells(result.win_share(), percent=True)),
        ("bid", f"{values['bid_mean']:.2f}", ""),
        ("points", f"{values['points_mean']:.2f}", ""),
        ("exact bids", *estimate_cells(result.exact_share(), percent=True)),
        ("floor set by the bids", "–" if values["floor"] is None else f"{values['floor']:.2f}", ""),
    ]
    if values["illegal"] or values["field_illegal"]:
        rows.append(("games forfeited by the agent", str(values["illegal"]), ""))
        rows.append(("games forfeited by the others", str(values["field_illegal"]), ""))
    for row in rows:
        table.add_row(*row)
    return table


def details_tables(result: "Evaluation") -> "list[Table]":
    """What happened by place at the table and by size of the bid, to the bids of a table and to
    bids in the course of a deal."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from ..evaluation.details import details

    found = details(result)
    places, sizes = Table(box=SIMPLE_HEAD), Table(box=SIMPLE_HEAD)
    for table, first in ((places, "place"), (sizes, "bid")):
        table.add_column(first)
    for name in ("penalty", "95 % interval", "bid", "points", "exact"):
        places.add_column(name, justify="right")
    for name in ("how often", "penalty", "95 % interval", "points − bid", "exact"):
        sizes.add_column(name, justify="right")
    for place in found.places:
        shares = (f"{place.bid:.1f}", f"{place.points:.1f}", f"{place.exact:.1%}")
        places.add_row(place.name, *estimate_cells(place.penalty), *shares)
    total = sum(size.count for size in found.bid_sizes)
    for size in found.bid_sizes:
        often = f"{size.count / total:.1%}"
        excess, exact = f"{size.excess.mean:+.2f}", f"{size.exact:.1%}"
        sizes.add_row(size.name, often, *estimate_cells(size.penalty), excess, exact)
    return [places, sizes, _bids_table(found), *_lost_table(found)]


def _bids_table(found: "Details") -> "Table":
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD)
    table.add_column("bids of a table")
    table.add_column("", justify="right")
    floor = None if found.avoidable is None else found.table_penalty - found.avoidable
    for name, value in (
        ("sum", found.bid_sum),
        ("standard deviation of the sum", found.bid_sum_deviation),
        ("penalty of all seats", found.table_penalty),
        ("of which set by the bids (floor)", floor),
        ("of which avoidable", found.avoidable),
    ):
        table.add_row(name, "–" if value is None else f"{value:.2f}")
    return table


def _lost_table(found: "Details") -> "list[Table]":
    """A table, or none with Stöck, which can bring a bid back."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    if found.out_of_reach is None or found.field_out_of_reach is None:
        return []
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("bids lost after trick")
    for name in (*map(str, range(1, len(found.out_of_reach))), "never"):
        table.add_column(name, justify="right", no_wrap=True)
    for name, shares in (("agent", found.out_of_reach), ("others", found.field_out_of_reach)):
        table.add_row(name, *(f"{share:.0%}" for share in (*shares[1:], shares[0])))
    return [table]


def estimate_cells(value: "Estimate", sign: bool = False, percent: bool = False) -> tuple[str, str]:
    """Mean and interval as text."""
    form = ".1%" if percent else "+.2f" if sign else ".2f"
    if value.ci95 is None:
        return format(value.mean, form), "–"
    low, high = value.ci95
    return format(value.mean, form), f"{low:{form}} … {high:{form}}"
