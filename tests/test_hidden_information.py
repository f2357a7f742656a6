"""A seat sees what it may know: no more, and no less.

Nothing here trusts the code that hides: the tests lay other cards into the hands that a seat cannot
see and look whether anything it is given has changed.
"""

from __future__ import annotations

import numpy as np
import pytest
from env_tools import at_random, card_text

from differenzler_env import Batch, Game, IllegalActionError, Rules, cards, differenzler_v0
from differenzler_env.observation import LAYOUT, OBSERVATION_SIZE, SLICES, decode

SEATS = [f"player_{seat}" for seat in range(4)]
VARIANTS = {
    "hidden": Rules.swisslos(deals=1),
    "open": Rules.table(deals=1),
    "television": Rules.television(deals=1),
    "revokes": Rules(deals=1, revoke_penalty=20, stoeck=20),
}


def given_to(env, agent):
    """Everything an agent is given in a step, as bytes."""
    seen = env.observe(agent)
    info = env.infos[agent]
    view = env.unwrapped.game.view(int(agent[-1]))
    return (
        seen["observation"].tobytes(),
        seen["action_mask"].tobytes(),
        info["action_mask"].tobytes(),
        sorted(info),
        view.record.tobytes(),
        view.text(),
        view.finished_deals,
    )


def start_of(game):
    return {
        "hands": game.hands,
        "trump": game.trump,
        "dealer": game.dealer,
        "turned_up": game.turned_up,
    }


def replay(rules, deal, actions):
    env = differenzler_v0.raw_env(rules=rules)
    env.reset(seed=0, options={"deal": deal})
    for action in actions:
        env.step(action)
    return env


def swapped(deal, one, other):
    exchange = {one: other, other: one}
    hands = [[exchange.get(card, card) for card in hand] for hand in deal["hands"]]
    return {**deal, "hands": hands}


def mid_game(rules, seed):
    """A random position: the deal as it began, the actions so far, the environment."""
    rng = np.random.default_rng(seed)
    env = differenzler_v0.raw_env(rules=rules)
    env.reset(seed=seed)
    deal, actions = start_of(env.unwrapped.game), []
    pick = at_random(seed)
    for _ in range(int(rng.integers(0, 36))):
        actions.append(pick(None, None, env.infos[env.agent_selection]))
        env.step(actions[-1])
    return env, deal, actions, rng


@pytest.mark.parametrize("name", VARIANTS)
def test_cards_exchanged_between_two_others_change_nothing_for_a_seat(name):
    rules = VARIANTS[name]
    checked = acting = 0
    for seed in range(400):
        env, deal, actions, rng = mid_game(rules, seed)
        seat, one, other = (int(s) for s in rng.permutation(4)[:3])
        hands = env.unwrapped.game.hands
        if not hands[one] or not hands[other]:
            continue
        mine, yours = rng.choice(hands[one]), rng.choice(hands[other])
        if deal["turned_up"] in (mine, yours):
            continue
        try:
            twin = replay(rules, swapped(deal, mine, yours), actions)
        except IllegalActionError:
            continue  # with that exchange the play so far would have been unlawful
        assert given_to(twin, SEATS[seat]) == given_to(env, SEATS[seat])
        for changed in (one, other):
            assert given_to(twin, SEATS[changed])[0] != given_to(env, SEATS[changed])[0]
        assert not np.array_equal(twin.state(), env.state())
        checked += 1
        acting += env.agent_selection == SEATS[seat]
    assert checked > 130
    assert acting > 20


def test_whole_hands_exchanged_before_the_play_change_nothing_for_the_others():
    rules = VARIANTS["hidden"]
    for seed in range(50):
        env = differenzler_v0.raw_env(rules=rules)
        env.reset(seed=seed)
        deal = start_of(env.unwrapped.game)
        for turn in range(4):
            actor = int(env.agent_selection[-1])
            third, seat, *_ = (actor + 1 + seed % 3) % 4, (actor + 1 + (seed + 1) % 3) % 4
            hands = list(deal["hands"])
            hands[actor], hands[third] = hands[third], hands[actor]
            twin = replay(rules, {**deal, "hands": hands}, range(turn))
            assert given_to(twin, SEATS[seat]) == given_to(env, SEATS[seat])
            env.step(turn)


def test_a_hidden_bid_shows_nowhere_until_the_deal_is_settled():
    for seed in range(6):
        runs = []
        for bid in (0, 39, 157):
            env = differenzler_v0.env(rules=VARIANTS["hidden"])
            env.reset(seed=seed)
            pick = at_random(seed)
            seen = []
            for agent in env.agent_iter(40):
                seen.append([given_to(env, other) for other in SEATS[1:]])
                game = env.unwrapped.game
                mine = agent == "player_0" and game.phase == "bid"
                drawn = pick(agent, None, env.infos[agent])
                env.step(bid if mine else drawn)
            assert env.unwrapped.game.is_over
            assert env.unwrapped.game.bids[0] == bid
            runs.append(seen)
        assert runs[0] == runs[1] == runs[2]


def test_an_open_bid_is_seen_by_all_once_given_and_not_before():
    env = differenzler_v0.env(rules=VARIANTS["open"])
    env.reset(seed=4)
    given = {}
    for bid in (11, 22, 33, 44):
        for seat, agent in enumerate(SEATS):
            known = decode(env.observe(agent)["observation"], VARIANTS["open"])["bids"]
            assert known == [given.get((seat + distance) % 4) for distance in range(4)]
        given[int(env.agent_selection[-1])] = bid
        env.step(bid)


def test_at_the_end_all_bids_are_public():
    env = differenzler_v0.env(rules=VARIANTS["hidden"])
    env.reset(seed=5)
    pick = at_random(5)
    for agent in env.agent_iter(40):
        env.step(pick(agent, None, env.infos[agent]))
    for seat, agent in enumerate(SEATS):
        known = decode(env.observe(agent)["observation"], env.unwrapped.rules)["bids"]
        bids = env.unwrapped.game.bids
        assert known == bids[seat:] + bids[:seat]


def test_every_seat_can_be_asked_at_every_step_and_sees_its_own_hand():
    env = differenzler_v0.env(rules=VARIANTS["hidden"])
    for seed in range(20):
        env.reset(seed=seed)
        pick = at_random(seed)
        for acting in env.agent_iter(40):
            for seat, agent in enumerate(SEATS):
                seen = env.observe(agent)
                hand = decode(seen["observation"], env.unwrapped.rules)["hand"]
                assert hand == env.unwrapped.game.hands[seat]
                assert seen["action_mask"].any() == (agent == acting)
            env.step(pick(acting, None, env.infos[acting]))


def test_a_bidder_sees_the_hand_it_later_plays():
    for dealer in range(4):
        rules = Rules(deals=1, first_dealer=dealer)
        env = differenzler_v0.env(rules=rules)
        env.reset(seed=dealer)
        hands, order, played = {}, [], {agent: set() for agent in SEATS}
        pick = at_random(dealer)
        for turn, agent in enumerate(env.agent_iter(40)):
            action = pick(agent, None, env.infos[agent])
            if turn < 4:
                hands[agent] = set(decode(env.observe(agent)["observation"], rules)["hand"])
                order.append(int(agent[-1]))
            else:
                played[agent].add(card_text(action))
            env.step(action)
        assert order == [(dealer + k) % 4 for k in (1, 2, 3, 4)]
        assert hands == played


# --- and it sees all that it may ----------------------------------------------------------


def random_steps(batch, seed):
    """Play all rows to their end at random, yielding before each step."""
    rng = np.random.default_rng(seed)
    while (batch.current_seat >= 0).any():
        yield
        mask = batch.legal_mask()
        batch.step((mask * rng.random(mask.shape, dtype=np.float32)).argmax(axis=1))
    yield


def varying(rules, games, seed=0):
    """Which components of the observation took more than one value."""
    batch = Batch(games, rules=rules, seed=seed)
    low, high = np.full(OBSERVATION_SIZE, np.inf), np.full(OBSERVATION_SIZE, -np.inf)
    for _ in random_steps(batch, seed):
        seen = batch.observe_all().reshape(-1, OBSERVATION_SIZE)
        low, high = np.minimum(low, seen.min(axis=0)), np.maximum(high, seen.max(axis=0))
    return low, high


def names_of(components):
    return {
        f"{field.name}[{index}]"
        for field in LAYOUT
        for index in np.flatnonzero(components[SLICES[field.name]])
    }


def test_only_the_settings_and_the_fifth_seat_stand_still():
    low, high = varying(Rules.swisslos(), 2000)
    still = names_of(low == high)
    fifth = {
        f"{name}[4]" for name in ("current_seat", "dealer", "penalties", "has_bid", "bid_known")
    }
    fifth |= {f"{name}[4]" for name in ("bids", "points", "best_seat", "leader")}
    fifth |= {f"played[{index}]" for index in range(4 * 36, 5 * 36)}
    fifth |= {f"void[{index}]" for index in range(16, 20)}
    settings = {
        f"{field.name}[{index}]"
        for field in LAYOUT
        if field.name in ("players", "rules", "deck", "turned_up")
        for index in range(field.size)
    }
    assert still == fifth | settings
    assert low.min() >= -1
    assert high.max() <= 1


def test_no_component_stands_still_over_all_rules():
    small = [tuple(cards.NAMES[card] for card in range(start, 36, 3)) for start in (0, 1)]
    several = [
        Rules.swisslos(),
        Rules.table(players=5),
        Rules.mini(),
        Rules(players=3, undertrump="always", exact_bonus=10, exact_bonus_on_zero=False, deals=3),
        Rules(players=4, undertrump="schieber", stoeck=20, revoke_penalty=20, deals=4),
        Rules(players=3, deck=small[0], deals=1),
        Rules(players=2, deck=small[1], deals=1),
        Rules.television(players=3),
        Rules(players=5, deck=cards.NAMES[:-1], deals=1),
    ]
    bounds = [varying(rules, 120, seed) for seed, rules in enumerate(several)]
    low = np.min([low for low, _ in bounds], axis=0)
    high = np.max([high for _, high in bounds], axis=0)
    assert names_of(low == high) == set()
    assert low.min() >= -1
    assert high.max() <= 1


def test_another_trump_is_another_observation():
    for seed in range(20):
        game = Game(VARIANTS["hidden"], seed=seed)
        seen = set()
        for trump in "CDHS":
            env = replay(VARIANTS["hidden"], {**start_of(game), "trump": trump}, [])
            seen |= {env.observe(agent)["observation"].tobytes() for agent in SEATS}
        assert len(seen) == 16


def test_the_observation_gives_the_knowledge_back():
    rules = Rules.swisslos()
    batch = Batch(63, rules=rules, seed=9)
    checked = 0
    rng = np.random.default_rng(9)
    for _ in random_steps(batch, 9):
        every_seat = batch.observe_all()
        for row in range(63):
            seat = int(rng.integers(4))
            view = batch.player_view(row, seat)
            read = decode(every_seat[row, seat], rules)

            def turned(values, seat=seat):
                return values[seat:] + values[:seat]

            def relative(other, seat=seat):
                return None if other is None else (other - seat) % 4

            assert read["phase"] == view.phase
            assert read["hand"] == view.hand
            assert read["trump"] == view.trump
            assert read["dealer"] == relative(view.dealer)
            assert read["current_seat"] == relative(view.current_seat)
            assert read["bids"] == turned(view.bids)
            assert read["has_bid"] == turned(view.has_bid)
            assert read["points"] == turned(view.points)
            assert read["penalties"] == turned(view.penalties)
            assert read["deal"] == view.deal_number
            assert read["trick"] == [(relative(who), card) for who, card in view.trick]
            assert read["tricks"] == [
                {"leader": relative(trick["leader"]), "cards": trick["cards"]}
                for trick in view.tricks
            ]
            if view.trick:
                assert read["leader"] == relative(view.trick[0][0])
            elif view.phase == "play":
                assert read["leader"] == relative(view.current_seat)
            checked += 1
    assert checked > 10_000


def test_a_table_turned_by_some_seats_looks_the_same_to_the_seats_turned_with_it():
    rules = VARIANTS["hidden"]
    for seed in range(15):
        turn = 1 + seed % 3
        game = Game(rules, seed=seed)
        deal = start_of(game)
        hands = [deal["hands"][(seat - turn) % 4] for seat in range(4)]
        plain = replay(rules, deal, [])
        turned = replay(rules, {**deal, "hands": hands, "dealer": (deal["dealer"] + turn) % 4}, [])
        pick = at_random(seed)
        for _ in range(40):
            for seat in range(4):
                here = plain.observe(SEATS[seat])
                there = turned.observe(SEATS[(seat + turn) % 4])
                assert here["observation"].tobytes() == there["observation"].tobytes()
                assert here["action_mask"].tobytes() == there["action_mask"].tobytes()
            action = pick(None, None, plain.infos[plain.agent_selection])
            plain.step(action)
            turned.step(action)
        assert turned.rewards == {
            SEATS[(seat + turn) % 4]: plain.rewards[SEATS[seat]] for seat in range(4)
        }
