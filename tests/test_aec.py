"""The AEC environment: rewards, masks, illegal moves, conformance, copies, call order."""

from __future__ import annotations

import copy
import pickle
import warnings

import gymnasium
import numpy as np
import pettingzoo
import pytest
from env_tools import (
    NUM_BIDS,
    at_random,
    card_text,
    first,
    last,
    play,
    play_on,
)
from oracle import lawful_cards
from pettingzoo.test import api_test, render_test, seed_test
from pettingzoo.utils import aec_to_parallel
from pettingzoo.utils.wrappers import BaseWrapper, OrderEnforcingWrapper

from differenzler_env import (
    GameOverError,
    IllegalActionError,
    Rules,
    cards,
    differenzler_v0,
)

ONE_DEAL = Rules.swisslos(deals=1)
SEATS = [f"player_{seat}" for seat in range(4)]
UNAVOIDABLE = {  # PettingZoo prefers bare arrays to dicts with a mask
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box or "
    "gymnasium.spaces.discrete",
}
CONSTRUCTORS = [differenzler_v0.env, differenzler_v0.raw_env]
both_forms = pytest.mark.parametrize("make", CONSTRUCTORS, ids=["wrapped", "raw"])


def one_deal(**kwargs):
    return differenzler_v0.env(rules=ONE_DEAL, **kwargs)


# --- rewards ------------------------------------------------------------------------------


def test_every_seat_gets_its_reward_once_and_at_its_own_last_turn():
    env = one_deal()
    for seed in range(200):
        seen = {}

        def watch(env, agent, action, seen=seen):
            game = env.unwrapped.game
            if game.is_over and not seen:
                seen["bids"], seen["points"] = game.bids, game.points
                assert env.agents == SEATS
                assert env.terminations == dict.fromkeys(SEATS, True)
                assert env.truncations == dict.fromkeys(SEATS, False)

        got, flow = play(env, at_random(seed), watch, seed=seed)
        assert env.agents == []
        assert len(flow) == 44
        assert [agent for agent, action in flow[40:]] == SEATS
        assert all((action is None) == (turn >= 40) for turn, (agent, action) in enumerate(flow))
        for seat, agent in enumerate(SEATS):
            *before, (reward, termination, truncation) = got[agent]
            assert len(before) == 10
            assert all(entry == (0.0, False, False) for entry in before)
            assert (termination, truncation) == (True, False)
            assert reward == -abs(seen["bids"][seat] - seen["points"][seat])


def test_rewards_by_step_add_up_to_rewards_by_last():
    env = one_deal()
    for seed in range(30):
        by_step = dict.fromkeys(SEATS, 0.0)
        paying_steps = []

        def watch(env, agent, action, by_step=by_step, paying_steps=paying_steps):
            for name, reward in env.rewards.items():
                by_step[name] += reward
            paying_steps.append(any(env.rewards.values()))

        got, _ = play(env, at_random(seed), watch, seed=seed)
        assert {agent: sum(entry[0] for entry in got[agent]) for agent in SEATS} == by_step
        assert [turn for turn, paid in enumerate(paying_steps) if paid] == [39]


def test_a_match_pays_deal_by_deal_and_tells_each_seat_once():
    env = differenzler_v0.env()
    told = {agent: [] for agent in SEATS}

    def note(agent, observation, info):
        if "deal" in info:
            told[agent].append(info["deal"])
        return pick(agent, observation, info)

    pick = at_random(8)
    env.reset(seed=8)
    sums = dict.fromkeys(SEATS, 0.0)
    for agent in env.agent_iter():
        observation, reward, termination, _, info = env.last()
        sums[agent] += reward
        if termination and "deal" in info:
            told[agent].append(info["deal"])
        assert ("deal" in info) == (reward != 0.0 or (termination and info["deal"]["penalty"] == 0))
        env.step(None if termination else note(agent, observation, info))
    game = env.unwrapped.game
    assert [len(told[agent]) for agent in SEATS] == [4, 4, 4, 4]
    for seat, agent in enumerate(SEATS):
        assert sums[agent] == -game.penalties[seat]
        for deal, record in zip(told[agent], game.finished_deals, strict=True):
            assert deal == {
                "bid": record["bids"][seat],
                "points": record["points"][seat],
                "penalty": record["penalties"][seat],
            }
            assert all(type(value) is int for value in deal.values())


def test_objective_win_pays_the_winners_at_the_end_only():
    env = differenzler_v0.env(objective="win")
    for seed in range(10):
        got, _ = play(env, at_random(seed), seed=seed)
        winners = env.unwrapped.game.winners
        for seat, agent in enumerate(SEATS):
            assert sum(entry[0] for entry in got[agent][:-1]) == 0.0
            assert got[agent][-1][0] == (1 / len(winners) if seat in winners else 0.0)


def test_extreme_deals_are_paid_in_full():
    clubs_first = [f"{suit}{rank}" for suit in "CDHS" for rank in cards.RANKS]
    hands = [clubs_first[9 * seat : 9 * seat + 9] for seat in range(4)]
    # Player 1 holds all trumps and leads: it takes everything.
    deal = {"hands": hands, "trump": "D", "dealer": 0}
    for bids, expected in (
        ((0, 0, 0, 157), [0, -157, 0, -157]),
        ((157,) * 4, [-157, 0, -157, -157]),
    ):
        env = one_deal()
        env.reset(options={"deal": deal})
        got, _ = play_on(
            env,
            lambda agent, observation, info, bids=bids: (
                bids[int(agent[-1])] if info["action_mask"][0] else first(agent, observation, info)
            ),
        )
        assert [got[agent][-1][0] for agent in SEATS] == expected
        assert all(type(got[agent][-1][0]) is float for agent in SEATS)


def test_the_winner_of_a_trick_is_asked_next():
    env = one_deal()

    def watch(env, agent, action):
        game = env.unwrapped.game
        if game.tricks and not game.trick and not game.is_over:
            assert env.agent_selection == SEATS[game.tricks[-1]["winner"]]

    for seed in range(20):
        play(env, at_random(seed), watch, seed=seed)


def test_one_instance_plays_a_thousand_games_as_fresh_ones_do():
    used = one_deal()
    for seed in range(1000):
        used.reset(seed=seed)
        order = [used.agent_selection]
        while used.unwrapped.game.phase == "bid":
            used.step(0)
            order.append(used.agent_selection)
        if seed % 50 == 0:
            fresh = one_deal()
            fresh.reset(seed=seed)
            for agent in order[:-1]:
                assert fresh.agent_selection == agent
                fresh.step(0)
            assert play_on(fresh, first) == play_on(used, first)


# --- masks --------------------------------------------------------------------------------


def test_the_mask_is_in_observation_and_info_and_fits_the_spaces():
    env = one_deal()
    env.reset(seed=1)
    for agent in env.agent_iter():
        observation, _, termination, _, info = env.last()
        assert info is env.infos[agent]
        mask = observation["action_mask"]
        assert mask.dtype == info["action_mask"].dtype == np.int8
        assert mask.shape == (194,)
        assert np.array_equal(mask, info["action_mask"])
        assert env.observation_space(agent).contains(observation)
        assert mask.any() != termination
        env.step(None if termination else env.action_space(agent).sample(mask))
    assert env.agents == []


def test_masks_are_the_rules_on_every_step():
    env = one_deal()
    for seed in range(2000):
        rng = np.random.default_rng(seed)
        env.reset(seed=seed)
        game = env.unwrapped.game
        gone = set()
        for turn in range(40):
            agent = env.agent_selection
            chosen = np.flatnonzero(env.infos[agent]["action_mask"])
            if turn < 4:
                assert chosen.tolist() == list(range(NUM_BIDS))
            else:
                hand = game.hands[int(agent[-1])]
                trick = [card for _, card in game.trick]
                allowed = lawful_cards(hand, trick, game.trump)
                assert {card_text(action) for action in chosen} == allowed
                assert not gone & allowed
            action = int(rng.choice(chosen))
            env.step(action)
            if turn >= 4:
                gone.add(card_text(action))
        assert len(gone) == 36


def test_only_the_seat_to_act_has_a_mask():
    env = differenzler_v0.raw_env(rules=ONE_DEAL)
    env.reset(seed=3)
    for agent in env.agent_iter():
        for other in env.agents:
            mask = env.observe(other)["action_mask"]
            live = other == agent and not env.terminations[agent]
            assert mask.any() == env.infos[other]["action_mask"].any() == live
        env.step(None if env.terminations[agent] else last(agent, None, env.infos[agent]))


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
    env.step(an_illegal_action(env))
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
