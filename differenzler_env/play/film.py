"""Play: a film of a deal, a GIF made from the pictures of its positions. Needs Pillow."""

import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from PIL import Image

from ..drawing import table_drawing
from ..drawing.table import HEIGHT, WIDTH
from ..envs.picture import paint
from ..files import replacing
from ..rules import Rules
from ..transcript import seats_in_order
from ..words import ENGLISH, Words
from .scene import OPEN, seat_names
from .steps import DEAL, SETTLED, TRICK, Step, deal_actions, deal_game, play_step

LONGER = 2
"""How many times as long the end of a trick is shown, and twice that the end of the deal."""


def deal_steps(rules: Rules, deal: Mapping[str, Any]) -> Iterator[Step]:
    """The steps of one deal of a checked record, played as a match of its own: its last position
    stays to be seen."""
    game = deal_game(rules, deal)
    yield Step(DEAL, game.copy())
    for action in deal_actions(rules, deal):
        yield play_step(game, action)


def write_film(
    path: str | os.PathLike[str],
    record: Mapping[str, Any],
    deal: int = 0,
    shown: int | str = OPEN,
    words: Words = ENGLISH,
    seconds: float = 0.8,
    width: int = 800,
    progress: Callable[[int, int], None] | None = None,
) -> int:
    """Write a film of one deal. Returns how many pictures it has.

    Args:
        path: the GIF, written aside and renamed.
        record: a game record that has been checked.
        deal: number of the deal in it, from 0.
        shown: ``"open"``, or the seat whose view is shown.
        words: the language.
        seconds: how long each position stays.
        width: of the picture, in pixels.
        progress: called with the pictures done and all there are.

    Raises:
        OSError: if it cannot be written.
    """
    rules = Rules.from_dict(record["rules"])
    own_seat = None if shown == OPEN else int(shown)
    names = seat_names(record["seats"], own_seat, words)
    steps = list(deal_steps(rules, record["deals"][deal]))
    size = (width, round(width * HEIGHT / WIDTH))
    frames: list[Image.Image] = []
    times: list[int] = []
    for number, step in enumerate(steps):
        drawn = _picture(step, own_seat, words, names, (deal, rules.deals))
        picture = drawn.resize(size, Image.Resampling.LANCZOS)
        # One palette for the whole film: colours that stay the same do not flicker.
        palette = frames[0] if frames else picture.quantize(255)
        frames.append(picture.quantize(palette=palette, dither=Image.Dither.NONE))
        longer = {TRICK: LONGER, SETTLED: 2 * LONGER}.get(step.kind, 1)
        times.append(round(1000 * seconds * longer))
        if progress is not None:
            progress(number + 1, len(steps))
    with replacing(path) as temporary:
        frames[0].save(
            temporary,
            format="GIF",
            save_all=True,
            append_images=frames[1:],
            duration=times,
            loop=0,
            optimize=False,
        )
    return len(frames)


def _picture(
    step: Step, own_seat: int | None, words: Words, names: list[str], deal: tuple[int, int]
) -> Image.Image:
    """The table at a step; a trick just completed still lies there."""
    table: Any = step.game if own_seat is None else step.game.view(own_seat)
    trick = None
    if step.kind in (TRICK, SETTLED):
        trick = seats_in_order(table.tricks[-1], table.rules.players)
    return paint(table_drawing(table, words, names, trick, deal))
