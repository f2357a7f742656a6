"""The commands `replay` and `perft`."""

from __future__ import annotations

import io
import json
import random
import re

import pytest
from kinds import KINDS, play_out

from differenzler_env import Game, Rules
from differenzler_env.cli import main
from differenzler_env.record import write_records


def match(rules: Rules, seed: int) -> dict:
    return play_out(Game(rules, seed), random.Random(seed)).to_record()


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "matches.jsonl"
    write_records(path, [match(KINDS[kind], 1) for kind in ("mini", "table", "revokes")])
    return path


def test_a_record_is_told(file, capsys):
    assert main(["replay", str(file)]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert [line for line in out.split("\n") if line.startswith("Match of")] == [
        f"Match of line {number}" for number in (1, 2, 3)
    ]
    assert out.count("\nDeal ") == 1 + 4 + 4
    assert "Enter" not in out


def test_the_person_is_called_as_at_the_table(tmp_path, capsys):
    record = match(KINDS["mini"], 1)
    told = {}
    for seats in (["thumb", "human"], ["human", "human"]):
        write_records(tmp_path / "own.jsonl", [record | {"seats": seats}])
        for language in ("en", "de"):
            words = ["--language", language]
            assert main(["replay", str(tmp_path / "own.jsonl"), *words]) == 0
            told[*seats, language] = capsys.readouterr().out
    assert "\nseat 0: thumb, seat 1: you\n" in told["thumb", "human", "en"]
    assert "\nPlatz 0: thumb, Platz 1: du\n" in told["thumb", "human", "de"]
    assert "\nseat 0: human, seat 1: human\n" in told["human", "human", "en"]


def test_a_record_is_told_in_german_with_german_cards(file, capsys):
    words = ["--match", "2", "--deal", "3", "--language", "de", "--cards", "german"]
    assert main(["replay", str(file), *words]) == 0
    out = capsys.readouterr().out
    assert out.count("Partie der Zeile 2") == out.count("\nSpiel ") == 1
    assert out.count("spielt aus") == out.count("nimmt") == 9
    assert not set("♣♦♥♠") & set(out)
    assert not re.search(
        r"\b([Ss]eat|trump|points|lawful|takes|bids?)\b", out.partition("\nSpiel ")[2]
    )


def test_one_match_or_one_deal_is_told(file, capsys):
    assert main(["replay", str(file), "--match", "2", "--deal", "3"]) == 0
    out = capsys.readouterr().out
    assert out.count("Match of line 2") == out.count("Match of") == 1
    assert out.count("\nDeal ") == out.count("\nDeal 3 of 4") == 1
    assert out.count("leads") == 9


def test_a_record_is_checked_without_a_word_about_the_play(file, capsys, tmp_path):
    found = tmp_path / "found.json"
    assert main(["replay", str(file), "--check", "--json", str(found)]) == 0
    assert capsys.readouterr().out == "3 matches, 9 deals: all of it follows from the rules\n"
    matches = json.loads(found.read_text())["matches"]
    assert [each["line"] for each in matches] == [1, 2, 3]
    assert [each["deals"] for each in matches] == [1, 4, 4]
    records = [json.loads(line) for line in file.read_text().splitlines()]
    for each, record in zip(matches, records, strict=True):
        assert each["winners"] == record["winners"] and each["rules"] == record["rules"]


def test_one_match_is_not_called_matches(file, capsys):
    assert main(["replay", str(file), "--check", "--match", "1"]) == 0
    assert capsys.readouterr().out.startswith("1 match, 1 deal: ")


def test_a_file_of_something_else_is_named(capsys, tmp_path):
    for name, data, why in (
        ("film.gif", b"GIF89a\xff", "not UTF-8 text"),
        ("mine.py", b"import os\n", "Expecting value at character 1"),
    ):
        file = tmp_path / name
        file.write_bytes(data)
        for command in ("replay", "analyse"):
            assert main([command, str(file)]) == 2
            error = capsys.readouterr().err
            assert error == f"differenzler: {file}: line 1: not a JSON record: {why}\n"


def test_what_is_wrong_with_a_false_record_is_said_in_one_line(file, capsys):
    lines = file.read_text().splitlines()
    record = json.loads(lines[1])
    tricks = record["deals"][2]["tricks"]
    gone = tricks[4]["cards"][1] = tricks[0]["cards"][0]
    lines[1] = json.dumps(record)
    file.write_text("\n".join(lines))
    for arguments in ([], ["--check"], ["--match", "2"]):
        assert main(["replay", str(file), *arguments]) == 2
        out, err = capsys.readouterr()
        assert err.startswith(f"differenzler: {file}: line 2, deal 3, trick 5, card {gone}: ")
        assert err.count("\n") == 1
        assert ("Match of line 1" in out) == (arguments == [])
    assert main(["replay", str(file), "--match", "3"]) == 0


def test_replay_pauses_after_each_trick_where_asked_to(file, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("\n" * 5 + "q\n"))
    assert main(["replay", str(file), "--match", "2", "--pause"]) == 0
    out = capsys.readouterr().out
    assert out.count("Press Enter to continue, q to stop") == 6
    assert out.count("leads") == 4  # after the cards and the bids
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert main(["replay", str(file), "--match", "1", "--pause"]) == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--match", "4"], "holds no match in line 4"),
        (["--match", "0"], "match is 0; allowed: 1 or more"),
        (["--deal", "2"], "line 1 has 1 deals, not 2"),
        (["--deal", "-1"], "deal is -1; allowed: 1 or more"),
        (["--json", "no/such/folder/x.json"], "there is no folder"),
        (["--judge", "nix"], "there is no agent 'nix'"),
        (["--judge", "thumb"], "a judge is a search"),
        (["--show", "2"], "show is '2'; allowed: open, none, or a seat from 0 to 1"),
    ],
)
def test_bad_arguments_of_replay(file, capsys, arguments, sentence):
    assert main(["replay", str(file), *arguments]) == 2
    _, err = capsys.readouterr()
    assert sentence in err and err.count("\n") == 1


def test_files_that_are_none(tmp_path, capsys):
    assert main(["replay", str(tmp_path / "none.jsonl")]) == 2
    assert main(["replay", str(tmp_path)]) == 2
    empty = tmp_path / "empty.jsonl"
    empty.write_text("\n\n")
    assert main(["replay", str(empty)]) == 2
    noise = tmp_path / "noise.bin"
    noise.write_bytes(bytes(range(256)))
    assert main(["replay", str(noise)]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 4 and all(line.startswith("differenzler: ") for line in lines)


def test_lines_are_counted_and_timed(capsys, tmp_path):
    found = tmp_path / "counts.json"
    assert main(["perft", "--seed", "2", "--depth", "5", "--json", str(found)]) == 0
    out = capsys.readouterr().out
    assert all(word in out for word in ("always", "void", "schieber", "nodes a second"))
    document = json.loads(found.read_text())
    counts = document["counts"]
    assert counts["always"]["lines"] >= counts["void"]["lines"] >= counts["schieber"]["lines"]
    assert all(each["nodes_per_second"] > 0 for each in counts.values())
    # A position that is given is counted from where it stands.
    again = tmp_path / "again.json"
    position = document["position"]
    assert main(["perft", "--position", position, "--depth", "5", "--json", str(again)]) == 0
    for way, count in json.loads(again.read_text())["counts"].items():
        assert count["lines"] == counts[way]["lines"]


def test_bad_arguments_of_perft(capsys):
    over = play_out(Game(Rules.mini(), 1), random.Random(1)).notation()
    for arguments in (["--depth", "0"], ["--position", "x"], ["--position", over]):
        assert main(["perft", *arguments]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 3 and all(line.startswith("differenzler: ") for line in lines)
