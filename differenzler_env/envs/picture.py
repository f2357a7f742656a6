"""Environments: a table as a picture, from one seat's view or open. Needs Pillow, and no display.

This is the Pillow back end of :mod:`differenzler_env.drawing`. Symbols are drawn four times too
large, scaled down, which smooths their edges, and kept.
``python -m differenzler_env.envs.picture FILE`` draws a table as a sample.
"""

import math
import sys
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from ..drawing import Drawing, table_drawing
from ..drawing.shapes import (
    Box,
    Colour,
    Disc,
    Glow,
    Laid,
    Line,
    Point,
    Polygon,
    Shape,
    Symbol,
    Text,
)
from ..drawing.svg import CAPITALS
from ..game import Game
from ..words import ENGLISH, Words

FINE = 4
"""How many times too large symbols are drawn."""
_LARGE = 100_000
"""Pixels of a shape that is drawn as it is: nobody looks at the corners of the felt."""
_PAD = 10
"""Room around a laid symbol, for its shadow."""


def draw_table(game: Game, shown: int | str, words: Words = ENGLISH) -> NDArray[np.uint8]:
    """The table now, uint8 [820, 1200, 3].

    Args:
        game: the game; only what ``shown`` may see is drawn.
        shown: a seat, or ``"open"`` for all hands and bids, seat 0 at the bottom.
        words: the language, and which cards.
    """
    return np.array(table_image(game, shown, words), np.uint8)


def table_image(game: Game, shown: int | str, words: Words = ENGLISH) -> Image.Image:
    """As :func:`draw_table`, an RGB image."""
    return paint(table_drawing(game if shown == "open" else game.view(int(shown)), words))


def paint(drawing: Drawing) -> Image.Image:
    """A drawing as an RGB image of its size."""
    shapes = drawing.shapes
    still = next((i for i, shape in enumerate(shapes) if isinstance(shape, Laid)), len(shapes))
    # What lies under the first symbol is the same in every picture of a table.
    image = _ground(drawing.width, drawing.height, shapes[:still]).copy()
    _put_all(image, shapes[still:], 1)
    return image.convert("RGB")


@lru_cache(maxsize=2)
def _ground(width: int, height: int, shapes: tuple[Shape, ...]) -> Image.Image:
    image = Image.new("RGBA", (width, height))
    _put_all(image, shapes, 1)
    return image


def _put_all(image: Image.Image, shapes: Iterable[Shape], scale: int) -> None:
    for shape in shapes:
        if isinstance(shape, Laid):
            _lay(image, shape, scale)
        elif isinstance(shape, Text):
            _write(image, shape, scale)
        elif scale == 1:
            tile, at = _smooth(shape)
            image.alpha_composite(tile, at)
        else:
            _put(image, shape, scale, (0, 0))


# Symbols -----------------------------------------------------------------------------------


def _lay(image: Image.Image, laid: Laid, scale: int) -> None:
    """Put a symbol centred on its point, with its shadow."""
    face, shadow = _turned(laid.symbol, scale, laid.turn, laid.shadow)
    left = round(laid.x * scale - face.width / 2)
    top = round(laid.y * scale - face.height / 2)
    if shadow is not None:
        image.alpha_composite(shadow, (left + scale, top + 3 * scale))
    image.alpha_composite(face, (left, top))


@lru_cache(maxsize=256)
def _turned(
    symbol: Symbol, scale: int, turn: float, shadow: bool
) -> tuple[Image.Image, Image.Image | None]:
    face = _drawn(symbol, scale)
    if shadow:
        padded = Image.new("RGBA", (face.width + 2 * _PAD, face.height + 2 * _PAD))
        padded.alpha_composite(face, (_PAD, _PAD))
        face = padded
    if turn:
        face = face.rotate(turn, Image.Resampling.BICUBIC, expand=turn % 180 != 0)
    if not shadow:
        return face, None
    dark = Image.new("RGBA", face.size)
    dark.putalpha(face.getchannel("A").point(lambda alpha: alpha * 80 // 255))
    return face, dark.filter(ImageFilter.GaussianBlur(3))


@lru_cache(maxsize=512)
def _drawn(symbol: Symbol, scale: int) -> Image.Image:
    """A symbol so many times its size; within another one it is drawn for that one's scale."""
    fine = scale if scale > 1 else FINE
    size = (math.ceil(symbol.width * fine), math.ceil(symbol.height * fine))
    image = Image.new("RGBA", size)
    _put_all(image, symbol.shapes, fine)
    if scale > 1:
        return image
    small = (round(symbol.width), round(symbol.height))
    return image.resize(small, Image.Resampling.LANCZOS)


# Shapes ------------------------------------------------------------------------------------


@lru_cache(maxsize=256)
def _smooth(shape: Polygon | Disc | Box | Line) -> tuple[Image.Image, tuple[int, int]]:
    """A shape of the picture itself with smooth edges, and where its upper left corner goes."""
    if isinstance(shape, Box) and not shape.radius:  # upright edges need no smoothing
        origin = (math.floor(shape.left), math.floor(shape.top))
        tile = Image.new("RGBA", (math.ceil(shape.width), math.ceil(shape.height)))
        _put(tile, shape, 1, origin)
        return tile, origin
    left, top, right, bottom = map(round, _bounds(shape))
    fine = FINE if (right - left) * (bottom - top) < _LARGE else 1
    tile = Image.new("RGBA", ((right - left) * fine, (bottom - top) * fine))
    _put(tile, shape, fine, (left, top))
    return tile.reduce(fine), (left, top)


def _bounds(shape: Polygon | Disc | Box | Line) -> tuple[float, float, float, float]:
    if isinstance(shape, Box):
        return shape.left, shape.top, shape.left + shape.width, shape.top + shape.height
    if isinstance(shape, Disc):
        x, y, around = shape.x, shape.y, shape.radius + 1
        return x - around, y - around, x + around, y + around
    points = shape.points if isinstance(shape, Polygon) else (shape.start, shape.end)
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return min(xs) - 1, min(ys) - 1, max(xs) + 1, max(ys) + 1


def _put(image: Image.Image, shape: Polygon | Disc | Box | Line, scale: int, origin: Point) -> None:
    """Draw a shape so many times its size, on an image whose corner is at ``origin``."""
    draw = ImageDraw.Draw(image)

    def at(x: float, y: float) -> Point:
        return (x - origin[0]) * scale, (y - origin[1]) * scale

    if isinstance(shape, Polygon):
        draw.polygon([at(x, y) for x, y in shape.points], fill=shape.fill)
    elif isinstance(shape, Line):
        ends = [at(*shape.start), at(*shape.end)]
        draw.line(ends, fill=shape.colour, width=max(1, round(shape.thickness * scale)))
    else:
        outline, width = shape.outline, max(1, round(shape.thickness * scale))
        if isinstance(shape, Disc):
            corners = [at(shape.x - shape.radius, shape.y - shape.radius)]
            corners.append(at(shape.x + shape.radius, shape.y + shape.radius))
            draw.ellipse(corners, fill=shape.fill, outline=outline, width=width)
        else:
            _put_box(image, shape, scale, at(shape.left, shape.top))


def _put_box(image: Image.Image, box: Box, scale: int, corner: Point) -> None:
    left, top = corner
    edges = [left, top, left + box.width * scale - 1, top + box.height * scale - 1]
    style: dict[str, Any] = {
        "radius": box.radius * scale,
        "outline": box.outline,
        "width": max(1, round(box.thickness * scale)) if box.outline else 0,
    }
    if isinstance(box.fill, Glow):
        mask = Image.new("L", image.size)
        ImageDraw.Draw(mask).rounded_rectangle(edges, radius=box.radius * scale, fill=255)
        image.paste(_glow(box.fill, image.size), (0, 0), mask)
        _over(image, edges, style)
    elif box.fill is not None and len(box.fill) > 3:
        _over(image, edges, style | {"fill": box.fill})
    else:
        ImageDraw.Draw(image).rounded_rectangle(edges, **style, fill=box.fill)


def _over(image: Image.Image, edges: list[float], style: dict[str, Any]) -> None:
    """A box that lets through what is below it."""
    layer = Image.new("RGBA", image.size)
    ImageDraw.Draw(layer).rounded_rectangle(edges, **style)
    image.alpha_composite(layer)


def _glow(glow: Glow, size: tuple[int, int]) -> Image.Image:
    rows = np.linspace(-0.95, 0.95, size[1])[:, None]
    columns = np.linspace(-0.95, 0.95, size[0])[None, :]
    away = np.clip(np.hypot(rows, columns), 0, 1)[..., None]
    colours = np.array(glow.middle) * (1 - away) + np.array(glow.edge) * away
    return Image.fromarray(colours.astype(np.uint8)).convert("RGBA")


# Text --------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Pillow's own scalable font."""
    return ImageFont.load_default(size)


_ANCHORS = {"start": "ls", "middle": "ms", "end": "rs"}


def _write(image: Image.Image, text: Text, scale: int) -> None:
    x, y = text.x * scale, (text.y + CAPITALS * text.size) * scale
    size = round(text.size * scale)
    style: dict[str, Any] = {
        "font": font(size),
        "fill": text.colour,
        "stroke_width": _stroke(text, scale),
        "stroke_fill": text.colour,
    }
    if text.width is None:
        ImageDraw.Draw(image).text((x, y), text.text, anchor=_ANCHORS[text.anchor], **style)
        return
    tile, above = _squeezed(text.text, size, text.colour, round(text.width * scale))
    image.alpha_composite(tile, (round(x - tile.width / 2), round(y - above)))


def _stroke(text: Text, scale: int) -> float:
    """Pillow's font has one weight: bold letters get an outline."""
    return max(0.4, text.size * scale / 40 if scale > 1 else 0) if text.bold else 0


@lru_cache(maxsize=64)
def _squeezed(text: str, size: int, colour: Colour, width: int) -> tuple[Image.Image, int]:
    """A bold text brought to a width, and how far its upper edge is above the base line."""
    stroke = max(1, size // 40)
    left, top, right, bottom = font(size).getbbox(text, anchor="ls", stroke_width=stroke)
    tile = Image.new("RGBA", (math.ceil(right - left), math.ceil(bottom - top)))
    ImageDraw.Draw(tile).text(
        (-left, -top),
        text,
        font=font(size),
        fill=colour,
        anchor="ls",
        stroke_width=stroke,
        stroke_fill=colour,
    )
    return tile.resize((width, tile.height), Image.Resampling.LANCZOS), round(-top)


# A sample ----------------------------------------------------------------------------------


def sample_game(seed: int = 53, actions: int = 15) -> Game:
    """A match some actions in, played by thumb players."""
    from ..agents import choose_action, load

    game = Game(seed=seed)
    agent = load("thumb", game.rules)
    for _ in range(actions):
        game.play(choose_action(game, agent))
    return game


def main(arguments: Sequence[str]) -> None:
    """Draw the sample table into a file."""
    game = sample_game()
    table_image(game, game.current_seat or 0).save(arguments[0], optimize=True)


if __name__ == "__main__":
    main(sys.argv[1:])
