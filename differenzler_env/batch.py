"""Batch: the same rules on many games at once, an array of STATE records."""

import secrets
from collections.abc import Sequence
from copy import deepcopy
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import observation
from .actions import NUM_ACTIONS
from .checks import is_integer, one_of, output_array, seat_number, seed_words
from .deals import check_deal, deal_arguments, place_deal
from .engine import rows as kernels
from .engine.deal import SCRATCH
from .engine.state import OBJECTIVES, OVER, STATE, VIEW, take_records
from .errors import IllegalActionError
from .rule_text import get_rules
from .rules import Rules
from .transcript import illegal_sentence, settled_deal
from .view import PlayerView

Array = npt.NDArray[Any]
_ALL_ROWS = np.zeros(0, np.bool_)


class Settled(NamedTuple):
    """Results of the deal each row settled last; zeros before the first. int16 ``[B, P]`` each."""

    bids: Array
    points: Array
    penalties: Array


class Batch:
    """B games under the same rules, in an array of records.

    A deal is a function of the key (seed, row, match number, deal number) alone. In a match the
    next deal starts by itself; a row whose match is over ignores its action, earns 0 and stays over
    until :meth:`reset`. Arrays are fresh unless ``out=`` is given.

    Args:
        num_games: B, at least 1.
        rules: :class:`Rules`, a text such as ``"table?players=5"``, or ``None`` for the default.
        seed: 0 ≤ seed < 2¹²⁸, or a sequence of B seeds: each row then has that seed and row number
            0. ``None`` draws one from the operating system.
        objective: ``"penalty"`` (reward: minus the penalty of each deal as it is settled) or
            ``"win"`` (0 until the match ends, then 1/k to each of the k winners).
        first_row: row number of the first row, so that a batch can be made in parts.
        remember: keep the settled deals of each row's match for :meth:`finished_deals` and views.

    Raises:
        ValueError: for an argument that is not as above.
    """

    def __init__(
        self,
        num_games: int,
        rules: Rules | str | None = None,
        seed: int | Sequence[int] | Array | None = None,
        objective: str = "penalty",
        *,
        first_row: int = 0,
        remember: bool = False,
    ) -> None:
        if not is_integer(num_games) or num_games < 1:
            raise ValueError(f"num_games is {num_games!r}; allowed: 1 or more")
        if not is_integer(first_row) or not 0 <= first_row <= (1 << 32) - num_games:
            raise ValueError(f"first_row is {first_row!r}; allowed: 0 to 2**32 - num_games")
        self.rules = get_rules(rules)
        self.objective = one_of("objective", objective, OBJECTIVES)
        self.state_records = np.zeros(int(num_games), STATE)
        self.state_records["row"] = np.arange(first_row, first_row + num_games)
        self._first_row = first_row
        self._deals: list[list[dict[str, Any]]] | None = (
            [[] for _ in range(num_games)] if remember else None
        )
        self._make_scratch()
        self._seed(np.arange(num_games), secrets.randbits(128) if seed is None else seed)
        self._start(np.arange(num_games))

    def _make_scratch(self) -> None:
        self._scratch = np.zeros(SCRATCH, np.int64)
        self._view = np.zeros(1, VIEW)

    def __len__(self) -> int:
        return len(self.state_records)

    def __repr__(self) -> str:
        return f"Batch(num_games={len(self)}, rules={self.rules!r}, objective={self.objective!r})"

    # Keys and matches ----------------------------------------------------------------------

    def _seed(self, rows: Array, seed: int | Sequence[int] | Array) -> None:
        records = self.state_records
        one = np.ndim(seed) == 0
        seeds = [seed] if one else list(seed)  # type: ignore[arg-type]
        if not one and len(seeds) != len(self):
            raise ValueError(
                f"there are {len(seeds)} seeds; a batch of {len(self)} needs {len(self)}"
            )
        words = np.array([seed_words(value) for value in seeds], np.uint64)
        records["seed"][rows] = words[0] if one else words[rows]
        records["row"][rows] = rows + self._first_row if one else 0
        records["match"][rows] = 0

    def _start(self, rows: Array) -> None:
        kernels.start_rows(self.state_records, self.rules.record, rows, self._scratch)
        for name in ("settled_bids", "settled_points", "settled_penalties"):
            self.state_records[name][rows] = 0
        if self._deals is not None:
            for row in rows:
                self._deals[row] = []

    def reset(
        self, mask: Array | None = None, seed: int | Sequence[int] | Array | None = None
    ) -> None:
        """Start the next match, of all rows or of those in a bool mask ``[B]``.

        Without a seed the match number rises by one, however the last match ended; with one (or one
        a row) the rows start at match 0 of that seed.
        """
        rows = np.arange(len(self)) if mask is None else np.flatnonzero(self._mask("mask", mask))
        if seed is None:
            self.state_records["match"][rows] += 1
        else:
            self._seed(rows, seed)
        self._start(rows)

    def _mask(self, name: str, given: Any) -> Array:
        mask: Array = np.asarray(given)
        if mask.shape != (len(self),) or mask.dtype != np.bool_:
            raise ValueError(
                f"{name} has shape {mask.shape} and dtype {mask.dtype}; "
                f"allowed: bool of shape ({len(self)},)"
            )
        return mask

    def _row(self, row: Any) -> int:
        if not is_integer(row) or not 0 <= row < len(self):
            raise ValueError(f"row is {row!r}; allowed: 0 to {len(self) - 1}")
        return int(row)

    def set_deal(self, row: int, **deal: Any) -> None:
        """Replace the deal of a row that is at the start of a match.

        Keyword arguments are those of ``Game.from_deal``: ``hands``, ``trump``, ``dealer`` and,
        where the rules turn up a card, ``turned_up``.

        Raises:
            ValueError: for an impossible deal, naming what is wrong; nothing changes.
        """
        row = self._row(row)
        record = self.state_records[row : row + 1]
        if record["deal"][0] or record["num_bids"][0]:
            raise ValueError(f"row {row} is not at the start of a match; a deal is set there only")
        place_deal(record, self.rules, check_deal(self.rules, **deal_arguments(deal)))

    def decision_keys(self, out: Array | None = None) -> Array:
        """uint64 ``[B]``: a key for each decision at hand, a function of (seed, row, match, deal,
        seat, decision in the deal); agents draw from it."""
        out = output_array(out, (len(self),), np.uint64)
        kernels.decision_key_rows(self.state_records, out)
        return out

    def row_keys(self, purpose: int, out: Array | None = None) -> Array:
        """uint64 ``[B]``: a function of (seed, row, match, purpose), for draws that hold for a
        match; the purpose is a number from 0."""
        if not is_integer(purpose) or not 0 <= purpose < 1 << 63:
            raise ValueError(f"purpose is {purpose!r}; allowed: 0 to 2**63 - 1")
        out = output_array(out, (len(self),), np.uint64)
        kernels.row_key_rows(self.state_records, int(purpose), out)
        return out

    # Reading -------------------------------------------------------------------------------

    @property
    def num_games(self) -> int:
        """B."""
        return len(self.state_records)

    @property
    def current_seat(self) -> Array:
        """int8 ``[B]``: the seat to act, −1 on finished rows."""
        return self.state_records["current_seat"].copy()

    @property
    def phase(self) -> Array:
        """int8 ``[B]``: ``differenzler_env.BID``, ``PLAY`` or ``OVER`` (0, 1, 2), where
        :attr:`Game.phase` is a word."""
        return self.state_records["phase"].copy()

    @property
    def deal_number(self) -> Array:
        """int32 ``[B]``: number of the deal in the match, from 0."""
        return self.state_records["deal"].copy()

    @property
    def penalties(self) -> Array:
        """int32 ``[B, P]``: sums of the match so far."""
        return self.state_records["penalties"][:, : self.rules.players].copy()

    @property
    def settled(self) -> Settled:
        """Bids, points and penalties of each row's last settled deal, int16 ``[B, P]`` each."""
        seats = slice(0, self.rules.players)
        names = ("settled_bids", "settled_points", "settled_penalties")
        return Settled(*(self.state_records[name][:, seats].copy() for name in names))

    def legal_bits(self, out: Array | None = None) -> Array:
        """uint64 ``[B]``: bit c = card c may be played; 0 in the bid phase and on finished rows."""
        out = output_array(out, (len(self),), np.uint64)
        kernels.legal_bits_rows(self.state_records, self.rules.record, out)
        return out

    def legal_mask(self, out: Array | None = None) -> Array:
        """int8 ``[B, 194]``: 1 = legal for the seat to act; ones on finished rows."""
        out = output_array(out, (len(self), NUM_ACTIONS), np.int8)
        kernels.mask_rows(self.state_records, self.rules.record, out)
        return out

    def observe(self, out: Array | None = None) -> Array:
        """float32 ``[B, OBSERVATION_SIZE]``, for the seat to act (seat 0 on finished rows)."""
        out = output_array(out, (len(self), observation.OBSERVATION_SIZE), np.float32)
        observation.observe_rows(self.state_records, self.rules.record, self._view, out)
        return out

    def observe_all(self, out: Array | None = None) -> Array:
        """float32 ``[B, P, OBSERVATION_SIZE]``: each seat's own observation."""
        shape = (len(self), self.rules.players, observation.OBSERVATION_SIZE)
        out = output_array(out, shape, np.float32)
        observation.observe_all_rows(self.state_records, self.rules.record, self._view, out)
        return out

    def state(self, out: Array | None = None) -> Array:
        """float32 ``[B, STATE_SIZE]``: the observation, then the other hands and bids in the same
        seat-relative order. For critics; never for anything that acts."""
        out = output_array(out, (len(self), observation.STATE_SIZE), np.float32)
        observation.state_rows(self.state_records, self.rules.record, self._view, out)
        return out

    def views(self, out: Array | None = None) -> Array:
        """VIEW ``[B]``: what the seat to act may know (seat 0's view on finished rows)."""
        out = output_array(out, (len(self),), VIEW)
        kernels.view_rows(self.state_records, self.rules.record, out)
        return out

    def player_view(self, row: int, seat: int | None = None) -> PlayerView:
        """The view of one seat of one row; of the seat to act where none is given."""
        row = self._row(row)
        if seat is None:
            seat = max(int(self.state_records["current_seat"][row]), 0)
        seat = seat_number(seat, self.rules.players)
        record = np.zeros(1, VIEW)
        kernels.view_one(self.state_records, self.rules.record, row, seat, record)
        return PlayerView(self.rules, record, self.finished_deals(row))

    def finished_deals(self, row: int) -> list[dict[str, Any]]:
        """The settled deals of a row's match, as in a game record; empty without ``remember``."""
        row = self._row(row)
        return [] if self._deals is None else deepcopy(self._deals[row])

    # Playing -------------------------------------------------------------------------------

    def step(
        self,
        actions: Array | Sequence[int],
        check: bool = True,
        out: tuple[Array, Array, Array] | None = None,
        active: Array | None = None,
    ) -> tuple[Array, Array, Array]:
        """Apply one action to every row.

        Args:
            actions: integers ``[B]``; those of finished rows are ignored.
            check: validate all rows before any changes. Without it, an illegal action leaves its
                row undefined.
            out: (rewards, deal_over, match_over) to write on.
            active: bool ``[B]``: rows where it is False stay as they are and earn 0; all rows act
                where it is not given.

        Returns:
            rewards float32 ``[B, P]``, deal_over bool ``[B]``, match_over bool ``[B]``.

        Raises:
            IllegalActionError: naming row, seat, action and what is allowed; nothing changes.
            ValueError: for actions of another shape or type.
        """
        given = np.asarray(actions)
        if given.shape != (len(self),) or given.dtype.kind not in "iu":
            raise ValueError(
                f"actions have shape {given.shape} and dtype {given.dtype}; allowed: integers of "
                f"shape ({len(self)},)"
            )
        chosen = given.astype(np.int64, copy=False)
        acting = _ALL_ROWS if active is None else self._mask("active", active)
        if check:
            self._check(given, chosen, acting)
        if out is None:
            out = (
                np.empty((len(self), self.rules.players), np.float32),
                np.empty(len(self), np.bool_),
                np.empty(len(self), np.bool_),
            )
        if not isinstance(out, tuple) or len(out) != 3 or any(array is None for array in out):
            raise ValueError("out is not as allowed: a tuple (rewards, deal_over, match_over)")
        rewards, deal_over, match_over = out
        last = self._last_cards(acting) if self._deals is not None else None
        kernels.step_rows(
            self.state_records,
            self.rules.record,
            chosen,
            acting,
            self.objective == "win",
            output_array(rewards, (len(self), self.rules.players), np.float32),
            output_array(deal_over, (len(self),), np.bool_),
            output_array(match_over, (len(self),), np.bool_),
            self._scratch,
        )
        if last is not None:
            self._remember(*last, chosen)
        return out

    def _check(self, given: Array, actions: Array, acting: Array) -> None:
        row = int(kernels.first_illegal(self.state_records, self.rules.record, actions, acting))
        if row >= 0:
            record = self.state_records[row : row + 1]
            sentence = illegal_sentence(record, self.rules, int(given[row]))
            raise IllegalActionError(f"row {row}: {sentence}")

    def _last_cards(self, acting: Array) -> tuple[Array, Array]:
        """The rows about to play the last card of a deal, and copies of their records."""
        records = self.state_records
        last = records["num_played"] == len(self.rules.deck) - 1
        last &= records["phase"] != OVER
        rows = np.flatnonzero(last & acting if len(acting) else last)
        return rows, records[rows]

    def _remember(self, rows: Array, before: Array, actions: Array) -> None:
        assert self._deals is not None
        for i, row in enumerate(rows):
            after = self.state_records[row]
            self._deals[row].append(
                settled_deal(before[i], after, int(actions[row]), self.rules.players)
            )

    # Copies --------------------------------------------------------------------------------

    def select(self, rows: Array | Sequence[int]) -> "Batch":
        """A batch of copies of the listed rows (or of a bool mask); keys stay with them, and a row
        may be listed more than once."""
        index = np.asarray(rows)
        if index.dtype == np.bool_:
            index = np.flatnonzero(self._mask("rows", index))
        if index.ndim != 1 or index.dtype.kind not in "iu" or not index.size:
            raise ValueError(f"rows are {rows!r}; allowed: at least one row number, or a bool mask")
        if index.min() < 0 or index.max() >= len(self):
            raise ValueError(f"rows are {rows!r}; allowed: 0 to {len(self) - 1} each")
        other = object.__new__(type(self))
        other.rules, other.objective, other._first_row = self.rules, self.objective, self._first_row
        other.state_records = take_records(self.state_records, index)
        other._deals = None if self._deals is None else [list(self._deals[row]) for row in index]
        other._make_scratch()
        return other

    def copy(self) -> "Batch":
        """An independent copy."""
        return self.select(np.arange(len(self)))

    def __copy__(self) -> "Batch":
        return self.copy()

    def game(self, row: int) -> Any:
        """A copy of one row as a :class:`Game`."""
        from .game import Game

        return Game._from_batch(self.select([self._row(row)]))
