"""Command line: ``differenzler play``, a seat at the table, in the terminal."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from .options import Cards, Language
from .screen import check_pace, need_textual, on_terminal, run_app

if TYPE_CHECKING:
    from ..play.advice import Adviser
    from ..play.sitting import Sitting
    from ..words import Words


@dataclass
class Play:
    """Play a match against agents, with the keyboard; or line by line with --plain."""

    opponents: str | None = None
    """the others from your right-hand neighbour onward, separated by commas, or one for all; thumb
    where not given"""
    seat: int | None = None
    """your seat; 0 where not given"""
    rules: str | None = None
    """rule set: swisslos (where not given), table, television, mini; settings as in
    table?players=5"""
    seed: int | None = None
    """of the deals; drawn where not given"""
    resume: str | None = None
    """go on with a match: its file, or last"""
    record: Path | None = None
    """file for the record of the match, in the folder where not given; one that is there is
    replaced"""
    folder: Path | None = None
    """where matches are kept; ~/.local/share/differenzler where not given"""
    adviser: str = "search"
    """the agent that helps when asked to"""
    language: Language = None
    cards: Cards = "french"
    pace: float = 0.6
    """seconds that the others take for an action"""
    plain: bool = False
    """line by line, for screen readers and scripts; chosen by itself where there is no terminal"""

    def run(self) -> None:
        """Does what the command says."""
        from ..play.advice import Adviser
        from ..play.sitting import matches_folder
        from ..words import choose_words
        from .common import check_output

        words = choose_words(self.language, cards=self.cards)
        check_output(self.record)
        check_pace(self.pace)
        plain = self.plain or not on_terminal()
        if not plain:
            need_textual()
        sitting = self.resumed() if self.resume else self.started()
        adviser = Adviser(self.adviser, sitting.game.rules)
        if sitting.file is None:  # only now that nothing is left to refuse
            sitting.keep_in(self.folder or matches_folder())
        sitting.save()
        try:
            if plain:
                self.play_plain(sitting, words, adviser)
            else:
                self.play_screen(sitting, words, adviser)
        finally:
            if not sitting.game.is_over:
                if self.record is not None:
                    sitting.write_record()
                print(words("saved", file=sitting.file))
        if sitting.game.is_over and self.record is None:
            print(words("recorded", file=sitting.record_file))

    def started(self) -> "Sitting":
        """A new match, not kept yet."""
        from ..checks import seat_number, typed_seed
        from ..game import Game
        from ..play.sitting import Sitting, seat_field
        from ..rule_text import get_rules

        rules = get_rules(self.rules)
        seat = seat_number(self.seat or 0, rules.players)
        agents = seat_field(self.opponents or "thumb", seat, rules)
        seed = typed_seed(self.seed)
        return Sitting(Game(rules, seed=seed), agents, seed, record_file=self.record)

    def resumed(self) -> "Sitting":
        """The match that is to go on."""
        from ..play.sitting import last_match_file, matches_folder, read_save

        for name in ("seat", "rules", "seed"):
            if getattr(self, name) is not None:
                raise ValueError(f"a match that goes on keeps its {name}: leave --{name} out")
        if self.resume == "last":
            file = last_match_file(self.folder or matches_folder())
        else:
            file = Path(self.resume or "")
        return read_save(file, self.record, self.opponents)

    def play_plain(self, sitting: "Sitting", words: "Words", adviser: "Adviser") -> None:
        """Play line by line, until the match is over or the input ends."""
        from ..play.plain import PlainTable, typing_help

        print(words("intro", seat=sitting.seat, seed=sitting.seed, help=typing_help(words)))
        try:
            PlainTable(sitting, words, adviser).play()
        except EOFError:
            print(f"\n{words('stopped')}")

    def play_screen(self, sitting: "Sitting", words: "Words", adviser: "Adviser") -> None:
        """Play on the whole screen, until the match is over or the person leaves."""
        from ..play.app import SeatApp
        from ..play.seat import Seat

        run_app(SeatApp(Seat(sitting, words, adviser), self.pace))
