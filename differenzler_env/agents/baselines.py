"""Agents: the baselines ``random``, ``constant`` and ``thumb``, compiled, on view records.

They keep to the lawful cards, also where a revoke could be played at a price. ``thumb`` uses no
randomness; the other two draw from the decision key.
"""

import numpy as np

from ..actions import NUM_BIDS
from ..cards import BEATERS, LAST_TRICK_POINTS, MAX_POINTS, SUIT_BITS, SUITS, hand_bits
from ..engine.deal import below
from ..engine.jit import Integer, Record, inlined, jit, lowest_bit, nth_bit, popcount, u64, wrap
from ..engine.kernels import TAKERS, card_points, set_points
from ..engine.play import lawful_bids
from ..engine.redact import unseen_cards
from ..engine.state import BID, PLAY
from ..rules import Rules
from .base import Actions, Agent, Keys, Records, check_rows

ACES = hand_bits(suit + "A" for suit in SUITS)


@jit
def mix(key: Integer) -> Integer:
    """A 64-bit key with its bits well mixed (the finaliser of SplitMix64)."""
    word = wrap(u64(key) + u64(0x9E3779B97F4A7C15))
    word = wrap((word ^ (word >> u64(30))) * u64(0xBF58476D1CE4E5B9))
    word = wrap((word ^ (word >> u64(27))) * u64(0x94D049BB133111EB))
    return word ^ (word >> u64(31))


@jit
def draw(key: Integer, count: Integer) -> Integer:
    """A number 0…count−1, uniform over keys; count below 2³²."""
    return below(np.int64(mix(key) >> u64(32)), count)


@jit
def random_card(cards: Integer, key: Integer) -> Integer:
    """A card drawn uniformly from a set that is not empty."""
    return nth_bit(cards, draw(key, popcount(cards)))


@jit
def _random_actions(rules: Records, views: Records, keys: Keys, actions: Actions) -> None:
    for row in range(views.shape[0]):
        view = views[row]
        if view["phase"] == BID:
            actions[row] = draw(keys[row], lawful_bids(view, rules[0]))
        elif view["phase"] == PLAY:
            actions[row] = NUM_BIDS + random_card(view["lawful"], keys[row])


@jit
def _constant_actions(
    rules: Records, bid: Integer, views: Records, keys: Keys, actions: Actions
) -> None:
    for row in range(views.shape[0]):
        view = views[row]
        if view["phase"] == BID:
            actions[row] = min(bid, lawful_bids(view, rules[0]) - 1)
        elif view["phase"] == PLAY:
            # Mixed once more than by random: else both would draw the same cards.
            actions[row] = NUM_BIDS + random_card(view["lawful"], mix(keys[row]))


# The rule of thumb -------------------------------------------------------------------------


@jit
def thumb_bid(hand: Integer, trump: Integer, total: Integer) -> Integer:
    """2 × the card points of the trumps held + 11 for each side ace, at most the deal's total.

    Over a full deck the four bids of a deal sum to exactly 157.
    """
    trumps = hand & SUIT_BITS[trump]
    side_aces = popcount(hand & ~trumps & ACES)
    return min(2 * set_points(trumps, trump) + 11 * side_aces, total)


@jit
def danger(card: Integer, unseen: Integer, trump: Integer) -> Integer:
    """How many cards not yet seen beat a card where it is the best of a trick."""
    return popcount(unseen & BEATERS[trump, card])


@inlined
def extreme(cards: Integer, unseen: Integer, trump: Integer, sign: Integer) -> Integer:
    """The strongest card of a set (sign 1), or its weakest (sign −1)."""
    best, best_rating = -1, 0
    while cards:
        card = lowest_bit(cards)
        cards &= cards - 1
        rating = sign * (32 * danger(card, unseen, trump) - card_points(card, trump))
        if best < 0 or rating < best_rating:
            best, best_rating = card, rating
    return best


@jit
def strongest(cards: Integer, unseen: Integer, trump: Integer) -> Integer:
    """The card of a set that the fewest unseen cards beat; of equals the one with most points."""
    return extreme(cards, unseen, trump, 1)


@jit
def weakest(cards: Integer, unseen: Integer, trump: Integer) -> Integer:
    """The card of a set that the most unseen cards beat; of equals the one with fewest points."""
    return extreme(cards, unseen, trump, -1)


@jit
def nearest_taker(takers: Integer, table: Integer, gap: Integer, trump: Integer) -> Integer:
    """The card whose points, with those on the table, come nearest to the gap."""
    best, best_miss = -1, 0
    while takers:
        card = lowest_bit(takers)
        takers &= takers - 1
        miss = abs(gap - table - card_points(card, trump))
        if best < 0 or miss < best_miss:
            best, best_miss = card, miss
    return best


@jit
def thumb_card(rules: Record, view: Record) -> Integer:
    """The lawful card that best closes the gap between the bid and the points taken."""
    seat, trump, lawful = view["seat"], view["trump"], view["lawful"]
    players, num_played = rules["players"], view["num_played"]
    in_trick = num_played % players
    tricks_left = rules["tricks"] - num_played // players
    unseen = unseen_cards(view, rules)
    gap = view["bids"][seat] - view["points"][seat]

    points_left = rules["total_points"][trump]
    for other in range(players):
        points_left -= view["points"][other]
    # Short: a trick of average worth would bring the seat nearer to its bid.
    short = 2 * gap * tricks_left > points_left
    if in_trick == 0:
        return strongest(lawful, unseen, trump) if short else weakest(lawful, unseen, trump)

    table = LAST_TRICK_POINTS if tricks_left == 1 else 0
    for place in range(num_played - in_trick, num_played):
        table += card_points(view["order"][place], trump)
    takers = lawful & TAKERS[trump, view["best_card"]]
    losers = lawful & ~takers
    last = in_trick == players - 1
    if takers:
        # Who is last knows what the trick is worth; who is not takes it surely or not at all.
        taker = (
            nearest_taker(takers, table, gap, trump) if last else strongest(takers, unseen, trump)
        )
        miss = abs(gap - table - card_points(taker, trump))
        if losers == 0:
            return taker if short or last else weakest(takers, unseen, trump)
        if (miss < abs(gap)) if last else (short and miss <= abs(gap)):
            return taker
    # Not to be taken: keep the strong cards when short, be rid of them when full.
    return weakest(losers, unseen, trump) if short else strongest(losers, unseen, trump)


@jit
def _thumb_actions(rules: Records, views: Records, actions: Actions) -> None:
    for row in range(views.shape[0]):
        view = views[row]
        if view["phase"] == BID:
            most = lawful_bids(view, rules[0]) - 1
            actions[row] = thumb_bid(view["hand"], view["trump"], most)
        elif view["phase"] == PLAY:
            actions[row] = NUM_BIDS + thumb_card(rules[0], view)


class RandomAgent(Agent):
    """``random``: every bid and every lawful card equally likely."""

    def act_batch(self, views: Records, keys: Keys) -> Actions:
        """Actions int64 ``[n]``."""
        check_rows(views, keys)
        actions = np.zeros(len(views), np.int64)
        _random_actions(self.rules.record, views, keys, actions)
        return actions


class ConstantAgent(Agent):
    """``constant?bid=35``: always the same bid (the deal's total where that is less), then lawful
    cards at random."""

    def __init__(self, rules: Rules, bid: int = 35) -> None:
        if not 0 <= bid <= MAX_POINTS:
            raise ValueError(f"bid is {bid}; allowed: 0 to {MAX_POINTS}")
        super().__init__(rules)
        self.bid = bid

    def act_batch(self, views: Records, keys: Keys) -> Actions:
        """Actions int64 ``[n]``."""
        check_rows(views, keys)
        actions = np.zeros(len(views), np.int64)
        _constant_actions(self.rules.record, self.bid, views, keys, actions)
        return actions


class ThumbAgent(Agent):
    """``thumb``: the players' rule of thumb for the bid, :func:`thumb_bid`, then in each trick the
    card that closes the gap to it: takes when short, sheds when full, :func:`thumb_card`."""

    def act_batch(self, views: Records, keys: Keys) -> Actions:
        """Actions int64 ``[n]``."""
        check_rows(views, keys)
        actions = np.zeros(len(views), np.int64)
        _thumb_actions(self.rules.record, views, actions)
        return actions
