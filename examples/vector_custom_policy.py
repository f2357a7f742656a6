"""A policy of one's own in PyTorch, trained by REINFORCE on a thousand tables at once.

python examples/vector_custom_policy.py --steps 200
"""

import argparse

import gymnasium
import torch
from gymnasium.vector import AutoresetMode
from torch import nn

TABLES, SCALE, ACTIONS = 1024, 20.0, 194


def main() -> None:
    """Train and print the mean penalty of the first and the last deals."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=200, help="decisions at each table")
    steps = parser.parse_args().steps

    torch.manual_seed(1)
    envs = gymnasium.make_vec(
        "differenzler_env:DifferenzlerDeal-v0",
        num_envs=TABLES,
        autoreset_mode=AutoresetMode.SAME_STEP,  # no transition is to be dropped
        opponents="thumb",
    )
    size = envs.single_observation_space["observation"].shape[0]
    policy = nn.Sequential(nn.Linear(size, 128), nn.ReLU(), nn.Linear(128, ACTIONS))
    optimizer = torch.optim.Adam(policy.parameters(), 3e-3)
    seen, _ = envs.reset(seed=1)
    penalties = []
    while steps > 10 * len(penalties):
        chosen, entropies, ended = [], [], False
        while not ended:  # all tables have a bid and nine cards: they end together
            masks = torch.as_tensor(seen["action_mask"]) == 0
            logits = policy(torch.as_tensor(seen["observation"])).masked_fill(masks, -1e9)
            choice = torch.distributions.Categorical(logits=logits)
            actions = choice.sample()
            chosen.append(choice.log_prob(actions))
            entropies.append(choice.entropy())
            seen, rewards, terminations, _, _ = envs.step(actions.numpy())
            ended = bool(terminations.all())
        earned = torch.as_tensor(rewards, dtype=torch.float32)
        advantages = (earned - earned.mean()) / SCALE  # the whole deal's reward, for each decision
        loss = -(torch.stack(chosen) * advantages).mean() - 0.003 * torch.stack(entropies).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        penalties.append(-float(earned.mean()))
        print(f"{len(penalties):3} deals a table: mean penalty {penalties[-1]:.1f}", flush=True)
    envs.close()
    print(f"mean penalty of {TABLES} deals: first {penalties[0]:.1f}, last {penalties[-1]:.1f}")


if __name__ == "__main__":
    main()
