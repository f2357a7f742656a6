"""Training: samples of play for ``fit_heuristic.py`` and the slopes of the error it descends."""

import numpy as np

from differenzler_env.agents.playing_rules import (
    BASE,
    CALM,
    CALM_WIDTH,
    CAN_SHIFT,
    CUT,
    HIGHER,
    LOWER,
    MOST,
    MOST_HIGHER,
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


@jit
def _hold_cell(state: Record, rules: Record, card: Integer, cell: Array) -> None:
    """The cell of ``holds`` for a card that would be the best so far."""
    players, trump, seat = rules["players"], state["trump"], state["current_seat"]
    behind = players - 1 - state["num_played"] % players
    unseen = cards_held(state, rules) & ~state["hands"][seat]
    feared = unseen & ~excluded_behind(state["excluded"], np.int64(seat), behind, players)
    suit, led = suit_of(card), np.int64(state["led_card"])
    cell[0], cell[2], cell[3] = behind, min(popcount(feared & HIGHER[trump, card]), MOST_HIGHER), 0
    if suit == trump:
        cell[1] = TRUMP_LED if led < 0 or suit_of(led) == trump else CUT
    else:
        cell[1] = TRUMPS_OUT[popcount(feared & SUIT_BITS[trump])]
        cell[3] = min(popcount(unseen & SUIT_BITS[suit]) >> 1, 3)
    cell[4] = 1
    cell[5] = seat
    cell[6] = 1000 * behind * points_held(unseen, trump) // max(1, popcount(unseen))


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
    """Play deals; seat d mod P of deal d bids ``errors[d]`` off. Fills samples ``[n·P·tricks]``."""
    rules, book = rules[0], books[0]
    players = rules["players"]
    scratch, prices = np.zeros(SCRATCH, np.int64), np.zeros(36, np.float32)
    cells, added = np.zeros((5, 7), np.int64), np.zeros(5, np.int64)
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
            cells[place, 4] = 0
            if place < players - 1 and (place == 0 or beats(card, state["best_card"], trump)):
                _hold_cell(state, rules, card, cells[place])
                added[place] = table
            over = play_card(state, rules, card)
            if place == players - 1:
                for p in range(place):
                    cell = cells[p]
                    if cell[4]:
                        won = cell[5] == state["current_seat"]
                        holds[cell[0], cell[1], cell[2], cell[3], 0] += 1
                        holds[cell[0], cell[1], cell[2], cell[3], 1] += won
                        if won:
                            smear[0] += table - added[p]
                            smear[1] += cell[6] / 1000
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
    """Mean squared error of the expected penalty, and its slopes in all numbers."""
    error = 0.0
    cards = np.zeros((20, 6), np.int64)
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
            entry[0], entry[1] = kind, min(popcount(unseen & above), MOST)
            entry[2] = min(popcount(unseen & below), MOST)
            entry[3], entry[4] = 1 if own & below else 0, 1 if own & above else 0
            entry[5] = card_points(card, trump)
            number = held[entry[0], entry[1], entry[2], entry[3], entry[4]]
            each = points[entry[0], entry[1]]
            can += number[0] + entry[5] * each[0]
            must += number[1] + entry[5] * each[1]
            doubt += number[2] + entry[5] * each[2]
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
            to = held_slope[entry[0], entry[1], entry[2], entry[3], entry[4]]
            each = points_slope[entry[0], entry[1]]
            to[0] -= by_short
            to[1] += by_full
            to[2] += by_width
            each[0] -= by_short * entry[5]
            each[1] += by_full * entry[5]
            each[2] += by_width * entry[5]
    return error
