"""TorchRL: one masked policy learns all four seats by PPO over ``PettingZooWrapper``.

python examples/torchrl_ppo.py --rounds 16        # make test-torchrl sets it up, in .venv-torchrl
"""

import argparse

import torch
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.envs.libs.pettingzoo import PettingZooWrapper
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

from differenzler_env import Rules, differenzler_v0, observation
from differenzler_env.envs.ledger import Ledger

DEALS, STEPS = 16, 40  # deals a round; a deal has 4 bids and 36 cards


def main() -> None:
    """Learn; then compare what TorchRL booked with the games played again."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=16, help=f"of {DEALS} deals each")
    rounds = parser.parse_args().rounds
    torch.manual_seed(1)
    ledger = Ledger(differenzler_v0.env(Rules(deals=1)))
    env = PettingZooWrapper(ledger, use_mask=True, group_map={"agents": ledger.possible_agents})
    env.set_seed(1)
    seen, size = ("observation", "observation"), observation.OBSERVATION_SIZE
    policy = nn.Sequential(nn.Linear(size, 128), nn.Tanh(), nn.Linear(128, 194))
    critic = nn.Sequential(nn.Linear(size, 128), nn.Tanh(), nn.Linear(128, 1))
    scores = TensorDictModule(policy, [seen], ["logits"])
    keys = {"logits": "logits", "mask": "action_mask"}
    masked = {"distribution_class": MaskedCategorical, "return_log_prob": True}
    actor, value = ProbabilisticActor(scores, keys, **masked), ValueOperator(critic, [seen])
    loss = ClipPPOLoss(actor, value, entropy_coeff=0.01, normalize_advantage=True)
    gae = GAE(gamma=1.0, lmbda=0.95, value_network=value, time_dim=0)
    optimizer = torch.optim.Adam(loss.parameters(), 1e-3)
    act = {"policy": lambda step: step.set("agents", actor(step["agents"])), "trust_policy": True}
    frames = {"frames_per_batch": DEALS * STEPS, "total_frames": rounds * DEALS * STEPS}
    booked = []
    for batch in Collector(env, **act, **frames):
        seats = batch["agents"].set("next", batch["next", "agents"])  # [steps, seats]
        booked.append(float(seats["next", "reward"].sum()))
        print(f"{DEALS} deals: mean penalty {-booked[-1] / DEALS / 4:.1f}", flush=True)
        seats["next", "reward"] /= 20  # the scale suits the learner
        decisions = gae(seats)[seats["mask"]]  # of the seat to act at each step, no others
        for rows in torch.randperm(len(decisions)).repeat(4).split(len(decisions) // 2):
            losses = loss(decisions[rows])
            optimizer.zero_grad()
            sum(losses[f"loss_{part}"] for part in ("objective", "critic", "entropy")).backward()
            optimizer.step()
    print(f"booked {sum(booked):.0f}, penalties replayed {ledger.penalties().sum()}")


if __name__ == "__main__":
    main()
