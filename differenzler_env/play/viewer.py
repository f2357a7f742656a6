"""Play: watching a match step by step, forward and back: what keys do and what is shown.

The steps are those of a record, or come one by one from agents that play. No terminal in here.
"""

from collections.abc import Callable, Sequence

from rich.text import Text

from ..actions import action_from_name
from ..agents.search import SearchAgent
from ..words import Words
from . import pages
from .advice import action_text
from .analysis import Judgement, judge
from .scene import HIDDEN, OPEN, result_text, sentence, watched_scene
from .screen import (
    BESIDE_HEIGHT,
    BESIDE_WIDTH,
    FAINT,
    STRONG,
    WARNING,
    Lines,
    watch_page,
    wrapped,
)
from .steps import BID, DEAL, SETTLED, TRICK, Step

Goal = Callable[[Step], bool]

GOALS: dict[str, tuple[int, Goal]] = {
    "right": (1, lambda step: True),
    "space": (1, lambda step: True),
    "enter": (1, lambda step: True),
    "down": (1, lambda step: step.kind in (TRICK, SETTLED, DEAL)),
    "pagedown": (1, lambda step: step.kind == DEAL),
    "end": (1, lambda step: False),
    "left": (-1, lambda step: True),
    "up": (-1, lambda step: step.kind in (TRICK, SETTLED, DEAL)),
    "pageup": (-1, lambda step: step.kind == DEAL),
    "home": (-1, lambda step: False),
}
"""Key → direction, and the step that it goes to: the next one of a kind, else the last there is."""


class Viewer:
    """Somebody who watches.

    Args:
        steps: the steps so far, at least one.
        names: of the seats.
        words: the language.
        search: whose analysis is shown.
        shown: ``"open"``, ``"none"`` or a seat.
        live: whether further steps may come, by :meth:`add`.
        analysis: whether it is shown from the start.
        running: whether it goes on by itself from the start.
    """

    def __init__(
        self,
        steps: Sequence[Step],
        names: Sequence[str],
        words: Words,
        search: SearchAgent,
        shown: int | str = OPEN,
        live: bool = False,
        analysis: bool = False,
        running: bool = False,
    ) -> None:
        self.steps, self.names, self.words, self.search = list(steps), names, words, search
        self.live, self.running, self.leaving = live, running, False
        self.index = 0
        self._shown = shown
        self._closed = HIDDEN if shown == OPEN else shown
        self._waiting: list[Goal] = []  # steps that are still to be played, in the order asked for
        self._analysis = analysis
        self._judged: dict[int, Judgement | None] = {}
        self._other_page: str | None = None

    @property
    def step(self) -> Step:
        """What is looked at."""
        return self.steps[self.index]

    @property
    def wants_step(self) -> bool:
        """Whether the agents are to play on."""
        return self.live and bool(self._waiting)

    def add(self, step: Step | None) -> None:
        """Take the next step of a match that is being played; ``None`` at its end."""
        if step is None:
            self.live = self.running = False
            self._waiting.clear()
            return
        self.steps.append(step)
        if self._waiting:  # else somebody has gone back meanwhile, and looks at something else
            self.index = len(self.steps) - 1
            if self._waiting[0](step):
                self._waiting.pop(0)

    @property
    def wants_analysis(self) -> bool:
        """Whether the choice looked at is still to be analysed."""
        return self._may_analyse() and self.index not in self._judged

    def analyse(self, index: int) -> None:
        """Judge the choice of a step by what its seat could know. It takes a while."""
        step = self.steps[index]
        assert step.before is not None and step.seat is not None and step.action is not None
        view = step.before.view(step.seat)
        self._judged[index] = judge(self.search, view, step.action)

    def _may_analyse(self) -> bool:
        # An analysis tells of the hand of who acted: it is for those who see that hand.
        seen = self._shown in (OPEN, self.step.seat)
        return self._analysis and seen and self.step.before is not None

    # Keys ----------------------------------------------------------------------------------

    def press(self, key: str) -> None:
        """Do what a key says; keys that mean nothing now do nothing."""
        if key in ("q", "ctrl+c", "ctrl+q"):
            self.leaving = True
        elif self._other_page is not None:
            self._other_page = None
        elif key in GOALS:
            self.running = False
            self.go(*GOALS[key])
        elif key == "p":
            self.running = not self.running
        elif key == "o":
            self._shown = self._closed if self._shown == OPEN else OPEN
        elif key == "a":
            self._analysis = not self._analysis
        elif key in ("question_mark", "f1", "t", "m"):
            self._other_page = {"t": "tricks", "m": "match"}.get(key, "keys")

    def tick(self) -> None:
        """One step on, while it runs by itself."""
        if self.running and not self._waiting:
            self.go(*GOALS["right"])
            self.running = self.live or self.index < len(self.steps) - 1

    def go(self, direction: int, goal: Goal) -> None:
        """Go to the next step that is wanted, or as far as there are steps.

        While agents think, ways forward wait for one another, so that keys do the same however long
        that takes. A way back is gone at once, and none of them any more.
        """
        if direction < 0:
            self._waiting.clear()
        elif self._waiting:
            self._waiting.append(goal)
            return
        while 0 <= self.index + direction < len(self.steps):
            self.index += direction
            if goal(self.step):
                return
        if direction > 0 and self.live:
            self._waiting.append(goal)

    # Pages ---------------------------------------------------------------------------------

    def page(self) -> Text:
        """The screen now, 80 × 24."""
        step, words, names = self.step, self.words, self.names
        if self._other_page == "keys":
            return pages.keys_page(pages.WATCH_KEYS, self.search.spec, words)
        if self._other_page == "tricks":
            return pages.tricks_page(step.game, names, words)
        if self._other_page == "match":
            return pages.match_page(step.game, names, words)
        if step.kind == SETTLED:
            rules, deals = step.game.rules, step.game.finished_deals
            return pages.settled_page(rules, deals, names, words, self._message([]))
        scene = watched_scene(step.game, self._shown, names, words, step.kind == TRICK)
        bids = [row.bid for row in scene.rows]
        message = self._message(bids)
        return watch_page(scene, words, message, words("keys_watch"), self._beside())

    def _message(self, bids: Sequence[str]) -> str:
        """What has just happened, and where in the match this is."""
        parts = [self._event(bids)]
        count = f"{len(self.steps)}{'+' if self.live else ''}"
        parts.append(f"({self.words('position', at=self.index + 1, count=count)})")
        if self.wants_step:
            waiting = self.step.game.current_seat
            if waiting is not None:
                parts.append(self.words("thinking", who=self.names[waiting]))
        elif self.running:
            parts.append(self.words("running"))
        return "  ".join(part for part in parts if part)

    def _event(self, bids: Sequence[str]) -> str:
        step, words = self.step, self.words
        if step.seat is None or step.action is None:
            return words("dealt")
        who = self.names[step.seat]
        if step.kind == SETTLED:
            winners = step.game.winners
            return result_text(winners, self.names, words) if winners else ""
        if step.kind != BID:
            return sentence("plays", who, words, card=action_text(step.action, words))
        bid = bids[step.seat]
        return sentence("bids_open" if bid.isdigit() else "bids_done", who, words, bid=bid)

    def _beside(self) -> Lines:
        """The analysis of the choice that led here."""
        step, words = self.step, self.words
        if not self._may_analyse():
            return []
        assert step.seat is not None and step.action is not None
        heading = words("analysis", agent=self.search.spec)
        lines = [Text(line, FAINT) for line in wrapped(heading, BESIDE_WIDTH, max_lines=4)]
        if self.index not in self._judged:
            return [*lines, Text(words("analysis_waits"), FAINT)]
        judged = self._judged[self.index]
        if judged is None:
            return [*lines, Text(words("no_choice"))]
        kind = "bids_open" if step.kind == BID else "plays"
        done = action_text(step.action, words)
        lines.append(Text(sentence(kind, self.names[step.seat], words, bid=done, card=done)))
        if judged.action == judged.best:
            lines.append(Text(words("analysis_best"), STRONG))
        else:
            best = action_text(action_from_name(judged.best), words)
            lines.append(Text(words("analysis_better", best=best)))
            gave = words("analysis_gave", cost=f"{max(judged.loss, 0):.1f}")
            lines.append(Text(gave, WARNING if judged.mistake else STRONG))
        lines.append(Text(f"{words('expected_cost')}:", FAINT))
        shown = sorted(judged.costs, key=judged.costs.__getitem__)[: BESIDE_HEIGHT - len(lines)]
        if judged.action not in shown:
            shown[-1] = judged.action  # however much it cost
        for name in shown:
            mark = "◄" if name == judged.action else ""
            action = action_text(action_from_name(name), words)
            lines.append(Text(f"{action:>5} {judged.costs[name]:6.1f} {mark}", STRONG * bool(mark)))
        return lines
