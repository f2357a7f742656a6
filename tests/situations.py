"""The kibitzer's notebook: names the rule that a card exercises, and picks the rarest of them.

Random play seldom meets the rules that programs get wrong. A player that always takes the choice
met least often so far makes every one of them common.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence

from oracle import SIDE_ORDER, SUITS, TRUMP_ORDER

# trump -> card -> height among trumps; side cards are left out
TRUMP_HEIGHT = {suit: {suit + rank: i for i, rank in enumerate(TRUMP_ORDER)} for suit in SUITS}
SIDE_HEIGHT = {suit + rank: i for suit in SUITS for i, rank in enumerate(SIDE_ORDER)}

LEADING = ("a trump led", "a side suit led")
TRUMP_LED = (
    "trump led, none held",
    "trump led, the bare Puur kept",
    "trump led, the bare Puur given up",
    "trump led, gone over",
    "trump led, gone under though able to go over",
    "trump led, gone under for want of a higher one",
)
FOLLOWING = (
    "suit followed",
    "trumped while able to follow",
    "over-trumped while able to follow",
    "under-trumped while able to follow",  # where under-trumping is never forbidden
)
VOID = (
    "trumped when void",
    "over-trumped when void",
    "under-trumped when void, other cards in hand",
    "under-trumped with nothing but trumps",
    "discarded though able to trump",
    "discarded without a trump",
)
FORBIDDEN = (
    "lower trump forbidden while able to follow",
    "lower trump forbidden when void",  # the Schieber's rule
    "made to follow a trump lead",
    "made to follow with a side jack",
    "made to follow or trump",
)
TRICKS = (
    "the Puur takes the Näll",
    "the Näll takes the trump ace",
    "a low trump takes a side ace",
    "a higher card of a third suit takes nothing",
    "the leader takes the trick",
    "the last to play takes the trick",
)
SCHIEBER_ONLY = {"lower trump forbidden when void"}
ALWAYS_ONLY = {"under-trumped while able to follow"}


def situation(hand: set[str], on_table: Sequence[str], trump: str, card: str) -> str:
    """What laying `card` from `hand` on the trick `on_table` amounts to."""
    height = TRUMP_HEIGHT[trump]
    is_trump = card in height
    if not on_table:
        return LEADING[0] if is_trump else LEADING[1]
    led = on_table[0][0]
    trumps = [held for held in hand if held in height]
    best = max((height[other] for other in on_table if other in height), default=-1)

    if led == trump:
        if not trumps:
            return TRUMP_LED[0]
        if trumps == [trump + "J"]:
            return TRUMP_LED[2] if is_trump else TRUMP_LED[1]
        if not is_trump:
            return "revoke"
        if height[card] > best:
            return TRUMP_LED[3]
        return TRUMP_LED[4] if max(height[held] for held in trumps) > best else TRUMP_LED[5]

    lower = is_trump and best > height[card]
    if any(held[0] == led for held in hand):
        if card[0] == led:
            return FOLLOWING[0]
        if not is_trump:
            return "revoke"
        return FOLLOWING[3] if lower else FOLLOWING[2] if best >= 0 else FOLLOWING[1]
    if not is_trump:
        return VOID[4] if trumps else VOID[5]
    if lower:
        return VOID[3] if len(trumps) == len(hand) else VOID[2]
    return VOID[1] if best >= 0 else VOID[0]


def restrictions(
    hand: set[str], on_table: Sequence[str], trump: str, lawful: set[str]
) -> Iterable[str]:
    """Which rules took cards of the hand away."""
    forbidden = hand - lawful
    if not forbidden:
        return []
    led = on_table[0][0]
    if led == trump:
        return [FORBIDDEN[2]]
    found = []
    followers = [card for card in hand if card[0] == led]
    if any(card[0] == trump for card in forbidden):
        found.append(FORBIDDEN[0] if followers else FORBIDDEN[1])
    if followers and any(card[0] != trump for card in forbidden):
        found.append(FORBIDDEN[4])
        if followers == [led + "J"] and lawful == {led + "J"}:
            found.append(FORBIDDEN[3])
    return found


def trick_story(cards: Sequence[str], place: int, trump: str) -> Iterable[str]:
    """What is worth telling of a full trick that the card at `place` took."""
    best, led = cards[place], cards[0][0]
    found = []
    if best == trump + "J" and trump + "9" in cards:
        found.append(TRICKS[0])
    if best == trump + "9" and trump + "A" in cards:
        found.append(TRICKS[1])
    if best[0] == trump and led != trump and best[1:] in "678" and led + "A" in cards:
        found.append(TRICKS[2])
    if best[0] == led != trump and any(
        card[0] not in (led, trump) and SIDE_HEIGHT[card] > SIDE_HEIGHT[best] for card in cards
    ):
        found.append(TRICKS[3])
    if place == 0:
        found.append(TRICKS[4])
    if place == len(cards) - 1:
        found.append(TRICKS[5])
    return found


def rarest(
    hand: set[str],
    on_table: Sequence[str],
    trump: str,
    choices: Iterable[str],
    met: Counter[str],
    rng: random.Random,
) -> str:
    """The choice whose situation was met least often so far; chance decides among equals."""
    ranked = [
        (met[situation(hand, on_table, trump, card)], rng.random(), card)
        for card in sorted(choices)
    ]
    return min(ranked)[2]
