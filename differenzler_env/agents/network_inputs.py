"""Agents: what a policy network makes of an observation before its first layer. No torch.

Suits are interchangeable except for trump, so the network plays in suits of its own: trump becomes
suit 0 and the others follow in an order that depends on the cards alone. To that are added inputs
that a player would count out: the cards not yet seen, which own cards are the highest of their
suit, which would take the trick, and how far the bid is still off, on a fine scale.
"""

import itertools
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ..cards import (
    BEATERS,
    LAST_TRICK_POINTS,
    MAX_POINTS,
    NUM_CARDS,
    NUM_RANKS,
    NUM_SUITS,
    OWN_SUIT,
    POINTS,
    SUIT_BITS,
)
from ..engine.jit import Array, Integer, jit, lowest_bit
from ..observation import LAYOUT, SLICES, Field
from ..rules import MAX_PLAYERS, Rules

ORDERS = tuple(itertools.permutations(range(NUM_SUITS)))
"""The 24 orders of suits: ``ORDERS[k][j]`` is the absolute suit that becomes suit j."""

_CONSTANT = ("current_seat", "players", "rules", "deck")
"""Fields that are the same at every decision under one rule set."""
_MATCH = ("deal", "penalties")
"""Fields about the match, of no use to a policy that plays each deal for itself."""
_ORDER_FREE = ("has_bid", "bid_known")
"""Fields that add nothing while bids are hidden."""

_FINE = (*range(-12, 30), *range(30, 60, 2), *range(60, 100, 4), *range(100, 158, 8))
GAP_KNOTS = (-100, -70, -50, -40, -32, -26, -20, -16, *_FINE, 157)
"""Scale of the gap between bid and points, fine where it matters."""
LEFT_KNOTS = tuple(range(0, 158, 5))
"""Scale of the points still to be taken by anybody."""
RANK_WEIGHTS = (10007, 12289, 7919, 16381, 15013, 9001, 13997, 11213, 14159)
"""Weights by which suits that are alike in the hand are told apart; sums stay below 2²⁴."""


class InputTables(NamedTuple):
    """What the kernels read.

    Attributes:
        pick: int64 ``[24, n]``: where the first n inputs stand in the observation, by suit order.
        numbers: int64 ``[256]``: number of a suit order, by the places of suits 0…3 in base 4.
        orders: int64 ``[24, 4]``: ``ORDERS``.
        gap_knots, left_knots: float32.
    """

    pick: Array
    numbers: Array
    orders: Array
    gap_knots: Array
    left_knots: Array


def input_tables(fields: Sequence[str], players: int) -> InputTables:
    """The tables for the named fields of the observation and a number of seats."""
    numbers = np.zeros(NUM_SUITS**NUM_SUITS, np.int64)
    for number, order in enumerate(ORDERS):
        numbers[sum(order.index(suit) * NUM_SUITS**suit for suit in range(NUM_SUITS))] = number
    picked = [field for field in LAYOUT if field.name in set(fields)]
    return InputTables(
        pick=suit_table(picked, SLICES, players),
        numbers=numbers,
        orders=np.array(ORDERS),
        gap_knots=np.array(GAP_KNOTS, np.float32),
        left_knots=np.array(LEFT_KNOTS, np.float32),
    )


def input_size(tables: InputTables) -> int:
    """Number of inputs."""
    ramps = 2 * (len(tables.gap_knots) - 1) + len(tables.left_knots) - 1
    return int(tables.pick.shape[1]) + 3 * NUM_CARDS + ramps


def useful_fields(rules: Rules) -> list[str]:
    """The names of the observation's fields that say something under these rules."""
    dropped = set(_CONSTANT + _MATCH)
    if rules.bidding == "hidden":
        dropped |= set(_ORDER_FREE)
    if rules.trump == "random":
        dropped.add("turned_up")
    return [field.name for field in LAYOUT if field.name not in dropped]


def suit_table(fields: Sequence[Field], starts: Mapping[str, slice], seats: int) -> Array:
    """Which value of a vector becomes which, for each order of the suits: int64 ``[24, size]``.

    Args:
        fields: those to pick, in order.
        starts: where each stands in the vector.
        seats: seat slots to keep of fields that have one value or row for each.
    """
    columns = []
    for field in fields:
        shape = (seats, *field.shape[1:]) if field.shape[0] == MAX_PLAYERS else field.shape
        if field.shape[0] == MAX_PLAYERS - 1 and field.kind == "card":
            shape = (seats - 1, *field.shape[1:])
        at = starts[field.name].start + np.arange(int(np.prod(shape)))
        rows = []
        for order in ORDERS:
            if field.kind == "plain":
                rows.append(at)
            elif field.kind == "suit":
                rows.append(at.reshape(-1, NUM_SUITS)[:, order].ravel())
            else:
                rows.append(at.reshape(-1, NUM_SUITS, NUM_RANKS)[:, order].ravel())
        columns.append(np.stack(rows))
    return np.concatenate(columns, axis=1)


_HAND = SLICES["hand"].start
_DECK = SLICES["deck"].start
_LAWFUL = SLICES["lawful"].start
_BEST = SLICES["best"].start
_ORDER = SLICES["order"].start
_TRUMP = SLICES["trump"].start
_POINTS_TAKEN = SLICES["points"].start
_TO_GO = SLICES["to_go"].start
_TRICK_POINTS = SLICES["trick_points"].start

_OWN_BEATERS = BEATERS[0]
_HIGHER = BEATERS[0] & OWN_SUIT
"""int64 ``[36]``: the higher cards of each card's suit, in own suits."""
_RANK_WEIGHTS = np.array(RANK_WEIGHTS)


@jit
def own_cards(observation: Array, at: Integer, order: Array) -> Integer:
    """A field of cards as a set, in own suits."""
    cards = 0
    for suit in range(NUM_SUITS):
        start = at + NUM_RANKS * order[suit]
        for rank in range(NUM_RANKS):
            if observation[start + rank] > 0:
                cards |= 1 << (NUM_RANKS * suit + rank)
    return cards


@jit
def suit_order(observation: Array, tables: InputTables) -> Integer:
    """The number in ``ORDERS`` of an observation's own suits.

    Trump comes first, then the suits with most own cards, of equals those with better cards, of
    equals by what was played of them.
    """
    code, place_value = 0, 1
    for suit in range(NUM_SUITS):
        place = 0
        for other in range(NUM_SUITS):
            if other != suit and _comes_before(observation, other, suit):
                place += 1
        code += place * place_value
        place_value *= NUM_SUITS
    return tables.numbers[code]


@jit
def _comes_before(observation: Array, first: Integer, second: Integer) -> Integer:
    """Whether one suit comes before another in the own suits of an observation."""
    if observation[_TRUMP + first] > 0 or observation[_TRUMP + second] > 0:
        return observation[_TRUMP + first] > 0
    rating = np.int64(0)
    for rank in range(NUM_RANKS):
        if observation[_HAND + NUM_RANKS * first + rank] > 0:
            rating += 512 + (1 << rank)
        if observation[_HAND + NUM_RANKS * second + rank] > 0:
            rating -= 512 + (1 << rank)
    if rating != 0:
        return rating > 0
    for rank in range(NUM_RANKS):
        rating += _RANK_WEIGHTS[rank] * (
            _seen_as(observation, NUM_RANKS * first + rank)
            - _seen_as(observation, NUM_RANKS * second + rank)
        )
    if rating != 0:
        return rating > 0
    return first < second


@jit
def _seen_as(observation: Array, card: Integer) -> Integer:
    """Place 1…36 at which a card was played, 0 if it was not, 72 if it is not in the deck."""
    if observation[_DECK + card] == 0:
        return np.int64(2 * NUM_CARDS)
    return np.int64(np.rint(observation[_ORDER + card] * NUM_CARDS))


@jit
def write_ramps(value: Integer, knots: Array, out: Array, at: Integer) -> Integer:
    """A number on a fine scale: for each stretch between knots how much of it lies below the value,
    0…1. Returns where the next input goes."""
    for i in range(len(knots) - 1):
        low, high = knots[i], knots[i + 1]
        if value >= high:
            out[at + i] = 1
        elif value <= low:
            out[at + i] = 0
        else:
            out[at + i] = (value - low) / (high - low)
    return at + len(knots) - 1


@jit
def write_set(cards: Integer, out: Array, at: Integer) -> Integer:
    """A set of cards as 36 inputs. Returns where the next input goes."""
    for card in range(NUM_CARDS):
        out[at + card] = (cards >> card) & 1
    return at + NUM_CARDS


@jit
def write_inputs(observation: Array, tables: InputTables, out: Array) -> Integer:
    """Write the inputs of one observation. Returns the number of its suit order."""
    number = suit_order(observation, tables)
    pick, order = tables.pick[number], tables.orders[number]
    picked = len(pick)
    for i in range(picked):
        out[i] = observation[pick[i]]

    hand = own_cards(observation, _HAND, order)
    deck = own_cards(observation, _DECK, order)
    unseen = deck & ~hand & ~own_cards(observation, _ORDER, order)
    top = 0
    cards = hand
    while cards:
        card = lowest_bit(cards)
        cards &= cards - 1
        if unseen & _HIGHER[card] == 0:
            top |= 1 << card
    best = own_cards(observation, _BEST, order)
    lawful = own_cards(observation, _LAWFUL, order)
    # With nothing on the table yet a trump takes the trick so far.
    takes = lawful & (_OWN_BEATERS[lowest_bit(best)] if best else SUIT_BITS[0])

    total = LAST_TRICK_POINTS
    for card in range(NUM_CARDS):
        if (deck >> card) & 1:
            total += int(POINTS[0, card])  # int8 would overflow without the compiler
    taken = np.float32(0)
    for seat in range(MAX_PLAYERS):
        taken += np.rint(observation[_POINTS_TAKEN + seat] * MAX_POINTS)
    gap = np.rint(observation[_TO_GO] * MAX_POINTS)
    on_table = np.rint(observation[_TRICK_POINTS] * MAX_POINTS)
    at = write_set(unseen, out, picked)
    at = write_set(top, out, at)
    at = write_set(takes, out, at)
    at = write_ramps(gap, tables.gap_knots, out, at)
    at = write_ramps(gap - on_table, tables.gap_knots, out, at)
    write_ramps(total - taken, tables.left_knots, out, at)
    return number


@jit
def input_rows(vectors: Array, rows: Array, tables: InputTables, out: Array, orders: Array) -> None:
    """Inputs of some of the vectors that begin with an observation.

    Args:
        vectors: float32 ``[B, …]``.
        rows: int64 ``[n]``, the vectors to read.
        tables: from :func:`input_tables`.
        out: float32 ``[n, size]``, written.
        orders: int64 ``[n]``, written: the number of each suit order.
    """
    for i in range(len(rows)):
        orders[i] = write_inputs(vectors[rows[i]], tables, out[i])


def card_table() -> Array:
    """Own card of each absolute card, for each order of the suits: int64 ``[24, 36]``."""
    table = np.zeros((len(ORDERS), NUM_CARDS), np.int64)
    for number, order in enumerate(ORDERS):
        for own, absolute in enumerate(order):
            for rank in range(NUM_RANKS):
                table[number, NUM_RANKS * absolute + rank] = NUM_RANKS * own + rank
    return table
