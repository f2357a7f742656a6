"""A terminal for tests: a command in a pseudo-terminal of some size, typed at by a script."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

CONTROL = re.compile(
    rb"\x1b(\[[0-9;?<>=:$]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)|[P_][^\x1b]*\x1b\\|[()].|.)"
)


class Terminal:
    """`differenzler` with some arguments, at a terminal of so many columns and lines, which is its
    own: it is told when it closes."""

    def __init__(self, *arguments, columns=80, lines=24, own=True, **environment):
        self.master, slave = pty.openpty()
        self.resize(columns, lines)
        # These two would count for more than the size of the terminal.
        kept = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES")}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "differenzler_env", *map(str, arguments)],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**kept, "TERM": "xterm-256color", **environment},
            start_new_session=True,
            preexec_fn=(lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0)) if own else None,
        )
        os.close(slave)
        self.raw = b""
        self.seen = 0

    def resize(self, columns, lines):
        size = struct.pack("HHHH", lines, columns, 0, 0)
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, size)
        if hasattr(self, "process"):
            self.process.send_signal(signal.SIGWINCH)

    def type(self, text):
        os.write(self.master, text.encode())

    @property
    def text(self):
        """All that was written so far, without control sequences."""
        return CONTROL.sub(b"", self.raw).decode(errors="replace")

    def wait(self, pattern, seconds=120):
        """What was matched of what is written from now on, or since the last match."""
        until = time.monotonic() + seconds
        while True:
            found = re.search(pattern, self.text[self.seen :])
            if found:
                self.seen += found.end()
                return found.group()
            if not self.read(until):
                raise AssertionError(f"no {pattern!r} in {self.text[self.seen :][-3000:]!r}")

    def read(self, until):
        """More of what is written; False at the end of it, or when there is no time left."""
        ready, _, _ = select.select([self.master], [], [], max(0, until - time.monotonic()))
        try:
            more = os.read(self.master, 1 << 16) if ready else b""
        except OSError:  # Linux says so when nobody writes any more
            more = b""
        self.raw += more
        return bool(more)

    def finish(self, seconds=60):
        """The exit status, once all is written."""
        until = time.monotonic() + seconds
        while self.read(until):
            pass
        return self.process.wait(max(1, until - time.monotonic()))

    def close(self):
        """As a window closes."""
        if self.master >= 0:
            os.close(self.master)
        self.master = -1

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(OSError):
            self.process.kill()
        self.process.wait()
        self.close()
