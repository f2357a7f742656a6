"""The native vector environment against Gymnasium's own over single environments, and by script."""

from __future__ import annotations

import copy
import hashlib
import multiprocessing
import pickle
import re

import gymnasium
import numpy as np
import pytest
from env_tools import a_deal
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import differenzler_env  # noqa: F401  (registers the ids)
from differenzler_env import GameOverError, IllegalActionError, Rules
from differenzler_env.envs.vector import DifferenzlerVectorEnv

MATCH = "differenzler_env:Differenzler-v0"
DEAL = "differenzler_env:DifferenzlerDeal-v0"
MODES = list(AutoresetMode)


def make(n=3, name=DEAL, **kwargs):
    return gymnasium.make_vec(name, num_envs=n, **kwargs)


def pairs(n, mode=AutoresetMode.NEXT_STEP, name=DEAL, **kwargs):
    """The native vector environment, and Gymnasium's over n single ones."""
    native = make(n, name, autoreset_mode=mode, **kwargs)
    reference = gymnasium.make_vec(
        name,
        num_envs=n,
        vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": mode},
        **kwargs,
    )
    assert isinstance(reference, SyncVectorEnv)
    return native, reference


def same(left, right):
    assert data_equivalence(left, right, exact=True)


def sample(rng, masks):
    return np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])


def lowest(view, rng):
    return view.legal_actions()[0]


def mindful(view, rng):
    """Plays by what has happened in the deals before."""
    actions = view.legal_actions()
    return actions[sum(sum(deal["points"][:2]) for deal in view.finished_deals) % len(actions)]


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


# --- autoreset, by script -----------------------------------------------------------------


def step_to_the_end(envs, seed=5):
    """Play all rows up to their last decision (in a single deal all end together)."""
    _, infos = envs.reset(seed=seed)
    for _ in range(9):
        actions = infos["action_mask"].argmax(axis=1)
        _, rewards, terminations, truncations, infos = envs.step(actions)
        assert not rewards.any()
        assert not terminations.any()
        assert not truncations.any()
        assert "deal" not in infos
    return infos["action_mask"].argmax(axis=1)


def first_of_next_match(n, seed=5):
    singles = [gymnasium.make(DEAL).unwrapped for _ in range(n)]
    observations = []
    for row, single in enumerate(singles):
        single.reset(seed=seed + row)
        observations.append(single.reset()[0]["observation"])
    return np.stack(observations)


def test_next_step_resets_with_the_next_step():
    envs = make(3)
    assert envs.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    actions = step_to_the_end(envs)
    observations, rewards, terminations, truncations, infos = envs.step(actions)
    assert terminations.all()
    assert not truncations.any()
    assert rewards.dtype == np.float64
    assert np.array_equal(rewards, -infos["deal"]["penalty"])
    assert np.array_equal(rewards, -abs(infos["deal"]["bid"] - infos["deal"]["points"]))
    assert infos["_deal"].all()
    assert infos["deal"]["_bid"].all()
    assert observations["action_mask"].all()  # no softmax meets an empty set
    assert "final_obs" not in infos
    for nonsense in ([193, 0, 158], [-5, 1000, 10**9]):
        again = copy.deepcopy(envs)
        observations, rewards, terminations, truncations, infos = again.step(np.array(nonsense))
        same(observations["observation"], first_of_next_match(3))
        assert not rewards.any()
        assert not terminations.any()
        assert "deal" not in infos
        assert not again.step(infos["action_mask"].argmax(axis=1))[2].any()


def test_same_step_resets_with_the_step_itself():
    envs = make(3, autoreset_mode=AutoresetMode.SAME_STEP)
    assert envs.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    actions = step_to_the_end(envs)
    observations, rewards, terminations, truncations, infos = envs.step(actions)
    assert terminations.all()
    assert not truncations.any()
    same(observations["observation"], first_of_next_match(3))
    assert "deal" not in infos
    assert infos["_final_obs"].all()
    assert infos["_final_info"].all()
    assert np.array_equal(rewards, -infos["final_info"]["deal"]["penalty"])
    assert infos["final_info"]["action_mask"].all()
    assert not infos["action_mask"].all()
    for final in infos["final_obs"]:
        assert envs.single_observation_space.contains(final)
        assert final["action_mask"].all()
    assert not envs.step(infos["action_mask"].argmax(axis=1))[2].any()


def test_disabled_waits_for_the_user():
    envs = make(3, autoreset_mode=AutoresetMode.DISABLED)
    assert envs.metadata["autoreset_mode"] is AutoresetMode.DISABLED
    ended, *_ = envs.step(step_to_the_end(envs))
    with pytest.raises(GameOverError, match="row 0"):
        envs.step(np.zeros(3, int))
    mask = np.array([True, False, True])
    options = {"reset_mask": mask}
    observations, infos = envs.reset(options=options)
    assert options["reset_mask"] is mask  # what the user gave is left alone
    same(observations["observation"][mask], first_of_next_match(3)[mask])
    same(observations["observation"][1], ended["observation"][1])
    assert observations["action_mask"][1].all()
    assert np.array_equal(infos["_action_mask"], mask)
    assert not infos["action_mask"][1].any()
    with pytest.raises(GameOverError, match="row 1"):
        envs.step(np.zeros(3, int))
    envs.reset(seed=[None, 9, None], options={"reset_mask": ~mask})
    assert not envs.step(envs.action_masks().argmax(axis=1))[2].any()


@pytest.mark.parametrize("mode", MODES)
def test_rows_end_at_different_times_and_every_reward_is_handed_out(mode):
    envs = make(5, MATCH, autoreset_mode=mode, seat="random")
    rng = np.random.default_rng(3)
    _, infos = envs.reset(seed=3)
    paid, told, ended_rows = np.zeros(5), np.zeros(5), 0
    ended = np.zeros(5, bool)
    for turn in range(2000):  # ten thousand steps of a row
        if mode == AutoresetMode.DISABLED and ended.any():
            envs.reset(options={"reset_mask": ended})
        masks = envs.action_masks()
        actions = sample(rng, masks)
        if turn % 7 == 0:
            actions[turn % 5] = 157 if masks[turn % 5, 157] == 0 else 193
        was_reset = ended if mode == AutoresetMode.NEXT_STEP else np.zeros(5, bool)
        before = envs.batch.deal_number
        _, rewards, ended, truncations, infos = envs.step(actions)
        assert not truncations.any()
        assert not (was_reset & (ended | (rewards != 0))).any()
        paid += rewards
        illegal = ~was_reset & (masks[np.arange(5), actions] == 0)
        told += -158.0 * (4 - before) * illegal
        deals = [infos.get("deal"), infos.get("final_info", {}).get("deal")]
        for deal in deals:
            if deal is not None:
                told -= deal["penalty"]
        ended_rows += ended.sum()
    assert np.array_equal(paid, told)
    assert ended_rows > 200


# --- seeds and options --------------------------------------------------------------------


def digest(seed, steps=60, n=4, **kwargs):
    """A hash of all that a stream of steps returns."""
    envs = DifferenzlerVectorEnv(n, deals=1, seat="random", **kwargs)
    rng = np.random.default_rng(0)
    observations, infos = envs.reset(seed=seed)
    seen = hashlib.sha256()
    for _ in range(steps):
        seen.update(observations["observation"].tobytes() + infos["action_mask"].tobytes())
        observations, rewards, terminations, _, infos = envs.step(sample(rng, infos["action_mask"]))
        seen.update(rewards.tobytes() + terminations.tobytes())
    return seen.hexdigest()


def test_a_stream_is_reproduced_from_one_seed():
    assert digest(7, steps=2500) == digest([7, 8, 9, 10], steps=2500)
    assert digest(7) != digest(8)
    assert digest(np.int64(7)) == digest(7)


def test_row_by_row_seeds():
    envs = make(3)
    first, _ = envs.reset(seed=[4, 9, 4])
    assert np.array_equal(first["observation"][0], first["observation"][2])
    assert not np.array_equal(first["observation"][0], first["observation"][1])
    second, _ = envs.reset()
    mixed, _ = envs.reset(seed=[4, None, 9])
    assert np.array_equal(mixed["observation"][0], first["observation"][0])
    assert np.array_equal(mixed["observation"][2], first["observation"][1])
    assert not np.array_equal(mixed["observation"][1], second["observation"][1])
    for wrong in ([1, 2], [1, 2, 3, 4], []):
        with pytest.raises(ValueError, match="seeds"):
            envs.reset(seed=wrong)
    for wrong in (-1, [0, -1, 2], [0, "x", 2], 1.5):
        with pytest.raises(ValueError, match=r"-1|'x'|1\.5"):
            envs.reset(seed=wrong)


def test_without_a_seed_streams_differ_between_rows_and_instances():
    envs, others = make(8), make(8)
    seen = {row.tobytes() for each in (envs, others) for row in each.reset()[0]["observation"]}
    assert len(seen) == 16


def test_each_row_can_have_its_deal():
    envs = make(3, seat=1)
    deals = [a_deal(seed=1, dealer=2), None, a_deal(seed=2, dealer=0, trump="S")]
    envs.reset(seed=6, options={"deal": deals, "whatever": 3})
    plain = make(3, seat=1)
    plain.reset(seed=6)
    for row, deal in enumerate(deals):
        game = envs.batch.game(row)
        if deal is None:
            assert game.hands == plain.batch.game(row).hands
        else:
            assert [set(hand) for hand in game.hands] == [set(hand) for hand in deal["hands"]]
            assert (game.trump, game.dealer) == (deal["trump"], deal["dealer"])
        assert game.current_seat == 1
    envs.reset(options={"deal": deals[0]})  # one for all, as a single environment takes it
    assert len({str(envs.batch.game(row).hands) for row in range(3)}) == 1


@pytest.mark.parametrize("deals", [[None, None], [a_deal()] * 4, "abc", 3], ids=str)
def test_a_list_of_deals_has_an_entry_for_each_row(deals):
    envs = make(3)
    envs.reset(seed=1)
    with pytest.raises(ValueError, match=r"3 rows|mapping"):
        envs.reset(options={"deal": deals})


@pytest.mark.parametrize(
    "mask",
    [[True, True, True], np.ones(2, bool), np.ones(3, int), np.zeros(3, bool), "all"],
    ids=str,
)
def test_an_impossible_reset_mask_is_refused(mask):
    envs = make(3, autoreset_mode=AutoresetMode.DISABLED)
    envs.reset(seed=1)
    with pytest.raises(ValueError, match="reset_mask"):
        envs.reset(options={"reset_mask": mask})


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
            assert raised.value.__suppress_context__
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
