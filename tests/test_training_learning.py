"""Learning, measured where it can be: in the mini game, whose optimum is known exactly. And seen to
happen in the default game.

Two things are learnt, by PPO and by Deep Monte Carlo:

* against opponents who play by chance, where the best response is worth −1.71 a deal;
* against oneself, where the best is 0: who knows the other's plays bids what it will take.

A policy of chance gets −24.2. With 100 thousand deals PPO came to −4.8 against chance and to −1.4
against itself, Deep Monte Carlo to −4.7 and −3.5; the bounds leave as much room again.
"""

from pathlib import Path

import numpy as np
import pytest
from processes import train_in_processes
from scipy.stats import spearmanr

from differenzler_env import Batch, Rules
from differenzler_env.agents import load
from differenzler_env.agents.network_agent import load_network
from differenzler_env.evaluation import evaluate
from differenzler_env.evaluation.exact import (
    Deterministic,
    Uniform,
    exact_values,
    policy_value,
)
from training.config import DMCConfig, PPOConfig, make_config
from training.dmc_learner import DMCLearner
from training.ppo_learner import PPOLearner
from training.run import train
from training.run_files import RunFiles, read_progress

pytestmark = pytest.mark.usefixtures("one_thread")

RULES = Rules.mini(first_dealer=0)
"""Policies that look at relative seats only get the same values as with the dealer drawn."""
OPTIMUM = -1.7138
"""Of the best response to chance; `test_mini.py` computes it."""
SHARED = {
    "rules": "mini",
    "games": 512,
    "width": 64,
    "blocks": 1,
    "epochs": 1,
    "minibatches": 4,
    "learning_rate": 2e-3,
    "max_gradient": 1.0,
    "precision": "float32",
    "threads": 1,
    "tensorboard": False,
}
LEARNERS = {
    "ppo": (PPOConfig, PPOLearner, {"critic_width": 64, "critic_blocks": 1}),
    "dmc": (DMCConfig, DMCLearner, {}),
}


def learnt(tmp_path: Path, method: str, **changes: object) -> Deterministic:
    """The policy that a learner ends with, playing its most likely action."""
    settings, kind, own = LEARNERS[method]
    config = make_config(SHARED | own | {"folder": str(tmp_path)} | changes, settings)
    assert train(config, kind=kind) == 0
    return Deterministic(load_network(RunFiles(config).policy_path, RULES))


@pytest.mark.slow
@pytest.mark.parametrize(("method", "distance"), [("ppo", 5.0), ("dmc", 5.0)])
def test_the_best_response_to_chance_is_found(tmp_path: Path, method: str, distance: float) -> None:
    policy = learnt(tmp_path, method, deals=100_000, pool="random", pool_share=1.0)
    assert OPTIMUM - distance < policy_value(policy, Uniform(RULES), RULES) < OPTIMUM + 1e-3


@pytest.mark.slow
@pytest.mark.parametrize(("method", "distance"), [("ppo", 3.0), ("dmc", 6.0)])
def test_self_play_comes_near_to_penalties_of_0(
    tmp_path: Path, method: str, distance: float
) -> None:
    found = exact_values(learnt(tmp_path, method, deals=100_000), RULES)
    assert -distance < found.value <= 0
    assert found.best_response == pytest.approx(0)


@pytest.mark.slow
def test_a_short_run_learns_the_default_game(tmp_path: Path) -> None:
    """The critic foresees part of what comes, bids follow the hand, and it pays less than chance on
    the same deals; rewards are scaled in the trainer, penalties are points everywhere else."""
    changes = {"rules": "swisslos", "games": 256, "deals": 12_288, "folder": str(tmp_path)}
    config = make_config(SHARED | LEARNERS["ppo"][2] | changes, PPOConfig)
    assert train(config) == 0
    files = RunFiles(config)
    explained = [line["explained_variance"] for line in read_progress(files.progress_path)[-5:]]
    assert np.mean(explained) > 0.2
    policy = str(files.policy_path)
    # Chance may also bid 35 each time, and an untrained policy is about as good as that.
    for field in ("random", "constant?bid=35"):
        assert evaluate(policy, field, deals=2000, seed=1).difference().ci95[1] < -2
    batch = Batch(2000, config.deal_rules(), seed=2)
    bids, hands = (
        load(agent, batch.rules).act_batch(batch.views(), batch.decision_keys())
        for agent in (policy, "thumb")
    )
    assert spearmanr(bids, hands).statistic > 0.3


@pytest.mark.long
@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize(("method", "distance"), [("ppo", 3.5), ("dmc", 4.5)])
def test_with_more_deals_it_comes_nearer(
    tmp_path: Path, method: str, distance: float, seed: int
) -> None:
    settings = {"seed": seed, "deals": 400_000}
    chance = {"name": "against", "pool": "random", "pool_share": 1.0}
    against = learnt(tmp_path, method, **settings, **chance)
    assert policy_value(against, Uniform(RULES), RULES) > OPTIMUM - distance
    alone = learnt(tmp_path, method, **settings, name="alone")
    assert exact_values(alone, RULES).value > -distance


@pytest.mark.long
@pytest.mark.parametrize("name", LEARNERS)
def test_two_processes_have_the_curve_of_one(tmp_path: Path, name: str) -> None:
    """A sample of so many games an update is worth the same, however many processes play them."""
    _, _, own = LEARNERS[name]
    settings = SHARED | own | {"folder": tmp_path, "deals": 50_000, "save_every": 1000}
    curves = []
    for count in (1, 2):
        run = settings | {"name": f"{name}-{count}"}
        train_in_processes(count, f"training/{name}.py", **run)
        lines = read_progress(tmp_path / f"{name}-{count}" / "progress.jsonl")
        penalties = np.array([line["penalty"] for line in lines])
        curves.append(penalties[: len(penalties) // 7 * 7].reshape(7, -1).mean(axis=1))
    assert curves[0][-1] < 0.6 * curves[0][0]
    np.testing.assert_allclose(curves[1], curves[0], rtol=0.25)
