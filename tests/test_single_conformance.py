"""The environment of one seat: Gymnasium's own checks, form, copies, state."""

from __future__ import annotations

import copy
import importlib
import pickle
import warnings

import gymnasium
import numpy as np
import pytest
from env_tools import a_deal
from gymnasium.utils.env_checker import check_env, data_equivalence
from single_tools import DEAL, MATCH, chooser, episode, legal, lowest, make

import differenzler_env
from differenzler_env import (
    Rules,
)
from differenzler_env.observation import STATE_SLICES
from differenzler_env.rule_text import get_rules

# --- conformance --------------------------------------------------------------------------


@pytest.mark.parametrize("name", [DEAL, MATCH])
@pytest.mark.parametrize("flat", [False, True])
def test_gymnasiums_checker_passes_every_time(name, flat, capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for seed in range(50 if (name, flat) == (DEAL, False) else 5):
            env = make(name, flat=flat, seat="random")
            env.unwrapped.action_space.seed(seed)
            check_env(env.unwrapped, skip_render_check=seed > 0)
    capsys.readouterr()


@pytest.mark.parametrize("flat", [False, True])
def test_everything_returned_has_its_form(flat):
    env = make(flat=flat)
    for seed in range(1000 if flat else 300):
        for observation, reward, terminated, truncated, info in episode(
            env, chooser(seed), seed=seed
        ):
            assert env.observation_space.contains(observation)
            vector = observation if flat else observation["observation"]
            assert vector.dtype == np.float32
            assert type(reward) is float
            assert type(terminated) is bool
            assert type(truncated) is bool
            assert info["action_mask"].dtype == np.int8
            assert info["action_mask"].shape == (194,)
            assert info["action_mask"].any()
            assert info["action_mask"].all() == terminated


def test_the_flat_form_is_the_vector_of_the_dict_form():
    flat, full = make(flat=True), make()
    assert flat.observation_space == full.observation_space["observation"]
    assert flat.observation_space.is_bounded()
    pairs = zip(episode(flat, chooser(1), seed=1), episode(full, chooser(1), seed=1), strict=True)
    for bare, rich in pairs:
        assert np.array_equal(bare[0], rich[0]["observation"])
        assert np.array_equal(bare[4]["action_mask"], rich[0]["action_mask"])
        assert bare[1:4] == rich[1:4]


def test_nothing_returned_shares_memory_with_anything_returned_later():
    steps = episode(make(), chooser(1), seed=1)
    arrays = [a for o, *_, info in steps for a in (*o.values(), info["action_mask"])]
    for number, one in enumerate(arrays):
        assert not any(np.shares_memory(one, other) for other in arrays[number + 1 :])


def test_masks_are_reached_through_wrappers():
    env = make()
    _, info = env.reset(seed=1)
    masks = env.get_wrapper_attr("action_masks")
    while True:
        assert masks().dtype == np.bool_
        assert np.array_equal(masks(), info["action_mask"].astype(bool))
        *_, terminated, _, info = env.step(int(legal(info)[0]))
        if terminated:
            break
    assert masks().all()


def test_a_normaliser_leaves_the_masks_alone():
    env = gymnasium.wrappers.NormalizeObservation(make(flat=True))
    masks = env.get_wrapper_attr("action_masks")
    pick = chooser(1)
    terminated = True
    for _ in range(3000):
        if terminated:
            _, info = env.reset()
            terminated = False
        else:
            *_, terminated, _, info = env.step(int(pick(info)))
        assert set(np.unique(info["action_mask"])) <= {0, 1}
        assert np.array_equal(masks(), info["action_mask"].astype(bool))


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_play_on_alike(duplicate):
    env = make(MATCH, seat="random", opponents={"pool": ["thumb", "random"]})
    pick = chooser(6)
    _, info = env.reset(seed=6)
    for _ in range(17):
        *_, info = env.step(int(pick(info)))
    other = duplicate(env)
    action = int(legal(info)[0])
    left, right = env.step(action), other.step(action)
    while not left[2]:
        assert data_equivalence(left, right, exact=True)
        action = int(pick(left[4]))
        left, right = env.step(action), other.step(action)
    assert data_equivalence(left, right, exact=True)
    assert data_equivalence(env.reset(), other.reset(), exact=True)


def test_the_state_is_the_whole_table():
    env = make()
    env.reset(seed=1)
    env.step(40)
    state = env.unwrapped.state()
    observation = env.unwrapped.game.observe(0)
    assert np.array_equal(state[: observation.size], observation)


@pytest.mark.parametrize("rules", ["table", "mini", Rules(players=3), Rules(players=5)])
@pytest.mark.parametrize("seat", [0, 1, 2])
def test_the_state_is_the_learners_to_the_end(rules, seat):
    players = get_rules(rules).players
    if seat >= players:
        return
    kwargs = {"rules": rules, "seat": seat, "flat": True, "opponents": lowest}
    env = make(MATCH, **kwargs)
    envs = gymnasium.make_vec(MATCH, 2, **kwargs)
    observation, info = env.reset(seed=3)
    envs.reset(seed=3)
    pick, terminated = chooser(1), False
    while not terminated:
        state = env.unwrapped.state()
        assert np.array_equal(state[: observation.size], observation)
        action = int(pick(info))
        observation, _, terminated, _, info = env.step(action)
        envs.step(np.array([action, envs.unwrapped.action_masks()[1].argmax()]))
        assert np.array_equal(env.unwrapped.state(), envs.unwrapped.state()[0])
    state, game = env.unwrapped.state(), env.unwrapped.game
    assert game.is_over
    assert np.array_equal(state[: observation.size], observation)
    if seat == 0:
        assert np.array_equal(state, game.state())  # which is seat 0's after the end
    assert not state[STATE_SLICES["other_hands"]].any()
    bids = np.rint(state[STATE_SLICES["other_bids"]] * 157).tolist()
    others = [game.bids[(seat + place) % players] for place in range(1, players)]
    assert bids == others + [0] * (5 - players)


def test_other_rules_and_set_up_deals():
    for rules, steps in (
        (Rules.mini(), 6),
        (Rules(players=3, deals=1), 14),
        (Rules(players=5), 41),
    ):
        assert len(episode(make(MATCH, rules=rules), chooser(1), seed=1)) == steps
    env = make(seat=3)
    for dealer in range(4):
        env.reset(options={"deal": a_deal(dealer=dealer), "and": "more"})
        assert sum(bid is not None for bid in env.unwrapped.game.bids) == (2 - dealer) % 4


def test_a_reload_registers_nothing_twice():
    before = dict(gymnasium.registry)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        importlib.reload(differenzler_env)
    assert dict(gymnasium.registry) == before
    assert {name for name in before if "ifferenzler" in name} == {
        "Differenzler-v0",
        "DifferenzlerDeal-v0",
    }


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["DummyVecEnv", "SubprocVecEnv"])
def test_masks_are_reached_through_stable_baselines(kind):
    vec_env = pytest.importorskip("stable_baselines3.common.vec_env")
    from stable_baselines3.common.env_util import make_vec_env

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what the library warns of at start is not ours
        envs = make_vec_env(DEAL, n_envs=2, seed=1, vec_env_cls=getattr(vec_env, kind))
    try:
        observations = envs.reset()
        for _ in range(25):
            masks = np.stack(envs.env_method("action_masks"))
            assert np.array_equal(masks, observations["action_mask"].astype(bool))
            actions = np.array([np.flatnonzero(mask)[0] for mask in masks])
            observations, *_ = envs.step(actions)
    finally:
        envs.close()
