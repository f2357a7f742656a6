"""Command line: what the commands that show a table share."""

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..play.app import TableApp


def parse_show(text: str, players: int) -> int | str:
    """What is shown: ``"open"``, ``"none"`` or a seat.

    Raises:
        ValueError: for anything else.
    """
    if text in ("open", "none"):
        return text
    if text.isascii() and text.isdigit() and int(text) < players:
        return int(text)
    raise ValueError(f"show is {text!r}; allowed: open, none, or a seat from 0 to {players - 1}")


def check_pace(pace: float) -> None:
    """Refuse a pace that is none.

    Raises:
        ValueError: for less than no time, or more than an hour.
    """
    if not 0 <= pace <= 3600:
        raise ValueError(f"pace is {pace:g}; allowed: 0 to 3600 seconds")


def on_terminal() -> bool:
    """Whether somebody sits at a terminal that can show a screen."""
    streams = (sys.stdin, sys.stdout)
    there = all(stream is not None and stream.isatty() for stream in streams)
    return there and os.environ.get("TERM") not in ("dumb", None)


def need_textual() -> None:
    """Before a match begins: the table can be shown.

    Raises:
        ValueError: without Textual; it says what to install.
    """
    try:
        from ..play import app  # noqa: F401 (whether it can be)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "textual":
            raise
        raise ValueError(
            "the table on the screen needs Textual: pip install 'differenzler-env[play]'; "
            "--plain plays line by line without it"
        ) from None


def run_app(app: "TableApp") -> None:
    """Show a table on the screen until it is left; an error that ended it is raised."""
    app.run()
    if app.error is not None:
        raise app.error
