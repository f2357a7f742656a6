"""Play: the game line by line, for screen readers and scripts."""

import re
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from ..actions import NUM_BIDS, action_from_name
from ..cards import RANKS, SUITS
from ..game import Game
from ..text import view_text
from ..words import ENGLISH, Words
from .advice import Adviser, action_text
from .scene import Scene, result_text, seat_names, watched_scene
from .screen import hand_line
from .sitting import Sitting, live_steps
from .steps import BID, SETTLED, TRICK, Step, settled_game

QUIT = ("q", "quit")
ADVICE = "h"
HOW = ("?", "help", "hilfe")
"""Asks how bids and cards are typed."""


class PlainTable:
    """A person at the table who reads lines and types.

    Args:
        sitting: the match, with a person in one seat or in none.
        words: the language.
        adviser: who is asked for help.
    """

    def __init__(self, sitting: Sitting, words: Words, adviser: Adviser | None = None) -> None:
        self.sitting, self.words, self.adviser = sitting, words, adviser
        seats = range(sitting.game.rules.players)
        names = [
            words("you") if seat == sitting.seat else words("seat", seat=seat) for seat in seats
        ]
        self.telling = Telling(names, words)

    def play(self) -> None:
        """Play the match to its end.

        Raises:
            EOFError: when the person stops, or the input ends.
            SpecError: for an agent that fails.
        """
        game = self.sitting.game
        while (seat := game.current_seat) is not None:
            own = seat == self.sitting.seat
            step = self._own_action() if own else self.sitting.play(self.sitting.choose())
            if text := self.telling.told(step):
                print(text)
        print(self.telling.result(game))

    def _own_action(self) -> Step:
        """Ask until a legal action is typed, and play it."""
        game, words = self.sitting.game, self.words
        assert self.sitting.seat is not None
        view = game.view(self.sitting.seat)
        print(f"\n{view_text(view, words)}")
        while True:
            if sys.stdin is None:  # it was closed
                raise EOFError
            typed = input(words("prompt_bid" if view.phase == "bid" else "prompt_card")).strip()
            if typed.lower() in QUIT:
                raise EOFError
            if typed.lower() == ADVICE and self.adviser is not None:
                self._advise()
                continue
            if typed.lower() in HOW:
                print(typing_help(words))
                continue
            try:
                action = parse_typed(typed, view.phase, words, game.rules.total_points(game.trump))
            except ValueError as error:
                print(error)
                continue
            if action in view.legal_actions():
                return self.sitting.play(action)
            print(refusal(game, action, words))

    def _advise(self) -> None:
        """What the adviser would do, and the expected costs."""
        assert self.adviser is not None and self.sitting.seat is not None
        view = self.sitting.game.view(self.sitting.seat)
        advice = self.adviser.advise(view)
        kind = "bid" if advice.action < NUM_BIDS else "card"
        done: dict[str, Any] = {kind: action_text(advice.action, self.words)}
        print(self.words(f"advice_{kind}", agent=self.adviser.name, **done))
        costs = [
            f"{action_text(each, self.words)} ({cost:.1f})"
            for each, cost in sorted(advice.costs.items())
        ]
        print(self.words("advice_costs", costs=", ".join(costs)))


class Telling:
    """Says what happens at a table, to somebody who reads lines.

    Args:
        names: of the seats.
        words: the language.
    """

    def __init__(self, names: Sequence[str], words: Words) -> None:
        self.names, self.words = names, words

    def told(self, step: Step) -> str:
        """What a step has brought: a complete trick, a settled deal; else nothing."""
        if step.kind == TRICK:
            return self._trick(step.game.tricks[-1])
        if step.kind == SETTLED:
            deal = step.game.finished_deals[-1]
            settled, _ = settled_game(step.game.rules, deal)
            last = self._trick(settled.tricks[-1]) + self.words("plain_last")
            return f"{last}\n\n{self._deal(deal, step.game.penalties)}"
        return ""

    def _trick(self, trick: dict[str, Any]) -> str:
        cards = " ".join(self.words.card(card) for card in trick["cards"])
        leader, winner = self.names[trick["leader"]], self.names[trick["winner"]]
        values = {"cards": cards, "leader": leader, "winner": winner, "points": trick["points"]}
        return self.words("plain_trick", **values)

    def _deal(self, deal: dict[str, Any], totals: list[int]) -> str:
        """Bids, points and penalties of a settled deal, and the sums of the match."""
        labels = [self.words(label) for label in ("bid", "points", "penalty", "total")]
        widths = [max(len(label), 3) for label in labels]
        columns = (deal["bids"], deal["points"], deal["penalties"], totals)
        longest = max(8, *map(len, self.names))
        lines = []
        for name, *cells in [("", *labels), *zip(self.names, *columns, strict=True)]:
            shown = (f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))
            lines.append(f"{name:>{longest}}  {'  '.join(shown)}")
        return "\n".join(lines)

    def result(self, game: Game) -> str:
        """Who has won."""
        return result_text(game.winners or [], self.names, self.words)


class PlainWatch:
    """Somebody who reads how agents play.

    Args:
        sitting: the match, agents in all seats.
        words: the language.
        shown: ``"open"``, ``"none"`` or a seat, as in :func:`watched_scene`.
    """

    def __init__(self, sitting: Sitting, words: Words, shown: int | str) -> None:
        self.sitting, self.words, self.shown = sitting, words, shown
        self.names = seat_names(sitting.specs, None, words)

    def told(self) -> Iterator[str]:
        """The match, a text a step.

        Raises:
            SpecError: for an agent that fails.
        """
        telling = Telling(self.names, self.words)
        for step in live_steps(self.sitting):
            text = self._event(step)
            more = telling.told(step)
            yield f"{text}\n{more}" if more else text
        yield telling.result(self.sitting.game)

    def _event(self, step: Step) -> str:
        """The cards dealt, as far as they are shown; a bid or a card."""
        words = self.words
        if step.seat is None or step.action is None:
            scene = self._scene(step)
            hands = [f"{row.name}: {hand_line(row.hand, words)}" for row in scene.rows if row.hand]
            return "\n".join(["", scene.heading, *hands])
        who = self.names[step.seat]
        if step.kind != BID:
            return words("plays", who=who, card=action_text(step.action, words))
        bid = self._scene(step).rows[step.seat].bid
        return words("bids_open" if bid.isdigit() else "bids_done", who=who, bid=bid)

    def _scene(self, step: Step) -> Scene:
        return watched_scene(step.game, self.shown, self.names, self.words)


def parse_typed(typed: str, phase: str, words: Words = ENGLISH, most: int = NUM_BIDS - 1) -> int:
    """The action that was typed.

    Args:
        typed: a line.
        phase: ``"bid"`` or ``"play"``.
        words: the language, and how cards are called.
        most: the highest bid.

    Raises:
        ValueError: unless it is a bid or a card; it says how they are written.
    """
    word = typed.upper().removeprefix("BID").strip()
    for suit in SUITS:
        mark = words.mark(suit).upper()
        if word.startswith(mark):
            names = {words.rank(rank): rank for rank in RANKS}
            rank = word.removeprefix(mark).strip()
            word = suit + names.get(rank, rank)
            break
    if phase == "bid" and re.fullmatch("[-+]?[0-9]+", word):
        if not re.fullmatch("[+]?[0-9]{1,9}", word) or int(word) > most:
            raise ValueError(words("bid_range", most=most))
        return int(word)
    try:
        return action_from_name(word)
    except ValueError:
        help_text = typing_help(words)
        raise ValueError(words("not_understood", typed=typed, help=help_text)) from None


def typing_help(words: Words) -> str:
    """How bids and cards are written."""
    return words("typing" if words.cards == "french" else "typing_german")


def refusal(game: Game, action: int, words: Words) -> str:
    """Why an action of the seat to act is refused, in the words of the game."""
    if game.phase == "bid":
        return words("bid_range", most=game.rules.total_points(game.trump))
    if action < NUM_BIDS:
        return words("not_understood", typed=str(action), help=typing_help(words))
    lawful = " ".join(action_text(each, words) for each in game.legal_actions())
    why = words("lawful_are", cards=lawful)
    return words("not_lawful", card=action_text(action, words), why=why)
