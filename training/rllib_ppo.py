"""Training: PPO of Ray RLlib, one masked policy in all seats, collected by several workers.

    python training/rllib_ppo.py                         # two workers on this machine
    python training/rllib_ppo.py --kill                  # one of them is killed on the way
    python training/rllib_ppo.py --address auto --workers 64    # on a cluster that is up

Each match is booked twice: as RLlib adds up its rewards, and as the engine's replay says. What
comes out is a checkpoint like any other: ``differenzler evaluate runs/rllib/policy.safetensors``.
"""

import argparse
import os
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

os.environ.setdefault("RAY_DISABLE_IMPORT_WARNING", "1")

ROOT = Path(__file__).resolve().parent.parent
# The least that an option may be: without deals an iteration would never end.
LEAST = {"iterations": 0, "deals": 1, "workers": 0, "tables": 1, "width": 1, "blocks": 1}
if __name__ == "__main__":  # run from a checkout: the folder above holds the package
    sys.path.insert(0, str(ROOT))


def parser() -> argparse.ArgumentParser:
    """The options."""
    made = argparse.ArgumentParser(
        prog="rllib_ppo.py", description="Train PPO in self-play with Ray RLlib."
    )
    made.add_argument("--rules", default="swisslos", help="name of a rule set; single deals of it")
    made.add_argument("--iterations", type=int, default=10)
    made.add_argument("--deals", type=int, default=64, help="deals an iteration")
    made.add_argument("--workers", type=int, default=2, help="processes that play")
    made.add_argument("--tables", type=int, default=8, help="tables of a worker")
    made.add_argument("--width", type=int, default=128, help="width of the networks")
    made.add_argument("--blocks", type=int, default=2, help="residual blocks of the networks")
    made.add_argument("--learning-rate", type=float, default=1e-3)
    made.add_argument(
        "--patience", type=float, default=120.0, help="seconds to wait for a worker to come back"
    )
    made.add_argument("--address", help="of a running cluster; without it one is started here")
    made.add_argument("--kill", action="store_true", help="kill a worker after the first iteration")
    made.add_argument("--out", default="runs/rllib/policy.safetensors", help="the file to write")
    return made


def kill_a_worker(algorithm: Any) -> int:
    """Kill the process of one worker, as a machine that goes away does; its process id."""
    group = algorithm.env_runner_group
    (pid,) = group.foreach_env_runner(
        lambda runner: os.getpid(),
        local_env_runner=False,
        remote_worker_ids=group.healthy_worker_ids()[:1],
    )
    os.kill(pid, signal.SIGKILL)
    return int(pid)


def wait_for_workers(algorithm: Any, wanted: int, patience: float) -> int:
    """Wait until that many workers are there; how many there are.

    Raises:
        TimeoutError: if they are not there in so many seconds.
    """
    group = algorithm.env_runner_group
    deadline = time.monotonic() + patience
    while group.num_healthy_remote_workers() < wanted:
        if time.monotonic() > deadline:
            raise TimeoutError(f"{wanted} workers were not there in {patience:.0f} seconds")
        time.sleep(1)
        algorithm.restore_env_runners(group)
    return int(group.num_healthy_remote_workers())


def train(options: argparse.Namespace) -> dict[str, float]:
    """Train by the options; matches, booked and replayed rewards, all added up.

    Raises:
        ValueError: for a number that is too small, or rules that do not exist.
    """
    for name, least in LEAST.items():
        if getattr(options, name) < least:
            raise ValueError(f"--{name} is {getattr(options, name)}; allowed: {least} or more")

    import ray

    from differenzler_env.adapters.rllib import MODULE, save_agent, self_play_config
    from differenzler_env.rule_text import get_rules

    rules = get_rules(options.rules).replace(deals=1)
    steps = options.deals * (len(rules.deck) + rules.players)
    config = (
        self_play_config(rules, options.width, options.blocks)
        .env_runners(
            num_env_runners=options.workers,
            num_envs_per_env_runner=options.tables,
            batch_mode="complete_episodes",
            num_cpus_per_env_runner=1 if options.address else 0,  # here they share what there is
        )
        .fault_tolerance(restart_failed_env_runners=True, delay_between_env_runner_restarts_s=1)
        .training(
            train_batch_size_per_learner=steps,
            minibatch_size=max(steps // 4, 1),
            num_epochs=4,
            lr=options.learning_rate,
            gamma=1.0,
            lambda_=0.95,
            entropy_coeff=0.005,
            vf_clip_param=float("inf"),  # rewards are points, −157 … 0
            vf_loss_coeff=1e-3,
            grad_clip=1.0,
        )
        .debugging(seed=1, log_level="ERROR")
    )
    ray.init(
        address=options.address,
        include_dashboard=None if options.address else False,
        log_to_driver=False,
        logging_level="error",
        # Workers import the package from this checkout, wherever they are started.
        runtime_env={"env_vars": {"PYTHONPATH": str(ROOT)}},
    )
    algorithm = config.build_algo()
    books = {"matches": 0.0, "booked": 0.0, "replayed": 0.0}
    try:
        iteration = 0
        while iteration < options.iterations:
            told = algorithm.train()["env_runners"]
            if not told.get("matches", 0) > 0:  # not a number where nobody was there to play
                wait_for_workers(algorithm, 1, options.patience)
                continue
            iteration += 1
            for name in books:
                books[name] += float(told[name])
            penalty = -told["booked"] / told["matches"] / rules.players
            workers = algorithm.env_runner_group.num_healthy_remote_workers()
            print(f"{iteration}: mean penalty {penalty:.1f}, {workers} workers", flush=True)
            if options.kill and iteration == 1:
                print(f"killed worker process {kill_a_worker(algorithm)}", flush=True)
        if options.kill:
            workers = wait_for_workers(algorithm, options.workers, options.patience)
            print(f"{workers} workers again")
        facts = vars(options) | {"algorithm": "PPO (RLlib)", "matches": int(books["matches"])}
        save_agent(algorithm.get_module(MODULE), options.out, training=facts)
    finally:
        algorithm.stop()
        ray.shutdown()
    return books


def main(arguments: Sequence[str] | None = None) -> int:
    """Train and say what was booked; the exit status."""
    from training.scripts import ended

    options = parser().parse_args(arguments)

    def work() -> int:
        books = train(options)
        print(f"{options.out}: {books['matches']:.0f} deals")
        print(f"booked {books['booked']:.0f}, penalties replayed {-books['replayed']:.0f}")
        return 0

    return ended("rllib_ppo.py", work, extra="rllib", mistake=ValueError, stopped="stopped")


if __name__ == "__main__":
    raise SystemExit(main())
