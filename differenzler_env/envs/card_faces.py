"""Environments: playing cards as pictures, French suits drawn as shapes. Needs Pillow.

All sizes are pixels. Faces are drawn several times too large and scaled down, which smooths their
edges; each is drawn once and then kept.
"""

import math
from functools import lru_cache

from PIL import Image, ImageDraw, ImageFont

from ..cards import RANKS

Colour = tuple[int, ...]
Point = tuple[float, float]

RED, BLACK = (190, 28, 44), (30, 32, 40)
PAPER, EDGE = (253, 251, 244), (176, 170, 156)
GOLD = (226, 182, 74)
BACK, BACK_LINE = (126, 30, 44), (216, 170, 120)
HEIGHT = 1.42
"""Height of a card over its width."""
_FINE = 4
"""How many times too large things are drawn."""

_COURT_TINT = {"J": (224, 234, 246), "Q": (250, 228, 226), "K": (250, 238, 204)}
_LEFT, _MIDDLE, _RIGHT = 0.335, 0.5, 0.665
_PAIRS = {  # rows of pips in both columns, then those in the middle; heights as shares of the card
    "6": ((0.19, 0.50, 0.81), ()),
    "7": ((0.19, 0.50, 0.81), (0.345,)),
    "8": ((0.19, 0.50, 0.81), (0.345, 0.655)),
    "9": ((0.17, 0.39, 0.61, 0.83), (0.50,)),
    "10": ((0.17, 0.39, 0.61, 0.83), (0.28, 0.72)),
}


@lru_cache(maxsize=64)
def font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Pillow's own scalable font."""
    return ImageFont.load_default(size)


def suit_colour(suit: str) -> Colour:
    """Red for diamonds and hearts, black for clubs and spades."""
    return RED if suit in "DH" else BLACK


def _heart(steps: int = 120) -> list[Point]:
    points = []
    for step in range(steps):
        t = 2 * math.pi * step / steps
        x = 16 * math.sin(t) ** 3
        y = -(13 * math.cos(t) - 5 * math.cos(2 * t) - 2 * math.cos(3 * t) - math.cos(4 * t))
        points.append((0.5 + x / 34, 0.47 + y / 34))
    return points


def _diamond(steps: int = 120) -> list[Point]:
    points = []
    for step in range(steps):
        t = 2 * math.pi * step / steps
        x, y = math.cos(t), math.sin(t)
        hollow = 2.25  # above 2 the sides bend inwards
        points.append(
            (
                0.5 + 0.38 * math.copysign(abs(x) ** hollow, x),
                0.5 + 0.49 * math.copysign(abs(y) ** hollow, y),
            )
        )
    return points


def _stem() -> list[Point]:
    left = [(0.5 - 0.02 - 0.17 * share**2.4, 0.55 + 0.42 * share) for share in _shares()]
    return left + [(1 - x, y) for x, y in reversed(left)]


def _shares(steps: int = 16) -> list[float]:
    return [step / steps for step in range(steps + 1)]


@lru_cache(maxsize=256)
def suit_shape(suit: str, size: int, colour: Colour | None = None) -> Image.Image:
    """A suit's shape, RGBA ``size`` by ``size``; in its own colour where none is given."""
    colour = colour or suit_colour(suit)
    fine = size * _FINE
    image = Image.new("RGBA", (fine, fine), (*colour[:3], 0))
    draw = ImageDraw.Draw(image)

    def polygon(points: list[Point]) -> None:
        draw.polygon([(x * fine, y * fine) for x, y in points], fill=colour)

    def disc(x: float, y: float, radius: float) -> None:
        box = [(x - radius) * fine, (y - radius) * fine, (x + radius) * fine, (y + radius) * fine]
        draw.ellipse(box, fill=colour)

    if suit == "H":
        polygon(_heart())
    elif suit == "D":
        polygon(_diamond())
    elif suit == "S":
        polygon([(x, 0.86 - y * 0.88) for x, y in _heart()])
        polygon(_stem())
    else:
        for x, y in ((0.5, 0.255), (0.275, 0.585), (0.725, 0.585)):
            disc(x, y, 0.225)
        disc(0.5, 0.48, 0.12)
        polygon(_stem())
    return image.resize((size, size), Image.Resampling.LANCZOS)


def _blank(width: int) -> Image.Image:
    fine_width, fine_height = width * _FINE, round(width * HEIGHT) * _FINE
    image = Image.new("RGBA", (fine_width, fine_height), (*EDGE, 0))
    ImageDraw.Draw(image).rounded_rectangle(
        [0, 0, fine_width - 1, fine_height - 1],
        radius=fine_width * 0.085,
        fill=PAPER,
        outline=EDGE,
        width=max(_FINE, fine_width // 90),
    )
    return image


def _stamp(image: Image.Image, shape: Image.Image, x: float, y: float, turned: bool) -> None:
    """Put a shape centred on a point, upside down where turned."""
    shape = shape.rotate(180) if turned else shape
    at = (round(x - shape.width / 2), round(y - shape.height / 2))
    image.alpha_composite(shape, at)


def _rank_text(suit: str, rank: str, size: int, wide: int) -> Image.Image:
    """A rank in its suit's colour, squeezed to a width."""
    image = Image.new("RGBA", (size * 2, round(size * 1.1)), (0, 0, 0, 0))
    ImageDraw.Draw(image).text(
        (image.width / 2, image.height / 2),
        rank,
        font=font(size),
        fill=suit_colour(suit),
        anchor="mm",
        stroke_width=max(1, size // 40),
        stroke_fill=suit_colour(suit),
    )
    box = image.getbbox()
    image = image.crop(box)
    return image if image.width <= wide else image.resize((wide, image.height))


def _index(card: str, width: int, share: float, in_row: bool) -> Image.Image:
    """The rank with the suit below it, or beside it in a row, for a card's corner."""
    suit, rank = card[0], card[1:]
    size = round(width * share)
    text = _rank_text(suit, rank, round(size * 1.12), size)
    pip = suit_shape(suit, round(size * 0.86))
    if in_row:
        image = Image.new("RGBA", (size * 2 + size // 3, size), (0, 0, 0, 0))
        image.alpha_composite(text, (0, (size - text.height) // 2))
        image.alpha_composite(pip, (size + size // 6, (size - pip.height) // 2))
        return image
    image = Image.new("RGBA", (size, round(size * 1.95)), (0, 0, 0, 0))
    image.alpha_composite(text, ((size - text.width) // 2, 0))
    image.alpha_composite(pip, ((size - pip.width) // 2, round(size * 0.98)))
    return image


@lru_cache(maxsize=512)
def card_face(card: str, width: int, dim: bool = False, in_row: bool = False) -> Image.Image:
    """The face of a card such as ``"D10"``, RGBA.

    Args:
        card: its text.
        width: of the picture; below 70 the face is a large suit only.
        dim: darker, as for a card that cannot be played.
        in_row: rank and suit side by side in the corner, for cards that lie below one another.
    """
    suit, rank = card[0], card[1:]
    small = width < 70
    image = _blank(width)
    wide, high = image.size
    corner = _index(card, wide, 0.30 if small else 0.175, in_row)
    inset = round(wide * 0.06)
    if rank in _PAIRS and not small:
        _draw_pips(image, suit, rank)
    elif rank in _COURT_TINT and not small:
        _draw_court(image, suit, rank)
    else:
        shape = suit_shape(suit, round(wide * 0.46))
        _stamp(
            image, shape, wide * (0.64 if small else 0.5), high * (0.68 if small else 0.5), False
        )
    image.alpha_composite(corner, (inset, inset))
    if not small:
        image.alpha_composite(
            corner.rotate(180), (wide - corner.width - inset, high - corner.height - inset)
        )
    image = image.resize((width, round(width * HEIGHT)), Image.Resampling.LANCZOS)
    if dim:
        shade = Image.new("RGBA", image.size, (52, 70, 66, 118))
        shade.putalpha(image.getchannel("A").point(lambda alpha: alpha * 118 // 255))
        image.alpha_composite(shade)
    return image


def _draw_pips(image: Image.Image, suit: str, rank: str) -> None:
    wide, high = image.size
    shape = suit_shape(suit, round(wide * 0.165))
    rows, middle = _PAIRS[rank]
    for share in rows:
        for column in (_LEFT, _RIGHT):
            _stamp(image, shape, wide * column, high * share, share > 0.5)
    for share in middle:
        _stamp(image, shape, wide * _MIDDLE, high * share, share > 0.5)


def _draw_court(image: Image.Image, suit: str, rank: str) -> None:
    """Jack, queen and king: a framed panel, crossed by bands, with the letter between two pips."""
    wide, high = image.size
    colour = suit_colour(suit)
    left, top, right, bottom = wide * 0.25, high * 0.1, wide * 0.75, high * 0.9
    panel = Image.new("RGBA", image.size, (*_COURT_TINT[rank], 255))
    draw = ImageDraw.Draw(panel)
    for shift, tint, thick in ((0.13, GOLD, 0.03), (0.05, colour, 0.014)):
        for side in (-1, 1):
            offset = wide * shift * side
            ends = [(left, bottom - wide * 0.1 + offset), (right, top + wide * 0.1 + offset)]
            draw.line(ends, fill=tint, width=round(wide * thick))
    radius = wide * 0.185
    x, y = wide / 2, high / 2
    disc = [x - radius, y - radius, x + radius, y + radius]
    draw.ellipse(disc, fill=PAPER, outline=GOLD, width=round(wide * 0.02))
    text = _rank_text(suit, rank, round(wide * 0.27), round(wide * 0.3))
    _stamp(panel, text, x, y, False)
    pip = suit_shape(suit, round(wide * 0.15))
    _stamp(panel, pip, left + wide * 0.115, top + wide * 0.125, False)
    _stamp(panel, pip, right - wide * 0.115, bottom - wide * 0.125, True)
    mask = Image.new("L", image.size, 0)
    frame = [left, top, right, bottom]
    ImageDraw.Draw(mask).rounded_rectangle(frame, radius=wide * 0.035, fill=255)
    image.paste(panel, (0, 0), mask)
    ImageDraw.Draw(image).rounded_rectangle(
        frame, radius=wide * 0.035, outline=colour, width=round(wide * 0.013)
    )


@lru_cache(maxsize=8)
def card_back(width: int) -> Image.Image:
    """The back of a card, RGBA."""
    image = _blank(width)
    draw = ImageDraw.Draw(image)
    wide, high = image.size
    border = wide * 0.07
    box = [border, border, wide - border, high - border]
    panel = Image.new("RGBA", image.size, (0, 0, 0, 0))
    lines = ImageDraw.Draw(panel)
    lines.rectangle([0, 0, wide, high], fill=BACK)
    step = wide / 7
    for number in range(-12, 20):
        x = number * step
        for ends in ([(x, 0), (x + high, high)], [(x, high), (x + high, 0)]):
            lines.line(ends, fill=BACK_LINE, width=max(2, round(wide * 0.012)))
    mask = Image.new("L", image.size, 0)
    ImageDraw.Draw(mask).rounded_rectangle(box, radius=wide * 0.05, fill=255)
    image.paste(panel, (0, 0), mask)
    draw.rounded_rectangle(box, radius=wide * 0.05, outline=BACK_LINE, width=round(wide * 0.02))
    return image.resize((width, round(width * HEIGHT)), Image.Resampling.LANCZOS)


assert set(RANKS) == {*_PAIRS, *_COURT_TINT, "A"}
