"""Engine: the same work on many records at once. Loops over rows, nothing else."""

import numpy as np

from ..actions import NUM_BIDS
from ..cards import NUM_CARDS
from .deal import decision_key, row_key, start_match
from .jit import Array, Integer, Record, inlined, jit
from .play import advance, choices, is_legal, playable, write_rewards
from .redact import fill_view, view_choices
from .state import OVER

FOUR_BITS = np.array([[four >> i & 1 for i in range(4)] for four in range(16)], np.int8)
"""int8 ``[16, 4]``: four bits as four numbers. Sets of cards are written out by fours."""


@jit
def start_rows(states: Array, rules: Array, rows: Array, scratch: Array) -> None:
    """Start the match of each listed row, from the key in its record."""
    for row in rows:
        start_match(states[row], rules[0], scratch)


@jit
def first_illegal(states: Array, rules: Array, actions: Array, active: Array) -> Integer:
    """The first row that acts and whose action is not legal, −1 where all are."""
    everyone = len(active) == 0
    for row in range(len(states)):
        state = states[row]
        acts = state["phase"] != OVER and (everyone or active[row])
        if acts and not is_legal(state, rules[0], actions[row]):
            return row
    return -1


@jit
def step_rows(
    states: Array,
    rules: Array,
    actions: Array,
    active: Array,
    objective_win: bool,
    rewards: Array,
    deal_over: Array,
    match_over: Array,
    scratch: Array,
) -> None:
    """Apply one legal action to every row that acts: whose match is not over, and which is active
    (an empty array: all are). Every output is written."""
    everyone = len(active) == 0
    rewards[:] = 0
    for row in range(len(states)):
        state = states[row]
        outcome = 0
        if state["phase"] != OVER and (everyone or active[row]):
            outcome = advance(state, rules[0], actions[row], scratch)
        if outcome > 0:
            write_rewards(state, rules[0], objective_win, outcome == 2, rewards[row])
        deal_over[row] = outcome > 0
        match_over[row] = state["phase"] == OVER


@jit
def step_one(
    states: Array,
    rules: Array,
    action: Integer,
    objective_win: bool,
    rewards: Array,
    snapshot: Array,
    scratch: Array,
) -> Integer:
    """Apply one action to row 0 if it is legal, after copying the record to ``snapshot``.

    ``rewards`` float32 ``[P]`` is written.

    Returns −1 for an illegal action (nothing changes), else as :func:`.play.advance`.
    """
    if not is_legal(states[0], rules[0], action):
        return -1
    snapshot[0] = states[0]
    outcome = advance(states[0], rules[0], action, scratch)
    rewards[:] = 0
    if outcome > 0:
        write_rewards(states[0], rules[0], objective_win, outcome == 2, rewards)
    return outcome


@jit
def legal_bits_rows(states: Array, rules: Array, out: Array) -> None:
    """Playable cards of each row's seat to act, uint64 ``[B]``."""
    for row in range(len(states)):
        out[row] = playable(states[row], rules[0])


@jit
def choices_one(states: Array, rules: Array) -> tuple[Integer, Integer]:
    """What row 0's seat to act may choose from: how many bids, and the set of cards."""
    return choices(states[0], rules[0])


@jit
def view_choices_one(views: Array, rules: Array) -> tuple[Integer, Integer]:
    """What the seat of view 0 may choose from: how many bids, and the set of cards."""
    return view_choices(views[0], rules[0])


@inlined
def write_mask(bids: Integer, cards: Integer, out: Array) -> None:
    """Legal actions, of so many bids and a set of cards, into int8 ``[194]``."""
    out[:bids] = 1
    out[bids:NUM_BIDS] = 0
    for first in range(0, NUM_CARDS, 4):
        four = (cards >> first) & 15
        for i in range(4):
            out[NUM_BIDS + first + i] = FOUR_BITS[four, i]


@jit
def mask_rows(states: Array, rules: Array, out: Array) -> None:
    """Legal actions of each row's seat to act, int8 ``[B, 194]``; ones on finished rows."""
    for row in range(len(states)):
        state = states[row]
        if state["phase"] == OVER:
            out[row] = 1
        else:
            bids, cards = choices(state, rules[0])
            write_mask(bids, cards, out[row])


@jit
def mask_views(views: Array, rules: Array, out: Array) -> None:
    """Legal actions of each view's seat, int8 ``[n, 194]``; zeros unless it is to act."""
    for row in range(len(views)):
        bids, cards = view_choices(views[row], rules[0])
        write_mask(bids, cards, out[row])


@jit
def acting_seat(state: Record) -> Integer:
    """The seat to act; seat 0 once the match is over."""
    return max(np.int64(state["current_seat"]), 0)


@jit
def view_rows(states: Array, rules: Array, out: Array) -> None:
    """The view of each row's seat to act (seat 0 on finished rows), VIEW ``[B]``."""
    for row in range(len(states)):
        fill_view(states[row], rules[0], acting_seat(states[row]), out[row])


@jit
def view_one(states: Array, rules: Array, row: Integer, seat: Integer, out: Array) -> None:
    """The view of one seat of one row, into VIEW ``[1]``."""
    fill_view(states[row], rules[0], seat, out[0])


@jit
def decision_key_rows(states: Array, out: Array) -> None:
    """Keys of the decisions at hand, uint64 ``[B]``."""
    for row in range(len(states)):
        out[row] = decision_key(states[row])


@jit
def row_key_rows(states: Array, purpose: Integer, out: Array) -> None:
    """Keys that hold for each row's whole match, uint64 ``[B]``."""
    for row in range(len(states)):
        out[row] = row_key(states[row], purpose)
