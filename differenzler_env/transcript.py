"""Transcript: what STATE and VIEW records say, as Python values. Cards as texts, seats absolute."""

from typing import Any

import numpy as np

from .actions import NUM_ACTIONS, NUM_BIDS, action_name
from .cards import LAST_TRICK_POINTS, POINTS, SUITS, card_name, cards_in, hand_names
from .engine.jit import Array
from .engine.rows import choices_one, write_mask
from .engine.state import NO_BID, NO_CARD, NO_SEAT, PHASES
from .rules import Rules


def played_tricks(row: Any, players: int, num_cards: int) -> list[dict[str, Any]]:
    """The complete tricks of a STATE or VIEW record: ``leader``, ``cards``, ``winner``,
    ``points``."""
    order = row["order"].tolist()
    leaders = row["leaders"].tolist()
    points = POINTS[row["trump"]]
    tricks = []
    for trick in range(int(row["num_played"]) // players):
        cards = order[trick * players : (trick + 1) * players]
        last = (trick + 1) * players == num_cards
        tricks.append(
            {
                "leader": leaders[trick],
                "cards": [card_name(card) for card in cards],
                "winner": leaders[trick + 1],
                "points": int(points[cards].sum()) + (LAST_TRICK_POINTS if last else 0),
            }
        )
    return tricks


def open_trick(row: Any, players: int) -> list[tuple[int, str]]:
    """The trick on the table of a STATE or VIEW record, as (seat, card) in the order played."""
    played = int(row["num_played"])
    start = played - played % players
    leader = int(row["leaders"][start // players])
    return [
        ((leader + i) % players, card_name(int(card)))
        for i, card in enumerate(row["order"][start:played])
    ]


def seats_in_order(trick: dict[str, Any], players: int) -> list[tuple[int, str]]:
    """A trick of :func:`played_tricks` as (seat, card) in the order played."""
    return [
        ((trick["leader"] + place) % players, card) for place, card in enumerate(trick["cards"])
    ]


def given_bids(row: Any, players: int) -> list[int | None]:
    """The bids of a STATE or VIEW record; ``None`` where not given or not known."""
    return [None if bid == NO_BID else bid for bid in row["bids"][:players].tolist()]


def optional_card(card: int) -> str | None:
    """A card text, ``None`` for −1."""
    return None if card == NO_CARD else card_name(int(card))


def dealt_hands(row: Any, players: int) -> list[list[str]]:
    """The hands as dealt, of a STATE record: what is held and what was played."""
    hands = row["hands"][:players].tolist()
    leaders = row["leaders"].tolist()
    for i, card in enumerate(row["order"][: row["num_played"]].tolist()):
        hands[(leaders[i // players] + i) % players] |= 1 << card
    return [hand_names(hand) for hand in hands]


def deal_record(row: Any, players: int, penalties: list[int] | None) -> dict[str, Any]:
    """One deal as it stands in a game record; points and penalties are ``None`` until settled."""
    order = row["order"][: row["num_played"]].tolist()
    leaders = row["leaders"].tolist()
    return {
        "dealer": int(row["dealer"]),
        "trump": SUITS[row["trump"]],
        "turned_up": optional_card(row["turned_up"]),
        "hands": dealt_hands(row, players),
        "bids": given_bids(row, players),
        "tricks": [
            {
                "leader": leaders[start // players],
                "cards": [card_name(card) for card in order[start : start + players]],
            }
            for start in range(0, len(order), players)
        ],
        "points": None if penalties is None else row["points"][:players].tolist(),
        "penalties": penalties,
    }


def settled_deal(before: Any, after: Any, action: int, players: int) -> dict[str, Any]:
    """A settled deal as in a game record, from the record before its last card and the one
    after."""
    deal = deal_record(before, players, after["settled_penalties"][:players].tolist())
    deal["tricks"][-1]["cards"].append(card_name(action - NUM_BIDS))
    deal["points"] = after["settled_points"][:players].tolist()
    return deal


def illegal_sentence(record: Array, rules: Rules, action: int) -> str:
    """Why an action is refused to the seat to act of a STATE ``[1]``, and what is allowed."""
    seat = int(record["current_seat"][0])
    bids, cards = choices_one(record, rules.record)
    allowed = f"a bid from 0 to {bids - 1}" if bids else ", ".join(hand_names(cards))
    name = action_name(action) if 0 <= action < NUM_ACTIONS else "not an action"
    return f"action {action} ({name}) is not legal for seat {seat}; allowed: {allowed}"


class RecordReading:
    """What can be read alike from a game and from a seat's view: the deal at hand and the match.

    A base class of :class:`Game` and :class:`PlayerView`. It reads one STATE or VIEW record; what a
    VIEW does not hold, it cannot show.
    """

    __slots__ = ()

    rules: Rules

    @property
    def _records(self) -> Array:
        """STATE or VIEW ``[1]``."""
        raise NotImplementedError

    @property
    def _row(self) -> Any:
        return self._records[0]

    def _choices(self) -> tuple[int, int]:
        """What there is to choose from: how many bids, and the set of cards."""
        raise NotImplementedError

    def _number(self, name: str) -> int:
        return int(self._records[name][0])

    def _seats(self, name: str) -> list[int]:
        values: list[int] = self._records[name][0, : self.rules.players].tolist()
        return values

    @property
    def phase(self) -> str:
        """``"bid"``, ``"play"`` or ``"over"``."""
        return PHASES[self._number("phase")]

    @property
    def current_seat(self) -> int | None:
        """The seat to act, ``None`` once the match is over."""
        seat = self._number("current_seat")
        return None if seat == NO_SEAT else seat

    @property
    def deal_number(self) -> int:
        """Number of the deal in the match, from 0."""
        return self._number("deal")

    @property
    def dealer(self) -> int:
        """The seat that deals."""
        return self._number("dealer")

    @property
    def trump(self) -> str:
        """Trump suit letter."""
        return SUITS[self._number("trump")]

    @property
    def turned_up(self) -> str | None:
        """The turned-up card, where the rules turn one up."""
        return optional_card(self._number("turned_up"))

    @property
    def bids(self) -> list[int | None]:
        """Each seat's bid, ``None`` where not given (or, in a view, hidden)."""
        return given_bids(self._row, self.rules.players)

    @property
    def has_bid(self) -> list[bool]:
        """Who has bid."""
        return [bid is not None for bid in self.bids]

    @property
    def points(self) -> list[int]:
        """Card points each seat has taken in this deal."""
        return self._seats("points")

    @property
    def trick(self) -> list[tuple[int, str]]:
        """The trick on the table, (seat, card) in the order played."""
        return open_trick(self._row, self.rules.players)

    @property
    def tricks(self) -> list[dict[str, Any]]:
        """The complete tricks of this deal: ``leader``, ``cards``, ``winner``, ``points``."""
        return played_tricks(self._row, self.rules.players, len(self.rules.deck))

    @property
    def penalties(self) -> list[int]:
        """Sums of the match so far."""
        return self._seats("penalties")

    def legal_actions(self) -> list[int]:
        """The actions of the seat to act, ascending; empty where none is, and in the view of a seat
        that is not to act."""
        bids, cards = self._choices()
        return list(range(bids)) if bids else [NUM_BIDS + card for card in cards_in(cards)]

    def legal_mask(self) -> np.ndarray:
        """The same as int8 ``[194]``: 1 = legal."""
        mask = np.empty(NUM_ACTIONS, np.int8)
        bids, cards = self._choices()
        write_mask(bids, cards, mask)
        return mask
