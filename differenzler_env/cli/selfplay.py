"""Command line: ``differenzler selfplay``, games of agents as a data set."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from ..text import counted
from .options import PlaySeed, RulesText


@dataclass
class Selfplay:
    """Let agents play and keep the games: records, and arrays for offline learning."""

    agents: Annotated[tyro.conf.Positional[tuple[str, ...]], tyro.conf.arg(metavar="AGENT …")]
    """one agent for all seats or one for each; they move on one seat each match"""
    out: Path
    """file for the records, one match a line; one that is there is replaced at the end"""
    arrays: bool = False
    """also write the decisions as arrays, in Parquet, beside the records: observation, mask,
    action, reward, seat"""
    deals: int = 1000
    """deals to be played, rounded up to whole matches"""
    rules: RulesText = "swisslos"
    seed: PlaySeed = 1

    def run(self) -> None:
        """Does what the command says."""
        import importlib.util

        from ..agents.registry import split_list
        from ..evaluation.selfplay import self_play
        from ..rule_text import get_rules
        from .common import check_output, progress_bar

        arrays = self.out.with_suffix(".parquet") if self.arrays else None
        check_output(self.out)
        check_output(arrays)
        if arrays == self.out:
            raise ValueError(
                f"{str(self.out)!r} is where the arrays go; name the records otherwise"
            )
        if arrays is not None and importlib.util.find_spec("pyarrow") is None:
            raise ValueError("arrays need pyarrow: pip install pyarrow")
        agents = split_list(",".join(self.agents))
        with progress_bar("matches") as progress:
            play = self_play(agents, get_rules(self.rules), self.deals, self.seed, progress)
            matches = play.write(self.out, arrays)
        files = str(self.out) if arrays is None else f"{self.out} and {arrays}"
        deals = counted(matches * play.rules.deals, "deal", "deals")
        print(f"{counted(matches, 'match', 'matches')}, {deals} in {files}")
