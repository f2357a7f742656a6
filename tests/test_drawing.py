"""A table drawn: the same shapes as SVG and as pixels."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from kinds import KINDS
from twins import twin_games

from differenzler_env import Game, Rules, cards
from differenzler_env.drawing import svg_text, table_drawing
from differenzler_env.drawing.shapes import Laid, Text
from differenzler_env.words import Words

USE = "{http://www.w3.org/2000/svg}use"


def texts(drawing):
    return [shape.text for shape in drawing.shapes if isinstance(shape, Text)]


def cards_shown(drawing):
    laid = [shape.symbol.name for shape in drawing.shapes if isinstance(shape, Laid)]
    return [name.split("-")[1] for name in laid if name.startswith("card-")]


@pytest.mark.parametrize("kind", ["swisslos", "mini", "five at the table", "three, turned up"])
def test_a_drawing_is_svg_that_lays_only_what_it_defines(kind):
    game = Game(KINDS[kind], seed=2)
    for _ in range(KINDS[kind].players + 3):
        game.play(game.legal_actions()[0])
    for table in (game, game.view(1)):
        root = ElementTree.fromstring(svg_text(table_drawing(table)))
        assert root.get("viewBox") == "0 0 1200 820"
        defined = {element.get("id") for element in root.iter() if element.get("id")}
        used = [element.get("href") for element in root.iter(USE)]
        assert used and {name[1:] for name in used} <= defined


def test_a_seats_drawing_shows_its_own_cards_and_what_lies_on_the_table():
    game = Game(seed=3)
    for _ in range(6):
        game.play(game.legal_actions()[-1])
    view = game.view(2)
    assert sorted(cards_shown(table_drawing(view))) == sorted(
        view.hand + [card for _, card in view.trick]
    )
    everything = cards_shown(table_drawing(game))
    assert sorted(everything) == sorted(cards.NAMES)


@pytest.mark.parametrize("rules", [Rules(), Rules.television()], ids=["hidden", "television"])
def test_the_drawing_for_a_seat_is_the_same_in_all_worlds_it_cannot_tell_apart(rules):
    pairs = 0
    for game, twin in twin_games(rules, 1, range(30), cards=6):
        assert game.view(1).svg() == twin.view(1).svg()
        assert game.svg("open") != twin.svg("open")
        pairs += 1
    assert pairs > 10


def test_a_game_hides_in_a_notebook_what_the_seat_to_act_cannot_see():
    game = Game(seed=5)
    game.play(33)
    assert game._repr_svg_() == game.svg() == game.view(game.current_seat)._repr_svg_()
    assert ">33<" not in game.svg()
    assert ">33<" in game.svg("open") and ">33<" in game.svg((game.current_seat - 1) % 4)
    assert game.svg(width=600).startswith('<svg xmlns="http://www.w3.org/2000/svg" width="600"')
    with pytest.raises(ValueError, match="seat is 4"):
        game.svg(4)
    for width in (0, -1, True, 600.0, '1" onload="'):
        with pytest.raises(ValueError, match=r"width is .+; allowed: a whole number"):
            game.svg(width=width)
    while not game.is_over:
        game.play(game.legal_actions()[0])
    assert game.svg() == game.view(0).svg()


def test_names_and_words_are_drawn():
    drawing = table_drawing(Game(seed=1).view(0), Words("de"), ["Änni", "<b>", "Ch", "D"])
    assert {"Änni", "<b>", "Trumpf", "Ansage", "Spiel 1 von 4"} <= set(texts(drawing))
    assert ElementTree.fromstring(svg_text(drawing)) is not None
