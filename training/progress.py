"""Training: what a person sees of a run. A progress bar on a terminal, plain lines elsewhere, and
TensorBoard."""

import sys
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

LINE_EVERY = 30.0
"""Seconds between plain lines where there is no terminal."""

SHOWN = "penalty {penalty:.2f}  floor {floor:.2f}  exact {exact:.1%}  {decisions_per_second:,.0f}/s"
"""What the bar says of an update."""


class Display:
    """Shows the progress of a run; a context manager.

    Args:
        total: deals of the whole run.
        done: deals played before this process started.
        logs: folder for TensorBoard, or None for no logs.
        quiet: show nothing (all processes but the first).
    """

    def __init__(self, total: int, done: int, logs: Path | None, quiet: bool = False) -> None:
        self._console = Console(stderr=True)
        self._live = self._console.is_terminal and not quiet
        self._quiet = quiet
        self._total = total
        self._last_line = time.monotonic()
        self._writer: Any = None
        if logs is not None and not quiet:
            from torch.utils.tensorboard import SummaryWriter

            self._writer = SummaryWriter(str(logs))
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            TextColumn("{task.percentage:>3.0f}%"),
            TextColumn("{task.fields[shown]}"),
            TimeElapsedColumn(),
            console=self._console,
            disable=not self._live,
        )
        self._task = self._bar.add_task(
            "training", total=total, completed=done, shown="compiling …"
        )

    def __enter__(self) -> "Display":
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.stop()
        if self._writer is not None:
            with suppress(OSError):
                self._writer.close()

    def show(self, figures: dict[str, float]) -> None:
        """Show the figures of an update."""
        shown = SHOWN.format(**figures)
        self._bar.update(self._task, completed=figures["deals"], shown=shown)
        try:
            self._log(figures)
        except OSError as error:  # a full disk, most likely
            self._writer = None
            self.say(f"TensorBoard's logs end here: {error.strerror}")
        if not self._live and not self._quiet and time.monotonic() - self._last_line > LINE_EVERY:
            self._last_line = time.monotonic()
            share = min(1.0, figures["deals"] / self._total)
            self.say(f"{share:4.0%}  {figures['deals']:,.0f} deals  {shown}")

    def _log(self, figures: dict[str, float]) -> None:
        if self._writer is not None:
            for name, value in figures.items():
                self._writer.add_scalar(name, value, int(figures["deals"]))

    def say(self, text: str) -> None:
        """A line to the person, above the bar."""
        if self._quiet:
            return
        if self._live:
            self._console.print(text, highlight=False, markup=False, soft_wrap=True)
        else:
            print(text, file=sys.stderr, flush=True)
