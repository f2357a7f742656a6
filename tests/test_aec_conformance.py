"""The AEC environment: PettingZoo's own tests, call order, copies, other tables."""

from __future__ import annotations

import copy
import pickle
import warnings

import gymnasium
import numpy as np
import pettingzoo
import pytest
from aec_tools import ONE_DEAL, SEATS, UNAVOIDABLE, both_forms, one_deal
from env_tools import (
    at_random,
    first,
    last,
    play,
)
from pettingzoo.test import api_test, render_test, seed_test
from pettingzoo.utils import aec_to_parallel
from pettingzoo.utils.wrappers import BaseWrapper, OrderEnforcingWrapper

from differenzler_env import (
    Rules,
    differenzler_v0,
)

# --- conformance --------------------------------------------------------------------------


def told(run):
    """The messages of the warnings a run gives."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run()
    return {str(warning.message) for warning in caught}


@both_forms
@pytest.mark.parametrize("rules", [None, "table", "mini", ONE_DEAL], ids=str)
def test_pettingzoos_own_tests_pass_with_no_other_warning(make, rules, capsys):
    assert told(lambda: api_test(make(rules=rules), num_cycles=1000)) == UNAVOIDABLE
    assert told(lambda: seed_test(lambda: make(rules=rules), num_cycles=200)) == set()
    assert "Passed API test" in capsys.readouterr().out


@both_forms
def test_pettingzoos_render_test_passes(make, capsys):
    assert told(lambda: render_test(make)) == set()
    assert "trump" in capsys.readouterr().out.lower()


@both_forms
def test_what_there_is_before_reset(make):
    env = make()
    assert env.possible_agents == SEATS
    assert env.max_num_agents == 4
    for agent in SEATS:
        assert env.observation_space(agent) is env.observation_space(agent)
        assert env.action_space(agent) is env.action_space(agent)
        assert env.action_space(agent).n == 194
    assert len({id(env.action_space(agent)) for agent in SEATS}) == 4
    assert env.metadata["name"] == str(env) == "differenzler_v0"
    assert env.metadata["is_parallelizable"] is False
    assert env.unwrapped.metadata["render_modes"] == ["ansi", "human", "rgb_array"]
    assert not isinstance(env.unwrapped, BaseWrapper)
    assert isinstance(env, OrderEnforcingWrapper) == (make is differenzler_v0.env)


@both_forms
def test_calls_before_reset_are_answered_with_a_sentence(make):
    env = make()
    calls = {
        "step": lambda: env.step(0),
        "last": lambda: env.last(),
        "observe": lambda: env.observe("player_0"),
        "state": lambda: env.state(),
        "render": lambda: env.render(),
        "agents": lambda: env.agents,
        "num_agents": lambda: env.num_agents,
        "agent_selection": lambda: env.agent_selection,
        "rewards": lambda: env.rewards,
        "infos": lambda: env.infos,
        "terminations": lambda: env.terminations,
        "agent_iter": lambda: list(env.agent_iter()),
    }
    for name, call in calls.items():
        with pytest.raises((AttributeError, AssertionError, gymnasium.error.ResetNeeded)) as caught:
            call()
        assert "reset" in str(caught.value), name
        assert "attribute '_" not in str(caught.value), name
    env.reset()
    env.reset()
    assert len(env.agents) == 4
    with pytest.raises(ValueError, match="player_9"):
        env.observe("player_9")
    for space in (env.action_space, env.observation_space):
        with pytest.raises(ValueError, match="no agent 'p'; agents are player_0, player_1"):
            space("p")
    with pytest.raises(AttributeError, match="no_such_thing"):
        _ = env.no_such_thing


def test_agent_iter_stops_where_it_is_told():
    env = one_deal()
    env.reset(seed=1)
    turns = 0
    for agent in env.agent_iter(max_iter=10):
        env.step(first(agent, None, env.infos[agent]))
        turns += 1
    assert turns == 10
    assert env.agents == SEATS


def test_spaces_are_seeded_seat_by_seat():
    env = one_deal()
    draws = []
    for _ in range(2):
        env.action_space("player_2").seed(1)
        draws.append([int(env.action_space("player_2").sample()) for _ in range(5)])
        env.action_space("player_0").sample()
    assert draws[0] == draws[1]


def test_the_state_is_the_observation_and_what_is_hidden():
    env = one_deal()
    env.reset(seed=2)
    for agent in env.agent_iter():
        state = env.state()
        assert env.unwrapped.state_space.contains(state)
        if not env.terminations[agent]:
            observation = env.observe(agent)["observation"]
            assert np.array_equal(state[: observation.size], observation)
            assert state.size > observation.size
        env.step(None if env.terminations[agent] else last(agent, None, env.infos[agent]))


def test_other_tables_seat_their_players():
    for rules, players, turns in ((Rules.mini(), 2, 10), (Rules(players=3, deals=1), 3, 39)):
        env = differenzler_v0.env(rules=rules)
        assert env.possible_agents == [f"player_{seat}" for seat in range(players)]
        _, flow = play(env, at_random(1), seed=1)
        assert len(flow) == turns + players


@pytest.mark.parametrize(
    "kwargs",
    [
        {"rules": "no such rules"},
        {"objective": "points"},
        {"render_mode": "window"},
        {"render_seat": 4},
        {"render_seat": "all"},
        {"render_cards": "tarot"},
    ],
    ids=str,
)
def test_impossible_arguments_are_refused(kwargs):
    (value,) = kwargs.values()
    with pytest.raises(ValueError, match=repr(value)):
        differenzler_v0.env(**kwargs)


@pytest.mark.skipif(not hasattr(pettingzoo, "register"), reason="its registry came with 1.27")
def test_pettingzoos_registry_makes_it():
    for name in ("differenzler_v0", "differenzler-v0"):
        env = pettingzoo.make("aec", name, rules=ONE_DEAL)
        env.reset(seed=1)
        assert str(env) == "differenzler_v0"
        parallel = pettingzoo.make("parallel", name)
        assert parallel.reset(seed=1)[0].keys() == set(SEATS)


# --- copies -------------------------------------------------------------------------------


def snapshot(env):
    """All that a user can see, as bytes and plain values."""
    return (
        list(env.agents),
        env.agent_selection,
        [
            (env.observe(a)["observation"].tobytes(), env.infos[a]["action_mask"].tobytes())
            for a in env.agents
        ],
        [env.infos[a].get("deal") for a in env.agents],
        dict(env.rewards),
        dict(env._cumulative_rewards),
        dict(env.terminations),
    )


@both_forms
@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize("turn", [0, 2, 17, 39, 40, 42])
def test_copies_are_exact_and_independent(make, duplicate, turn):
    env = make(rules=ONE_DEAL)
    env.reset(seed=9)
    pick = at_random(9)

    def step(env):
        dead = env.terminations[env.agent_selection]
        env.step(None if dead else last(None, None, env.infos[env.agent_selection]))

    for _ in range(turn):
        dead = env.terminations[env.agent_selection]
        env.step(None if dead else pick(None, None, env.infos[env.agent_selection]))
    other = duplicate(env)
    before = snapshot(env)
    assert snapshot(other) == before
    while other.agents:
        step(other)
    assert snapshot(env) == before
    third = duplicate(env)
    while env.agents:
        step(env)
        step(third)
        assert env.agents == third.agents
        if env.agents:
            assert snapshot(third) == snapshot(env)


def test_a_copied_match_goes_on_to_the_same_next_match():
    env = differenzler_v0.env()
    env.reset(seed=9)
    other = copy.deepcopy(env)
    for each in (env, other):
        each.reset()
    assert env.unwrapped.game.hands == other.unwrapped.game.hands


# --- the parallel form --------------------------------------------------------------------


def test_it_refuses_the_unsafe_conversion():
    with pytest.raises(AssertionError, match="not generally safe"):
        aec_to_parallel(one_deal())
