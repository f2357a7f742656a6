"""Command line: ``differenzler replay``, recorded matches at the table, or told trick by trick."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from ..text import counted
from .options import JUDGE, Cards, Language
from .screen import check_pace, need_textual, on_terminal, parse_show, run_app

if TYPE_CHECKING:
    from ..rules import Rules
    from ..words import Words


@cache  # a file may hold thousands of matches, and a judge a network
def check_table(judge: str, show: str, rules: "Rules") -> None:
    """Refuse what the table would refuse, where it is not shown.

    Raises:
        ValueError: for another judge than a search, or a seat that is not at the table.
    """
    from ..play.analysis import load_judge

    load_judge(judge, rules)
    parse_show(show, rules.players)


@dataclass
class Replay:
    """Step through recorded matches, or say what is wrong with a false record."""

    file: Annotated[tyro.conf.Positional[Path], tyro.conf.arg(metavar="FILE")]
    """game records, one JSON line a match"""
    match: int | None = None
    """show the match of this line only, from 1; the table shows one match, the first"""
    deal: int | None = None
    """show this deal of each match only, from 1; the table begins there"""
    check: bool = False
    """show nothing: check every match and count them"""
    plain: bool = False
    """tell the matches line by line; chosen by itself where there is no terminal"""
    pause: Annotated[bool, tyro.conf.FlagCreatePairsOff] = False
    """wait for Enter after each trick that is told"""
    show: str = "open"
    """at the table: open, all hands and bids; none, what lies on the table; or a seat"""
    judge: str = JUDGE
    """whose analysis stands beside the table: a search"""
    pace: float = 1
    """seconds a step, where the table runs by itself"""
    language: Language = None
    cards: Cards = "french"
    seed: int = 1
    """accepted by every command; nothing is random here"""
    json: Path | None = None
    """file for what was found: line, rules, penalties and winners of each match"""

    def run(self) -> None:
        """Does what the command says."""
        from .common import check_output, read_matches, write_json

        check_output(self.json, stream=True)
        check_pace(self.pace)
        for name, number in (("match", self.match), ("deal", self.deal)):
            if number is not None and number < 1:
                raise ValueError(f"{name} is {number}; allowed: 1 or more")
        told = self.check or self.plain or self.pause or self.json is not None
        if not told and on_terminal():
            self.show_table()
            return
        matches = read_matches(self.file, self.match)
        found = [self.told(line, record) for line, record in matches]
        if self.check:
            deals = sum(match["deals"] for match in found)
            counts = f"{counted(len(found), 'match', 'matches')}, {counted(deals, 'deal', 'deals')}"
            print(f"{counts}: all of it follows from the rules")
        write_json(self.json, {"file": str(self.file), "matches": found})

    def check_deal(self, line: int, record: Any) -> None:
        """Refuse a deal that a checked record does not have."""
        if self.deal is not None and self.deal > len(record["deals"]):
            raise ValueError(f"line {line} has {len(record['deals'])} deals, not {self.deal}")

    def show_table(self) -> None:
        """Show a match at the table, forward and back."""
        from ..play.analysis import load_judge
        from ..play.scene import seat_names
        from ..play.sitting import human_seat
        from ..play.steps import DEAL, record_steps
        from ..play.viewer import Viewer
        from ..words import choose_words
        from .common import read_matches

        need_textual()
        line, record = next(read_matches(self.file, self.match))
        steps, words = record_steps(record, line), choose_words(self.language, cards=self.cards)
        self.check_deal(line, record)
        rules = steps[0].game.rules
        viewer = Viewer(
            steps,
            seat_names(record["seats"], human_seat(record["seats"]), words),
            words,
            load_judge(self.judge, rules),
            parse_show(self.show, rules.players),
            analysis=True,
        )
        deals = [at for at, step in enumerate(steps) if step.kind == DEAL]
        viewer.index = deals[(self.deal or 1) - 1]

        from ..play.app import ViewerApp

        run_app(ViewerApp(viewer, pace=self.pace))

    def told(self, line: int, record: Any) -> dict[str, Any]:
        """Check a match, tell it unless it is only to be checked, and sum it up."""
        from ..game import Game
        from ..play import playthrough
        from ..record import replay
        from ..words import choose_words

        words = choose_words(self.language, cards=self.cards)
        match = replay(record, Game, line)
        self.check_deal(line, record)
        check_table(self.judge, self.show, match.rules)
        if not self.check:
            print(words("told_match", line=line))
            self.tell(playthrough(record, line, words, self.deal), words)
            print()
        return {
            "line": line,
            "rules": match.rules.to_dict(),
            "seats": list(record["seats"]),
            "deals": len(match.finished_deals),
            "penalties": match.penalties,
            "winners": match.winners,
        }

    def tell(self, blocks: Iterator[str], words: "Words") -> None:
        """Print the blocks; where asked to, pause after each but the heading."""
        for number, block in enumerate(blocks):
            print(block)
            if self.pause and number and not self.next_wanted(words):
                return

    def next_wanted(self, words: "Words") -> bool:
        """Wait for Enter; q, or the end of the input, stops the match."""
        print(words("told_go_on"), end="", flush=True)
        answer = sys.stdin.readline()
        return bool(answer) and not answer.strip().lower().startswith("q")
