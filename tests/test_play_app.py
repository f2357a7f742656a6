"""The table on the screen, driven by Textual's own pilot."""

from __future__ import annotations

import asyncio
import time

import pytest
from textual.widgets import Static

from differenzler_env import Game, Rules
from differenzler_env.agents.registry import share_agents
from differenzler_env.play.advice import Adviser
from differenzler_env.play.analysis import load_judge
from differenzler_env.play.app import SeatApp, ViewerApp
from differenzler_env.play.seat import Seat
from differenzler_env.play.sitting import Sitting, live_steps, seat_field
from differenzler_env.play.viewer import Viewer
from differenzler_env.words import ENGLISH


def seat_app(rules="mini", field="random", pace=0.0):
    game = Game(rules, seed=5)
    sitting = Sitting(game, seat_field(field, 0, game.rules), 5)
    return SeatApp(Seat(sitting, ENGLISH, Adviser("search?worlds=2", game.rules)), pace)


def drive(app, script, size=(80, 24)):
    """Run an app under a script that is given the pilot and a way to wait for something."""

    async def run():
        async with app.run_test(size=size) as pilot:

            async def until(holds):
                end = time.monotonic() + 300
                while not holds():
                    assert time.monotonic() < end, shown(app)
                    await pilot.pause(0.01)

            await script(pilot, until)

    asyncio.run(run())


def shown(app):
    return app.query_one("#page", Static).content.plain


def test_a_match_from_the_first_bid_to_the_standings():
    app = seat_app(Rules(players=3, deals=3))
    seat = app.table

    async def script(pilot, until):
        while not seat.leaving:
            await until(lambda: not seat.waits_for_agent)
            if seat.is_turn and seat.sitting.game.phase == "bid":
                await pilot.press("3", "0")
            await pilot.press("enter")

    drive(app, script)
    assert app.error is None and seat.sitting.game.is_over
    assert [deal["bids"][0] for deal in seat.sitting.game.finished_deals] == [30] * 3


def test_help_is_worked_out_beside_the_game():
    app = seat_app()

    async def script(pilot, until):
        await until(lambda: app.table.is_turn)
        assert "would bid" not in shown(app)
        await pilot.press("h")
        await until(lambda: not app.table.wants_advice)
        await until(lambda: "search would bid" in shown(app))
        await pilot.press("q")

    drive(app, script)
    assert app.table.leaving and app.error is None


def test_nothing_is_played_unseen_on_a_small_screen():
    app = seat_app()

    async def script(pilot, until):
        await until(lambda: app.table.is_turn)
        assert "79 × 24" in shown(app)
        await pilot.press("7", "enter", "h")
        assert app.table.sitting.game.bids[0] is None and not app.table.wants_advice
        await pilot.resize_terminal(80, 24)
        await until(lambda: "Your bid" in shown(app))
        await pilot.resize_terminal(80, 23)
        await until(lambda: "80 × 23" in shown(app))
        await pilot.press("q")

    drive(app, script, size=(79, 24))
    assert app.table.leaving


@pytest.mark.parametrize("pace", [0.0, 30.0])
def test_ctrl_c_leaves_at_any_moment(pace):
    app = seat_app("swisslos", "thumb", pace)

    async def script(pilot, until):
        if pace:  # while an agent takes its time
            await until(lambda: app.table.waits_for_agent)
        await pilot.press("ctrl+c")

    drive(app, script)
    assert app.table.leaving and app.error is None


def test_an_agent_that_fails_ends_the_match_with_its_error():
    app = seat_app(Rules(first_dealer=1), "players:RaisingDealer")

    async def script(pilot, until):
        await until(lambda: app.table.is_turn)
        await pilot.press("3")
        while not app.table.leaving:
            await pilot.press("enter")
            await until(lambda: app.table.leaving or not app.table.waits_for_agent)

    drive(app, script)
    assert "cannot continue: no idea at all" in str(app.error)


def test_watching_agents_to_the_end_and_back():
    rules = Rules.mini()
    agents = dict(enumerate(share_agents(["random"] * 2, rules)))
    steps = live_steps(Sitting(Game(rules, seed=2), agents, 2))
    judge = load_judge("search?worlds=2", rules)
    viewer = Viewer([next(steps)], ["a 0", "b 1"], ENGLISH, judge, live=True)
    app = ViewerApp(viewer, lambda: next(steps, None), pace=0.02)

    async def script(pilot, until):
        await pilot.press("right")
        await until(lambda: viewer.index == 1)
        await pilot.press("a")
        await until(lambda: "Analysis by" in shown(app) and "expected cost" in shown(app))
        await pilot.press("p")
        await until(lambda: not viewer.live)
        assert viewer.step.game.is_over
        await pilot.press("home")
        assert viewer.index == 0 and "The cards are dealt" in shown(app)
        await pilot.press("q")

    drive(app, script)
    assert app.error is None
