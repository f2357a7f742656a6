"""Training: Deep Monte Carlo in self-play, for comparison with PPO.

    python training/dmc.py --config configs/dmc_swisslos.yaml --seed 2 --name second

Every setting is an option; ``--help`` lists them. Runs, pools, frozen tables, ``--resume`` and
``torchrun`` are those of ``training/ppo.py``.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

if __name__ == "__main__":  # run from a checkout: the folder above holds both packages
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))


def main(arguments: Sequence[str] | None = None) -> int:
    """Train by the command line; the exit status."""
    from training.config import DMCConfig, parse_arguments
    from training.scripts import ended

    def work() -> int:
        config, resume = parse_arguments(arguments, DMCConfig)
        from training.dmc_learner import DMCLearner  # torch takes seconds to load
        from training.run import train

        return train(config, resume, kind=DMCLearner)

    return ended("dmc.py", work)


if __name__ == "__main__":
    raise SystemExit(main())
