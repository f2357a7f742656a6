"""The settings: what each rule set is, what is filled in, how they are written and compared."""

from __future__ import annotations

import json
import pickle

import oracle
import pytest
from hypothesis import given
from rule_drawing import rule_sets

from differenzler_env import Game, Rules
from differenzler_env.rule_text import get_rules
from differenzler_env.rules import RULE_SETS

PLAIN = {
    "players": 4,
    "deck": None,
    "bidding": "hidden",
    "trump": "random",
    "undertrump": "void",
    "deals": 4,
    "first_dealer": 0,
    "exact_bonus": 0,
    "exact_bonus_on_zero": True,
    "stoeck": 0,
    "revoke_penalty": None,
}
TABLE = {**PLAIN, "bidding": "open", "trump": "turned_up", "deals": 12, "first_dealer": "random"}
SMALL = ["D9", "DJ", "DK", "DA", "S9", "SJ", "SK", "SA"]
NAMED = {
    "swisslos": PLAIN,
    "table": TABLE,
    "television": {**TABLE, "bidding": "hidden"},
    "mini": {**PLAIN, "players": 2, "deck": SMALL, "deals": 1, "first_dealer": "random"},
}


@pytest.mark.parametrize("name", NAMED)
def test_named_rule_sets(name):
    rules = getattr(Rules, name)()
    assert rules.to_dict() == NAMED[name]
    assert RULE_SETS[name]() == get_rules(name) == rules
    assert set(RULE_SETS) == set(NAMED)


def test_the_default_is_swisslos():
    assert Rules() == Rules.swisslos() == get_rules(None) == Game().rules
    assert get_rules(Rules.table()) == Rules.table()


@pytest.mark.parametrize("players", [3, 4, 5])
def test_the_table_game_takes_overrides(players):
    rules = Rules.table(players=players)
    assert rules.deals == (10 if players == 5 else 12)
    assert Rules.television(players=players, deals=players).deals == players
    assert Rules.table(bidding="hidden", players=players) == Rules.television(players=players)
    assert Rules.mini(undertrump="schieber").undertrump == "schieber"
    assert Rules.swisslos(deals=8) == Rules(deals=8)


@pytest.mark.parametrize(("players", "tricks"), [(3, 12), (4, 9), (5, 7)])
def test_what_is_filled_in(players, tricks):
    rules = Rules(players=players)
    assert rules.deals == players and rules.first_dealer == 0
    assert rules.tricks == tricks
    assert list(rules.deck) == oracle.complete(players=players)["deck"]
    assert set(oracle.PACK) - set(rules.deck) == ({"C6"} if players == 5 else set())
    assert Rules(players=players, deals=1).first_dealer == "random"
    assert Rules(players=players, deals=1, first_dealer=2).first_dealer == 2


def test_the_order_of_a_deck_does_not_matter():
    assert Rules.mini(deck=SMALL[::-1]) == Rules.mini()
    assert Rules(deck=oracle.PACK[::-1]) == Rules()
    assert Rules(deck=tuple(oracle.PACK)).to_dict()["deck"] is None


def test_the_deal_goes_round_from_the_first_dealer():
    for first in range(3):
        game, dealers = Game(Rules(players=3, deals=6, first_dealer=first), seed=1), []
        while not game.is_over:
            if not dealers or len(dealers) == len(game.finished_deals):
                dealers.append(game.dealer)
            game.play(game.legal_actions()[0])
        assert dealers == [(first + number) % 3 for number in range(6)]


def test_worst_penalties():
    assert Rules().worst_penalty == Rules(players=5).worst_penalty == 157
    assert Rules(revoke_penalty=20).worst_penalty == 157 + 9 * 20
    assert Rules.mini().worst_penalty == 14 + 20 + 4 + 11 + 2 + 4 + 11 + 5


def test_replace_moves_what_stood_at_its_default():
    assert Rules().replace(deals=1) == Rules(deals=1)
    assert Rules(deals=1).replace(deals=8) == Rules(deals=8)
    assert Rules(players=4).replace(players=5) == Rules(players=5)
    assert Rules.table().replace(deals=1).first_dealer == "random"
    assert Rules(first_dealer=2).replace(deals=1).first_dealer == 2
    with pytest.raises(ValueError, match="deals"):
        Rules.table().replace(players=5)


def test_settings_cannot_be_changed():
    with pytest.raises(AttributeError):
        Rules().players = 3


def test_repr_shows_only_what_differs():
    assert repr(Rules()) == "Rules()"
    assert repr(Rules(players=5, stoeck=20)) == "Rules(players=5, stoeck=20)"
    assert "deals" not in repr(Rules(deals=4)) and "first_dealer" not in repr(Rules(deals=1))


@given(rule_sets(), rule_sets())
def test_writing_reading_comparing(chosen, other):
    rules, others = Rules(**chosen), Rules(**other)
    assert Rules.from_dict(json.loads(json.dumps(rules.to_dict()))) == rules
    assert Rules.from_dict(chosen) == rules
    assert pickle.loads(pickle.dumps(rules)) == rules
    assert eval(repr(rules), {"Rules": Rules}) == rules
    assert (rules == others) == (rules.to_dict() == others.to_dict())
    if rules == others:
        assert hash(rules) == hash(others)
    assert rules.replace() == rules
    assert {rules: 1, others: 2}[others] == 2
