"""The vector environment: autoreset by script, seeds and options."""

from __future__ import annotations

import copy

import gymnasium
import numpy as np
import pytest
from env_tools import a_deal
from gymnasium.vector import AutoresetMode
from vector_tools import DEAL, MATCH, MODES, digest, make, same, sample

import differenzler_env  # noqa: F401  (registers the ids)
from differenzler_env import GameOverError

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
