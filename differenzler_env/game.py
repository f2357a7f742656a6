"""Game: one match, as Python sees it. A batch of one that also remembers settled deals."""

from collections.abc import Sequence
from copy import deepcopy
from typing import Any, Self, cast

import numpy as np

from . import observation
from .actions import action_name, parse_action
from .batch import Batch
from .cards import hand_names
from .checks import seat_number, seed_words
from .deals import DealSetup, check_deal, place_deal
from .drawing import svg_text, table_drawing
from .engine import rows as kernels
from .engine.jit import Array
from .engine.state import NO_BID, OVER, STATE, VIEW
from .errors import GameOverError, IllegalActionError
from .notation import make_notation, parse_notation
from .record import make_record, replay
from .rule_text import get_rules
from .rules import Rules
from .transcript import RecordReading, deal_record, illegal_sentence, settled_deal
from .view import PlayerView
from .words import Words


def _one_seed(seed: int | None) -> int | None:
    """The seed as given; a batch takes a list of them, one a row, a match does not.

    Raises:
        ValueError: unless it is an integer with 0 ≤ seed < 2¹²⁸, or ``None``.
    """
    if seed is not None:
        seed_words(seed)  # raises unless it is a seed
    return seed


class Game(RecordReading):
    """One match under some rules, to be played action by action; everything in it can be read.

    ``Game(rules, seed=7)`` deals what row 0 of ``Batch(seed=7)`` deals. Cards are texts like
    ``"D10"``; seats and numbers Python ints. After the last deal its final state stays to be read.

    Args:
        rules: :class:`Rules`, a text such as ``"table?players=5"``, or ``None`` for the default.
        seed: 0 ≤ seed < 2¹²⁸; ``None`` draws one from the operating system.
        objective: what :attr:`rewards` are, as in :class:`Batch`.
    """

    __slots__ = ("_batch", "_deals", "_rewards", "_snapshot", "rules")

    def __init__(
        self,
        rules: Rules | str | None = None,
        seed: int | None = None,
        objective: str = "penalty",
    ) -> None:
        self._adopt(Batch(1, rules, _one_seed(seed), objective), [])

    def _adopt(self, batch: Batch, deals: list[dict[str, Any]]) -> None:
        self.rules = batch.rules
        self._batch = batch
        self._deals = deals
        self._snapshot = np.zeros(1, STATE)
        self._rewards = np.zeros(batch.rules.players, np.float32)

    @classmethod
    def _from_batch(cls, batch: Batch) -> Self:
        game = object.__new__(cls)
        deals = batch.finished_deals(0)
        batch._deals = None
        game._adopt(batch, deals)
        return game

    @classmethod
    def from_deal(
        cls,
        rules: Rules | str | None,
        hands: Sequence[Sequence[str]],
        trump: str,
        dealer: int,
        turned_up: str | None = None,
        seed: int | None = None,
    ) -> Self:
        """A match whose first deal is given; the later ones come from the seed, the deal passing to
        the right.

        Raises:
            ValueError: for a deal that the rules cannot give; it names what is wrong.
        """
        checked = check_deal(get_rules(rules), hands, trump, dealer, turned_up)
        game = cls(rules, seed)
        game._set_deal(checked)
        return game

    def _set_deal(self, setup: DealSetup) -> None:
        """Put a checked deal in place of the one at hand."""
        place_deal(self.state_records, self.rules, setup)

    # Reading -------------------------------------------------------------------------------

    @property
    def state_records(self) -> Array:
        """STATE ``[1]``: the record that the game is, not a copy. All lies open in it; what acts is
        given :meth:`view`."""
        return self._batch.state_records

    @property
    def _records(self) -> Array:
        return self.state_records

    @property
    def objective(self) -> str:
        """``"penalty"`` or ``"win"``."""
        return self._batch.objective

    @property
    def rewards(self) -> list[float]:
        """Each seat's reward for the action last played."""
        rewards: list[float] = self._rewards.tolist()
        return rewards

    @property
    def is_over(self) -> bool:
        """Whether the last deal of the match is settled."""
        return self._number("phase") == OVER

    @property
    def match_number(self) -> int:
        """Number of the match since the seed was set, from 0."""
        return self._number("match")

    @property
    def hands(self) -> list[list[str]]:
        """The cards each seat still holds."""
        return [hand_names(hand) for hand in self._seats("hands")]

    @property
    def deal_penalties(self) -> list[int] | None:
        """Penalties of the deal last settled; ``None`` before the first, and in a position read
        from a notation, which does not hold them."""
        if self.settled_deals == 0 or self._seats("settled_bids")[0] == NO_BID:
            return None
        return self._seats("settled_penalties")

    @property
    def winners(self) -> list[int] | None:
        """The seats with the lowest sum once the match is over, else ``None``."""
        if not self.is_over:
            return None
        penalties = self.penalties
        return [seat for seat, total in enumerate(penalties) if total == min(penalties)]

    @property
    def finished_deals(self) -> list[dict[str, Any]]:
        """The settled deals, all public, as in a record.

        Raises:
            ValueError: where they are not known: in a game made from a row of a batch that does not
                remember them, or from a notation, after the first deal.
        """
        if len(self._deals) != self.settled_deals:
            unknown = self.settled_deals - len(self._deals)
            raise ValueError(
                f"{unknown} settled deals are not known to this game: it was made from a notation, "
                "or from a batch without remember=True"
            )
        return deepcopy(self._deals)

    @property
    def last_deal(self) -> dict[str, Any] | None:
        """The deal that this game settled last, ``None`` before the first: the one it keeps, not to
        be changed."""
        return self._deals[-1] if self._deals else None

    def unsettled_deal(self) -> dict[str, Any] | None:
        """The deal at hand as in a record, hands as dealt; ``None`` once the match is over."""
        return None if self.is_over else deal_record(self._row, self.rules.players, None)

    @property
    def settled_deals(self) -> int:
        """How many deals of the match are settled."""
        return self.deal_number + self.is_over

    # Acting --------------------------------------------------------------------------------

    def _choices(self) -> tuple[int, int]:
        return kernels.choices_one(self.state_records, self.rules.record)

    def mask(self, seat: int) -> np.ndarray:
        """int8 ``[194]``: as :meth:`legal_mask` for the seat to act, zeros for the others."""
        mask = self.legal_mask()
        if self._at(seat) != self.current_seat:
            mask[:] = 0
        return mask

    def play(self, action: int) -> None:
        """Apply an action of the seat to act.

        Args:
            action: 0…157 = bid, 158…193 = play card ``action − 158``.

        Raises:
            IllegalActionError: it names the seat and what is allowed; nothing changes.
            GameOverError: when the match is over.
        """
        number = parse_action(action)
        batch, records = self._batch, self.state_records
        if records["phase"][0] == OVER:
            raise GameOverError(
                f"the match is over: {action_name(number)} is refused; reset() starts the next"
            )
        outcome = kernels.step_one(
            records,
            self.rules.record,
            number,
            batch.objective == "win",
            self._rewards,
            self._snapshot,
            batch._scratch,
        )
        if outcome < 0:
            raise IllegalActionError(illegal_sentence(records, self.rules, number))
        if outcome > 0:
            self._deals.append(
                settled_deal(self._snapshot[0], records[0], number, self.rules.players)
            )

    def reset(self, seed: int | None = None) -> None:
        """Start the next match: match number up by one, or match 0 of a seed."""
        self._batch.reset(seed=_one_seed(seed))
        self._deals = []
        self._rewards[:] = 0

    def set_deal(self, **deal: Any) -> None:
        """Replace the deal of a match that is at its start; as ``Batch.set_deal``."""
        self._batch.set_deal(0, **deal)

    # Views and vectors ---------------------------------------------------------------------

    def view(self, seat: int) -> PlayerView:
        """What a seat may know.

        Raises:
            ValueError: for a seat that is not at the table.
        """
        record = np.zeros(1, VIEW)
        kernels.view_one(self.state_records, self.rules.record, 0, self._at(seat), record)
        return PlayerView(self.rules, record, list(self._deals))

    def _at(self, seat: int) -> int:
        return seat_number(seat, self.rules.players)

    def observe(self, seat: int) -> np.ndarray:
        """float32 ``[OBSERVATION_SIZE]``: what a seat may know."""
        batch, out = self._batch, np.empty(observation.OBSERVATION_SIZE, np.float32)
        observation.observe_one(
            self.state_records, self.rules.record, self._at(seat), batch._view, out
        )
        return out

    def state(self) -> np.ndarray:
        """float32 ``[STATE_SIZE]``: as ``Batch.state``."""
        state: np.ndarray = self._batch.state()[0]
        return state

    def decision_key(self) -> int:
        """The key of the decision at hand, as ``Batch.decision_keys``."""
        return int(self._batch.decision_keys()[0])

    def row_key(self, purpose: int) -> int:
        """A key that holds for the match, as ``Batch.row_keys``."""
        return int(self._batch.row_keys(purpose)[0])

    # Copies and records --------------------------------------------------------------------

    def copy(self) -> Self:
        """An independent copy."""
        game = object.__new__(type(self))
        game.__setstate__((self._batch.copy(), list(self._deals), self._rewards.copy()))
        return game

    def __copy__(self) -> Self:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.copy()

    def __getstate__(self) -> Any:
        return self._batch, self._deals, self._rewards

    def __setstate__(self, state: Any) -> None:
        batch, deals, rewards = state
        self._adopt(batch, deals)
        self._rewards = rewards

    def to_record(self, seats: Sequence[str] | None = None) -> dict[str, Any]:
        """The match as a game record; see :mod:`.record`.

        Args:
            seats: who sat where, one text a seat.
        """
        return make_record(self, seats)

    @classmethod
    def from_record(cls, record: object, seed: int | None = None) -> Self:
        """Play a record through the rules, checking all of it; the seed is for the deals of an
        unfinished match that are still to come.

        Raises:
            RecordError: for a false one, naming deal, trick and card.
        """
        return cast(Self, replay(record, cls, seed=seed))

    def notation(self) -> str:
        """The position as one line; see :func:`.notation.make_notation`."""
        return make_notation(self)

    @classmethod
    def from_notation(cls, text: str, seed: int | None = None) -> Self:
        """The position of a notation; the seed is for the deals to come.

        Raises:
            RecordError: for a text that is not a position under the rules.
        """
        return cast(Self, parse_notation(text, cls, seed))

    def svg(self, shown: int | str | None = None, width: int = 900, cards: str = "french") -> str:
        """The table as an SVG picture.

        Args:
            shown: the seat whose view is drawn; ``"open"`` for all hands and bids. Where not given,
                the seat to act, seat 0 once the match is over.
            width: in pixels.
            cards: ``"french"`` or ``"german"``.

        Raises:
            ValueError: for a seat that is not at the table, or other cards.
        """
        seat = (self.current_seat or 0) if shown is None else shown
        table = self if seat == "open" else self.view(seat)  # type: ignore[arg-type]
        return svg_text(table_drawing(table, Words(cards=cards)), width)

    def _repr_svg_(self) -> str:
        """In a notebook; hidden cards stay hidden unless :meth:`svg` is told to show them."""
        return self.svg()

    def __repr__(self) -> str:
        return f"Game.from_notation({self.notation()!r})"
