"""Agents: worlds that a seat may believe in, the likelier the better they explain what it has seen.

A world is the hands and bids of the others. Hands are sampled uniformly over all deals consistent
with the view. Bids are those that ``heuristic`` would give on the hands dealt, give or take some
points, unless they are open; then they say something of the hands instead. And each card that the
others played makes a world more or less likely, as ``heuristic`` would have played it there.
"""

import numpy as np

from ..engine.deal import (
    ERRORS,
    below,
    clear_deal,
    high_half,
    low_half,
    open_deal,
    words_of_world,
)
from ..engine.jit import Array, Integer, Record, jit
from ..engine.kernels import holds
from ..engine.play import lawful, play_card
from ..engine.state import PLAY
from ..rules import MAX_PLAYERS
from ..sampling import sample_worlds
from .playing_rules import reachable_bid
from .playout import state_card

SPREAD = 16
"""Bids of others are off from those of ``heuristic`` by less than so many points, mostly by few."""
BID_SCALE = 8.0
"""An open bid that is further off by so many points makes a world e times less likely."""
TEMPERATURE = 2.0
"""A card that costs so many points more, as ``heuristic`` sees it, is e times less likely."""
WHIM = 0.1
"""Share of cards and bids that follow no reason."""


@jit
def knows_more_than_its_hand(view: Record, rules: Record) -> bool:
    """Whether others have shown anything: a card, or an open bid."""
    for seat in range(rules["players"]):
        if seat != view["seat"] and view["bids"][seat] >= 0:
            return True
    return bool(view["num_played"] > 0)


@jit
def _draw_errors(key0: Integer, key1: Integer, world: Integer, errors: Array) -> None:
    """Errors in the bids of a world, int64 ``[4]``: triangular, between −SPREAD and SPREAD."""
    for at, word in enumerate(words_of_world(key0, key1, ERRORS, world, 0, 0)):
        errors[at] = below(low_half(word), SPREAD + 1) - below(high_half(word), SPREAD + 1)


@jit
def _begin(view: Record, rules: Record, hands: Array, state: Record) -> None:
    """A STATE record with the hands of a world, uint64 ``[P]``, dealt and nothing bid."""
    clear_deal(state)
    players = rules["players"]
    state["trump"] = view["trump"]
    state["turned_up"] = view["turned_up"]
    state["deal"] = view["deal"]
    for seat in range(MAX_PLAYERS):
        state["penalties"][seat] = view["penalties"][seat]
    for seat in range(players):
        state["hands"][seat] = np.int64(hands[seat])
    for at in range(view["num_played"]):
        seat = (view["leaders"][at // players] + at % players) % players
        state["hands"][seat] |= 1 << np.int64(view["order"][at])
    open_deal(state, rules, np.int64(view["dealer"]))


@jit
def _give_bids(book: Record, view: Record, rules: Record, errors: Array, state: Record) -> float:
    """All bids of a world: those known, and others that may be. Returns the logarithm of how
    likely the open ones are.

    The seat's own bid stands there too where it is still to be given.
    """
    seat, trump = np.int64(view["seat"]), np.int64(view["trump"])
    players, total = rules["players"], np.int64(rules["total_points"][trump])
    logarithm, at = 0.0, 0
    for other in range(players):
        known = np.int64(view["bids"][other])
        lead = 1 if other == view["leaders"][0] else 0
        if other == seat and known >= 0:
            state["bids"][other] = known
            continue
        bid = reachable_bid(book, rules, np.int64(state["hands"][other]), trump, lead)
        if other == seat:
            state["bids"][other] = bid
        elif known >= 0:
            state["bids"][other] = known
            chance = 0.5 * np.exp(-abs(known - bid) / BID_SCALE) / BID_SCALE
            logarithm += np.log((1 - WHIM) * chance + WHIM / (total + 1))
        else:
            # Nothing is a plan, not a number that could as well be a few points higher.
            if bid > 0:
                bid = max(0, min(total, bid + errors[at]))
            state["bids"][other] = bid
            at += 1
    state["num_bids"] = players
    state["phase"] = PLAY
    return logarithm


@jit
def _replay(book: Record, view: Record, rules: Record, state: Record, prices: Array) -> float:
    """Play the cards that the view has seen. Returns the logarithm of how likely those of the
    others are."""
    logarithm = 0.0
    for at in range(view["num_played"]):
        card = np.int64(view["order"][at])
        if state["current_seat"] != view["seat"]:
            cards = lawful(state, rules)
            if cards & (cards - 1) != 0 and holds(cards, card):
                best = state_card(book, state, rules, prices)
                total, count = 0.0, 0
                for other in range(36):
                    if holds(cards, other):
                        total += np.exp((prices[best] - prices[other]) / TEMPERATURE)
                        count += 1
                chance = np.exp((prices[best] - prices[card]) / TEMPERATURE) / total
                logarithm += np.log((1 - WHIM) * chance + WHIM / count)
        play_card(state, rules, card)
    return logarithm


@jit
def believe(
    book: Record,
    view: Record,
    rules: Record,
    key0: Integer,
    key1: Integer,
    states: Array,
    weights: Array,
    prices: Array,
) -> bool:
    """Fill STATE records ``[M]`` with worlds at the decision at hand, all bids given, and float64
    weights ``[M]``, which sum to 1.

    World i is a function of the view, the key and i alone; its weight depends on all M. Returns
    False where no world is consistent with the view, which no view of a game is.
    """
    count = len(states)
    hands = np.zeros((count, rules["players"]), np.uint64)
    if not sample_worlds(view, rules, key0, key1, hands):
        return False
    errors = np.zeros(4, np.int64)
    highest = -np.inf
    for world in range(count):
        state = states[world]
        _draw_errors(key0, key1, world, errors)
        _begin(view, rules, hands[world], state)
        weights[world] = _give_bids(book, view, rules, errors, state)
        weights[world] += _replay(book, view, rules, state, prices)
        highest = max(highest, weights[world])
    total = 0.0
    for world in range(count):
        weights[world] = np.exp(weights[world] - highest)
        total += weights[world]
    for world in range(count):
        weights[world] /= total
    return True


@jit
def share_out(weights: Array, wanted: Integer, copies: Array) -> None:
    """How often each of M worlds is taken so that there are ``wanted`` in all, into int64 ``[M]``:
    as often as evenly spaced cuts fall into its weight."""
    taken, reached = 0, 0.0
    for world in range(len(weights)):
        reached += weights[world]
        # The last world takes what rounding left over.
        cuts = np.int64(reached * wanted + 0.5) if world + 1 < len(weights) else wanted
        copies[world] = max(0, cuts - taken)
        taken += copies[world]
