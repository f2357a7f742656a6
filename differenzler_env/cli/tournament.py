"""Command line: ``differenzler tournament``."""

from dataclasses import dataclass


@dataclass
class Tournament:
    """Compare."""

    def run(self) -> None:
        """Does what the command says."""
        raise ValueError("not yet")
