"""Differenzler, the Swiss Jass game of exact bids, as a reinforcement-learning environment."""

from .actions import NUM_ACTIONS
from .batch import Batch
from .envs.registration import register_all
from .errors import GameOverError, IllegalActionError, RecordError
from .game import Game
from .rules import Rules
from .view import PlayerView

__version__ = "0.1.0"

register_all()

__all__ = [
    "NUM_ACTIONS",
    "Batch",
    "Game",
    "GameOverError",
    "IllegalActionError",
    "PlayerView",
    "RecordError",
    "Rules",
]
