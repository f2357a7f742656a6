"""AgileRL: masks where it acts, and none where it learns."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from differenzler_env import Rules, differenzler_v0

pytest.importorskip("agilerl", reason="AgileRL is not installed: make test-agilerl")

import torch
from tensordict import TensorDict

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it warns of its own parts
    from agilerl.algorithms import DQN

pytestmark = pytest.mark.filterwarnings("ignore")  # its own, and those of what it loads
SPADE_ACE = 193


@pytest.fixture
def learner():
    env = differenzler_v0.env(Rules(deals=1))
    space = env.observation_space("player_0")["observation"]
    return DQN(space, env.action_space("player_0"), lr=1e-3, gamma=1.0, double=False)


@pytest.mark.parametrize("epsilon", [0.0, 0.5, 1.0])
def test_it_plays_by_the_mask(learner, epsilon):
    env = differenzler_v0.env(Rules(deals=4))
    env.reset(seed=2)
    for agent in env.agent_iter():
        seen, _, over, _, _ = env.last()
        action = None
        if not over:
            vector, mask = seen["observation"][None], seen["action_mask"][None]
            action = int(learner.get_action(vector, epsilon, mask)[0])
            assert seen["action_mask"][action] == 1, agent
        env.step(action)
    assert env.unwrapped.game.is_over


def test_its_targets_know_no_mask(learner):
    """The best next action counts, legal or not: so no target should look at a next observation."""
    values = torch.zeros(4, 194)
    values[:, SPADE_ACE] = 100.0
    learner.actor_target.forward = lambda vectors: values
    with torch.no_grad():
        for parameter in learner.actor.parameters():
            parameter.zero_()
    env = differenzler_v0.env(Rules(deals=1))
    env.reset(seed=2)
    seen = env.observe("player_0")
    assert seen["action_mask"][SPADE_ACE] == 0  # it is time to bid
    vectors = torch.as_tensor(np.repeat(seen["observation"][None], 4, axis=0))
    rows = {"obs": vectors, "next_obs": vectors, "action": torch.zeros(4, 1)}
    rows |= {"reward": torch.zeros(4, 1), "done": torch.zeros(4, 1)}
    assert learner.learn(TensorDict(rows, [4])) == pytest.approx(100.0**2, rel=1e-3)
