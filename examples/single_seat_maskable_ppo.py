"""MaskablePPO of sb3-contrib learns one seat at a table of three agents, and is measured.

python examples/single_seat_maskable_ppo.py --steps 40000
"""

import argparse

import gymnasium
import numpy as np
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import VecMonitor, VecNormalize

from differenzler_env.adapters.sb3 import DifferenzlerVecEnv

GAMES = 100


def penalty(model: MaskablePPO | None) -> float:
    """The mean penalty of a model at the same tables as any other; None: of random actions."""
    env = gymnasium.make("differenzler_env:DifferenzlerDeal-v0", opponents="thumb")
    env.action_space.seed(1)
    total = 0.0
    for game in range(GAMES):
        observation, info = env.reset(seed=10_000 + game)
        terminated = False
        while not terminated:
            if model is None:
                action = env.action_space.sample(info["action_mask"])
            else:
                masks = info["action_mask"]
                action, _ = model.predict(observation, action_masks=masks, deterministic=True)
            observation, reward, terminated, _, info = env.step(action)
            total -= float(reward)
    return total / GAMES


def main() -> None:
    """Learn, then print the mean penalty before and after."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=40_000)
    steps = parser.parse_args().steps

    table = DifferenzlerVecEnv(64, deals=1, opponents="thumb")  # 64 tables in one process
    env = VecNormalize(VecMonitor(table), norm_obs=False, gamma=1.0)  # masks are left alone
    settings = {"n_steps": 40, "batch_size": 512, "n_epochs": 4, "gamma": 1.0}
    model = MaskablePPO("MultiInputPolicy", env, learning_rate=1e-3, seed=1, **settings)
    before = penalty(None)
    model.learn(steps)
    recent = -np.mean([episode["r"] for episode in model.ep_info_buffer or ()])
    print(f"{model.num_timesteps} decisions; penalty while learning, at the end {recent:.1f}")
    print(f"mean penalty over {GAMES} deals: random {before:.1f}, learnt {penalty(model):.1f}")


if __name__ == "__main__":
    main()
