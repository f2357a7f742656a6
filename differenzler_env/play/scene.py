"""Play: what is shown of a table, worked out from what may be seen of it. No terminal in here.

A seat's scene is made from its :class:`PlayerView` and from nothing else.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

from ..game import Game
from ..text import SUIT_ORDER, harmless, suit_text
from ..transcript import RecordReading, seats_in_order
from ..view import PlayerView
from ..words import Words

HIDDEN = "none"
OPEN = "open"
OWN = {
    "takes": "you_take",
    "plays": "you_play",
    "bids_open": "you_bid",
    "bids_done": "you_have_bid",
}
"""Message about a seat → the same to the person who sits there."""


@dataclass(frozen=True)
class SeatRow:
    """A line about one seat. ``hand`` is empty where it is not shown."""

    name: str
    bid: str
    points: int
    total: int
    deals: bool
    acts: bool
    hand: tuple[str, ...] = ()


@dataclass(frozen=True)
class HandCard:
    """A card in one's own hand; ``lawful`` while it may be played."""

    card: str
    lawful: bool


@dataclass(frozen=True)
class Scene:
    """A table as it is shown.

    Attributes:
        heading: deal, trick and trump.
        rows: a line a seat.
        trick: names and cards on the table, in the order played.
        taken: who takes the trick, once it is complete.
        last: the trick before, in words; empty where there is none.
        hand: one's own cards, as they are laid out.
        account: one's own bid, points and what is missing; empty before the bid.
    """

    heading: str
    rows: tuple[SeatRow, ...]
    trick: tuple[tuple[str, str], ...]
    taken: str
    last: str
    hand: tuple[HandCard, ...] = ()
    account: str = ""


def seat_names(specs: Sequence[str], own_seat: int | None, words: Words) -> list[str]:
    """Short names for the screen: ``"you"``, ``"thumb 1"``, ``"swisslos 2"``."""
    return [
        words("you") if seat == own_seat else f"{short_name(spec)} {seat}"
        for seat, spec in enumerate(specs)
    ]


def short_name(spec: str) -> str:
    """An agent in at most twelve characters, harmless to terminals: ``"swisslos"``."""
    name = PurePath(spec.partition("?")[0]).name.removesuffix(".safetensors")
    name = harmless(name.rpartition(":")[2])
    return name if len(name) <= 12 else name[:11] + "…"


def sentence(message: str, who: str, words: Words, **values: object) -> str:
    """A sentence about a seat, by its name: what it did."""
    return words(OWN[message] if who == words("you") else message, who=who, **values)


def sorted_hand(hand: Sequence[str], trump: str) -> list[str]:
    """A hand as it is held: trumps first, then suit by suit, each from high to low."""
    suits = trump + SUIT_ORDER.replace(trump, "")
    return [suit + rank for suit in suits for rank in suit_text(hand, suit, trump).split()]


def seat_scene(
    view: PlayerView, names: Sequence[str], words: Words, trick_over: bool = False
) -> Scene:
    """What a seat sees.

    Args:
        view: what the seat may know.
        names: of the seats.
        words: the language.
        trick_over: the trick just completed still lies on the table.
    """
    scene = _scene(view, _bids(view, words), {}, names, words, trick_over)
    lawful = view.lawful_cards
    hand = tuple(HandCard(card, card in lawful) for card in sorted_hand(view.hand, view.trump))
    return replace(scene, hand=hand, account=_account(view, words))


def watched_scene(
    game: Game, shown: int | str, names: Sequence[str], words: Words, trick_over: bool = False
) -> Scene:
    """What a spectator sees.

    Args:
        game: the match.
        shown: ``"open"`` for all hands and bids, ``"none"`` for what lies on the table only, or a
            seat for what it sees.
        names: of the seats.
        words: the language.
        trick_over: the trick just completed still lies on the table.
    """
    if shown == OPEN:
        hands = {seat: sorted_hand(hand, game.trump) for seat, hand in enumerate(game.hands)}
        return _scene(game, _bids(game, words), hands, names, words, trick_over)
    if shown != HIDDEN:
        view = game.view(int(shown))
        hands = {view.seat: sorted_hand(view.hand, view.trump)}
        return _scene(view, _bids(view, words), hands, names, words, trick_over)
    # What two seats both see, everybody sees: of each seat's bid another seat tells.
    seats = range(game.rules.players)
    others = [game.view((seat + 1) % game.rules.players) for seat in seats]
    bids = [_bids(others[seat], words)[seat] for seat in seats]
    return _scene(others[0], bids, {}, names, words, trick_over)


def _scene(
    table: RecordReading,
    bids: Sequence[str],
    hands: dict[int, list[str]],
    names: Sequence[str],
    words: Words,
    trick_over: bool,
) -> Scene:
    rows = tuple(
        SeatRow(
            name=names[seat],
            bid=bids[seat],
            points=table.points[seat],
            total=table.penalties[seat],
            deals=seat == table.dealer,
            acts=seat == table.current_seat and not trick_over,
            hand=tuple(hands.get(seat, ())),
        )
        for seat in range(table.rules.players)
    )
    tricks, trick, taken = table.tricks, table.trick, ""
    if trick_over and tricks:
        done = tricks.pop()
        trick = seats_in_order(done, table.rules.players)
        taken = trick_taken(done, names, words)
    on_table = tuple((names[seat], card) for seat, card in trick)
    last = last_trick(tricks[-1], names, words) if tricks else ""
    return Scene(heading(table, words, trick_over), rows, on_table, taken, last)


def heading(table: RecordReading, words: Words, trick_over: bool = False) -> str:
    """Deal, trick and trump of a table."""
    rules = table.rules
    parts = [words("deal_of", deal=table.deal_number + 1, deals=rules.deals)]
    if table.phase == "bid":
        parts.append(words("bidding"))
    else:
        trick = min(len(table.tricks) + (not trick_over), rules.tricks)
        parts.append(words("trick_of", trick=trick, tricks=rules.tricks))
    trump = table.trump
    parts.append(f"{words('trump')} {words.mark(trump)} {words.suit(trump)}")
    if table.turned_up:
        parts.append(words("turned_up", card=words.card(table.turned_up)))
    return "   ".join(parts)


def _bids(table: RecordReading, words: Words) -> list[str]:
    """What is shown of each bid: the number where it is known, else whether it is given."""
    return [
        str(bid) if bid is not None else words("has bid") if given else "–"
        for bid, given in zip(table.bids, table.has_bid, strict=True)
    ]


def _account(view: PlayerView, words: Words) -> str:
    bid, points = view.bid, view.points[view.seat]
    if bid is None:
        return ""
    left = bid - points
    message = "to_go" if left > 0 else "too_many" if left < 0 else "exact"
    return words(message, bid=bid, points=points, left=abs(left))


def trick_taken(trick: dict[str, Any], names: Sequence[str], words: Words) -> str:
    """Who takes a trick, as a sentence."""
    return sentence("takes", names[trick["winner"]], words, points=trick["points"])


def last_trick(trick: dict[str, Any], names: Sequence[str], words: Words) -> str:
    """A complete trick on one line."""
    return words(
        "last_trick",
        cards=" ".join(words.card(card) for card in trick["cards"]),
        leader=names[trick["leader"]],
        points=trick["points"],
        winner=names[trick["winner"]],
    )


def result_text(winners: Sequence[int], names: Sequence[str], words: Words) -> str:
    """Who has won a match, as a sentence; ties are shared."""
    you = words("you")
    others = [names[seat] for seat in winners if names[seat] != you]
    if len(others) < len(winners):
        return words("you_share", who=words.joined(others)) if others else words("you_win")
    return words("wins" if len(others) == 1 else "share", who=words.joined(others))


def ranking(totals: Sequence[int]) -> list[tuple[int, int]]:
    """Seats by their sums, the lowest first, each with its rank; seats that tie share one."""
    seats = sorted(range(len(totals)), key=lambda seat: (totals[seat], seat))
    return [(1 + sum(total < totals[seat] for total in totals), seat) for seat in seats]
