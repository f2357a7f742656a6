"""`search`: a function of view, key and seed; its worlds are possible; it beats `heuristic`."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import kinds
import numpy as np
import pytest
from agent_tools import after, everybody, play_a_deal_lawfully, same_to_the_seat

from differenzler_env import Batch, Rules
from differenzler_env.actions import card_action
from differenzler_env.agents import SpecError, choose_action, load
from differenzler_env.agents.heuristic import book_for
from differenzler_env.agents.search import BID_STEP, BID_STEPS
from differenzler_env.agents.worlds import believe, share_out
from differenzler_env.cards import card_index
from differenzler_env.endgame import open_values
from differenzler_env.engine.jit import jit, u64
from differenzler_env.engine.state import STATE
from differenzler_env.evaluation import evaluate


@jit
def _believe(books, views, rules, key, states, weights):
    prices = np.zeros(36, np.float32)
    return believe(books[0], views[0], rules[0], key, u64(1), states, weights, prices)


def worlds_of(game, count, key=7):
    """Records and weights of so many worlds for the seat to act."""
    states, weights = np.zeros(count, STATE), np.zeros(count)
    view = game.view(game.current_seat)
    args = (book_for(game.rules), view.record, game.rules.record, u64(key), states, weights)
    assert _believe(*args)
    return states, weights


# --- choices ----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", kinds.KINDS)
def test_it_plays_lawfully_under_all_rules(kind):
    play_a_deal_lawfully("search?worlds=3&exact=1", kinds.KINDS[kind], rows=3)


def test_choices_depend_on_view_key_and_seed_alone():
    rules = Rules(deals=1)
    batch = Batch(24, rules, seed=5)
    agent, other = load("search?worlds=5", rules), load("search?worlds=5&seed=1", rules)
    seeds_differ = keys_differ = 0
    for _ in range(12):
        views, keys = batch.views(), batch.decision_keys()
        together = agent.act_batch(views, keys)
        alone = [agent.act_batch(views[i : i + 1], keys[i : i + 1])[0] for i in range(24)]
        assert together.tolist() == alone
        assert together.tolist() == load("search?worlds=5", rules).act_batch(views, keys).tolist()
        seeds_differ += (other.act_batch(views, keys) != together).sum()
        keys_differ += (agent.act_batch(views, keys + np.uint64(1)) != together).sum()
        batch.step(together)
    assert seeds_differ > 20 and keys_differ > 20


def test_hidden_cards_and_bids_do_not_matter():
    rules = Rules(deals=1)
    agent = load("search?worlds=10", rules)
    rng = np.random.default_rng(1)
    for seed in range(20):
        game = after(rules, seed, int(rng.integers(0, 36)))
        assert choose_action(game, agent) == choose_action(same_to_the_seat(game, rng), agent)


def test_bids_tried_are_lawful_and_the_usual_one_comes_first():
    rules = Rules(deals=1)
    batch = Batch(200, rules, seed=2)
    usual = load("heuristic", rules).act_batch(batch.views(), batch.decision_keys())
    agent, views = load("search", rules), batch.views()
    for row in range(200):
        tried = agent.choices(views[row : row + 1])[0].tolist()
        assert tried[0] == usual[row] and len(set(tried)) == len(tried)
        assert min(tried) >= 0 and max(tried) <= 157
        if usual[row] <= BID_STEP * BID_STEPS:
            assert 0 in tried


def test_with_time_it_still_chooses_lawfully():
    rules = Rules(deals=1)
    agent = load("search?worlds=2&time_ms=1", rules)
    batch = Batch(1, rules, seed=5)
    while (batch.current_seat >= 0).any():
        batch.step(everybody(batch, agent))


def test_what_lies_open_is_solved_exactly():
    # Two players and open bids: who has not seen a card knows where it is.
    rules = Rules.mini(bidding="open")
    agent = load("search?worlds=1&exact=3", rules)
    for seed in range(20):
        game = after(rules, seed, 2)
        while not game.is_over:
            if sum(map(len, game.hands)) <= 6:
                values, seat = open_values(game), game.current_seat
                best = min(values, key=lambda card: values[card][seat])
                assert choose_action(game, agent) == card_action(card_index(best))
            game.play(choose_action(game, load("random", rules)))


WITHOUT_COMPILER = """
import json
from differenzler_env.engine.jit import COMPILED
from differenzler_env.evaluation import evaluate
assert not COMPILED
heuristic = evaluate("heuristic", "thumb", deals=4, seed=5, workers=1)
search = evaluate("search?worlds=2&exact=1", "heuristic", rules="mini", deals=3, seed=5, workers=1)
print(json.dumps([r.tables.penalties.tolist() for r in (heuristic, search)]))
"""


@pytest.mark.slow
def test_choices_are_the_same_without_the_compiler():
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", WITHOUT_COMPILER],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    heuristic = evaluate("heuristic", "thumb", deals=4, seed=5, workers=1)
    mini = "search?worlds=2&exact=1"
    search = evaluate(mini, "heuristic", rules="mini", deals=3, seed=5, workers=1)
    compiled = [result.tables.penalties.tolist() for result in (heuristic, search)]
    assert json.loads(done.stdout) == compiled


# --- options ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("search?worlds=-1", "worlds is -1; allowed: 1 to 100000"),
        ("search?worlds=0", "worlds is 0; allowed: 1 to 100000"),
        ("search?worlds=many", "worlds is a whole number, not 'many'"),
        ("search?time_ms=-5", "time_ms is -5; allowed: 0 to 3600000"),
        ("search?exact=5", "exact is 5; allowed: 0 to 4"),
        ("search?seed=-1", "seed is -1; allowed: 0 to 4294967295"),
        ("search?depth=3", "no option 'depth'"),
        ("heuristic?worlds=3", "no option 'worlds'; it has none"),
    ],
)
def test_wrong_options_are_named_in_one_line(spec, message):
    with pytest.raises(SpecError) as error:
        load(spec, Rules())
    assert message in str(error.value) and "\n" not in str(error.value)


# --- worlds -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["swisslos", "table", "three", "five", "revokes"])
@pytest.mark.parametrize("actions", [0, 3, 6, 14, 27])
def test_worlds_are_consistent_with_the_view(kind, actions):
    rules = kinds.KINDS.get(kind, Rules(revoke_penalty=20)).replace(deals=1)
    game = after(rules, 11, actions, "random")
    seat, truth = game.current_seat, game.state_records[0]
    states, weights = worlds_of(game, 50)
    assert weights.sum() == pytest.approx(1) and (weights >= 0).all()
    players = rules.players
    known = [b for b in range(players) if rules.bidding == "open" and truth["bids"][b] >= 0]
    for state in states:
        hands = state["hands"][:players]
        assert hands[seat] == truth["hands"][seat]
        assert [int(h).bit_count() for h in hands] == [len(h) for h in game.hands]
        assert np.bitwise_or.reduce(hands) == np.bitwise_or.reduce(truth["hands"][:players])
        assert (state["bids"][known] == truth["bids"][known]).all()
        assert (state["bids"][:players] >= 0).all()
        if truth["bids"][seat] >= 0:
            assert state["bids"][seat] == truth["bids"][seat]
        if game.phase == "play":
            for name in ("order", "leaders", "points", "trump", "current_seat", "best_card"):
                assert (state[name] == truth[name]).all(), name
        assert state["dealer"] == truth["dealer"]


def test_worlds_that_explain_the_play_weigh_more():
    rules = Rules(deals=1)
    shares = []
    for seed in range(60):
        game = after(rules, seed, 24)
        truth = game.state_records["hands"][0, :4]
        states, weights = worlds_of(game, 400)
        # How many cards of the others lie where they really do, weighed and unweighed.
        right = [
            sum(int(h & t).bit_count() for h, t in zip(s["hands"][:4], truth, strict=True))
            for s in states
        ]
        shares.append(weights @ right - np.mean(right))
    shares = np.array(shares)
    assert shares.mean() > 1.96 * shares.std(ddof=1) / len(shares) ** 0.5


def test_open_bids_say_something_of_the_hands():
    rules = Rules(deals=1, bidding="open")
    gains = []
    for seed in range(40):
        game = after(rules, seed, 3)
        states, weights = worlds_of(game, 200)
        truth = game.state_records["hands"][0, :4]
        right = [
            sum(int(h & t).bit_count() for h, t in zip(s["hands"][:4], truth, strict=True))
            for s in states
        ]
        gains.append(weights @ right - np.mean(right))
    assert np.mean(gains) > 1.96 * np.std(gains) / len(gains) ** 0.5


def test_copies_are_shared_out_by_weight():
    rng = np.random.default_rng(0)
    for _ in range(50):
        weights = rng.dirichlet(np.full(20, 0.3))
        copies = np.zeros(20, np.int64)
        share_out(weights, 37, copies)
        assert copies.sum() == 37
        assert (np.abs(copies - 37 * weights) < 1).all()


# --- strength ---------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("field", ["heuristic", "thumb"])
def test_it_beats_heuristic(field):
    ours = evaluate("search?worlds=40", field, deals=120, seed=2, workers=1)
    theirs = evaluate("heuristic", field, deals=120, seed=2, workers=1)
    difference = (ours.deal_sums()[0] - theirs.deal_sums()[0]) / 4
    half = 1.96 * difference.std(ddof=1) / len(difference) ** 0.5
    assert difference.mean() + half < 0
    assert ours.illegal() == (0, 0)


@pytest.mark.long
def test_strength_at_its_own_table():
    result = evaluate("search", "search", deals=400, seed=2)
    assert result.penalty().ci95[1] < 6.5
