"""The Gymnasium environment of one seat: rewards, opponents, illegal moves, conformance."""

from __future__ import annotations

import collections
import copy
import importlib
import pickle
import warnings

import gymnasium
import numpy as np
import pytest
from env_tools import a_deal
from gymnasium.utils.env_checker import check_env, data_equivalence

import differenzler_env
from differenzler_env import (
    GameOverError,
    IllegalActionError,
    Rules,
    differenzler_v0,
)
from differenzler_env.agents import choose_action, load
from differenzler_env.observation import STATE_SLICES
from differenzler_env.rules import get_rules

MATCH = "differenzler_env:Differenzler-v0"
DEAL = "differenzler_env:DifferenzlerDeal-v0"


def make(name=DEAL, **kwargs):
    return gymnasium.make(name, **kwargs)


def legal(info):
    return np.flatnonzero(info["action_mask"])


def episode(env, pick, **reset):
    """All that an episode returns: [(observation, reward, terminated, truncated, info), ...]."""
    observation, info = env.reset(**reset)
    steps = [(observation, 0.0, False, False, info)]
    while not steps[-1][2]:
        steps.append(env.step(int(pick(steps[-1][4]))))
    return steps


def chooser(seed):
    rng = np.random.default_rng(seed)
    return lambda info: rng.choice(legal(info))


def everything(env):
    game = env.unwrapped.game
    return game.state().tobytes(), game.finished_deals, game.match_number, game.decision_key()


def lowest(view, rng):
    return view.legal_actions()[0]


# --- rewards ------------------------------------------------------------------------------


@pytest.mark.parametrize("seat", range(4))
def test_a_deal_is_ten_decisions_and_the_last_one_is_paid(seat):
    env = make(seat=seat)
    led_last_trick = 0
    for seed in range(60):
        before_me = None
        pick = chooser(seed)

        steps = episode(env, pick, seed=seed)
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


@pytest.mark.parametrize("opponents", ["random", "constant", "thumb", lowest])
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
            assert raised.value.__suppress_context__
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
    for raw, call in (
        (env, lambda: env.step(0)),
        (env.unwrapped, lambda: env.unwrapped.step(0)),
        (env.unwrapped, lambda: env.unwrapped.action_masks()),
        (env.unwrapped, lambda: env.unwrapped.state()),
        (env.unwrapped, lambda: env.unwrapped.render()),
    ):
        with pytest.raises(gymnasium.error.ResetNeeded, match="reset"):
            call()
        assert raw is not None
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
    ],
    ids=str,
)
def test_impossible_arguments_are_refused(kwargs):
    (value,) = kwargs.values()
    with pytest.raises(ValueError, match=repr(value)):
        make(MATCH, **kwargs)


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
