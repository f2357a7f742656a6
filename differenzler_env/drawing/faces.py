"""Drawing: playing cards, French or Swiss-German, as symbols. Each is made once and then kept."""

from functools import lru_cache

from ..cards import RANKS
from ..words import Words
from .pips import SUIT_COLOURS, pip, symbol_name
from .shapes import Box, Disc, Laid, Line, Polygon, Shape, Symbol, Text

PAPER, EDGE = (253, 251, 244), (176, 170, 156)
GOLD = (226, 182, 74)
BACK, BACK_LINE = (126, 30, 44), (216, 170, 120)
SHADE = (52, 70, 66, 118)
ASPECT = 1.42
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


def _paper(width: float) -> Box:
    radius, line = width * 0.085, max(1.0, width / 90)
    return Box(0, 0, width, width * ASPECT, radius, PAPER, EDGE, line)


def _rank(x: float, y: float, card: str, size: float, cards: str) -> Text:
    """A rank; a long one is squeezed to the width of the others."""
    rank = Words(cards=cards).rank(card[1:])
    width = size * 0.9 if len(rank) > 1 else None
    return Text(x, y, rank, size, SUIT_COLOURS[cards][card[0]], bold=True, width=width)


@lru_cache(maxsize=512)
def _corner(card: str, size: float, in_row: bool, cards: str) -> Symbol:
    """The rank with the suit below it, or beside it in a row."""
    mark = pip(card[0], round(size * 0.86, 1), cards)
    name = symbol_name("corner", card, size, "row" if in_row else "column", cards)
    text = _rank(size / 2, size * 0.45, card, size * 1.12, cards)
    if in_row:
        return Symbol(name, size * 2.3, size, (text, Laid(mark, size * 1.7, size * 0.5)))
    return Symbol(name, size, size * 1.95, (text, Laid(mark, size / 2, size * 1.42)))


@lru_cache(maxsize=512)
def card_face(
    card: str, width: int, dim: bool = False, in_row: bool = False, cards: str = "french"
) -> Symbol:
    """The face of a card such as ``"D10"``.

    Args:
        card: its text.
        width: in pixels; below :data:`SMALL` the face is a large suit only.
        dim: darker, as for a card that cannot be played.
        in_row: rank and suit side by side in the corner, for cards that lie below one another.
        cards: ``"french"`` or ``"german"``.
    """
    suit, rank = card[0], card[1:]
    small, high = width < SMALL, width * ASPECT
    corner = _corner(card, round(width * (0.30 if small else 0.175), 1), in_row, cards)
    x, y = width * 0.06 + corner.width / 2, width * 0.06 + corner.height / 2
    shapes: list[Shape] = [_paper(width)]
    if small or rank == "A":
        mark = pip(suit, round(width * 0.46, 1), cards)
        at = (0.64, 0.68) if small else (0.5, 0.5)
        shapes.append(Laid(mark, width * at[0], high * at[1]))
    elif rank in _PAIRS:
        shapes += _pips(suit, rank, width, cards)
    else:
        shapes += _court(card, width, cards)
    shapes.append(Laid(corner, x, y))
    if not small:
        shapes.append(Laid(corner, width - x, high - y, 180))
    if dim:
        shapes.append(Box(0, 0, width, high, width * 0.085, SHADE))
    kinds = [kind for kind, so in (("dim", dim), ("row", in_row)) if so]
    name = symbol_name("card", card, width, *kinds, cards)
    return Symbol(name, width, high, tuple(shapes))


def _pips(suit: str, rank: str, width: float, cards: str) -> list[Shape]:
    mark = pip(suit, round(width * 0.165, 1), cards)
    rows, middle = _PAIRS[rank]
    places = [(column, share) for share in rows for column in (_LEFT, _RIGHT)]
    places += [(_MIDDLE, share) for share in middle]
    return [
        Laid(mark, width * column, width * ASPECT * share, 180 if share > 0.5 else 0)
        for column, share in places
    ]


def _court(card: str, width: float, cards: str) -> list[Shape]:
    """Jack, queen and king: a framed panel, crossed by bands, with the letter between two pips."""
    suit, rank = card[0], card[1:]
    high, colour = width * ASPECT, SUIT_COLOURS[cards][suit]
    left, top, right, bottom = width * 0.25, high * 0.1, width * 0.75, high * 0.9
    frame = (left, top, right - left, bottom - top, width * 0.035)
    shapes: list[Shape] = [Box(*frame, fill=_COURT_TINT[rank])]
    for shift, tint, thick in ((0.13, GOLD, 0.03), (0.05, colour, 0.014)):
        for side in (-1, 1):
            low = bottom - width * (0.17 - shift * side)
            high_end = top + width * (0.17 + shift * side)
            half = width * thick * 0.8  # upright, for a band that lies aslant
            ends = [(left, low - half), (right, high_end - half)]
            shapes.append(Polygon((*ends, (right, high_end + half), (left, low + half)), tint))
    middle = (width / 2, high / 2)
    shapes.append(Disc(*middle, width * 0.185, PAPER, GOLD, width * 0.02))
    shapes.append(_rank(*middle, card, width * 0.27, cards))
    mark = pip(suit, round(width * 0.15, 1), cards)
    shapes.append(Laid(mark, left + width * 0.115, top + width * 0.125))
    shapes.append(Laid(mark, right - width * 0.115, bottom - width * 0.125, 180))
    return [*shapes, Box(*frame, outline=colour, thickness=width * 0.013)]


@lru_cache(maxsize=8)
def card_back(width: int) -> Symbol:
    """The back of a card."""
    high, border = width * ASPECT, width * 0.07
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
    return Symbol(symbol_name("back", width), width, high, tuple(shapes))


assert set(RANKS) == {*_PAIRS, *_COURT_TINT, "A"}
