"""Agents: ``heuristic`` on STATE records. Whole deals played out at full speed, for search and for
measuring; each seat is given only what it may know."""

import numpy as np

from ..engine.jit import Array, Integer, Record, jit, lowest_bit
from ..engine.kernels import card_points, legal_cards
from ..engine.play import give_bid, lawful, play_card
from .playing_rules import course, reachable_bid, weigh_at


@jit
def cards_held(state: Record, rules: Record) -> Integer:
    """The cards in all hands of a STATE record."""
    held: Integer = 0
    for seat in range(rules["players"]):
        held |= state["hands"][seat]
    return held


@jit
def state_bid(book: Record, state: Record, rules: Record) -> Integer:
    """The bid of the seat to act in the bid phase of a STATE record."""
    seat = np.int64(state["current_seat"])
    hand, lead = np.int64(state["hands"][seat]), 1 if seat == state["leaders"][0] else 0
    return reachable_bid(book, rules, hand, np.int64(state["trump"]), lead)


@jit
def state_card(book: Record, state: Record, rules: Record, prices: Array) -> Integer:
    """The card of the seat to act in the play phase of a STATE record; ``prices`` as in
    :func:`.playing_rules.weigh_cards`, written only where there is a choice."""
    cards = lawful(state, rules)
    if cards & (cards - 1) == 0:
        return lowest_bit(cards)
    seat = np.int64(state["current_seat"])
    hand = np.int64(state["hands"][seat])
    unseen = cards_held(state, rules) & ~hand
    return weigh_at(book, state, rules, seat, hand, cards, unseen, course(state, rules), prices)


@jit
def give_bids(book: Record, state: Record, rules: Record) -> None:
    """Give the bids of all seats that have not yet bid."""
    while state["num_bids"] < rules["players"]:
        give_bid(state, rules, state_bid(book, state, rules))


@jit
def play_out(book: Record, state: Record, rules: Record, prices: Array) -> None:
    """Play the deal of a STATE record in its play phase up to its last card; it is not settled.

    The same choices as :func:`state_card`, with what they need carried along. Of other hands only
    the union is used: the cards not yet seen, which each seat knows.
    """
    players, trump, undertrump = rules["players"], np.int64(state["trump"]), rules["undertrump"]
    held = cards_held(state, rules)
    in_trick, tricks, table, left, led = course(state, rules)
    while True:
        seat, best = np.int64(state["current_seat"]), np.int64(state["best_card"])
        hand = np.int64(state["hands"][seat])
        card = hand
        if tricks > 1:
            card = legal_cards(hand, led, best, trump, undertrump)
        if card & (card - 1) == 0:
            card = lowest_bit(card)
        else:
            now = in_trick, tricks, table, left, led
            card = weigh_at(book, state, rules, seat, hand, card, held & ~hand, now, prices)
        if play_card(state, rules, card):
            return
        held &= ~(1 << card)
        table += card_points(card, trump)
        if led < 0:
            led = card
        in_trick += 1
        if in_trick == players:
            left -= table
            in_trick, table, led = 0, 0, -1
            tricks -= 1
