"""Foundation: files that are whole or not there. Written aside, then renamed."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary path beside ``path`` to write to.

    It is renamed to ``path`` when the block ends well. After an error or an interruption it is
    gone, and an older file at ``path`` is as it was.

    Raises:
        OSError: if it cannot be written or renamed, or if a pipe, a device or the like stands
            there: a rename would put a plain file in its place.
    """
    target = Path(path)
    if target.exists() and not (target.is_file() or target.is_dir()):
        raise OSError(errno.EINVAL, "not a plain file, so it is not replaced", str(target))
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        yield temporary
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)
