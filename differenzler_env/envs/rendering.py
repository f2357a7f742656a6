"""Environments: showing a table, as text or as a picture, from one seat's view or open."""

from typing import Any

import gymnasium

from ..checks import is_integer, one_of
from ..game import Game
from ..rules import Rules
from ..text import game_text, view_text
from ..words import CARDS, Words

MODES = ("ansi", "human", "rgb_array")
FRAMES_PER_SECOND = 2


class Renderer:
    """Shows games in one of the render modes.

    Args:
        mode: None, ``"ansi"`` (a text), ``"human"`` (printed whenever the table has changed) or
            ``"rgb_array"`` (a picture, uint8 [height, width, 3]).
        seat: whose view is shown in place of the environment's own choice; ``"open"`` shows all.
        rules: the rules of the table.
        cards: ``"french"`` or ``"german"``: how cards look and what they are called.

    Raises:
        ValueError: for another mode, a seat that is not at the table, or other cards.
    """

    def __init__(
        self, mode: str | None, seat: int | str | None, rules: Rules, cards: str = "french"
    ) -> None:
        if mode is not None and mode not in MODES:
            raise ValueError(f"render_mode is {mode!r}; allowed: None, {', '.join(MODES)}")
        at_table = is_integer(seat) and 0 <= seat < rules.players
        if not (seat is None or seat == "open" or at_table):
            raise ValueError(
                f"render_seat is {seat!r}; allowed: None, 0 to {rules.players - 1}, or 'open'"
            )
        self.mode = mode
        self._words = Words(cards=one_of("render_cards", cards, CARDS))
        self._seat = seat
        self._printed = ""

    def frame(self, game: Game, seat: int) -> Any:
        """The table now: a text, a picture, or None after printing it; warns without a mode."""
        if self.mode is None:
            gymnasium.logger.warn(
                "render() shows nothing without a render mode; give render_mode='ansi', 'human' or "
                "'rgb_array' when making the environment."
            )
            return None
        shown = seat if self._seat is None else self._seat
        if self.mode == "rgb_array":
            from .picture import draw_table  # Pillow is loaded for pictures only

            return draw_table(game, shown, self._words)
        words = self._words
        opened = shown == "open"
        text = game_text(game, words) if opened else view_text(game.view(int(shown)), words)
        if self.mode == "ansi":
            return text
        if text != self._printed:
            print(text, flush=True)
            self._printed = text
        return None

    def show(self, game: Game, seat: int) -> None:
        """Print the table where the mode is ``"human"``."""
        if self.mode == "human":
            self.frame(game, seat)
