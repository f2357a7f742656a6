"""Agents: from a text such as ``constant?bid=35`` to an agent. Errors are one line for the user."""

import importlib
import inspect
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from types import NoneType
from typing import Any, cast, get_args

import numpy as np

from ..checks import did_you_mean
from ..errors import SpecError, where_raised
from ..rule_text import get_rules, rules_text
from ..rules import Rules
from ..specs import split_spec
from ..view import PlayerView
from .base import Actions, Agent, Keys, Records
from .fields import FIELDS

RulesLike = str | Rules | None
POLICIES = "*.safetensors"

BUILT_IN = {
    "random": "differenzler_env.agents.baselines:RandomAgent",
    "constant": "differenzler_env.agents.baselines:ConstantAgent",
    "thumb": "differenzler_env.agents.baselines:ThumbAgent",
    "heuristic": "differenzler_env.agents.heuristic:HeuristicAgent",
    "search": "differenzler_env.agents.search:make_search",
}
"""Agents with a name of their own: name → ``module:factory``. Modules are imported on demand."""


def split_list(text: str) -> list[str]:
    """The specs of a list separated by commas, blanks trimmed.

    Raises:
        SpecError: if one of them is empty.
    """
    specs = [part.strip() for part in text.split(",")]
    if not all(specs):
        raise SpecError(f"{text!r} is not a list of agents separated by commas: a name is missing")
    return specs


def load(spec: str, rules: RulesLike = None) -> Agent:
    """The agent of a spec: a built-in name, a checkpoint file, or ``package.module:factory``.

    Args:
        spec: ``name?option=value&option=value``.
        rules: rules it is to play by; a text or None as in ``get_rules``.

    Raises:
        SpecError: if there is no such agent or an option is wrong.
        ValueError: if a checkpoint is damaged or made for other rules.
    """
    if not isinstance(spec, str):
        raise SpecError(f"an agent spec is a text such as 'thumb', not {type(spec).__name__}")
    rules = get_rules(rules)
    name, options = split_spec(spec)
    if name in BUILT_IN:
        return _make(spec.strip(), _factory(spec, BUILT_IN[name]), rules, options)
    if name.endswith(".safetensors"):
        return _checkpoint(spec, name, options, rules)
    if ":" in name:
        return _make(spec.strip(), _factory(spec, name), rules, options)
    raise SpecError(_unknown(name))


def load_field(
    field: str | Agent | Iterable[str | Agent], rules: RulesLike = None, *, more: bool = False
) -> list[Agent]:
    """The players − 1 opponents of a hero, from the hero's right-hand neighbour onward.

    Args:
        field: specs separated by commas, or a list of specs and agents. A single one, in a list or
            not, is repeated for the whole table. Equal specs share one agent. ``"@v0"`` is a named
            field.
        rules: rules of the table.
        more: a named field may hold more than players − 1 agents; they are to take turns.

    Raises:
        SpecError: if their number does not fit the table or one cannot be loaded.
    """
    rules = get_rules(rules)
    named = isinstance(field, str) and field.strip().startswith("@")
    given: list[Any]
    if isinstance(field, str):
        given = named_field(field) if named else split_list(field)
    else:
        given = list(field) if isinstance(field, Iterable) else [field]
    opponents = rules.players - 1
    if len(given) == 1:
        given = given * opponents
    if len(given) != opponents and not (named and more and len(given) > opponents):
        names = ",".join(entry if isinstance(entry, str) else _name_of(entry) for entry in given)
        needed = f"{opponents} opponents or one for all of them" if opponents > 1 else "1 opponent"
        raise SpecError(
            f"a table of {rules.players} seats needs {needed}; the field {names!r} has {len(given)}"
        )
    return share_agents(given, rules)


def named_field(name: str) -> list[str]:
    """The specs of a named field such as ``"@v0"``.

    Raises:
        SpecError: if there is none of that name; it lists the names.
    """
    specs = FIELDS.get(name.strip().removeprefix("@"))
    if specs is None:
        known = ", ".join(f"@{known}" for known in FIELDS)
        raise SpecError(f"there is no field {name.strip()!r}; fields are {known}")
    return list(specs)


def share_agents(given: Iterable[str | Agent], rules: Rules) -> list[Agent]:
    """Agents for specs and agents; equal specs are loaded once and shared."""
    loaded: dict[str, Agent] = {}
    agents = []
    for entry in given:
        if isinstance(entry, str):
            if entry not in loaded:
                loaded[entry] = load(entry, rules)
            agents.append(loaded[entry])
        else:
            agents.append(as_agent(entry, rules))
    return agents


def _name_of(player: Any) -> str:
    """What a user's player is called: its spec, its own name or that of its type."""
    name = getattr(player, "spec", "") or getattr(player, "__name__", type(player).__name__)
    return str(name)


class CallableAgent(Agent):
    """A function ``(view, rng) -> action`` as an agent.

    Args:
        rules: rules of the table.
        choose: the function.
        name: what the agent is called.
    """

    def __init__(
        self, rules: Rules, choose: Callable[[PlayerView, np.random.Generator], int], name: str
    ) -> None:
        super().__init__(rules)
        self.spec, self._choose = name, choose

    def act(self, view: PlayerView, rng: np.random.Generator) -> int:
        """The function's action."""
        return self._choose(view, rng)


class CallableBatchAgent(Agent):
    """A function ``(views, keys) -> actions`` as an agent; arguments as :class:`CallableAgent`."""

    def __init__(self, rules: Rules, choose: Callable[[Records, Keys], Actions], name: str) -> None:
        super().__init__(rules)
        self.spec, self._choose = name, choose

    def act_batch(self, views: Records, keys: Keys) -> Actions:
        """The function's actions."""
        return self._choose(views, keys)


def as_agent(player: Any, rules: RulesLike = None) -> Agent:
    """An agent from an agent, a spec, an object with ``act`` or ``act_batch``, or a callable
    ``(view, rng) -> action``.

    Raises:
        SpecError: if it is none of these, or an agent that plays another game than ``rules``.
    """
    rules = get_rules(rules)
    if isinstance(player, Agent):
        if not player.rules.same_game(rules):
            raise SpecError(
                f"agent {player.spec} plays by {rules_text(player.rules)}; the table's rules are "
                f"{rules_text(rules)}"
            )
        return player
    if isinstance(player, str):
        return load(player, rules)
    if not inspect.isclass(player):
        name = _name_of(player)
        if callable(getattr(player, "act_batch", None)):
            return CallableBatchAgent(rules, player.act_batch, name)
        if callable(getattr(player, "act", None)):
            return CallableAgent(rules, player.act, name)
        if callable(player):
            return CallableAgent(rules, player, name)
    raise SpecError(
        "an agent is a spec such as 'thumb', an object with act or act_batch, or a callable "
        f"(view, rng) -> action, not {player!r}"
    )


def find_file(name: str) -> Path:
    """Where a file such as ``models/NAME`` is: as given, else among the package's own models.

    Raises:
        SpecError: if it is in neither place.
    """
    try:
        path = Path(name).expanduser()
        if path.is_file():
            return path
    except (RuntimeError, OSError, ValueError) as error:  # no such home, a name too long
        raise SpecError(f"no file can be called {name!r}: {_line(error)}") from None
    places = [path]
    if not path.is_absolute() and len(path.parts) > 1 and path.parts[0] == "models":
        package = Path(__file__).resolve().parents[1]
        # Installed wheels carry the models inside the package; a checkout has them beside it.
        places += [package / path, package.parent / path]
    for place in places[1:]:
        if place.is_file():
            return place
    beside = {
        str(path.with_name(file.name)) for place in places for file in place.parent.glob(POLICIES)
    }
    raise SpecError(f"there is no file {name!r}{did_you_mean(str(path), sorted(beside))}")


def _checkpoint(spec: str, name: str, options: dict[str, str], rules: Rules) -> Agent:
    for option in options:
        if option != "deterministic":
            raise SpecError(f"{spec!r}: a checkpoint has no option {option!r}, only deterministic")
    deterministic = _as_bool(spec, "deterministic", options.get("deterministic", "true"))
    path = find_file(name)
    from .network_agent import load_network  # on demand: its kernels take time to load

    agent = load_network(path, rules, deterministic=deterministic)
    agent.spec = f"{name}?deterministic={str(deterministic).lower()}"
    agent.from_spec = True
    return agent


def _factory(spec: str, address: str) -> Callable[..., Any]:
    module_name, _, attribute = address.partition(":")
    if not module_name or not attribute:
        raise SpecError(f"{spec!r}: a factory of your own is written package.module:factory")
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name and (module_name + ".").startswith(error.name + "."):
            raise SpecError(f"{spec!r}: there is no module {error.name!r}") from None
        raise SpecError(f"{spec!r}: module {module_name!r} needs {error.name!r}") from None
    except (Exception, SystemExit) as error:
        where = "" if isinstance(error, SyntaxError) else where_raised(error)  # it names its line
        raise SpecError(
            f"{spec!r}: importing {module_name!r} failed: {type(error).__name__}: "
            f"{_line(error)}{where}"
        ) from error
    factory: Any = module
    for part in attribute.split("."):
        factory = getattr(factory, part, None)
    if not callable(factory):
        raise SpecError(f"{spec!r}: module {module_name!r} has no factory {attribute!r}")
    return cast(Callable[..., Any], factory)


def _make(spec: str, factory: Callable[..., Any], rules: Rules, options: dict[str, str]) -> Agent:
    try:
        signature = inspect.signature(factory, eval_str=True)
    except (TypeError, ValueError, NameError):
        values = {name: _guess(value) for name, value in options.items()}
    else:
        values = _options_of(spec, signature, options)
        try:
            signature.bind(rules, **values)
        except TypeError as error:
            raise SpecError(
                f"{spec!r}: a factory is called with the rules and its options, as in "
                f"def factory(rules, bid=35); {error}"
            ) from None
    try:
        made = factory(rules, **values)
        agent = as_agent(made, rules)
    except SpecError as error:
        raise SpecError(f"{spec!r}: {_line(error)}") from None
    except (Exception, SystemExit) as error:
        kind = "" if type(error) is ValueError else f"{type(error).__name__}: "
        raise SpecError(f"{spec!r}: {kind}{_line(error)}{where_raised(error)}") from error
    agent.spec, agent.from_spec = spec, True
    return agent


def _options_of(spec: str, signature: inspect.Signature, options: dict[str, str]) -> dict[str, Any]:
    parameters = list(signature.parameters.values())
    open_ended = any(entry.kind is entry.VAR_KEYWORD for entry in parameters)
    named = {
        entry.name: entry
        for entry in parameters[1:]
        if entry.kind in (entry.POSITIONAL_OR_KEYWORD, entry.KEYWORD_ONLY)
    }
    values = {}
    for name, text in options.items():
        if name not in named and not open_ended:
            known = f"its options are {', '.join(named)}" if named else "it has none"
            raise SpecError(f"{spec!r} has no option {name!r}; {known}")
        wanted = _type_of(named[name]) if name in named else inspect.Parameter.empty
        kinds = [kind for kind in get_args(wanted) if kind is not NoneType]
        wanted = kinds[0] if len(kinds) == 1 else wanted  # the int of int | None
        values[name] = _convert(spec, name, text, wanted)
    return values


def _type_of(parameter: inspect.Parameter) -> Any:
    """The declared type of an option, else that of its default; a whole number may stand for any
    number there."""
    if parameter.annotation is not parameter.empty:
        return parameter.annotation
    kind = type(parameter.default)
    return {bool: bool, str: str, int: int | float, float: float}.get(kind, parameter.empty)


def _convert(spec: str, option: str, text: str, wanted: Any) -> Any:
    if wanted is bool:
        return _as_bool(spec, option, text)
    if wanted is str:
        return text
    if wanted in (int, float, int | float):
        try:
            if not text.isascii() or "_" in text:
                raise ValueError
            return _number(text) if wanted == int | float else wanted(text)
        except ValueError:
            kind = "a whole number" if wanted is int else "a number"
            raise SpecError(f"{spec!r}: {option} is {kind}, not {text!r}") from None
    return _guess(text)


def _as_bool(spec: str, option: str, text: str) -> bool:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    raise SpecError(f"{spec!r}: {option} is true or false, not {text!r}")


def _guess(text: str) -> Any:
    """A value without a declared type: a bool or number where it reads as one, else the text."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    try:
        return _number(text)
    except ValueError:
        return text


def _number(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        return float(text)


def _unknown(name: str) -> str:
    path, known = Path(name), ", ".join(BUILT_IN)
    if os.path.isdir(path):  # unlike is_dir, it takes any text
        inside = sorted(map(str, path.glob(POLICIES)))
        hint = did_you_mean(str(path / "policy.safetensors"), inside)
        return f"{name!r} is a folder, not an agent{hint}"
    if path.suffix == ".py":
        module = ".".join(path.with_suffix("").parts)
        return f"{name!r} is not an agent: a factory of your own in it is {module}:FACTORY"
    if os.sep in name or path.suffix:
        return f"{name!r} is not an agent: checkpoints are .safetensors files; names are {known}"
    return (
        f"there is no agent {name!r}; an agent is one of {known}, a checkpoint FILE.safetensors "
        f"or package.module:factory{did_you_mean(name, BUILT_IN)}"
    )


def _line(error: BaseException) -> str:
    """The message of an error on one line."""
    return " ".join(str(error).split()) or type(error).__name__
