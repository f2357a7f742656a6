"""Benchmarks: what a PPO update costs, and what of it is the network's own arithmetic.

python benchmarks/learning.py     # one JSON line
"""

import json
import sys
import time
from pathlib import Path

# Run from a checkout, whose trainer it measures.
ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))


def main() -> None:
    """Updates of the shipped recipe: all of an update, its learning alone, its share in PyTorch."""
    import torch

    from training.config import parse_arguments
    from training.ppo_learner import PPOLearner

    config, _ = parse_arguments(["--config", str(ROOT / "configs" / "ppo_swisslos.yaml")])
    learner = PPOLearner(config)
    learner.update()
    rate = learner.update()["decisions_per_second"]
    activities = [torch.profiler.ProfilerActivity.CPU]
    started = time.perf_counter()
    with torch.profiler.profile(activities=activities) as profile:
        learner.update()
        seconds = time.perf_counter() - started
    # Time inside PyTorch's operators, those of the optimiser included, in microseconds.
    inside = sum(event.self_cpu_time_total for event in profile.key_averages())

    rollout = learner.collector.collect(learner.policy, 1, learner.distribution())
    targets, _ = learner.targets(rollout)
    started = time.perf_counter()
    learner._learn(rollout, targets, 9)
    ready_made = rollout.num_decisions / (time.perf_counter() - started)
    document = {
        "ppo": rate,
        "ppo_ready_made": ready_made,
        "ppo_share": inside / 1e6 / seconds,
    }
    print(json.dumps(document))


if __name__ == "__main__":
    main()
