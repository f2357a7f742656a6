"""Start of the command ``differenzler``: Ctrl-C ends it in one line while modules are loaded, too.

A module beside the package: to import anything of the package is what takes the second.
"""

import contextlib
import os
import signal
from types import FrameType


def main() -> int:
    """Loads and runs the command line; returns the exit status."""
    asked = signal.getsignal(signal.SIGINT)
    if asked is signal.default_int_handler:  # it is another where Ctrl-C is to be ignored
        signal.signal(signal.SIGINT, _leave)
    from differenzler_env.cli import main as run

    if asked is signal.default_int_handler:
        signal.signal(signal.SIGINT, asked)
    return run()


def _leave(number: int, frame: FrameType | None) -> None:
    # Nothing is open yet. An exception would stop inside of whichever library is being loaded, and
    # some of them answer it with one of their own.
    with contextlib.suppress(OSError):
        os.write(2, b"differenzler: interrupted\n")
    os._exit(130)
