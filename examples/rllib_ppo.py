"""Ray RLlib: one masked policy learns all four seats by PPO, played by this process alone.

python examples/rllib_ppo.py --rounds 10        # make test-rllib sets it up, in .venv-rllib
"""

import argparse

import ray

from differenzler_env import Rules
from differenzler_env.adapters.rllib import self_play_config

DEALS, TABLES, STEPS = 32, 8, 40  # deals a round, tables, steps of a deal


def main() -> None:
    """Learn; then compare what RLlib booked with the games played again."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10, help=f"of {DEALS} deals each")
    rounds = parser.parse_args().rounds
    collected = {
        "num_env_runners": 0,  # training/rllib_ppo.py has workers
        "num_envs_per_env_runner": TABLES,
        "batch_mode": "complete_episodes",  # a deal is paid at its end
    }
    learnt = {
        "train_batch_size_per_learner": DEALS * STEPS,
        "minibatch_size": DEALS * STEPS // 4,
        "num_epochs": 4,
        "lr": 1e-3,
        "gamma": 1.0,
        "lambda_": 0.95,
        "vf_clip_param": float("inf"),  # rewards are points, −157 … 0
        "vf_loss_coeff": 1e-3,
        "grad_clip": 1.0,
    }
    config = self_play_config(Rules(deals=1), width=64, blocks=1)
    config.env_runners(**collected).training(**learnt).debugging(seed=1, log_level="ERROR")
    ray.init(include_dashboard=False, log_to_driver=False, logging_level="error")
    algorithm = config.build_algo()
    booked, replayed = 0.0, 0.0
    for number in range(1, rounds + 1):
        told = algorithm.train()["env_runners"]
        booked, replayed = booked + told["booked"], replayed - told["replayed"]
        penalty = -told["booked"] / told["matches"] / 4
        print(f"round {number}: mean penalty {penalty:.1f}", flush=True)
    algorithm.stop()
    ray.shutdown()
    print(f"booked {booked:.0f}, penalties replayed {replayed:.0f}")


if __name__ == "__main__":
    main()
