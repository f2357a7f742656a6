"""Training: from a run's policy to a shipped model. Measures it, writes file and card.

python training/ship.py runs/swisslos/policy.safetensors models/swisslos.safetensors

Weights are shipped in half precision, half as many bytes; what is measured is what is shipped.
"""

import sys
from pathlib import Path
from typing import Any

if __name__ == "__main__":  # run from a checkout: the folder above holds both packages
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import argparse
from collections.abc import Sequence
from tempfile import TemporaryDirectory

import numpy as np

from differenzler_env.agents import load_field
from differenzler_env.checkpoint import CheckpointError, load, rule_sets, save
from differenzler_env.cli.common import progress_bar
from differenzler_env.evaluation import evaluate
from differenzler_env.files import replacing
from differenzler_env.rule_text import game_text, get_rules
from differenzler_env.rules import Rules
from training.config import DMCConfig, PPOConfig, RunConfig

ITSELF = "copies of itself"
FIELDS = ("thumb", "heuristic", "@v0", "@v1")
"""What a model is measured at besides; a field that does not fit its rules is left out."""
SEED = 1
KINDS: dict[str, tuple[str, type[RunConfig]]] = {
    PPOConfig.method: ("ppo", PPOConfig),
    DMCConfig.method: ("dmc", DMCConfig),
}
"""The script and the settings of each kind of learner."""
OF_ITS_OWN = ("name", "folder", "seed", "rules", "deals", "start")
"""Settings that the card says elsewhere, or that do not matter."""
Training = dict[str, Any]
"""How a policy was made, as its checkpoint tells."""

CARD = """# {name}

A policy for the rules `{rules}`, trained by {method} in self-play. Made and measured by
`python training/ship.py RUN/policy.safetensors models/{name}.safetensors`.

| | |
|---|---|
| rules | `{rules}`; `deals` and `first_dealer` don't count |
| network | {shape} |
| training | {deals:,} deals, {decisions:,} decisions, {minutes:.0f} minutes of the trainer's own time |
{stages}

Strength, playing greedily, on {count:,} duplicate deals with the policy in every seat (95 % intervals over deals; seed {eval_seed}):

| Table | penalty a deal | the others' penalty | matches won |
|---|---|---|---|
{rows}

Each row again: `differenzler evaluate models/{name}.safetensors --field FIELD --deals {count} --seed {eval_seed} --rules "{rules}"`.

Limits: it was trained against {company}. At tables of players who bid and play otherwise it is weaker than
among copies of itself; that gap is what the rows above show. It knows no other rules.
"""


def fields(path: Path, rules: Rules) -> dict[str, str]:
    """The tables that a model is measured at: what they are called, and their field."""
    found = {ITSELF: str(path)}
    for field in FIELDS:
        try:
            load_field(field, rules, more=True)
        except ValueError:  # too few for this table, or made for other rules
            continue
        found[field] = field
    return found


def measure(path: Path, rules: Rules, deals: int) -> list[dict[str, Any]]:
    """A policy at a table of copies and at the fields, as JSON values."""
    results = []
    kept = ("deals", "seed", "penalty", "field_penalty", "win_share", "exact_share", "floor")
    for named, field in fields(path, rules).items():
        with progress_bar(f"{path.stem} at {named}") as progress:
            played = evaluate(str(path), field, rules, deals, SEED, None, progress)
        result = played.to_json()
        results.append({"field": named} | {key: result[key] for key in kept})
        print(f"{path.stem} at {named}: {result['penalty']['mean']:.2f}", file=sys.stderr)
    return results


def stages(training: Training) -> list[Training]:
    """The runs that made a policy, the first one first: each began as what the one before left."""
    before = stages(training["start"]) if training.get("start") else []
    return [*before, training]


def made_by(stage: Training) -> str:
    """What made a policy in one stage: its script or the recipe it was shipped with, and what is
    not as usual in its settings."""
    script, kind = KINDS[stage.get("method", PPOConfig.method)]
    config, usual = stage["config"], kind().to_dict()
    recipe = stage.get("recipe", f"`training/{script}.py`")
    settings = [
        f"{key} {value}"
        for key, value in config.items()
        if key not in OF_ITS_OWN and value != usual.get(key)
    ]
    return "; ".join([f"{recipe}, seed {config['seed']}, {stage['deals']:,} deals", *settings])


def around(estimate: dict[str, Any], scale: float = 1, digits: int = 2) -> str:
    """Mean and half width of the interval as text; the interval's ends where the mean is not about
    its middle, as that of a share near 0 is not; the mean alone where there is no interval."""
    mean = scale * estimate["mean"]
    low, high = (scale * end for end in estimate["ci95"] or (0, 0))  # of too few deals
    half = (high - low) / 2
    if not float(f"{half:.{digits}f}"):
        return f"{mean:.{digits}f}"
    if abs((low + high) / 2 - mean) > half / 10:
        return f"{mean:.{digits}f} ({low:.{digits}f} … {high:.{digits}f})"
    return f"{mean:.{digits}f} ± {half:.{digits}f}"


def card(name: str, document: dict[str, Any]) -> str:
    """The card of a measured policy, Markdown."""
    made, shape = stages(document["training"]), document["network"]
    rows = [
        f"| {entry['field']} | {around(entry['penalty'])} | {around(entry['field_penalty'])} | "
        f"{around(entry['win_share'], 100, 1)} % |"
        for entry in document["strength"]["tables"]
    ]
    pool = any(stage["config"].get("pool") for stage in made)
    return CARD.format(
        name=name,
        method=made[-1].get("method", PPOConfig.method),
        rules=game_text(Rules.from_dict(document["rules"][0])),
        shape=f"residual MLP, {shape['width']} wide, {shape['blocks']} blocks",
        deals=sum(stage["deals"] for stage in made),
        decisions=sum(stage["decisions"] for stage in made),
        minutes=sum(stage["seconds"] for stage in made) / 60,
        stages="\n".join(f"| run {n} | {made_by(stage)} |" for n, stage in enumerate(made, 1)),
        count=document["strength"]["tables"][0]["deals"],
        eval_seed=SEED,
        rows="\n".join(rows),
        company="itself and a pool of others" if pool else "copies of itself only",
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Ship a policy by the command line; the exit status."""
    parser = argparse.ArgumentParser(description="Measure a policy and write model and card.")
    parser.add_argument("policy", type=Path, help="the run's policy.safetensors")
    parser.add_argument("model", type=Path, help="where it goes: models/NAME.safetensors")
    parser.add_argument("--deals", type=int, default=4000, help="distinct deals of each table")
    parser.add_argument("--recipe", help="the commands that made it, Markdown, for the card")
    options = parser.parse_args(arguments)
    try:
        tensors, document = load(options.policy)
        tensors = {name: weights.astype(np.float16) for name, weights in tensors.items()}
        rules = get_rules(game_text(rule_sets(options.policy, document)[0]))
        made = stages(document["training"])
        if not all("config" in stage for stage in made):
            raise CheckpointError(
                f"{str(options.policy)!r} does not tell how it was trained; allowed: what a run of "
                "training/ppo.py or training/dmc.py has saved"
            )
        for stage in made:
            stage["config"].pop("folder", None)  # a place on somebody's machine
        if options.recipe:
            document["training"]["recipe"] = options.recipe
        with TemporaryDirectory() as folder:
            shipped = Path(folder) / options.model.name
            save(shipped, tensors, document)
            document["strength"] = {"tables": measure(shipped, rules, options.deals)}
        save(options.model, tensors, document)
        with replacing(options.model.with_suffix(".md")) as temporary:
            temporary.write_text(card(options.model.stem, document), encoding="utf-8")
    except (CheckpointError, ValueError) as error:
        print(f"ship.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
