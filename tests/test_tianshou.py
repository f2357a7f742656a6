"""Tianshou: its PettingZoo environment, and where its rewards go between a seat's turns."""

from __future__ import annotations

import numpy as np
import pytest

from differenzler_env import Rules, differenzler_v0
from differenzler_env.envs.ledger import Ledger

pytest.importorskip("tianshou", reason="Tianshou is not installed: make test-tianshou")

import torch
from tianshou.algorithm.modelfree.dqn import DQN, DiscreteQLearningPolicy
from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.env.pettingzoo_env import PettingZooEnv
from tianshou.utils.torch_utils import policy_within_training_step

pytestmark = pytest.mark.filterwarnings("ignore")  # its own, and those of what it loads


class Zeros(torch.nn.Module):
    """Values of 0, so that targets are sums of rewards and play is by exploration only."""

    def __init__(self):
        super().__init__()
        self.bias = torch.nn.Parameter(torch.zeros(194))

    def forward(self, seen, state=None, info=None):
        return self.bias.expand(len(seen), 194), state


def learner_of(table, horizon):
    """A DQN in all seats with that many steps to a target, and its seats."""
    policy = DiscreteQLearningPolicy(
        model=Zeros(), action_space=table.action_space, eps_training=1.0
    )
    dqn = DQN(
        policy=policy,
        optim=AdamOptimizerFactory(lr=1e-3),
        gamma=1.0,
        n_step_return_horizon=horizon,
    )
    return MultiAgentOffPolicyAlgorithm(algorithms=[dqn] * 4, env=table)


@pytest.fixture(scope="module")
def played():
    """Eight deals by chance: their ledger, the buffer, the returns as collected."""
    ledger = Ledger(differenzler_v0.env(Rules(deals=1)))
    table = PettingZooEnv(ledger)
    seats = learner_of(table, 1)
    buffer = VectorReplayBuffer(1000, 1)
    collector = Collector(seats.policy, DummyVectorEnv([lambda: table]), buffer)
    collector.reset()
    with policy_within_training_step(seats.policy):
        returns = collector.collect(n_episode=8).returns
    return ledger, table, buffer, returns


def test_masked_exploration_plays_by_the_rules_and_returns_are_the_penalties(played):
    ledger, _, buffer, returns = played
    assert ledger.forfeited == 0 and len(buffer) == 8 * 40
    np.testing.assert_array_equal(returns, -ledger.penalties())
    masks = buffer.obs.mask[: len(buffer)]
    assert masks[np.arange(len(buffer)), buffer.act[: len(buffer)]].all()


@pytest.mark.parametrize(("horizon", "right"), [(1, False), (4, False), (40, True)])
def test_a_target_is_the_penalty_only_where_it_reaches_to_the_end(played, horizon, right):
    """A seat's transitions hold its reward in them only if it played the last card itself: with
    one-step targets the other three never learn what a deal cost them."""
    ledger, table, buffer, _ = played
    seats = learner_of(table, horizon)
    indices = np.arange(len(buffer))
    batches = seats._preprocess_batch(buffer[indices], buffer, indices)
    paid = {
        agent: np.unique(batches[agent].returns.numpy().reshape(8, 10), axis=1)
        for agent in table.agents
    }
    penalties = ledger.penalties()
    whole = [
        (np.asarray(paid[agent]) == -penalties[:, [seat]]).all()
        for seat, agent in enumerate(table.agents)
    ]
    assert all(whole) if right else not any(whole)
