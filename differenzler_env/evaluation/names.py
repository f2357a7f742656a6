"""Evaluation: what agents are called in a table. Short, and different where the agents are."""

from collections.abc import Sequence
from pathlib import PurePath

from ..errors import SpecError
from ..specs import split_spec

ENDING = ".safetensors"
DEFAULT = "?deterministic=true"
DEEPEST = 4
"""Parts of a path that a name may have."""


def short_names(specs: Sequence[str]) -> list[str]:
    """Names for the agents of a table: checkpoints by their file's name, without the folder, the
    ending and the option that is the default; all others as they are.

    Args:
        specs: different specs.

    Returns:
        As many different names; where files of one name lie in several folders, with as much of
        their folders as tells them apart.
    """
    names = list(specs)
    for parts in range(DEEPEST, 0, -1):
        shorter = [_shortened(spec, parts) for spec in specs]
        names = [
            short if shorter.count(short) == 1 else name
            for name, short in zip(names, shorter, strict=True)
        ]
    return names


def _shortened(spec: str, parts: int) -> str:
    try:
        name, _ = split_spec(spec)
    except SpecError:  # a callable's name may be anything
        return spec
    if not name.endswith(ENDING):
        return spec
    kept = PurePath(*PurePath(name).parts[-parts:])
    return str(kept).removesuffix(ENDING) + spec[len(name) :].removesuffix(DEFAULT)


def legend(specs: Sequence[str], names: Sequence[str]) -> list[str]:
    """A line for each name that is not the spec itself."""
    return [
        f"{name}: {spec.removesuffix(DEFAULT)}"
        for spec, name in zip(specs, names, strict=True)
        if name != spec
    ]
