"""Engine: the rules, written once. Small pure functions over integers, compiled by :mod:`.jit`.

Cards are indices 0…35, sets of cards int64 bit boards, trump a suit index. The source of each rule
is ``docs/rules.md``.
"""

from ..cards import BEATERS, POINTS, PUUR, SUIT_BITS
from ..rules import UNDERTRUMP
from .jit import Integer, Record, jit, lowest_bit

ALWAYS, VOID, SCHIEBER = (UNDERTRUMP.index(name) for name in ("always", "void", "schieber"))


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
    trump on a side suit."""
    return holds(BEATERS[trump, best], card)


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
def legal_cards(
    hand: Integer, led: Integer, best: Integer, trump: Integer, undertrump: Integer
) -> Integer:
    """The lawful cards of a hand.

    Args:
        hand: set of cards held.
        led: the card led, or −1 for the leader, who may play anything.
        best: the best card of the trick so far (ignored for the leader).
        trump: trump suit.
        undertrump: ALWAYS, VOID or SCHIEBER.
    """
    if led < 0:
        return hand
    trumps = hand & SUIT_BITS[trump]
    if suit_of(led) == trump:
        # The Puur need never be played to a trump lead.
        must_follow = trumps & ~(1 << PUUR[trump]) != 0
        return trumps if must_follow else hand
    cut = suit_of(best) == trump
    higher_trumps = trumps & BEATERS[trump, best] if cut else trumps
    follow = hand & SUIT_BITS[suit_of(led)]
    if follow:
        return follow | (trumps if undertrump == ALWAYS else higher_trumps)
    if undertrump == SCHIEBER and cut and hand != trumps:
        return (hand & ~trumps) | higher_trumps
    return hand


@jit
def shown_not_held(
    card: Integer, led: Integer, best: Integer, trump: Integer, undertrump: Integer
) -> Integer:
    """The set of cards that a seat cannot hold, as playing ``card`` to this trick was lawful.

    Arguments as in :func:`legal_cards`; 0 where the play proves nothing.
    """
    if led < 0:
        return 0
    led_suit = suit_of(led)
    if suit_of(card) == led_suit:
        return 0
    if led_suit == trump:
        return SUIT_BITS[trump] & ~(1 << PUUR[trump])
    if suit_of(card) != trump:
        return SUIT_BITS[led_suit]
    if suit_of(best) != trump or beats(card, best, trump) or undertrump == ALWAYS:
        return 0
    # An under-trump: the seat is void in the suit led, after Schieber in all but trumps.
    return SUIT_BITS[led_suit] if undertrump == VOID else ~SUIT_BITS[trump] & ((1 << 36) - 1)


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
