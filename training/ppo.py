"""Training: PPO in self-play, with a pool of opponents if one is given.

    python training/ppo.py --config configs/ppo_swisslos.yaml --seed 2 --name second
    torchrun --nproc_per_node=2 training/ppo.py --config configs/pool_swisslos.yaml

Every setting of ``training/config.py`` is an option; ``--help`` lists them. Processes started by
``torchrun`` share the games among them and learn one policy.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

if __name__ == "__main__":  # run from a checkout: the folder above holds both packages
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))


def main(arguments: Sequence[str] | None = None) -> int:
    """Train by the command line; the exit status."""
    from training.config import parse_arguments
    from training.scripts import ended

    def work() -> int:
        config, resume = parse_arguments(arguments)
        from training.run import train  # torch takes seconds to load: not before it is needed

        return train(config, resume)

    return ended("ppo.py", work)


if __name__ == "__main__":
    raise SystemExit(main())
