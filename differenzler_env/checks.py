"""Foundation: what users give and is checked everywhere alike: whole numbers, seats, words, seeds,
arrays to write on."""

import difflib
import secrets
from collections.abc import Collection, Iterable
from typing import Any, TypeGuard

import numpy as np
import numpy.typing as npt

MAX_SEED = (1 << 128) - 1


def is_integer(value: object) -> TypeGuard[int | np.integer]:
    """Whether a value is a Python int or a NumPy integer; bools and time differences are not."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool | np.timedelta64)


def one_of(name: str, value: Any, allowed: Collection[str]) -> str:
    """A setting that is one of some words.

    Raises:
        ValueError: for anything else; it names the setting and the words.
    """
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name} is {value!r}; allowed: {', '.join(allowed)}")
    return value


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown word: ``"; did you mean 'thumb'?"``, or nothing where
    no known word is close to it."""
    close = difflib.get_close_matches(word, list(known), n=1, cutoff=0.7)
    return f"; did you mean {close[0]!r}?" if close else ""


def seat_number(seat: Any, players: int) -> int:
    """A seat at a table of so many players, as a Python int.

    Raises:
        ValueError: unless it is an integer from 0 to players − 1.
    """
    if not is_integer(seat) or not 0 <= seat < players:
        raise ValueError(f"seat is {seat!r}; allowed: 0 to {players - 1}")
    return int(seat)


def seed_words(seed: Any) -> tuple[int, int]:
    """A seed as two 64-bit words.

    Raises:
        ValueError: unless it is an integer with 0 ≤ seed < 2¹²⁸.
    """
    if not is_integer(seed) or not 0 <= seed <= MAX_SEED:
        raise ValueError(f"seed is {seed!r}; allowed: an integer from 0 to 2**128 - 1, or None")
    return int(seed) & 0xFFFF_FFFF_FFFF_FFFF, int(seed) >> 64


def typed_seed(seed: int | None) -> int:
    """A seed that people can type again: the one given, or for ``None`` 32 bits drawn from the
    operating system. Seeds that nobody is shown have all 128, as in :class:`Batch`.

    Raises:
        ValueError: unless it is an integer with 0 ≤ seed < 2¹²⁸.
    """
    if seed is None:
        return secrets.randbits(32)
    seed_words(seed)  # raises unless it is a seed
    return int(seed)


def output_array(out: Any, shape: tuple[int, ...], dtype: Any) -> npt.NDArray[Any]:
    """The array to write on: that of an ``out=`` argument, a fresh one where it is ``None``.

    Raises:
        ValueError: unless it is a writeable array of that shape and type.
    """
    if out is None:
        return np.empty(shape, dtype)
    if not isinstance(out, np.ndarray):
        given = repr(out)
    elif out.shape == shape and out.dtype == dtype and out.flags.writeable:
        return out
    else:
        kind = "" if out.flags.writeable else "read-only, "
        given = f"{kind}of {out.dtype} and shape {out.shape}"
    raise ValueError(
        f"out is {given}; allowed: a writeable array of {np.dtype(dtype)} and shape {shape}"
    )
