"""Positions as one line: written and read back at every state, damaged ones refused."""

from __future__ import annotations

import random
import re

import oracle
import pytest
from kinds import KINDS, choice, play_out, states
from record_tools import same_position

from differenzler_env import Game, RecordError, Rules

WORDS = ["deal", "dealer", "trump", "turned_up", "hands", "bids", "plays", "penalties"]


@pytest.mark.parametrize("kind", KINDS)
def test_positions_come_back_at_every_state(kind):
    for number, game in enumerate(states(KINDS[kind], seed=1)):
        text = game.notation()
        assert "\n" not in text and text.isprintable()
        if number % 3 and not game.is_over:
            continue
        again = Game.from_notation(text)
        assert again.notation() == text
        # The deal settled before is not in a position, only what it cost.
        if again.deal_number and not game.is_over:
            again._row["settled_penalties"] = game._row["settled_penalties"]
        assert same_position(again, game), text
        assert again.legal_actions() == game.legal_actions()
        for seat in range(game.rules.players):
            assert again.view(seat).record.tobytes() == game.view(seat).record.tobytes()


def test_a_position_can_be_read_by_a_player():
    hands = [
        "CQ D9 D10 DJ H6 H10 HQ SK SA",
        "C6 C7 C10 CK D7 DK DA H7 HK",
        "C9 D6 D8 DQ H9 S7 S9 S10 SQ",
        "C8 CJ CA H8 HJ HA S6 S8 SJ",
    ]
    game = Game.from_deal(None, [hand.split() for hand in hands], "D", dealer=0)
    for action in (38, 15, 25, 87):
        game.play(action)
    for card in ("D7", "D8", "SJ", "D9", "CQ"):
        game.play(158 + oracle.PACK.index(card))
    assert game.notation() == (
        "swisslos deal=1 dealer=0 trump=D turned_up=- "
        "hands=Q.J109.Q106.AK/K1076.AK7.K7./9.Q86.9.Q1097/AJ8..AJ8.J86 "
        "bids=87,38,15,25 plays=D7,D8,SJ,D9,CQ penalties=0,0,0,0"
    )
    assert repr(game) == f"Game.from_notation({game.notation()!r})"
    assert same_position(eval(repr(game), {"Game": Game}), game)


def test_rules_without_a_name_stand_in_full():
    game = Game(Rules(players=3, exact_bonus=10), seed=1)
    assert game.notation().startswith('{"players":3,"exact_bonus":10} deal=1 ')
    assert Game.from_notation(game.notation()).rules == game.rules
    # A rule set's name stands for the rules it has today; others are spelt out.
    for name in ("table", "television", "mini"):
        assert Game(name, seed=1).notation().startswith(f"{name} ")
        assert Game.from_notation(Game(name, seed=1).notation()).rules == Game(name).rules


def test_errors_show_the_position():
    game = Game(seed=1)
    record = play_out(game, random.Random(1)).to_record()
    cards = record["deals"][0]["tricks"][2]["cards"]
    cards[1] = cards[0]
    with pytest.raises(RecordError, match="position: swisslos deal=1 ") as caught:
        Game.from_record(record)
    position = str(caught.value).partition("position: ")[2]
    assert len(Game.from_notation(position).trick) == 1


def changed(game: Game, **words: str) -> str:
    """The notation of a game with some of its words changed."""
    text = game.notation()
    for name, value in words.items():
        text, count = re.subn(rf"(?<= {name}=)\S*", lambda _, v=value: v, text)
        assert count == 1
    return text


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ({"deal": "0"}, "deal is 0; allowed: 1 to 4"),
        ({"deal": "5"}, "deal is 5; allowed: 1 to 4"),
        ({"deal": "-"}, "deal is -; allowed: 1 to 4"),
        ({"deal": "one"}, "deal is 'one'; allowed: 1 numbers"),
        ({"deal": "٣"}, "deal is '٣'; allowed: 1 numbers"),
        ({"dealer": "4"}, "dealer is seat 4; allowed: a seat from 0 to 3"),
        ({"dealer": "-"}, "dealer is None"),
        ({"trump": "X"}, "trump is 'X'; allowed: C, D, H, S"),
        ({"turned_up": "D6"}, "turned_up is 'D6'"),
        ({"hands": "AK.../..."}, "hand 'AK...'|should have 4 suits|there are 2 hands"),
        ({"hands": "A.K.Q/A.K.Q/A.K.Q/A.K.Q"}, "should have 4 suits"),
        ({"hands": "AX.../.../.../..."}, "'AX' in hand 'AX...' is not a list of ranks"),
        ({"bids": "1,2,3"}, "bids is '1,2,3'; allowed: 4 numbers"),
        ({"bids": "1,2,3,158"}, "the bid of seat 3 is 158"),
        ({"bids": "1,2,3,-1"}, "the bid of seat 3 is -1"),
        ({"bids": "1,-,2,3"}, "bids should be"),
        ({"bids": "1,2,3,4", "plays": "C6,C6"}, "trick 1, card C6: "),
        ({"plays": "C6"}, "a card is played before all have bid"),
        ({"penalties": "1,0,0,0"}, "penalties are 1,0,0,0; allowed in deal 1: 0 to 0"),
        ({"penalties": "0,0,0"}, "penalties is '0,0,0'"),
        ({"deal": "2", "penalties": "0,0,0,158"}, "allowed in deal 2: 0 to 157 each"),
        ({"deal": "2", "penalties": "0,0,0,-1"}, "allowed in deal 2: 0 to 157 each"),
        ({"deal": "2", "penalties": "0,0,0,-"}, "penalties are 0,0,0,-; allowed"),
    ],
)
def test_what_is_wrong_with_a_position_is_said(words, complaint):
    with pytest.raises(RecordError, match=complaint) as caught:
        Game.from_notation(changed(Game(seed=1), **words))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    ["", "swisslos", None, 3, "swisslos deal=1", "jass deal=1 dealer=0", b"swisslos", ["swisslos"]],
)
def test_what_is_no_position_is_refused(text):
    with pytest.raises(RecordError, match="is not a position"):
        Game.from_notation(text)


@pytest.mark.parametrize("rules", ["jass", "{}x", "[]", '{"players":7}', '{"seed":1}', "null", "{"])
def test_rules_of_a_position_that_are_none_are_refused(rules):
    text = Game(seed=1).notation().replace("swisslos", rules)
    with pytest.raises(RecordError, match="position: "):
        Game.from_notation(text)


def test_two_thousand_damaged_positions():
    """Refused, or read as the position they spell: writing it again gives the same line."""
    rng = random.Random(1)
    texts = [game.notation() for rules in KINDS.values() for game in states(rules, seed=3)]
    letters = sorted(set("".join(texts)))
    read = 0
    for _ in range(2000):
        text = choice(rng, texts)
        at = int(rng.random() * len(text))
        how = int(rng.random() * 4)
        if how == 0:
            text = text[:at] + text[at + 1 :]
        elif how == 1:
            text = text[:at] + choice(rng, letters) + text[at:]
        elif how == 2:
            text = text[:at] + choice(rng, letters) + text[at + 1 :]
        else:
            words = text.split(" ")
            one, other = int(rng.random() * 9), int(rng.random() * 9)
            words[one], words[other] = words[other], words[one]
            text = " ".join(words)
        try:
            game = Game.from_notation(text)
        except RecordError:
            continue
        read += 1
        again = game.notation()
        assert same_position(Game.from_notation(again), game)
        if not text.startswith("{"):  # numbers such as 07 and spaces too many are read all the same
            plain = re.sub(r"(?<=[=,])(-?)0+(?=\d)", r"\1", " ".join(text.split()))
            assert again == plain.replace("-0,", "0,"), text
    assert 20 < read < 1000
