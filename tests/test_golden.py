"""Golden playthroughs: whole matches as text, one for each named rule set and each variant.

    make golden

writes them anew. They are compared line by line, so that a failure shows the first card or number
that differs.
"""

from __future__ import annotations

import json
import random
from pathlib import Path

import oracle
import pytest
from golden.regenerate import FOLDER, PLAYTHROUGHS, golden
from kinds import KINDS, play_out

from differenzler_env import Game, RecordError, Rules
from differenzler_env.play import playthrough
from differenzler_env.rules import RULE_SETS


def read(name: str) -> str:
    return (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", PLAYTHROUGHS)
def test_playthroughs_are_line_by_line_what_they_were(name):
    expected, now = read(name).split("\n"), golden(name).split("\n")
    for number, (was, is_now) in enumerate(zip(expected, now, strict=False), 1):
        assert is_now == was, f"{name}.txt, line {number}; if this is meant: make golden"
    assert len(now) == len(expected)


def test_each_file_has_its_playthrough():
    assert {path.stem for path in Path(FOLDER).glob("*.txt")} == set(PLAYTHROUGHS)


def test_every_rule_set_and_every_value_of_every_variant_is_there():
    every = [rules for _, rules, _, _ in PLAYTHROUGHS.values()]
    assert {make() for make in RULE_SETS.values()} <= set(every)
    assert {rules.players for rules in every} == {2, 3, 4, 5}
    assert {rules.undertrump for rules in every} == {"void", "always", "schieber"}
    assert {rules.bidding for rules in every} == {"hidden", "open"}
    assert {rules.trump for rules in every} == {"random", "turned_up"}
    assert {rules.stoeck for rules in every} == {0, 20}
    assert {rules.revoke_penalty for rules in every} == {None, 20}
    assert {bool(rules.exact_bonus) for rules in every} == {False, True}
    assert {rules.exact_bonus_on_zero for rules in every} == {False, True}
    assert {rules.first_dealer for rules in every} == {0, 2, "random"}
    assert {rules.deals for rules in every} >= {1, 4, 5, 12}
    assert any(rules.players > 2 and len(rules.deck) < 35 for rules in every)


@pytest.mark.parametrize(
    ("name", "sentences"),
    [
        (
            "undertrump_void",
            ["under-trumps with", "may not under-trump with", "need not play the Puur"],
        ),
        ("undertrump_always", ["under-trumps with"]),
        ("undertrump_schieber", ["may not under-trump with"]),
        ("open_bidding", ["Bids, each heard by all: "]),
        ("swisslos", ["Bids, hidden till the deal is settled: ", "wins the match with"]),
        ("turned_up", ["is turned up and stays in the dealer's hand"]),
        ("bonus", ["| − 10 for an exact bid = −10", "|0 − 0| − 10 for an exact bid = −10"]),
        ("bonus_not_on_zero", ["| − 10 for an exact bid = −10", "|0 − 0|, no bonus on zero = 0"]),
        ("stoeck", [" + 20 Stöck)| = 0", " − 20 Stöck)| = 0"]),
        ("stoeck_and_bonus", ["Stöck)| − 10 for an exact bid = −10"]),
        ("revokes", [" revokes with ", " × 20 for a revoke = ", " × 20 for revokes = "]),
    ],
)
def test_the_playthroughs_show_what_they_are_for(name, sentences):
    text = read(name)
    for sentence in sentences:
        assert sentence in text, sentence


@pytest.mark.parametrize("name", PLAYTHROUGHS)
def test_the_records_in_the_playthroughs_are_true(name):
    """Checked by the referee, settlement and all."""
    record = json.loads(read(name).strip().split("\n")[-1])
    match = oracle.Match(**record["rules"])
    for given in record["deals"]:
        deal = match.open_deal(
            given["hands"],
            given["trump"],
            None if match.deals else given["dealer"],
            given["turned_up"],
        )
        while deal.phase == "bid":
            deal.bid(given["bids"][deal.seat])
        for trick in given["tricks"]:
            assert trick["leader"] == deal.seat
            for card in trick["cards"]:
                deal.play(card)
        assert deal.record() == given
    assert match.penalties == record["penalties"] and match.winners == record["winners"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_told_arithmetic_is_right(kind):
    """The sums as told come to the penalties, and the told revokes are those the referee saw."""
    rules = KINDS[kind]
    record = play_out(Game(rules, seed=4), random.Random(4)).to_record()
    blocks = list(playthrough(record))
    settlements = [block for block in blocks if block.startswith("Settled:")]
    for deal, settlement in zip(record["deals"], settlements, strict=True):
        for seat in range(rules.players):
            text, _, told = settlement.split("\n")[1 + seat][22:].partition(" = ")
            assert int(told.replace("−", "-")) == deal["penalties"][seat]
            sums = text.replace("−", "-").replace("×", "*").replace("Stöck", "")
            for words in (
                " for an exact bid",
                " for a revoke",
                " for revokes",
                ", no bonus on zero",
            ):
                sums = sums.replace(words, "")
            bars = sums.split("|")
            value = abs(eval(bars[1])) + eval(f"0{bars[2]}")
            assert value == deal["penalties"][seat], text
    assert sum(block.startswith("Deal ") for block in blocks) == rules.deals
    assert len(blocks) == 2 + rules.deals * (3 + rules.tricks)


def test_unfinished_matches_are_told_as_far_as_they_go():
    game = Game(seed=1)
    assert list(playthrough(game.to_record()))[-3:] == [
        "Bids, hidden till the deal is settled: seat 1 is still to bid.",
        "The deal is not settled.",
        "The match goes on.",
    ]
    for action in (1, 2, 3, 4):
        game.play(action)
    for _ in range(6):
        game.play(game.legal_actions()[0])
    told = list(playthrough(game.to_record()))
    assert told[-3].startswith("  2. seat ") and "takes" not in told[-3]
    assert "takes" in told[-4]


def test_names_do_no_harm_to_a_terminal():
    record = Game(Rules.mini(), seed=1).to_record(["Zoë\x1b[2J", "a\nb"])
    heading = next(playthrough(record))
    assert "seat 0: Zoë?[2J, seat 1: a?b" in heading


def test_false_records_are_not_told():
    record = Game(Rules.mini(), seed=1).to_record()
    record["deals"][0]["trump"] = "H"
    with pytest.raises(RecordError, match=r"^line 4, deal 1: trump is 'H'"):
        list(playthrough(record, line=4))
