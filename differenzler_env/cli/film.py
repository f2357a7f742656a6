"""Command line: ``differenzler film``, a recorded deal as a moving picture."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from .options import Cards, Language
from .screen import parse_show


@dataclass
class Film:
    """Make a GIF of a deal from a game record."""

    file: Annotated[tyro.conf.Positional[Path], tyro.conf.arg(metavar="RECORD")]
    """game records, one JSON line a match"""
    out: Path
    """file for the film, such as deal.gif; one that is there is replaced"""
    match: int = 1
    """the match of this line, from 1"""
    deal: int = 1
    """the deal of that match, from 1"""
    show: str = "open"
    """open: all hands and bids; or a seat: what it sees"""
    seconds: float = 0.8
    """how long each position stays"""
    width: int = 800
    """of the picture, in pixels"""
    language: Language = None
    cards: Cards = "french"
    seed: int = 1
    """accepted by every command; nothing is random here"""

    def run(self) -> None:
        """Does what the command says."""
        from ..play.film import write_film
        from ..words import choose_words
        from .common import check_output, progress_bar, read_matches

        check_output(self.out)
        if self.out.suffix.lower() != ".gif":
            raise ValueError(f"out is {str(self.out)!r}; allowed: a name that ends in .gif")
        if not 0.02 <= self.seconds <= 60:
            raise ValueError(f"seconds are {self.seconds:g}; allowed: 0.02 to 60")
        if not 100 <= self.width <= 2400:
            raise ValueError(f"width is {self.width}; allowed: 100 to 2400")
        _, record = next(read_matches(self.file, self.match))
        from ..game import Game
        from ..record import replay

        players = replay(record, Game, self.match).rules.players
        if not 1 <= self.deal <= len(record["deals"]):
            deals = len(record["deals"])
            raise ValueError(f"deal is {self.deal}; allowed: 1 to {deals}, those of the match")
        shown = parse_show(self.show, players)
        if shown == "none":
            raise ValueError("show is 'none'; a film shows the table open, or from a seat")
        with progress_bar("film") as progress:
            count = write_film(
                self.out,
                record,
                self.deal - 1,
                shown,
                choose_words(self.language, cards=self.cards),
                self.seconds,
                self.width,
                progress,
            )
        print(f"{self.out}: {count} pictures")
