"""Foundation: files that are whole or not there. Written aside, then renamed."""

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
        OSError: if it cannot be written or renamed.
    """
    target = Path(path)
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        yield temporary
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)
