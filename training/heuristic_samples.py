"""Training: samples of play for ``fit_heuristic.py`` and the slopes of the error it descends."""

import numpy as np

from differenzler_env.agents.playing_rules import (
    BASE,
    CALM,
    CALM_WIDTH,
    CAN,
    CAN_SHIFT,
    CUT,
    DOUBT,
    HIGHER,
    LOWER,
    MOST,
    MOST_HIGHER,
    MUST,
    MUST_SHIFT,
    TRUMP,
    TRUMP_LED,
    TRUMPS_OUT,
    WIDTH,
    excluded_behind,
    points_held,
    side_kind,
)
from differenzler_env.agents.playout import cards_held, state_bid, state_card
from differenzler_env.cards import LAST_TRICK_POINTS, SUIT_BITS
from differenzler_env.engine.deal import SCRATCH, start_match
from differenzler_env.engine.jit import Array, Integer, Record, jit, lowest_bit, popcount
from differenzler_env.engine.kernels import beats, card_points, suit_of
from differenzler_env.engine.play import give_bid, play_card, settle
from differenzler_env.rules import MAX_TRICKS

SAMPLE = np.dtype(
    [
        ("hand", "i8"),
        ("unseen", "i8"),
        ("trump", "i8"),
        ("lead", "i8"),
        ("tricks", "i8"),
        ("gap", "f8"),
        ("penalty", "f8"),
        ("seat", "i8"),
    ]
)
"""What a seat knows before a trick, and what the deal cost it in the end."""
BEST = np.dtype(
    [
        ("counts", "?"),  # whether the card was the best of the trick when it was played
        ("seat", "i8"),
        ("table", "i8"),  # points on the table with it
        # Its place in ``holds`` of BOOK
        ("behind", "i8"),
        ("kind", "i8"),
        ("higher", "i8"),
        ("pairs", "i8"),
        ("expected", "f8"),  # points of so many average unseen cards as seats are still to play
    ]
)
"""A card of a trick while it is not known who takes it."""
HELD = np.dtype(
    [
        # Its place in ``held`` and ``points`` of BOOK
        ("kind", "i8"),
        ("higher", "i8"),
        ("lower", "i8"),
        ("with_lower", "i8"),
        ("with_higher", "i8"),
        ("points", "i8"),  # card points
    ]
)
"""A card of a hand."""


@jit
def _note_best(state: Record, rules: Record, card: Integer, table: Integer, best: Record) -> None:
    """Fill in a BEST record for a card about to be played that will be the best so far."""
    players, trump, seat = rules["players"], state["trump"], state["current_seat"]
    behind = players - 1 - state["num_played"] % players
    unseen = cards_held(state, rules) & ~state["hands"][seat]
    feared = unseen & ~excluded_behind(state["excluded"], np.int64(seat), behind, players)
    suit, led = suit_of(card), np.int64(state["led_card"])
    best["counts"], best["seat"], best["table"] = True, seat, table
    best["behind"] = behind
    best["higher"] = min(popcount(feared & HIGHER[trump, card]), MOST_HIGHER)
    if suit == trump:
        best["kind"] = TRUMP_LED if led < 0 or suit_of(led) == trump else CUT
        best["pairs"] = 0
    else:
        best["kind"] = TRUMPS_OUT[popcount(feared & SUIT_BITS[trump])]
        best["pairs"] = min(popcount(unseen & SUIT_BITS[suit]) >> 1, 3)
    # In thousandths, as when the numbers of the package were fitted.
    expected = 1000 * behind * points_held(unseen, trump) // max(1, popcount(unseen))
    best["expected"] = expected / 1000


@jit
def play_deals(
    states: Array,
    rules: Record,
    books: Array,
    errors: Array,
    samples: Array,
    holds: Array,
    smear: Array,
) -> None:
    """Play deals; seat d mod P of deal d bids off by an error.

    Args:
        states: STATE ``[n]``, keys set, otherwise overwritten; the deals are settled in the end.
        rules: RULES ``[1]``.
        books: BOOK ``[1]``, the numbers to play by.
        errors: int64 ``[n]``, in points.
        samples: SAMPLE ``[n · P · tricks]``, written.
        holds: float64 ``[P, 6, 6, 4, 2]``: by the indices of ``holds`` in BOOK, how many cards were
            the best so far, and how many of them took the trick; added to.
        smear: float64 ``[2]``: points that seats behind the taker added, and what average unseen
            cards would have been worth; added to.
    """
    rules, book = rules[0], books[0]
    players = rules["players"]
    scratch, prices = np.zeros(SCRATCH, np.int64), np.zeros(36, np.float32)
    trick = np.zeros(5, BEST)
    at = 0
    for deal in range(len(states)):
        state = states[deal]
        start_match(state, rules, scratch)
        trump = np.int64(state["trump"])
        total = np.int64(rules["total_points"][trump])
        for _ in range(players):
            bid = state_bid(book, state, rules)
            if state["current_seat"] == deal % players:
                bid = max(0, min(total, bid + errors[deal]))
            give_bid(state, rules, bid)
        first, over, table = at, False, 0
        while not over:
            place = state["num_played"] % players
            if place == 0:
                at = _sample(state, rules, samples, at)
                table = (
                    LAST_TRICK_POINTS if state["num_played"] + players == rules["num_cards"] else 0
                )
            card = state_card(book, state, rules, prices)
            table += card_points(card, trump)
            trick[place]["counts"] = False
            if place < players - 1 and (place == 0 or beats(card, state["best_card"], trump)):
                _note_best(state, rules, card, table, trick[place])
            over = play_card(state, rules, card)
            if place == players - 1:
                for best in trick[:place]:
                    if best["counts"]:
                        won = best["seat"] == state["current_seat"]
                        cell = holds[best["behind"], best["kind"], best["higher"], best["pairs"]]
                        cell[0] += 1
                        cell[1] += won
                        if won:
                            smear[0] += table - best["table"]
                            smear[1] += best["expected"]
        settle(state, rules)
        for sample in samples[first:at]:
            seat = sample["seat"]
            sample["penalty"] = state["settled_penalties"][seat]


@jit
def _sample(state: Record, rules: Record, samples: Array, at: Integer) -> Integer:
    """What each seat knows now, from samples[at] on. Returns the place after the last."""
    held = cards_held(state, rules)
    for seat in range(rules["players"]):
        sample = samples[at]
        sample["hand"] = state["hands"][seat]
        sample["unseen"] = held & ~state["hands"][seat]
        sample["trump"] = state["trump"]
        sample["lead"] = state["current_seat"] == seat
        sample["tricks"] = rules["tricks"] - state["num_played"] // rules["players"]
        sample["gap"] = state["bids"][seat] - state["points"][seat]
        sample["seat"] = seat
        at += 1
    return at


@jit
def slopes_of_error(
    samples: Array,
    rows: Array,
    held: Array,
    points: Array,
    stage: Array,
    held_slope: Array,
    points_slope: Array,
    stage_slope: Array,
) -> float:
    """Mean squared error of the expected penalty, and its slopes in all numbers.

    Args:
        samples: SAMPLE ``[n]``.
        rows: int64 ``[m]``, the samples to take.
        held: float64, as in BOOK; so are ``points`` and ``stage``.
        points: see ``held``.
        stage: see ``held``.
        held_slope: float64, of the shape of ``held``; added to, as the next two.
        points_slope: of the shape of ``points``.
        stage_slope: of the shape of ``stage``.
    """
    error = 0.0
    cards = np.zeros(MAX_TRICKS, HELD)
    for row in rows:
        sample = samples[row]
        hand, unseen, trump = sample["hand"], sample["unseen"], sample["trump"]
        tricks, gap = sample["tricks"], sample["gap"]
        can, must, doubt, count = 0.0, 0.0, 0.0, 0
        left = hand
        while left:
            card = lowest_bit(left)
            left &= left - 1
            own = hand & SUIT_BITS[suit_of(card)]
            kind = TRUMP if suit_of(card) == trump else side_kind(unseen, trump)
            above, below = HIGHER[trump, card], LOWER[trump, card]
            entry = cards[count]
            entry["kind"], entry["higher"] = kind, min(popcount(unseen & above), MOST)
            entry["lower"] = min(popcount(unseen & below), MOST)
            entry["with_lower"] = 1 if own & below else 0
            entry["with_higher"] = 1 if own & above else 0
            entry["points"] = card_points(card, trump)
            number, each = _of_card(held, points, entry)
            can += number[CAN] + entry["points"] * each[CAN]
            must += number[MUST] + entry["points"] * each[MUST]
            doubt += number[DOUBT] + entry["points"] * each[DOUBT]
            count += 1
        now = stage[tricks, sample["lead"]]
        width = now[WIDTH] + doubt
        narrow = width < 1
        width = max(1.0, width)
        short = gap - can - now[CAN_SHIFT]
        full = must + now[MUST_SHIFT] - gap
        near_short = width - min(abs(short), width)
        near_full = width - min(abs(full), width)
        away = gap * now[CALM_WIDTH]
        calm = 1 / (1 + away * away)
        guess = now[BASE] - now[CALM] * calm
        guess += max(0.0, short) + near_short**2 / (4 * width)
        guess += max(0.0, full) + near_full**2 / (4 * width)
        miss = guess - sample["penalty"]
        error += miss * miss / len(rows)
        slope = 2 * miss / len(rows)
        by_short = slope * ((short > 0) - (1 if short > 0 else -1) * near_short / (2 * width))
        by_full = slope * ((full > 0) - (1 if full > 0 else -1) * near_full / (2 * width))
        by_width = slope * (
            near_short * (2 * width - near_short) + near_full * (2 * width - near_full)
        )
        by_width /= 4 * width * width
        if narrow:
            by_width = min(by_width, 0.0)
        to = stage_slope[tricks, sample["lead"]]
        to[BASE] += slope
        to[WIDTH] += by_width
        to[CAN_SHIFT] -= by_short
        to[MUST_SHIFT] += by_full
        to[CALM] -= slope * calm
        to[CALM_WIDTH] += slope * now[CALM] * calm * calm * 2 * away * gap
        for entry in cards[:count]:
            number, each = _of_card(held_slope, points_slope, entry)
            number[CAN] -= by_short
            number[MUST] += by_full
            number[DOUBT] += by_width
            each[CAN] -= by_short * entry["points"]
            each[MUST] += by_full * entry["points"]
            each[DOUBT] += by_width * entry["points"]
    return error


@jit
def _of_card(held: Array, points: Array, card: Record) -> tuple[Array, Array]:
    """What ``held`` and ``points`` have for a HELD record: can, must and doubt, ``[3]`` each."""
    number = held[
        card["kind"], card["higher"], card["lower"], card["with_lower"], card["with_higher"]
    ]
    return number, points[card["kind"], card["higher"]]
