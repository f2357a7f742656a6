"""Agents: the players that come with the package and the way to bring your own.

``load("thumb", rules)`` gives an agent; ``docs/agents.md`` lists the specs.
"""

from ..errors import SpecError
from .base import Agent, KeyedGenerator, keyed_rng
from .registry import as_agent, load, load_field
from .table import choose_action, choose_actions

__all__ = [
    "Agent",
    "KeyedGenerator",
    "SpecError",
    "as_agent",
    "choose_action",
    "choose_actions",
    "keyed_rng",
    "load",
    "load_field",
]
