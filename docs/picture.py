"""Documentation: draws docs/architecture.svg from the table of rooms in docs/architecture.md.

    python docs/picture.py

Left the rooms, each resting on what it may import; right the way of one decision, and the line that
hidden information does not cross.
"""

import re
from collections.abc import Iterator
from html import escape
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
PICTURE = FOLDER / "architecture.svg"

WIDTH, MARGIN, TOP = 1040, 24, 64
ROOMS_WIDTH, ROOM, GAP = 560, 32, 8
FLOW_LEFT, FLOW_WIDTH = 640, 376
INK, PAPER, EDGE, FILL, HIDDEN = "#1d2b2a", "#ffffff", "#4f7f7a", "#e3f1ef", "#f6e3d3"

# What stands in the box, what leads to the next one; seats know nothing of what is above the line.
HIDDEN_STEPS = (("STATE records [B]: every hand, every bid", "engine/redact: the only way"),)
SEEN_STEPS = (
    ("VIEW record: what one seat may know", "observation, sampling"),
    ("vector [520] and mask [194], or consistent worlds", "an agent, or a person"),
    ("an action, 0 … 193", ""),
)
LAST_STEP = "engine/play, engine/kernels: the rules, once"


def rooms() -> list[tuple[str, ...]]:
    """The names of each row of the table, highest first."""
    page = (FOLDER / "architecture.md").read_text(encoding="utf-8")
    table = page.split("## Rooms")[1].split("## ")[0]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    return [tuple(re.findall(r"`([^`]+)`", row)) for row in rows]


def text(x: float, y: float, words: str, size: int = 14, **attributes: str) -> str:
    """A line of text; its middle stands at ``y``."""
    more = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in attributes.items())
    place = f'x="{x:g}" y="{y + size * 0.35:g}" font-size="{size}"'
    return f'<text {place} fill="{INK}"{more}>{escape(words)}</text>'


def box(x: float, y: float, width: float, height: float, words: str, fill: str = FILL) -> str:
    """A box with a line of text in its middle."""
    place = f'x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="6"'
    frame = f'<rect {place} fill="{fill}" stroke="{EDGE}"/>'
    return frame + text(x + width / 2, y + height / 2, words, text_anchor="middle")


def arrow(*points: tuple[float, float]) -> str:
    """A line through points, with a head at its end."""
    way = " ".join(f"{x:g},{y:g}" for x, y in points)
    return (
        f'<polyline points="{way}" fill="none" stroke="{INK}" stroke-width="1.6" '
        'marker-end="url(#head)"/>'
    )


def stack(rows: list[tuple[str, ...]]) -> Iterator[str]:
    """The rooms, one above the other."""
    title = "Rooms: each may import its own row and those below"
    yield text(MARGIN, 36, title, size=17, font_weight="bold")
    for number, names in enumerate(rows):
        y = TOP + number * (ROOM + GAP)
        yield box(MARGIN, y, ROOMS_WIDTH, ROOM, ", ".join(names))


def flow(height: float) -> Iterator[str]:
    """The way of a decision, from the state through a view and back."""
    steps = HIDDEN_STEPS + SEEN_STEPS
    yield text(FLOW_LEFT, 36, "The way of one decision", size=17, font_weight="bold")
    distance = (height - TOP - MARGIN - ROOM - 44) / len(steps)
    middle = FLOW_LEFT + FLOW_WIDTH / 2
    for number, (words, leads) in enumerate(steps):
        y = TOP + number * distance
        fill = HIDDEN if number < len(HIDDEN_STEPS) else FILL
        yield box(FLOW_LEFT, y, FLOW_WIDTH, ROOM + 8, words, fill)
        yield arrow((middle, y + ROOM + 8), (middle, y + distance))
        yield text(middle + 12, y + (distance + ROOM + 8) / 2 - 8, leads, 13, font_style="italic")
    line = TOP + (len(HIDDEN_STEPS) - 1) * distance + (distance + ROOM + 8) / 2 + 10
    yield (
        f'<line x1="{FLOW_LEFT - 16:g}" x2="{WIDTH - 8:g}" y1="{line:g}" y2="{line:g}" '
        f'stroke="#b3541e" stroke-width="2" stroke-dasharray="7 5"/>'
    )
    yield text(FLOW_LEFT, line + 13, "hidden cards and bids stay above", 12, fill_opacity="0.8")
    last = TOP + len(steps) * distance
    yield box(FLOW_LEFT, last, FLOW_WIDTH, ROOM + 8, LAST_STEP, HIDDEN)
    back = FLOW_LEFT - 20
    start, end = last + ROOM / 2, TOP + ROOM / 2
    yield arrow((FLOW_LEFT, start), (back, start), (back, end), (FLOW_LEFT, end))


def picture() -> str:
    """The whole drawing as SVG."""
    rows = rooms()
    height = TOP + len(rows) * (ROOM + GAP) + MARGIN
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
            'font-family="Helvetica, Arial, sans-serif">',
            '<defs><marker id="head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" '
            f'markerHeight="7" orient="auto"><path d="M0 0 10 5 0 10z" fill="{INK}"/></marker>'
            "</defs>",
            f'<rect width="{WIDTH}" height="{height}" fill="{PAPER}"/>',
            *stack(rows),
            *flow(height),
            "</svg>\n",
        ]
    )


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
