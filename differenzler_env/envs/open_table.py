"""Environments: an open table as text, all hands and bids shown."""

from ..game import Game


def open_text(game: Game) -> str:
    """Everything there is to know of a game, for people who watch."""
    return str(game.hands)
