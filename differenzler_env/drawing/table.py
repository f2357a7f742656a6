"""Drawing: a table, from one seat's view or open.

The seat whose view it is sits at the bottom, the others around the table in the order of play,
which runs to the right.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from ..cards import card_index
from ..text import SUIT_ORDER
from ..transcript import RecordReading
from ..words import ENGLISH, Words
from .faces import ASPECT, GOLD, PAPER, card_back, card_face
from .pips import pip
from .shapes import Box, Colour, Disc, Drawing, Glow, Laid, Shape, Text

WIDTH, HEIGHT = 1200, 820
"""Of the picture, in pixels."""
CENTRE = (600, 376)
WOOD, WOOD_LIGHT, WOOD_DARK = (96, 60, 34), (146, 100, 60), (52, 31, 17)
FELT = Glow((30, 110, 80), (10, 56, 42))
PLATE, PLATE_EDGE = (7, 34, 27, 205), (70, 132, 108)
IVORY, FAINT = (246, 241, 226), (158, 196, 176)

OWN_CARD, TRICK_CARD, OTHER_CARD, OPEN_CARD, LAST_CARD = 110, 106, 60, 66, 38
_PLATE_SIZE = (196, 74)


class Place(NamedTuple):
    """A place at the table, in pixels; turns in degrees, counter-clockwise."""

    cards: tuple[int, int]  # middle of the hand
    turn: int  # of the hand
    plate: tuple[int, int]  # middle of the plate
    trick: tuple[int, int]  # the card played, from the middle of the table
    tilt: int  # of that card


BOTTOM = Place((600, 702), 0, (600, 566), (0, 72), -2)
RIGHT = Place((1116, 384), 90, (970, 384), (124, 0), -4)
LEFT = Place((84, 384), -90, (230, 384), (-124, 0), 5)
TOP = Place((600, 86), 180, (600, 186), (0, -72), 3)
TOP_RIGHT = Place((840, 86), 180, (840, 186), (66, -78), 5)
TOP_LEFT = Place((360, 86), 180, (360, 186), (-66, -78), -4)
_AROUND = {
    2: (TOP,),
    3: (RIGHT, LEFT),
    4: (RIGHT, TOP, LEFT),
    5: (RIGHT, TOP_RIGHT, TOP_LEFT, LEFT),
}
"""Places of the others by the number of players, in the order of play."""


def table_drawing(
    table: Any,
    words: Words = ENGLISH,
    names: Sequence[str] = (),
    trick: Sequence[tuple[int, str]] | None = None,
    deal: tuple[int, int] | None = None,
) -> Drawing:
    """The table now.

    Args:
        table: a PlayerView, drawn with what it holds; or a Game, drawn open, with all hands and
            bids and seat 0 at the bottom.
        words: the language, and which cards.
        names: of the seats; their numbers where not given.
        trick: (seat, card) in the order played, drawn in place of the trick on the table; for one
            that has just been completed.
        deal: (number of the deal, from 0, deals of the match), where not as the table has them: for
            a deal of a match that is played by itself.
    """
    own_seat = getattr(table, "seat", None)
    bottom = own_seat or 0
    hands = {own_seat: table.hand} if own_seat is not None else dict(enumerate(table.hands))
    # None where the seat is not to play a card: its hand is then not dimmed.
    lawful = (set(table.lawful_cards) or None) if own_seat is not None else None
    places = _places(table.rules.players, bottom)
    shapes = [*_felt()]
    for seat, place in places.items():
        if seat == bottom:
            shapes += _own_hand(hands[seat], lawful, words.cards)
        elif seat in hands:
            shapes += _open_hand(place, hands[seat], words.cards)
        else:
            shapes += _backs(place, _cards_left(table, seat))
    shapes += _trick(table.trick if trick is None else trick, places, words.cards)
    shapes += _trump(table, words)
    shapes += _progress(table, words, deal or (table.deal_number, table.rules.deals))
    for seat, place in places.items():
        name = names[seat] if names else words("Seat", seat=seat)
        if seat == own_seat and not names:
            name += f" ({words('you')})"
        shapes += _plate(table, seat, place, name, words)
    return Drawing(WIDTH, HEIGHT, tuple(shapes))


def _places(players: int, bottom: int) -> dict[int, Place]:
    others = enumerate(_AROUND[players], start=1)
    return {bottom: BOTTOM} | {(bottom + distance) % players: place for distance, place in others}


def _cards_left(table: RecordReading, seat: int) -> int:
    played = len(table.tricks) + sum(who == seat for who, _ in table.trick)
    return table.rules.tricks - played


@lru_cache(maxsize=1)
def _felt() -> tuple[Shape, ...]:
    """The empty table: a wooden frame around felt, which the frame throws a shadow on."""
    shapes: list[Shape] = [Box(0, 0, WIDTH, HEIGHT, fill=WOOD)]
    for inset in range(26):
        share = abs(inset - 9) / 17
        colour = tuple(
            round(light * (1 - share) + dark * share)
            for light, dark in zip(WOOD_LIGHT, WOOD_DARK, strict=True)
        )
        size = (WIDTH - 2 * inset, HEIGHT - 2 * inset)
        shapes.append(Box(inset, inset, *size, outline=colour, thickness=1))
    for inset in range(22, 44, 2):
        size = (WIDTH - 2 * inset, HEIGHT - 2 * inset)
        fill = FELT if inset == 22 else None
        dark = (0, 0, 0, 100 - 10 * (inset - 22) // 2)
        shapes.append(Box(inset, inset, *size, 34 - (inset - 22) / 2, fill, dark, 2))
    edge = (WIDTH - 44, HEIGHT - 44)
    shapes.append(Box(22, 22, *edge, 34, outline=WOOD_DARK, thickness=2))
    return tuple(shapes)


# Hands and trick ---------------------------------------------------------------------------


def _fan(number: int, spacing: float, drop: float) -> list[tuple[float, float, float]]:
    """Offsets along and across a fan, whose ends drop so far, and its turns, card by card."""
    middle = (number - 1) / 2
    bend = min(0.85, drop / max(middle, 1) ** 2)
    return [
        ((i - middle) * spacing, (i - middle) ** 2 * bend, -(i - middle) * bend * 2.1)
        for i in range(number)
    ]


def _own_hand(hand: Sequence[str], lawful: set[str] | None, cards: str) -> list[Shape]:
    spacing = min(92.0, 930 / max(len(hand), 1))
    x, y = BOTTOM.cards
    shapes: list[Shape] = []
    held = sorted(hand, key=display_order)
    for card, (along, across, turn) in zip(held, _fan(len(hand), spacing, 14), strict=True):
        dim = lawful is not None and card not in lawful
        raised = 14 if lawful is not None and not dim else 0
        face = card_face(card, OWN_CARD, dim, cards=cards)
        shapes.append(Laid(face, x + along, y + across - raised, round(turn, 2), shadow=True))
    return shapes


def display_order(card: str) -> tuple[int, int]:
    """Clubs, diamonds, spades, hearts: colours alternate; each suit from low to high."""
    return SUIT_ORDER.index(card[0]), card_index(card)


def _backs(place: Place, left: int) -> list[Shape]:
    """A hidden hand, turned towards its seat."""
    x, y = place.cards
    spacing = min(22.0, 200 / max(left, 1))
    shapes: list[Shape] = []
    for along, across, bend in _fan(left, spacing, 7):
        dx, dy = _turned(along, across, place.turn)
        turn = round(place.turn + bend, 2)
        shapes.append(Laid(card_back(OTHER_CARD), x + dx, y + dy, turn, shadow=True))
    return shapes


def _open_hand(place: Place, hand: Sequence[str], cards: str) -> list[Shape]:
    """Open hands lie upright, so that they can be read."""
    x, y = place.cards
    below = place.turn in (90, -90)
    held = sorted(hand, key=display_order)
    spacing = min(27.0, 250 / max(len(held), 1))
    shapes: list[Shape] = []
    for card, (along, _, _) in zip(held, _fan(len(held), spacing, 0), strict=True):
        face = card_face(card, OPEN_CARD, in_row=below, cards=cards)
        dx, dy = (0.0, along) if below else (along, 0.0)
        shapes.append(Laid(face, x + dx, y + dy, shadow=True))
    return shapes


def _turned(along: float, across: float, turn: float) -> tuple[float, float]:
    """An offset of a fan turned counter-clockwise by 0, 90, 180 or −90 degrees."""
    return {
        0: (along, across),
        90: (across, -along),
        180: (-along, -across),
        -90: (-across, along),
    }[round(turn)]


def _trick(trick: Sequence[tuple[int, str]], places: dict[int, Place], cards: str) -> list[Shape]:
    """The cards played, and then their numbers in the order of play."""
    laid: list[Shape] = []
    numbers: list[Shape] = []
    for number, (seat, card) in enumerate(trick, start=1):
        x, y = CENTRE[0] + places[seat].trick[0], CENTRE[1] + places[seat].trick[1]
        laid.append(
            Laid(card_face(card, TRICK_CARD, cards=cards), x, y, places[seat].tilt, shadow=True)
        )
        corner = (x + TRICK_CARD * 0.5 - 4, y - TRICK_CARD * ASPECT * 0.5 + 4)
        numbers.append(Disc(*corner, 13, GOLD, WOOD_DARK, 1))
        numbers.append(Text(*corner, str(number), 16, WOOD_DARK, bold=True))
    return laid + numbers


# Plates ------------------------------------------------------------------------------------


def _panel(left: float, top: float, width: float, height: float, lit: bool = False) -> Box:
    outline, thickness = (GOLD, 3) if lit else (PLATE_EDGE, 1)
    return Box(left, top, width, height, 12, PLATE, outline, thickness)


def _plate(table: RecordReading, seat: int, place: Place, name: str, words: Words) -> list[Shape]:
    x, y = place.plate
    wide, high = _PLATE_SIZE
    acts = table.current_seat == seat
    left, top = x - wide // 2, y - high // 2
    colour: Colour = GOLD if acts else IVORY
    shown = name if len(name) <= 15 or table.dealer != seat else name[:14] + "…"
    shapes: list[Shape] = [
        _panel(left, top, wide, high, acts),
        Text(left + 14, top + 19, shown, 17, colour, "start", bold=True),
    ]
    if table.dealer == seat:
        shapes.append(Text(left + wide - 14, top + 19, words("dealer"), 13, FAINT, "end"))
    values = (
        ("bid", _bid_text(table, seat)),
        ("points", str(table.points[seat])),
        ("total", str(table.penalties[seat])),
    )
    for column, (label, value) in enumerate(values):
        middle = left + wide * (2 * column + 1) / 6
        shapes.append(Text(middle, top + 44, value, 18, IVORY, bold=True))
        shapes.append(Text(middle, top + 62, words(label), 11, FAINT))
    return shapes


def _bid_text(table: RecordReading, seat: int) -> str:
    if table.bids[seat] is not None:
        return str(table.bids[seat])
    return "?" if table.has_bid[seat] else "-"


def _trump(table: RecordReading, words: Words) -> list[Shape]:
    left, top, wide, high = 46, 46, 164, 128
    x = left + wide // 2 - (32 if table.turned_up else 0)
    shapes: list[Shape] = [
        _panel(left, top, wide, high),
        Text(left + wide / 2, top + 20, words("trump"), 15, FAINT),
        Disc(x, top + 76, 41, PAPER, GOLD, 2.5),
        Laid(pip(table.trump, 52, words.cards), x, top + 76),
    ]
    if table.turned_up:
        turned_up = card_face(table.turned_up, 56, cards=words.cards)
        shapes.append(Laid(turned_up, left + wide - 42, top + 77, -4, shadow=True))
    return shapes


def _progress(table: RecordReading, words: Words, deal: tuple[int, int]) -> list[Shape]:
    number, deals = deal
    rules = table.rules
    wide, high = 164, 128
    left, top = WIDTH - 46 - wide, 46
    middle = left + wide / 2
    if table.phase == "over":
        stage = words("match over")
    elif table.phase == "bid":
        stage = words("bidding")
    else:
        stage = words("trick_of", trick=len(table.tricks) + 1, tricks=rules.tricks)
    shapes: list[Shape] = [
        _panel(left, top, wide, high),
        Text(middle, top + 20, words("deal_of", deal=number + 1, deals=deals), 15, IVORY),
        Text(middle, top + 41, stage, 15, IVORY),
    ]
    if table.tricks:
        last = table.tricks[-1]
        spacing = 27 if len(last["cards"]) < 5 else 24
        start = middle - (len(last["cards"]) - 1) / 2 * spacing
        for i, card in enumerate(last["cards"]):
            face = card_face(card, LAST_CARD, cards=words.cards)
            shapes.append(Laid(face, start + i * spacing, top + 80, shadow=True))
        text = words("points_to_seat", points=last["points"], seat=last["winner"])
        shapes.append(Text(middle, top + 117, text, 12, FAINT))
    return shapes
