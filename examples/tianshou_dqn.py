"""Tianshou 2: one masked network learns all four seats by DQN over its ``PettingZooEnv``.

python examples/tianshou_dqn.py --rounds 20     # make test-tianshou sets it up, in .venv-tianshou
"""

import argparse

import torch
from tianshou.algorithm.modelfree.dqn import DQN, DiscreteQLearningPolicy
from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.env.pettingzoo_env import PettingZooEnv
from tianshou.utils.net.common import Net
from tianshou.utils.torch_utils import policy_within_training_step, torch_train_mode

from differenzler_env import Rules, differenzler_v0
from differenzler_env.envs.ledger import Ledger

DEALS, TABLES, STEPS = 16, 4, 40  # deals a round, tables, steps of a deal


def main() -> None:
    """Learn; then compare what Tianshou booked with the games played again."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20, help=f"of {DEALS} deals each")
    rounds = parser.parse_args().rounds
    torch.manual_seed(1)
    ledgers = [Ledger(differenzler_v0.env(Rules(deals=1))) for _ in range(TABLES)]
    tables = [PettingZooEnv(ledger) for ledger in ledgers]
    space = tables[0].observation_space["observation"]
    net = Net(state_shape=space.shape, action_shape=194, hidden_sizes=[128])
    torch.nn.init.constant_([*net.parameters()][-1], -80.0)  # what is untried looks bad, not best
    actions = tables[0].action_space
    policy = DiscreteQLearningPolicy(model=net, action_space=actions, eps_training=0.2)
    # A seat is paid at the end of the deal, mostly in another seat's step: a target must reach
    # to the end (see docs/libraries.md).
    optim, reach = AdamOptimizerFactory(lr=1e-3), STEPS
    learner = DQN(policy=policy, optim=optim, gamma=1.0, n_step_return_horizon=reach)
    seats = MultiAgentOffPolicyAlgorithm(algorithms=[learner] * 4, env=tables[0])
    buffer = VectorReplayBuffer(20_000, TABLES)
    venv = DummyVectorEnv([lambda table=table: table for table in tables])
    collector = Collector(seats.policy, venv, buffer)
    collector.reset()
    booked = 0.0
    for _ in range(rounds):
        with policy_within_training_step(seats.policy):
            returns = collector.collect(n_episode=DEALS).returns  # [deals, seats]
            with torch_train_mode(seats.policy):
                for _ in range(8):
                    seats.update(buffer=buffer, sample_size=512)
        booked += returns.sum()
        print(f"{DEALS} deals: mean penalty {-returns.mean():.1f}", flush=True)
    replayed = sum(int(ledger.penalties().sum()) for ledger in ledgers)
    print(f"booked {booked:.0f}, penalties replayed {replayed}")


if __name__ == "__main__":
    main()
