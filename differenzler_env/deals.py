"""Deals: a deal as users write it, checked against the rules."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

import numpy as np

from .cards import SUITS, card_index, hand_bits, suit_index
from .checks import is_integer
from .engine.deal import clear_deal, open_deal
from .engine.state import NO_CARD
from .rules import Rules


@dataclass(frozen=True)
class DealSetup:
    """A checked deal: hands as bit boards, trump a suit index, the turned-up card or −1."""

    hands: tuple[int, ...]
    trump: int
    dealer: int
    turned_up: int


def _is_list(value: object) -> TypeGuard[Sequence[Any]]:
    return (isinstance(value, Sequence) and not isinstance(value, str | bytes)) or (
        isinstance(value, np.ndarray) and value.ndim > 0
    )


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
    if not _is_list(hands):
        raise ValueError(f"hands are {hands!r}; allowed: a list of {players} lists of card texts")
    if len(hands) != players:
        raise ValueError(f"there are {len(hands)} hands; {players} seats need {players}")
    boards: list[int] = []
    holder: dict[str, int] = {}
    for seat, hand in enumerate(hands):
        if not _is_list(hand):
            raise ValueError(f"seat {seat}'s hand is {hand!r}; allowed: a list of card texts")
        for name in hand:
            card_index(name)
            if name in holder:
                raise ValueError(f"card {name} is dealt twice, to seats {holder[name]} and {seat}")
            if name not in rules.deck:
                raise ValueError(f"card {name}, dealt to seat {seat}, is not in the deck")
            holder[name] = seat
        boards.append(hand_bits(hand))
    if len(holder) != len(rules.deck):
        missing = [name for name in rules.deck if name not in holder]
        raise ValueError(
            f"the deal has {len(holder)} cards instead of {len(rules.deck)}: "
            f"{', '.join(missing)} missing"
        )
    for seat, hand in enumerate(hands):
        if len(hand) != rules.tricks:
            raise ValueError(f"seat {seat} has {len(hand)} cards; allowed: {rules.tricks}")
    if not is_integer(dealer):
        raise ValueError(f"dealer is {dealer!r}; allowed: a seat from 0 to {players - 1}")
    if not 0 <= dealer < players:
        raise ValueError(f"dealer is seat {dealer}; allowed: a seat from 0 to {players - 1}")
    if not isinstance(trump, str) or trump not in rules.trumps:
        raise ValueError(f"trump is {trump!r}; allowed: {', '.join(rules.trumps)}")
    suit = suit_index(trump)
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


def deal_arguments(deal: object) -> dict[str, Any]:
    """A deal given as a mapping, its keys checked.

    Raises:
        ValueError: unless it is a mapping with hands, trump, dealer and perhaps turned_up.
    """
    if not isinstance(deal, Mapping):
        raise ValueError(f"deal is {deal!r}; allowed: a mapping with hands, trump and dealer")
    known = ("hands", "trump", "dealer", "turned_up")
    for key in deal:
        if key not in known:
            raise ValueError(f"unknown key {key!r} in the deal; keys are {', '.join(known)}")
    for key in known[:3]:
        if key not in deal:
            raise ValueError(f"{key} is missing in the deal; it needs hands, trump and dealer")
    return dict(deal)
