"""Engine: how kernels are compiled. The one ``jit`` of the package, its cache, and bit tricks.

Kernels are plain Python functions over integers and record arrays that Numba compiles. Bit boards of
36 cards are ``int64`` throughout: Numba turns ``uint64`` mixed with ``int64`` into ``float64``, which
is wrong above 53 bits. Random words, which need all 64 bits, are ``u64`` throughout.

With ``NUMBA_DISABLE_JIT=1`` the same functions run uncompiled and play the same games; each intrinsic
has a Python twin for that.
"""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
from numba.core.caching import FunctionCache
from numba.extending import intrinsic

Function = TypeVar("Function", bound=Callable[..., Any])

COMPILED = not numba.config.DISABLE_JIT
"""False under ``NUMBA_DISABLE_JIT=1``."""


def _kernel_digest() -> str:
    """A digest of all sources that hold kernels or the constants they read.

    Numba's own cache stamp covers only the file a function stands in; constants and helpers
    imported from elsewhere would go stale in the cache.
    """
    package = Path(__file__).resolve().parent.parent
    digest = hashlib.sha256()
    for folder in (package, package / "engine", package / "agents"):
        for source in sorted(folder.glob("*.py")):
            digest.update(source.name.encode() + b"\0" + source.read_bytes() + b"\0")
    return digest.hexdigest()


DIGEST = _kernel_digest()


class _KernelCache(FunctionCache):  # type: ignore[misc]
    """Numba's file cache, its key widened by the digest; a damaged file counts as absent."""

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        return (*super()._index_key(sig, codegen), DIGEST)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # a truncated or raced cache file: compile anew, whatever it raised
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except Exception:
            # A full disk, or an index that another process has left unreadable: drop the index, so
            # that the next save starts it anew. The cache is a convenience.
            try:
                os.unlink(self._cache_file._index_path)
            except OSError:
                pass


def jit(function: Function) -> Function:
    """Compile a kernel: nopython, GIL released, cached on disk where that can be written."""
    if not COMPILED:
        return function
    dispatcher = numba.njit(nogil=True)(function)
    try:
        dispatcher._cache = _KernelCache(function)
    except RuntimeError:  # no writable place for the cache
        pass
    return dispatcher  # type: ignore[no-any-return]


if COMPILED:
    u64 = np.uint64

    @intrinsic  # type: ignore[untyped-decorator]
    def popcount(_typing: Any, value: Any) -> Any:
        """The number of set bits of an int64."""

        def emit(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            return builder.ctpop(arguments[0])

        return numba.int64(numba.int64), emit

    @intrinsic  # type: ignore[untyped-decorator]
    def lowest_bit(_typing: Any, value: Any) -> Any:
        """The index of the lowest set bit of an int64; the value must not be 0."""

        def emit(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            not_zero = context.get_constant(numba.boolean, True)
            return builder.cttz(arguments[0], not_zero)

        return numba.int64(numba.int64), emit

    @jit
    def wrap(value: Any) -> Any:
        """A u64 kept to 64 bits; compiled arithmetic wraps by itself."""
        return value

else:
    u64 = int  # type: ignore[misc,assignment]

    def popcount(value: int) -> int:
        return int(value).bit_count()

    def lowest_bit(value: int) -> int:
        value = int(value)
        return (value & -value).bit_length() - 1

    def wrap(value: int) -> int:
        return value & 0xFFFF_FFFF_FFFF_FFFF
