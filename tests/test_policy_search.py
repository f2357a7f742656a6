"""`search?policy=FILE`: a function of view, key and seed; the policy plays the worlds out."""

from __future__ import annotations

import numpy as np
import pytest
from agent_tools import after, everybody, same_to_the_seat

from differenzler_env import Batch, Rules
from differenzler_env.agents import SpecError, choose_action, load
from differenzler_env.agents.policy_search import LIKELY, log_probabilities
from differenzler_env.agents.search import worlds_at
from differenzler_env.engine.jit import u64
from differenzler_env.engine.state import STATE
from differenzler_env.evaluation import evaluate
from differenzler_env.evaluation.session import identity

MODEL = "models/swisslos-1.safetensors"
RULES = Rules(deals=1)
SPEC = f"search?policy={MODEL}&worlds=3"


@pytest.mark.parametrize("more", ["", "&playout=heuristic", "&exact=2"])
def test_it_plays_lawfully(more):
    batch, agent = Batch(2, RULES, seed=4), load(SPEC + more, RULES)
    while (batch.current_seat >= 0).any():
        batch.step(everybody(batch, agent))  # the batch refuses what is unlawful


def test_choices_depend_on_view_key_and_seed_alone():
    batch, agent, other = Batch(6, RULES, seed=5), load(SPEC, RULES), load(SPEC + "&seed=1", RULES)
    seeds_differ = keys_differ = 0
    for _ in range(10):
        views, keys = batch.views(), batch.decision_keys()
        together = agent.act_batch(views, keys)
        alone = [agent.act_batch(views[i : i + 1], keys[i : i + 1])[0] for i in range(6)]
        assert together.tolist() == alone
        seeds_differ += (other.act_batch(views, keys) != together).sum()
        keys_differ += (agent.act_batch(views, keys + np.uint64(1)) != together).sum()
        batch.step(together)
    assert seeds_differ > 0 and keys_differ > 0


def test_hidden_cards_and_bids_do_not_matter():
    agent, rng = load(SPEC, RULES), np.random.default_rng(1)
    for seed in range(8):
        game = after(RULES, seed, int(rng.integers(0, 30)))
        assert choose_action(game, agent) == choose_action(same_to_the_seat(game, rng), agent)


def test_the_likelier_actions_are_tried():
    agent, policy = load(SPEC, RULES), load(MODEL, RULES)
    for actions in range(0, 36, 3):
        views = after(RULES, actions, actions)._batch.views()
        shares = np.exp(log_probabilities(policy.legal_logits(views)[0]))
        tried, handicaps = agent.choices(views)
        assert tried[0] == policy.act_batch(views, np.zeros(1, np.uint64))[0]
        assert len(set(tried.tolist())) == len(tried) and handicaps[0] == 0
        assert (np.diff(shares[tried]) <= 0).all() and (np.diff(handicaps) >= 0).all()
        if views["phase"][0] == 1:
            assert (shares[tried] >= LIKELY * 0.999).all()


def test_worlds_are_played_out_by_the_policy():
    agent, policy = load(f"search?policy={MODEL}&worlds=30", RULES), load(MODEL, RULES)
    for seed in range(6):
        game = after(RULES, seed, 4 + 20, MODEL)
        seat, view = game.current_seat, game.view(game.current_seat)
        actions = np.array(view.legal_actions())
        states, copies = np.zeros(120, STATE), np.zeros(120, np.int64)
        worlds_at(agent.book, RULES.record, view.record, u64(9), u64(0), 30, states, copies)
        expected = np.zeros(len(actions))
        for world in np.flatnonzero(copies):
            for at, action in enumerate(actions):
                trial = game.copy()
                trial.state_records["hands"] = states["hands"][world]
                trial.state_records["bids"] = states["bids"][world]
                trial.play(int(action))
                while not trial.is_over:
                    trial.play(choose_action(trial, policy))
                expected[at] += copies[world] * trial.deal_penalties[seat]
        assert copies.sum() == 30
        assert agent.costs(view.record, 9, actions) == pytest.approx(expected / 30)


def test_costs_of_any_actions_repeat():
    agent = load(f"search?policy={MODEL}&worlds=8&exact=4", RULES)
    game = after(RULES, 3, 4 + 24)
    view = game.view(game.current_seat)
    costs = agent.costs(view.record, 1, np.array(view.legal_actions()))
    assert len(costs) == len(view.legal_actions()) and (costs >= 0).all()
    assert agent.costs(view.record, 1, np.array(view.legal_actions())).tolist() == costs.tolist()


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("search?policy=models/absent.safetensors", "there is no file 'models/absent.safetensors'"),
        ("search?policy=models/README.md", "README.md"),
        (f"search?policy={MODEL}&playout=random", "allowed: heuristic, policy"),
        ("search?playout=policy", "playout is 'policy'; allowed without a policy: heuristic"),
        (f"search?policy={MODEL}&worlds=-1", "worlds is -1; allowed: 1 to 100000"),
    ],
)
def test_wrong_options_are_named_in_one_line(spec, message):
    with pytest.raises(SpecError) as error:
        load(spec, Rules())
    assert message in str(error.value) and "\n" not in str(error.value)


def test_a_policy_for_other_rules_is_refused():
    with pytest.raises(SpecError, match="swisslos-1"):
        load(SPEC, "table")


def test_an_interrupted_run_knows_the_policy_file():
    with_policy, without = load(SPEC, RULES), load("search", RULES)
    digests = identity("x", [with_policy, without, load(MODEL, RULES)], RULES, 1)["files"]
    assert digests[0] == digests[2] is not None and digests[1] is None


@pytest.mark.long
def test_it_beats_the_bare_policy():
    ours = evaluate(f"search?policy={MODEL}", "heuristic", deals=240, seed=2)
    bare = evaluate(MODEL, "heuristic", deals=240, seed=2)
    difference = (ours.deal_sums()[0] - bare.deal_sums()[0]) / 4
    half = 1.96 * difference.std(ddof=1) / len(difference) ** 0.5
    assert difference.mean() + half < 0
