"""Text: a table in plain characters, as one seat sees it or open."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .cards import SIDE_ORDER, SUITS, TRUMP_ORDER
from .transcript import RecordReading
from .words import ENGLISH, Words

if TYPE_CHECKING:
    from .game import Game
    from .view import PlayerView

SUIT_ORDER = "CDSH"
"""Suits side by side in a hand, so that colours alternate."""


def counted(number: int, one: str, many: str) -> str:
    """A number and what it counts: ``"1 match"``, ``"2 matches"``."""
    return f"{number} {one if number == 1 else many}"


def harmless(text: str) -> str:
    """A text from outside, such as a name in a record, without anything that steers a terminal."""
    return "".join(c if c.isprintable() else "?" for c in text)


def suit_text(names: Sequence[str], suit: str, trump: str) -> str:
    """The ranks of one suit in a hand, the highest first: ``"J 9 A"`` for a trump suit."""
    order = TRUMP_ORDER if suit == trump else SIDE_ORDER
    return " ".join(rank for rank in order if suit + rank in names)


def hand_text(names: Sequence[str], trump: str, words: Words = ENGLISH) -> str:
    """A hand suit by suit, the highest card first: ``"♣ A K   ♦ J 9"``."""
    held = []
    for suit in SUITS:
        ranks = suit_text(names, suit, trump).split()
        if ranks:
            held.append(f"{words.mark(suit)} {' '.join(map(words.rank, ranks))}")
    return "   ".join(held) or "–"


def view_text(view: "PlayerView", words: Words = ENGLISH) -> str:
    """The table as the seat of the view sees it, several lines."""
    return _table_text(view, {view.seat: view.hand}, view.seat, view.lawful_cards, words)


def game_text(game: "Game", words: Words = ENGLISH) -> str:
    """The open table: all hands and all bids, several lines."""
    return _table_text(game, dict(enumerate(game.hands)), None, [], words)


def _table_text(
    table: RecordReading,
    hands: dict[int, list[str]],
    own_seat: int | None,
    lawful: list[str],
    words: Words,
) -> str:
    """Lines for a Game or a PlayerView; only what the table object itself gives is shown."""
    rules, turned_up = table.rules, table.turned_up
    lines = [
        words(
            "text_heading",
            deal=table.deal_number + 1,
            deals=rules.deals,
            trump=words.mark(table.trump),
            turned_up=words("text_turned_up", card=words.card(turned_up)) if turned_up else "",
            trick=min(len(table.tricks) + 1, rules.tricks),
            tricks=rules.tricks,
        ),
        *_seats_text(table, own_seat, words),
    ]
    if table.tricks:
        last = table.tricks[-1]
        cards = " ".join(words.card(card) for card in last["cards"])
        lines.append(words("text_last", **(last | {"cards": cards})))
    for seat, hand in hands.items():
        whose = "text_hand" if seat == own_seat else "text_hand_of"
        lines.append(words(whose, seat=seat, cards=hand_text(hand, table.trump, words)))
    if lawful:
        lines.append(words("text_lawful", cards=" ".join(words.card(card) for card in lawful)))
    if table.phase == "over":
        lines.append(words("text_over"))
    return "\n".join(lines)


def _seats_text(table: RecordReading, own_seat: int | None, words: Words) -> list[str]:
    """A heading, and a line a seat."""
    bids = table.bids
    has_bid = table.has_bid
    order = [seat for seat, _ in table.trick]
    trick = dict(table.trick)
    labels = [words(label) for label in ("bid", "points", "total")]
    heading = f"{'':>7}  {labels[0]:>3}  {labels[1]}  {labels[2]}  {words('text_on_table')}"
    lines = [heading]
    for seat in range(table.rules.players):
        bid = str(bids[seat]) if bids[seat] is not None else ("?" if has_bid[seat] else "–")
        cells = (bid, table.points[seat], table.penalties[seat])
        row = "  ".join(f"{cell:>{len(label)}}" for cell, label in zip(cells, labels, strict=True))
        played = f"{order.index(seat) + 1}. {words.card(trick[seat])}" if seat in trick else ""
        marks = " *" if seat == table.current_seat else ""
        marks += words("text_dealer") if seat == table.dealer else ""
        name = words("you") if seat == own_seat else words("seat", seat=seat)
        lines.append(f"{name:>7}  {row}  {played:<6}{marks}".rstrip())
    return lines
