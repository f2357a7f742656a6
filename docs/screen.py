"""Documentation: draws docs/play.svg, the table in the terminal as `differenzler play` shows it.

    python docs/screen.py

A match against thumb is played up to the third trick; help is on. Textual exports the screen.
"""

import asyncio
import re
from pathlib import Path

from differenzler_env import Game
from differenzler_env.files import replacing
from differenzler_env.play.advice import Adviser
from differenzler_env.play.app import SeatApp
from differenzler_env.play.seat import Seat
from differenzler_env.play.sitting import Sitting, seat_field
from differenzler_env.words import ENGLISH

PICTURE = Path(__file__).resolve().parent / "play.svg"
SEED, TRICKS, COLUMNS, LINES = 7, 2, 80, 24
FONT = "DejaVu Sans Mono"


def seat_in_the_third_trick() -> Seat:
    """A seat that has bid 40, is to play, and has asked for help."""
    game = Game(seed=SEED)
    sitting = Sitting(game, seat_field("thumb", 0, game.rules), SEED)
    seat = Seat(sitting, ENGLISH, Adviser("search", game.rules))
    while game.current_seat != 0 or len(game.tricks) < TRICKS:
        own = game.current_seat == 0
        chosen = 40 if game.phase == "bid" else game.legal_actions()[0]
        seat.played(sitting.play(chosen if own else sitting.choose()))
    if seat.pause:
        seat.press("enter")
    seat.press("h")
    seat.advised(seat.view, seat.adviser.advise(seat.view))
    return seat


async def screen(seat: Seat) -> str:
    """The screen as SVG."""
    app = SeatApp(seat)
    async with app.run_test(size=(COLUMNS, LINES)) as pilot:
        await pilot.pause()
        return app.export_screenshot(title="differenzler play")


def main() -> None:
    """Write the picture."""
    svg = asyncio.run(screen(seat_in_the_third_trick()))
    # A page shows it as a picture, where fonts of other sites are not fetched.
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL).replace("Fira Code", FONT)
    with replacing(PICTURE) as temporary:
        temporary.write_text(svg, encoding="utf-8")
    print(PICTURE)


if __name__ == "__main__":
    main()
