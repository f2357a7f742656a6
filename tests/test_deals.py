"""Deals to order: dealt as given, in a game or a row of a batch, or refused by what is wrong."""

from __future__ import annotations

import numpy as np
import pytest

from differenzler_env import Batch, Game, Rules

SINGLE = Rules(deals=1)
HANDS = [
    "DJ D6 C7 C8 CK H7 H8 HQ S7".split(),
    "S10 SK C6 CQ H6 H9 D7 SA DQ".split(),
    "SQ S8 D8 CA C9 HA HK H10 S6".split(),
    "D9 DA DK D10 C10 CJ HJ S9 SJ".split(),
]


def test_a_deal_to_order_is_dealt_as_given():
    game = Game.from_deal(SINGLE, hands=HANDS, trump="H", dealer=2)
    assert [set(hand) for hand in game.hands] == [set(hand) for hand in HANDS]
    assert (game.trump, game.dealer, game.turned_up) == ("H", 2, None)
    assert game.current_seat == 3 and game.phase == "bid" and game.bids == [None] * 4

    batch = Batch(3, SINGLE, seed=1)
    before = batch.state_records.copy()
    batch.set_deal(1, hands=HANDS, trump="H", dealer=2)
    assert batch.state_records[[0, 2]].tobytes() == before[[0, 2]].tobytes()
    copy = batch.game(1)
    assert copy.hands == game.hands and copy.trump == "H" and copy.dealer == 2


def test_the_deal_of_any_seed_can_be_taken_out_and_put_back_in():
    for seed in range(40):
        for rules in (SINGLE, Rules.table(), Rules(players=5, trump="turned_up"), Rules.mini()):
            game = Game(rules, seed=seed)
            again = Game.from_deal(
                rules,
                hands=game.hands,
                trump=game.trump,
                dealer=game.dealer,
                turned_up=game.turned_up,
            )
            assert again.hands == game.hands
            assert (again.trump, again.dealer) == (game.trump, game.dealer)
            assert again.turned_up == game.turned_up
            assert again.current_seat == game.current_seat


def test_later_deals_of_a_match_with_an_ordered_deal_come_from_the_seed():
    def second_deal(**arguments):
        game = Game.from_deal(None, hands=HANDS, trump="H", dealer=2, **arguments)
        while game.penalties == [0] * 4 and not game.finished_deals:
            game.play(game.legal_actions()[0])
        assert game.dealer == 3
        return game.hands

    assert second_deal(seed=5) == second_deal(seed=5) != second_deal(seed=6)


def without(card):
    return [[held for held in hand if held != card] for hand in HANDS]


def replaced(old, new):
    return [[new if held == old else held for held in hand] for hand in HANDS]


UP = Rules(deals=1, trump="turned_up")
MALFORMED = [
    (SINGLE, {"hands": without("S10")}, "seat 1|hand 1|S10|8"),
    (SINGLE, {"hands": replaced("S10", "SK")}, "SK"),
    (SINGLE, {"hands": replaced("S10", "DJ")}, "DJ"),
    (SINGLE, {"hands": replaced("S10", "S11")}, "S11"),
    (SINGLE, {"hands": replaced("S10", None)}, "None"),
    (SINGLE, {"hands": HANDS[:3]}, "3"),
    (SINGLE, {"hands": [*HANDS, []]}, "5"),
    (SINGLE, {"hands": None}, "hands"),
    (SINGLE, {"hands": [HANDS[0] + HANDS[1][:1], HANDS[1][1:], *HANDS[2:]]}, "10|8"),
    (SINGLE, {"dealer": 4}, "dealer"),
    (SINGLE, {"dealer": -1}, "dealer"),
    (SINGLE, {"dealer": "north"}, "dealer"),
    (SINGLE, {"dealer": None}, "dealer"),
    (SINGLE, {"dealer": 1.0}, "dealer"),
    (SINGLE, {"trump": "X"}, "X"),
    (SINGLE, {"trump": ""}, "trump|suit"),
    (SINGLE, {"trump": 1}, "1"),
    (SINGLE, {"trump": None}, "trump|None"),
    (SINGLE, {"turned_up": "D9"}, "turned_up|turned-up|turned up"),
    (UP, {"trump": "D", "dealer": 3}, "turned_up|turned-up|turned up"),
    (UP, {"trump": "D", "dealer": 3, "turned_up": "DJ"}, "DJ"),
    (UP, {"trump": "D", "dealer": 3, "turned_up": "S9"}, "S9"),
    (UP, {"trump": "D", "dealer": 3, "turned_up": "D1"}, "D1"),
    (Rules(deals=1, players=5), {}, "hands|players|5"),
    (Rules.mini(), {}, "hands|players|2|4"),
]


@pytest.mark.parametrize(("rules", "changes", "named"), MALFORMED)
def test_a_malformed_deal_is_refused_by_name_and_changes_nothing(rules, changes, named):
    ordered = {"hands": HANDS, "trump": "D", "dealer": 0, **changes}
    with pytest.raises(ValueError, match=named) as refusal:
        Game.from_deal(rules, **ordered)
    assert "\n" not in str(refusal.value)
    batch = Batch(3, rules, seed=1)
    before = batch.state_records.tobytes()
    with pytest.raises(ValueError, match=named):
        batch.set_deal(1, **ordered)
    assert batch.state_records.tobytes() == before


def test_a_good_turned_up_deal_is_accepted():
    game = Game.from_deal(UP, hands=HANDS, trump="D", dealer=3, turned_up="D9")
    assert (game.turned_up, game.trump) == ("D9", "D")


def test_a_deal_can_be_set_only_before_the_first_bid():
    batch = Batch(2, seed=1)
    batch.step(np.array([10, 20]))
    before = batch.state_records.tobytes()
    with pytest.raises(ValueError, match=r"start|begun|begin"):
        batch.set_deal(0, hands=HANDS, trump="D", dealer=0)
    for row in (2, -3):
        with pytest.raises((ValueError, IndexError), match=str(abs(row))):
            batch.set_deal(row, hands=HANDS, trump="D", dealer=0)
    assert batch.state_records.tobytes() == before
