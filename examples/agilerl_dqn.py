"""AgileRL: one masked DQN learns all four seats in PettingZoo's turn-based loop.

python examples/agilerl_dqn.py --rounds 10        # make test-agilerl sets it up, in .venv-agilerl
"""

import argparse

import numpy as np
import torch
from agilerl.algorithms import DQN
from agilerl.components.replay_buffer import ReplayBuffer
from tensordict import TensorDict

from differenzler_env import Rules, differenzler_v0
from differenzler_env.envs.ledger import Ledger

DEALS = 16  # deals a round


def main() -> None:
    """Learn; then compare what was booked with the games played again."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10, help=f"of {DEALS} deals each")
    rounds = parser.parse_args().rounds
    torch.manual_seed(1)
    env = Ledger(differenzler_v0.env(Rules(deals=1)))
    env.reset(seed=1)
    space, actions = env.observation_space("player_0"), env.action_space("player_0")
    learner = DQN(space["observation"], actions, lr=1e-3, gamma=1.0, batch_size=256)
    buffer = ReplayBuffer(20_000)
    booked = 0.0
    for number in range(1, rounds + 1):
        for _ in range(DEALS):
            env.reset()
            rewards = dict.fromkeys(env.agents, 0.0)
            chosen = []  # of all seats in turn: whose it was, what it saw, what it did
            for agent in env.agent_iter():
                seen, reward, over, _, _ = env.last()
                rewards[agent] += reward
                if not over:
                    vector, mask = seen["observation"], seen["action_mask"]
                    action = int(learner.get_action(vector[None], 0.2, mask[None])[0])
                    chosen.append((agent, vector, action))
                env.step(None if over else action)
            # Each decision is worth what its seat got in the end: no target then looks at a next
            # observation, where AgileRL would take the best of all actions, legal or not.
            vectors = torch.as_tensor(np.array([vector for _, vector, _ in chosen]))
            rows = {"obs": vectors, "next_obs": vectors, "done": torch.ones(len(chosen))}
            rows["action"] = torch.tensor([action for _, _, action in chosen])
            rows["reward"] = torch.tensor([rewards[agent] / 20 for agent, _, _ in chosen])
            buffer.add(TensorDict(rows, [len(chosen)]))
            booked += sum(rewards.values())
        for _ in range(32):
            learner.learn(buffer.sample(learner.batch_size))
        print(f"round {number}: mean penalty so far {-booked / number / DEALS / 4:.1f}", flush=True)
    print(f"booked {booked:.0f}, penalties replayed {env.penalties().sum()}")


if __name__ == "__main__":
    main()
