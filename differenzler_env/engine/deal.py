"""Engine: randomness and dealing. A deal is a function of its key (seed, row, match, deal) alone.

The generator is Threefry-4x64 with 20 rounds (Salmon, Moraes, Dror, Shaw: "Parallel random numbers:
as easy as 1, 2, 3", 2011): 256 bits of key, 256 bits of counter, no state to share or lose.
"""

import numpy as np

from ..cards import NUM_CARDS, PUUR
from .jit import Array, Integer, Record, inlined, jit, u64, wrap
from .kernels import suit_of
from .state import BID, NO_BID, NO_CARD, NO_SEAT

DEAL, FIRST_DEALER, DECISION, ROW = 0, 1, 2, 3
"""Purposes: no two draws for different purposes share a counter."""
HANDS, ERRORS = 0, 1
"""Purposes of the draws for worlds that a seat may believe in, whose keys are others."""

Words = tuple[Integer, Integer, Integer, Integer]

_PARITY = u64(0x1BD11BDAA9FC1A22)
_ROTATIONS = (
    (u64(14), u64(16)),
    (u64(52), u64(57)),
    (u64(23), u64(40)),
    (u64(5), u64(37)),
    (u64(25), u64(33)),
    (u64(46), u64(12)),
    (u64(58), u64(22)),
    (u64(32), u64(32)),
)
_64 = u64(64)
_32 = u64(32)
_LOW = u64(0xFFFF_FFFF)


@inlined
def _rotate(word: Integer, by: Integer) -> Integer:
    return wrap(word << by) | (word >> (_64 - by))


@inlined
def _mix(a: Integer, b: Integer, by: Integer) -> tuple[Integer, Integer]:
    a = wrap(a + b)
    return a, _rotate(b, by) ^ a


@inlined
def _four_rounds(x0: Integer, x1: Integer, x2: Integer, x3: Integer, first: Integer) -> Words:
    """Four rounds; ``first`` is 0 or 4, the place in the cycle of eight rotations."""
    x0, x1 = _mix(x0, x1, _ROTATIONS[first][0])
    x2, x3 = _mix(x2, x3, _ROTATIONS[first][1])
    x0, x3 = _mix(x0, x3, _ROTATIONS[first + 1][0])
    x2, x1 = _mix(x2, x1, _ROTATIONS[first + 1][1])
    x0, x1 = _mix(x0, x1, _ROTATIONS[first + 2][0])
    x2, x3 = _mix(x2, x3, _ROTATIONS[first + 2][1])
    x0, x3 = _mix(x0, x3, _ROTATIONS[first + 3][0])
    x2, x1 = _mix(x2, x1, _ROTATIONS[first + 3][1])
    return x0, x1, x2, x3


@inlined
def threefry(
    k0: Integer,
    k1: Integer,
    k2: Integer,
    k3: Integer,
    c0: Integer,
    c1: Integer,
    c2: Integer,
    c3: Integer,
) -> Words:
    """Threefry-4x64-20: four u64 random words for a key and a counter of four u64 each."""
    k4 = _PARITY ^ k0 ^ k1 ^ k2 ^ k3
    x0, x1, x2, x3 = wrap(c0 + k0), wrap(c1 + k1), wrap(c2 + k2), wrap(c3 + k3)
    x0, x1, x2, x3 = _four_rounds(x0, x1, x2, x3, 0)
    x0, x1, x2, x3 = wrap(x0 + k1), wrap(x1 + k2), wrap(x2 + k3), wrap(x3 + k4 + u64(1))
    x0, x1, x2, x3 = _four_rounds(x0, x1, x2, x3, 4)
    x0, x1, x2, x3 = wrap(x0 + k2), wrap(x1 + k3), wrap(x2 + k4), wrap(x3 + k0 + u64(2))
    x0, x1, x2, x3 = _four_rounds(x0, x1, x2, x3, 0)
    x0, x1, x2, x3 = wrap(x0 + k3), wrap(x1 + k4), wrap(x2 + k0), wrap(x3 + k1 + u64(3))
    x0, x1, x2, x3 = _four_rounds(x0, x1, x2, x3, 4)
    x0, x1, x2, x3 = wrap(x0 + k4), wrap(x1 + k0), wrap(x2 + k1), wrap(x3 + k2 + u64(4))
    x0, x1, x2, x3 = _four_rounds(x0, x1, x2, x3, 0)
    return wrap(x0 + k0), wrap(x1 + k1), wrap(x2 + k2), wrap(x3 + k3 + u64(5))


@inlined
def words_for(state: Record, purpose: Integer, deal: Integer, a: Integer, b: Integer) -> Words:
    """Four u64 words from the key of a STATE record, for a purpose and its own counters a and b."""
    return threefry(
        u64(state["seed"][0]),
        u64(state["seed"][1]),
        u64(state["row"]),
        u64(state["match"]),
        u64(deal),
        u64(purpose),
        u64(a),
        u64(b),
    )


@inlined
def words_of_world(
    key0: Integer, key1: Integer, purpose: Integer, world: Integer, a: Integer, b: Integer
) -> Words:
    """Four u64 words from a key of two words, for one of the worlds that a seat may believe in (a
    number from 0), a purpose (HANDS or ERRORS) and its own counters a and b."""
    return threefry(u64(key0), u64(key1), u64(purpose), u64(0), u64(world), u64(a), u64(b), u64(0))


@inlined
def low_half(word: Integer) -> Integer:
    """The lower 32 bits of a u64, as int64."""
    return np.int64(word & _LOW)


@inlined
def high_half(word: Integer) -> Integer:
    """The upper 32 bits of a u64, as int64."""
    return np.int64(word >> _32)


@inlined
def below(word: Integer, n: Integer) -> Integer:
    """A number 0…n−1 from 32 random bits (int64), by multiply and shift; each is hit equally often
    to within n / 2³²."""
    return (word * n) >> 32


BLOCKS = 8
"""Blocks of the generator drawn for a deal: more than it needs, as many as the vector instructions
of a processor compute at once."""
_TRUMP_DRAW = 8 * BLOCKS
_CARDS = 9 * BLOCKS
SCRATCH = _CARDS + NUM_CARDS
"""How many int64 values dealing overwrites: the choices of the shuffle, the draws for trump (the
first counts), the cards."""


@inlined
def _choose_all(state: Record, scratch: Array) -> None:
    """For each position p of the shuffle a number 0…p, drawn for the deal at hand, at
    ``scratch[place(p)]``."""
    # The compiler does not know how many blocks there are; it would write them out one by one.
    for block in range(len(scratch) * BLOCKS // SCRATCH):
        a, b, c, d = words_for(state, DEAL, state["deal"], block, 0)
        n = (8 * block & 63) + 1  # the mask tells the compiler that it is small
        scratch[block] = below(low_half(a), n)
        scratch[block + BLOCKS] = below(high_half(a), n + 1)
        scratch[block + 2 * BLOCKS] = below(low_half(b), n + 2)
        scratch[block + 3 * BLOCKS] = below(high_half(b), n + 3)
        scratch[block + 4 * BLOCKS] = below(low_half(c), n + 4)
        scratch[block + 5 * BLOCKS] = below(high_half(c), n + 5)
        scratch[block + 6 * BLOCKS] = below(low_half(d), n + 6)
        scratch[block + 7 * BLOCKS] = below(high_half(d), n + 7)
        scratch[block + _TRUMP_DRAW] = low_half(a)


@inlined
def place(position: Integer) -> Integer:
    """Where the choice for a position stands: the eight of a block are BLOCKS apart."""
    return (position & 7) * BLOCKS + (position >> 3)


@jit
def clear_table(state: Record) -> None:
    """No card lies on the table."""
    state["led_card"] = NO_CARD
    state["best_card"] = NO_CARD
    state["best_seat"] = NO_SEAT
    state["on_table"] = 0
    state["trick_points"] = 0


@jit
def clear_deal(state: Record) -> None:
    """An undealt deal: nothing bid, nothing played."""
    for seat in range(5):
        state["hands"][seat] = 0
        state["excluded"][seat] = 0
        state["bids"][seat] = NO_BID
        state["points"][seat] = 0
        state["revokes"][seat] = 0
    for i in range(36):
        state["order"][i] = NO_CARD
    for trick in range(len(state["leaders"])):
        state["leaders"][trick] = NO_SEAT
    state["turned_up"] = NO_CARD
    state["phase"] = BID
    state["num_bids"] = 0
    state["num_played"] = 0
    clear_table(state)


@jit
def open_deal(state: Record, rules: Record, dealer: Integer) -> None:
    """The deal has its cards: forehand, to the right of the dealer, is asked first."""
    state["dealer"] = dealer
    forehand = (dealer + 1) % rules["players"]
    state["current_seat"] = forehand
    state["leaders"][0] = forehand


@jit
def deal_cards(state: Record, rules: Record, dealer: Integer, scratch: Array) -> None:
    """Deal the cards and the trump of the STATE record's key.

    Args:
        state: one STATE record; its seed, row, match and deal are the key.
        rules: one RULES record.
        dealer: seat that deals.
        scratch: int64 ``[SCRATCH]``, overwritten.
    """
    clear_deal(state)
    n, tricks = rules["num_cards"], rules["tricks"]
    cards = scratch[_CARDS:]
    _choose_all(state, scratch)
    for i in range(n):
        cards[i] = rules["deck_cards"][i]
    # Fisher–Yates from the top: a position is final once passed.
    position = n - 1
    for seat in range(rules["players"] - 1, -1, -1):
        hand: Integer = 0
        for _ in range(tricks):
            chosen = scratch[place(position)]
            card = cards[chosen]
            cards[chosen] = cards[position]
            cards[position] = card
            hand |= 1 << card
            position -= 1
        state["hands"][seat] = hand
    if rules["turned_up"]:
        turned_up = cards[dealer * tricks + tricks - 1]
        state["turned_up"] = turned_up
        state["trump"] = suit_of(turned_up)
    else:
        # The shuffle has no use for the first draw: the last card has no choice. So trump is
        # independent of the hands.
        state["trump"] = rules["trumps"][below(scratch[_TRUMP_DRAW], rules["num_trumps"])]
    open_deal(state, rules, dealer)


@jit
def start_match(state: Record, rules: Record, scratch: Array) -> None:
    """The first deal of the match whose key the STATE record holds; totals at zero."""
    state["deal"] = 0
    for seat in range(5):
        state["penalties"][seat] = 0
    dealer = rules["first_dealer"]
    if dealer < 0:
        words = words_for(state, FIRST_DEALER, 0, 0, 0)
        dealer = below(high_half(words[0]), rules["players"])
    deal_cards(state, rules, dealer, scratch)


@jit
def decision_key(state: Record) -> Integer:
    """u64: the key of the decision at hand, a function of (seed, row, match, deal, seat,
    decision)."""
    decision = state["num_bids"] + state["num_played"]
    return words_for(state, DECISION, state["deal"], decision, state["current_seat"])[0]


@jit
def row_key(state: Record, purpose: Integer) -> Integer:
    """u64: a function of (seed, row, match, purpose) for draws that hold for a whole match."""
    return words_for(state, ROW, 0, purpose, 0)[0]


STOECK_BITS = tuple(1 << (card + 1) | 1 << (card + 2) for card in PUUR)
"""Queen and king of each trump suit: the Stöck."""
