"""Drawing: the suits of French and of Swiss-German cards, as symbols."""

import math
from collections.abc import Callable
from functools import lru_cache

from .shapes import Box, Colour, Disc, Line, Point, Polygon, Shape, Symbol

RED, BLACK = (190, 28, 44), (30, 32, 40)
GREEN, BROWN, NUT = (44, 104, 56), (112, 70, 34), (196, 150, 62)
BRASS, BRASS_DARK, YELLOW = (224, 172, 48), (146, 96, 14), (240, 200, 70)
BLUE = (34, 54, 112)

SUIT_COLOURS: dict[str, dict[str, Colour]] = {
    "french": {"C": BLACK, "D": RED, "H": RED, "S": BLACK},
    "german": {"C": GREEN, "D": BRASS_DARK, "H": RED, "S": BLUE},
}
"""Cards → suit → the colour of its ranks, and of French suits themselves."""


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


# The suits, each in a square of side 1 -----------------------------------------------------


def _clubs() -> list[Shape]:
    discs = ((0.5, 0.255, 0.225), (0.275, 0.585, 0.225), (0.725, 0.585, 0.225), (0.5, 0.48, 0.12))
    return [*(Disc(*disc, BLACK) for disc in discs), Polygon(tuple(_stem()), BLACK)]


def _diamonds() -> list[Shape]:
    return [Polygon(tuple(_diamond()), RED)]


def _hearts() -> list[Shape]:
    return [Polygon(tuple(_heart()), RED)]


def _spades() -> list[Shape]:
    leaf = tuple((x, 0.86 - y * 0.88) for x, y in _heart())
    return [Polygon(leaf, BLACK), Polygon(tuple(_stem()), BLACK)]


def _acorns() -> list[Shape]:
    """A nut that ends in a point, in its cup, on a stalk."""
    nut = [(0.5 + 0.27 * math.cos(t), 0.5 + 0.4 * math.sin(t)) for t in _around() if t <= math.pi]
    cup = [(0.5 + 0.37 * math.cos(t), 0.5 + 0.3 * math.sin(t)) for t in _around() if t >= math.pi]
    return [
        Polygon(((0.45, 0.02), (0.57, 0.02), (0.54, 0.3), (0.46, 0.3)), BROWN),
        Polygon(((0.44, 0.85), (0.56, 0.85), (0.5, 0.98)), BROWN),
        Polygon(tuple(nut), NUT),
        Polygon((*cup, (0.87, 0.5), (0.82, 0.56), (0.18, 0.56), (0.13, 0.5)), GREEN),
    ]


def _bells() -> list[Shape]:
    """A round sleigh bell: an eye above, a band, a slit below."""
    return [
        Disc(0.5, 0.13, 0.11, BRASS, BRASS_DARK, 0.04),
        Disc(0.5, 0.56, 0.41, BRASS, BRASS_DARK, 0.045),
        Box(0.1, 0.5, 0.8, 0.09, 0.03, BRASS_DARK),
        Line((0.5, 0.72), (0.5, 0.94), BRASS_DARK, 0.06),
        Disc(0.5, 0.72, 0.075, BRASS_DARK),
    ]


def _roses() -> list[Shape]:
    """Five petals around a yellow middle, with leaves between them."""
    turns = [2 * math.pi * (petal / 5 - 0.25) for petal in range(5)]
    leaves: list[Shape] = []
    petals: list[Shape] = []
    for turn in turns:
        between = turn + math.pi / 5
        tip = (0.5 + 0.49 * math.cos(between), 0.5 + 0.49 * math.sin(between))
        sides = [
            (0.5 + 0.3 * math.cos(between + side), 0.5 + 0.3 * math.sin(between + side))
            for side in (-0.5, 0.5)
        ]
        leaves.append(Polygon((tip, *sides), GREEN))
        x, y = 0.5 + 0.26 * math.cos(turn), 0.5 + 0.26 * math.sin(turn)
        petals.append(Disc(x, y, 0.205, RED, (236, 150, 150), 0.025))
    return [*leaves, *petals, Disc(0.5, 0.5, 0.15, YELLOW, BRASS_DARK, 0.025)]


def _shields() -> list[Shape]:
    """A shield in two colours, parted aslant, with a rim."""

    def outline(inset: float) -> list[Point]:
        half, low = 0.38 - inset, 0.96 - 1.4 * inset
        curve = [
            (half * math.cos(t / 12), 0.45 + (low - 0.45) * math.sin(t / 12)) for t in range(19)
        ]
        right = [(0.5 + x, y) for x, y in curve]
        left = [(0.5 - x, y) for x, y in reversed(curve)]
        return [(0.5 - half, 0.06 + inset), (0.5 + half, 0.06 + inset), *right, *left]

    inner = outline(0.05)
    parted = [(x, y) for x, y in inner if y - 0.45 >= 0.9 * (x - 0.5)]
    return [
        Polygon(tuple(outline(0)), BLUE),
        Polygon(tuple(inner), YELLOW),
        Polygon(tuple(parted), BLUE),
    ]


_SUITS: dict[str, dict[str, Callable[[], list[Shape]]]] = {
    "french": {"C": _clubs, "D": _diamonds, "H": _hearts, "S": _spades},
    "german": {"C": _acorns, "D": _bells, "H": _roses, "S": _shields},
}


@lru_cache(maxsize=256)
def pip(suit: str, size: float, cards: str = "french") -> Symbol:
    """A suit's shape in its colours, ``size`` by ``size``."""
    shapes = tuple(_scaled(shape, size) for shape in _SUITS[cards][suit]())
    return Symbol(symbol_name("pip", suit, size, cards), size, size, shapes)


def symbol_name(*parts: object) -> str:
    """A name of letters, digits and hyphens."""
    return "-".join(str(part).replace(".", "_") for part in parts)


def _scaled(shape: Shape, size: float) -> Shape:
    """A shape so many times as large."""

    def at(point: Point) -> Point:
        # Hundredths of a pixel are enough, and keep a picture as text small.
        return (round(point[0] * size, 2), round(point[1] * size, 2))

    match shape:
        case Polygon(points, fill):
            return Polygon(tuple(map(at, points)), fill)
        case Disc(x, y, radius, fill, outline, thickness):
            return Disc(x * size, y * size, radius * size, fill, outline, thickness * size)
        case Box(left, top, width, height, radius, fill, outline, thickness):
            sides = (left * size, top * size, width * size, height * size, radius * size)
            return Box(*sides, fill, outline, thickness * size)
        case Line(start, end, colour, thickness):
            return Line(at(start), at(end), colour, thickness * size)
    raise TypeError(f"no part of a suit: {shape!r}")
