"""The bouncer: no action, no legal action, no rule: refused in a sentence, and nothing changed."""

from __future__ import annotations

import numpy as np
import pytest
from refusal_tools import is_a_sentence

from differenzler_env import Batch, Game, GameOverError, IllegalActionError, Rules

HANDS = [
    ["DJ", "D6", "C7", "C8", "CK", "H7", "H8", "HQ", "S7"],
    ["S10", "SK", "C6", "CQ", "H6", "H9", "D7", "SA", "DQ"],
    ["SQ", "S8", "D8", "CA", "C9", "HA", "HK", "H10", "S6"],
    ["D9", "DA", "DK", "D10", "C10", "CJ", "HJ", "S9", "SJ"],
]
CARD = {
    suit + rank: 158 + 9 * s + r
    for s, suit in enumerate("CDHS")
    for r, rank in enumerate(["6", "7", "8", "9", "10", "J", "Q", "K", "A"])
}

NO_ACTION = [
    None,
    40.0,
    np.float32(40),
    "40",
    "D10",
    b"40",
    True,
    np.bool_(True),
    [40],
    (40,),
    {},
    np.array([40]),
    np.array(40.0),
    float("nan"),
    1j,
]
OUTSIDE = [-1, 194, 1000, -(2**40), 2**70, np.int64(-1), np.array(-5)]


def ordered(**settings):
    """Seat 1 leads and is asked first."""
    return Game.from_deal(
        Rules(deals=1, **settings),
        hands=HANDS,
        trump="D",
        dealer=0,
    )


def in_play(**settings):
    """All have bid; seat 1 is to lead."""
    game = ordered(**settings)
    for bid in (10, 20, 30, 40):
        game.play(bid)
    return game


def over():
    game = in_play()
    while not game.is_over:
        game.play(game.legal_actions()[0])
    return game


def all_of(game):
    """Everything a game is and says, to see that nothing has changed."""
    return (
        game.state_records.tobytes(),
        game.phase,
        game.current_seat,
        game.hands,
        game.bids,
        game.points,
        game.trick,
        game.tricks,
        game.penalties,
        game.legal_actions(),
        game.finished_deals,
        game.state().tobytes(),
    )


@pytest.mark.parametrize("action", NO_ACTION + OUTSIDE, ids=repr)
@pytest.mark.parametrize("stage", [ordered, in_play])
def test_what_is_no_action_is_refused(stage, action):
    game = stage()
    before = all_of(game)
    with pytest.raises(IllegalActionError) as refusal:
        game.play(action)
    is_a_sentence(refusal.value)
    assert all_of(game) == before


def test_a_bid_of_158_is_a_card_and_no_bid():
    game = ordered()
    before = all_of(game)
    for action in (158, 193):
        with pytest.raises(IllegalActionError) as refusal:
            game.play(action)
        is_a_sentence(refusal.value)
    assert all_of(game) == before


@pytest.mark.parametrize("action", range(158))
def test_no_bid_is_taken_once_all_have_bid(action):
    game = in_play()
    with pytest.raises(IllegalActionError):
        game.play(action)
    assert game.bids == [40, 10, 20, 30]


@pytest.mark.parametrize("revoke_penalty", [None, 20])
def test_cards_of_other_hands_and_revokes_are_refused(revoke_penalty):
    game = in_play(revoke_penalty=revoke_penalty)
    game.play(CARD["S10"])
    before = all_of(game)
    refused = set(CARD) - ({"SQ", "S8", "S6", "D8"} if revoke_penalty is None else set(HANDS[2]))
    for card in refused:
        with pytest.raises(IllegalActionError) as refusal:
            game.play(CARD[card])
        is_a_sentence(refusal.value)
        assert card in str(refusal.value) or str(CARD[card]) in str(refusal.value)
    assert all_of(game) == before


@pytest.mark.parametrize("action", [0, 157, 158, 193])
def test_nothing_is_played_after_the_end(action):
    game = over()
    before = all_of(game)
    with pytest.raises(GameOverError) as refusal:
        game.play(action)
    is_a_sentence(refusal.value)
    assert all_of(game) == before


def test_small_decks_refuse_bids_above_their_total():
    rules = Rules.mini()
    game = Game(rules, seed=1)
    total = rules.total_points(game.trump)
    before = all_of(game)
    with pytest.raises(IllegalActionError, match=str(total)):
        game.play(total + 1)
    assert all_of(game) == before
    game.play(total)


def test_good_integers_of_every_kind_are_taken():
    for action in (25, np.int8(25), np.uint8(25), np.int64(25), np.uint64(25), np.array(25)):
        game = ordered()
        game.play(action)
        assert game.bids[1] == 25
        assert type(game.bids[1]) is int


def test_unknown_objective_and_rules_are_refused():
    with pytest.raises(ValueError, match=r"objective.*penalty.*win"):
        Batch(2, objective="score")
    for rules in ("chess", 4, {"players": 4}):
        with pytest.raises(ValueError, match=r"swisslos.*table.*television.*mini"):
            Batch(2, rules=rules)
        with pytest.raises(ValueError, match=r"swisslos"):
            Game(rules)


# --- rules ------------------------------------------------------------------------------------

BAD_RULES = [
    ({"players": 1}, "players", "2, 3, 4 or 5"),
    ({"players": 6}, "players", "2, 3, 4 or 5"),
    ({"players": 4.0}, "players", "2, 3, 4 or 5"),
    ({"players": "4"}, "players", "2, 3, 4 or 5"),
    ({"players": None}, "players", "2, 3, 4 or 5"),
    ({"players": True}, "players", "2, 3, 4 or 5"),
    ({"players": 2}, "players", "small deck"),
    ({"players": 2, "deck": list(CARD)}, "players", "small deck"),
    ({"deck": ["C6", "C7", "C8"]}, "deck", "divides"),
    ({"deck": []}, "deck", "divides"),
    ({"deck": ["C6", "C6", "C8", "C9"]}, "deck", "C6"),
    ({"deck": ["C6", "C7", "C8", "X9"]}, "deck", "X9"),
    ({"deck": ["C6", "C7", "C8", 9]}, "deck", "9"),
    ({"deck": "C6C7C8C9"}, "deck", "sequence"),
    ({"deck": 36}, "deck", "sequence"),
    ({"players": 5, "deck": list(CARD)}, "deck", "divides"),
    ({"bidding": "secret"}, "bidding", "'hidden' or 'open'"),
    ({"bidding": None}, "bidding", "'hidden' or 'open'"),
    ({"trump": "D"}, "trump", "'random' or 'turned_up'"),
    ({"trump": None}, "trump", "'random' or 'turned_up'"),
    ({"undertrump": "never"}, "undertrump", "'void', 'always' or 'schieber'"),
    ({"undertrump": True}, "undertrump", "'void', 'always' or 'schieber'"),
    ({"deals": 0}, "deals", "multiple"),
    ({"deals": 2}, "deals", "multiple"),
    ({"deals": 13}, "deals", "multiple"),
    ({"deals": -4}, "deals", "multiple"),
    ({"deals": 4.0}, "deals", "multiple"),
    ({"deals": True}, "deals", "multiple"),
    ({"players": 3, "deals": 4}, "deals", "multiple"),
    ({"players": 5, "deals": 12}, "deals", "multiple"),
    ({"first_dealer": 4}, "first_dealer", "'random'"),
    ({"first_dealer": -1}, "first_dealer", "'random'"),
    ({"first_dealer": "drawn"}, "first_dealer", "'random'"),
    ({"first_dealer": 1.0}, "first_dealer", "'random'"),
    ({"first_dealer": True}, "first_dealer", "'random'"),
    ({"players": 3, "first_dealer": 3}, "first_dealer", "0 to 2"),
    ({"exact_bonus": -1}, "exact_bonus", "0 to 157"),
    ({"exact_bonus": 158}, "exact_bonus", "0 to 157"),
    ({"exact_bonus": 10.0}, "exact_bonus", "0 to 157"),
    ({"exact_bonus": None}, "exact_bonus", "0 to 157"),
    ({"exact_bonus": True}, "exact_bonus", "0 to 157"),
    ({"exact_bonus_on_zero": 1}, "exact_bonus_on_zero", "True or False"),
    ({"exact_bonus_on_zero": None}, "exact_bonus_on_zero", "True or False"),
    ({"exact_bonus_on_zero": "yes"}, "exact_bonus_on_zero", "True or False"),
    ({"stoeck": 10}, "stoeck", "0 or 20"),
    ({"stoeck": True}, "stoeck", "0 or 20"),
    ({"stoeck": None}, "stoeck", "0 or 20"),
    ({"stoeck": 20.0}, "stoeck", "0 or 20"),
    ({"revoke_penalty": 0}, "revoke_penalty", "None or 20"),
    ({"revoke_penalty": 10}, "revoke_penalty", "None or 20"),
    ({"revoke_penalty": False}, "revoke_penalty", "None or 20"),
    ({"revoke_penalty": "20"}, "revoke_penalty", "None or 20"),
]


@pytest.mark.parametrize(("settings", "name", "allowed"), BAD_RULES, ids=repr)
def test_an_impossible_setting_is_refused_by_name_with_what_is_allowed(settings, name, allowed):
    with pytest.raises(ValueError) as refusal:
        Rules(**settings)
    is_a_sentence(refusal.value)
    assert name in str(refusal.value)
    assert allowed in str(refusal.value)
    with pytest.raises(ValueError, match=name):
        Rules.from_dict(settings)


def test_every_setting_has_a_bad_value_above():
    assert {name for _, name, _ in BAD_RULES} == set(Rules().to_dict())


@pytest.mark.parametrize("settings", [{"player": 4}, {"": 1}, {1: 2}, [], None, "swisslos"])
def test_from_dict_refuses_unknown_keys_and_other_things(settings):
    if settings == []:
        settings = ["players"]
    with pytest.raises(ValueError):
        Rules.from_dict(settings)


def test_time_differences_and_arrays_are_no_numbers():
    game = Game(seed=1)
    before = game.notation()
    for odd in (np.timedelta64(5), np.array([5]), np.array(5.0)):
        with pytest.raises(IllegalActionError, match="is not an action"):
            game.play(odd)
    with pytest.raises(ValueError, match="seed is"):
        Game(seed=np.timedelta64(5))
    for setting in ("bidding", "trump", "undertrump", "first_dealer", "exact_bonus_on_zero"):
        with pytest.raises(ValueError, match=f"{setting} is"):
            Rules(**{setting: np.array(["hidden", "open"])})
    for n in (1.5, "3", -1):
        with pytest.raises(ValueError, match="n is"):
            game.view(0).sample(n, np.random.default_rng(1))
    assert game.notation() == before
