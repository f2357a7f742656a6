"""Foundation: checkpoint files. One safetensors file with a JSON document in its header.

The document lies as text under the metadata key ``differenzler``. Nothing in a file is executed,
and a file is written under a temporary name and then renamed, so that a reader never meets half of
one.

Policies (``kind`` ``"policy"``) carry:

| key | value |
|---|---|
| ``format`` | version of this document, 1 |
| ``kind`` | ``"policy"``; ``"training"`` for what a run needs to resume |
| ``package`` | version of the package that wrote it |
| ``rules`` | list of the rule sets it is for, as ``Rules.to_dict`` |
| ``observation`` | observation version: the layout that the network reads |
| ``actions`` | size of the action space, 194 |
| ``network`` | shape of the network |
| ``training`` | how it was made: configuration, deals, seconds |
| ``strength`` | what was measured, if anything was |
"""

import json
import os
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .actions import NUM_ACTIONS
from .files import replacing
from .observation import LAYOUT, OBSERVATION_VERSION
from .rule_text import game_text
from .rules import Rules

FORMAT = 1
KEY = "differenzler"
"""Where the document lies in the metadata of the file's header."""

Tensors = dict[str, npt.NDArray[Any]]


class CheckpointError(ValueError):
    """A checkpoint that cannot be read or written, or is for something else; one line says why."""


def policy_document(
    rules: Rules,
    network: Mapping[str, Any],
    training: Mapping[str, Any] | None = None,
    strength: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The document of a policy for one rule set, with this package's versions filled in."""
    return {
        "format": FORMAT,
        "kind": "policy",
        "package": _package_version(),
        "rules": [rules.to_dict()],
        "observation": OBSERVATION_VERSION,
        "actions": NUM_ACTIONS,
        "network": dict(network),
        "training": dict(training or {}),
        "strength": dict(strength or {}),
    }


def save(path: str | Path, tensors: Mapping[str, npt.ArrayLike], document: Any) -> None:
    """Write a checkpoint: whole, or not at all.

    Args:
        path: where to; folders are made. An older file there is replaced at the end.
        tensors: arrays by name; any bool, integer or float type of NumPy.
        document: JSON values.

    Raises:
        CheckpointError: if it cannot be written; an older file there is untouched.
    """
    from safetensors.numpy import save as pack

    path = Path(path)
    arrays = {name: np.ascontiguousarray(array) for name, array in tensors.items()}
    data = pack(arrays, metadata={KEY: json.dumps(document, allow_nan=False)})
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as temporary, temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise CheckpointError(
            f"checkpoint {str(path)!r} could not be written: {error.strerror or error}"
        ) from None


def read(path: str | Path) -> tuple[Tensors, dict[str, Any]]:
    """The arrays and the document of a file, checked for form but not for what it is for.

    Raises:
        CheckpointError: if there is no such file, or it is damaged or no checkpoint.
    """
    from safetensors import SafetensorError, safe_open

    path = Path(path)
    if not path.is_file():
        raise CheckpointError(f"there is no checkpoint {str(path)!r}")
    try:
        with safe_open(path, framework="np") as file:
            header = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError, ValueError, TypeError, AttributeError) as error:
        reason = " ".join(str(error).split())
        raise CheckpointError(
            f"{str(path)!r} is cut short, or is not a safetensors file ({reason})"
        ) from None
    try:
        document = json.loads(header[KEY])
    except (KeyError, ValueError, RecursionError):
        raise CheckpointError(
            f"{str(path)!r} is a safetensors file, but no checkpoint of differenzler-env"
        ) from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        form = document.get("format") if isinstance(document, dict) else None
        raise CheckpointError(
            f"{str(path)!r} has checkpoint format {form}; this version reads format {FORMAT}"
        )
    return tensors, document


def load(path: str | Path, rules: Rules | None = None) -> tuple[Tensors, dict[str, Any]]:
    """Read a policy and check that it is for this observation and these rules.

    Args:
        path: a checkpoint file.
        rules: the rules it is to play by; ``deals`` and ``first_dealer`` don't count. None: any.

    Returns:
        The arrays by name, on the CPU, and the document.

    Raises:
        CheckpointError: if it is damaged, no policy, not of finite numbers, or for another
            observation or other rules.
    """
    tensors, document = read(path)
    for name, tensor in tensors.items():
        if tensor.dtype.kind != "f" or not np.isfinite(tensor).all():
            raise CheckpointError(
                f"{str(path)!r}: the weights {name!r} are not all finite numbers of a float type"
            )
    kind = document.get("kind")
    if kind != "policy":
        raise CheckpointError(f"{str(path)!r} is of kind {kind!r}; what plays is of kind 'policy'")
    if document.get("observation") != OBSERVATION_VERSION:
        raise CheckpointError(
            f"{str(path)!r} is for observation version {document.get('observation')}; this "
            f"version of the package observes in version {OBSERVATION_VERSION}"
        )
    if document.get("actions") != NUM_ACTIONS:
        raise CheckpointError(
            f"{str(path)!r} is for {document.get('actions')} actions; the action space has "
            f"{NUM_ACTIONS}"
        )
    trained = rule_sets(path, document)
    if rules is not None and not any(rules.same_game(entry) for entry in trained):
        names = " or ".join(game_text(entry) for entry in trained)
        raise CheckpointError(
            f"{str(path)!r} is for the rules {names}; the rules here are {game_text(rules)}"
        )
    return tensors, document


def rule_sets(path: str | Path, document: Mapping[str, Any]) -> list[Rules]:
    """The rule sets that a policy's document says it is for.

    Raises:
        CheckpointError: if they cannot be read.
    """
    entries = document.get("rules")
    if not isinstance(entries, list) or not entries:
        raise CheckpointError(
            f"{str(path)!r} names no rules: 'rules' is {entries!r}; allowed: a list of rule sets, "
            "at least one"
        )
    try:
        return [Rules.from_dict(entry) for entry in entries]
    except (KeyError, TypeError, ValueError) as error:
        raise CheckpointError(
            f"{str(path)!r} names rules that cannot be read: {fault_text(error)}"
        ) from None


def network_shape(path: str | Path, document: Mapping[str, Any]) -> dict[str, Any]:
    """The network's shape as a policy's document gives it: what ``PolicyNetwork`` is called with.

    Raises:
        CheckpointError: if it gives none, or its ``fields`` are not fields of the observation.
    """
    shape = document.get("network")
    if not isinstance(shape, dict):
        raise CheckpointError(
            f"{str(path)!r} holds no policy network: 'network' is {shape!r}; allowed: a mapping "
            "with its fields, players, width and blocks"
        )
    names, fields = [field.name for field in LAYOUT], shape.get("fields")
    if not isinstance(fields, list) or not fields or not all(name in names for name in fields):
        raise CheckpointError(
            f"{str(path)!r} holds no policy network: 'fields' is {fields!r}; allowed: a list of "
            f"some of {', '.join(names)}"
        )
    return shape


def fault_text(error: Exception) -> str:
    """What an error says of a document or its arrays, on one line; of a key, that it is missing."""
    if isinstance(error, KeyError):
        return f"{error.args[0]!r} is missing"
    return " ".join(str(error).split())


def _package_version() -> str:
    try:
        return metadata.version("differenzler-env")
    except metadata.PackageNotFoundError:  # a bare checkout
        return "unknown"
