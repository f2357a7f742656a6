"""Play: games as people follow them."""

from .playthrough import playthrough

__all__ = ["playthrough"]
