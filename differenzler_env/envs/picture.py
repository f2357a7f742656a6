"""Environments: a table as a picture, from one seat's view or open. Needs Pillow, and no display.

The seat whose view it is sits at the bottom, the others around the table in the order of play,
which runs to the right. ``python -m differenzler_env.envs.picture FILE`` draws a table as a sample.
"""

import sys
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter

from ..cards import card_index
from ..game import Game
from .card_faces import GOLD, HEIGHT, PAPER, Point, card_back, card_face, font, suit_shape

WIDTH, HEIGHT_PIXELS = 1200, 820
CENTRE = (600, 376)
WOOD, WOOD_LIGHT, WOOD_DARK = (96, 60, 34), (146, 100, 60), (52, 31, 17)
FELT, FELT_DARK = (30, 110, 80), (10, 56, 42)
PLATE, PLATE_EDGE = (7, 34, 27, 205), (70, 132, 108, 255)
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


BOTTOM = Place((600, 702), 0, (600, 566), (0, 62), -2)
RIGHT = Place((1116, 384), 90, (970, 384), (124, 0), -4)
LEFT = Place((84, 384), -90, (230, 384), (-124, 0), 5)
TOP = Place((600, 86), 180, (600, 186), (0, -62), 3)
TOP_RIGHT = Place((840, 86), 180, (840, 186), (66, -78), 5)
TOP_LEFT = Place((360, 86), 180, (360, 186), (-66, -78), -4)
_AROUND = {
    2: (TOP,),
    3: (RIGHT, LEFT),
    4: (RIGHT, TOP, LEFT),
    5: (RIGHT, TOP_RIGHT, TOP_LEFT, LEFT),
}
"""Places of the others by the number of players, in the order of play."""


def draw_table(game: Game, shown: int | str) -> NDArray[np.uint8]:
    """The table now, uint8 [820, 1200, 3].

    Args:
        game: the game; only what ``shown`` may see is drawn.
        shown: a seat, or ``"open"`` for all hands and bids, seat 0 at the bottom.
    """
    image = table_image(game, shown)
    return np.array(image, np.uint8)


def table_image(game: Game, shown: int | str) -> Image.Image:
    """As :func:`draw_table`, an RGB image."""
    open_table = shown == "open"
    bottom = 0 if open_table else int(shown)
    table: Any = game if open_table else game.view(bottom)
    image = _felt().copy()
    places = _places(game.rules.players, bottom)
    for seat, place in places.items():
        if open_table:
            hand, lawful = table.hands[seat], None
        elif seat == bottom:
            hand, lawful = table.hand, _lawful(table)
        else:
            hand, lawful = None, None
        if seat == bottom:
            _draw_own_hand(image, hand or [], lawful)
        else:
            _draw_other_hand(image, place, hand, _cards_left(table, seat))
    _draw_trick(image, table, places)
    _draw_trump(image, table)
    _draw_progress(image, table)
    for seat, place in places.items():
        _draw_plate(image, table, seat, place, is_own=seat == bottom and not open_table)
    return image.convert("RGB")


def _places(players: int, bottom: int) -> dict[int, Place]:
    others = enumerate(_AROUND[players], start=1)
    return {bottom: BOTTOM} | {(bottom + distance) % players: place for distance, place in others}


def _lawful(view: Any) -> set[str] | None:
    """The cards to show as playable; None where the seat is not to play a card."""
    to_play = view.phase == "play" and view.current_seat == view.seat
    return set(view.lawful_cards) if to_play else None


def _cards_left(table: Any, seat: int) -> int:
    played: int = len(table.tricks) + sum(who == seat for who, _ in table.trick)
    tricks: int = table.rules.tricks
    return tricks - played


# The table ---------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def _felt() -> Image.Image:
    """The empty table: a wooden frame around felt that is lighter in the middle."""
    rows = np.linspace(-1, 1, HEIGHT_PIXELS)[:, None]
    columns = np.linspace(-1, 1, WIDTH)[None, :]
    away = np.clip(np.hypot(rows * 0.95, columns * 0.95), 0, 1)[..., None]
    felt = np.array(FELT) * (1 - away) + np.array(FELT_DARK) * away
    felt = felt.astype(np.uint8)
    image = Image.new("RGBA", (WIDTH, HEIGHT_PIXELS), (*WOOD, 255))
    draw = ImageDraw.Draw(image)
    for inset in range(0, 26):
        share = abs(inset - 9) / 17
        colour = tuple(
            round(light * (1 - share) + dark * share)
            for light, dark in zip(WOOD_LIGHT, WOOD_DARK, strict=True)
        )
        draw.rectangle([inset, inset, WIDTH - 1 - inset, HEIGHT_PIXELS - 1 - inset], outline=colour)
    mask = Image.new("L", image.size, 0)
    ImageDraw.Draw(mask).rounded_rectangle(
        [22, 22, WIDTH - 23, HEIGHT_PIXELS - 23], radius=34, fill=255
    )
    shadow = mask.filter(ImageFilter.GaussianBlur(9))
    image.paste(Image.fromarray(felt).convert("RGBA"), (0, 0), mask)
    dark = Image.new("RGBA", image.size, (0, 0, 0, 255))
    # Darkest at the frame, and on the felt only.
    shade = shadow.point(lambda value: (255 - value) // 2)
    dark.putalpha(Image.composite(shade, Image.new("L", image.size, 0), mask))
    image.alpha_composite(dark)
    draw.rounded_rectangle(
        [22, 22, WIDTH - 23, HEIGHT_PIXELS - 23], radius=34, outline=WOOD_DARK, width=2
    )
    return image


@lru_cache(maxsize=128)
def _laid(
    card: str, width: int, turn: float, dim: bool, in_row: bool
) -> tuple[Image.Image, Image.Image]:
    """A card (its back where the text is empty) turned counter-clockwise, and its shadow."""
    face = card_face(card, width, dim, in_row) if card else card_back(width)
    pad = 10
    padded = Image.new("RGBA", (face.width + 2 * pad, face.height + 2 * pad), (0, 0, 0, 0))
    padded.alpha_composite(face, (pad, pad))
    if turn:
        padded = padded.rotate(turn, Image.Resampling.BICUBIC, expand=True)
    shadow = Image.new("RGBA", padded.size, (0, 0, 0, 0))
    shadow.putalpha(padded.getchannel("A").point(lambda alpha: alpha * 80 // 255))
    return padded, shadow.filter(ImageFilter.GaussianBlur(3))


def _lay(
    image: Image.Image,
    card: str,
    width: int,
    at: Point,
    turn: float = 0.0,
    dim: bool = False,
    in_row: bool = False,
) -> None:
    """Lay a card, its back where the text is empty, centred on a point, with its shadow."""
    face, shadow = _laid(card, width, round(turn, 2), dim, in_row)
    left, top = round(at[0] - face.width / 2), round(at[1] - face.height / 2)
    image.alpha_composite(shadow, (left + 1, top + 3))
    image.alpha_composite(face, (left, top))


# Hands and trick ---------------------------------------------------------------------------


def _fan(number: int, spacing: float, drop: float) -> list[tuple[float, float, float]]:
    """Offsets along and across a fan, whose ends drop so far, and its turns, card by card."""
    middle = (number - 1) / 2
    bend = min(0.85, drop / max(middle, 1) ** 2)
    return [
        ((i - middle) * spacing, (i - middle) ** 2 * bend, -(i - middle) * bend * 2.1)
        for i in range(number)
    ]


def _draw_own_hand(image: Image.Image, hand: Sequence[str], lawful: set[str] | None) -> None:
    spacing = min(92.0, 930 / max(len(hand), 1))
    x, y = BOTTOM.cards
    cards = sorted(hand, key=_display_order)
    for card, (along, across, turn) in zip(cards, _fan(len(hand), spacing, 14), strict=True):
        dim = lawful is not None and card not in lawful
        raised = 14 if lawful is not None and not dim else 0
        _lay(image, card, OWN_CARD, (x + along, y + across - raised), turn, dim)


def _display_order(card: str) -> tuple[int, int]:
    """Clubs, diamonds, spades, hearts: colours alternate; each suit from low to high."""
    return "CDSH".index(card[0]), card_index(card)


def _draw_other_hand(
    image: Image.Image, place: Place, hand: Sequence[str] | None, left: int
) -> None:
    x, y = place.cards
    if hand is None:  # backs, turned towards their seat
        spacing = min(22.0, 200 / max(left, 1))
        for along, across, bend in _fan(left, spacing, 7):
            dx, dy = _turned(along, across, place.turn)
            _lay(image, "", OTHER_CARD, (x + dx, y + dy), place.turn + bend)
        return
    # Open hands lie upright, so that they can be read.
    cards = sorted(hand, key=_display_order)
    below = place.turn in (90, -90)
    spacing = min(27.0, 250 / max(len(cards), 1))
    for card, (along, _, _) in zip(cards, _fan(len(cards), spacing, 0), strict=True):
        at = (x, y + along) if below else (x + along, y)
        _lay(image, card, OPEN_CARD, at, in_row=below)


def _turned(along: float, across: float, turn: float) -> tuple[float, float]:
    """An offset of a fan turned counter-clockwise by 0, 90, 180 or −90 degrees."""
    return {
        0: (along, across),
        90: (across, -along),
        180: (-along, -across),
        -90: (-across, along),
    }[round(turn)]


def _draw_trick(image: Image.Image, table: Any, places: dict[int, Place]) -> None:
    corners = []
    for seat, card in table.trick:
        x, y = CENTRE[0] + places[seat].trick[0], CENTRE[1] + places[seat].trick[1]
        _lay(image, card, TRICK_CARD, (x, y), places[seat].tilt)
        corners.append((x + TRICK_CARD * 0.5 - 18, y - TRICK_CARD * HEIGHT * 0.5 - 10))
    for number, (left, top) in enumerate(corners, start=1):
        image.alpha_composite(_badge(str(number)), (round(left), round(top)))


@lru_cache(maxsize=8)
def _badge(text: str) -> Image.Image:
    fine, radius = 4, 13
    size = (2 * radius + 2) * fine
    badge = Image.new("RGBA", (size, size), (0, 0, 0, 0))
    draw = ImageDraw.Draw(badge)
    draw.ellipse([fine, fine, size - fine, size - fine], fill=GOLD, outline=WOOD_DARK, width=fine)
    draw.text(
        (size / 2, size / 2),
        text,
        font=font(round(radius * 1.25 * fine)),
        fill=WOOD_DARK,
        anchor="mm",
        stroke_width=1,
        stroke_fill=WOOD_DARK,
    )
    return badge.resize((size // fine, size // fine), Image.Resampling.LANCZOS)


# Plates ------------------------------------------------------------------------------------


@lru_cache(maxsize=32)
def _panel(width: int, height: int, lit: bool) -> Image.Image:
    fine = 3
    panel = Image.new("RGBA", (width * fine, height * fine), (0, 0, 0, 0))
    ImageDraw.Draw(panel).rounded_rectangle(
        [fine, fine, (width - 1) * fine, (height - 1) * fine],
        radius=12 * fine,
        fill=PLATE,
        outline=(*GOLD, 255) if lit else PLATE_EDGE,
        width=(3 if lit else 1) * fine,
    )
    return panel.resize((width, height), Image.Resampling.LANCZOS)


def _write(
    image: Image.Image,
    at: tuple[float, float],
    text: str,
    size: int,
    colour: tuple[int, ...] = IVORY,
    anchor: str = "mm",
    bold: bool = False,
) -> None:
    ImageDraw.Draw(image).text(
        at,
        text,
        font=font(size),
        fill=colour,
        anchor=anchor,
        stroke_width=0.4 if bold else 0,
        stroke_fill=colour,
    )


def _draw_plate(image: Image.Image, table: Any, seat: int, place: Place, is_own: bool) -> None:
    x, y = place.plate
    wide, high = _PLATE_SIZE
    acts = table.current_seat == seat
    left, top = x - wide // 2, y - high // 2
    image.alpha_composite(_panel(wide, high, acts), (left, top))
    name = f"Seat {seat}" + (" (you)" if is_own else "")
    _write(image, (left + 14, top + 19), name, 17, GOLD if acts else IVORY, "lm", bold=True)
    if table.dealer == seat:
        _write(image, (left + wide - 14, top + 19), "dealer", 13, FAINT, "rm")
    values = (
        ("bid", _bid_text(table, seat)),
        ("points", str(table.points[seat])),
        ("total", str(table.penalties[seat])),
    )
    for column, (label, value) in enumerate(values):
        middle = left + wide * (2 * column + 1) / 6
        _write(image, (middle, top + 44), value, 18, IVORY, "mm", bold=True)
        _write(image, (middle, top + 62), label, 11, FAINT)


def _bid_text(table: Any, seat: int) -> str:
    if table.bids[seat] is not None:
        return str(table.bids[seat])
    given = getattr(table, "has_bid", None)
    return "?" if given is not None and given[seat] else "-"


@lru_cache(maxsize=4)
def _medal(suit: str) -> Image.Image:
    fine = 4
    medal = Image.new("RGBA", (84 * fine, 84 * fine), (0, 0, 0, 0))
    box = [fine, fine, 83 * fine, 83 * fine]
    ImageDraw.Draw(medal).ellipse(box, fill=PAPER, outline=GOLD, width=10)
    medal = medal.resize((84, 84), Image.Resampling.LANCZOS)
    medal.alpha_composite(suit_shape(suit, 52), (16, 16))
    return medal


def _draw_trump(image: Image.Image, table: Any) -> None:
    left, top, wide, high = 46, 46, 164, 128
    image.alpha_composite(_panel(wide, high, False), (left, top))
    _write(image, (left + wide / 2, top + 20), "trump", 15, FAINT)
    x = left + wide // 2 - (32 if table.turned_up else 0)
    image.alpha_composite(_medal(table.trump), (x - 42, top + 34))
    if table.turned_up:
        _lay(image, table.turned_up, 56, (left + wide - 42, top + 77), -4)


def _draw_progress(image: Image.Image, table: Any) -> None:
    rules = table.rules
    wide, high = 164, 128
    left, top = WIDTH - 46 - wide, 46
    image.alpha_composite(_panel(wide, high, False), (left, top))
    middle = left + wide / 2
    _write(image, (middle, top + 20), f"deal {table.deal_number + 1} of {rules.deals}", 15, IVORY)
    if table.phase == "over":
        word = "match over"
    elif table.phase == "bid":
        word = "bidding"
    else:
        word = f"trick {len(table.tricks) + 1} of {rules.tricks}"
    _write(image, (middle, top + 41), word, 15, IVORY)
    if table.tricks:
        last = table.tricks[-1]
        spacing = 27 if len(last["cards"]) < 5 else 24
        start = middle - (len(last["cards"]) - 1) / 2 * spacing
        for i, card in enumerate(last["cards"]):
            _lay(image, card, LAST_CARD, (start + i * spacing, top + 80))
        text = f"{last['points']} to seat {last['winner']}"
        _write(image, (middle, top + 117), text, 12, FAINT)


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
