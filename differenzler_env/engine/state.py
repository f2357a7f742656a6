"""Engine: the records. One game is one ``STATE``; what a seat may know of it is one ``VIEW``.

A batch is an array of such records, so copying, pickling and selecting rows are memory copies. Seat
slots are always five; those beyond the table's players stay zero. Bit boards are int64.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from ..rules import MAX_PLAYERS, MAX_TRICKS

BID, PLAY, OVER = 0, 1, 2
"""Phases of a match. ``OVER`` only after its last deal."""
PHASES = ("bid", "play", "over")
NO_BID = -1
NO_CARD = -1
NO_SEAT = -1

OBJECTIVES = ("penalty", "win")

_SEATS = (MAX_PLAYERS,)

STATE = np.dtype(
    [
        # The key of the deal, the match totals
        ("seed", "u8", (2,)),
        ("row", "u4"),
        ("match", "u4"),
        ("deal", "i4"),  # number of the deal in the match, from 0
        ("penalties", "i4", _SEATS),  # of the match so far
        # The deal at hand, what every action reads first
        ("hands", "i8", _SEATS),  # cards still held
        ("excluded", "i8", _SEATS),  # cards the seat has shown not to hold
        ("trump", "i1"),
        ("phase", "i1"),
        ("current_seat", "i1"),
        ("num_bids", "i1"),
        ("num_played", "i1"),
        ("led_card", "i1"),  # of the trick on the table, as the next four
        ("best_card", "i1"),
        ("best_seat", "i1"),
        ("on_table", "i1"),  # how many cards lie there
        ("trick_points", "i1"),
        ("bids", "i2", _SEATS),  # NO_BID until given
        ("points", "i2", _SEATS),
        ("order", "i1", (36,)),  # cards in the order played
        ("leaders", "i1", (MAX_TRICKS + 1,)),  # seat that led each trick; room for one more
        ("revokes", "i1", _SEATS),
        ("turned_up", "i1"),
        ("dealer", "i1"),
        ("spare", "i1", (7,)),  # zeros, so that there is no gap whose bytes mean nothing
        # The deal last settled
        ("settled_bids", "i2", _SEATS),
        ("settled_points", "i2", _SEATS),
        ("settled_penalties", "i2", _SEATS),
    ],
    align=True,
)
"""One game: at most 256 bytes."""

VIEW = np.dtype(
    [
        ("deal", "i4"),
        ("penalties", "i4", _SEATS),
        ("hand", "i8"),  # own cards still held
        ("legal", "i8"),  # cards the seat may play now; 0 unless it is to play a card
        ("lawful", "i8"),  # those that are no revoke; as legal unless revokes are penalised
        ("excluded", "i8", _SEATS),  # cards each seat has shown not to hold
        ("bids", "i2", _SEATS),  # NO_BID where not given or hidden
        ("has_bid", "i1", _SEATS),
        ("points", "i2", _SEATS),
        ("order", "i1", (36,)),
        ("leaders", "i1", (MAX_TRICKS + 1,)),
        ("seat", "i1"),  # whose view this is
        ("trump", "i1"),
        ("turned_up", "i1"),
        ("dealer", "i1"),
        ("phase", "i1"),
        ("current_seat", "i1"),  # NO_SEAT once the match is over
        ("num_bids", "i1"),
        ("num_played", "i1"),
        ("best_card", "i1"),
        ("best_seat", "i1"),
    ]
)
"""What one seat may know of a game, seats absolute. Everything that acts is given this and no
more."""

assert STATE.itemsize <= 256


def take_records(
    records: npt.NDArray[np.void], rows: npt.NDArray[np.integer[Any]]
) -> npt.NDArray[np.void]:
    """A copy of some records, ``[n]`` for n rows; a row may be taken more than once.

    Moved as bytes: NumPy copies structured records field by field, thirty times slower.
    """
    taken: npt.NDArray[np.void] = records.view(f"V{records.dtype.itemsize}")[rows]
    return taken.view(records.dtype)
