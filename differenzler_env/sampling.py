"""Sampling: worlds that a seat may believe in. The hands of the others, uniform over all deals
consistent with its view.

What a play has shown always rules out whole suits (in trumps perhaps all but the Puur), so unseen
cards fall into few classes, each with the seats that may hold it. The number of ways to share out
the classes is counted exactly, class by class over what the seats have room for; a world is then
drawn class by class in proportion to those counts, which makes every consistent deal equally
likely.
"""

from math import comb

import numpy as np

from .cards import SUIT_BITS
from .engine.deal import HANDS, below, high_half, low_half, words_of_world
from .engine.jit import Array, Integer, Record, inlined, jit, lowest_bit, popcount, u64
from .engine.redact import unseen_cards
from .rules import MAX_PLAYERS

MAX_CLASSES = 6
"""Four suits, the Puur apart from its suit, and room to spare."""
SLOTS = MAX_PLAYERS - 1
"""The other seats, from the right-hand neighbour on; slots beyond the table have no room."""

_BINOMIAL = np.array([[comb(n, k) for k in range(37)] for n in range(37)], np.int64)
_SHARES, _CARDS = 0, 1
"""What is drawn for a class: how many of its cards each slot gets, and which."""


@jit
def cards_left(view: Record, rules: Record, seat: Integer) -> Integer:
    """How many cards a seat still holds."""
    players = rules["players"]
    in_trick = view["num_played"] % players
    complete = view["num_played"] // players
    place = (seat - view["leaders"][complete] + players) % players
    return rules["tricks"] - complete - (1 if place < in_trick else 0)


@jit
def _classify(
    view: Record, rules: Record, room: Array, class_cards: Array, class_slots: Array
) -> Integer:
    """Fill in each slot's room, and the classes: their cards and the slots that may hold them.

    Returns the number of classes. The turned-up card of another seat is in no class, and its place
    is not in the room.
    """
    players, seat = rules["players"], np.int64(view["seat"])
    unseen = unseen_cards(view, rules)
    room[:] = 0
    for slot in range(players - 1):
        room[slot] = cards_left(view, rules, (seat + 1 + slot) % players)
    known = np.int64(view["turned_up"])
    if known >= 0 and (unseen >> known) & 1:
        unseen &= ~(1 << known)
        room[(view["dealer"] - seat - 1 + players) % players] -= 1
    classes = 0
    for suit in range(4):
        cards = unseen & SUIT_BITS[suit]
        while cards:
            # The first card's holders decide the class; all cards of the suit alike go with it.
            slots = 0
            for slot in range(players - 1):
                if not (view["excluded"][(seat + 1 + slot) % players] >> lowest_bit(cards)) & 1:
                    slots |= 1 << slot
            alike = cards
            for slot in range(players - 1):
                excluded = view["excluded"][(seat + 1 + slot) % players]
                alike &= ~excluded if (slots >> slot) & 1 else excluded
            cards &= ~alike
            at = 0
            while at < classes and class_slots[at] != slots:
                at += 1
            if at == classes:
                class_slots[at], class_cards[at] = slots, 0
                classes += 1
            class_cards[at] |= alike
    return classes


@jit
def _ways_to_share(
    count: Integer,
    slots: Integer,
    room: Array,
    strides: Array,
    after: Array,
    pick: Integer,
    out: Array,
) -> Integer:
    """Go through the ways to share ``count`` cards of a class among its slots.

    Each way counts as many times as there are choices of cards for it, times ``after`` of the room
    it leaves. With ``pick`` < 0 returns the total; else stops at the way in which ``pick`` falls
    and writes its shares to ``out``.
    """
    most0 = min(count, room[0]) if slots & 1 else 0
    total = 0
    for a in range(most0 + 1):
        left1 = count - a
        most1 = min(left1, room[1]) if slots & 2 else 0
        for b in range(most1 + 1):
            left2 = left1 - b
            most2 = min(left2, room[2]) if slots & 4 else 0
            for c in range(most2 + 1):
                d = left2 - c
                if d > (room[3] if slots & 8 else 0):
                    continue
                state = (
                    (room[0] - a) * strides[0]
                    + (room[1] - b) * strides[1]
                    + (room[2] - c) * strides[2]
                    + (room[3] - d) * strides[3]
                )
                choices = _BINOMIAL[count, a] * _BINOMIAL[left1, b] * _BINOMIAL[left2, c]
                total += choices * after[state]
                if 0 <= pick < total:
                    out[0], out[1], out[2], out[3] = a, b, c, d
                    return total
    return total


@jit
def _count_ways(
    classes: Integer,
    class_cards: Array,
    class_slots: Array,
    room: Array,
    strides: Array,
    ways: Array,
) -> None:
    """Fill ``ways[class, state]``: in how many ways this class and the later ones fill the room of
    a state exactly."""
    states = 1
    for slot in range(SLOTS):
        strides[slot] = states
        states *= room[slot] + 1
    ways[classes, 0] = 1
    left = np.zeros(SLOTS, np.int64)
    cards = 0
    for at in range(classes - 1, -1, -1):
        count = popcount(class_cards[at])
        cards += count
        for state in range(states):
            total = 0
            for slot in range(SLOTS):
                left[slot] = (state // strides[slot]) % (room[slot] + 1)
                total += left[slot]
            ways[at, state] = 0
            if total == cards:
                ways[at, state] = _ways_to_share(
                    count, class_slots[at], left, strides, ways[at + 1], -1, left
                )


@inlined
def _state_of(room: Array, strides: Array) -> Integer:
    """The number of a state: how much room each slot has."""
    state = 0
    for slot in range(SLOTS):
        state += room[slot] * strides[slot]
    return state


@inlined
def _draw_way(
    total: Integer, key0: Integer, key1: Integer, world: Integer, block: Integer
) -> tuple[Integer, Integer]:
    """A number 0…total − 1, each equally likely, and the block of the generator to go on with.

    63-bit draws past a whole multiple of ``total`` are drawn again.
    """
    enough = ((1 << 63) - 1) // total * total
    pick = -1
    while pick < 0:
        words = words_of_world(key0, key1, HANDS, world, block, _SHARES)
        block += 1
        for word in words:
            draw = np.int64(word >> u64(1))
            if pick < 0 and draw < enough:
                pick = draw % total
    return pick, block


@inlined
def _deal_class(
    bits: Integer,
    shares: Array,
    key0: Integer,
    key1: Integer,
    world: Integer,
    block: Integer,
    cards: Array,
    draws: Array,
    hands: Array,
) -> Integer:
    """Deal the cards of a class, as many to each slot as its share, and add them to the hands.

    Fisher–Yates from the top, eight draws of 32 bits a block; ``cards`` int64 ``[36]`` and
    ``draws`` int64 ``[8]`` are overwritten. Returns the block of the generator to go on with.
    """
    count = 0
    while bits:
        cards[count] = lowest_bit(bits)
        bits &= bits - 1
        count += 1
    position = count - 1
    drawn = 8
    for slot in range(SLOTS):
        for _ in range(shares[slot]):
            if drawn == 8:
                words = words_of_world(key0, key1, HANDS, world, block, _CARDS)
                for at, word in enumerate(words):
                    draws[2 * at], draws[2 * at + 1] = low_half(word), high_half(word)
                block += 1
                drawn = 0
            chosen = below(draws[drawn], position + 1)
            drawn += 1
            card = cards[chosen]
            cards[chosen] = cards[position]
            hands[slot] |= 1 << int(card)
            position -= 1
    return block


@jit
def sample_worlds(view: Record, rules: Record, key0: Integer, key1: Integer, worlds: Array) -> bool:
    """Fill uint64 ``[n, P]`` with worlds; world i is a function of the view, the key and i alone.

    Returns False where no deal is consistent with the view, which no view of a game is.
    """
    players, seat = rules["players"], np.int64(view["seat"])
    room = np.zeros(SLOTS, np.int64)
    strides = np.zeros(SLOTS, np.int64)
    class_cards = np.zeros(MAX_CLASSES, np.int64)
    class_slots = np.zeros(MAX_CLASSES, np.int64)
    classes = _classify(view, rules, room, class_cards, class_slots)
    ways = np.zeros((classes + 1, np.prod(room + 1)), np.int64)
    _count_ways(classes, class_cards, class_slots, room, strides, ways)
    if ways[0, _state_of(room, strides)] == 0:
        return False
    left = np.zeros(SLOTS, np.int64)
    shares = np.zeros(SLOTS, np.int64)
    hands = np.zeros(SLOTS, np.int64)
    cards = np.zeros(36, np.int64)
    draws = np.zeros(8, np.int64)
    known = np.int64(view["turned_up"])
    elsewhere = known >= 0 and (unseen_cards(view, rules) >> known) & 1
    for world in range(len(worlds)):
        left[:] = room
        hands[:] = 0
        block = 0
        for at in range(classes):
            bits, slots, after = class_cards[at], class_slots[at], ways[at + 1]
            total = ways[at, _state_of(left, strides)]
            pick, block = _draw_way(total, key0, key1, world, block)
            _ways_to_share(popcount(bits), slots, left, strides, after, pick, shares)
            block = _deal_class(bits, shares, key0, key1, world, block, cards, draws, hands)
            left -= shares
        for slot in range(players - 1):
            worlds[world, (seat + 1 + slot) % players] = hands[slot]
        worlds[world, seat] = view["hand"]
        if elsewhere:
            worlds[world, view["dealer"]] |= u64(1) << u64(known)
    return True
