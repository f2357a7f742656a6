"""What people read, in both languages."""

from __future__ import annotations

import re
from pathlib import Path
from string import Formatter

import pytest

from differenzler_env import Game
from differenzler_env.actions import card_action
from differenzler_env.cards import NAMES, card_index
from differenzler_env.play.plain import parse_typed
from differenzler_env.text import view_text
from differenzler_env.words import CARDS, ENGLISH, LANGUAGES, MESSAGES, Words, choose_words

PACKAGE = Path(__file__).parents[1] / "differenzler_env"


@pytest.mark.parametrize("message", MESSAGES)
def test_both_languages_tell_of_the_same_things(message):
    english, german = (
        {name for _, name, _, _ in Formatter().parse(text) if name} for text in MESSAGES[message]
    )
    assert english == german


def test_every_message_is_said_somewhere():
    modules = {path: path.read_text() for path in PACKAGE.rglob("*.py")}
    table, _, rest = modules[PACKAGE / "words.py"].partition("class Words")
    code = "".join(modules.values()).replace(table, "")
    assert rest in code
    said = set(re.findall(r"""["']([A-Za-z_ ]+)["']""", code))
    made = {f"{start}_{kind}" for start in ("advice", "prompt") for kind in ("bid", "card")}
    assert set(MESSAGES) - said - made == set()


@pytest.mark.parametrize(
    ("given", "environment", "language"),
    [
        (None, {}, "en"),
        (None, {"LANG": "de_CH.UTF-8"}, "de"),
        (None, {"LANG": "fr_CH.UTF-8"}, "en"),
        (None, {"LC_ALL": "en_GB.UTF-8", "LANG": "de_CH.UTF-8"}, "en"),
        ("de", {"LANG": "en_GB.UTF-8"}, "de"),
        ("en", {"LANG": "de_CH.UTF-8"}, "en"),
    ],
)
def test_the_language_is_the_one_given_or_that_of_the_locale(given, environment, language):
    assert choose_words(given, environment).language == language


def test_other_languages_are_refused():
    with pytest.raises(ValueError, match="'rm'; allowed: en, de"):
        Words("rm")


def test_a_table_can_be_read_in_german():
    view = Game(seed=1).view(0)
    german = view_text(view, Words("de"))
    assert "Spiel 1 von 4   Trumpf" in german and "Ansage" in german and "Blatt: " in german
    assert view_text(view) == view_text(view, ENGLISH) == view.text()


def test_names_in_a_row():
    assert ENGLISH.joined(["a"]) == "a"
    assert ENGLISH.joined(["a", "b", "c"]) == "a, b and c"
    assert Words("de").joined(["a", "b"]) == "a und b"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", CARDS)
def test_cards_have_names_of_their_own_that_can_be_typed(language, kind):
    words = Words(language, kind)
    shown = {name: words.card(name) for name in NAMES}
    assert len(set(shown.values())) == 36 and max(map(len, shown.values())) == 3
    for name, text in shown.items():
        action = card_action(card_index(name))
        assert parse_typed(text.lower(), "play", words) == action
        assert parse_typed(name.lower(), "play", words) == action


def test_german_cards_are_called_as_they_are():
    words = Words("de", "german")
    assert [words.suit(suit) for suit in "CDHS"] == ["Eicheln", "Schellen", "Rosen", "Schilten"]
    assert [words.card(card) for card in ("C10", "DJ", "HQ", "SK")] == ["EiB", "SeU", "RoO", "SiK"]
    with pytest.raises(ValueError, match="cards are 'tarot'; allowed: french, german"):
        Words("en", "tarot")
