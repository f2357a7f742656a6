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
    from differenzler_env.checkpoint import CheckpointError
    from training.config import ConfigError, parse_arguments

    try:
        config, resume = parse_arguments(arguments)
        from training.run import train  # torch takes seconds to load: not before it is needed

        return train(config, resume)
    except ModuleNotFoundError as error:
        needed = f"training needs {error.name}: pip install 'differenzler-env[train]'"
        print(f"ppo.py: {needed}", file=sys.stderr)
        return 1
    except ConfigError as error:
        print(f"ppo.py: {error}", file=sys.stderr)
        return 2
    except CheckpointError as error:
        print(f"ppo.py: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("ppo.py: stopped at once; the newest checkpoint stands", file=sys.stderr)
        return 130


if __name__ == "__main__":
    raise SystemExit(main())
