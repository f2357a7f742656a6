"""Engine: how kernels are compiled. The one ``jit`` of the package, its cache, and bit tricks.

Kernels are plain Python functions over integers and record arrays that Numba compiles. Bit boards
of 36 cards are ``int64`` throughout: Numba turns ``uint64`` mixed with ``int64`` into ``float64``,
which is wrong above 53 bits. Random words, which need all 64 bits, are ``u64`` throughout.

With ``NUMBA_DISABLE_JIT=1`` the same functions run uncompiled and play the same games; each
intrinsic has a Python twin for that.
"""

import contextlib
import glob
import hashlib
import os
import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar, cast

import llvmlite.binding as llvm
import numba
import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba.core import config
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.extending import intrinsic

Integer = Any
"""An integer in a kernel; Numba infers the width."""
Record = Any
"""One record of a structured array, as a kernel is given it."""
Array = npt.NDArray[Any]
Function = TypeVar("Function", bound=Callable[..., Any])

COMPILED = not config.DISABLE_JIT  # type: ignore[attr-defined]
"""False under ``NUMBA_DISABLE_JIT=1``."""


_PACKAGE = Path(__file__).resolve().parent.parent
_CONSTANTS = ("actions.py", "cards.py", "rules.py")
"""Sources of the package's own folder without kernels, from which kernels read constants."""


@lru_cache
def _digest(folder: Path) -> str:
    """A digest of all that the kernels of a folder may depend on: its own sources with kernels and
    those of the rooms below it; a folder that is no room of kernels, such as that of a script, may
    call those of agents too.

    Numba's own cache stamp covers only the file a function stands in; constants and helpers
    imported from elsewhere would go stale in the cache.
    """
    engine = _PACKAGE / "engine"
    sources = [*engine.glob("*.py"), *(_PACKAGE / name for name in _CONSTANTS)]
    if folder != engine:
        sources += _PACKAGE.glob("*.py")
    if folder not in (engine, _PACKAGE):
        sources += [*(_PACKAGE / "agents").glob("*.py"), *folder.glob("*.py")]
    digest = hashlib.sha256()
    for source in sorted(set(sources)):
        text = source.read_bytes()
        if (
            re.search(rb"^@(jit|inlined)$", text, re.MULTILINE)
            or source.name in _CONSTANTS
            or source.parent == engine
        ):
            digest.update(source.name.encode() + b"\0" + text + b"\0")
    return digest.hexdigest()


class _KernelCache(FunctionCache):
    """Numba's file cache, its files named by the digest too; a damaged file counts as absent."""

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        digest = _digest(Path(function.__code__.co_filename).resolve().parent)
        # Numba's name is of function, line and Python: "rows.step_rows-34.py311".
        self._base = f"{self._impl.filename_base}.{digest[:16]}"
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = IndexDataCacheFile(self._cache_path, self._base, stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # a truncated or raced cache file: compile anew, whatever it raised
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
            self._drop_others()
        except Exception:
            # A full disk, or an index that another process has left unreadable: drop the index, so
            # that the next save starts it anew. The cache is a convenience.
            with contextlib.suppress(OSError):
                os.unlink(self._cache_file._index_path)

    def _drop_others(self) -> None:
        """Remove what was compiled of this kernel from other sources, for this Python: a checkout
        would gather such files with each edit."""
        function, place = self._impl.filename_base.rsplit("-", 1)
        python = place.partition(".")[2]
        for path in Path(self._cache_path).glob(f"{glob.escape(function)}-*.{python}.*nb[ic]"):
            if not path.name.startswith(f"{self._base}."):
                with contextlib.suppress(OSError):
                    path.unlink()


def jit(function: Function, forceinline: bool = False) -> Function:
    """Compile a kernel: nopython, GIL released, cached on disk where that can be written.

    Nothing is ever divided by zero here; ``error_model`` spares the test, and with it the way out
    on which Numba would have to count references.
    """
    if not COMPILED:
        return function
    options = {"nogil": True, "error_model": "numpy", "forceinline": forceinline}
    dispatcher: Any = cast(Any, numba.njit)(**options)(function)
    # A RuntimeError means that there is no writable place for a cache.
    with contextlib.suppress(RuntimeError):
        dispatcher._cache = _KernelCache(function)
    return cast(Function, dispatcher)


def inlined(function: Function) -> Function:
    """As :func:`jit`, for a kernel that is so short, or called so often, that each of its callers
    takes it in whole."""
    return jit(function, forceinline=True)


def _deposits_bits() -> bool:
    """Whether the processor that kernels are compiled for puts bits in place (BMI2) in a few
    cycles; the first ones that could took hundreds."""
    if config.CPU_NAME is not None or config.CPU_FEATURES is not None:  # type: ignore[attr-defined]
        return "+bmi2" in (config.CPU_FEATURES or "")  # type: ignore[attr-defined]
    slow = llvm.get_host_cpu_name() in ("bdver4", "znver1", "znver2")
    return not slow and bool(llvm.get_host_cpu_features().get("bmi2"))


def _popcount_twin(value: Integer) -> Integer:
    """The number of set bits of an int64."""
    return int(value).bit_count()


def _lowest_bit_twin(value: Integer) -> Integer:
    """The index of the lowest set bit of an int64; the value must not be 0."""
    value = int(value)
    return (value & -value).bit_length() - 1


def _nth_bit_twin(value: Integer, number: Integer) -> Integer:
    """The index of a set bit of an int64, the set bits numbered from 0 upwards."""
    for _ in range(number):
        value &= value - 1
    return lowest_bit(value)


def _wrap_twin(value: Integer) -> Integer:
    """A u64 kept to 64 bits; compiled arithmetic wraps by itself."""
    return value & 0xFFFF_FFFF_FFFF_FFFF


def _emit_popcount(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
    return builder.ctpop(arguments[0])


def _emit_lowest_bit(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
    never_zero = context.get_constant(numba.boolean, True)
    return builder.cttz(arguments[0], never_zero)


def _emit_nth_bit(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
    word = ir.IntType(64)
    deposit = builder.module.declare_intrinsic(
        "llvm.x86.bmi.pdep.64", (), ir.FunctionType(word, [word, word])
    )
    value, number = arguments
    bit = builder.call(deposit, [builder.shl(ir.Constant(word, 1), number), value])
    return builder.cttz(bit, context.get_constant(numba.boolean, True))


def _popcount_typed(_typing: Any, value: Any) -> Any:
    return numba.int64(numba.int64), _emit_popcount


def _lowest_bit_typed(_typing: Any, value: Any) -> Any:
    return numba.int64(numba.int64), _emit_lowest_bit


def _nth_bit_typed(_typing: Any, value: Any, number: Any) -> Any:
    return numba.int64(numba.int64, numba.int64), _emit_nth_bit


def _wrap_compiled(value: Integer) -> Integer:
    return value


u64: Any = np.uint64 if COMPILED else int
"""Makes a 64-bit random word."""
popcount: Any = intrinsic(_popcount_typed) if COMPILED else _popcount_twin
lowest_bit: Any = intrinsic(_lowest_bit_typed) if COMPILED else _lowest_bit_twin
if COMPILED and _deposits_bits():
    nth_bit: Any = intrinsic(_nth_bit_typed)
else:
    nth_bit = inlined(_nth_bit_twin)
wrap: Any = inlined(_wrap_compiled) if COMPILED else _wrap_twin
