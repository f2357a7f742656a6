"""Records in Python's terms: a deal as users write it, checked; the played tricks as texts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .cards import (
    LAST_TRICK_POINTS,
    POINTS,
    SUITS,
    card_index,
    card_name,
    hand_bits,
    hand_names,
    suit_index,
)
from .engine.deal import clear_deal, open_deal
from .engine.state import NO_BID, NO_CARD
from .rules import Rules


@dataclass(frozen=True)
class DealSetup:
    """A checked deal: hands as bit boards, trump a suit index, the turned-up card or −1."""

    hands: tuple[int, ...]
    trump: int
    dealer: int
    turned_up: int


def check_deal(
    rules: Rules, hands: object, trump: object, dealer: object, turned_up: object = None
) -> DealSetup:
    """Check a deal that a user set up against the rules.

    Args:
        rules: rules of the game.
        hands: for each seat its card texts, as many as the rules deal.
        trump: a suit letter; with a turned-up trump the suit of that card.
        dealer: a seat.
        turned_up: the dealer's turned-up card where the rules turn one up, else ``None``.

    Raises:
        ValueError: for a deal that these rules cannot give; it names what is wrong.
    """
    players = rules.players
    if isinstance(hands, (str, Mapping)) or not isinstance(hands, (Sequence, np.ndarray)):
        raise ValueError(f"hands are {hands!r}; allowed: a list of {players} lists of card texts")
    if len(hands) != players:
        raise ValueError(f"there are {len(hands)} hands; {players} seats need {players}")
    boards: list[int] = []
    holder: dict[str, int] = {}
    for seat, hand in enumerate(hands):
        if isinstance(hand, (str, Mapping)) or not isinstance(hand, (Sequence, np.ndarray)):
            raise ValueError(f"seat {seat}'s hand is {hand!r}; allowed: a list of card texts")
        for name in hand:
            card_index(name)
            if name in holder:
                raise ValueError(f"card {name} is dealt twice, to seats {holder[name]} and {seat}")
            if name not in (rules.deck or ()):
                raise ValueError(f"card {name}, dealt to seat {seat}, is not in the deck")
            holder[name] = seat
        boards.append(hand_bits(hand))
    if len(holder) != len(rules.deck or ()):
        missing = [name for name in rules.deck or () if name not in holder]
        raise ValueError(
            f"the deal has {len(holder)} cards instead of {len(rules.deck or ())}: "
            f"{', '.join(missing)} missing"
        )
    for seat, hand in enumerate(hands):
        if len(hand) != rules.tricks:
            raise ValueError(f"seat {seat} has {len(hand)} cards; allowed: {rules.tricks}")
    if isinstance(dealer, bool) or not isinstance(dealer, (int, np.integer)):
        raise ValueError(f"dealer is {dealer!r}; allowed: a seat from 0 to {players - 1}")
    if not 0 <= dealer < players:
        raise ValueError(f"dealer is seat {dealer}; allowed: a seat from 0 to {players - 1}")
    if trump not in rules.trumps:
        raise ValueError(f"trump is {trump!r}; allowed: {', '.join(rules.trumps)}")
    suit = suit_index(str(trump))
    if rules.trump != "turned_up":
        if turned_up is not None:
            raise ValueError(
                f"turned_up is {turned_up!r}; allowed: None, as these rules turn up no card"
            )
        return DealSetup(tuple(boards), suit, int(dealer), NO_CARD)
    if turned_up is None:
        raise ValueError("turned_up is missing; these rules turn up a card of the dealer's hand")
    card = card_index(turned_up)  # type: ignore[arg-type]
    if not boards[int(dealer)] >> card & 1:
        raise ValueError(f"turned_up is {turned_up}; allowed: a card of the dealer, seat {dealer}")
    if card // 9 != suit:
        raise ValueError(
            f"trump is {trump}; the turned-up card {turned_up} makes it {SUITS[card // 9]}"
        )
    return DealSetup(tuple(boards), suit, int(dealer), card)


def place_deal(record: np.ndarray, rules: Rules, setup: DealSetup) -> None:
    """Write a checked deal into a STATE array ``[1]`` in place of the one it holds."""
    row = record[0]
    clear_deal(row)
    row["hands"][: rules.players] = setup.hands
    row["trump"], row["turned_up"] = setup.trump, setup.turned_up
    open_deal(row, rules.record[0], setup.dealer)


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
