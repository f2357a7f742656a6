"""Training: the settings of a run, from a YAML file and the command line."""

import argparse
import dataclasses
import math
import re
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, NoReturn, TypeVar, overload

import yaml

from differenzler_env.checks import did_you_mean
from differenzler_env.rule_text import get_rules
from differenzler_env.rules import Rules


class ConfigError(ValueError):
    """A setting that does not exist or cannot be; one line says which and what is allowed."""


UNREADABLE = (yaml.YAMLError, ValueError, AttributeError, RecursionError)
"""What PyYAML raises; the last three for ``2026-02-30``, ``!!timestamp x`` and ``[[[…``."""


class Allowed(NamedTuple):
    """Which values of a setting can be."""

    text: str
    holds: Callable[[Any], bool]


ONE_OR_MORE = Allowed("1 or more", lambda value: value >= 1)
ZERO_OR_MORE = Allowed("0 or more", lambda value: value >= 0)
ABOVE_ZERO = Allowed("a number above 0", lambda value: value > 0)
UP_TO_1024 = Allowed("0 to 1024", lambda value: 0 <= value <= 1024)
SHARE = Allowed("0 to 1", lambda value: 0 <= value <= 1)
BELOW_ONE = Allowed("0 to below 1", lambda value: 0 <= value < 1)
PRECISION = Allowed(
    "auto, float32, bfloat16", lambda value: value in ("auto", "float32", "bfloat16")
)
FOLDER = Allowed(
    "a name for a folder, without /",
    lambda value: bool(re.fullmatch(r"[^/.][^/]{0,99}", value)) and value.isprintable(),
)
PATH = Allowed("a path", lambda value: "\0" not in value)
DEVICE = Allowed(
    "cpu, cuda or cuda:NUMBER", lambda value: bool(re.fullmatch("cpu|cuda(:[0-9]{1,3})?", value))
)


def setting(default: Any, meaning: str, allowed: Allowed | None = None) -> Any:
    """A field of the configuration with its help text."""
    return field(default=default, metadata={"meaning": meaning, "allowed": allowed})


# ruff: noqa: RUF009 (it is `field` under another name)


@dataclass(frozen=True)
class RunConfig:
    """The settings of a run, whatever learns in it. A YAML file holds any of them, flat, by these
    names.

    Attributes:
        method: how it learns, for people.
    """

    method: ClassVar[str]

    name: str = setting("run", "name of the run", FOLDER)
    folder: str = setting("runs", "folder of all runs; this one's files lie in FOLDER/NAME", PATH)
    seed: int = setting(1, "seed of deals, choices, weights and shuffles", ZERO_OR_MORE)
    rules: str | dict[str, Any] = setting(
        "swisslos", "rules as text, or settings of rules; each deal is played for itself"
    )

    deals: int = setting(
        4_000_000, "deals to play in all; the schedules run over them", ONE_OR_MORE
    )
    minutes: float = setting(
        0.0,
        "stop after so many minutes of wall time, counted anew by --resume; 0: no limit",
        ZERO_OR_MORE,
    )
    games: int = setting(
        4096, "games played at once, one deal each, by all processes together", ONE_OR_MORE
    )

    start: str = setting(
        "", "checkpoint that the policy begins as, whatever width and blocks say; empty: drawn anew"
    )
    more_blocks: int = setting(
        0, "residual blocks added to that checkpoint; they begin as nothing", ZERO_OR_MORE
    )
    width: int = setting(256, "width of the policy network", ONE_OR_MORE)
    blocks: int = setting(3, "residual blocks of the policy network", ONE_OR_MORE)
    bid_blocks: int = setting(
        0, "residual blocks of a trunk for the bid alone; 0: one trunk", ZERO_OR_MORE
    )

    learning_rate: float = setting(1e-3, "step size of Adam at the start", ABOVE_ZERO)
    final_learning_rate: float = setting(1e-5, "step size at the end", ZERO_OR_MORE)
    warm_up: int = setting(5, "updates over which the step size rises from 0", ZERO_OR_MORE)
    epochs: int = setting(2, "passes over the decisions of an update", ONE_OR_MORE)
    minibatches: int = setting(16, "gradient steps of a pass", ONE_OR_MORE)
    reward_scale: float = setting(
        20.0, "penalty points that count as 1 inside the trainer", ABOVE_ZERO
    )
    averaging: float = setting(
        0.95,
        "the policy that is saved averages the weights over updates, each counting this much "
        "of the one after it; 0: the last weights",
        BELOW_ONE,
    )
    max_gradient: float = setting(
        0.5, "gradients are cut to this norm, each network's apart", ABOVE_ZERO
    )

    pool: str = setting(
        "",
        "who else sits at tables with the learner: agents separated by commas, each drawn as often "
        "as it is named; 'past' is a past self of the learner; empty: nobody",
    )
    pool_share: float = setting(
        0.25, "share of games with one learner among agents of the pool", SHARE
    )
    pool_alike: float = setting(
        0.0,
        "share of the pool's games where all other seats are of the one entry drawn; in the rest "
        "each seat has an entry of its own",
        SHARE,
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
    past_every: int = setting(50, "updates from one past self to the next", ONE_OR_MORE)
    past_kept: int = setting(8, "past selves in the pool; older ones go", ONE_OR_MORE)

    evaluate_every: int = setting(
        0,
        "updates between measurements at frozen tables, and one at the end; 0: none",
        ZERO_OR_MORE,
    )
    evaluate_tables: str = setting(
        "thumb",
        "the frozen tables, separated by semicolons: one agent for all other seats, or one a seat "
        "with commas; the policy that is best on average is kept",
    )
    evaluate_deals: int = setting(
        200, "deals of a measurement, each played in every seat", ONE_OR_MORE
    )

    threads: int = setting(0, "threads of torch; 0: one a core", UP_TO_1024)
    precision: str = setting("auto", "auto, float32 or bfloat16, for matrix products", PRECISION)
    device: str = setting("cpu", "cpu, cuda or cuda:NUMBER", DEVICE)

    save_every: float = setting(
        120.0, "seconds between checkpoints; 0: after every update", ZERO_OR_MORE
    )
    keep: int = setting(3, "checkpoints kept for resuming", ONE_OR_MORE)
    tensorboard: bool = setting(True, "write TensorBoard logs")

    def __post_init__(self) -> None:
        for entry in dataclasses.fields(self):
            value, allowed = getattr(self, entry.name), entry.metadata["allowed"]
            if allowed is not None and not allowed.holds(value):
                raise ConfigError(f"{entry.name} is {value!r}; allowed: {allowed.text}")
        if self.more_blocks and not self.start:
            raise ConfigError(f"more_blocks is {self.more_blocks}; allowed without start: 0")
        self.deal_rules()

    def deal_rules(self) -> Rules:
        """The rules that training plays: single deals with a dealer drawn at random."""
        try:
            given = self.rules
            rules = Rules.from_dict(given) if isinstance(given, dict) else get_rules(given)
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


@dataclass(frozen=True)
class PPOConfig(RunConfig):
    """All settings of a PPO run."""

    method: ClassVar[str] = "PPO"

    name: str = setting("ppo", "name of the run", FOLDER)
    critic_width: int = setting(256, "width of the critic", ONE_OR_MORE)
    critic_blocks: int = setting(3, "residual blocks of the critic", ONE_OR_MORE)
    clip: float = setting(0.2, "how far the probability ratio may move", ABOVE_ZERO)
    gae_lambda: float = setting(0.95, "λ of the advantages", SHARE)
    bid_entropy: float = setting(0.01, "entropy bonus of bids at the start, per nat", ZERO_OR_MORE)
    card_entropy: float = setting(
        0.01, "entropy bonus of cards at the start, per nat", ZERO_OR_MORE
    )
    final_entropy: float = setting(
        0.1, "share of the entropy bonuses left at the end", ZERO_OR_MORE
    )


@dataclass(frozen=True)
class DMCConfig(RunConfig):
    """All settings of a Deep Monte Carlo run."""

    method: ClassVar[str] = "Deep Monte Carlo"

    name: str = setting("dmc", "name of the run", FOLDER)
    pool_deterministic: bool = setting(
        True,
        "past selves and checkpoints in the pool play the action of highest value; false: drawn by "
        "the values as if they were logits",
    )
    bid_exploration: float = setting(0.05, "share of bids drawn evenly at the start", SHARE)
    card_exploration: float = setting(
        0.05, "share of cards drawn evenly from the legal ones at the start", SHARE
    )
    final_exploration: float = setting(0.1, "part of these shares left at the end", SHARE)


C = TypeVar("C", bound=RunConfig)


def settings_of(kind: type[RunConfig]) -> dict[str, dataclasses.Field[Any]]:
    """The settings that a kind of run has, by name."""
    return {entry.name: entry for entry in dataclasses.fields(kind)}


def _types_of(kind: type[RunConfig]) -> dict[str, Any]:
    return typing.get_type_hints(kind)


def convert(name: str, value: Any, kind: type[RunConfig] = PPOConfig) -> Any:
    """A value from YAML or the command line in the type of its setting.

    Raises:
        ConfigError: for an unknown name or a value of another type.
    """
    known = settings_of(kind)
    if name not in known:
        hint = did_you_mean(name, known) or f"; settings are {', '.join(known)}"
        raise ConfigError(f"unknown setting {name!r}{hint}")
    wanted = _types_of(kind)[name]
    kinds = typing.get_args(wanted) if isinstance(wanted, types.UnionType) else (wanted,)
    for one in kinds:
        base = typing.get_origin(one) or one
        if base is float and isinstance(value, (int, float, str)) and not isinstance(value, bool):
            try:  # YAML reads 1e-3 as a text
                number = float(value)
            except (ValueError, OverflowError):
                continue
            if math.isfinite(number):
                return number
            continue
        if base is int and isinstance(value, float) and value.is_integer():
            return int(value)
        if isinstance(value, base) and (base is bool or not isinstance(value, bool)):
            return value
    name_of = {int: "a whole number", float: "a number", bool: "true or false", str: "a text"}
    allowed = " or ".join(name_of.get(one, "settings") for one in kinds)
    raise ConfigError(f"{name} is {value!r}; allowed: {allowed}")


@overload
def make_config(values: Mapping[str, Any]) -> PPOConfig: ...


@overload
def make_config(values: Mapping[str, Any], kind: type[C]) -> C: ...


def make_config(values: Mapping[str, Any], kind: type[RunConfig] = PPOConfig) -> RunConfig:
    """A configuration from values by name; the others stand at their default.

    Raises:
        ConfigError: for an unknown name or an impossible value.
    """
    return kind(**{name: convert(name, value, kind) for name, value in values.items()})


def read_yaml(path: str | Path, kind: type[RunConfig] = PPOConfig) -> dict[str, Any]:
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
    except UNREADABLE as error:
        raise ConfigError(f"{str(path)!r} is not YAML: {' '.join(str(error).split())}") from None
    if values is None:
        return {}
    if not isinstance(values, dict):
        raise ConfigError(f"{str(path)!r} holds no settings; write lines like 'width: 256'")
    try:
        return {str(name): convert(str(name), value, kind) for name, value in values.items()}
    except ConfigError as error:
        raise ConfigError(f"{str(path)!r}: {error}") from None


class OneLineParser(argparse.ArgumentParser):
    """An argument parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong; nothing is printed here."""
        raise ConfigError(message)


@overload
def parse_arguments(arguments: Sequence[str] | None = None) -> tuple[PPOConfig, bool]: ...


@overload
def parse_arguments(arguments: Sequence[str] | None, kind: type[C]) -> tuple[C, bool]: ...


def parse_arguments(
    arguments: Sequence[str] | None = None, kind: type[RunConfig] = PPOConfig
) -> tuple[RunConfig, bool]:
    """The configuration of a command line, and whether the run is to be resumed.

    ``--config FILE`` is read first; ``--width 384`` and the like come on top.

    Raises:
        ConfigError: for anything that is wrong with it.
    """
    parser = OneLineParser(
        description=f"Train a policy for Differenzler by {kind.method} in self-play.",
        allow_abbrev=False,
    )
    parser.add_argument("--config", metavar="FILE", help="YAML file with settings")
    parser.add_argument("--resume", action="store_true", help="go on with the run of this name")
    for name, entry in settings_of(kind).items():
        parser.add_argument(
            "--" + name.replace("_", "-"),
            metavar=name.upper(),
            default=argparse.SUPPRESS,
            help=f"{entry.metadata['meaning']} (default {entry.default})".replace("%", "%%"),
        )
    parsed, unknown = parser.parse_known_args(arguments)
    if unknown:
        known = ["--" + name.replace("_", "-") for name in ("config", "resume", *settings_of(kind))]
        option = unknown[0].partition("=")[0]
        raise ConfigError(f"there is no option {option!r}{did_you_mean(option, known)}")
    given = vars(parsed)
    path, resume = given.pop("config"), given.pop("resume")
    values = read_yaml(path, kind) if path else {}
    for name, text in given.items():
        value = text
        if _types_of(kind)[name] is not str:
            try:
                value = yaml.safe_load(text)
            except UNREADABLE:
                raise ConfigError(f"{name} is {text!r}, which cannot be read") from None
        values[name] = convert(name, value, kind)
    return make_config(values, kind), resume
