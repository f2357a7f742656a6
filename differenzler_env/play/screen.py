"""Play: scenes laid out on 80 × 24 characters. What colour says is said without it too."""

import textwrap
from collections.abc import Mapping, Sequence

from rich.text import Text

from ..words import Words
from .scene import HandCard, Scene, SeatRow

WIDTH, HEIGHT = 80, 24
BESIDE_WIDTH, BESIDE_HEIGHT = 33, 13
"""Room to the right of the trick that somebody watches."""
CARD_WIDTH = 6
SUIT_STYLES = {
    "french": {"C": "bold", "D": "bold red", "H": "bold red", "S": "bold"},
    "german": {"C": "bold green", "D": "bold yellow", "H": "bold red", "S": "bold cyan"},
}
TITLE, FAINT, STRONG, WARNING = "reverse", "dim", "bold", "bold yellow"

Lines = list[Text]


def page(lines: Sequence[Text], title: str, message: Text | str, keys: str) -> Text:
    """A whole screen: a title, up to 21 lines, a message, and the keys."""
    body = list(lines)[: HEIGHT - 3]
    body += [Text()] * (HEIGHT - 3 - len(body))
    foot = Text(f" {keys}", FAINT)
    shown = message if isinstance(message, Text) else Text(f" {message}", STRONG)
    bar = Text(f" {title}".ljust(WIDTH)[:WIDTH], TITLE)
    return Text("\n").join([fit(line) for line in (bar, *body, shown, foot)])


def fit(line: Text, width: int = WIDTH) -> Text:
    """A line that is not wider than the screen."""
    line = line.copy()
    line.truncate(width, overflow="ellipsis")
    line.no_wrap = True
    return line


def wrapped(text: str, width: int, indent: int = 0, max_lines: int | None = None) -> list[str]:
    """A text in lines of at most so many characters, names that are longer broken; lines after the
    first are indented. At least one line."""
    after = " " * indent
    lines = textwrap.wrap(
        text, width, subsequent_indent=after, max_lines=max_lines, placeholder=" …"
    )
    return lines or [""]


def suit_style(suit: str, words: Words) -> str:
    """The style of a suit."""
    return SUIT_STYLES[words.cards][suit]


def hand_line(hand: Sequence[str], words: Words, room: int = WIDTH) -> Text:
    """A hand on one line, suit by suit in the order given: ``♦ J 9  ♣ A``; closer where there is
    no room."""
    suits = list(dict.fromkeys(card[0] for card in hand))
    for gap in (" ", ""):
        parts = []
        for suit in suits:
            ranks = " ".join(words.rank(card[1:]) for card in hand if card[0] == suit)
            parts.append(Text(f"{words.mark(suit)}{gap}{ranks}", suit_style(suit, words)))
        line = Text("  ").join(parts)
        if len(line) <= room:
            break
    return line


# Cards drawn -------------------------------------------------------------------------------

_FRAMES = {
    # the upper left corner, a level line, the upper right corner, a side, the lower corners
    "full": ("┌", "─", "┐", "│", "└", "┘"),
    "chosen": ("┏", "━", "┓", "┃", "┗", "┛"),
    "faint": ("┌", "╌", "┐", "┊", "└", "┘"),
}


def card_box(card: str, words: Words, frame: str = "full", foot: str = "") -> Lines:
    """A card as four lines, six wide; ``foot`` stands in its lower frame."""
    left, line, right, side, low, end = _FRAMES[frame]
    dim = FAINT if frame == "faint" else ""
    inner = CARD_WIDTH - 2
    style = suit_style(card[0], words) + (" dim" if dim else "")
    edge = STRONG if frame == "chosen" else dim
    return [
        Text(left + line * inner + right, edge),
        Text.assemble((side, edge), (f"{words.rank(card[1:]):<{inner}}", style), (side, edge)),
        Text.assemble((side, edge), (f"{words.mark(card[0]):>{inner - 1}} ", style), (side, edge)),
        Text(low + foot.center(inner, line) + end, edge),
    ]


def side_by_side(blocks: Sequence[Lines], gap: int = 0) -> Lines:
    """Blocks of lines beside one another."""
    if not blocks:
        return []
    return [Text(" " * gap).join(row) for row in zip(*blocks, strict=True)]


# Parts of the table ------------------------------------------------------------------------


def seat_lines(rows: Sequence[SeatRow], words: Words) -> Lines:
    """The seats: who acts (►), name, dealer, bid, points, total, and a hand where it is open."""
    labels = (words("bid"), words("points"), words("total"), words("dealer"))
    lines = [Text(f"   {words('player'):<15} {labels[0]:>8} {labels[1]:>7} {labels[2]:>6}", FAINT)]
    for row in rows:
        text = f" {'►' if row.acts else ' '} {row.name:<15} {row.bid:>8} {row.points:>7}"
        line = Text(f"{text} {row.total:>6}", STRONG if row.acts else "")
        if row.deals:
            line.append("  ")
            line.append(labels[3] if not row.hand else "●", FAINT)
        if row.hand:
            line.append(" " if row.deals else "    ")
            line.append_text(hand_line(row.hand, words, WIDTH - len(line)))
        lines.append(line)
    return lines


def trick_lines(scene: Scene, words: Words, column: int, notes: Sequence[Text] = ()) -> Lines:
    """The trick in the order played: cards above numbered names, in columns so wide; notes where
    there is none. Six lines."""
    if not scene.trick:
        room = [*notes, *[Text()] * 5][:5]
        return [Text(f" {words('no_trick')}", FAINT), *room]
    title = Text(f" {words('trick_order')}", FAINT)
    if scene.taken:
        title = Text(f" {scene.taken}", STRONG)
    blocks = []
    for number, (name, card) in enumerate(scene.trick, start=1):
        label = fit(Text(f"{number}. {name}"), column - 1)
        block = [*card_box(card, words), label]
        for line in block:
            line.pad_right(column - len(line.plain))
        blocks.append(block)
    return [title, *[Text(" ") + line for line in side_by_side(blocks)]]


def hand_lines(
    hand: Sequence[HandCard],
    words: Words,
    chosen: int | None,
    costs: Mapping[str, float],
    best: str | None,
) -> Lines:
    """One's own hand: while a card is to be played, lawful ones with a number and a full frame, the
    others faint, the chosen one with a heavy frame; below them expected costs where there are any.
    Five lines."""
    blocks = []
    to_play = any(each.lawful for each in hand)
    for place, each in enumerate(hand):
        frame = "faint" if to_play and not each.lawful else "full"
        frame = "chosen" if place == chosen else frame
        number = str(place + 1) if each.lawful else ""
        block = card_box(each.card, words, frame, number)
        cost = f"{costs[each.card]:.1f}" if each.card in costs else ""
        mark = "*" if each.card == best else ""
        block.append(Text(f"{mark + cost:^{CARD_WIDTH}}", STRONG if mark else ""))
        blocks.append(block)
    if not blocks:
        return [Text()] * 5
    return [Text(" ") + line for line in side_by_side(blocks)]


def table_page(
    scene: Scene,
    words: Words,
    message: Text | str,
    keys: str,
    chosen: int | None = None,
    costs: Mapping[str, float] | None = None,
    best: str | None = None,
    notes: Sequence[Text] = (),
) -> Text:
    """The table from one's own seat.

    Args:
        scene: what the seat sees.
        words: the language.
        message: the line that says what to do.
        keys: the line of keys.
        chosen: place in the hand of the card that Enter plays.
        costs: expected cost by card, where help is on.
        best: the card that help would play.
        notes: up to five lines, shown while no card lies on the table.
    """
    seats = seat_lines(scene.rows, words)
    seats += [Text()] * (6 - len(seats))
    title = Text.assemble((f" {words('your_hand')}", STRONG), f"   {scene.account}")
    body = [
        *seats,
        Text(f" {scene.last}", FAINT),
        *trick_lines(scene, words, 15 if len(scene.rows) > 4 else 18, notes),
        Text(),
        title,
        *hand_lines(scene.hand, words, chosen, costs or {}, best),
    ]
    return page(body, scene.heading, message, keys)


def watch_page(
    scene: Scene, words: Words, message: Text | str, keys: str, beside: Sequence[Text] = ()
) -> Text:
    """The table as a spectator sees it.

    Args:
        scene: what is shown.
        words: the language.
        message: what has just happened.
        keys: the line of keys.
        beside: lines to the right of the trick, such as an analysis.
    """
    seats = seat_lines(scene.rows, words)
    seats += [Text()] * (6 - len(seats))
    left = trick_lines(scene, words, 9 if len(scene.rows) > 4 else 11)
    left += [Text()] * (BESIDE_HEIGHT - len(left))
    right = [*beside][:BESIDE_HEIGHT]
    right += [Text()] * (BESIDE_HEIGHT - len(right))
    body = [*seats, Text(), Text(f" {scene.last}", FAINT)]
    for line, other in zip(left, right, strict=True):
        if other.plain:
            line = fit(line, WIDTH - BESIDE_WIDTH)
            line.pad_right(WIDTH - BESIDE_WIDTH - len(line.plain))
            line.append_text(other)
        body.append(line)
    return page(body, scene.heading, message, keys)
