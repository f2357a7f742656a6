"""Batches refuse rows, actions, masks and arrays that are none, in a sentence; nothing changes."""

from __future__ import annotations

import numpy as np
import pytest
from refusal_tools import is_a_sentence

from differenzler_env import Batch, Game, IllegalActionError, Rules


def mixed_batch():
    """Rows 0 and 1 are asked for a bid; row 2 is to play a card; row 3 is over."""
    batch = Batch(4, Rules(deals=1), seed=5)
    for _ in range(4):
        batch.step(np.array([10, 10, 10, 10]))
    for _ in range(36):
        bits = batch.legal_bits().tolist()
        batch.step(np.array([158 + (b & -b).bit_length() - 1 if b else 0 for b in bits]))
    batch.reset(mask=np.array([1, 1, 1, 0], bool))
    single = batch.select([2])
    for _ in range(4):
        single.step(np.array([10]))
    batch.state_records[2] = single.state_records[0]
    assert batch.phase.tolist() == [0, 0, 1, 2]
    return batch


def good_actions(batch):
    return np.array(
        [158 + (b & -b).bit_length() - 1 if b else 7 for b in batch.legal_bits().tolist()]
    )


@pytest.mark.parametrize("bad", [-1, 158, 193, 194, 2**40])
def test_one_bad_row_stops_the_batch_before_any_row_moves(bad):
    for row in (0, 1, 2):
        batch = mixed_batch()
        actions = good_actions(batch)
        actions[row] = bad
        legal = bad in np.flatnonzero(batch.legal_mask()[row])
        assert not legal
        before = batch.state_records.tobytes()
        with pytest.raises(IllegalActionError, match=rf"row {row}\b") as refusal:
            batch.step(actions)
        is_a_sentence(refusal.value)
        assert batch.state_records.tobytes() == before


def test_a_number_that_int64_does_not_hold_is_named_as_it_was_given():
    batch = mixed_batch()
    actions = good_actions(batch).astype(np.uint64)
    actions[1] = 2**63 + 5
    with pytest.raises(IllegalActionError, match=r"row 1: action 9223372036854775813 \("):
        batch.step(actions)


def test_the_action_of_a_finished_row_is_not_judged():
    for anything in (-1, 0, 194, 2**40):
        batch = mixed_batch()
        actions = good_actions(batch)
        actions[3] = anything
        batch.step(actions)
        assert batch.phase.tolist() == [0, 0, 1, 2]


@pytest.mark.parametrize(
    "actions",
    [
        None,
        25,
        np.int64(25),
        "25",
        [25, 25, 25],
        np.full((4, 1), 25),
        np.full(4, 25.0),
        np.full(4, True),
        np.full(5, 25),
        [25, None, 25, 25],
        ["25"] * 4,
    ],
    ids=repr,
)
def test_arrays_of_the_wrong_kind_or_shape_are_refused(actions):
    batch = Batch(4, seed=5)
    before = batch.state_records.tobytes()
    with pytest.raises(ValueError) as refusal:
        batch.step(actions)
    is_a_sentence(refusal.value)
    assert batch.state_records.tobytes() == before


def test_integers_of_every_width_and_lists_are_taken():
    expected = Batch(4, seed=5)
    expected.step(np.full(4, 25))
    kinds = [np.full(4, 25, kind) for kind in (np.int8, np.uint8, np.int32, np.uint64)]
    for actions in [*kinds, [25] * 4]:
        batch = Batch(4, seed=5)
        batch.step(actions)
        assert batch.state_records.tobytes() == expected.state_records.tobytes()


@pytest.mark.parametrize("num_games", [0, -1, 2.5, None, "4", True])
def test_a_batch_needs_a_number_of_games(num_games):
    with pytest.raises(ValueError, match="num_games"):
        Batch(num_games)


@pytest.mark.parametrize("first_row", [-1, 1.5, 2**32, "0", None])
def test_first_rows_are_row_numbers(first_row):
    with pytest.raises(ValueError, match="first_row"):
        Batch(2, seed=1, first_row=first_row)


@pytest.mark.parametrize("rows", [[5], [-1], [0.5], [[0, 1]], [], [True], ["0"], None], ids=repr)
def test_only_rows_of_the_batch_can_be_selected(rows):
    with pytest.raises(ValueError, match="rows"):
        Batch(2, seed=1).select(rows)


@pytest.mark.parametrize("mask", [[1, 0], np.ones(3, bool), True, "all", np.ones((2, 1), bool)])
def test_a_reset_mask_is_one_bool_a_row(mask):
    batch = Batch(2, seed=1)
    before = batch.state_records.tobytes()
    with pytest.raises(ValueError, match="mask"):
        batch.reset(mask=mask)
    assert batch.state_records.tobytes() == before


def test_rows_and_seats_that_do_not_exist_have_no_view():
    batch, game = Batch(2, seed=1), Game(seed=1)
    for number in (-1, 4, 9, 10**6, 1.5, "0"):
        with pytest.raises(ValueError, match="seat"):
            batch.player_view(0, number)
        for read in (game.view, game.observe, game.mask):
            with pytest.raises(ValueError, match="seat"):
                read(number)
        for row in (batch.player_view, batch.game):
            with pytest.raises(ValueError, match="row"):
                row(number)


@pytest.mark.parametrize("purpose", [-1, 1 << 63, "x", 1.0, None, True])
def test_purposes_of_draws_are_numbers_from_zero(purpose):
    for table in (Batch(2, seed=1).row_keys, Game(seed=1).row_key):
        with pytest.raises(ValueError, match="purpose is"):
            table(purpose)


def test_out_arrays_must_fit():
    batch = Batch(2, seed=1)
    for read in (batch.legal_mask, batch.legal_bits, batch.observe, batch.observe_all, batch.state):
        good = read()
        assert read(out=np.zeros_like(good)).tobytes() == good.tobytes()
        for wrong in (np.zeros(3, good.dtype), np.zeros(good.shape, np.float64)):
            with pytest.raises(ValueError, match=r"out is .*; allowed: a writeable array"):
                read(out=wrong)


def test_read_only_or_odd_out_arrays_are_refused():
    batch = Batch(2, seed=1)
    before = batch.state_records.tobytes()
    closed = batch.views()
    closed.setflags(write=False)
    kept = closed.tobytes()
    with pytest.raises(ValueError, match="out is read-only"):
        batch.views(out=closed)
    for odd in ([0, 1], True, 5):
        with pytest.raises(ValueError, match="allowed: a writeable array"):
            batch.observe(out=odd)
    with pytest.raises(ValueError, match="rewards, deal_over, match_over"):
        batch.step([40, 40], out=(None, None, None))
    assert (closed.tobytes(), batch.state_records.tobytes()) == (kept, before)
