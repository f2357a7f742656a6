"""Command line: ``differenzler analyse``, recorded matches judged decision by decision."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from ..text import counted, harmless
from ..words import ENGLISH
from .options import JUDGE

if TYPE_CHECKING:
    from rich.table import Table

    from ..play.analysis import Judgement


@dataclass
class Analyse:
    """What every bid and card of recorded matches cost, and what else there was to do."""

    file: Annotated[tyro.conf.Positional[Path], tyro.conf.arg(metavar="FILE")]
    """game records, one JSON line a match"""
    match: int | None = None
    """judge the match of this line only, from 1"""
    deal: int | None = None
    """judge this deal of each match only, from 1"""
    seat: int | None = None
    """judge this seat only"""
    judge: str = JUDGE
    """who judges: a search; with exact=4 the last four tricks are solved with open cards in each
    world"""
    mistakes: bool = False
    """show only the mistakes"""
    seed: int = 1
    """of the judge's worlds"""
    json: Path | None = None
    """file for all that was judged"""

    def run(self) -> None:
        """Does what the command says."""
        from rich.console import Console

        from .common import check_output, read_matches, write_json

        check_output(self.json, stream=True)
        console, found = Console(), []
        for line, record in read_matches(self.file, self.match):
            judged, document = self.judged(line, record)
            found.append(document)
            where = "" if self.deal is None else f", deal {self.deal}"
            print(f"Match of line {line}{where}, judged by {self.judge}")
            shown = [each for each in judged if each.mistake or not self.mistakes]
            if shown:
                console.print(judgement_table(shown))
            for summary in document["seats"]:
                print(summary_line(summary))
            print()
        write_json(self.json, {"file": str(self.file), "judge": self.judge, "matches": found})

    def judged(self, line: int, record: Any) -> tuple[list["Judgement"], dict[str, Any]]:
        """The judgements of one match, and all of it as JSON values."""
        from ..game import Game
        from ..play.analysis import judgements, load_judge, summaries
        from ..record import replay
        from .common import progress_bar

        rules = replay(record, Game, line).rules
        search = load_judge(self.judge, rules)
        with progress_bar("decisions") as progress:
            judged = list(
                judgements(
                    record,
                    search,
                    line=line,
                    seat=self.seat,
                    deal=self.deal,
                    seed=self.seed,
                    progress=progress,
                )
            )
        seats = [
            {"name": record["seats"][each.seat], **vars(each)}
            for each in summaries(judged, rules.players)
        ]
        document = {"line": line, "decisions": [each.to_json() for each in judged], "seats": seats}
        return judged, document


def judgement_table(judged: list["Judgement"]) -> "Table":
    """The decisions in order, with what else there was to do, the cheapest first."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD)
    for name in ("deal", "trick", "seat"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("action", no_wrap=True)
    for name in ("cost", "loss"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    table.add_column("else", overflow="fold")
    for each in judged:
        others = sorted(
            (cost, action) for action, cost in each.costs.items() if action != each.action
        )
        table.add_row(
            str(each.deal),
            str(each.trick or "bid"),
            str(each.seat),
            _told(each.action),
            f"{each.costs[each.action]:.1f}",
            f"{each.loss:+.1f}" if each.action != each.best else "best",
            "mistake" if each.mistake else "",
            ", ".join(f"{_told(action)} {cost:.1f}" for cost, action in others),
        )
    return table


def _told(action: str) -> str:
    """A bid as a number, a card with its mark."""
    return action.removeprefix("bid ") if action.startswith("bid ") else ENGLISH.card(action)


def summary_line(summary: dict[str, Any]) -> str:
    """A seat's decisions in one line."""
    mistakes = counted(summary["mistakes"], "mistake", "mistakes")
    name = harmless(summary["name"])
    return (
        f"seat {summary['seat']} ({name}): {summary['decisions']} decisions, {mistakes}, "
        f"{summary['loss']:.1f} points lost"
    )
