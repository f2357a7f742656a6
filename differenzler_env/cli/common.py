"""Command line: what several commands share."""

import importlib.util
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)

from ..files import replacing
from ..record import read_records
from .failure import CommandError

if TYPE_CHECKING:
    from ..evaluation.tables import Measured


def read_matches(file: Path, match: int | None = None) -> Iterator[tuple[int, Any]]:
    """The game records of a file with their lines, or the one of a line; not checked yet.

    Raises:
        RecordError: for a line that is not UTF-8 JSON.
        ValueError: if there is none.
        OSError: if the file cannot be read.
    """
    none = True
    for line, record in read_records(file):
        if match in (None, line):
            none = False
            yield line, record
    if none:
        where = "" if match is None else f" in line {match}"
        raise ValueError(f"{str(file)!r} holds no match{where}")


def check_output(path: Path | None, stream: bool = False) -> None:
    """Before the work is done: the file can be written there.

    Args:
        path: the file; nothing is checked for ``None``.
        stream: whether a pipe, a device or the like will do, which no file can replace.

    Raises:
        ValueError: if its folder does not exist, it is a folder itself, or nothing can be written.
    """
    if path is None:
        return
    try:
        if path.is_dir():
            raise ValueError(f"{str(path)!r} is a folder, not a file to write to")
        if not path.absolute().parent.is_dir():
            raise ValueError(f"there is no folder {str(path.absolute().parent)!r} to write to")
        if _is_stream(path):
            if not stream:
                raise ValueError(f"{str(path)!r} is not a plain file, so it is not replaced")
        else:
            trial = path.with_name(f".{path.name}.{os.getpid()}.trial")
            trial.touch()
            trial.unlink()
    except OSError as error:
        raise ValueError(f"{str(path)!r} cannot be written: {error.strerror}") from None


def _is_stream(path: Path) -> bool:
    """Whether something other than a plain file stands there already, such as a pipe."""
    return path.exists() and not path.is_file()


def write_json(path: Path | None, document: Any) -> None:
    """Writes JSON under a temporary name, then renames: the file is whole or not there."""
    if path is not None:
        write_whole(
            path, json.dumps(document, indent=2, allow_nan=False, ensure_ascii=False) + "\n"
        )


def write_whole(path: Path, text: str) -> None:
    """Writes a text file under a temporary name, then renames it; into a pipe or such, directly.
    Where a link stands, what it points to is written."""
    if _is_stream(path):
        path.write_text(text, encoding="utf-8")
        return
    with replacing(path.resolve()) as temporary:
        temporary.write_text(text, encoding="utf-8")


def check_report(folder: Path | None) -> None:
    """Before the work is done: the report can be drawn and written.

    Raises:
        ValueError: without matplotlib, or where the folder cannot be made.
    """
    if folder is None:
        return
    if importlib.util.find_spec("matplotlib") is None:
        raise ValueError("a report needs matplotlib: pip install 'differenzler-env[train]'")
    if not folder.is_dir():
        check_output(folder, stream=True)
        if folder.exists():
            raise ValueError(f"{str(folder)!r} is a file, not a folder for a report")


def write_report(folder: Path, page: str, figures: Any) -> None:
    """Writes ``index.html`` and the figures behind it, ``report.json``, into a folder."""
    folder.mkdir(exist_ok=True)
    write_whole(folder / "index.html", page)
    write_json(folder / "report.json", figures)


def tell_faults(result: "Measured") -> None:
    """Print a line for each agent that forfeited games, with the first reason.

    Raises:
        CommandError: if an agent forfeited every game: nothing of its play was measured.
    """
    for name, what in result.faults().items():
        print(f"{name} forfeited games: it {what}")
    if always := result.always_forfeited():
        raise CommandError(f"{', '.join(always)} forfeited every game, so no play was measured")


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int], None] | None]:
    """A progress bar on standard error, on a terminal only; yields what to call with the work done
    and the work there is."""
    if not sys.stderr.isatty():
        yield None
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
