"""The turn-based parallel form of the AEC environment."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from env_tools import at_random, play
from pettingzoo.test import parallel_api_test
from pettingzoo.utils.conversions import turn_based_aec_to_parallel_wrapper

from differenzler_env import GameOverError, IllegalActionError, Rules, differenzler_v0

ONE_DEAL = Rules.swisslos(deals=1)
SEATS = [f"player_{seat}" for seat in range(4)]


def active(observations):
    (agent,) = [a for a, seen in observations.items() if seen["action_mask"].any()]
    return agent


def test_totals_and_length_are_those_of_the_turn_based_form():
    for seed in range(20):
        got, flow = play(differenzler_v0.env(rules=ONE_DEAL), at_random(seed), seed=seed)
        env = differenzler_v0.parallel_env(rules=ONE_DEAL)
        observations, infos = env.reset(seed=seed)
        pick = at_random(seed)
        totals = dict.fromkeys(SEATS, 0.0)
        steps = 0
        while env.agents:
            agent = active(observations)
            assert agent == flow[steps][0]
            action = pick(agent, observations[agent], infos[agent])
            observations, rewards, terminations, truncations, infos = env.step({agent: action})
            steps += 1
            for name, reward in rewards.items():
                totals[name] += reward
            assert not any(truncations.values())
            assert all(terminations.values()) == (steps == 40)
            assert all(env.observation_space(a).contains(observations[a]) for a in SEATS)
        assert steps == 40
        assert observations.keys() == infos.keys() == terminations.keys() == set(SEATS)
        assert all(infos[agent]["deal"]["penalty"] == -totals[agent] for agent in SEATS)
        assert totals == {agent: got[agent][-1][0] for agent in SEATS}


def test_infos_name_the_seat_to_act_and_other_actions_are_ignored():
    env = differenzler_v0.parallel_env(rules=ONE_DEAL)
    observations, _ = env.reset(seed=1)
    agent = active(observations)
    observations, *_, infos = env.step(dict.fromkeys(SEATS, 40))
    assert env.unwrapped.game.bids.count(40) == 1
    assert {infos[name]["active_agent"] for name in SEATS} == {active(observations)}
    assert active(observations) != agent


def test_steps_before_and_after_a_match_raise():
    env = differenzler_v0.parallel_env(rules=ONE_DEAL)
    with pytest.raises(AttributeError, match=r"reset\(\)"):
        env.step({"player_0": 0})
    for _ in range(2):
        observations, infos = env.reset(seed=2)
        with pytest.raises(IllegalActionError, match="turn"):
            env.step({})
        with pytest.raises(IllegalActionError):
            env.step({active(observations): 194})
        while env.agents:
            agent = active(observations)
            action = int(np.flatnonzero(infos[agent]["action_mask"])[0])
            observations, *_, infos = env.step({agent: action})
        for actions in ({}, {agent: action}):
            with pytest.raises(GameOverError, match=r"reset\(\)"):
                env.step(actions)
        assert env.agents == []


def test_an_illegal_move_ends_it_for_all():
    env = differenzler_v0.parallel_env(rules=ONE_DEAL)
    observations, _ = env.reset(seed=3)
    agent = active(observations)
    _, rewards, terminations, truncations, _ = env.step({agent: 158})
    assert rewards == {name: -158.0 if name == agent else 0.0 for name in SEATS}
    assert terminations == dict.fromkeys(SEATS, True)
    assert truncations == dict.fromkeys(SEATS, False)
    assert env.agents == []
    with pytest.raises(GameOverError):
        env.step({agent: 0})


@pytest.mark.parametrize("rules", [None, "table", ONE_DEAL], ids=str)
def test_pettingzoos_own_test_passes_without_a_warning(rules, capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parallel_api_test(differenzler_v0.parallel_env(rules=rules), num_cycles=200)
    assert "Passed" in capsys.readouterr().out


def test_it_is_pettingzoos_conversion():
    env = differenzler_v0.parallel_env()
    assert isinstance(env, turn_based_aec_to_parallel_wrapper)
    assert env.metadata["is_parallelizable"] is False
    assert env.possible_agents == SEATS
    state = (env.reset(seed=1), env.state())[1]
    assert env.state_space.contains(state)


@pytest.mark.parametrize("actions", [None, 40, [40]])
def test_actions_that_are_no_mapping_are_refused(actions):
    env = differenzler_v0.parallel_env()
    env.reset(seed=1)
    with pytest.raises(IllegalActionError, match="actions are a mapping from agents to actions"):
        env.step(actions)
