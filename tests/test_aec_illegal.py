"""The AEC environment: illegal moves, what is no action, and dead turns."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from aec_tools import ONE_DEAL, SEATS, both_forms, one_deal
from env_tools import (
    at_random,
    first,
    last,
    play_on,
)

from differenzler_env import (
    GameOverError,
    IllegalActionError,
    Rules,
    differenzler_v0,
)

# --- illegal moves ------------------------------------------------------------------------


def an_illegal_action(env):
    mask = env.infos[env.agent_selection]["action_mask"]
    return int(np.flatnonzero(mask == 0)[-1])


@pytest.mark.parametrize("turn", [0, 3, 4, 20, 39])
def test_an_illegal_move_ends_the_match_and_costs_the_offender_alone(turn):
    env = one_deal()
    pick = at_random(turn)
    env.reset(seed=turn)
    for _ in range(turn):
        env.step(pick(None, None, env.infos[env.agent_selection]))
    offender = env.agent_selection
    action = an_illegal_action(env)
    with pytest.raises(IllegalActionError) as refused:
        env.unwrapped.step(action)
    env.step(action)
    # The sentence lists the offender's own cards: it is in no other seat's info.
    told = {agent: info["illegal"] for agent, info in env.infos.items() if "illegal" in info}
    assert told == {offender: str(refused.value)}
    assert env.agents == SEATS
    assert env.terminations == dict.fromkeys(SEATS, True)
    assert env.truncations == dict.fromkeys(SEATS, False)
    assert not any(env.observe(agent)["action_mask"].any() for agent in SEATS)
    got, flow = play_on(env, first)
    assert flow == [(agent, None) for agent in SEATS]
    for agent in SEATS:
        assert got[agent] == [(-158.0 if agent == offender else 0.0, True, False)]

    fresh = one_deal()
    env.reset(seed=77)
    fresh.reset(seed=77)
    for _ in range(40):
        assert env.agent_selection == fresh.agent_selection
        info = env.infos[env.agent_selection]
        mask = fresh.infos[fresh.agent_selection]["action_mask"]
        assert np.array_equal(info["action_mask"], mask)
        env.step(last(None, None, info))
        fresh.step(last(None, None, info))
    assert env.rewards == fresh.rewards


@pytest.mark.parametrize("taken", range(4))
def test_a_reset_among_dead_turns_leaves_nothing_behind(taken):
    env, fresh = one_deal(), one_deal()
    env.reset(seed=3)
    env.step(an_illegal_action(env))
    for _ in range(taken):
        env.step(None)
    for each in (env, fresh):
        each.reset(seed=77)
    assert play_on(env, last) == play_on(fresh, last)


@pytest.mark.parametrize(
    ("settings", "objective", "steps", "cost"),
    [
        ({}, "penalty", 0, -4 * 158.0),
        ({}, "penalty", 85, -2 * 158.0),
        ({}, "win", 85, -1.0),
        ({"deals": 1, "revoke_penalty": 20}, "penalty", 3, -(157 + 9 * 20 + 1.0)),
        ({"deals": 12}, "penalty", 41, -11 * 158.0),
    ],
)
def test_an_illegal_move_is_charged_for_every_deal_not_yet_settled(
    settings, objective, steps, cost
):
    env = differenzler_v0.env(rules=Rules(**settings), objective=objective)
    env.reset(seed=4)
    owed = dict.fromkeys(SEATS, 0.0)
    pick = at_random(4)
    for _ in range(steps):
        owed[env.agent_selection] = 0.0
        env.step(pick(None, None, env.infos[env.agent_selection]))
        for agent in SEATS:
            owed[agent] += env.rewards[agent]
    offender = env.agent_selection
    env.step(an_illegal_action(env))
    assert env.rewards == {agent: cost if agent == offender else 0.0 for agent in SEATS}
    got, _ = play_on(env, first)
    for agent in SEATS:  # what the others had coming from settled deals is still theirs
        assert got[agent] == [(cost if agent == offender else owed[agent], True, False)]


def test_the_raw_environment_raises_and_stays_as_it_was():
    env = differenzler_v0.raw_env(rules=ONE_DEAL)
    env.reset(seed=5)
    pick = at_random(5)
    for turn in range(40):
        before = pickle.dumps(env)
        with pytest.raises(IllegalActionError, match=f"seat {env.agent_selection[-1]}.*allowed"):
            env.step(an_illegal_action(env))
        assert pickle.dumps(env) == before, turn
        env.step(pick(None, None, env.infos[env.agent_selection]))


@both_forms
@pytest.mark.parametrize(
    "action",
    [
        None,
        158.0,
        40.5,
        "40",
        "D10",
        -1,
        194,
        10**9,
        True,
        [3],
        np.array([3]),
        np.float32(3),
        (),
        {},
    ],
    ids=repr,
)
def test_what_is_no_action_raises_and_changes_nothing(make, action):
    env = make(rules=ONE_DEAL)
    env.reset(seed=5)
    for _ in range(2):
        before = env.agent_selection, env.observe(env.agent_selection), env.terminations
        with pytest.raises(IllegalActionError):
            env.step(action)
        assert env.agent_selection == before[0]
        assert np.array_equal(env.observe(before[0])["observation"], before[1]["observation"])
        assert not any(env.terminations.values())
        env.step(0)


@both_forms
def test_integers_of_every_kind_are_actions(make):
    env = make(rules=ONE_DEAL)
    env.reset(seed=5)
    for action in (40, np.int64(40), np.uint8(40), np.array(40)):
        env.step(action)
    assert env.unwrapped.game.bids == [40, 40, 40, 40]


@both_forms
def test_a_dead_turn_takes_none_and_nothing_else(make):
    env = make(rules=ONE_DEAL)
    env.reset(seed=6)
    for _ in range(40):
        env.step(first(None, None, env.infos[env.agent_selection]))
    for remaining in range(4, 0, -1):
        assert len(env.agents) == remaining
        with pytest.raises(ValueError, match="None"):
            env.step(0)
        assert len(env.agents) == remaining
        env.step(None)
    for action in (None, 0):
        with pytest.raises(GameOverError, match=r"reset\(\)"):
            env.step(action)
