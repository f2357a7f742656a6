"""Drawing: shapes as SVG text, which every browser and notebook shows. Needs no library."""

from collections.abc import Iterable
from xml.sax.saxutils import escape, quoteattr

from ..checks import is_integer
from .shapes import Box, Colour, Disc, Drawing, Glow, Laid, Line, Polygon, Shape, Symbol, Text

FONT = "Aileron, 'Helvetica Neue', Helvetica, Arial, sans-serif"
CAPITALS = 0.36
"""Half the height of capital letters over the size of the font."""


def svg_text(drawing: Drawing, width: int | None = None) -> str:
    """A drawing as one SVG element.

    Args:
        drawing: what to draw.
        width: to show it at, in pixels; as drawn where not given.

    Raises:
        ValueError: unless the width is a whole number, 1 or more.
    """
    width = drawing.width if width is None else width
    if not is_integer(width) or width < 1:
        raise ValueError(f"width is {width!r}; allowed: a whole number, 1 or more")
    height = round(width * drawing.height / drawing.width)
    symbols: dict[str, Symbol] = {}
    _collect(drawing.shapes, symbols)
    definitions = [_SHADOW, *(_definition(symbol) for symbol in symbols.values())]
    definitions += [
        _gradient(shape.fill)
        for shape in drawing.shapes
        if isinstance(shape, Box) and isinstance(shape.fill, Glow)
    ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {drawing.width} {drawing.height}" font-family="{FONT}">',
            "<defs>",
            *definitions,
            "</defs>",
            *map(_element, drawing.shapes),
            "</svg>",
        ]
    )


_SHADOW = (
    '<filter id="shadow" x="-20%" y="-20%" width="140%" height="140%">'
    '<feDropShadow dx="1" dy="3" stdDeviation="3" flood-opacity="0.31"/></filter>'
)


def _collect(shapes: Iterable[Shape], found: dict[str, Symbol]) -> None:
    """The symbols laid, those within others first."""
    for shape in shapes:
        if isinstance(shape, Laid) and shape.symbol.name not in found:
            _collect(shape.symbol.shapes, found)
            found[shape.symbol.name] = shape.symbol


def _definition(symbol: Symbol) -> str:
    """A symbol with its middle at the origin."""
    move = f"translate({_number(-symbol.width / 2)} {_number(-symbol.height / 2)})"
    inside = "".join(map(_element, symbol.shapes))
    return f'<g id="{symbol.name}"><g transform="{move}">{inside}</g></g>'


def _gradient(glow: Glow) -> str:
    stops = "".join(
        f'<stop offset="{at}" stop-color="{_rgb(colour)}"/>'
        for at, colour in ((0, glow.middle), (1, glow.edge))
    )
    # The colour of the edge is reached on an ellipse a little wider than the box.
    return f'<radialGradient id="{_glow_name(glow)}" r="0.526">{stops}</radialGradient>'


def _glow_name(glow: Glow) -> str:
    return f"glow-{_rgb(glow.middle)[1:]}-{_rgb(glow.edge)[1:]}"


def _element(shape: Shape) -> str:
    match shape:
        case Polygon():
            points = " ".join(f"{_number(x)},{_number(y)}" for x, y in shape.points)
            return f'<polygon points="{points}"{_paint("fill", shape.fill)}/>'
        case Disc():
            radius = shape.radius - shape.thickness / 2
            place = f'cx="{_number(shape.x)}" cy="{_number(shape.y)}" r="{_number(radius)}"'
            edge = _stroke(shape.outline, shape.thickness)
            return f"<circle {place}{_paint('fill', shape.fill)}{edge}/>"
        case Box():
            return _rectangle(shape)
        case Line():
            (x1, y1), (x2, y2) = shape.start, shape.end
            ends = f'x1="{_number(x1)}" y1="{_number(y1)}" x2="{_number(x2)}" y2="{_number(y2)}"'
            return f"<line {ends}{_stroke(shape.colour, shape.thickness)}/>"
        case Text():
            return _text(shape)
        case Laid():
            turn = f" rotate({_number(-shape.turn)})" if shape.turn else ""
            place = f"translate({_number(shape.x)} {_number(shape.y)}){turn}"
            use = f'<use href="#{shape.symbol.name}" transform="{place}"/>'
            # The shadow falls downwards however the card is turned.
            return f'<g filter="url(#shadow)">{use}</g>' if shape.shadow else use


def _rectangle(box: Box) -> str:
    inset = box.thickness / 2
    names = ("x", "y", "width", "height", "rx")
    inner = max(box.radius - inset, 0)
    values = (box.left + inset, box.top + inset, box.width - 2 * inset, box.height - 2 * inset)
    place = " ".join(
        f'{name}="{_number(value)}"' for name, value in zip(names, (*values, inner), strict=True)
    )
    if isinstance(box.fill, Glow):
        fill = f' fill="url(#{_glow_name(box.fill)})"'
    else:
        fill = _paint("fill", box.fill)
    return f"<rect {place}{fill}{_stroke(box.outline, box.thickness)}/>"


def _text(text: Text) -> str:
    y = text.y + CAPITALS * text.size
    fit = ""
    if text.width is not None:
        fit = f' textLength="{_number(text.width)}" lengthAdjust="spacingAndGlyphs"'
    weight = ' font-weight="600"' if text.bold else ""
    return (
        f'<text x="{_number(text.x)}" y="{_number(y)}" font-size="{_number(text.size)}" '
        f"text-anchor={quoteattr(text.anchor)}{weight}{fit}{_paint('fill', text.colour)}>"
        f"{escape(text.text)}</text>"
    )


def _paint(what: str, colour: Colour | Glow | None) -> str:
    if colour is None or isinstance(colour, Glow):
        return f' {what}="none"'
    opacity = f' {what}-opacity="{colour[3] / 255:.2f}"' if len(colour) > 3 else ""
    return f' {what}="{_rgb(colour)}"{opacity}'


def _stroke(colour: Colour | None, thickness: float) -> str:
    if colour is None or not thickness:
        return ""
    return f'{_paint("stroke", colour)} stroke-width="{_number(thickness)}"'


def _rgb(colour: Colour) -> str:
    return "#" + "".join(f"{part:02x}" for part in colour[:3])


def _number(value: float) -> str:
    return f"{round(value, 2):g}"
