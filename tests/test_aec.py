"""The AEC environment: rewards and masks."""

from __future__ import annotations

import numpy as np
from aec_tools import ONE_DEAL, SEATS, one_deal
from env_tools import (
    NUM_BIDS,
    at_random,
    card_text,
    first,
    last,
    play,
    play_on,
)
from oracle import lawful_cards, winner

from differenzler_env import (
    cards,
    differenzler_v0,
)

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


def test_masks_and_turns_are_the_rules_on_every_step_of_two_thousand_games():
    """On one instance, so that no game leaves anything to the next."""
    env = one_deal()
    for seed in range(2000):
        rng = np.random.default_rng(seed)
        env.reset(seed=seed)
        game = env.unwrapped.game
        gone, leader = set(), (game.dealer + 1) % 4
        for turn in range(40):
            agent = env.agent_selection
            assert agent == SEATS[(leader + turn) % 4]  # a round of bids, then tricks of four
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
                trick = [*trick, card_text(action)]
                if len(trick) == 4:
                    leader = (leader + winner(trick, game.trump)) % 4
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
