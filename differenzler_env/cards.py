"""Foundation: the 36 cards; their names, order and points. Imports NumPy only.

A card is an index ``9 * suit + rank``; suits ``C D H S`` are 0…3, ranks ``6 7 8 9 10 J Q K A`` are
0…8. A set of cards is an ``int`` in which bit *c* stands for card *c* (36 bits).
"""

from collections.abc import Iterable
from functools import lru_cache

import numpy as np

SUITS = "CDHS"
SUIT_NAMES = ("clubs", "diamonds", "hearts", "spades")
RANKS = ("6", "7", "8", "9", "10", "J", "Q", "K", "A")
NUM_SUITS = len(SUITS)
NUM_RANKS = len(RANKS)
NUM_CARDS = NUM_SUITS * NUM_RANKS
ALL_CARDS = (1 << NUM_CARDS) - 1
NAMES = tuple(suit + rank for suit in SUITS for rank in RANKS)

SIDE_ORDER = ("A", "K", "Q", "J", "10", "9", "8", "7", "6")
"""Ranks of a side suit, high to low."""
TRUMP_ORDER = ("J", "9", "A", "K", "Q", "10", "8", "7", "6")
"""Ranks of the trump suit, high to low: J is the Puur, 9 the Näll."""
SIDE_POINTS = {"A": 11, "10": 10, "K": 4, "Q": 3, "J": 2}
"""Card points by rank in a side suit; the other ranks count 0."""
TRUMP_POINTS = SIDE_POINTS | {"J": 20, "9": 14}
"""Card points by rank in the trump suit; the other ranks count 0."""
LAST_TRICK_POINTS = 5
MAX_POINTS = 157
"""Card points of a whole deal with all 36 cards, the last trick included."""

_INDEX = {name: card for card, name in enumerate(NAMES)}


def card_index(name: str) -> int:
    """The index 0…35 of a card text such as ``"D10"``.

    Raises:
        ValueError: if it is not the text of one of the 36 cards.
    """
    try:
        return _INDEX[name]
    except (KeyError, TypeError):
        raise ValueError(
            f"{name!r} is not a card; a card is a suit letter {'/'.join(SUITS)} and a rank "
            f"{'/'.join(RANKS)}, such as 'D10'"
        ) from None


def card_name(card: int) -> str:
    """The text of card index 0…35, such as ``"D10"``."""
    return NAMES[card]


def suit_index(letter: str) -> int:
    """The index 0…3 of a suit letter.

    Raises:
        ValueError: if it is not one of ``C D H S``.
    """
    if isinstance(letter, str) and len(letter) == 1 and letter in SUITS:
        return SUITS.index(letter)
    raise ValueError(f"{letter!r} is not a suit; suits are {', '.join(SUITS)}")


def hand_bits(names: Iterable[str]) -> int:
    """The set of the named cards, as a bit mask.

    Raises:
        ValueError: if a text is not a card or a card is named twice.
    """
    bits = 0
    for name in names:
        bit = 1 << card_index(name)
        if bits & bit:
            raise ValueError(f"card {name} is given twice")
        bits |= bit
    return bits


def cards_in(bits: int) -> list[int]:
    """The card indices of a set, ascending."""
    cards, bits = [], int(bits)
    while bits:
        lowest = bits & -bits
        cards.append(lowest.bit_length() - 1)
        bits ^= lowest
    return cards


@lru_cache(maxsize=4096)
def _names(bits: int) -> tuple[str, ...]:
    return tuple(NAMES[card] for card in cards_in(bits))


def hand_names(bits: int) -> list[str]:
    """The texts of a set of cards, ascending by index: suit by suit, low to high."""
    return list(_names(int(bits)))


def _points_table() -> np.ndarray:
    table = np.zeros((NUM_SUITS, NUM_CARDS), np.int8)
    for trump in range(NUM_SUITS):
        for card in range(NUM_CARDS):
            suit, rank = divmod(card, NUM_RANKS)
            points = TRUMP_POINTS if suit == trump else SIDE_POINTS
            table[trump, card] = points.get(RANKS[rank], 0)
    table.setflags(write=False)
    return table


def _beaters_table() -> np.ndarray:
    table = np.zeros((NUM_SUITS, NUM_CARDS), np.int64)
    for trump in range(NUM_SUITS):
        all_trumps = sum(1 << 9 * trump + rank for rank in range(NUM_RANKS))
        for card in range(NUM_CARDS):
            suit, rank = divmod(card, NUM_RANKS)
            order = TRUMP_ORDER if suit == trump else SIDE_ORDER
            higher = order[: order.index(RANKS[rank])]
            bits = sum(1 << 9 * suit + RANKS.index(name) for name in higher)
            table[trump, card] = bits | (0 if suit == trump else all_trumps)
    table.setflags(write=False)
    return table


POINTS = _points_table()
"""Card points, int8 ``[4, 36]``: ``POINTS[trump, card]``, 0…20."""
BEATERS = _beaters_table()
"""int64 ``[4, 36]``: ``BEATERS[trump, card]`` is the set of cards that beat ``card`` where it is
the best of the trick so far (so it is a trump or of the suit led)."""
SUIT_BITS = np.array([0x1FF << 9 * suit for suit in range(NUM_SUITS)], np.int64)
"""int64 ``[4]``: the nine cards of each suit."""
SUIT_BITS.setflags(write=False)
OWN_SUIT = np.repeat(SUIT_BITS, NUM_RANKS)
"""int64 ``[36]``: the nine cards of each card's suit."""
OWN_SUIT.setflags(write=False)
PUUR = tuple(9 * suit + RANKS.index("J") for suit in range(NUM_SUITS))
"""The Puur (trump jack) of each trump suit, as a card index."""
