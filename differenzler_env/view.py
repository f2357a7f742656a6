"""View: what one seat may know, as Python sees it. A reading of one VIEW record, nothing behind
it."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from . import observation
from .actions import NUM_ACTIONS, NUM_BIDS, card_action
from .cards import SUITS, cards_in, hand_names
from .deals import given_bids, open_trick, optional_card, played_tricks
from .engine.state import BID, PHASES, VIEW
from .rules import Rules
from .sampling import sample_worlds
from .text import view_text


class PlayerView:
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

    def _number(self, name: str) -> int:
        return int(self.record[name][0])

    @property
    def seat(self) -> int:
        """Whose view this is."""
        return self._number("seat")

    @property
    def dealer(self) -> int:
        """The seat that deals."""
        return self._number("dealer")

    @property
    def phase(self) -> str:
        """``"bid"``, ``"play"`` or ``"over"``."""
        return PHASES[self._number("phase")]

    @property
    def current_seat(self) -> int | None:
        """The seat to act, ``None`` once the match is over."""
        seat = self._number("current_seat")
        return None if seat < 0 else seat

    @property
    def deal_number(self) -> int:
        """Number of the deal in the match, from 0."""
        return self._number("deal")

    @property
    def hand(self) -> list[str]:
        """Own cards still held."""
        return hand_names(self._number("hand"))

    @property
    def trump(self) -> str:
        """Trump suit letter."""
        return SUITS[self._number("trump")]

    @property
    def turned_up(self) -> str | None:
        """The turned-up card, where the rules turn one up."""
        return optional_card(self._number("turned_up"))

    @property
    def bid(self) -> int | None:
        """Own bid, ``None`` until given."""
        return self.bids[self.seat]

    @property
    def bids(self) -> list[int | None]:
        """Each seat's bid, ``None`` where not given or hidden."""
        return given_bids(self.record[0], self.rules.players)

    @property
    def has_bid(self) -> list[bool]:
        """Who has bid."""
        return [bool(flag) for flag in self.record["has_bid"][0, : self.rules.players]]

    @property
    def points(self) -> list[int]:
        """Card points each seat has taken in this deal."""
        points: list[int] = self.record["points"][0, : self.rules.players].tolist()
        return points

    @property
    def trick(self) -> list[tuple[int, str]]:
        """The trick on the table, (seat, card) in the order played."""
        return open_trick(self.record[0], self.rules.players)

    @property
    def tricks(self) -> list[dict[str, Any]]:
        """The complete tricks of this deal: ``leader``, ``cards``, ``winner``, ``points``."""
        return played_tricks(self.record[0], self.rules.players, len(self.rules.deck or ()))

    @property
    def finished_deals(self) -> list[dict[str, Any]]:
        """The settled deals of the match, all public, as in a game record."""
        return list(self._finished_deals)

    @property
    def penalties(self) -> list[int]:
        """Sums of the match so far."""
        penalties: list[int] = self.record["penalties"][0, : self.rules.players].tolist()
        return penalties

    @property
    def lawful_cards(self) -> list[str]:
        """The cards that may be played without a revoke; empty unless this seat is to play."""
        return hand_names(self._number("lawful"))

    def legal_actions(self) -> list[int]:
        """The actions open to this seat now, ascending; empty unless it is to act."""
        if self.phase == "bid":
            return list(range(self._num_bids()))
        return [card_action(card) for card in cards_in(self._number("legal"))]

    def legal_mask(self) -> np.ndarray:
        """int8 ``[194]``: 1 = legal; zeros unless this seat is to act."""
        mask = np.zeros(NUM_ACTIONS, np.int8)
        if self._number("phase") == BID:
            mask[: self._num_bids()] = 1
        else:
            bits = self._number("legal")
            mask[NUM_BIDS:] = bits >> np.arange(NUM_ACTIONS - NUM_BIDS) & 1
        return mask

    def _num_bids(self) -> int:
        to_bid = self.current_seat == self.seat
        return self.rules.total_points(self._number("trump")) + 1 if to_bid else 0

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
            ValueError: for n < 0.
        """
        if n < 0:
            raise ValueError(f"n is {n}; allowed: 0 or more")
        worlds = np.zeros((n, self.rules.players), np.uint64)
        key0, key1 = rng.integers(1 << 64, size=2, dtype=np.uint64)
        if not sample_worlds(self.record[0], self.rules.record[0], key0, key1, worlds):
            raise ValueError("no deal is consistent with this view")
        return worlds

    def text(self) -> str:
        """The table as this seat sees it, for people."""
        return view_text(self)

    def __reduce__(self) -> Any:
        return PlayerView, (self.rules, self.record, list(self._finished_deals))

    def __repr__(self) -> str:
        return f"PlayerView(seat={self.seat}, phase={self.phase!r}, hand={' '.join(self.hand)!r})"


assert VIEW.names is not None
