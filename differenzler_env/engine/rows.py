"""Engine: the same work on many records at once. Loops over rows, nothing else."""

import numpy as np

from .deal import decision_key, row_key, start_match
from .jit import jit
from .play import NUM_BIDS, advance, is_legal, playable, write_rewards
from .redact import fill_view
from .state import BID, OVER


@jit
def start_rows(states, rules, rows, scratch):
    """Start the match of each listed row, from the key in its record."""
    for row in rows:
        start_match(states[row], rules[0], scratch)


@jit
def first_illegal(states, rules, actions):
    """The first row whose action is not legal, −1 where all are; finished rows accept anything."""
    for row in range(len(states)):
        if states[row]["phase"] != OVER and not is_legal(states[row], rules[0], actions[row]):
            return row
    return -1


@jit
def step_rows(states, rules, actions, objective_win, rewards, deal_over, match_over, scratch):
    """Apply one legal action to every row that is not over; every output is written."""
    for row in range(len(states)):
        state = states[row]
        for seat in range(rewards.shape[1]):
            rewards[row, seat] = 0
        deal_over[row] = False
        if state["phase"] == OVER:
            match_over[row] = True
            continue
        outcome = advance(state, rules[0], actions[row], scratch)
        match_over[row] = outcome == 2
        if outcome > 0:
            deal_over[row] = True
            write_rewards(state, rules[0], objective_win, outcome == 2, rewards[row])


@jit
def step_one(states, rules, action, snapshot, scratch):
    """Apply one action to row 0 if it is legal, after copying the record to ``snapshot``.

    Returns −1 for an illegal action (nothing changes), else as :func:`.play.advance`.
    """
    if not is_legal(states[0], rules[0], action):
        return -1
    snapshot[0] = states[0]
    return advance(states[0], rules[0], action, scratch)


@jit
def legal_bits_rows(states, rules, out):
    """Playable cards of each row's seat to act, uint64 ``[B]``."""
    for row in range(len(states)):
        out[row] = playable(states[row], rules[0])


@jit
def playable_one(states, rules):
    """Playable cards of row 0's seat to act."""
    return playable(states[0], rules[0])


@jit
def mask_rows(states, rules, out):
    """Legal actions of each row's seat to act, int8 ``[B, 194]``; ones on finished rows."""
    for row in range(len(states)):
        state = states[row]
        if state["phase"] == OVER:
            out[row] = 1
        elif state["phase"] == BID:
            bids = rules[0]["total_points"][state["trump"]] + 1
            out[row, :bids] = 1
            out[row, bids:] = 0
        else:
            out[row, :NUM_BIDS] = 0
            bits = playable(state, rules[0])
            for card in range(36):
                out[row, NUM_BIDS + card] = (bits >> card) & 1


@jit
def acting_seat(state):
    """The seat to act; seat 0 once the match is over."""
    return max(np.int64(state["current_seat"]), 0)


@jit
def view_rows(states, rules, out):
    """The view of each row's seat to act (seat 0 on finished rows), VIEW ``[B]``."""
    for row in range(len(states)):
        fill_view(states[row], rules[0], acting_seat(states[row]), out[row])


@jit
def view_one(states, rules, row, seat, out):
    """The view of one seat of one row, into VIEW ``[1]``."""
    fill_view(states[row], rules[0], seat, out[0])


@jit
def decision_key_rows(states, out):
    """Keys of the decisions at hand, uint64 ``[B]``."""
    for row in range(len(states)):
        out[row] = decision_key(states[row])


@jit
def row_key_rows(states, purpose, out):
    """Keys that hold for each row's whole match, uint64 ``[B]``."""
    for row in range(len(states)):
        out[row] = row_key(states[row], purpose)
