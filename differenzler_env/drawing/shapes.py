"""Drawing: the shapes that a picture is made of. Pixels from the upper left corner, colours RGB or
RGBA with 0…255, turns in degrees counter-clockwise.

A back end draws the shapes in order, each over those before it. There are two: :mod:`.svg` here,
and Pillow in :mod:`differenzler_env.envs.picture`.
"""

from dataclasses import dataclass
from typing import Union

Colour = tuple[int, ...]
Point = tuple[float, float]


@dataclass(frozen=True)
class Glow:
    """A fill that is lighter in the middle of its box."""

    middle: Colour
    edge: Colour


@dataclass(frozen=True)
class Polygon:
    """A filled polygon."""

    points: tuple[Point, ...]
    fill: Colour


@dataclass(frozen=True)
class Disc:
    """A filled circle; its outline lies inside the radius."""

    x: float
    y: float
    radius: float
    fill: Colour
    outline: Colour | None = None
    thickness: float = 0


@dataclass(frozen=True)
class Box:
    """A rectangle with round corners; its outline lies inside."""

    left: float
    top: float
    width: float
    height: float
    radius: float = 0
    fill: Colour | Glow | None = None
    outline: Colour | None = None
    thickness: float = 0


@dataclass(frozen=True)
class Line:
    """A straight line."""

    start: Point
    end: Point
    colour: Colour
    thickness: float


@dataclass(frozen=True)
class Text:
    """One line of text, vertically in the middle of its capitals.

    Attributes:
        anchor: where ``x`` is: ``"start"``, ``"middle"`` or ``"end"`` of the text.
        width: the text is squeezed or stretched to it; ``None`` leaves it as it is.
    """

    x: float
    y: float
    text: str
    size: float
    colour: Colour
    anchor: str = "middle"
    bold: bool = False
    width: float | None = None


@dataclass(frozen=True, eq=False)
class Symbol:
    """Shapes that are drawn once and laid many times, such as a card.

    Attributes:
        name: the same for the same shapes, in every picture; letters, digits and hyphens.
    """

    name: str
    width: float
    height: float
    shapes: tuple["Shape", ...]


@dataclass(frozen=True)
class Laid:
    """A symbol centred on a point, turned, with a shadow where asked for."""

    symbol: Symbol
    x: float
    y: float
    turn: float = 0
    shadow: bool = False


Shape = Union[Polygon, Disc, Box, Line, Text, Laid]  # noqa: UP007 (it names itself)


@dataclass(frozen=True)
class Drawing:
    """A picture: its size and its shapes, the lowest first."""

    width: int
    height: int
    shapes: tuple[Shape, ...]
