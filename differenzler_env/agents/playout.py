"""Agents: ``heuristic`` on STATE records. Whole deals played out at full speed, for search and for
measuring; each seat is given only what it may know."""

import numpy as np

from ..cards import LAST_TRICK_POINTS
from ..engine.jit import Array, Integer, Record, jit, lowest_bit
from ..engine.kernels import card_points, legal_cards
from ..engine.play import give_bid, lawful, play_card
from .playing_rules import ALL_CARDS, MAX_STAGE, points_held, reachable_bid, weigh_cards


@jit
def excluded_behind(excluded: Array, seat: Integer, behind: Integer, players: Integer) -> Integer:
    """Cards that none of the next ``behind`` seats can hold."""
    cards: Integer = ALL_CARDS
    for _ in range(behind):
        seat += 1
        if seat == players:
            seat = 0
        cards &= excluded[seat]
    return cards


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
    players, trump = rules["players"], np.int64(state["trump"])
    seat, played = np.int64(state["current_seat"]), np.int64(state["num_played"])
    in_trick = played % players
    tricks = rules["tricks"] - played // players
    hand = np.int64(state["hands"][seat])
    held, table = 0, 0
    left = np.int64(rules["total_points"][trump])
    for other in range(players):
        held |= state["hands"][other]
        left -= state["points"][other]
    for at in range(played - in_trick, played):
        table += card_points(np.int64(state["order"][at]), trump)
    behind = players - 1 - in_trick
    return weigh_cards(
        book,
        hand,
        cards,
        held & ~hand,
        excluded_behind(state["excluded"], seat, behind, players),
        trump,
        np.int64(state["bids"][seat]) - np.int64(state["points"][seat]),
        table,
        left - LAST_TRICK_POINTS - table - points_held(hand, trump),
        behind,
        min(tricks, MAX_STAGE),
        np.int64(state["led_card"]),
        np.int64(state["best_card"]),
        prices,
    )


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
    played = np.int64(state["num_played"])
    in_trick = played % players
    tricks = rules["tricks"] - played // players
    held: Integer = 0
    table: Integer = 0
    led: Integer = np.int64(state["led_card"])
    left = np.int64(rules["total_points"][trump])
    for other in range(players):
        held |= state["hands"][other]
        left -= state["points"][other]
    for at in range(played - in_trick, played):
        table += card_points(np.int64(state["order"][at]), trump)
    while True:
        seat, best = np.int64(state["current_seat"]), np.int64(state["best_card"])
        hand = np.int64(state["hands"][seat])
        card = hand
        if tricks > 1:
            card = legal_cards(hand, led, best, trump, undertrump)
        if card & (card - 1) == 0:
            card = lowest_bit(card)
        else:
            behind = players - 1 - in_trick
            card = weigh_cards(
                book,
                hand,
                card,
                held & ~hand,
                excluded_behind(state["excluded"], seat, behind, players),
                trump,
                np.int64(state["bids"][seat]) - np.int64(state["points"][seat]),
                table,
                left - LAST_TRICK_POINTS - table - points_held(hand, trump),
                behind,
                min(tricks, MAX_STAGE),
                led,
                best,
                prices,
            )
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
