"""Command line: finds the command, runs it, and says what went wrong in one line.

Exit status: 0 done, 2 bad input, 1 another failure, 130 interrupted.
"""

import dataclasses
import errno
import io
import os
import sys
import traceback
from collections.abc import Sequence
from contextlib import redirect_stderr
from pathlib import Path
from typing import Annotated, Any, Union

import tyro

from .. import __version__
from ..checks import did_you_mean
from ..errors import RecordError
from .analyse import Analyse
from .bench import Bench
from .deal import Deal
from .evaluate import Evaluate
from .export import Export
from .failure import CommandError
from .film import Film
from .perft import Perft
from .play import Play
from .replay import Replay
from .selfplay import Selfplay
from .tournament import Tournament
from .watch import Watch

PROGRAM = "differenzler"
COMMANDS = {
    "evaluate": Evaluate,
    "tournament": Tournament,
    "play": Play,
    "watch": Watch,
    "deal": Deal,
    "replay": Replay,
    "film": Film,
    "analyse": Analyse,
    "perft": Perft,
    "selfplay": Selfplay,
    "export": Export,
    "bench": Bench,
}
"""Name → dataclass of its arguments, whose ``run()`` does the work."""

PLAIN_TYPES: dict[Any, tuple[type, str]] = {
    int: (int, "a whole number"),
    float: (float, "a number"),
    int | None: (int, "a whole number"),
    float | None: (float, "a number"),
    str | None: (str, "a text"),
    Path | None: (Path, "a path"),
}
"""Types of options → what one is when it is given. With tyro's own rule help would say that the
word None may be written where an option may be left out, and errors would be Python's."""

NO_INPUT = {errno.ENOENT, errno.EISDIR, errno.ENOTDIR, errno.ENAMETOOLONG, errno.ELOOP}
"""What the system says of a path that leads to no file: bad input."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns the exit status.

    Args:
        arguments: as typed after ``differenzler``; None takes them from ``sys.argv``.
    """
    if sys.stderr is None:  # it was closed
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without an ellipsis is no failure
    if os.environ.get("COLUMNS") == "0":  # the width is not known; rich would print nothing
        del os.environ["COLUMNS"]
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())  # agents of one's own: package.module:factory
    command = None
    try:
        command = parse(sys.argv[1:] if arguments is None else list(arguments))
        if isinstance(command, int):
            return command
        command.run()
        if sys.stdout is not None:  # it is None where it was closed
            sys.stdout.flush()
    except KeyboardInterrupt:
        return _fail(f"interrupted{_going_on(command)}", 130)
    except BrokenPipeError:
        # Whoever read our output, such as head, has stopped: nothing more is said, even at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except RecordError as error:
        file = getattr(command, "file", None)  # in which the lines are counted
        return _fail(f"{file}: {error}" if file else error, 2)
    except ValueError as error:
        return _fail(error, 2)
    except CommandError as error:
        return _fail(str(error), 1)
    except OSError as error:
        return _fail(error, 2 if error.errno in NO_INPUT else 1)
    except Exception as error:
        return _fail(error, 1)
    return 0


def _going_on(command: Any) -> str:
    """How an interrupted command goes on where it stopped, if it does."""
    if not isinstance(command, Evaluate | Tournament):
        return ""
    if command.resume is None:
        return "; with --resume FILE what has been played is kept"
    return f"; the same command goes on from {command.resume}"


def parse(arguments: list[str]) -> Any:
    """The command with its arguments, or an exit status where there is nothing to run."""
    name = arguments[0] if arguments else ""
    if name == "--version":
        print(f"{PROGRAM} {__version__}")
        return 0
    if name not in COMMANDS and name not in ("-h", "--help"):
        known = ", ".join(COMMANDS)
        if not name:
            return _fail(f"a command is missing; commands are {known}; see {PROGRAM} --help", 2)
        hint = did_you_mean(name, COMMANDS)
        return _fail(f"there is no command {name!r}; commands are {known}{hint}", 2)
    kinds = tuple(Annotated[kind, tyro.conf.subcommand(name)] for name, kind in COMMANDS.items())
    choice: Any = Union[kinds]  # noqa: UP007 (made at run time)
    said = io.StringIO()
    registry = tyro.constructors.ConstructorRegistry()
    registry.primitive_rule(_plain_type)
    try:
        with redirect_stderr(said), registry:
            return tyro.cli(
                choice,
                prog=PROGRAM,
                description="Differenzler: measure agents, look at deals and games.",
                args=arguments,
                config=(tyro.conf.OmitSubcommandPrefixes, tyro.conf.OmitArgPrefixes),
            )
    except SystemExit as stop:
        if not stop.code:
            return 0
        wrong = unknown_option(arguments[1:], COMMANDS[name]) or usage_error(said.getvalue())
        end = " See" if wrong.endswith("?") else "; see"
        return _fail(f"{wrong}{end} {PROGRAM} {name} --help", 2)


def unknown_option(arguments: Sequence[str], command: type) -> str:
    """What is wrong with the first option that a command does not have; nothing if it has all."""
    known = ["--" + field.name.replace("_", "-") for field in dataclasses.fields(command)]
    for argument in arguments:
        option = argument.partition("=")[0].replace("_", "-")
        if option.startswith("--") and option.replace("--no-", "--") not in (*known, "--help"):
            return f"there is no option {option!r}{did_you_mean(option, known)}"
    return ""


def _plain_type(info: Any) -> Any:
    """Tyro's rule for the types of :data:`PLAIN_TYPES`."""
    if info.type not in PLAIN_TYPES:
        return None
    kind, allowed = PLAIN_TYPES[info.type]

    def read(words: list[str]) -> Any:
        try:
            return kind(words[0])
        except ValueError:
            raise ValueError(f"{words[0]!r} is not {allowed}") from None

    return tyro.constructors.PrimitiveConstructorSpec(
        nargs=1,
        metavar=kind.__name__.upper(),
        instance_from_str=read,
        is_instance=lambda value: value is None or isinstance(value, kind),
        str_from_instance=lambda value: ["none" if value is None else str(value)],
    )


def usage_error(box: str) -> str:
    """The one thing that matters in tyro's usage error, which is a title, a line, what is wrong, a
    line, help; in a frame where standard output can show that."""
    kept: list[str] = []
    margin = 0
    for line in box.splitlines()[1:]:
        line = line.strip("│╭╮╰╯").rstrip()
        indent, words = len(line) - len(line.lstrip()), line.split()
        if not words or set(line) <= set("-─ "):
            if kept:
                break
            continue
        if not kept:
            margin = indent
        # Of missing arguments the names are enough; what they mean is indented further.
        elif kept[0].startswith("Missing from") and indent - margin > 4:
            continue
        kept.append(" ".join(words))
    if kept and kept[0].startswith("Missing from"):
        kept[1:] = [", ".join(kept[1:])]
    return " ".join(kept).rstrip(".") or "the arguments cannot be read"


def _fail(error: BaseException | str, status: int) -> int:
    if os.environ.get("DIFFERENZLER_TRACEBACK") and isinstance(error, BaseException):
        traceback.print_exception(error)
    message = " ".join(str(error).split())
    if isinstance(error, OSError) and error.strerror:
        message = f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    elif isinstance(error, Exception) and not isinstance(error, ValueError):
        message = f"{type(error).__name__}: {message}"
    print(f"{PROGRAM}: {message}", file=sys.stderr)
    return status
