"""Command line: ``differenzler deal``, one deal to look at."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .options import RulesText


@dataclass
class Deal:
    """Show a deal: the hands, the trump, the dealer."""

    seed: int = 1
    """of the deal; environments reset with this seed start with it"""
    rules: RulesText = "swisslos"
    number: int = 1
    """number of the deal in the match, from 1"""
    json: Path | None = None
    """file for the deal, in the form that reset(options={"deal": …}) takes"""

    def run(self) -> None:
        """Does what the command says."""
        from rich.console import Console
        from rich.table import Table

        from ..cards import SUIT_NAMES, SUITS
        from ..rule_text import get_rules
        from ..text import suit_text
        from .common import check_output, write_json

        rules = get_rules(self.rules)
        check_output(self.json, stream=True)
        deal = self.dealt(rules)
        write_json(self.json, deal)

        suit = SUITS.index(deal["trump"])
        turned_up = f" (turned up: {deal['turned_up']})" if deal["turned_up"] else ""
        table = Table(title=f"trump {SUIT_NAMES[suit]}{turned_up}", title_justify="left", box=None)
        table.add_column("seat", justify="right")
        for name in SUIT_NAMES:
            table.add_column(name + (" *" if name == SUIT_NAMES[suit] else ""))
        table.add_column("")
        for seat, hand in enumerate(deal["hands"]):
            suits = [suit_text(hand, letter, deal["trump"]) or "–" for letter in SUITS]
            forehand = (deal["dealer"] + 1) % rules.players
            role = {deal["dealer"]: "dealer", forehand: "leads"}.get(seat, "")
            table.add_row(str(seat), *suits, role)
        Console().print(table)

    def dealt(self, rules: Any) -> dict[str, Any]:
        """The deal as ``{"hands", "trump", "dealer", "turned_up"}``."""
        from .. import Game

        if not 1 <= self.number <= rules.deals:
            raise ValueError(f"number is {self.number}; allowed: 1 to {rules.deals}")
        game = Game(rules, seed=self.seed)
        # A deal does not depend on how earlier ones were played, so any play gets there.
        while game.deal_number < self.number - 1:
            game.play(game.legal_actions()[0])
        return {
            "hands": game.hands,
            "trump": game.trump,
            "dealer": game.dealer,
            "turned_up": game.turned_up,
        }
