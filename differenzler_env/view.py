"""View: what one seat may know, as Python sees it. A reading of one VIEW record."""

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

import numpy as np

from . import observation
from .cards import hand_names
from .checks import is_integer
from .drawing import svg_text, table_drawing
from .engine.jit import Array
from .engine.rows import view_choices_one
from .rules import Rules
from .sampling import sample_worlds
from .text import view_text
from .transcript import RecordReading
from .words import Words


class PlayerView(RecordReading):
    """What one seat may know of a game.

    Made from a redacted record, so no hidden card or bid can be reached from it. Cards are texts,
    seats absolute.

    Args:
        rules: the rules of the game.
        record: VIEW ``[1]``, kept as given.
        finished_deals: the settled deals of the match, all public, as in a game record.
    """

    __slots__ = ("_finished_deals", "record", "rules")

    def __init__(
        self, rules: Rules, record: np.ndarray, finished_deals: Sequence[dict[str, Any]] = ()
    ) -> None:
        self.rules = rules
        self.record = record
        self._finished_deals = finished_deals

    @property
    def _records(self) -> Array:
        return self.record

    @property
    def seat(self) -> int:
        """Whose view this is."""
        return self._number("seat")

    @property
    def hand(self) -> list[str]:
        """Own cards still held."""
        return hand_names(self._number("hand"))

    @property
    def bid(self) -> int | None:
        """Own bid, ``None`` until given."""
        return self.bids[self.seat]

    @property
    def has_bid(self) -> list[bool]:
        """Who has bid, also where the bid is hidden."""
        return [bool(flag) for flag in self.record["has_bid"][0, : self.rules.players]]

    @property
    def finished_deals(self) -> list[dict[str, Any]]:
        """The settled deals of the match, all public, as in a game record."""
        return deepcopy(list(self._finished_deals))

    @property
    def lawful_cards(self) -> list[str]:
        """The cards that may be played without a revoke; empty unless this seat is to play."""
        return hand_names(self._number("lawful"))

    def _choices(self) -> tuple[int, int]:
        return view_choices_one(self.record, self.rules.record)

    def observation(self) -> np.ndarray:
        """float32 ``[OBSERVATION_SIZE]``, see :mod:`.observation`."""
        out = np.empty(observation.OBSERVATION_SIZE, np.float32)
        observation.observe_views(self.record, self.rules.record, out[np.newaxis])
        return out

    def sample(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """Draw n worlds: hands of all seats, uniform over all deals consistent with this view.

        Consistent means: the cards seen, the size of each hand, what each seat has shown not to
        hold by its lawful plays (nothing where revokes are penalised), and the turned-up card.

        Returns:
            uint64 ``[n, P]``: bit c = card c still held; seats absolute, own row = own hand.

        Raises:
            ValueError: unless n is a whole number, 0 or more.
        """
        if not is_integer(n) or n < 0:
            raise ValueError(f"n is {n!r}; allowed: a whole number, 0 or more")
        worlds = np.zeros((n, self.rules.players), np.uint64)
        key0, key1 = rng.integers(1 << 64, size=2, dtype=np.uint64)
        if not sample_worlds(self.record[0], self.rules.record[0], key0, key1, worlds):
            raise ValueError("no deal is consistent with this view")
        return worlds

    def text(self) -> str:
        """The table as this seat sees it, for people."""
        return view_text(self)

    def svg(self, width: int = 900, cards: str = "french") -> str:
        """The table as this seat sees it, an SVG picture so many pixels wide; French or German
        cards."""
        return svg_text(table_drawing(self, Words(cards=cards)), width)

    def _repr_svg_(self) -> str:
        """In a notebook."""
        return self.svg()

    def __reduce__(self) -> Any:
        return PlayerView, (self.rules, self.record, list(self._finished_deals))

    def __repr__(self) -> str:
        return f"PlayerView(seat={self.seat}, phase={self.phase!r}, hand={' '.join(self.hand)!r})"
