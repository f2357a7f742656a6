"""Rules as text: what is read, what is written, and that the two agree."""

from __future__ import annotations

import gymnasium
import pytest
from hypothesis import given
from rule_drawing import rule_sets

from differenzler_env import Batch, Game, Rules, differenzler_v0
from differenzler_env.checkpoint import CheckpointError, load
from differenzler_env.evaluation import evaluate
from differenzler_env.rule_text import game_text, get_rules, parse_rules, rules_text

FIVE = "table?players=5"


def test_rules_can_be_adjusted_by_the_word():
    assert get_rules("table?players=5&deals=5") == Rules.table(players=5, deals=5)
    assert get_rules(" swisslos?revoke_penalty=20&exact_bonus_on_zero=false") == Rules(
        revoke_penalty=20, exact_bonus_on_zero=False
    )
    assert get_rules("mini?deck=D9+DJ+S9+SJ").deck == ("D9", "DJ", "S9", "SJ")
    assert get_rules("swisslos?revoke_penalty=none&first_dealer=random").revoke_penalty is None
    assert parse_rules(FIVE, players=3) == Rules.table(players=3)


def test_whatever_takes_rules_takes_them_as_text():
    five = Rules.table(players=5)
    assert Game(FIVE).rules == Batch(1, FIVE).rules == five
    assert differenzler_v0.env(FIVE).unwrapped.rules == five
    assert len(differenzler_v0.parallel_env(FIVE).possible_agents) == 5
    for name in ("Differenzler-v0", "DifferenzlerDeal-v0"):
        env = gymnasium.make(f"differenzler_env:{name}", rules=FIVE, opponents="random")
        assert env.unwrapped.rules.same_game(five)
    envs = gymnasium.make_vec("differenzler_env:Differenzler-v0", 2, rules=FIVE, opponents="random")
    assert envs.unwrapped.rules == five
    assert evaluate("random", "random", FIVE, deals=1, seed=1).rules == five


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("hearts", "'hearts' is not a rule set; rule sets are swisslos, table, television, mini"),
        ("swislos", "; did you mean 'swisslos'\\?"),
        ("", "'' is not a rule set"),
        ("?players=5", "'\\?players=5' has no name before the \\?"),
        (7, "7 is not a rule set"),
        ("table?players", "options look like name\\?option=value"),
        (
            "table?player=5",
            "no setting 'player'; settings are players, deck, .*; did you mean 'players'\\?",
        ),
        ("table?players=six", "players is 'six'; allowed: 2, 3, 4 or 5"),
    ],
)
def test_what_is_no_rules_is_refused_in_a_line(given, said):
    with pytest.raises(ValueError, match=said) as error:
        get_rules(given)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "text",
    [
        "swisslos",
        "table",
        "television",
        "mini",
        "swisslos?players=5",
        "table?players=5",
        "table?deals=4",
        "swisslos?bidding=open",
        "swisslos?players=3&bidding=open&trump=turned_up",
        "television?deals=1",
        "mini?undertrump=schieber",
        "swisslos?exact_bonus_on_zero=false",
        "swisslos?deals=8&first_dealer=random",
        "swisslos?deals=1&revoke_penalty=20",
        "swisslos?deals=12&first_dealer=2",
        "swisslos?players=2&deck=D9+DJ+S6+SA",
        "swisslos?bidding=open&trump=turned_up&deals=8",
        "table?first_dealer=0",
    ],
)
def test_the_shortest_text_is_written(text):
    assert rules_text(get_rules(text)) == text


@given(rule_sets())
def test_what_is_written_is_read_again(chosen):
    rules = Rules(**chosen)
    assert get_rules(rules_text(rules)) == rules
    assert get_rules(game_text(rules)).same_game(rules)
    assert "deals" not in game_text(rules) and "first_dealer" not in game_text(rules)


@pytest.mark.parametrize(
    ("rules", "text"),
    [
        (Rules(), "swisslos"),
        (Rules(deals=1), "swisslos"),
        (Rules.table(deals=1), "table"),
        (Rules(players=5), "swisslos?players=5"),
        (Rules.table(players=3), "swisslos?players=3&bidding=open&trump=turned_up"),
        (Rules(players=2, deck=("D9", "DJ", "S6", "SA")), "swisslos?players=2&deck=D9+DJ+S6+SA"),
    ],
)
def test_a_game_is_told_without_the_length_of_its_matches(rules, text):
    assert game_text(rules) == text


def test_a_model_for_other_rules_says_so_in_words_that_can_be_typed():
    three = "swisslos\\?players=3&bidding=open&trump=turned_up"
    with pytest.raises(CheckpointError, match=f"for the rules {three}; the rules here are table$"):
        load("models/three.safetensors", get_rules("table?deals=4"))
