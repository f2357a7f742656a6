"""Twins: a copied, pickled or uncompiled game plays on exactly like the one it came from."""

from __future__ import annotations

import copy
import hashlib
import json
import os
import pickle
import random
import subprocess
import sys

import numpy as np
import pytest
from kinds import KINDS

from differenzler_env import Batch, Game

COPIES = {
    "copy": lambda game: game.copy(),
    "copy.copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda game: pickle.loads(pickle.dumps(game)),
}


def facts(game):
    """What a game says of itself."""
    return {
        "phase": game.phase,
        "seat": game.current_seat,
        "hands": game.hands,
        "bids": game.bids,
        "points": game.points,
        "trick": game.trick,
        "tricks": game.tricks,
        "penalties": game.penalties,
        "winners": game.winners,
        "legal": game.legal_actions(),
        "deals": game.finished_deals,
        "state": game.state().tobytes(),
        "key": None if game.is_over else game.decision_key(),
    }


def advanced(rules, seed, steps):
    game, rng = Game(rules, seed=seed), random.Random(seed)
    for _ in range(steps):
        if not game.is_over:
            game.play(rng.choice(game.legal_actions()))
    return game


@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize("steps", [0, 2, 17, 39, 41, 75, 160])
def test_a_copy_plays_on_alike_and_apart(way, steps):
    original = advanced(None, 3, steps)
    before = facts(original)
    twin = COPIES[way](original)
    assert facts(twin) == before
    script = []
    while not twin.is_over:
        script.append(random.Random(len(script)).choice(twin.legal_actions()))
        twin.play(script[-1])
    assert facts(original) == before
    for action in script:
        original.play(action)
    assert facts(original) == facts(twin)
    twin.reset()
    original.reset()
    assert facts(original) == facts(twin)


@pytest.mark.parametrize("way", ["copy", "deepcopy", "pickle"])
def test_a_batch_copy_plays_on_alike_and_apart(way):
    batch = Batch(5, seed=2, remember=True)
    for _ in range(60):
        step_somehow(batch)
    before = batch.state_records.tobytes()
    twin = COPIES[way](batch)
    assert twin.state_records.tobytes() == before
    for _ in range(60):
        step_somehow(twin)
    assert batch.state_records.tobytes() == before
    for _ in range(60):
        step_somehow(batch)
    assert batch.state_records.tobytes() == twin.state_records.tobytes()
    assert batch.finished_deals(3) == twin.finished_deals(3) != []
    batch.reset()
    twin.reset()
    assert batch.state_records.tobytes() == twin.state_records.tobytes()


def test_what_is_read_is_not_the_game_itself():
    """Changing what a property gave must not change the game."""
    game = advanced(None, 5, 60)
    before = facts(game)
    game.hands[0].clear()
    game.tricks.clear()
    game.finished_deals.clear()
    game.penalties[0] = 99
    game.legal_mask()[:] = 0
    game.state()[:] = 0
    assert facts(game) == before
    batch = Batch(2, seed=1)
    current = batch.current_seat.tolist()
    batch.current_seat[:] = 3
    batch.settled.bids[:] = 3
    batch.legal_mask()[:] = 0
    assert batch.current_seat.tolist() == current
    assert batch.settled.bids.tolist() == [[0] * 4] * 2


def step_somehow(batch):
    """Bids by row, then always the lowest legal card."""
    actions = np.arange(batch.num_games, dtype=np.int64)
    for row, bits in enumerate(batch.legal_bits().tolist()):
        if bits:
            actions[row] = 158 + (bits & -bits).bit_length() - 1
    batch.step(actions)


def digest_of_matches():
    """Single deals under every kind of rules: hex digits of all that is seen on the way."""
    found = {}
    for name, rules in KINDS.items():
        short = rules.replace(deals=1, first_dealer="random")
        batch, sums = Batch(2, short, seed=9), hashlib.sha256()
        while (batch.current_seat >= 0).any():
            step_somehow(batch)
            for array in (batch.state_records, batch.legal_mask(), batch.decision_keys()):
                sums.update(array.tobytes())
            sums.update(batch.state().tobytes())
            sums.update(batch.views().tobytes())
        found[name] = sums.hexdigest()
    return found


@pytest.mark.slow
def test_without_the_compiler_the_same_games_are_played():
    script = "import json, test_copies; print(json.dumps(test_copies.digest_of_matches()))"
    variables = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.path.dirname(__file__)}
    command = [sys.executable, "-W", "error", "-c", script]
    done = subprocess.run(command, env=variables, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == digest_of_matches()
