"""Training: how beatable a field is. A hero learns against it, and what it gains is measured.

    python training/best_response.py --field @v0
    python training/best_response.py --field models/swisslos.safetensors --deals 800_000 --name two

The hero has one seat of each table, the field, which never learns, all others. Its settings are in
``configs/best_response.yaml``; all options of ``training/ppo.py`` change them. What it gains over
playing like the field is a lower bound: more training may find more.
"""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if __name__ == "__main__":  # run from a checkout: the folder above holds both packages
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from differenzler_env.agents import load_field
from differenzler_env.evaluation import Estimate, Evaluation, evaluate, normal_estimate
from differenzler_env.rules import Rules

if TYPE_CHECKING:
    from training.config import PPOConfig

CONFIG = Path(__file__).resolve().parent.parent / "configs" / "best_response.yaml"
SEED = 1


@dataclass(frozen=True)
class Gain:
    """What a hero pays at a field, beside what the field's own members pay in its seat.

    Attributes:
        hero: the hero at the field.
        members: each of the field's agents at the field, on the same deals; one that is in the
            field twice is here twice.
    """

    hero: Evaluation
    members: tuple[Evaluation, ...]

    def penalty(self) -> Estimate:
        """The hero's mean penalty of a deal."""
        return self.hero.penalty()

    def members_penalty(self) -> Estimate:
        """The mean penalty of the field's own members in the hero's seat."""
        return normal_estimate(self._members())

    def gain(self) -> Estimate:
        """What the hero pays less than they do, paired by deal."""
        return normal_estimate(self._members() - _deal_means(self.hero))

    def _members(self) -> Any:
        return sum(_deal_means(entry) for entry in self.members) / len(self.members)

    def to_json(self) -> dict[str, Any]:
        """The result as JSON values."""
        return {
            "hero": self.hero.hero,
            "field": list(self.hero.field),
            "rules": self.hero.rules.to_dict(),
            "seed": self.hero.seed,
            "deals": self.hero.deals,
            "penalty": self.penalty().to_json(),
            "members_penalty": self.members_penalty().to_json(),
            "members": [
                {"agent": entry.hero, "penalty": entry.penalty().to_json()}
                for entry in self.members
            ],
            "gain": self.gain().to_json(),
        }


def _deal_means(evaluation: Evaluation) -> Any:
    """The hero's penalty on each deal, the mean over its seats, float64 ``[deals]``."""
    return evaluation.deal_sums()[0] / evaluation.rules.players


def measure_gain(hero: str, field: str, rules: Rules, deals: int) -> Gain:
    """Play the hero, then each of the field's agents, at the field on the same duplicate deals."""
    from differenzler_env.cli.common import progress_bar

    def play(spec: str) -> Evaluation:
        with progress_bar(f"{spec} at {field}") as progress:
            return evaluate(spec, field, rules, deals, SEED, workers=None, progress=progress)

    at_field = play(hero)
    played = {spec: play(spec) for spec in dict.fromkeys(at_field.field)}
    return Gain(at_field, tuple(played[spec] for spec in at_field.field))


def field_config(config: "PPOConfig", field: str) -> "PPOConfig":
    """The settings with a field as the pool, sitting there whole, and one learner at every table.

    Raises:
        ConfigError: for a field that cannot be loaded or does not fit the table.
    """
    from dataclasses import replace

    from training.config import ConfigError

    if config.pool:
        raise ConfigError(f"pool is {config.pool!r}; the field sits there, so leave it empty")
    try:
        agents = load_field(field, config.deal_rules(), more=True)
    except ValueError as error:
        raise ConfigError(f"field: {error}") from None
    pool = ", ".join(agent.spec for agent in agents)
    return replace(config, pool=pool, pool_share=1.0, pool_alike=0.0, pool_distinct=True)


def measure(config: "PPOConfig", field: str) -> int:
    """Measure the policy of a run that is done, print and write the result; the exit status."""
    from differenzler_env.files import replacing
    from training.run_files import RunFiles

    files = RunFiles(config)
    result = report(config, field, files.policy_path)
    path = files.folder / "best_response.json"
    with replacing(path) as temporary:
        temporary.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    print(sentence(result))
    print(f"Figures in {path}")
    return 0


def report(config: "PPOConfig", field: str, policy: Path) -> dict[str, Any]:
    """Measure a trained policy; the result with the budget that it had, as JSON values."""
    import torch

    from differenzler_env.checkpoint import load

    rules = config.deal_rules()
    rules = rules.replace(deals=rules.players, first_dealer=0)
    training = load(policy, rules)[1]["training"]
    budget = {name: training[name] for name in ("deals", "decisions", "seconds")}
    budget |= {"threads": torch.get_num_threads(), "start": config.start or None}
    result = measure_gain(str(policy), field, rules, config.evaluate_deals).to_json()
    return {"named": field} | result | {"budget": budget}


def sentence(result: dict[str, Any]) -> str:
    """The result in a line."""

    def shown(name: str) -> str:
        low, high = result[name]["ci95"]
        return f"{result[name]['mean']:.2f} ± {(high - low) / 2:.2f}"

    budget = result["budget"]
    return (
        f"At a table of {result['named']} the hero pays {shown('penalty')} a deal, the field's own "
        f"members in its seat {shown('members_penalty')}: a gain of {shown('gain')} "
        f"({result['deals']:,} deals). Budget: {budget['deals']:,} deals from "
        f"{budget['start'] or 'nothing'}, {budget['seconds'] / 60:.1f} minutes on "
        f"{budget['threads']} thread{'s' * (budget['threads'] != 1)}."
    )


def parse(arguments: Sequence[str] | None = None) -> tuple[str, "PPOConfig", bool]:
    """The field and the settings of a command line, and whether the run is to be resumed.

    Raises:
        ConfigError: for anything that is wrong with it.
    """
    from training.config import OneLineParser, parse_arguments

    parser = OneLineParser(
        description="Train a hero against a frozen field and measure what it gains over playing "
        "like the field.",
        epilog="All other options are those of training/ppo.py; evaluate_deals is how many deals "
        "the gain is measured on.",
        allow_abbrev=False,
    )
    parser.add_argument("--field", required=True, help="as for differenzler evaluate, such as @v0")
    own, options = parser.parse_known_args(arguments)
    config, resume = parse_arguments(["--config", str(CONFIG), *options])
    return own.field, field_config(config, own.field), resume


def main(arguments: Sequence[str] | None = None) -> int:
    """Train and measure by the command line; the exit status."""
    from training.scripts import ended

    def work() -> int:
        field, config, resume = parse(arguments)
        from training.run import train  # torch takes seconds to load: not before it is needed

        return train(config, resume) or measure(config, field)

    return ended("best_response.py", work)


if __name__ == "__main__":
    raise SystemExit(main())
