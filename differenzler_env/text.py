"""Text: a table in plain characters, as one seat sees it or open."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .cards import SIDE_ORDER, SUITS, TRUMP_ORDER

if TYPE_CHECKING:
    from .game import Game
    from .view import PlayerView

SUIT_SYMBOLS = dict(zip(SUITS, "♣♦♥♠", strict=True))


def card_text(name: str) -> str:
    """A card with its suit symbol: ``"D10"`` becomes ``"♦10"``."""
    return SUIT_SYMBOLS[name[0]] + name[1:]


def suit_text(names: Sequence[str], suit: str, trump: str) -> str:
    """The ranks of one suit in a hand, the highest first: ``"J 9 A"`` for a trump suit."""
    order = TRUMP_ORDER if suit == trump else SIDE_ORDER
    return " ".join(rank for rank in order if suit + rank in names)


def hand_text(names: Sequence[str], trump: str) -> str:
    """A hand suit by suit, the highest card first: ``"♣ A K   ♦ J 9"``."""
    ranks = {suit: suit_text(names, suit, trump) for suit in SUITS}
    held = [f"{SUIT_SYMBOLS[suit]} {ranks[suit]}" for suit in SUITS if ranks[suit]]
    return "   ".join(held) or "–"


def view_text(view: "PlayerView") -> str:
    """The table as the seat of the view sees it, several lines."""
    return _table_text(view, {view.seat: view.hand}, view.seat, view.lawful_cards)


def game_text(game: "Game") -> str:
    """The open table: all hands and all bids, several lines."""
    return _table_text(game, dict(enumerate(game.hands)), None, [])


def _table_text(
    table: Any, hands: dict[int, list[str]], own_seat: int | None, lawful: list[str]
) -> str:
    """Lines for a Game or a PlayerView; only what the table object itself gives is shown."""
    rules, players = table.rules, table.rules.players
    turned_up = f" (turned up {card_text(table.turned_up)})" if table.turned_up else ""
    trick_number = min(len(table.tricks) + 1, rules.tricks)
    lines = [
        f"Deal {table.deal_number + 1} of {rules.deals}   trump {SUIT_SYMBOLS[table.trump]}"
        f"{turned_up}   trick {trick_number} of {rules.tricks}"
    ]
    bids = table.bids
    has_bid = getattr(table, "has_bid", [bid is not None for bid in bids])
    trick = dict(table.trick)
    order = [seat for seat, _ in table.trick]
    lines.append("         bid  points  total  on the table")
    for seat in range(players):
        bid = str(bids[seat]) if bids[seat] is not None else ("?" if has_bid[seat] else "–")
        played = f"{order.index(seat) + 1}. {card_text(trick[seat])}" if seat in trick else ""
        marks = " *" if seat == table.current_seat else ""
        marks += " (dealer)" if seat == table.dealer else ""
        you = "you" if seat == own_seat else f"seat {seat}"
        lines.append(
            f"{you:>7}  {bid:>3}  {table.points[seat]:>6}  {table.penalties[seat]:>5}  "
            f"{played:<6}{marks}".rstrip()
        )
    if table.tricks:
        last = table.tricks[-1]
        cards = " ".join(card_text(card) for card in last["cards"])
        lines.append(
            f"last trick: {cards}, led by seat {last['leader']}, {last['points']} points to seat "
            f"{last['winner']}"
        )
    for seat, hand in hands.items():
        whose = "hand" if seat == own_seat else f"hand of seat {seat}"
        lines.append(f"{whose}: {hand_text(hand, table.trump)}")
    if lawful:
        lines.append(f"lawful: {' '.join(card_text(card) for card in lawful)}")
    if table.phase == "over":
        lines.append("the match is over")
    return "\n".join(lines)
