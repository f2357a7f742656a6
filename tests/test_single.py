"""The Gymnasium environment of one seat: rewards and illegal moves."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from single_tools import DEAL, MATCH, chooser, episode, everything, legal, make

from differenzler_env import (
    GameOverError,
    IllegalActionError,
    Rules,
    differenzler_v0,
)
from differenzler_env.agents import choose_action, load

# --- rewards ------------------------------------------------------------------------------


@pytest.mark.parametrize("seat", range(4))
def test_a_deal_is_ten_decisions_and_the_last_one_is_paid(seat):
    env = make(seat=seat)
    led_last_trick = 0
    for seed in range(60):
        steps = episode(env, chooser(seed), seed=seed)
        game = env.unwrapped.game
        before_me = (seat - (game.dealer + 1)) % 4
        assert len(steps) == 11
        assert [step[1] for step in steps[:-1]] == [0.0] * 10
        assert steps[-1][1] == -abs(game.bids[seat] - game.points[seat])
        assert [step[2] for step in steps] == [False] * 10 + [True]
        assert not any(step[3] for step in steps)
        assert ["deal" in step[4] for step in steps] == [False] * 10 + [True]
        assert steps[-1][4]["deal"] == {
            "bid": game.bids[seat],
            "points": game.points[seat],
            "penalty": -steps[-1][1],
        }
        led_last_trick += game.tricks[-1]["leader"] == seat
        env.reset(seed=seed)
        bid_already = sum(bid is not None for bid in env.unwrapped.game.bids)
        assert bid_already == before_me
    assert led_last_trick > 5  # three opponents played on after the learner's last card


@pytest.mark.parametrize("objective", ["penalty", "win"])
@pytest.mark.parametrize("seat", [0, 3])
def test_it_is_the_aec_game_with_the_others_played_by_agents(seat, objective):
    rules = Rules.swisslos()
    thumb = load("thumb", rules)
    settled_by_others = 0
    for seed in range(8):
        aec = differenzler_v0.env(rules=rules, objective=objective)
        aec.reset(seed=seed)
        env = make(MATCH, seat=seat, opponents="thumb", objective=objective)
        observation, info = env.reset(seed=seed)
        terminated, total = False, 0.0
        pick = chooser(seed)
        for agent in aec.agent_iter():
            seen, reward, ended, _, told = aec.last()
            if agent != f"player_{seat}":
                aec.step(None if ended else choose_action(aec.unwrapped.game, thumb))
                continue
            assert ended == terminated
            assert reward == total
            assert data_equivalence(seen["observation"], observation["observation"], exact=True)
            assert told.get("deal") == info.get("deal")
            if ended:
                assert observation["action_mask"].all()
                break
            assert data_equivalence(told["action_mask"], info["action_mask"], exact=True)
            action = int(pick(info))
            aec.step(action)
            now = aec.unwrapped.game.current_seat
            observation, total, terminated, truncated, info = env.step(action)
            assert truncated is False
            settled_by_others += "deal" in info and now is not None and now != seat
        assert terminated
    assert settled_by_others > 4  # a deal was settled after the learner's card, the next one begun


def test_a_match_pays_each_deal_and_tells_it():
    env = make(MATCH, seat=2)
    for seed in range(5):
        steps = episode(env, chooser(seed), seed=seed)
        game = env.unwrapped.game
        deals = [step[4]["deal"] for step in steps if "deal" in step[4]]
        assert len(steps) == 41
        assert [deal["penalty"] for deal in deals] == [
            d["penalties"][2] for d in game.finished_deals
        ]
        assert sum(step[1] for step in steps) == -game.penalties[2]
        assert all(
            step[1] == -step[4]["deal"]["penalty"] if "deal" in step[4] else step[1] == 0.0
            for step in steps
        )
        assert all(type(value) is int for deal in deals for value in deal.values())


def test_deal_is_the_match_with_one_deal():
    short = make(rules="table")
    assert short.unwrapped.rules == Rules.table().replace(deals=1)
    assert make().unwrapped.rules == Rules.swisslos(deals=1)
    assert make(MATCH).unwrapped.rules == Rules.swisslos()
    assert short.spec.id == "DifferenzlerDeal-v0"


# --- illegal moves ------------------------------------------------------------------------


@pytest.mark.parametrize("turn", [0, 1, 5, 9])
@pytest.mark.parametrize(
    ("name", "objective", "cost"),
    [
        (DEAL, "penalty", -158.0),
        (MATCH, "penalty", -632.0),
        (DEAL, "win", -1.0),
        (MATCH, "win", -1.0),
    ],
)
def test_an_illegal_move_ends_the_episode(name, objective, cost, turn):
    env = make(name, objective=objective)
    pick = chooser(turn)
    observation, info = env.reset(seed=turn)
    for _ in range(turn):
        observation, *_, info = env.step(int(pick(info)))
    action = int(np.flatnonzero(info["action_mask"] == 0)[0])
    after, reward, terminated, truncated, told = env.step(action)
    assert (reward, terminated, truncated) == (cost, True, False)
    assert type(reward) is float
    assert np.array_equal(after["observation"], observation["observation"])
    assert after["action_mask"].all()
    assert told["action_mask"].all()
    assert "deal" not in told
    assert told["illegal"].startswith(f"action {action} ") and "; allowed: " in told["illegal"]
    with pytest.raises(GameOverError):
        env.step(0)
    assert len(episode(env, pick, seed=turn)) == (11 if name == DEAL else 41)


def test_later_in_a_match_only_the_deals_left_are_charged():
    env = make(MATCH, illegal="terminate")
    pick = chooser(2)
    _, info = env.reset(seed=2)
    for _ in range(25):
        *_, info = env.step(int(pick(info)))
    assert env.step(int(np.flatnonzero(info["action_mask"] == 0)[0]))[1] == -2 * 158.0


def test_illegal_moves_raise_where_asked_to_and_change_nothing():
    env = make(illegal="raise")
    _, info = env.reset(seed=1)
    for _ in range(10):
        before = everything(env)
        with pytest.raises(IllegalActionError, match="allowed"):
            env.step(int(np.flatnonzero(info["action_mask"] == 0)[0]))
        assert everything(env) == before
        *_, terminated, _, info = env.step(int(legal(info)[0]))
        assert "illegal" not in info
    assert terminated


@pytest.mark.parametrize("illegal", ["terminate", "raise"])
@pytest.mark.parametrize("action", [None, 1.0, "1", -1, 194, True, [1], np.array([1])], ids=repr)
def test_what_is_no_action_raises_and_changes_nothing(illegal, action):
    env = make(illegal=illegal)
    env.reset(seed=1)
    before = everything(env)
    with pytest.raises(IllegalActionError):
        env.unwrapped.step(action)
    assert everything(env) == before
    assert env.step(np.array(40))[2] is False


def test_unmasked_samples_never_crash_it():
    env = make(MATCH)
    env.action_space.seed(1)
    for seed in range(200):
        env.reset(seed=seed)
        while not env.step(env.action_space.sample())[2]:
            pass


def test_calls_in_the_wrong_order_raise_a_sentence():
    env = make()
    raw = env.unwrapped
    for call in (
        lambda: env.step(0),
        lambda: raw.step(0),
        raw.action_masks,
        raw.state,
        raw.render,
    ):
        with pytest.raises(gymnasium.error.ResetNeeded, match="reset"):
            call()
    episode(env, chooser(1), seed=1)
    penalties = env.unwrapped.game.penalties
    for _ in range(2):
        with pytest.raises(GameOverError, match=r"reset\(\)"):
            env.step(0)
    assert env.unwrapped.game.penalties == penalties


@pytest.mark.parametrize(
    "kwargs",
    [
        {"rules": "no such rules"},
        {"objective": "points"},
        {"illegal": "ignore"},
        {"deals": 3},
        {"render_seat": 9},
        {"render_cards": "tarot"},
    ],
    ids=str,
)
def test_impossible_arguments_are_refused(kwargs):
    (value,) = kwargs.values()
    with pytest.raises(ValueError, match=repr(value)):
        make(MATCH, **kwargs)
