"""The environment of one seat: who sits where, and what opponents may do."""

from __future__ import annotations

import collections

import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from single_tools import MATCH, chooser, episode, everything, lowest, make

from differenzler_env import (
    IllegalActionError,
    Rules,
)
from differenzler_env.agents import load

# --- seats and opponents ------------------------------------------------------------------


def test_opponents_sit_from_the_right_hand_neighbour_onward():
    seated = {}

    def player(name):
        def act(view, rng):
            seated.setdefault(name, set()).add(view.seat)
            return lowest(view, rng)

        return act

    for seat in range(4):
        seated.clear()
        env = make(seat=seat, opponents=[player("right"), player("across"), player("left")])
        episode(env, chooser(1), seed=1)
        assert seated == {
            "right": {(seat + 1) % 4},
            "across": {(seat + 2) % 4},
            "left": {(seat + 3) % 4},
        }


def test_opponents_come_as_spec_agent_callable_or_list():
    rules = Rules.swisslos(deals=1)
    agent = load("constant?bid=35", rules)
    forms = [
        "constant?bid=35",
        agent,
        agent.act,
        [agent] * 3,
        ["constant?bid=35", agent, agent.act],
        "constant?bid=35,constant?bid=35,constant?bid=35",
        {"pool": ["constant?bid=35", agent]},
        {"pool": "constant?bid=35"},
    ]
    episodes = [episode(make(opponents=form), chooser(3), seed=3) for form in forms]
    for steps in episodes[1:]:
        assert data_equivalence(steps, episodes[0], exact=True)


@pytest.mark.parametrize(
    ("opponents", "word"),
    [
        (["thumb", "thumb"], "2 opponents"),
        ("thumb,thumb", "2 opponents"),
        ([], "0 opponents"),
        ({"pool": []}, "empty"),
        ({"pot": ["thumb"]}, "pool"),
        ("thumbs", "thumbs"),
        (7, "7"),
        ([None, "thumb", "thumb"], "None"),
    ],
    ids=str,
)
def test_impossible_opponents_are_refused(opponents, word):
    with pytest.raises(ValueError, match=word):
        make(opponents=opponents)


@pytest.mark.parametrize("seat", [4, -1, "first", None, True, 1.0], ids=str)
def test_impossible_seats_are_refused(seat):
    with pytest.raises(ValueError, match="seat is"):
        make(seat=seat)


def test_a_random_seat_is_drawn_anew_for_each_match_from_its_key():
    env = make(seat="random", opponents="constant")
    seats = []
    env.reset(seed=5)
    for _ in range(400):
        seats.append(env.unwrapped.learner_seat)
        env.reset()
    counts = collections.Counter(seats)
    assert set(counts) == {0, 1, 2, 3}
    assert all(60 < count < 140 for count in counts.values())
    env.reset(seed=5)
    again = []
    for _ in range(20):
        again.append(env.unwrapped.learner_seat)
        env.reset()
    assert again == seats[:20]


def test_a_random_seat_is_paid_for_its_own_points():
    env = make(seat="random")
    for seed in range(20):
        steps = episode(env, chooser(seed), seed=seed)
        game, seat = env.unwrapped.game, env.unwrapped.learner_seat
        assert steps[-1][1] == -abs(game.bids[seat] - game.points[seat])


def test_a_pool_is_drawn_anew_for_each_seat_and_match_and_stays_through_it():
    def bidder(bid):
        return lambda view, rng: bid if view.phase == "bid" else lowest(view, rng)

    env = make(MATCH, opponents={"pool": [bidder(bid) for bid in (10, 20, 30)]})
    pick = chooser(0)
    drawn = []
    for match in range(60):
        episode(env, pick, **({"seed": 1} if match == 0 else {}))
        by_deal = {tuple(deal["bids"][1:]) for deal in env.unwrapped.game.finished_deals}
        assert len(by_deal) == 1, "an opponent changed within a match"
        drawn.append(by_deal.pop())
    assert len(set(drawn)) > 15
    for seat in range(3):
        counts = collections.Counter(bids[seat] for bids in drawn)
        assert set(counts) == {10, 20, 30}
        assert min(counts.values()) >= 8
    episode(env, pick, seed=1)
    assert tuple(env.unwrapped.game.bids[1:]) == drawn[0]


def test_opponents_only_see_views_and_play_the_same_for_the_same_key():
    seen = []

    def curious(view, rng):
        assert type(view).__name__ == "PlayerView"
        hidden = [bid for seat, bid in enumerate(view.bids) if seat != view.seat]
        assert hidden == [None] * 3 or view.phase == "over"
        seen.append(int(rng.integers(1 << 30)))
        return int(rng.choice(view.legal_actions()))

    runs = []
    for _ in range(2):
        seen.clear()
        steps = episode(make(opponents=curious), chooser(4), seed=4)
        runs.append((steps, list(seen)))
    assert data_equivalence(runs[0], runs[1], exact=True)
    assert len(set(runs[0][1])) == 30


MODEL = "models/swisslos.safetensors"
CHECKPOINTS = [MODEL, f"{MODEL}?deterministic=false"]


@pytest.mark.parametrize(
    "opponents",
    ["random", "constant", "thumb", "heuristic", *CHECKPOINTS, lowest],
)
def test_opponents_play_legal_cards_only(opponents):
    env = make(opponents=opponents, illegal="raise")
    for seed in range(100):  # an illegal choice would raise
        assert len(episode(env, chooser(seed), seed=seed)) == 11


def test_an_opponent_that_fails_does_so_loudly_and_leaves_everything_as_it_was():
    mood = {"fail": None}

    def moody(view, rng):
        if mood["fail"] and view.seat == 2:
            return 193 if mood["fail"] == "illegal" else 1 // 0
        return lowest(view, rng)

    env, untouched = make(opponents=moody), make(opponents=lowest)
    first, same_first = env.reset(seed=1), untouched.reset(seed=1)
    assert data_equivalence(first, same_first, exact=True)
    for how, error in (("illegal", IllegalActionError), ("crash", ZeroDivisionError)):
        before = everything(env)
        mood["fail"] = how
        with pytest.raises(error) as raised:
            env.step(40)
        if how == "illegal":
            # Not what would have been legal: that is its hand.
            assert str(raised.value) == (
                "opponent moody in seat 2 chose SA, which is not legal there"
            )
            assert raised.value.__cause__ is raised.value.__context__ is None
        with pytest.raises(error):
            env.unwrapped.reset()
        mood["fail"] = None
        assert everything(env) == before
    terminated = False
    while not terminated:
        action = int(np.flatnonzero(env.unwrapped.action_masks())[0])
        left, right = env.step(action), untouched.step(action)
        assert data_equivalence(left, right, exact=True)
        terminated = left[2]
