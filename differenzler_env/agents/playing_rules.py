"""Agents: the playing rules of ``heuristic``. Each kernel says one thing that a Jass player would.

The plan behind them: of all lawful cards play the one after which the bid is still best within
reach. What a hand can still bring and what it cannot avoid taking is summed up card by card
(:func:`suit_outlook`). How likely a card holds the trick is read off the cards not yet seen
(:func:`hold_chance`), and those who play later may smear. What it costs when the bid lies near or
beyond the edge of what the hand can steer to is :func:`expected_penalty`. The numbers in all this
come from measured play, see :mod:`.heuristic_numbers`.
"""

from typing import Any

import numpy as np

from ..cards import ALL_CARDS, BEATERS, LAST_TRICK_POINTS, OWN_SUIT, POINTS, SUIT_BITS
from ..engine.jit import Array, Integer, Record, inlined, jit, lowest_bit, popcount
from ..engine.kernels import beats, card_points, suit_of

Real = Any
"""A float32 in a kernel."""

# Rows and columns of the numbers ------------------------------------------------------------

FEW_OR_MANY = np.array([0, 1, 1, 1, 1, 2, 2, 2, 2, 2])
"""Kind of a side suit, by the number of trumps not yet seen: none, a few (1…4) or many."""
TRUMP = 3
"""Kind of the trump suit."""
TRUMPS_OUT = np.array([0, 1, 1, 2, 2, 3, 3, 3, 3, 3])
"""The same in four steps, where it is asked whether a side card holds the trick."""
TRUMP_LED, CUT = 4, 5
"""Trumps there: played to a trump lead (or led), or cutting in on a side suit."""
CAN, MUST, DOUBT = 0, 1, 2
BASE, WIDTH, CAN_SHIFT, MUST_SHIFT, CALM, CALM_WIDTH = range(6)
MOST = 3
"""More unseen higher or lower cards of a suit than this count as this many."""
MOST_HIGHER = 5
"""The same where it is asked whether a card holds the trick."""
MAX_STAGE = 12
"""More tricks left than this count as this many."""
LOW_BID = 15
"""Bids below this are weighed against a bid of nothing."""

BOOK = np.dtype(
    [
        # What each held card adds to can, must and doubt: by kind of suit, unseen higher and lower
        # cards of the suit (0…3), whether lower and whether higher ones of it are held too.
        ("held", "f4", (4, MOST + 1, MOST + 1, 2, 2, 3)),
        # What each card point of it adds: by kind and unseen higher cards.
        ("points", "f4", (4, MOST + 1, 3)),
        # By tricks left and whether the seat leads: the columns BASE … CALM_WIDTH.
        ("stage", "f4", (MAX_STAGE + 1, 2, 6)),
        # Chance that the best card so far holds the trick: by seats still to play, kind, unseen
        # higher cards of its suit, unseen cards of its suit in pairs.
        ("holds", "f4", (5, 6, MOST_HIGHER + 1, 4)),
        # What a seat still to play adds to a trick, as a share of the average unseen card.
        ("smear", "f4"),
    ]
)
"""The measured numbers for one size of table."""

ZERO, ONE, HALF, QUARTER = (np.float32(number) for number in (0, 1, 0.5, 0.25))
HIGHER = BEATERS & OWN_SUIT
LOWER = OWN_SUIT & ~HIGHER & ~(1 << np.arange(36))
"""int64 ``[4, 36]``: the higher and the lower cards of a card's own suit, by trump."""
SUIT_POINTS = np.array(
    [[POINTS[trump, :9] @ (bits >> np.arange(9) & 1) for bits in range(512)] for trump in (1, 0)],
    np.int16,
)
"""Card points of each set of nine bits, as a side suit and as trump."""


@jit
def points_held(hand: Integer, trump: Integer) -> Integer:
    """Card points of a set of cards, looked up suit by suit."""
    total = 0
    for suit in range(4):
        total += SUIT_POINTS[1 if suit == trump else 0, (hand >> (9 * suit)) & 511]
    return total


# The outlook of a hand ----------------------------------------------------------------------


@jit
def suit_outlook(
    book: Record, cards: Integer, unseen: Integer, trump: Integer, kind: Integer
) -> tuple[Real, Real, Real]:
    """The points that the cards held of one suit can still bring, those they must take, and how
    far either is in doubt."""
    can, must, doubt = ZERO, ZERO, ZERO
    left = cards
    while left:
        card = lowest_bit(left)
        left &= left - 1
        above, below = HIGHER[trump, card], LOWER[trump, card]
        higher = min(popcount(unseen & above), MOST)
        lower = min(popcount(unseen & below), MOST)
        entry = book["held"][
            kind, higher, lower, 1 if cards & below else 0, 1 if cards & above else 0
        ]
        each = book["points"][kind, higher]
        points = np.float32(card_points(card, trump))
        can += entry[CAN] + points * each[CAN]
        must += entry[MUST] + points * each[MUST]
        doubt += entry[DOUBT] + points * each[DOUBT]
    return can, must, doubt


@jit
def side_kind(unseen: Integer, trump: Integer) -> Integer:
    """The kind of the side suits."""
    return FEW_OR_MANY[popcount(unseen & SUIT_BITS[trump])]


@jit
def hand_outlook(
    book: Record, hand: Integer, unseen: Integer, trump: Integer
) -> tuple[Real, Real, Real]:
    """What a whole hand can, must and leaves in doubt."""
    can, must, doubt = ZERO, ZERO, ZERO
    side = side_kind(unseen, trump)
    for suit in range(4):
        cards = hand & SUIT_BITS[suit]
        if cards:
            c, m, d = suit_outlook(book, cards, unseen, trump, TRUMP if suit == trump else side)
            can += c
            must += m
            doubt += d
    return can, must, doubt


@jit
def outside(distance: Real, width: Real) -> Real:
    """How far beyond an edge; rounded off over a width on either side of it."""
    near = width - min(abs(distance), width)
    return max(distance, ZERO) + near * near * QUARTER / width


@jit
def expected_penalty(
    book: Record, tricks: Integer, lead: Integer, gap: Real, can: Real, must: Real, doubt: Real
) -> Real:
    """What the deal will cost a seat that lacks ``gap`` points, with such an outlook.

    Little between what the hand must take and what it can, more the further beyond. A seat that
    lacks nothing, or nearly so, does better than that: it can often stay out of all tricks.
    """
    if tricks == 0:
        return abs(gap)
    stage = book["stage"][tricks, lead]
    width = max(ONE, stage[WIDTH] + doubt)
    away = gap * stage[CALM_WIDTH]
    return (
        stage[BASE]
        + outside(gap - can - stage[CAN_SHIFT], width)
        + outside(must + stage[MUST_SHIFT] - gap, width)
        - stage[CALM] / (ONE + away * away)
    )


# The card -----------------------------------------------------------------------------------


@jit
def hold_chance(
    book: Record,
    card: Integer,
    led: Integer,
    trump: Integer,
    feared: Integer,
    unseen: Integer,
    behind: Integer,
) -> Real:
    """The chance that a card which is the best so far holds the trick.

    ``feared`` are the unseen cards that a seat still to play may hold.
    """
    suit = suit_of(card)
    higher = min(popcount(feared & HIGHER[trump, card]), MOST_HIGHER)
    if suit == trump:
        kind = TRUMP_LED if led < 0 or suit_of(led) == trump else CUT
        return book["holds"][behind, kind, higher, 0]
    trumps = TRUMPS_OUT[popcount(feared & SUIT_BITS[trump])]
    pairs = min(popcount(unseen & SUIT_BITS[suit]) >> 1, 3)
    return book["holds"][behind, trumps, higher, pairs]


@jit
def weigh_cards(
    book: Record,
    hand: Integer,
    lawful: Integer,
    unseen: Integer,
    excluded: Integer,
    trump: Integer,
    gap: Integer,
    table: Integer,
    points_out: Integer,
    behind: Integer,
    tricks: Integer,
    led: Integer,
    best: Integer,
    prices: Array,
) -> Integer:
    """The card after which the bid is best within reach.

    Args:
        book: the numbers.
        hand: cards held.
        lawful: those that may be played, at least one.
        unseen: cards held by others.
        excluded: cards that none of the seats still to play to this trick can hold.
        trump: trump suit.
        gap: bid less points taken.
        table: points on the table, with those for the last trick if it is that.
        points_out: card points of the unseen cards.
        behind: seats still to play to this trick.
        tricks: tricks left, this one included.
        led: card led, −1 for the leader.
        best: best card of the trick, −1 for the leader.
        prices: float32 ``[36]``: the expected penalty after each lawful card is written here.
    """
    side = side_kind(unseen, trump)
    can, must, doubt = hand_outlook(book, hand, unseen, trump)
    smear = book["smear"] * np.float32(behind * points_out) / np.float32(max(1, popcount(unseen)))
    lacking = np.float32(gap)
    chosen, lowest = -1, np.float32(1e9)
    for suit in range(4):
        choices = lawful & SUIT_BITS[suit]
        if choices == 0:
            continue
        cards = hand & SUIT_BITS[suit]
        kind = TRUMP if suit == trump else side
        c, m, d = suit_outlook(book, cards, unseen, trump, kind)
        other_can, other_must, other_doubt = can - c, must - m, doubt - d
        while choices:
            card = lowest_bit(choices)
            choices &= choices - 1
            c, m, d = suit_outlook(book, cards & ~(1 << card), unseen, trump, kind)
            c += other_can
            m += other_must
            d += other_doubt
            chance = ZERO
            if best < 0 or beats(card, best, trump):
                chance = ONE
                if behind > 0:
                    feared = unseen & ~excluded
                    chance = hold_chance(book, card, led, trump, feared, unseen, behind)
            price = ZERO
            if chance > ZERO:
                won = np.float32(table + card_points(card, trump)) + smear
                price += chance * expected_penalty(book, tricks - 1, 1, lacking - won, c, m, d)
            if chance < ONE:
                price += (ONE - chance) * expected_penalty(book, tricks - 1, 0, lacking, c, m, d)
            prices[card] = price
            if price < lowest:
                chosen, lowest = card, price
    return chosen


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


@inlined
def course(record: Record, rules: Record) -> tuple[Integer, Integer, Integer, Integer, Integer]:
    """How far the deal of a STATE or VIEW record has come: cards on the table, tricks left, points
    on the table, points not yet taken, card led (−1 for none)."""
    players, trump = rules["players"], np.int64(record["trump"])
    played = np.int64(record["num_played"])
    in_trick = played % players
    table: Integer = 0
    for at in range(played - in_trick, played):
        table += card_points(np.int64(record["order"][at]), trump)
    left = np.int64(rules["total_points"][trump])
    for seat in range(players):
        left -= record["points"][seat]
    led = np.int64(record["order"][played - in_trick]) if in_trick > 0 else -1
    return in_trick, rules["tricks"] - played // players, table, left, led


@inlined
def weigh_at(
    book: Record,
    record: Record,
    rules: Record,
    seat: Integer,
    hand: Integer,
    lawful: Integer,
    unseen: Integer,
    now: tuple[Integer, Integer, Integer, Integer, Integer],
    prices: Array,
) -> Integer:
    """:func:`weigh_cards` for a seat of a STATE or VIEW record, ``now`` being its
    :func:`course`."""
    in_trick, tricks, table, left, led = now
    trump, behind = np.int64(record["trump"]), rules["players"] - 1 - in_trick
    return weigh_cards(
        book,
        hand,
        lawful,
        unseen,
        excluded_behind(record["excluded"], seat, behind, rules["players"]),
        trump,
        np.int64(record["bids"][seat]) - np.int64(record["points"][seat]),
        table,
        left - LAST_TRICK_POINTS - table - points_held(hand, trump),
        behind,
        min(tricks, MAX_STAGE),
        led,
        np.int64(record["best_card"]),
        prices,
    )


# The bid ------------------------------------------------------------------------------------


@jit
def reachable_bid(
    book: Record, rules: Record, hand: Integer, trump: Integer, lead: Integer
) -> Integer:
    """The bid with the lowest expected penalty: midway between what the hand must take and what it
    can, or nothing where that is safer. One to four points are never bid: they are hardly ever met.

    Args:
        book: the numbers.
        rules: one RULES record.
        hand: the cards dealt.
        trump: trump suit.
        lead: 1 for forehand, else 0.
    """
    can, must, doubt = hand_outlook(book, hand, rules["deck"] & ~hand, trump)
    tricks = min(rules["tricks"], MAX_STAGE)
    stage = book["stage"][tricks, lead]
    total = np.int64(rules["total_points"][trump])
    middle = HALF * (can + stage[CAN_SHIFT] + must + stage[MUST_SHIFT])
    bid = min(np.int64(max(ZERO, middle) + HALF), total)
    if bid < LOW_BID:
        price = expected_penalty(book, tricks, lead, np.float32(bid), can, must, doubt)
        if bid < 5 or expected_penalty(book, tricks, lead, ZERO, can, must, doubt) < price:
            return 0
    return bid
