"""Training: PPO and Deep Monte Carlo on the same budget, several seeds each.

    python training/compare.py

Trains one run after another, measures each policy, and prints mean and spread. The settings of both
are in ``configs/compare.yaml``; all that they share is an option here too. A run that is there
already is not made again, so after Ctrl-C the same command goes on.
"""

import json
import statistics
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if __name__ == "__main__":  # run from a checkout: the folder above holds both packages
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from training.config import (
    ConfigError,
    DMCConfig,
    OneLineParser,
    PPOConfig,
    RunConfig,
    make_config,
    read_yaml,
)

if TYPE_CHECKING:
    from training.self_play import SelfPlayLearner

CONFIG = Path(__file__).resolve().parent.parent / "configs" / "compare.yaml"
OWN_TABLE = "copies of itself"
TABLES = (OWN_TABLE, "thumb", "@v0")
DEALS, SEED = 500, 1
"""Of each measurement."""


def kinds() -> dict[str, "tuple[type[RunConfig], type[SelfPlayLearner]]"]:
    """The learners by name: their settings and what learns."""
    from training.dmc_learner import DMCLearner
    from training.ppo_learner import PPOLearner

    return {"ppo": (PPOConfig, PPOLearner), "dmc": (DMCConfig, DMCLearner)}


def run(name: str, seed: int, changes: dict[str, Any]) -> dict[str, Any] | None:
    """Train one learner with one seed, or go on where it stopped, and measure it.

    Returns:
        Its penalty at each table, decisions a second and seconds; None after Ctrl-C.
    """
    from differenzler_env.evaluation import evaluate
    from differenzler_env.files import replacing
    from training.run import train
    from training.run_files import RunFiles, read_progress

    settings, learner = kinds()[name]
    values = read_yaml(CONFIG, settings) | changes
    config = make_config(values | {"seed": seed, "name": f"{name}-{seed}"}, settings)
    files = RunFiles(config)
    result = config.run_folder / "compare.json"
    if result.exists():
        known: dict[str, Any] = json.loads(result.read_text(encoding="utf-8"))
        return known
    print(f"{name}, seed {seed}", file=sys.stderr)
    if train(config, resume=bool(files.checkpoints()), kind=learner):
        return None
    policy = str(files.policy_path)
    rules = config.deal_rules()
    rules = rules.replace(deals=rules.players, first_dealer=0)
    last = read_progress(files.progress_path)[-1]
    known = {"deals": last["deals"], "seconds": last["seconds"]}
    for table in TABLES:
        field = policy if table == OWN_TABLE else table
        known[table] = evaluate(policy, field, rules, DEALS, SEED).penalty().mean
    with replacing(result) as temporary:
        temporary.write_text(json.dumps(known), encoding="utf-8")
    return known


def rows(results: dict[str, list[dict[str, Any]]]) -> Iterator[list[str]]:
    """The lines of the table: mean and standard deviation over seeds."""
    yield ["learner", *TABLES, "minutes a run"]
    for name, runs in results.items():
        cells = [name]
        for table in TABLES:
            penalties = [entry[table] for entry in runs]
            spread = statistics.stdev(penalties) if len(penalties) > 1 else 0.0
            cells.append(f"{statistics.mean(penalties):.2f} ± {spread:.2f}")
        yield [*cells, f"{statistics.mean(entry['seconds'] for entry in runs) / 60:.1f}"]


def parser() -> OneLineParser:
    """The options."""
    options = OneLineParser(
        description="Train PPO and Deep Monte Carlo on the same budget and measure both.",
        epilog="The penalties are means over seeds ± their standard deviation.",
        allow_abbrev=False,
    )
    options.add_argument("--folder", default="runs/compare", help="where the runs go")
    options.add_argument("--seeds", type=int, default=5, help="runs of each learner")
    options.add_argument("--deals", type=int, default=None, help="deals of a run")
    options.add_argument("--threads", type=int, default=1, help="threads of torch")
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare by the command line; the exit status."""
    from training.scripts import ended

    def work() -> int:
        given = vars(parser().parse_args(arguments))
        if given["seeds"] < 1:
            raise ConfigError(f"seeds is {given['seeds']}; allowed: 1 or more")
        seeds = range(1, 1 + given.pop("seeds"))
        changes = {key: value for key, value in given.items() if value is not None}
        results: dict[str, list[dict[str, Any]]] = {name: [] for name in kinds()}
        for seed in seeds:
            for name, found in results.items():
                result = run(name, seed, changes)
                if result is None:
                    return 130
                found.append(result)
        for cells in rows(results):
            print(" | ".join(cells))
        return 0

    return ended("compare.py", work)


if __name__ == "__main__":
    raise SystemExit(main())
