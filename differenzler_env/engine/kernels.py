"""Engine: the rules, written once. Small pure functions over integers, compiled by :mod:`.jit`.

Cards are indices 0…35, sets of cards int64 bit boards, trump a suit index. The source of each rule
is ``docs/rules.md``.
"""

import numpy as np

from ..cards import ALL_CARDS, BEATERS, OWN_SUIT, POINTS, PUUR, SUIT_BITS
from ..rules import UNDERTRUMP
from .jit import Array, Integer, Record, jit, lowest_bit

ALWAYS, VOID, SCHIEBER = (UNDERTRUMP.index(name) for name in ("always", "void", "schieber"))


def _or_none(table: Array, none: int) -> Array:
    """A table by card with one more column: what holds where no card lies there yet, index −1."""
    return np.concatenate([table, np.full((*table.shape[:-1], 1), none)], axis=-1)


_PUUR_BITS = np.array([1 << card for card in PUUR])[:, None]
TAKERS = _or_none(BEATERS, ALL_CARDS)
"""int64 ``[4, 37]``: ``TAKERS[trump, best]``, the cards that take the trick from the best card."""
SUIT_LED = _or_none(OWN_SUIT, ALL_CARDS)
"""int64 ``[37]``: ``SUIT_LED[led]``, the cards of the suit led."""
OBLIGING = _or_none(np.where(OWN_SUIT & _PUUR_BITS, OWN_SUIT & ~_PUUR_BITS, OWN_SUIT), 0)
"""int64 ``[4, 37]``: ``OBLIGING[trump, led]``, the cards that oblige whoever holds one to follow:
those of the suit led; the Puur need never be played to a trump lead."""


@jit
def suit_of(card: Integer) -> Integer:
    """The suit index of a card."""
    return card // 9


@jit
def holds(cards: Integer, card: Integer) -> bool:
    """Whether a set holds a card."""
    return bool((cards >> card) & 1)


@jit
def beats(card: Integer, best: Integer, trump: Integer) -> bool:
    """Whether a card takes the trick from the best card so far: a higher card of its suit, or any
    trump on a side suit. Every card takes an empty trick (best −1)."""
    return holds(TAKERS[trump, best], card)


@jit
def card_points(card: Integer, trump: Integer) -> Integer:
    """Card points of one card, 0…20."""
    return int(POINTS[trump, card])


@jit
def set_points(cards: Integer, trump: Integer) -> Integer:
    """Card points of a set of cards."""
    total = 0
    while cards:
        total += card_points(lowest_bit(cards), trump)
        cards &= cards - 1
    return total


@jit
def answers(led: Integer, best: Integer, trump: Integer, undertrump: Integer) -> Integer:
    """The cards that a seat may play which can follow: the suit led, and trumps that take the trick
    (any trump where under-trumping is always allowed). All cards for the leader.

    Arguments as in :func:`legal_cards`.
    """
    takers: Integer = TAKERS[trump, best]
    if undertrump == ALWAYS:
        takers = ALL_CARDS
    return SUIT_LED[led] | (SUIT_BITS[trump] & takers)


@jit
def legal_cards(
    hand: Integer, led: Integer, best: Integer, trump: Integer, undertrump: Integer
) -> Integer:
    """The lawful cards of a hand.

    Args:
        hand: set of cards held.
        led: the card led, or −1 for the leader, who may play anything.
        best: the best card of the trick so far, −1 for the leader.
        trump: trump suit.
        undertrump: ALWAYS, VOID or SCHIEBER.
    """
    following = hand & answers(led, best, trump, undertrump)
    otherwise = hand
    # In Schieber a void seat may under-trump only from a hand of nothing but trumps.
    if undertrump == SCHIEBER and hand & ~SUIT_BITS[trump] != 0:
        otherwise = hand & (~SUIT_BITS[trump] | TAKERS[trump, best])
    return following if hand & OBLIGING[trump, led] != 0 else otherwise


@jit
def shown_not_held(
    card: Integer, led: Integer, best: Integer, trump: Integer, undertrump: Integer
) -> Integer:
    """The set of cards that a seat cannot hold, as playing ``card`` to this trick was lawful.

    Arguments as in :func:`legal_cards`; 0 where the play proves nothing.
    """
    shown = OBLIGING[trump, led]
    if undertrump == SCHIEBER and holds(SUIT_BITS[trump], card):
        # An under-trump: the seat holds nothing but trumps.
        shown = ALL_CARDS & ~SUIT_BITS[trump]
    return 0 if holds(answers(led, best, trump, undertrump), card) else shown


@jit
def deal_penalty(
    rules: Record, bid: Integer, points: Integer, has_stoeck: bool, revokes: Integer
) -> Integer:
    """What a deal costs a seat: abs(bid − points), as the settings change it.

    Args:
        rules: one RULES record.
        bid: bid, 0…157.
        points: card points taken.
        has_stoeck: whether the seat was dealt trump king and queen.
        revokes: number of unlawful cards it played.
    """
    penalty = plain_penalty(rules, bid, points)
    if has_stoeck and rules["stoeck"] > 0:
        penalty = min(penalty, plain_penalty(rules, bid, points - rules["stoeck"]))
        penalty = min(penalty, plain_penalty(rules, bid, points + rules["stoeck"]))
    return penalty + revokes * rules["revoke_penalty"]


@jit
def plain_penalty(rules: Record, bid: Integer, points: Integer) -> Integer:
    """abs(bid − points), less the bonus for an exact bid."""
    if bid != points:
        return abs(bid - points)
    return -rules["exact_bonus"] if bid > 0 or rules["exact_bonus_on_zero"] else 0
