"""Foundation: specs, the texts that name something with options: ``search?worlds=200&seed=1``."""

from urllib.parse import unquote

from .errors import SpecError


def split_spec(spec: str) -> tuple[str, dict[str, str]]:
    """Name and options of ``name?option=value&option=value``; values are percent-decoded.

    Raises:
        SpecError: if it is not of that form or gives an option twice.
    """
    name, mark, tail = spec.strip().partition("?")
    if not name:
        raise SpecError(f"{spec!r} has no name before the ?" if mark else "a name is missing")
    options: dict[str, str] = {}
    for part in tail.split("&") if mark else ():
        option, equals, value = part.partition("=")
        if not option or not equals:
            raise SpecError(f"{spec!r}: options look like name?option=value&option=value")
        if option in options:
            raise SpecError(f"{spec!r} gives option {option!r} twice")
        options[option] = unquote(value)
    return name, options
