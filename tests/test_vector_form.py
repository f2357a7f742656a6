"""The vector environment: bad actions, the form of what it returns, workers."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
import re

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from vector_tools import DEAL, MATCH, MODES, digest, lowest, make, same, sample

import differenzler_env  # noqa: F401  (registers the ids)
from differenzler_env import IllegalActionError
from differenzler_env.envs.vector import DifferenzlerVectorEnv

# --- bad actions --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "actions",
    [
        np.zeros(2, int),
        np.zeros(4, int),
        np.zeros((3, 1), int),
        np.zeros(3),
        np.zeros(3, bool),
        0,
        None,
        ["a", "b", "c"],
        [0, -1, 0],
        [0, 0, 194],
        np.array([0, 0, 2**64 - 1], np.uint64),
    ],
    ids=repr,
)
def test_bad_actions_are_refused_and_nothing_changes(actions):
    envs = make(3)
    envs.reset(seed=1)
    before = envs.batch.state_records.tobytes()
    with pytest.raises(ValueError, match="action"):
        envs.step(actions)
    assert envs.batch.state_records.tobytes() == before
    for good in ([1, 2, 3], (1, 2, 3), np.array([4, 5, 6], np.uint8)):
        copy.deepcopy(envs).step(good)


def test_illegal_actions_raise_where_asked_to_and_nothing_changes():
    envs = make(3, illegal="raise")
    envs.reset(seed=1)
    before = envs.batch.state_records.tobytes()
    with pytest.raises(IllegalActionError, match=r"row 2.*allowed"):
        envs.step([0, 0, 158])
    assert envs.batch.state_records.tobytes() == before
    envs.step([0, 0, 0])


def test_calls_before_reset_are_answered_with_a_sentence():
    envs = make(3)
    for call in (lambda: envs.step([0, 0, 0]), envs.action_masks, envs.state, envs.render):
        with pytest.raises(gymnasium.error.ResetNeeded, match="reset"):
            call()


@pytest.mark.parametrize(
    "kwargs",
    [
        {"num_envs": 0},
        {"num_envs": 2.5},
        {"num_envs": "3"},
        {"num_envs": True},
        {"autoreset_mode": "Sometimes"},
        {"seat": 4},
        {"illegal": "no"},
    ],
    ids=str,
)
def test_impossible_arguments_are_refused(kwargs):
    with pytest.raises(ValueError, match=str(next(iter(kwargs.values())))):
        DifferenzlerVectorEnv(**kwargs)


@pytest.mark.parametrize("options", ["x", 5, [1], []])
def test_options_that_are_no_mapping_are_refused(options):
    for env in (make(3), gymnasium.make(DEAL).unwrapped):
        with pytest.raises(ValueError, match=r"options are .*; allowed: None or a mapping"):
            env.reset(options=options)


@pytest.mark.parametrize("seed", [True, "123", np.array(3), 1.5, [[1], [2], [3]]])
def test_seeds_that_are_none_are_refused(seed):
    with pytest.raises(ValueError, match=r"seed is .*; allowed"):
        make(3).reset(seed=seed)


def test_an_opponent_that_fails_leaves_everything_as_it_was():
    mood = {"fail": False}

    def moody(view, rng):
        if mood["fail"] and view.seat == 2:
            return 193 if mood["fail"] == "illegal" else 1 // 0
        return lowest(view, rng)

    envs = make(3, MATCH, opponents=moody)
    untouched = make(3, MATCH, opponents=lowest)
    same(envs.reset(seed=1), untouched.reset(seed=1))
    for how, error in (("illegal", IllegalActionError), ("crash", ZeroDivisionError)):
        before = envs.batch.state_records.tobytes()
        mood["fail"] = how
        with pytest.raises(error) as raised:
            envs.step(envs.action_masks().argmax(axis=1))
        if how == "illegal":
            # Not what would have been legal: that is its hand.
            assert re.fullmatch(
                r"row \d: opponent moody in seat 2 chose SA, which is not legal there",
                str(raised.value),
            )
            assert raised.value.__cause__ is raised.value.__context__ is None
        with pytest.raises(error):
            envs.reset()
        mood["fail"] = False
        assert envs.batch.state_records.tobytes() == before
    for _ in range(60):
        actions = envs.action_masks().argmax(axis=1)
        same(envs.step(actions), untouched.step(actions))


# --- form ---------------------------------------------------------------------------------


def test_make_vec_uses_the_batch_engine_by_itself():
    envs = make(5, MATCH)
    assert isinstance(envs.unwrapped, DifferenzlerVectorEnv)
    assert envs.num_envs == 5
    assert envs.spec.id == "Differenzler-v0"
    assert isinstance(make(2, autoreset_mode="SameStep").unwrapped, DifferenzlerVectorEnv)


def test_gymnasiums_vector_wrappers_work_on_it():
    envs = gymnasium.wrappers.vector.RecordEpisodeStatistics(make(3))
    listed = gymnasium.wrappers.vector.DictInfoToList(make(3))
    envs.reset(seed=4)
    _, row_infos = listed.reset(seed=4)
    for turn in range(10):
        actions = np.array([row["action_mask"].argmax() for row in row_infos])
        _, rewards, terminations, _, infos = envs.step(actions)
        *_, row_infos = listed.step(actions)
        assert terminations.all() == (turn == 9)
    assert infos["episode"]["l"].tolist() == [10, 10, 10]
    assert np.array_equal(infos["episode"]["r"], rewards)
    assert [row["deal"]["penalty"] for row in row_infos] == [-reward for reward in rewards]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("flat", [False, True])
def test_everything_returned_fits_the_spaces_and_is_fresh(mode, flat):
    envs = make(3, autoreset_mode=mode, flat=flat, seat="random")
    rng = np.random.default_rng(0)
    observations, infos = envs.reset(seed=1)
    arrays = []
    for _ in range(25):
        assert envs.observation_space.contains(observations)
        assert infos["action_mask"].dtype == np.int8
        assert infos["action_mask"].shape == (3, 194)
        assert infos["action_mask"].any(axis=1).all()
        assert infos["_action_mask"].dtype == np.bool_
        arrays.append(observations if flat else observations["observation"])
        arrays += [] if flat else [observations["action_mask"]]
        arrays += [infos["action_mask"], infos["_action_mask"]]
        observations, rewards, terminations, truncations, infos = envs.step(
            sample(rng, infos["action_mask"])
        )
        arrays += [rewards, terminations, truncations]
        if mode == AutoresetMode.DISABLED and terminations.any():
            observations, infos = envs.reset(options={"reset_mask": terminations})
            if not infos["_action_mask"].all():
                infos["action_mask"] = envs.action_masks().astype(np.int8)
                infos["_action_mask"] = np.ones(3, bool)
    for number, one in enumerate(arrays):
        assert not any(np.shares_memory(one, other) for other in arrays[number + 1 :])


def test_a_softmax_over_the_mask_never_meets_an_empty_set():
    envs = make(4, illegal="terminate")
    rng = np.random.default_rng(0)
    _, infos = envs.reset(seed=2)
    for _ in range(60):
        logits = np.where(infos["action_mask"] == 1, rng.normal(size=(4, 194)), -np.inf)
        weights = np.exp(logits - logits.max(axis=1, keepdims=True))
        chances = weights / weights.sum(axis=1, keepdims=True)
        assert np.isfinite(chances).all()
        infos = envs.step(chances.argmax(axis=1))[4]


@pytest.mark.parametrize(
    "duplicate", [copy.deepcopy, lambda envs: pickle.loads(pickle.dumps(envs))]
)
def test_copies_play_on_alike(duplicate):
    envs = make(3, MATCH, seat="random", opponents={"pool": ["thumb", "random"]})
    rng = np.random.default_rng(0)
    envs.reset(seed=1)
    for _ in range(30):
        envs.step(sample(rng, envs.action_masks()))
    other = duplicate(envs)
    for _ in range(30):
        actions = sample(rng, envs.action_masks())
        same(envs.step(actions), other.step(actions))


def in_a_worker(queue):
    queue.put(digest(7))


@pytest.mark.slow
@pytest.mark.parametrize("method", ["spawn", "fork"])
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
def test_workers_play_the_same_games(method):
    expected = digest(7)
    context = multiprocessing.get_context(method)
    queue = context.SimpleQueue()
    workers = [context.Process(target=in_a_worker, args=(queue,)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(timeout=120)
        assert worker.exitcode == 0
    assert [queue.get(), queue.get()] == [expected, expected]


@pytest.mark.slow
def test_gymnasiums_own_workers_play_the_same_games():
    native = make(2)
    workers = gymnasium.make_vec(DEAL, num_envs=2, vectorization_mode="async")
    try:
        left, right = native.reset(seed=3), workers.reset(seed=3)
        for _ in range(24):
            same(left, right)
            actions = native.action_masks().argmax(axis=1)
            left, right = native.step(actions), workers.step(actions)
    finally:
        workers.close()
