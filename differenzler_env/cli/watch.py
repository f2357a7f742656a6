"""Command line: ``differenzler watch``, agents that play each other."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from .options import JUDGE, Cards, Language, RulesText
from .screen import check_pace, need_textual, on_terminal, parse_show, run_app

if TYPE_CHECKING:
    from ..agents.search import SearchAgent
    from ..play.sitting import Sitting


@dataclass
class Watch:
    """Watch agents play a match, step by step or at a pace; or line by line with --plain."""

    agents: str = "thumb"
    """who sits at the table from seat 0 onward, separated by commas, or one for all seats"""
    rules: RulesText = "swisslos"
    seed: int | None = None
    """of the deals; drawn where not given"""
    show: str = "open"
    """open: all hands and bids; none: what lies on the table; or a seat: what it sees"""
    pace: float = 0
    """seconds a step, to run by itself; 0 goes step by step"""
    judge: str = JUDGE
    """whose analysis is shown when asked for: a search"""
    record: Path | None = None
    """file for the record of the match; one that is there is replaced"""
    language: Language = None
    cards: Cards = "french"
    plain: bool = False
    """line by line, what --show lets see; chosen by itself where there is no terminal"""

    def run(self) -> None:
        """Does what the command says."""
        from ..agents import SpecError
        from ..agents.registry import share_agents, split_list
        from ..checks import typed_seed
        from ..game import Game
        from ..play.analysis import load_judge
        from ..play.sitting import Sitting
        from ..rule_text import get_rules
        from .common import check_output

        rules = get_rules(self.rules)
        check_output(self.record)
        check_pace(self.pace)
        specs = split_list(self.agents)
        specs = specs * rules.players if len(specs) == 1 else specs
        if len(specs) != rules.players:
            raise SpecError(
                f"a table of {rules.players} seats needs {rules.players} agents or one for all of "
                f"them; {self.agents!r} has {len(specs)}"
            )
        agents = dict(enumerate(share_agents(specs, rules)))
        judge = load_judge(self.judge, rules)
        seed = typed_seed(self.seed)
        sitting = Sitting(Game(rules, seed=seed), agents, seed, None, self.record)
        shown = parse_show(self.show, rules.players)
        try:
            if self.plain or not on_terminal():
                self.watch_plain(sitting, shown)
            else:
                need_textual()
                self.watch_screen(sitting, shown, judge)
        finally:
            sitting.write_record()

    def watch_plain(self, sitting: "Sitting", shown: int | str) -> None:
        """Tell the match as it is played."""
        import time

        from ..play.plain import PlainWatch
        from ..words import choose_words

        words = choose_words(self.language, cards=self.cards)
        for lines in PlainWatch(sitting, words, shown).told():
            print(lines, flush=True)
            time.sleep(self.pace)

    def watch_screen(self, sitting: "Sitting", shown: int | str, judge: "SearchAgent") -> None:
        """Show the match on the whole screen."""
        from ..play.app import ViewerApp
        from ..play.scene import seat_names
        from ..play.sitting import live_steps
        from ..play.viewer import Viewer
        from ..words import choose_words

        words = choose_words(self.language, cards=self.cards)
        steps = live_steps(sitting)
        viewer = Viewer(
            [next(steps)],
            seat_names(sitting.specs, None, words),
            words,
            judge,
            shown,
            live=True,
            running=self.pace > 0,
        )
        run_app(ViewerApp(viewer, lambda: next(steps, None), self.pace or 1))
