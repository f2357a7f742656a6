"""Command line: ``differenzler perft``, the lawful lines of play counted, and how fast."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .options import RulesText


@dataclass
class Perft:
    """Count the lawful lines of play under each way to rule under-trumping, and time it."""

    depth: int = 8
    """cards of a line; lines end with the deal"""
    rules: RulesText = "swisslos"
    seed: int = 1
    """of the deal"""
    position: str | None = None
    """a position in one line, as Game.notation() gives it, in place of a deal"""
    json: Path | None = None
    """file for the counts"""

    def run(self) -> None:
        """Does what the command says."""
        from rich.console import Console
        from rich.table import Table

        from ..rules import UNDERTRUMP
        from .common import check_output, write_json

        if self.depth < 1:
            raise ValueError(f"depth is {self.depth}; allowed: 1 or more")
        check_output(self.json, stream=True)
        start = self.start()
        with Console(stderr=True).status("counting"):
            counts = {way: self.counted(start, way) for way in UNDERTRUMP}
        print(start.notation())
        table = Table(box=None)
        table.add_column("undertrump")
        for name in ("lines", "nodes", "seconds", "nodes a second"):
            table.add_column(name, justify="right")
        for way, found in counts.items():
            table.add_row(
                way,
                f"{found['lines']:,}",
                f"{found['nodes']:,}",
                f"{found['seconds']:.3f}",
                f"{found['nodes_per_second']:,.0f}",
            )
        Console().print(table)
        document = {"position": start.notation(), "depth": self.depth, "counts": counts}
        write_json(self.json, document)

    def start(self) -> Any:
        """The position to count from, all bids given."""
        from .. import Game
        from ..rule_text import get_rules

        if self.position is not None:
            game = Game.from_notation(self.position)
        else:
            game = Game(get_rules(self.rules).replace(deals=1), self.seed)
        while game.phase == "bid":
            game.play(0)
        if game.is_over:
            raise ValueError("the deal of this position is settled")
        return game

    def counted(self, start: Any, way: str) -> dict[str, Any]:
        """Lines from a position under one way to rule under-trumping. The cards already played
        stay, even where they were not lawful then."""
        from ..engine.trees import count_tree

        tree = count_tree(
            start.state_records,
            start.rules.replace(undertrump=way).record,
            self.depth,
        )
        return {
            "lines": tree.lines,
            "nodes": tree.nodes,
            "seconds": tree.seconds,
            "nodes_per_second": tree.nodes_per_second,
        }
