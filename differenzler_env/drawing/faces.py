"""Drawing: playing cards with French suits, as symbols. Each is made once and then kept."""

import math
from functools import lru_cache

from ..cards import RANKS
from .shapes import Box, Colour, Disc, Laid, Line, Point, Polygon, Shape, Symbol, Text

RED, BLACK = (190, 28, 44), (30, 32, 40)
PAPER, EDGE = (253, 251, 244), (176, 170, 156)
GOLD = (226, 182, 74)
BACK, BACK_LINE = (126, 30, 44), (216, 170, 120)
SHADE = (52, 70, 66, 118)
HEIGHT = 1.42
"""Height of a card over its width."""
SMALL = 70
"""Below this width a face is a large suit only."""

_COURT_TINT = {"J": (224, 234, 246), "Q": (250, 228, 226), "K": (250, 238, 204)}
_LEFT, _MIDDLE, _RIGHT = 0.335, 0.5, 0.665
_PAIRS: dict[str, tuple[tuple[float, ...], tuple[float, ...]]] = {
    # rows of pips in both columns, then those in the middle; heights as shares of the card
    "6": ((0.19, 0.50, 0.81), ()),
    "7": ((0.19, 0.50, 0.81), (0.345,)),
    "8": ((0.19, 0.50, 0.81), (0.345, 0.655)),
    "9": ((0.17, 0.39, 0.61, 0.83), (0.50,)),
    "10": ((0.17, 0.39, 0.61, 0.83), (0.28, 0.72)),
}


def suit_colour(suit: str) -> Colour:
    """Red for diamonds and hearts, black for clubs and spades."""
    return RED if suit in "DH" else BLACK


def _around(steps: int = 60) -> list[float]:
    return [2 * math.pi * step / steps for step in range(steps)]


def _heart() -> list[Point]:
    points = []
    for t in _around():
        x = 16 * math.sin(t) ** 3
        y = -(13 * math.cos(t) - 5 * math.cos(2 * t) - 2 * math.cos(3 * t) - math.cos(4 * t))
        points.append((0.5 + x / 34, 0.47 + y / 34))
    return points


def _diamond() -> list[Point]:
    hollow = 2.25  # above 2 the sides bend inwards
    return [
        (
            0.5 + 0.38 * math.copysign(abs(math.cos(t)) ** hollow, math.cos(t)),
            0.5 + 0.49 * math.copysign(abs(math.sin(t)) ** hollow, math.sin(t)),
        )
        for t in _around()
    ]


def _stem() -> list[Point]:
    shares = [step / 16 for step in range(17)]
    left = [(0.5 - 0.02 - 0.17 * share**2.4, 0.55 + 0.42 * share) for share in shares]
    return left + [(1 - x, y) for x, y in reversed(left)]


@lru_cache(maxsize=256)
def pip(suit: str, size: float) -> Symbol:
    """A suit's shape in its colour, ``size`` by ``size``."""
    colour = suit_colour(suit)

    def polygon(points: list[Point]) -> Shape:
        # Hundredths of a pixel are enough, and keep a picture as text small.
        return Polygon(tuple((round(x * size, 2), round(y * size, 2)) for x, y in points), colour)

    def disc(x: float, y: float, radius: float) -> Shape:
        return Disc(x * size, y * size, radius * size, colour)

    shapes = {
        "H": lambda: [polygon(_heart())],
        "D": lambda: [polygon(_diamond())],
        "S": lambda: [polygon([(x, 0.86 - y * 0.88) for x, y in _heart()]), polygon(_stem())],
        "C": lambda: [
            disc(0.5, 0.255, 0.225),
            disc(0.275, 0.585, 0.225),
            disc(0.725, 0.585, 0.225),
            disc(0.5, 0.48, 0.12),
            polygon(_stem()),
        ],
    }[suit]()
    return Symbol(_named("pip", suit, size), size, size, tuple(shapes))


def _named(*parts: object) -> str:
    return "-".join(str(part).replace(".", "_") for part in parts)


def _paper(width: float) -> Box:
    radius, line = width * 0.085, max(1.0, width / 90)
    return Box(0, 0, width, width * HEIGHT, radius, PAPER, EDGE, line)


def _rank(x: float, y: float, rank: str, suit: str, size: float) -> Text:
    """A rank; a long one is squeezed to the width of the others."""
    width = size * 0.9 if len(rank) > 1 else None
    return Text(x, y, rank, size, suit_colour(suit), bold=True, width=width)


@lru_cache(maxsize=512)
def _corner(card: str, size: float, in_row: bool) -> Symbol:
    """The rank with the suit below it, or beside it in a row."""
    suit, rank = card[0], card[1:]
    mark = pip(suit, round(size * 0.86, 1))
    name = _named("corner", card, size, "row" if in_row else "column")
    text = _rank(size / 2, size * 0.45, rank, suit, size * 1.12)
    if in_row:
        return Symbol(name, size * 2.3, size, (text, Laid(mark, size * 1.7, size * 0.5)))
    return Symbol(name, size, size * 1.95, (text, Laid(mark, size / 2, size * 1.42)))


@lru_cache(maxsize=512)
def card_face(card: str, width: int, dim: bool = False, in_row: bool = False) -> Symbol:
    """The face of a card such as ``"D10"``.

    Args:
        card: its text.
        width: in pixels; below :data:`SMALL` the face is a large suit only.
        dim: darker, as for a card that cannot be played.
        in_row: rank and suit side by side in the corner, for cards that lie below one another.
    """
    suit, rank = card[0], card[1:]
    small, high = width < SMALL, width * HEIGHT
    corner = _corner(card, round(width * (0.30 if small else 0.175), 1), in_row)
    x, y = width * 0.06 + corner.width / 2, width * 0.06 + corner.height / 2
    shapes: list[Shape] = [_paper(width)]
    if small or rank == "A":
        mark = pip(suit, round(width * 0.46, 1))
        at = (0.64, 0.68) if small else (0.5, 0.5)
        shapes.append(Laid(mark, width * at[0], high * at[1]))
    elif rank in _PAIRS:
        shapes += _pips(suit, rank, width)
    else:
        shapes += _court(suit, rank, width)
    shapes.append(Laid(corner, x, y))
    if not small:
        shapes.append(Laid(corner, width - x, high - y, 180))
    if dim:
        shapes.append(Box(0, 0, width, high, width * 0.085, SHADE))
    name = _named("card", card, width, *(["dim"] if dim else []), *(["row"] if in_row else []))
    return Symbol(name, width, high, tuple(shapes))


def _pips(suit: str, rank: str, width: float) -> list[Shape]:
    mark = pip(suit, round(width * 0.165, 1))
    rows, middle = _PAIRS[rank]
    places = [(column, share) for share in rows for column in (_LEFT, _RIGHT)]
    places += [(_MIDDLE, share) for share in middle]
    return [
        Laid(mark, width * column, width * HEIGHT * share, 180 if share > 0.5 else 0)
        for column, share in places
    ]


def _court(suit: str, rank: str, width: float) -> list[Shape]:
    """Jack, queen and king: a framed panel, crossed by bands, with the letter between two pips."""
    high, colour = width * HEIGHT, suit_colour(suit)
    left, top, right, bottom = width * 0.25, high * 0.1, width * 0.75, high * 0.9
    frame = (left, top, right - left, bottom - top, width * 0.035)
    shapes: list[Shape] = [Box(*frame, fill=_COURT_TINT[rank])]
    for shift, tint, thick in ((0.13, GOLD, 0.03), (0.05, colour, 0.014)):
        for side in (-1, 1):
            low = bottom - width * (0.17 - shift * side)
            high_end = top + width * (0.17 + shift * side)
            half = width * thick * 0.8  # upright, for a band that lies aslant
            ends = [(left, low - half), (right, high_end - half)]
            shapes.append(
                Polygon((*ends, (right, high_end + half), (left, low + half)), tuple(tint))
            )
    middle = (width / 2, high / 2)
    shapes.append(Disc(*middle, width * 0.185, PAPER, GOLD, width * 0.02))
    shapes.append(_rank(*middle, rank, suit, width * 0.27))
    mark = pip(suit, round(width * 0.15, 1))
    shapes.append(Laid(mark, left + width * 0.115, top + width * 0.125))
    shapes.append(Laid(mark, right - width * 0.115, bottom - width * 0.125, 180))
    return [*shapes, Box(*frame, outline=colour, thickness=width * 0.013)]


@lru_cache(maxsize=8)
def card_back(width: int) -> Symbol:
    """The back of a card."""
    high, border = width * HEIGHT, width * 0.07
    left, top, right, bottom = border, border, width - border, high - border
    frame = (left, top, right - left, bottom - top, width * 0.05)
    shapes: list[Shape] = [_paper(width), Box(*frame, fill=BACK)]
    # Both families of lines x − y = c and x + y = c, cut off at the frame.
    step, thick = width / 7, max(0.5, width * 0.012)
    for number in range(-10, 18):
        c = number * step
        low, high_end = max(left, top + c), min(right, bottom + c)
        if low < high_end:
            shapes.append(Line((low, low - c), (high_end, high_end - c), BACK_LINE, thick))
        low, high_end = max(left, c - bottom), min(right, c - top)
        if low < high_end:
            shapes.append(Line((low, c - low), (high_end, c - high_end), BACK_LINE, thick))
    shapes.append(Box(*frame, outline=BACK_LINE, thickness=width * 0.02))
    return Symbol(_named("back", width), width, high, tuple(shapes))


assert set(RANKS) == {*_PAIRS, *_COURT_TINT, "A"}
