"""Training: the settings of a run, from a YAML file and the command line."""

import argparse
import dataclasses
import types
import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import yaml

from differenzler_env.rules import RULE_SETS, Rules


class ConfigError(ValueError):
    """A setting that does not exist or cannot be; one line says which and what is allowed."""


def setting(default: Any, meaning: str) -> Any:
    """A field of the configuration with its help text."""
    return field(default=default, metadata={"meaning": meaning})


# ruff: noqa: RUF009 (it is `field` under another name)


@dataclass(frozen=True)
class Config:
    """All settings of a PPO run. A YAML file holds any of them, flat, by these names."""

    name: str = setting("ppo", "name of the run")
    folder: str = setting("runs", "folder of all runs; this one's files lie in FOLDER/NAME")
    seed: int = setting(1, "seed of deals, choices, weights and shuffles")
    rules: str | dict[str, Any] = setting(
        "swisslos", "a rule set by name, or settings of rules; each deal is played for itself"
    )

    deals: int = setting(4_000_000, "deals to play in all; the schedules run over them")
    minutes: float = setting(0.0, "stop after so many minutes of wall time; 0: no limit")
    games: int = setting(4096, "games played at once, one deal each, by all processes together")

    start: str = setting(
        "", "checkpoint that the policy begins as, whatever width and blocks say; empty: drawn anew"
    )
    width: int = setting(256, "width of the policy network")
    blocks: int = setting(3, "residual blocks of the policy network")
    bid_blocks: int = setting(0, "residual blocks of a trunk for the bid alone; 0: one trunk")
    critic_width: int = setting(256, "width of the critic")
    critic_blocks: int = setting(3, "residual blocks of the critic")

    learning_rate: float = setting(1e-3, "step size of Adam at the start")
    final_learning_rate: float = setting(1e-5, "step size at the end")
    warm_up: int = setting(5, "updates over which the step size rises from 0")
    epochs: int = setting(2, "passes over the decisions of an update")
    minibatches: int = setting(16, "gradient steps of a pass")
    clip: float = setting(0.2, "how far the probability ratio may move")
    gae_lambda: float = setting(0.95, "λ of the advantages")
    reward_scale: float = setting(20.0, "penalty points that count as 1 inside the trainer")
    bid_entropy: float = setting(0.01, "entropy bonus of bids at the start, per nat")
    card_entropy: float = setting(0.01, "entropy bonus of cards at the start, per nat")
    final_entropy: float = setting(0.1, "share of the entropy bonuses left at the end")
    averaging: float = setting(
        0.95,
        "the policy that is saved averages the weights over updates, each counting this much "
        "of the one after it; 0: the last weights",
    )
    max_gradient: float = setting(0.5, "gradients are cut to this norm, policy and critic apart")

    pool: str = setting(
        "",
        "who else sits at tables with the learner: agents separated by commas, each drawn as often "
        "as it is named; 'past' is a past self of the learner; empty: nobody",
    )
    pool_share: float = setting(0.25, "share of games with one learner among agents of the pool")
    pool_alike: float = setting(
        0.0,
        "share of the pool's games where all other seats are of the one entry drawn; in the rest "
        "each seat has an entry of its own",
    )
    pool_distinct: bool = setting(
        False,
        "an entry of the pool is drawn for one seat of a table only, as long as there are enough: "
        "a pool of as many entries as other seats always sits there whole",
    )
    pool_deterministic: bool = setting(
        False,
        "past selves and checkpoints in the pool play their most likely action; false: drawn by "
        "its probability",
    )
    past_every: int = setting(50, "updates from one past self to the next")
    past_kept: int = setting(8, "past selves in the pool; older ones go")

    evaluate_every: int = setting(
        0, "updates between measurements at frozen tables, and one at the end; 0: none"
    )
    evaluate_tables: str = setting(
        "thumb",
        "the frozen tables, separated by semicolons: one agent for all other seats, or one a seat "
        "with commas; the policy that is best on average is kept",
    )
    evaluate_deals: int = setting(200, "deals of a measurement, each played in every seat")

    threads: int = setting(0, "threads of torch; 0: one a core")
    precision: str = setting("auto", "auto, float32 or bfloat16, for matrix products")
    device: str = setting("cpu", "cpu or cuda")

    save_every: float = setting(120.0, "seconds between checkpoints; 0: after every update")
    keep: int = setting(3, "checkpoints kept for resuming")
    tensorboard: bool = setting(True, "write TensorBoard logs")

    def __post_init__(self) -> None:
        at_least_one = ("deals", "games", "width", "blocks", "critic_width", "critic_blocks")
        counted = ("epochs", "minibatches", "keep", "past_every", "past_kept", "evaluate_deals")
        for name in (*at_least_one, *counted):
            self._require(name, getattr(self, name) >= 1, "1 or more")
        for name in ("learning_rate", "clip", "reward_scale", "max_gradient"):
            self._require(name, getattr(self, name) > 0, "a number above 0")
        for name in _NOT_BELOW_ZERO:
            self._require(name, getattr(self, name) >= 0, "0 or more")
        self._require("gae_lambda", 0 <= self.gae_lambda <= 1, "0 to 1")
        self._require("averaging", 0 <= self.averaging < 1, "0 to below 1")
        for name in ("pool_share", "pool_alike"):
            self._require(name, 0 <= getattr(self, name) <= 1, "0 to 1")
        choices = ("auto", "float32", "bfloat16")
        self._require("precision", self.precision in choices, ", ".join(choices))
        named = bool(self.name) and "/" not in self.name and not self.name.startswith(".")
        self._require("name", named, "a name for a folder, without /")
        self.deal_rules()

    def _require(self, name: str, good: bool, allowed: str) -> None:
        if not good:
            raise ConfigError(f"{name} is {getattr(self, name)!r}; allowed: {allowed}")

    def deal_rules(self) -> Rules:
        """The rules that training plays: single deals with a dealer drawn at random."""
        try:
            if isinstance(self.rules, dict):
                rules = Rules.from_dict(self.rules)
            elif self.rules in RULE_SETS:
                rules = RULE_SETS[self.rules]()
            else:
                names = ", ".join(RULE_SETS)
                raise ConfigError(
                    f"rules is {self.rules!r}; allowed: {names}, or settings of rules"
                )
        except ConfigError:
            raise
        except ValueError as error:
            raise ConfigError(f"rules: {error}") from None
        return rules.replace(deals=1, first_dealer="random")

    @property
    def run_folder(self) -> Path:
        """Where the files of this run lie."""
        return Path(self.folder) / self.name

    def to_dict(self) -> dict[str, Any]:
        """All settings as plain values."""
        return dataclasses.asdict(self)


_NOT_BELOW_ZERO = (
    "bid_blocks",
    "bid_entropy",
    "card_entropy",
    "evaluate_every",
    "final_entropy",
    "final_learning_rate",
    "minutes",
    "save_every",
    "seed",
    "threads",
    "warm_up",
)
_FIELDS = {entry.name: entry for entry in dataclasses.fields(Config)}
_TYPES = typing.get_type_hints(Config)


def convert(name: str, value: Any) -> Any:
    """A value from YAML or the command line in the type of its setting.

    Raises:
        ConfigError: for an unknown name or a value of another type.
    """
    if name not in _FIELDS:
        raise ConfigError(f"unknown setting {name!r}; settings are {', '.join(_FIELDS)}")
    wanted = _TYPES[name]
    kinds = typing.get_args(wanted) if isinstance(wanted, types.UnionType) else (wanted,)
    for kind in kinds:
        base = typing.get_origin(kind) or kind
        if base is float and isinstance(value, (int, str)) and not isinstance(value, bool):
            try:  # YAML reads 1e-3 as a text
                return float(value)
            except ValueError:
                continue
        if base is int and isinstance(value, float) and value == int(value):
            return int(value)
        if isinstance(value, base) and (base is bool or not isinstance(value, bool)):
            return value
    name_of = {int: "a whole number", float: "a number", bool: "true or false", str: "a text"}
    allowed = " or ".join(name_of.get(kind, "settings") for kind in kinds)
    raise ConfigError(f"{name} is {value!r}; allowed: {allowed}")


def make_config(values: Mapping[str, Any]) -> Config:
    """A configuration from values by name; the others stand at their default.

    Raises:
        ConfigError: for an unknown name or an impossible value.
    """
    return Config(**{name: convert(name, value) for name, value in values.items()})


def read_yaml(path: str | Path) -> dict[str, Any]:
    """The settings of a YAML file.

    Raises:
        ConfigError: if it cannot be read or is no flat mapping of settings.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8 text"
        raise ConfigError(f"configuration {str(path)!r} cannot be read: {reason}") from None
    try:
        values = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ConfigError(f"{str(path)!r} is not YAML: {' '.join(str(error).split())}") from None
    if values is None:
        return {}
    if not isinstance(values, dict):
        raise ConfigError(f"{str(path)!r} holds no settings; write lines like 'width: 256'")
    try:
        return {str(name): convert(str(name), value) for name, value in values.items()}
    except ConfigError as error:
        raise ConfigError(f"{str(path)!r}: {error}") from None


class OneLineParser(argparse.ArgumentParser):
    """An argument parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong; nothing is printed here."""
        raise ConfigError(message)


def parse_arguments(arguments: Sequence[str] | None = None) -> tuple[Config, bool]:
    """The configuration of a command line, and whether the run is to be resumed.

    ``--config FILE`` is read first; ``--width 384`` and the like come on top.

    Raises:
        ConfigError: for anything that is wrong with it.
    """
    parser = OneLineParser(
        description="Train a policy for Differenzler by PPO in self-play.",
        allow_abbrev=False,
    )
    parser.add_argument("--config", metavar="FILE", help="YAML file with settings")
    parser.add_argument("--resume", action="store_true", help="go on with the run of this name")
    for name, entry in _FIELDS.items():
        parser.add_argument(
            "--" + name.replace("_", "-"),
            metavar=name.upper(),
            default=argparse.SUPPRESS,
            help=f"{entry.metadata['meaning']} (default {entry.default})".replace("%", "%%"),
        )
    given = vars(parser.parse_args(arguments))
    path, resume = given.pop("config"), given.pop("resume")
    values = read_yaml(path) if path else {}
    for name, text in given.items():
        value = text
        if _TYPES[name] is not str:
            try:
                value = yaml.safe_load(text)
            except yaml.YAMLError:
                raise ConfigError(f"{name} is {text!r}, which cannot be read") from None
        values[name] = convert(name, value)
    return make_config(values), resume
