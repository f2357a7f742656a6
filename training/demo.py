"""Training: the demonstration. Trains a small policy, measures it, draws what it learnt.

    python training/demo.py            # what ``make demo`` runs; about three minutes on two cores

Its files in ``runs/demo`` give way to those of the next demonstration; any other run stays.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if __name__ == "__main__":  # run from a checkout: the folder above holds both packages
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

if TYPE_CHECKING:
    from differenzler_env.evaluation import Evaluation
    from training.config import PPOConfig

CONFIG = Path(__file__).resolve().parent.parent / "configs" / "demo.yaml"
FIELDS = ("random", "constant?bid=35", "thumb")
DEALS = 400
PICTURE = "demo.png"
SEED = 1


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demonstration; options are those of ``training/ppo.py``. The exit status."""
    from rich.console import Console

    from training.config import ConfigError, parse_arguments
    from training.scripts import ended

    console = Console(highlight=False)
    given = list(sys.argv[1:] if arguments is None else arguments)

    def work() -> int:
        config, resume = parse_arguments(["--config", str(CONFIG), *given])
        if resume:
            raise ConfigError("a demonstration starts anew; training/ppo.py has --resume")
        from training.run import train

        if not any(option.partition("=")[0] in ("--name", "--config") for option in given):
            clear(config)
        console.print("[bold]1. Training[/bold] a small policy by playing against itself")
        status = train(config, resumable=False)
        if status:
            return status
        console.print(f"\n[bold]2. Measuring[/bold] it on {DEALS} deals, played in every seat")
        policy = str(config.run_folder / "policy.safetensors")
        with console.status("playing …"):
            results = measure(policy, config)
        console.print(table(results))
        console.print("[bold]3. Drawing[/bold] what it learnt")
        picture = draw(config, results[-1])
        console.print(f"   {picture}\n")
        print(NEXT.format(policy=policy))
        return 0

    return ended("demo.py", work, stopped="stopped")


NEXT = """What to try next (after `. .venv/bin/activate`)
  differenzler evaluate {policy} --field thumb --deals 2000
  differenzler tournament random thumb {policy}
  tensorboard --logdir runs
  python training/ppo.py --config configs/ppo_swisslos.yaml
      the serious one, hours; Ctrl-C saves, --resume goes on"""


def clear(config: "PPOConfig") -> None:
    """Remove what an earlier demonstration left in its folder. A run of another name stays."""
    from training.config import ConfigError, read_yaml
    from training.run_files import RunFiles

    folder = RunFiles(config).folder
    try:
        name = read_yaml(folder / "config.yaml").get("name")
    except ConfigError:  # there is none, or nothing that this program wrote
        return
    if name != config.name:
        return
    for pattern in ("*.safetensors", "past/past-*.safetensors", "tensorboard/events.*", PICTURE):
        for path in folder.glob(pattern):
            path.unlink()


def measure(policy: str, config: "PPOConfig") -> list["Evaluation"]:
    """The policy at tables of each baseline, and at a table of its own copies."""
    from differenzler_env.evaluation import evaluate

    rules = config.deal_rules().replace(deals=None)
    return [
        evaluate(policy, field, rules=rules, deals=DEALS, seed=SEED) for field in (*FIELDS, policy)
    ]


def table(results: Sequence["Evaluation"]) -> Any:
    """The results as a table for people."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    shown = Table(box=SIMPLE_HEAD)
    shown.add_column("at a table of three")
    for title in ("its penalty a deal", "theirs", "exact bids", "matches won"):
        shown.add_column(title, justify="right")
    for number, result in enumerate(results):
        own, other = result.penalty(), result.field_penalty()
        values = result.to_json()
        name = "copies of itself" if number == len(results) - 1 else result.field[0]
        shown.add_row(
            name,
            f"{own:.1f}",
            f"{other:.1f}",
            f"{values['exact_share']:.0%}",
            f"{values['win_share']['mean']:.0%}",
        )
    return shown


def draw(config: "PPOConfig", result: "Evaluation") -> Path:
    """Save a picture: the penalty while learning, and bids against points. Its path."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    from training.run_files import RunFiles, read_progress

    files = RunFiles(config)
    lines = read_progress(files.progress_path)
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 4.5), layout="constrained")
    deals = [line["deals"] for line in lines]
    left.plot(deals, [line["penalty"] for line in lines], label="penalty")
    label = f"floor: mean |total − Σ bids| / {result.rules.players}"
    left.plot(deals, [line["floor"] for line in lines], label=label)
    left.set(xlabel="deals played", ylabel="card points a deal", title="While learning")
    left.set_ylim(bottom=0)
    left.legend()
    bids, points = result.of_hero(result.tables.bids), result.of_hero(result.tables.points)
    most = max(result.rules.total_points(trump) for trump in range(4))
    right.plot([0, most], [0, most], color="0.7", linewidth=1)
    right.scatter(bids.ravel(), points.ravel(), s=6, alpha=0.3)
    right.set(xlabel="bid", ylabel="points taken", title="After learning, among copies of itself")
    right.set_aspect("equal")
    path = files.folder / PICTURE
    figure.savefig(path, dpi=120)
    pyplot.close(figure)
    return path


if __name__ == "__main__":
    raise SystemExit(main())
