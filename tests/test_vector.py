"""The native vector environment against Gymnasium's own over single environments."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from vector_tools import MATCH, MODES, lowest, make, mindful, pairs, same, sample

import differenzler_env  # noqa: F401  (registers the ids)
from differenzler_env import Rules

# --- the same games as single environments ------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("n", "kwargs"),
    [
        (1, {}),
        (3, {"seat": 2, "opponents": ["thumb", "random", lowest], "flat": True}),
        (7, {"seat": "random", "opponents": {"pool": ["thumb", "random", "constant"]}}),
        (3, {"rules": "table", "opponents": mindful, "seat": "random"}),
        (2, {"name": MATCH, "seat": 3}),
        (3, {"name": MATCH, "objective": "win", "opponents": mindful}),
        (2, {"rules": Rules.mini(), "seat": 1}),
        (2, {"rules": Rules(players=5, deals=5), "name": MATCH, "seat": "random"}),
        (2, {"rules": Rules(revoke_penalty=20, exact_bonus=10, deals=1)}),
    ],
)
def test_every_step_is_that_of_single_environments(mode, n, kwargs):
    native, reference = pairs(n, mode, **kwargs)
    assert native.observation_space == reference.observation_space
    assert native.single_observation_space == reference.single_observation_space
    assert native.action_space == reference.action_space
    assert native.metadata == reference.metadata
    rng = np.random.default_rng(n)
    seed = [int(s) for s in rng.integers(1000, size=n)]
    left, right = native.reset(seed=seed), reference.reset(seed=seed)
    ended = np.zeros(n, bool)
    autoresets = 0
    for _ in range(140 if "name" in kwargs else 60):
        same(left, right)
        if mode == AutoresetMode.DISABLED and ended.any():
            autoresets += ended.sum()
            same(
                native.reset(options={"reset_mask": ended.copy()}),
                reference.reset(options={"reset_mask": ended.copy()}),
            )
            ended[:] = False
        masks = native.action_masks()
        same(masks, np.stack(reference.call("action_masks")))
        actions = sample(rng, masks)
        if rng.random() < 0.05:
            actions[0] = 193 - actions[0]  # often illegal
        left, right = native.step(actions), reference.step(actions)
        ended = left[2].copy()
        autoresets += ended.sum() if mode != AutoresetMode.DISABLED else 0
    assert autoresets >= 2 * n


def test_a_thousand_games_are_those_of_single_environments():
    n = 7
    native, reference = pairs(n, seat="random")
    rng = np.random.default_rng(0)
    left, right = native.reset(seed=100), reference.reset(seed=100)
    games = 0
    while games < 1000:
        same(left[0], right[0])
        left, right = (
            native.step(actions := sample(rng, native.action_masks())),
            reference.step(actions),
        )
        for one, other in zip(left[1:4], right[1:4], strict=True):
            same(one, other)
        games += left[2].sum()


def test_a_thousand_rows_are_a_thousand_single_environments():
    n = 1000
    native = make(n, MATCH, rules=Rules(deals=4), autoreset_mode=AutoresetMode.SAME_STEP)
    observations, infos = native.reset(seed=50)
    singles = {row: gymnasium.make(MATCH).unwrapped for row in (0, 1, 499, 999)}
    for row, single in singles.items():
        same(single.reset(seed=50 + row)[0]["observation"], observations["observation"][row])
    rng = np.random.default_rng(1)
    for _ in range(44):
        actions = sample(rng, infos["action_mask"])
        observations, rewards, terminations, _, infos = native.step(actions)
        for row, single in singles.items():
            observation, reward, terminated, *_ = single.step(int(actions[row]))
            assert (reward, terminated) == (rewards[row], terminations[row])
            if terminated:
                same(infos["final_obs"][row], observation)
                observation, _ = single.reset()
            same(observation["observation"], observations["observation"][row])
            same(observation["action_mask"], observations["action_mask"][row])


def test_an_opponent_answers_all_its_rows_in_one_call():
    calls = []

    class Counting:
        def act_batch(self, views, keys):
            assert len(views) == len(keys)
            calls.append(len(views))
            playing = views["phase"] == 1
            cards = np.log2(np.where(playing, views["legal"] & -views["legal"], 1)).astype(int)
            return np.where(playing, 158 + cards, 0)

    native = make(64, rules=Rules(deals=1, first_dealer=0), opponents=[Counting()] * 3)
    native.reset(seed=1)
    assert calls == [64, 64, 64]  # the learner deals, so the others bid first
    native.step(np.full(64, 40))
    assert calls[3:6] == [64, 64, 64]  # and lead to the first trick
    for _ in range(9):
        calls.clear()
        native.step(native.action_masks().argmax(axis=1))
        assert len(calls) <= 6  # three after the learner's card, three before its next
