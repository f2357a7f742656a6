"""Training: MaskablePPO of sb3-contrib at a table of three fixed opponents.

    python training/sb3_maskable_ppo.py                     # against thumb, under ten minutes
    python training/sb3_maskable_ppo.py --opponents models/swisslos.safetensors --steps 4000000

The matches are single deals, stepped by the batch engine. What comes out is a checkpoint like any
other: ``differenzler evaluate runs/sb3/policy.safetensors --field thumb``.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

if __name__ == "__main__":  # run from a checkout: the folder above holds the package
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

DEFAULT_STEPS = 1_500_000
STEPS_A_ROLLOUT = 20  # of each row: two deals
MINIBATCH = 2048


def parser() -> argparse.ArgumentParser:
    """The options."""
    made = argparse.ArgumentParser(
        prog="sb3_maskable_ppo.py", description="Train MaskablePPO at a table of three opponents."
    )
    made.add_argument("--opponents", default="thumb", help="agent spec, or three with commas")
    made.add_argument("--rules", default="swisslos", help="name of a rule set")
    made.add_argument("--steps", type=int, default=DEFAULT_STEPS, help="decisions of the learner")
    made.add_argument("--envs", type=int, default=512, help="tables at once")
    made.add_argument("--width", type=int, default=128, help="width of the networks")
    made.add_argument("--blocks", type=int, default=2, help="residual blocks of the networks")
    made.add_argument("--learning-rate", type=float, default=1e-3, help="falls to a tenth")
    made.add_argument("--seed", type=int, default=1)
    made.add_argument("--out", default="runs/sb3/policy.safetensors", help="the file to write")
    made.add_argument("--deals", type=int, default=1000, help="deals of the evaluation; 0: none")
    return made


def train(options: argparse.Namespace) -> Any:
    """Train by the options; the model, its policy saved."""
    import numpy as np
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.vec_env import VecMonitor, VecNormalize

    from differenzler_env.adapters.sb3 import DifferenzlerVecEnv
    from differenzler_env.adapters.sb3_policy import NetworkPolicy, save_agent
    from differenzler_env.rule_text import get_rules

    rules = get_rules(options.rules).replace(deals=1)

    class Progress(BaseCallback):
        """A line after each twentieth of the training."""

        def __init__(self) -> None:
            super().__init__()
            self.next_line = 0

        def _on_step(self) -> bool:
            return True

        def _on_rollout_end(self) -> None:
            recent = [episode["r"] for episode in self.model.ep_info_buffer or ()]
            if recent and self.num_timesteps >= self.next_line:
                self.next_line += options.steps // 20
                print(
                    f"{self.num_timesteps:9d} steps  {time.perf_counter() - started:5.0f} s  "
                    f"penalty {-np.mean(recent):5.2f}",
                    flush=True,
                )

    table = DifferenzlerVecEnv(options.envs, rules=rules, opponents=options.opponents)
    # Rewards are scaled by the spread of the returns; observations lie in [−1, 1] as they are.
    env = VecNormalize(VecMonitor(table), norm_obs=False, norm_reward=True, gamma=1.0)
    rollout = options.envs * STEPS_A_ROLLOUT
    model = MaskablePPO(
        NetworkPolicy,
        env,
        learning_rate=lambda left: options.learning_rate * (0.1 + 0.9 * left),
        n_steps=STEPS_A_ROLLOUT,
        batch_size=min(MINIBATCH, rollout),
        n_epochs=4,
        gamma=1.0,
        gae_lambda=0.95,
        ent_coef=0.005,
        stats_window_size=4000,
        seed=options.seed,
        device="cpu",
        policy_kwargs={
            "rules": rules.to_dict(),
            "width": options.width,
            "blocks": options.blocks,
        },
    )
    started = time.perf_counter()
    model.learn(options.steps, callback=Progress())
    facts = vars(options) | {
        "algorithm": "MaskablePPO",
        "decisions": model.num_timesteps,
        "seconds": round(time.perf_counter() - started, 1),
        "cpu_seconds": round(time.process_time(), 1),
    }
    save_agent(model, options.out, training=facts)
    print(f"{options.out}: {facts['seconds']} s, {facts['cpu_seconds']} s of processors")
    return model


def main(arguments: Sequence[str] | None = None) -> int:
    """Train and measure; the exit status."""
    from training.scripts import ended

    options = parser().parse_args(arguments)

    def work() -> int:
        from differenzler_env.evaluation import evaluate  # before the minutes that follow

        train(options)
        if options.deals:
            result = evaluate(
                options.out,
                options.opponents,
                rules=options.rules,
                deals=options.deals,
                seed=options.seed,
            )
            own, theirs = result.penalty(), result.field_penalty()
            print(
                f"penalty a deal {own:.2f}, of the opponents {theirs:.2f} "
                f"({options.deals} deals, every seat)"
            )
        return 0

    return ended("sb3_maskable_ppo.py", work, extra="sb3", mistake=ValueError, stopped="stopped")


if __name__ == "__main__":
    raise SystemExit(main())
