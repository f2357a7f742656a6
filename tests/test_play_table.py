"""What a person sees of a table, and what keys do: the pages and the seat, without a terminal."""

from __future__ import annotations

import pytest
from kinds import KINDS
from screen_tools import fits, lines_of
from twins import twin_games

from differenzler_env import Game, Rules
from differenzler_env.play import pages
from differenzler_env.play.advice import Advice, Adviser
from differenzler_env.play.scene import (
    ranking,
    result_text,
    seat_names,
    seat_scene,
    sorted_hand,
    watched_scene,
)
from differenzler_env.play.seat import Seat
from differenzler_env.play.sitting import Sitting, human_seat, seat_field
from differenzler_env.words import ENGLISH, Words

GERMAN = Words("de")


def sit_down(rules=None, seed=7, words=ENGLISH, adviser="search?worlds=3", game=None):
    game = game or Game(rules or Rules(), seed=seed)
    sitting = Sitting(game, seat_field("random", 0, game.rules), seed)
    return Seat(sitting, words, Adviser(adviser, game.rules))


def others_act(seat):
    while seat.waits_for_agent:
        seat.played(seat.sitting.play(seat.sitting.choose()))


def play_match(seat, look=lambda seat: None):
    """Play with Enter and a bid of 40 (or 7), looking at every page."""
    while not seat.leaving:
        others_act(seat)
        look(seat)
        if seat.is_turn and seat.sitting.game.phase == "bid":
            for key in "7":
                seat.press(key)
        seat.press("enter")


@pytest.mark.parametrize("words", [ENGLISH, GERMAN], ids=["en", "de"])
@pytest.mark.parametrize(
    "kind", ["swisslos", "mini", "everything", "revokes, three", "five at the table"]
)
def test_every_page_of_every_match_fits_the_screen(kind, words):
    seat = sit_down(KINDS[kind].replace(first_dealer=0), words=words)
    seen = []

    def look(seat):
        assert fits(seat.page())
        if len(seen) < 60:
            for key in ("t", "m", "question_mark"):
                seat.press(key)
                assert fits(seat.page())
                seat.press("escape")
        seen.append(seat.pause)

    play_match(seat, look)
    rules = seat.sitting.game.rules
    assert seen.count("settled") == rules.deals
    assert seen.count("trick") == rules.deals * (rules.tricks - 1)
    assert seen[-1] == "over" and seat.sitting.game.is_over


@pytest.mark.parametrize("rules", [Rules(), Rules.television()], ids=["hidden", "television"])
@pytest.mark.parametrize("cards", [0, 5, 10])
def test_a_seats_page_is_the_same_in_all_worlds_it_cannot_tell_apart(rules, cards):
    pairs = 0
    for game, twin in twin_games(rules, 0, range(40), cards):
        seats = [sit_down(game=each) for each in (game, twin)]
        for seat in seats:
            seat.pause = "trick" if game.tricks and not game.trick else None
        assert seats[0].page() == seats[1].page()
        for key in ("t", "m"):
            for seat in seats:
                seat.press(key)
            assert seats[0].page() == seats[1].page()
            for seat in seats:
                seat.press("x")
        shown = [watched_scene(each, "none", list("abcd"), ENGLISH) for each in (game, twin)]
        assert shown[0] == shown[1]
        shown = [watched_scene(each, "open", list("abcd"), ENGLISH) for each in (game, twin)]
        assert shown[0] != shown[1]
        pairs += 1
    assert pairs > 10


def test_help_comes_from_the_view_and_is_off_until_asked_for():
    pairs = 0
    for game, twin in twin_games(Rules(), 0, range(30), cards=4):
        if game.current_seat != 0:
            continue
        pages_seen = []
        for each in (game, twin):
            seat = sit_down(game=each)
            assert not seat.wants_advice and "would play" not in seat.page().plain
            seat.press("h")
            assert seat.wants_advice and "is asked for help" in seat.page().plain
            seat.advised(seat.view, seat.adviser.advise(seat.view))
            assert not seat.wants_advice and "would play" in seat.page().plain
            pages_seen.append(seat.page())
            seat.press("h")
            assert "would play" not in seat.page().plain
        assert pages_seen[0] == pages_seen[1]
        pairs += 1
    assert pairs > 1


def test_what_is_typed_while_an_agent_thinks_plays_nothing_later():
    seat = sit_down(Rules(first_dealer=0))
    assert seat.waits_for_agent
    for key in ("7", "enter"):
        seat.press(key)
    others_act(seat)
    seat.press("enter")
    assert seat.is_turn and seat.view.bid is None
    for key in ("4", "0", "enter"):
        seat.press(key)
    assert seat.view.bid == 40


def test_a_long_name_leaves_room_for_its_advice():
    spec = "search?policy=models/swisslos.safetensors&worlds=00000000000000000000000000000000003"
    seat = sit_down(adviser=spec)
    others_act(seat)
    seat.press("h")
    seat.advised(seat.view, Advice(157, {}))
    assert "search would bid 157." in seat.page().plain
    seat.press("question_mark")
    assert fits(seat.page()) and spec in "".join(map(str.strip, lines_of(seat.page())))


def test_bids_are_typed_checked_and_hidden_from_the_others_rows():
    seat = sit_down()
    others_act(seat)
    seat.press("h")
    seat.advised(seat.view, seat.adviser.advise(seat.view))
    assert "search would bid" in seat.page().plain
    assert "expected cost" in seat.page().plain
    for key in "158":
        seat.press(key)
    seat.press("enter")
    assert "A bid is a number from 0 to 157." in seat.page().plain
    for key in ("1", "5", "backspace", "left", "enter"):
        seat.press(key)
    assert seat.sitting.game.bids[0] == 1
    rows = seat_scene(seat.view, seat.names, ENGLISH).rows
    assert [row.bid for row in rows] == ["1", "has bid", "has bid", "has bid"]
    assert seat_scene(seat.view, seat.names, GERMAN).rows[1].bid == "angesagt"


def test_open_bids_are_shown_once_given():
    seat = sit_down(Rules(bidding="open"))
    others_act(seat)
    bids = seat.sitting.game.bids
    rows = seat_scene(seat.view, seat.names, ENGLISH).rows
    assert [row.bid for row in rows] == ["–", *map(str, bids[1:])]


def to_play(rules=None):
    """A seat that may play some of its cards and not others."""
    for seed in range(100):
        seat = sit_down(rules, seed=seed)
        others_act(seat)
        for key in ("5", "enter"):
            seat.press(key)
        others_act(seat)
        lawful = [each.lawful for each in seat_scene(seat.view, seat.names, ENGLISH).hand]
        if 1 < sum(lawful) < len(lawful) and seat.is_turn:
            return seat, lawful
    raise AssertionError("no such deal")


def test_lawful_cards_are_marked_without_colour_and_others_refused():
    seat, lawful = to_play()
    page = lines_of(seat.page())
    feet = next(line for line in page if "━" in line and "┗" in line)
    for place, may in enumerate(lawful):
        foot = feet[1 + 6 * place : 7 + 6 * place]
        assert (str(place + 1) in foot) == may
        assert ("╌" in foot) == (not may)
    forbidden = lawful.index(False)
    seat.press(str(forbidden + 1))
    seat.press("enter")
    assert "may not be played now: lawful are" in seat.page().plain
    assert not seat.view.trick or seat.is_turn
    last = len(lawful) - 1 - lawful[::-1].index(True)
    seat.press("left")
    for _ in lawful:
        seat.press("right")
    hand = seat_scene(seat.view, seat.names, ENGLISH).hand
    for key in (str(last + 1), "enter"):
        seat.press(key)
    assert hand[last].card not in seat.view.hand and len(seat.view.hand) == 8


def test_a_revoke_is_played_only_when_it_is_confirmed():
    seat, lawful = to_play(Rules(revoke_penalty=20))
    forbidden = lawful.index(False)
    card = seat_scene(seat.view, seat.names, ENGLISH).hand[forbidden].card
    seat.press(str(forbidden + 1))
    seat.press("enter")
    assert "would be a revoke: 20 points" in seat.page().plain
    assert card in seat.view.hand
    seat.press("enter")
    assert card not in seat.view.hand


def test_bids_and_hands_are_revealed_when_the_deal_is_settled():
    seat = sit_down(Rules(deals=1))
    shown = []
    play_match(seat, lambda seat: shown.append((seat.pause, seat.page().plain)))
    deal = seat.sitting.game.finished_deals[0]
    page = next(page for pause, page in shown if pause == "settled")
    for bid, points, hand in zip(deal["bids"], deal["points"], deal["hands"], strict=True):
        assert f"|{bid} − {points}|" in page
        suits = {card[0] for card in hand}
        assert all(symbol in page for symbol in ("♣♦♥♠"["CDHS".index(suit)] for suit in suits))
    assert seat.sitting.game.winners is not None
    names = [seat.names[each] for each in seat.sitting.game.winners]
    assert all(name in shown[-1][1] for name in names)


def test_ties_are_shared():
    assert ranking([12, 30, 12, 40]) == [(1, 0), (1, 2), (3, 1), (4, 3)]
    names = ["you", "a 1", "b 2", "c 3"]
    assert result_text([0], names, ENGLISH) == "You win the match."
    assert result_text([0, 2], names, ENGLISH) == "You and b 2 share the win."
    assert result_text([1, 2, 3], names, ENGLISH) == "a 1, b 2 and c 3 share the win."
    assert result_text([3], names, ENGLISH) == "c 3 wins the match."
    assert result_text([1, 2], ["du", *names[1:]], GERMAN) == "a 1 und b 2 teilen sich den Sieg."


def test_names_are_short_and_harmless():
    specs = ["human", "models/swisslos.safetensors?deterministic=true", "me.mine:\x1b[2JAgent", "x"]
    assert seat_names(specs, 0, ENGLISH) == ["you", "swisslos 1", "?[2JAgent 2", "x 3"]
    assert seat_names(specs[:1], None, ENGLISH) == ["human 0"]
    assert human_seat(specs) == 0 and human_seat(["x", "human"]) == 1
    assert human_seat(specs[1:]) is None and human_seat(["human", "human"]) is None


def test_hands_are_held_trumps_first_and_high_to_low():
    hand = ["C6", "CA", "D9", "DA", "DJ", "H7"]
    assert sorted_hand(hand, "D") == ["DJ", "D9", "DA", "CA", "C6", "H7"]
    assert sorted_hand(hand, "S") == ["CA", "C6", "DA", "DJ", "D9", "H7"]


def test_a_small_screen_says_what_is_needed_at_any_size():
    for width, height in ((1, 1), (20, 5), (79, 24)):
        text = pages.too_small_page(width, height, GERMAN).plain
        assert all(len(line) <= width for line in text.split("\n"))
        said = text.replace("\n", "")
        assert "--plain" in said and "80" in said
