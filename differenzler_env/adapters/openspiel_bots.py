"""Adapters: this package's agents as OpenSpiel bots, and what OpenSpiel's search needs to play.
Needs the extra ``openspiel``.

OpenSpiel's ``ISMCTSBot`` in Python plays this game once it knows how to draw a state that a seat
may believe in (its twin in C++ cannot be told, and fails with games written in Python):

    bot = ismcts.ISMCTSBot(game, mcts.RandomRolloutEvaluator(1, rng), uct_c=40, max_simulations=200)
    bot.set_resampler(Resampler(seed=1))
"""

from typing import Any

import numpy as np

from ..actions import card_action
from ..agents.registry import as_agent
from ..cards import card_index
from ..transcript import seats_in_order
from ..view import PlayerView
from .openspiel import DifferenzlerGame, DifferenzlerState, pyspiel


class AgentBot(pyspiel.Bot):
    """An agent as an OpenSpiel bot, for whichever seat it is asked.

    Args:
        game: the game it is to play.
        agent: a spec such as ``"models/swisslos.safetensors"``, an agent, or a callable
            ``(view, rng) -> action``.
        seed: of the draws of agents that draw.

    Raises:
        ValueError: if there is no such agent, or it plays by other rules.
    """

    def __init__(self, game: DifferenzlerGame, agent: Any, seed: int = 0) -> None:
        super().__init__()
        self.agent = as_agent(agent, game.rules)
        self._rng = np.random.default_rng(seed)

    def step(self, state: DifferenzlerState) -> int:
        """The agent's action for the seat to act, from what that seat may know."""
        return self.agent.act(_view(state, state.current_player()), self._rng)

    def restart(self) -> None:
        """Agents remember nothing."""

    def restart_at(self, state: DifferenzlerState) -> None:
        """Agents remember nothing."""


def _view(state: DifferenzlerState, seat: int) -> PlayerView:
    view = state.view(seat)
    if view is None:
        raise ValueError("the cards are being dealt: no seat is to act")
    return view


class Resampler:
    """States that a seat may believe in: other hands drawn uniformly among those consistent with
    its view, hidden bids as an agent would give them with these hands.

    Args:
        seed: of the draws.
        bidder: the agent whose bids are taken for hidden ones.
    """

    def __init__(self, seed: int = 0, bidder: Any = "thumb") -> None:
        self._rng = np.random.default_rng(seed)
        self._bidder = bidder

    def __call__(self, state: DifferenzlerState, player: int) -> DifferenzlerState:
        """A state with the same information state for ``player``, its history complete."""
        game, view = state.get_game(), _view(state, player)
        rules, played = view.rules, _played(view)
        (world,) = view.sample(1, self._rng)
        holders = {card: seat for seat, card in played}
        for seat, hand in enumerate(world):
            holders |= {card: seat for card in rules.deck if int(hand) >> card_index(card) & 1}
        # Of the history only what is public is taken: earlier deals, who deals, the trump.
        history = state.history()
        start = game.first_deal_at() + view.deal_number * (
            game.chance_nodes_a_deal + game.moves_a_deal
        )
        trump_at = start + len(rules.deck)
        made: DifferenzlerState = game.new_initial_state()
        for action in history[:start]:
            made.apply_action(action)
        for card in rules.deck:
            made.apply_action(holders[card])
        made.apply_action(history[trump_at])
        bidder = as_agent(self._bidder, rules)
        for i in range(sum(view.has_bid)):
            seat = (view.dealer + 1 + i) % rules.players
            bid = view.bids[seat]
            if bid is None:
                bid = bidder.act(_view(made, seat), self._rng)
            made.apply_action(bid)
        for _, card in played:
            made.apply_action(card_action(card_index(card)))
        return made


def _played(view: PlayerView) -> list[tuple[int, str]]:
    """(seat, card) for the cards played in the deal at hand, in order."""
    players = view.rules.players
    complete = [play for trick in view.tricks for play in seats_in_order(trick, players)]
    return complete + view.trick
