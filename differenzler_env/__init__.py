"""Differenzler, the Swiss Jass game of exact bids, as a reinforcement-learning environment."""

import importlib
from typing import Any

from . import cards, observation
from .actions import NUM_ACTIONS
from .batch import Batch
from .engine.state import BID, OVER, PLAY
from .envs.registration import register_all
from .errors import GameOverError, IllegalActionError, RecordError
from .game import Game
from .rules import Rules
from .view import PlayerView

__version__ = "0.1.0"

register_all()

__all__ = [
    "BID",
    "NUM_ACTIONS",
    "OVER",
    "PLAY",
    "Batch",
    "Game",
    "GameOverError",
    "IllegalActionError",
    "PlayerView",
    "RecordError",
    "Rules",
    "agents",
    "cards",
    "differenzler_v0",
    "evaluation",
    "observation",
]


def __getattr__(name: str) -> Any:
    # Modules of the upper rooms are there as attributes, but are only loaded when asked for.
    if name in __all__:
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
