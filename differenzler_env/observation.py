"""Observation: the layout, declared once. Writer, bounds, names and decoder come from this table.

The vector is a function of one seat's VIEW record and of the rules. Seats are relative: slot 0 is
the seat whose view it is, slot 1 its right-hand neighbour and so on; slots beyond the table's
players are zero. Suits are absolute. All values lie in [−1, 1].
"""

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from .cards import MAX_POINTS, NUM_CARDS, NUM_SUITS, SUITS, card_name
from .engine.jit import Array, Integer, Record, inlined, jit
from .engine.kernels import set_points
from .engine.redact import fill_view
from .engine.rows import FOUR_BITS, acting_seat
from .engine.state import NO_BID, NO_SEAT, PHASES, PLAY
from .rules import MAX_PLAYERS, UNDERTRUMP, Rules


@dataclass(frozen=True)
class Field:
    """One named stretch of the observation vector.

    ``kind`` says what the last axis is, for networks that relabel suits: ``"card"`` (36 cards),
    ``"suit"`` (4 suits) or ``"plain"``. ``shape`` multiplies to ``size``.
    """

    name: str
    shape: tuple[int, ...]
    kind: str
    low: float
    high: float
    meaning: str

    @property
    def size(self) -> int:
        """Number of values."""
        return int(np.prod(self.shape))


LAYOUT = (
    Field("phase", (3,), "plain", 0, 1, "one-hot: bid, play, over"),
    Field("current_seat", (5,), "plain", 0, 1, "one-hot: the seat to act; zeros once over"),
    Field("players", (4,), "plain", 0, 1, "one-hot: 2, 3, 4 or 5 seats at the table"),
    Field(
        "rules",
        (9,),
        "plain",
        0,
        1,
        "open bidding; turned-up trump; under-trumping always, void, schieber (one-hot); bonus for "
        "an exact bid / 157; the bonus counts on 0; Stöck; revokes are penalised",
    ),
    Field("deck", (36,), "card", 0, 1, "the cards in play"),
    Field("trump", (4,), "suit", 0, 1, "one-hot: the trump suit"),
    Field("turned_up", (36,), "card", 0, 1, "one-hot: the turned-up card; zeros where none is"),
    Field("dealer", (5,), "plain", 0, 1, "one-hot: the dealer"),
    Field("deal", (1,), "plain", 0, 1, "number of the deal in the match, from 0, / deals"),
    Field(
        "penalties",
        (5,),
        "plain",
        -1,
        1,
        "penalties of the match so far / (deals × the larger of worst penalty and bonus)",
    ),
    Field("has_bid", (5,), "plain", 0, 1, "who has bid"),
    Field("bid_known", (5,), "plain", 0, 1, "whose bid this seat knows"),
    Field("bids", (5,), "plain", 0, 1, "the bids known / 157"),
    Field("points", (5,), "plain", 0, 1, "card points taken in this deal / 157"),
    Field("to_go", (1,), "plain", -1, 1, "(own bid − own points) / 157; 0 before the bid"),
    Field("hand", (36,), "card", 0, 1, "own cards still held"),
    Field("lawful", (36,), "card", 0, 1, "the lawful cards, while this seat is to play"),
    Field("played", (5, 36), "card", 0, 1, "the cards each seat has played in this deal"),
    Field("order", (36,), "card", 0, 1, "for each card played: its place 1…36 in the deal / 36"),
    Field(
        "trick", (36,), "card", 0, 1, "for each card on the table: its place 1…5 in the trick / 5"
    ),
    Field("best", (36,), "card", 0, 1, "one-hot: the best card of the trick on the table"),
    Field("best_seat", (5,), "plain", 0, 1, "one-hot: who played it"),
    Field("leader", (5,), "plain", 0, 1, "one-hot: who leads or led the trick on the table"),
    Field("trick_points", (1,), "plain", 0, 1, "card points on the table / 157"),
    Field(
        "void",
        (5, 4),
        "suit",
        0,
        1,
        "suits each seat has shown not to hold (in trumps it may still hold the Puur)",
    ),
)
"""The observation, field by field, in order."""

STATE_FIELDS = (
    Field("other_hands", (4, 36), "card", 0, 1, "cards still held by the other seats"),
    Field(
        "other_bids", (4,), "plain", 0, 1, "bids of the other seats / 157; 0 before they are given"
    ),
)
"""What ``state()`` holds after the observation: never given to anything that acts."""


def _slices(fields: tuple[Field, ...], start: int) -> dict[str, slice]:
    slices = {}
    for field in fields:
        slices[field.name] = slice(start, start + field.size)
        start += field.size
    return slices


SLICES = _slices(LAYOUT, 0)
"""Where each field stands in the vector."""
OBSERVATION_SIZE = sum(field.size for field in LAYOUT)
STATE_SLICES = SLICES | _slices(STATE_FIELDS, OBSERVATION_SIZE)
"""Where each field stands in the state vector."""
STATE_SIZE = OBSERVATION_SIZE + sum(field.size for field in STATE_FIELDS)
REVISION = 1
"""Raised when a value comes to mean something else while the layout stays."""


def _version() -> str:
    layout = [(field.name, field.shape, field.kind, field.low, field.high) for field in LAYOUT]
    return hashlib.sha256(repr((REVISION, layout)).encode()).hexdigest()[:12]


OBSERVATION_VERSION = _version()
"""Changes with the layout or what it means; checkpoints carry it."""


def bounds(fields: tuple[Field, ...] = LAYOUT) -> tuple[np.ndarray, np.ndarray]:
    """Lowest and highest values, float32 ``[size]`` each."""
    low = np.concatenate([np.full(field.size, field.low, np.float32) for field in fields])
    high = np.concatenate([np.full(field.size, field.high, np.float32) for field in fields])
    return low, high


_PHASE = SLICES["phase"].start
_CURRENT_SEAT = SLICES["current_seat"].start
_PLAYERS = SLICES["players"].start
_RULES = SLICES["rules"].start
_DECK = SLICES["deck"].start
_TRUMP = SLICES["trump"].start
_TURNED_UP = SLICES["turned_up"].start
_DEALER = SLICES["dealer"].start
_DEAL = SLICES["deal"].start
_PENALTIES = SLICES["penalties"].start
_HAS_BID = SLICES["has_bid"].start
_BID_KNOWN = SLICES["bid_known"].start
_BIDS = SLICES["bids"].start
_POINTS = SLICES["points"].start
_TO_GO = SLICES["to_go"].start
_HAND = SLICES["hand"].start
_LAWFUL = SLICES["lawful"].start
_PLAYED = SLICES["played"].start
_ORDER = SLICES["order"].start
_TRICK = SLICES["trick"].start
_BEST = SLICES["best"].start
_BEST_SEAT = SLICES["best_seat"].start
_LEADER = SLICES["leader"].start
_TRICK_POINTS = SLICES["trick_points"].start
_VOID = SLICES["void"].start
_OTHER_HANDS = STATE_SLICES["other_hands"].start
_OTHER_BIDS = STATE_SLICES["other_bids"].start

_SUIT_MASK = 0x1FF
_SCALE = 1 / MAX_POINTS
_ORDER_VALUES = (np.arange(1, NUM_CARDS + 1) * (1 / NUM_CARDS)).astype(np.float32)
_TRICK_VALUES = (np.arange(1, MAX_PLAYERS + 1) * (1 / MAX_PLAYERS)).astype(np.float32)


_FOUR_VALUES = FOUR_BITS.astype(np.float32)


@inlined
def write_cards(cards: Integer, out: Array, at: Integer) -> None:
    """Set ``out[at + card]`` to 1 for each card of a set, to 0 for the others."""
    for first in range(0, NUM_CARDS, 4):
        four = (cards >> first) & 15
        for i in range(4):
            out[at + first + i] = _FOUR_VALUES[four, i]


@inlined
def slot_of(seat: Integer, own: Integer, players: Integer) -> Integer:
    """The place of a seat, counted from the seat whose view it is."""
    slot = np.int64(seat) - own
    return slot + players if slot < 0 else slot


@inlined
def write_rules(rules: Record, out: Array) -> None:
    """The fields that depend on the rules alone."""
    out[_PLAYERS + rules["players"] - 2] = 1
    out[_RULES] = rules["open_bidding"]
    out[_RULES + 1] = rules["turned_up"]
    out[_RULES + 2 + rules["undertrump"]] = 1
    out[_RULES + 5] = rules["exact_bonus"] * _SCALE
    out[_RULES + 6] = rules["exact_bonus_on_zero"]
    out[_RULES + 7] = rules["stoeck"] > 0
    out[_RULES + 8] = rules["revoke_penalty"] > 0
    write_cards(rules["deck"], out, _DECK)


@inlined
def write_observation(view: Record, rules: Record, out: Array) -> None:
    """Write the observation of one VIEW record into float32 ``[OBSERVATION_SIZE]``."""
    out[:OBSERVATION_SIZE] = 0
    write_rules(rules, out)
    players, seat = rules["players"], np.int64(view["seat"])
    out[_PHASE + np.int64(view["phase"])] = 1
    if view["current_seat"] != NO_SEAT:
        out[_CURRENT_SEAT + slot_of(view["current_seat"], seat, players)] = 1
    out[_TRUMP + np.int64(view["trump"])] = 1
    if view["turned_up"] >= 0:
        out[_TURNED_UP + np.int64(view["turned_up"])] = 1
    out[_DEALER + slot_of(view["dealer"], seat, players)] = 1
    out[_DEAL] = view["deal"] / rules["deals"]
    for other in range(players):
        slot = slot_of(other, seat, players)
        out[_PENALTIES + slot] = view["penalties"][other] / rules["penalty_scale"]
        out[_POINTS + slot] = view["points"][other] * _SCALE
        out[_HAS_BID + slot] = view["has_bid"][other]
        bid = np.int64(view["bids"][other])
        if bid != NO_BID:
            out[_BID_KNOWN + slot] = 1
            out[_BIDS + slot] = bid * _SCALE
        excluded = view["excluded"][other]
        for suit in range(NUM_SUITS):
            # A suit is excluded as a whole, trumps perhaps all but the Puur.
            out[_VOID + NUM_SUITS * slot + suit] = (excluded >> (9 * suit)) & _SUIT_MASK != 0
    bid = np.int64(view["bids"][seat])
    if bid != NO_BID:
        out[_TO_GO] = (bid - view["points"][seat]) * _SCALE
    write_cards(view["hand"], out, _HAND)
    write_cards(view["lawful"], out, _LAWFUL)
    _write_tricks(view, players, seat, out)


@inlined
def _write_tricks(view: Record, players: Integer, seat: Integer, out: Array) -> None:
    """The cards played, by whom and when, and the trick on the table."""
    played = np.int64(view["num_played"])
    trick, start = 0, 0  # the trick on the table, and how many cards came before it
    while played - start >= players:
        slot = slot_of(view["leaders"][trick], seat, players)
        for i in range(start, start + players):
            card = np.int64(view["order"][i])
            out[_PLAYED + NUM_CARDS * slot + card] = 1
            out[_ORDER + card] = _ORDER_VALUES[i]
            slot = 0 if slot + 1 == players else slot + 1
        trick += 1
        start += players
    slot = slot_of(view["leaders"][trick], seat, players)
    place = played - start
    on_table: Integer = 0
    for k in range(place):
        card = np.int64(view["order"][start + k])
        out[_PLAYED + NUM_CARDS * slot + card] = 1
        out[_ORDER + card] = _ORDER_VALUES[start + k]
        out[_TRICK + card] = _TRICK_VALUES[k]
        on_table |= 1 << card
        slot = 0 if slot + 1 == players else slot + 1
    if place:
        out[_BEST + np.int64(view["best_card"])] = 1
        out[_BEST_SEAT + slot_of(view["best_seat"], seat, players)] = 1
        out[_TRICK_POINTS] = set_points(on_table, view["trump"]) * _SCALE
    if view["phase"] <= PLAY:
        out[_LEADER + slot_of(view["leaders"][trick], seat, players)] = 1


@inlined
def write_hidden(state: Record, players: Integer, seat: Integer, out: Array) -> None:
    """Write what the other seats hold and bid into a state vector, after the observation."""
    out[OBSERVATION_SIZE:STATE_SIZE] = 0
    for slot in range(1, players):
        other = (seat + slot) % players
        write_cards(state["hands"][other], out, _OTHER_HANDS + NUM_CARDS * (slot - 1))
        if state["bids"][other] != NO_BID:
            out[_OTHER_BIDS + slot - 1] = state["bids"][other] * _SCALE


@jit
def observe_rows(states: Array, rules: Array, view: Array, out: Array) -> None:
    """The observation of each row's seat to act (seat 0 on finished rows), float32 ``[B, N]``;
    ``view`` is a VIEW ``[1]`` to write on."""
    for row in range(len(states)):
        fill_view(states[row], rules[0], acting_seat(states[row]), view[0])
        write_observation(view[0], rules[0], out[row])


@jit
def observe_one(states: Array, rules: Array, seat: Integer, view: Array, out: Array) -> None:
    """The observation of one seat of row 0, float32 ``[N]``; ``view`` as above."""
    fill_view(states[0], rules[0], seat, view[0])
    write_observation(view[0], rules[0], out)


@jit
def observe_all_rows(states: Array, rules: Array, view: Array, out: Array) -> None:
    """The observations of all seats, float32 ``[B, P, N]``."""
    for row in range(len(states)):
        for seat in range(rules[0]["players"]):
            fill_view(states[row], rules[0], seat, view[0])
            write_observation(view[0], rules[0], out[row, seat])


@jit
def state_rows(states: Array, rules: Array, view: Array, out: Array) -> None:
    """The state vector from the seat to act (seat 0 on finished rows), float32 ``[B, M]``."""
    for row in range(len(states)):
        seat = acting_seat(states[row])
        fill_view(states[row], rules[0], seat, view[0])
        write_observation(view[0], rules[0], out[row])
        write_hidden(states[row], rules[0]["players"], seat, out[row])


@jit
def observe_views(views: Array, rules: Array, out: Array) -> None:
    """The observation of each VIEW record, float32 ``[B, N]``."""
    for row in range(len(views)):
        write_observation(views[row], rules[0], out[row])


def decode(vector: np.ndarray, rules: Rules) -> dict[str, Any]:
    """Read an observation back: what a PlayerView holds of the deal at hand, seats relative.

    Args:
        vector: float32 ``[OBSERVATION_SIZE]``.
        rules: the rules it was made under (scales of ``deal`` and ``penalties``).

    Returns:
        phase, current_seat, dealer, trump, turned_up, hand, lawful, deck, deal, penalties, bids
        (``None`` where unknown), has_bid, points, trick, tricks, leader, void (suit letters of each
        seat), all in the forms of ``PlayerView``.
    """
    part = {field.name: vector[SLICES[field.name]].reshape(field.shape) for field in LAYOUT}
    players = int(part["players"].argmax()) + 2

    def hot(name: str) -> int | None:
        return int(part[name].argmax()) if part[name].any() else None

    def whole(values: np.ndarray, scale: int) -> list[int]:
        return [round(float(value) * scale) for value in values[:players]]

    def cards(values: np.ndarray) -> list[str]:
        return [card_name(int(card)) for card in np.flatnonzero(values)]

    place = np.round(part["order"] * NUM_CARDS).astype(int)
    order = [int(np.flatnonzero(place == k + 1)[0]) for k in range(int(place.max()))]
    owner = part["played"].argmax(axis=0)
    tricks, on_table = [], len(order) % players
    for start in range(0, len(order) - on_table, players):
        trick = order[start : start + players]
        tricks.append(
            {"leader": int(owner[trick[0]]), "cards": [card_name(card) for card in trick]}
        )
    known = part["bid_known"][:players] > 0
    bids = whole(part["bids"], MAX_POINTS)
    turned_up = hot("turned_up")
    return {
        "players": players,
        "phase": PHASES[int(part["phase"].argmax())],
        "current_seat": hot("current_seat"),
        "dealer": hot("dealer"),
        "leader": hot("leader"),
        "trump": SUITS[int(part["trump"].argmax())],
        "turned_up": None if turned_up is None else card_name(turned_up),
        "deck": cards(part["deck"]),
        "hand": cards(part["hand"]),
        "lawful": cards(part["lawful"]),
        "deal": round(float(part["deal"][0]) * rules.deals),
        "penalties": whole(part["penalties"], int(rules.record[0]["penalty_scale"])),
        "has_bid": [bool(flag) for flag in part["has_bid"][:players]],
        "bids": [bid if here else None for bid, here in zip(bids, known, strict=True)],
        "points": whole(part["points"], MAX_POINTS),
        "to_go": round(float(part["to_go"][0]) * MAX_POINTS),
        "trick": [(int(owner[card]), card_name(card)) for card in order[len(order) - on_table :]],
        "tricks": tricks,
        "void": [
            [SUITS[suit] for suit in np.flatnonzero(part["void"][seat])] for seat in range(players)
        ],
        "undertrump": UNDERTRUMP[int(part["rules"][2:5].argmax())],
    }
