"""Adapters: the environments in the forms of other libraries. Each is imported on demand."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ..rule_text import get_rules
from ..rules import Rules


def given_rules(rules: Rules | str | Mapping[str, Any] | None) -> Rules:
    """Rules as a library's settings hold them: themselves, a name, ``Rules.to_dict()`` or None for
    the default.

    Raises:
        ValueError: for an unknown name or setting, or an impossible value.
    """
    return Rules.from_dict(rules) if isinstance(rules, Mapping) else get_rules(rules)


@contextmanager
def needed(extra: str) -> Iterator[None]:
    """Around the imports of a library: where it is missing, the error says on one line what to
    install.

    Args:
        extra: the extra of this package that brings the library.

    Raises:
        ModuleNotFoundError: if an import fails.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        library = str(error.name).partition(".")[0]
        raise ModuleNotFoundError(
            f"this adapter needs {library}: pip install 'differenzler-env[{extra}]'", name=library
        ) from None
