"""Command line: ``differenzler bench``, how fast the package is here, beside its peers."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Bench:
    """Measure speed beside the peers that are installed; in a checkout, on an idle machine.

    Writes benchmarks/results.json, the README's table and a plot, unless --only names rows.
    """

    peers: str | None = None
    """the Python that has the peers (make bench-peers makes one); else .venv-peers, else this"""
    only: tuple[str, ...] = ()
    """some rows by name, such as playout aec; nothing is written"""
    seed: int = 1
    """accepted by every command; the work measured is always the same"""

    def run(self) -> None:
        """Does what the command says."""
        script = Path(__file__).resolve().parents[2] / "benchmarks" / "run.py"
        if not script.is_file():
            raise ValueError(
                "differenzler bench measures a checkout: install the project from one, with "
                "pip install -e ."
            )
        options = ["--peers", self.peers] if self.peers else []
        options += ["--only", *self.only] if self.only else []
        done = subprocess.run([sys.executable, str(script), *options], check=False)
        if done.returncode:
            raise SystemExit(done.returncode)
