"""Command line: ``differenzler replay``, recorded matches told trick by trick."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro


@dataclass
class Replay:
    """Step through recorded matches, or say what is wrong with a false record."""

    file: Annotated[tyro.conf.Positional[Path], tyro.conf.arg(metavar="FILE")]
    """game records, one JSON line a match"""
    match: int | None = None
    """show the match of this line only, from 1"""
    deal: int | None = None
    """show this deal of each match only, from 1"""
    check: bool = False
    """show nothing: check every match and count them"""
    pause: bool | None = None
    """wait for Enter after each trick; by default on a terminal"""
    seed: int = 1
    """every command takes one; nothing is drawn here"""
    json: Path | None = None
    """file for what was found: line, rules, penalties and winners of each match"""

    def run(self) -> None:
        """Does what the command says."""
        from .common import check_output, write_json

        check_output(self.json)
        for name, number in (("match", self.match), ("deal", self.deal)):
            if number is not None and number < 1:
                raise ValueError(f"{name} is {number}; allowed: 1 or more")
        found = [self.told(line, record) for line, record in self.records()]
        if not found:
            where = "" if self.match is None else f" in line {self.match}"
            raise ValueError(f"{str(self.file)!r} holds no match{where}")
        if self.check:
            deals = sum(match["deals"] for match in found)
            print(f"{len(found)} matches, {deals} deals: all of it follows from the rules")
        write_json(self.json, {"file": str(self.file), "matches": found})

    def records(self) -> Iterator[tuple[int, Any]]:
        """The records asked for, with their lines."""
        from ..record import read_records

        for line, record in read_records(self.file):
            if self.match is None or line == self.match:
                yield line, record

    def told(self, line: int, record: Any) -> dict[str, Any]:
        """Check a match, tell it unless it is only to be checked, and sum it up."""
        from ..game import Game
        from ..play import playthrough
        from ..record import replay

        match = replay(record, Game, line)
        if self.deal is not None and self.deal > len(record["deals"]):
            raise ValueError(f"line {line} has {len(record['deals'])} deals, not {self.deal}")
        if not self.check:
            print(f"Match of line {line}")
            self.tell(playthrough(record, line))
            print()
        return {
            "line": line,
            "rules": match.rules.to_dict(),
            "seats": list(record["seats"]),
            "deals": len(match.finished_deals),
            "penalties": match.penalties,
            "winners": match.winners,
        }

    def tell(self, blocks: Iterator[str]) -> None:
        """Print the blocks, or those of one deal; pause after each where asked to."""
        terminal = sys.stdin.isatty() and sys.stdout.isatty()
        pause = terminal if self.pause is None else self.pause
        deal = 0
        for block in blocks:
            deal += block.startswith("Deal ")
            if self.deal is not None and deal not in (0, self.deal):
                continue
            print(block)
            if pause and deal and not self.next_wanted():
                return

    def next_wanted(self) -> bool:
        """Wait for Enter; q, or the end of the input, stops the match."""
        print("Enter goes on, q stops: ", end="", flush=True)
        answer = sys.stdin.readline()
        return bool(answer) and not answer.strip().lower().startswith("q")
