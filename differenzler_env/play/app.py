"""Play: the table in the terminal, with Textual. Hands over keys, asks agents, shows pages."""

import asyncio
import contextlib
import signal
import sys
from collections.abc import Callable
from typing import Any, ClassVar

from textual import events, work
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static

from .pages import too_small_page
from .screen import HEIGHT, WIDTH
from .seat import Seat
from .steps import Step
from .viewer import Viewer


class TableApp(App[None]):
    """A screen of 80 × 24 in the middle of the terminal.

    Args:
        table: what takes keys and gives pages.

    Attributes:
        error: what ended the match, such as an agent that failed.
    """

    CSS = f"""
    Screen {{ align: center middle; }}
    #page {{ width: {WIDTH}; height: {HEIGHT}; }}
    #page.small {{ width: 100%; height: 100%; }}
    """
    TITLE = "differenzler"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c,ctrl+q", "leave", show=False, priority=True)
    ]

    def __init__(self, table: Seat | Viewer) -> None:
        super().__init__()
        self.table = table
        self.error: Exception | None = None
        self._room = self.size

    def compose(self) -> ComposeResult:
        """One widget holds the page."""
        yield Static(id="page")

    def on_mount(self) -> None:
        """Signals leave the table as keys do."""
        loop = asyncio.get_running_loop()
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            with contextlib.suppress(AttributeError, NotImplementedError, RuntimeError, ValueError):
                loop.add_signal_handler(getattr(signal, name), self.action_leave)
        # A terminal that is not this process's own goes without a signal.
        if _at_terminal():
            self.set_interval(1.0, lambda: None if _at_terminal() else self.action_leave())
        self.show()

    def on_resize(self, event: events.Resize) -> None:
        """The table may fit now, or no longer."""
        self._room = event.size
        self.show()

    def on_key(self, event: events.Key) -> None:
        """Keys go to the table; where it does not fit, only leaving does."""
        if self._fits or event.key == "q":
            self._guarded(lambda: self.table.press(event.key))

    def action_leave(self) -> None:
        """Leave the table."""
        self.table.press("ctrl+c")
        self.show()

    @property
    def _fits(self) -> bool:
        return self._room.width >= WIDTH and self._room.height >= HEIGHT

    def _guarded(self, act: Callable[[], Any]) -> None:
        """Do something and show what came of it; an error ends the match in order."""
        try:
            act()
        except Exception as error:
            self.fail(error)
        self.show()

    def fail(self, error: Exception) -> None:
        """Leave the table because of an error."""
        self.error = error
        self.table.leaving = True

    def show(self) -> None:
        """Show the page, and have done what the table waits for."""
        if self.table.leaving:
            self.exit()
            return
        page = self.query_one("#page", Static)
        page.set_class(not self._fits, "small")
        if self._fits:
            page.update(self.table.page())
        else:
            page.update(too_small_page(self._room.width, self._room.height, self.table.words))
        self.serve()

    def serve(self) -> None:
        """Start what the table waits for; in the classes that follow."""


class SeatApp(TableApp):
    """A person at the table.

    Args:
        table: the seat.
        pace: seconds that the others take for an action.
    """

    table: Seat

    def __init__(self, table: Seat, pace: float = 0.6) -> None:
        super().__init__(table)
        self.pace = pace
        self._asking = self._advising = False

    def serve(self) -> None:
        """Ask the agent whose turn it is, or the one that helps."""
        if self.table.waits_for_agent and not self._asking:
            self._asking = True
            self.ask()
        if self.table.wants_advice and not self._advising:
            self._advising = True
            self.advise()

    @work
    async def ask(self) -> None:
        """Let an agent choose, in a thread, and play what it chose."""
        try:
            pause = asyncio.sleep(self.pace)
            action, _ = await asyncio.gather(asyncio.to_thread(self.table.sitting.choose), pause)
            if not self.table.leaving:
                self.table.played(self.table.sitting.play(action))
        except Exception as error:
            self.fail(error)
        finally:
            self._asking = False
        self.show()

    @work
    async def advise(self) -> None:
        """Ask for help about the person's view, in a thread."""
        view = self.table.view
        try:
            self.table.advised(view, await asyncio.to_thread(self.table.adviser.advise, view))
        except Exception as error:
            self.fail(error)
        finally:
            self._advising = False
        self.show()


class ViewerApp(TableApp):
    """Somebody who watches.

    Args:
        table: the viewer.
        more: gives the next step of a match that is being played, ``None`` at its end.
        pace: seconds a step while it runs by itself.
    """

    table: Viewer

    def __init__(
        self, table: Viewer, more: Callable[[], Step | None] = lambda: None, pace: float = 1.0
    ) -> None:
        super().__init__(table)
        self.more, self.pace = more, pace
        self._busy = False

    def on_mount(self) -> None:
        """The clock for running by itself; Textual calls the method above as well."""
        self.set_interval(max(self.pace, 0.02), lambda: self._guarded(self.table.tick))

    def serve(self) -> None:
        """Let the agents play on, or the analysis be made; one thing at a time."""
        if not self._busy and (self.table.wants_step or self.table.wants_analysis):
            self._busy = True
            self.fetch()

    @work
    async def fetch(self) -> None:
        """Do one of the two in a thread."""
        table = self.table
        try:
            if table.wants_step:
                step = await asyncio.to_thread(self.more)
                table.add(step)
            else:
                await asyncio.to_thread(table.analyse, table.index)
        except Exception as error:
            self.fail(error)
        finally:
            self._busy = False
        self.show()


def _at_terminal() -> bool:
    return sys.__stdin__ is not None and sys.__stdin__.isatty()
