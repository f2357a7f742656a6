"""Environments: all or nothing. What puts an environment back as it was."""

from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy


@contextmanager
def undone_on_failure(env: object, games: str, *others: str) -> Iterator[None]:
    """Put an environment back as it was where an opponent fails, or the user interrupts it.

    Args:
        env: the environment.
        games: name of its attribute with the game or batch, which is played on in place: a copy is
            kept. ``None`` before the first reset.
        others: names of attributes that are replaced, never changed in place.
    """
    before = {name: getattr(env, name) for name in others} | {games: copy(getattr(env, games))}
    try:
        yield
    except BaseException:
        for name, value in before.items():
            setattr(env, name, value)
        raise
