"""Matches that go on later: what is saved, what is refused."""

from __future__ import annotations

import json

import pytest

from differenzler_env import Game, RecordError, Rules
from differenzler_env.agents import SpecError
from differenzler_env.cli import main
from differenzler_env.play.sitting import (
    Sitting,
    last_match_file,
    new_match_file,
    read_save,
    seat_field,
)


def sitting_at(folder, rules=None, seed=11, field="thumb", seat=0):
    rules = rules or Rules()
    file = new_match_file(folder)
    sitting = Sitting(Game(rules, seed=seed), seat_field(field, seat, rules), seed, file)
    sitting.save()
    return sitting


def play_some(sitting, actions):
    """So many actions, the person's the lowest there are."""
    for _ in range(actions):
        if sitting.game.is_over:
            return
        own = sitting.game.current_seat == sitting.seat
        sitting.play(sitting.game.legal_actions()[0] if own else sitting.choose())


def test_a_fault_of_an_agent_tells_nothing_of_its_hand():
    """Neither in its sentence nor in an error that it goes back to."""
    game = Game("mini", seed=5)
    sitting = Sitting(game, seat_field("random", 1 - game.current_seat, game.rules), 5)
    before = game.notation()
    with pytest.raises(SpecError, match=r"^random cannot continue: it chose C6,") as raised:
        sitting.play(158)
    assert raised.value.__cause__ is raised.value.__context__ is None
    assert game.notation() == before


@pytest.mark.parametrize("actions", [0, 3, 21, 36, 40, 77, 140])
def test_a_match_that_is_put_aside_goes_on_as_if_it_had_not_been(tmp_path, actions):
    whole = sitting_at(tmp_path / "whole")
    play_some(whole, 1000)
    parted = sitting_at(tmp_path / "parted")
    play_some(parted, actions)
    again = read_save(parted.file)
    assert again.game.notation() == parted.game.notation()
    assert (again.seat, again.seed, again.specs) == (0, 11, parted.specs)
    play_some(again, 1000)
    assert again.record() == whole.record()
    assert not again.file.exists()
    assert again.record_file.read_text() == whole.record_file.read_text()


def test_the_last_match_is_found_and_names_do_not_clash(tmp_path):
    with pytest.raises(ValueError, match="no unfinished match is kept"):
        last_match_file(tmp_path / "nowhere")
    first = sitting_at(tmp_path)
    second = sitting_at(tmp_path)
    assert first.file != second.file
    assert last_match_file(tmp_path) in (first.file, second.file)


def test_two_matches_of_one_second_have_files_of_their_own(tmp_path):
    """Whether anything is saved yet or not, and where only a record is left."""
    files = {new_match_file(tmp_path) for _ in range(20)}
    assert len(files) == 20
    assert all(file.is_file() for file in files)
    for file in sorted(files):
        file.rename(file.with_suffix(".jsonl"))
    assert not {file.name for file in files} & {new_match_file(tmp_path).name for _ in range(20)}


def test_a_match_that_is_refused_leaves_no_file(tmp_path, capsys):
    words = ["play", "--plain", "--folder", str(tmp_path / "new"), "--adviser", "nobody"]
    assert main(words) == 2
    assert "no agent 'nobody'" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


def broken(document, **changes):
    return json.dumps({**document, **changes})


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda d: "", "not a JSON record"),
        (lambda d: "\x00\xff", "not a JSON record"),
        (lambda d: "[]", "it should have the keys format, seed, seat, record"),
        (lambda d: json.dumps({**d, "more": 1}), "it should have the keys"),
        (lambda d: broken(d, format=2), "its format is 2; this version reads 1"),
        (lambda d: broken(d, seed=-1), "its seed is -1"),
        (lambda d: broken(d, seed="x"), "its seed is 'x', not a whole number"),
        (lambda d: broken(d, seat=9), "its seat is 9; allowed: 0 to 3"),
        (lambda d: broken(d, seat=True), "its seat is True"),
        (lambda d: broken(d, record=None), "the record should be an object"),
        (lambda d: json.dumps(d).replace('"dealer": 0', '"dealer": 5'), "deal 1"),
        (lambda d: json.dumps(d)[:-40], "not a JSON record"),
    ],
)
def test_a_broken_save_file_is_refused_in_one_line(tmp_path, capsys, change, sentence):
    sitting = sitting_at(tmp_path)
    play_some(sitting, 9)
    text = change(json.loads(sitting.file.read_text()))
    sitting.file.write_text(text, encoding="latin-1")
    with pytest.raises(RecordError, match="is not a saved match"):
        read_save(sitting.file)
    assert main(["play", "--plain", "--resume", str(sitting.file)]) == 2
    said = capsys.readouterr().err
    assert sentence in said and said.count("\n") == 1
    assert sitting.file.read_text(encoding="latin-1") == text


def test_code_that_a_save_file_names_is_not_loaded(tmp_path):
    sitting = sitting_at(tmp_path)
    document = json.loads(sitting.file.read_text())
    document["record"]["seats"][2] = "os:system?x=1"
    sitting.file.write_text(json.dumps(document))
    with pytest.raises(SpecError, match="give --opponents to go on"):
        read_save(sitting.file)
    assert read_save(sitting.file, opponents="random").specs == ["human", *["random"] * 3]


def test_a_checkpoint_that_is_gone_or_for_other_rules_leaves_the_match_as_it_is(tmp_path, capsys):
    sitting = sitting_at(tmp_path, Rules(deals=1))
    document = json.loads(sitting.file.read_text())
    for spec, rules in (("no/such.safetensors", {}), ("models/swisslos.safetensors", "table")):
        if rules:
            sitting = sitting_at(tmp_path, Rules.table())
            document = json.loads(sitting.file.read_text())
        document["record"]["seats"][1] = spec
        text = json.dumps(document)
        sitting.file.write_text(text)
        assert main(["play", "--plain", "--resume", str(sitting.file)]) == 2
        said = capsys.readouterr().err
        assert spec.rpartition("/")[2] in said and said.count("\n") == 1
        assert sitting.file.read_text() == text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--resume no-such-file.json", "no-such-file.json: No such file"),
        ("--resume last --folder {empty}", "no unfinished match is kept in"),
        ("--resume last --seat 1", "leave --seat out"),
        ("--resume last --rules mini", "leave --rules out"),
        ("--folder {file}/below", "below' cannot be made"),
        ("--language rm", "language is 'rm'; allowed: en, de"),
        ("--pace -1", "pace is -1; allowed: 0 to 3600"),
        ("--adviser nobody", "there is no agent 'nobody'"),
        ("--opponents models/swisslos.safetensors --rules table", "is for the rules swisslos"),
    ],
)
def test_bad_arguments_of_play_are_answered_in_one_line(tmp_path, capsys, words, said):
    (tmp_path / "file").touch()
    words = words.format(empty=tmp_path, file=tmp_path / "file")
    assert main(["play", *words.split()]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert said in error


def test_a_folder_that_cannot_be_written_ends_the_match_in_one_line(tmp_path):
    sitting = sitting_at(tmp_path)
    sitting.file = tmp_path / "gone" / "match.json"
    with pytest.raises(OSError, match="No such file"):
        play_some(sitting, 1)
