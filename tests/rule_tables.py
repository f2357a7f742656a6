"""The rule book's tables: worked positions that referee and engine must both get right.

Diamonds are trump unless a row says otherwise. Cards of a trick stand in playing order.
"""

from __future__ import annotations

UNDERTRUMP_WAYS = ("always", "void", "schieber")

# trick so far, hand, then what may be played under each of UNDERTRUMP_WAYS
UNDERTRUMP_TABLE = [
    ("C6 D10", "CK DA D6 S10", "CK DA D6", "CK DA", "CK DA"),
    ("C6 D10", "DA D6 S10", "DA D6 S10", "DA D6 S10", "DA S10"),
    ("C6 D10", "D6 S10 H7", "D6 S10 H7", "D6 S10 H7", "S10 H7"),
    ("C6 D10", "D8 D6", "D8 D6", "D8 D6", "D8 D6"),
    ("C6 DJ", "CK DA", "CK DA", "CK", "CK"),
    ("C6 DJ D10", "CK DA D9", "CK DA D9", "CK", "CK"),
    ("C6 DJ D10", "DA D9 D6 S10", "DA D9 D6 S10", "DA D9 D6 S10", "S10"),
    ("C6 D9", "DJ D7", "DJ D7", "DJ D7", "DJ D7"),
    ("C6 D10", "CJ H7 D7 DJ", "CJ D7 DJ", "CJ DJ", "CJ DJ"),
]

# trick so far, hand, what may be played: the same however under-trumping is ruled
LAWFUL_CASES = [
    # trump led: the Puur alone need not be played, any other trump must
    ("D10", "DJ S10", "DJ S10"),
    ("D10", "DJ D6 S10", "DJ D6"),
    ("D10", "D6 SA", "D6"),
    ("D10", "D9 SA", "D9"),
    ("D10", "SA H6", "SA H6"),
    ("D10", "DJ", "DJ"),
    # ... and a lower trump is no under-trump then
    ("DJ", "D6 D9 SA", "D6 D9"),
    ("D6 DJ", "DA D7 SK", "DA D7"),
    ("DA S7 D9", "DK D6 C6", "DK D6"),
    # a side jack has no privilege
    ("C6", "CJ H7 D7", "CJ D7"),
    ("C6", "CJ H7", "CJ"),
    ("H10", "HJ CA S6", "HJ"),
    # side suit led, nobody has trumped: follow or trump, no duty to win
    ("C6", "CA C7 D6 DJ S10", "CA C7 D6 DJ"),
    ("CA", "C7 SA", "C7"),
    ("CA S9", "C7 D6 SA", "C7 D6"),
    # void: anything goes, trump or not
    ("C6", "D6 S10 H7", "D6 S10 H7"),
    ("C6", "S10 H7", "S10 H7"),
    ("C6 D10", "S10 H7", "S10 H7"),
    # over-trumping is allowed while following; the nine beats the ace, the jack the nine
    ("C6 DA", "CK D9", "CK D9"),
    ("C6 D9", "CK DJ", "CK DJ"),
    ("C6 D6", "CK D7 D8 H6", "CK D7 D8"),
    # the lead
    ("", "DJ S10 H7", "DJ S10 H7"),
    ("", "S10", "S10"),
]

# trick, trump, which card wins
WINNER_CASES = [
    ("C6 D6 CA HA", "D", 1),
    ("DA D9 DK DJ", "D", 3),
    ("DA D9 DK DQ", "D", 1),
    ("C7 DJ D9 DA", "D", 1),
    ("C9 C10 CJ C8", "D", 2),
    ("S6 HA CA HK", "D", 0),
    ("CJ HK C10 C9", "D", 0),
    ("S10 SK D6 DJ", "D", 3),
    ("C9 CJ CQ CA", "D", 3),
    ("C9 CJ CQ CA", "C", 1),
    ("D10 DQ D8", "D", 1),
    ("H6 H7", "D", 1),
    ("H6 S7", "D", 0),
    ("H6 S7", "S", 1),
    ("SA S10 SK SQ H6", "H", 4),
]

# bid, points, what it costs under plain rules
PENALTY_CASES = [
    (40, 47, 7),
    (40, 33, 7),
    (40, 40, 0),
    (40, 46, 6),
    (25, 25, 0),
    (60, 51, 9),
    (30, 35, 5),
    (0, 157, 157),
    (157, 0, 157),
    (157, 157, 0),
    (0, 0, 0),
]

# bid, points, Stöck held, revokes, exact_bonus, exact_bonus_on_zero, what it costs
# (Stöck counts 20 and a revoke 20 in every row)
HOUSE_PENALTY_CASES = [
    (40, 40, False, 0, 10, True, -10),
    (40, 40, False, 0, 10, False, -10),
    (0, 0, False, 0, 10, True, -10),
    (0, 0, False, 0, 10, False, 0),
    (40, 39, False, 0, 10, True, 1),
    (40, 47, True, 0, 0, True, 7),
    (40, 51, True, 0, 0, True, 9),
    (40, 50, True, 0, 0, True, 10),
    (40, 60, True, 0, 0, True, 0),
    (40, 20, True, 0, 0, True, 0),
    (40, 25, True, 0, 0, True, 5),
    (40, 75, True, 0, 0, True, 15),
    (40, 60, False, 0, 0, True, 20),
    (40, 60, True, 0, 10, True, -10),
    (40, 40, True, 0, 10, True, -10),
    (40, 41, True, 0, 10, True, 1),
    (0, 20, True, 0, 10, True, -10),
    (0, 20, True, 0, 10, False, 0),
    (20, 0, True, 0, 10, False, -10),
    (0, 5, True, 0, 0, True, 5),
    (0, 13, True, 0, 0, True, 7),
    (157, 137, True, 0, 10, True, -10),
    (40, 47, False, 1, 0, True, 27),
    (40, 47, False, 3, 0, True, 67),
    (40, 40, False, 1, 10, True, 10),
    (40, 60, True, 2, 10, True, 30),
]

# One complete deal, played to the end by hand: seat 1 leads. Each trick lists the cards from its
# leader on, the winner and what the trick is worth.
WORKED_DEAL = {
    "dealer": 0,
    "trump": "D",
    "hands": [
        "DJ D6 C7 C8 CK H7 H8 HQ S7",
        "S10 SK C6 CQ H6 H9 D7 SA DQ",
        "SQ S8 D8 CA C9 HA HK H10 S6",
        "D9 DA DK D10 C10 CJ HJ S9 SJ",
    ],
    "bids": [30, 24, 40, 60],
    "tricks": [
        (1, "S10 SQ SJ S7", 2, 15),  # the queen beats the jack in a side suit
        (2, "CA C10 C7 C6", 2, 21),
        (2, "HA HJ HQ H6", 2, 16),
        (2, "HK D10 H7 H9", 3, 14),  # seat 3 is void in hearts and trumps
        (3, "DA DJ D7 D8", 0, 31),  # the Puur takes the ace
        (0, "D6 DQ S8 D9", 3, 17),  # seat 2 has no trump left; the Näll takes the queen
        (3, "S9 C8 SK S6", 1, 4),
        (1, "CQ C9 CJ CK", 0, 9),
        (0, "H8 SA H10 DK", 3, 30),  # nobody but seat 2 has a heart; the trump wins, and the five
    ],
    "points": [40, 4, 52, 61],
    "penalties": [10, 20, 12, 1],
}

# Cards a real player would be glad to know he may lay down (or keep): trick so far, trump, hand,
# the card in question, whether it is lawful when "void" rules, and what it shows.
PLAYED_POSITIONS = [
    ("C8 D10", "D", "D7 S10 H6 HK", "D7", True, "under-trump, void, others in hand"),
    ("S7 H9 S9", "H", "HA D6 D10 CK", "HA", True, "under-trump the Näll with the ace"),
    ("D9 SJ", "S", "S9 H6 HQ", "S9", True, "throw the Näll under the Puur"),
    ("D9 SJ", "S", "S9 DQ HQ", "S9", False, "no throwing it under while able to follow"),
    ("D9 SJ", "S", "S9 DQ HQ", "HQ", False, "nor discarding"),
    ("CQ C10", "H", "H6 C6 S9", "H6", True, "trump although able to follow"),
    ("HA", "H", "HJ C6 S9", "S9", True, "the bare Puur is kept, a card thrown off"),
    ("HA", "H", "HJ C6 S9", "HJ", True, "the bare Puur may be played all the same"),
    ("HA", "H", "HJ H6 S9", "S9", False, "a guarded Puur: a trump must fall"),
    ("HA", "H", "HJ H6 S9", "H6", True, "the guard falls instead of the Puur"),
    ("H9 H6", "H", "H8 HA CK", "H8", True, "going under a trump lead"),
    ("H9 H6", "H", "H8 HA CK", "CK", False, "a trump lead is followed"),
    ("H9", "H", "C6 CK", "CK", True, "no trump left: smear the king"),
    ("SA S8 H7", "H", "SK H6", "H6", False, "no under-trump while holding the suit led"),
    ("SA S8 H7", "H", "SK H8", "H8", True, "over-trump instead"),
]
