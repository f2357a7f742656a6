"""The house rules out of the hat: Hypothesis draws any allowed combination of settings."""

from __future__ import annotations

import math

import oracle
from hypothesis import strategies as st

MOST_ROUNDS = 2  # times round the table
SEEDS = st.integers(0, 2**128 - 1)
BONUSES = [0, 0, 10, 5, 157]


OPTIONS = {
    "players": [4, 3, 5, 2],
    "bidding": ["hidden", "open"],
    "trump": ["random", "turned_up"],
    "undertrump": ["void", "always", "schieber"],
    "exact_bonus": BONUSES,
    "exact_bonus_on_zero": [True, False],
    "stoeck": [0, 20],
    "revoke_penalty": [None, 20],
    "first_dealer": [None, "random", 0, 1, 2, 3, 4],
    "rounds": [None, 0, 0, 1, MOST_ROUNDS],
    "small": [False, True, True, True, True],
}


@st.composite
def rule_sets(draw):
    """Any allowed combination of all settings; small decks more often than the full one.

    One number stands for all choices: drawn one by one, Hypothesis would repeat itself.
    """
    number = draw(st.integers(0, math.prod(map(len, OPTIONS.values())) - 1))
    chosen = {}
    for name, options in OPTIONS.items():
        number, place = divmod(number, len(options))
        chosen[name] = options[place]
    players, rounds, small = chosen["players"], chosen.pop("rounds"), chosen.pop("small")
    if isinstance(chosen["first_dealer"], int):
        chosen["first_dealer"] %= players
    if rounds is not None:
        chosen["deals"] = rounds * players or 1
    if small or players == 2:
        tricks = draw(st.integers(1, min(35 // players, 6)))
        suits = draw(st.permutations(oracle.SUITS))[: draw(st.integers(1, 4))]
        pack = [card for card in oracle.PACK if card[0] in suits]
        pack = pack if len(pack) > players * tricks else oracle.PACK
        # half of the time the cards that count come first, so that king and queen are in play
        order = draw(st.permutations(pack)) if draw(st.booleans()) else sorted(pack, key=rank_last)
        chosen["deck"] = order[: players * tricks]
    return chosen


def rank_last(card):
    return ["J", "9", "Q", "K", "A", "10", "8", "7", "6"].index(card[1:])
