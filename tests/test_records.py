"""Game records: written and read back at every position, and what is wrong is named."""

from __future__ import annotations

import json
import random
import re

import oracle
import pytest
from kinds import KINDS, play_out, states
from record_tools import full_match, refused, same_position

from differenzler_env import Game, RecordError, Rules
from differenzler_env.record import parse_line, read_records, replay, write_records

# --- round trips ------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_records_come_back_at_every_position(kind):
    rules = KINDS[kind]
    names = [f"Jass {seat}" for seat in range(rules.players)]
    for number, game in enumerate(states(rules, seed=1)):
        if number % 3 and not game.is_over:
            continue
        record = game.to_record(names)
        as_read = json.loads(json.dumps(record))
        assert as_read == record  # nothing but JSON values, keys all texts
        again = Game.from_record(as_read)
        assert again.to_record(names) == record
        assert same_position(again, game), game.notation()
        assert again.finished_deals == game.finished_deals
        assert again.legal_actions() == game.legal_actions()


def test_a_record_has_the_documented_form():
    record = full_match("swisslos", seed=1)
    assert list(record) == ["format", "rules", "seats", "deals", "penalties", "winners"]
    assert record["format"] == 1 and len(record["deals"]) == 4
    for deal in record["deals"]:
        assert list(deal) == [
            "dealer",
            "trump",
            "turned_up",
            "hands",
            "bids",
            "tricks",
            "points",
            "penalties",
        ]
        assert all(list(trick) == ["leader", "cards"] for trick in deal["tricks"])
    assert Rules.from_dict(record["rules"]) == Rules()


def test_an_unfinished_record_has_null_for_what_is_not_settled():
    game = Game(seed=1)
    game.play(30)
    record = game.to_record()
    assert record["penalties"] is None and record["winners"] is None
    deal = record["deals"][0]
    assert deal["points"] is None and deal["penalties"] is None and deal["tricks"] == []
    assert deal["bids"] == [None, 30, None, None]


def test_settings_left_out_are_defaults():
    record = full_match("single deal", seed=3)
    record["rules"] = {"deals": 1}
    assert Game.from_record(record).is_over
    record = full_match("swisslos", seed=3)
    record["rules"] = {}
    assert Game.from_record(record).is_over


def test_a_match_goes_on_from_its_record():
    game = play_out(Game(seed=4), random.Random(1))
    record = game.to_record()
    record["deals"] = record["deals"][:2]
    record["penalties"] = record["winners"] = None
    again = Game.from_record(record, seed=5)
    assert again.deal_number == 2 and len(again.finished_deals) == 2
    assert again.hands == Game.from_record(record, seed=5).hands
    assert again.hands != Game.from_record(record, seed=6).hands
    assert play_out(again, random.Random(2)).is_over


# --- files ------------------------------------------------------------------------------------


def test_files_come_back(tmp_path):
    records = [full_match(kind, seed) for kind in ("mini", "five", "table") for seed in range(3)]
    records[0]["seats"] = ["Zoë", "models/x.safetensors?deterministic=true"]
    path = tmp_path / "matches.jsonl"
    assert write_records(path, records) == 9
    assert path.read_text(encoding="utf-8").count("\n") == 9
    read = list(read_records(path))
    assert [number for number, _ in read] == list(range(1, 10))
    assert [record for _, record in read] == records
    for number, record in read:
        assert replay(record, Game, line=number).is_over
    assert [each.name for each in tmp_path.iterdir()] == ["matches.jsonl"]


def test_empty_lines_and_other_line_ends_are_read(tmp_path):
    line = json.dumps(full_match("mini", 1))
    path = tmp_path / "matches.jsonl"
    path.write_bytes(f"\n{line}\r\n\n  {line}".encode())
    assert [number for number, _ in read_records(path)] == [2, 4]


def test_a_file_that_cannot_be_written_leaves_the_old_one(tmp_path):
    path = tmp_path / "matches.jsonl"
    write_records(path, [full_match("mini", 1)])
    before = path.read_bytes()

    def broken():
        yield full_match("mini", 2)
        raise RuntimeError("the game was interrupted")

    with pytest.raises(RuntimeError):
        write_records(path, broken())
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["matches.jsonl"]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"\xff\xfe{}", "not UTF-8 text"),
        (b"[1, 2", "Expecting ',' delimiter at character 7"),
        (b"{'format': 1}", "Expecting property name enclosed in double quotes at character 2"),
        (b'{"a": 1, "a": 1}', "a key is given twice"),
    ],
)
def test_lines_that_are_not_json_are_named(tmp_path, data, why):
    path = tmp_path / "matches.jsonl"
    path.write_bytes(json.dumps(full_match("mini", 1)).encode() + b"\n" + data + b"\n")
    with pytest.raises(RecordError, match=f"^line 2: not a JSON record: {why}"):
        list(read_records(path))


# --- what is wrong is named -------------------------------------------------------------------


def test_a_changed_card_is_named():
    record = full_match("swisslos", seed=1)
    cards = record["deals"][1]["tricks"][3]["cards"]
    was, cards[2] = cards[2], record["deals"][1]["tricks"][6]["cards"][2]
    assert was != cards[2]
    text = refused(record)
    assert re.match(rf"line 3, deal 2, trick 4, card {cards[2]}: ", text), text
    assert "position: " in text


def test_an_unlawful_card_is_named_with_what_was_allowed():
    """Two tricks of a hand changed round so that a seat does not follow."""
    record = full_match("single deal", seed=1)
    deal = record["deals"][0]
    game = Game.from_deal(Rules(deals=1), deal["hands"], deal["trump"], deal["dealer"])
    while game.phase == "bid":
        game.play(deal["bids"][game.current_seat])
    for number, trick in enumerate(deal["tricks"]):
        for place, card in enumerate(trick["cards"]):
            legal = [oracle.PACK[action - 158] for action in game.legal_actions()]
            unlawful = [held for held in game.hands[game.current_seat] if held not in legal]
            if unlawful:
                trick["cards"][place] = unlawful[0]
                text = refused(record)
                place_named = f"line 3, deal 1, trick {number + 1}, card {unlawful[0]}: "
                assert text.startswith(place_named), text
                assert f"allowed: {', '.join(legal)}; position: " in text
                trick["cards"][place] = card
            game.play(158 + oracle.PACK.index(card))


@pytest.mark.parametrize("card", ["D11", "", "d10", "♦10", None, 10, ["D6"], {"D6": 1}, True])
def test_what_is_no_card_is_named(card):
    record = full_match("swisslos", seed=1)
    record["deals"][2]["tricks"][0]["cards"][1] = card
    text = refused(record)
    assert text.startswith("line 3, deal 3, trick 1, card ") or text.startswith(
        "line 3, deal 3, trick 1: "
    )


def test_a_truncated_line_is_named(tmp_path):
    whole = json.dumps(full_match("swisslos", seed=1))
    rng = random.Random(1)
    for _ in range(60):
        cut = whole[: 1 + int(rng.random() * (len(whole) - 2))]
        with pytest.raises(RecordError, match=r"^line 7: not a JSON record: "):
            parse_line(cut, 7)
    path = tmp_path / "cut.jsonl"
    path.write_text(whole + "\n" + whole[:500])
    with pytest.raises(RecordError, match=r"^line 2: "):
        list(read_records(path))


def test_a_wrong_total_is_named():
    for name, wrong in (("points", 1), ("penalties", -1)):
        record = full_match("swisslos", seed=1)
        right = record["deals"][2][name]
        record["deals"][2][name] = [right[0] + wrong, *right[1:]]
        text = refused(record)
        assert text == (
            f"line 3, deal 3: {name} should be {json.dumps(right)}, "
            f"not {json.dumps(record['deals'][2][name])}"
        )
    record = full_match("swisslos", seed=1)
    record["penalties"][1] += 1
    assert refused(record).startswith("line 3: penalties should be ")
    record = full_match("swisslos", seed=1)
    record["winners"] = [seat for seat in range(4) if seat not in record["winners"]]
    assert refused(record).startswith("line 3: winners should be ")


@pytest.mark.parametrize("number", [0, 2, "1", 1.0, True, None, [1]])
def test_an_unknown_format_is_named(number):
    record = full_match("mini", seed=1)
    record["format"] = number
    text = refused(record)
    assert text == f"line 3: unknown format {json.dumps(number)}; this version reads 1"


CHANGES = {
    "deal 1: dealer": lambda r: r["deals"][0].update(dealer=4),
    "deal 2: dealer should be 1": lambda r: r["deals"][1].update(dealer=2),
    "deal 1: trump is 'X'": lambda r: r["deals"][0].update(trump="X"),
    "deal 1: turned_up is 'D6'": lambda r: r["deals"][0].update(turned_up="D6"),
    "deal 1: the bid of seat 1 is 158": lambda r: r["deals"][0].update(bids=[1, 158, 1, 1]),
    "deal 1: the bid of seat 2 should be a number": lambda r: r["deals"][0].update(
        bids=[1, 1, True, 1]
    ),
    "deal 1: bids should have 4 entries": lambda r: r["deals"][0].update(bids=[1, 1, 1]),
    "deal 1: bids should be": lambda r: r["deals"][0].update(bids=[1, None, 1, 1], tricks=[]),
    "deal 1, trick 1: a card is played before all have bid": lambda r: r["deals"][0].update(
        bids=[None, 1, 1, 1]
    ),
    "deal 1: there are 3 hands": lambda r: r["deals"][0]["hands"].pop(),
    "deal 1: .* missing": lambda r: r["deals"][0]["hands"][0].pop(),
    "deal 1: card .* is dealt twice": lambda r: r["deals"][0]["hands"][0].__setitem__(
        0, r["deals"][0]["hands"][1][0]
    ),
    "deal 1: a hand should have at most 9": lambda r: r["deals"][0]["hands"][0].append("C6"),
    "deal 1, trick 1: leader should be 1": lambda r: r["deals"][0]["tricks"][0].update(leader=0),
    "deal 1, trick 2: the trick has 3 cards": lambda r: r["deals"][0]["tricks"][1]["cards"].pop(),
    "deal 1, trick 3: the trick has no card": lambda r: r["deals"][0]["tricks"][2].update(cards=[]),
    "deal 1, trick 3: cards should be a list": lambda r: r["deals"][0]["tricks"][2].update(
        cards="C6"
    ),
    "deal 1, trick 4: the trick lacks 'leader'": lambda r: r["deals"][0]["tricks"][3].pop("leader"),
    "deal 1, trick 4: the trick has an unknown key 'won'": lambda r: r["deals"][0]["tricks"][
        3
    ].update(won=1),
    "deal 1: points should be null": lambda r: r["deals"][0]["tricks"].pop(),
    "deal 2: the deal before it is not finished": lambda r: r["deals"][0].update(
        tricks=[], points=None, penalties=None
    ),
    "deal 4: the deal lacks 'bids'": lambda r: r["deals"][3].pop("bids"),
    "deal 4: the deal should be an object": lambda r: r["deals"].__setitem__(3, []),
    "deals should have at most 4": lambda r: r["deals"].append(r["deals"][0]),
    "deals should have at least one": lambda r: r.update(deals=[]),
    "seats should be 4 texts": lambda r: r.update(seats=["a", "b", "c"]),
    "seats should be 4 texts, not .*ud800": lambda r: r.update(seats=["a", "b", "c", "\ud800"]),
    "seats should be 4 texts, ": lambda r: r.update(seats=["a", "b", "c", 4]),
    "the record lacks 'seats'": lambda r: r.pop("seats"),
    "the record has an unknown key 'seed'": lambda r: r.update(seed=1),
    "rules: unknown setting 'player'": lambda r: r.update(rules={"player": 4}),
    "rules: players is 6": lambda r: r.update(rules={"players": 6}),
    "rules: rules are": lambda r: r.update(rules=[4]),
    "penalties should be .*, not null": lambda r: r.update(penalties=None),
}


@pytest.mark.parametrize("sentence", CHANGES)
def test_what_is_wrong_is_said(sentence):
    record = full_match("swisslos", seed=1)
    CHANGES[sentence](record)
    text = refused(record)
    assert re.match(f"line 3(, |: ){sentence}", text), text


@pytest.mark.parametrize("value", [None, 3, "text", [], [{}], {}, float("nan"), True])
def test_what_is_no_record_is_refused(value):
    refused(value)
