"""Play: help for a seat. What an agent would do, and what each action is expected to cost.

Both are worked out from the seat's own view, and are the same whenever it sees the same.
"""

import zlib
from collections.abc import Mapping
from dataclasses import dataclass

from ..actions import NUM_BIDS
from ..agents import Agent, keyed_rng, load
from ..agents.search import SearchAgent
from ..cards import card_name
from ..rules import Rules
from ..view import PlayerView
from ..words import Words

WORLDS = 200
"""Worlds that costs are averaged over, where the agent asked has no costs of its own."""


@dataclass(frozen=True)
class Advice:
    """What an agent would do.

    Attributes:
        action: its choice.
        costs: expected penalty of this deal by action: of all lawful cards, or of some bids; empty
            where there is nothing to choose.
    """

    action: int
    costs: Mapping[int, float]


class Adviser:
    """Somebody to ask.

    Args:
        spec: an agent spec; expected costs are by ``search`` whoever is asked.
        rules: rules of the table.

    Raises:
        SpecError: for an agent that cannot be loaded.
    """

    def __init__(self, spec: str, rules: Rules) -> None:
        self.agent: Agent = load(spec, rules)
        own = self.agent if isinstance(self.agent, SearchAgent) else None
        self._search = own or SearchAgent(rules, worlds=WORLDS)

    @property
    def name(self) -> str:
        """The agent's name."""
        return self.agent.spec

    def advise(self, view: PlayerView) -> Advice:
        """What to do in a view whose seat is to act."""
        key = zlib.crc32(view.record.tobytes())
        actions, _ = self._search.choices(view.record)
        costs = self._search.costs(view.record, key, actions)
        prices = dict(zip(actions.tolist(), costs.tolist(), strict=True))
        return Advice(self.agent.act(view, keyed_rng(key)), prices)


def action_text(action: int, words: Words) -> str:
    """A bid as a number, a card with its mark."""
    return str(action) if action < NUM_BIDS else words.card(card_name(action - NUM_BIDS))
