"""The saboteur's list: what may be played, orders and points, tricks; see `mutate`."""

from __future__ import annotations

KERNELS, PLAY, DEAL = "engine/kernels.py", "engine/play.py", "engine/deal.py"
CARDS = "cards.py"

# (rule, what is broken, file, passage, replacement)
MUTATIONS: list[tuple[str, str, str, str, str]] = [
    # --- what may be played
    (
        "undertrump void, following",
        "a lower trump may be played while able to follow",
        KERNELS,
        "if undertrump == ALWAYS:",
        "if undertrump != SCHIEBER:",
    ),
    (
        "undertrump always",
        "a lower trump is forbidden while able to follow",
        KERNELS,
        "if undertrump == ALWAYS:",
        "if undertrump > SCHIEBER:",
    ),
    (
        "undertrump void, void",
        "a lower trump is forbidden when void too",
        KERNELS,
        "if undertrump == SCHIEBER and hand",
        "if undertrump != ALWAYS and hand",
    ),
    (
        "undertrump schieber",
        "a lower trump may be played when void",
        KERNELS,
        "if undertrump == SCHIEBER and hand",
        "if undertrump > SCHIEBER and hand",
    ),
    (
        "undertrump schieber, only trumps",
        "a hand of nothing but trumps may not go under",
        KERNELS,
        " and hand & ~SUIT_BITS[trump] != 0:",
        ":",
    ),
    (
        "undertrump, highest trump of the trick",
        "compared with the card led, not with the best trump",
        KERNELS,
        "takers: Integer = TAKERS[trump, best]",
        "takers: Integer = TAKERS[trump, led]",
    ),
    (
        "undertrump, only once trumped",
        "trumping the first time is forbidden while able to follow",
        KERNELS,
        "return SUIT_LED[led] | (SUIT_BITS[trump] & takers)",
        "return SUIT_LED[led] | (takers * holds(SUIT_BITS[trump], max(best, 0)))",
    ),
    (
        "follow suit",
        "nobody has to follow a side suit",
        KERNELS,
        "np.where(OWN_SUIT & _PUUR_BITS, OWN_SUIT & ~_PUUR_BITS, OWN_SUIT)",
        "np.where(OWN_SUIT & _PUUR_BITS, OWN_SUIT & ~_PUUR_BITS, 0)",
    ),
    (
        "trumping while able to follow",
        "who can follow may not trump",
        KERNELS,
        "return SUIT_LED[led] | (SUIT_BITS[trump] & takers)",
        "return SUIT_LED[led]",
    ),
    (
        "side jack has no privilege",
        "a lone jack need not follow",
        KERNELS,
        "OWN_SUIT & ~_PUUR_BITS, OWN_SUIT)",
        "OWN_SUIT & ~_PUUR_BITS, OWN_SUIT & ~sum(_PUUR_BITS))",
    ),
    (
        "no duty to trump",
        "who is void has to trump",
        KERNELS,
        "otherwise = hand\n",
        "otherwise = hand & SUIT_BITS[trump] or hand\n",
    ),
    (
        "no duty to over-trump a trump lead",
        "a trump lead must be beaten by who can",
        KERNELS,
        "return following if",
        "following = following & TAKERS[trump, best] or following\n    return following if",
    ),
    (
        "Puur exemption",
        "the bare Puur must be played to a trump lead",
        KERNELS,
        "np.where(OWN_SUIT & _PUUR_BITS, OWN_SUIT & ~_PUUR_BITS, OWN_SUIT)",
        "np.where(_PUUR_BITS, OWN_SUIT, OWN_SUIT)",
    ),
    (
        "Puur exemption, which card",
        "the bare Näll is exempt instead of the Puur",
        KERNELS,
        "[1 << card for card in PUUR]",
        "[1 << card - 2 for card in PUUR]",
    ),
    (
        "Puur exemption, only when bare",
        "who holds the Puur need not follow trumps",
        KERNELS,
        "!= 0 else otherwise",
        "!= 0 and not hand & 1 << PUUR[trump] else otherwise",
    ),
    (
        "trump led",
        "nobody has to follow a trump lead",
        KERNELS,
        "np.where(OWN_SUIT & _PUUR_BITS, OWN_SUIT & ~_PUUR_BITS, OWN_SUIT)",
        "np.where(OWN_SUIT & _PUUR_BITS, 0, OWN_SUIT)",
    ),
    # --- orders and points
    *(
        (f"order: {what}", f"{what} the wrong way round", CARDS, old, new)
        for what, old, new in [
            ("Puur over Näll", '("J", "9", "A", "K"', '("9", "J", "A", "K"'),
            ("Näll over trump ace", '("J", "9", "A", "K"', '("J", "A", "9", "K"'),
            (
                "trump queen over ten",
                '"Q", "10", "8", "7", "6")\n"""Ranks of the trump',
                '"10", "Q", "8", "7", "6")\n"""Ranks of the trump',
            ),
            ("side ace over king", '("A", "K", "Q", "J"', '("K", "A", "Q", "J"'),
            ("side queen over jack", '("A", "K", "Q", "J"', '("A", "K", "J", "Q"'),
            (
                "side jack over ten",
                '"J", "10", "9", "8", "7", "6")',
                '"10", "J", "9", "8", "7", "6")',
            ),
            ("side nine over eight", '"10", "9", "8", "7", "6")', '"10", "8", "9", "7", "6")'),
        ]
    ),
    *(
        (f"points of {what}", f"{what} count {new.split()[-1]}", CARDS, old, new)
        for what, old, new in [
            ("aces", '"A": 11', '"A": 10'),
            ("tens", '"10": 10', '"10": 1'),
            ("kings", '"K": 4', '"K": 3'),
            ("queens", '"Q": 3', '"Q": 2'),
            ("side jacks", '"J": 2}', '"J": 1}'),
            ("the Puur", '"J": 20', '"J": 2'),
            ("the Näll", '"9": 14', '"9": 0'),
            ("the last trick", "LAST_TRICK_POINTS = 5", "LAST_TRICK_POINTS = 0"),
        ]
    ),
    (
        "trumps beat side suits",
        "a trump beats only trumps",
        CARDS,
        "bits | (0 if suit == trump else all_trumps)",
        "bits",
    ),
    # --- tricks
    (
        "winner of the trick",
        "the last card that beats the card led wins",
        PLAY,
        "takes = beats(card, best, trump)",
        "takes = beats(card, led, trump)",
    ),
    (
        "points go to the winner",
        "the last to play takes the points",
        PLAY,
        'state["points"][winner] += points',
        'state["points"][seat] += points',
    ),
    (
        "leader of the next trick",
        "the lead passes to the right",
        PLAY,
        'state["current_seat"] = winner',
        'state["current_seat"] = (seat + 1) % players',
    ),
    (
        "five for the last trick only",
        "every trick counts five more",
        PLAY,
        "    if last:\n",
        "    if points >= 0:\n",
    ),
    (
        "last trick of a small deck",
        "only the 36th card makes a last trick",
        PLAY,
        "if last:\n        points += LAST_TRICK_POINTS",
        "if played == 36:\n        points += LAST_TRICK_POINTS",
    ),
    (
        "direction of play",
        "cards are played to the left",
        PLAY,
        'state["current_seat"] = 0 if seat == players else seat',
        'state["current_seat"] = (seat + players - 2) % players',
    ),
    (
        "points start at zero",
        "points of the deal before are kept",
        DEAL,
        '        state["points"][seat] = 0\n',
        "",
    ),
]
