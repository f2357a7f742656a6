"""Data sets: records that replay, arrays that say the same, nothing half written."""

from __future__ import annotations

import json

import numpy as np
import pytest

from differenzler_env import Game, Rules
from differenzler_env.agents import SpecError
from differenzler_env.cli import main
from differenzler_env.evaluation.selfplay import self_play

pyarrow = pytest.importorskip("pyarrow")
SEATS = ["thumb", "random", "thumb", "constant?bid=30"]


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("rules", [Rules(), Rules.table(players=5, deals=5), Rules.mini()])
def test_records_replay_and_agents_move_on_a_seat_each_match(tmp_path, rules):
    file = tmp_path / "games.jsonl"
    specs = [f"constant?bid={seat}" for seat in range(rules.players)]
    play = self_play(specs, rules, deals=10 * rules.deals, seed=4)
    assert play.write(file) == 10
    records = lines(file)
    assert len(records) == 10
    for match, record in enumerate(records):
        game = Game.from_record(record)
        assert game.is_over
        assert record["seats"] == np.roll(specs, match).tolist()
        for deal in record["deals"]:
            assert deal["bids"] == [int(seat.split("=")[1]) for seat in record["seats"]]


def test_arrays_hold_what_the_records_say(tmp_path):
    import pyarrow.parquet

    file, arrays = tmp_path / "games.jsonl", tmp_path / "games.parquet"
    steps = []
    play = self_play(SEATS, deals=4 * 35, seed=4, progress=lambda *step: steps.append(step))
    assert play.write(file, arrays) == 35
    assert steps == [(32, 35), (35, 35)]
    table = pyarrow.parquet.read_table(arrays)
    assert table.num_rows == 35 * 160
    assert json.loads(table.schema.metadata[b"differenzler.agents"]) == SEATS
    assert json.loads(table.schema.metadata[b"differenzler.rules"]) == Rules().to_dict()
    columns = {
        name: table[name].combine_chunks()
        for name in ("match", "deal", "seat", "action", "reward", "terminal")
    }
    columns = {name: column.to_numpy(zero_copy_only=False) for name, column in columns.items()}
    wide = {
        name: table[name].combine_chunks().values.to_numpy().reshape(table.num_rows, -1)
        for name in ("observation", "mask")
    }
    assert (wide["mask"][np.arange(table.num_rows), columns["action"]] == 1).all()
    row = 0
    for match, record in enumerate(lines(file)):
        game = Game(seed=4) if match == 0 else None
        earned = np.zeros((4, 4))
        for _ in range(160):
            seat = columns["seat"][row]
            assert columns["match"][row] == match
            earned[columns["deal"][row], seat] += columns["reward"][row]
            if game is not None:
                assert seat == game.current_seat
                assert (wide["observation"][row] == game.observe(seat)).all()
                assert (wide["mask"][row] == game.legal_mask()).all()
                game.play(int(columns["action"][row]))
            row += 1
        assert (
            earned == [[-penalty for penalty in deal["penalties"]] for deal in record["deals"]]
        ).all()
    # The reward comes with the last card of a seat in a deal, the end with that of the match.
    nonzero = columns["reward"] != 0
    place = np.arange(table.num_rows) % 40
    assert (place[nonzero] >= 36).all()
    last = np.arange(table.num_rows) % 160 >= 156
    assert (columns["terminal"] == last).all()


def test_the_same_seed_writes_the_same_bytes(tmp_path):
    contents = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        self_play(["random"], deals=8, seed=seed).write(tmp_path / name)
        contents.append((tmp_path / name).read_bytes())
    assert contents[0] == contents[1] != contents[2]


@pytest.mark.parametrize("arrays", [False, True])
def test_a_player_that_errs_leaves_nothing_behind(tmp_path, arrays):
    play = self_play(["thumb", "thumb", "thumb", "players:RaisingDealer"], deals=8, seed=1)
    files = (tmp_path / "games.jsonl", tmp_path / "games.parquet" if arrays else None)
    with pytest.raises(SpecError, match="players:RaisingDealer cannot be recorded: it raised"):
        play.write(*files)
    assert list(tmp_path.iterdir()) == []


def test_the_command(capsys, tmp_path):
    file = tmp_path / "games.jsonl"
    words = f"selfplay {' '.join(SEATS)} --deals 5 --arrays --out {file}"
    assert main(words.split()) == 0
    assert "2 matches, 8 deals" in capsys.readouterr().out
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["games.jsonl", "games.parquet"]
    assert main(f"selfplay thumb --deals 5 --rules mini --out {file}".split()) == 0
    assert len(lines(file)) == 5


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("selfplay thumb random --out games.jsonl", "4 seats needs 4 agents or one for all"),
        ("selfplay --out games.jsonl", "a name is missing"),
        ("selfplay thumb", "--out"),
        ("selfplay thumb --out no/such/games.jsonl", "no folder"),
        ("selfplay thumb --out games.parquet --arrays", "name the records otherwise"),
        ("selfplay thumb --deals 0 --out games.jsonl", "deals is 0"),
    ],
)
def test_a_mistake_is_answered_in_one_line(capsys, tmp_path, monkeypatch, words, said):
    monkeypatch.chdir(tmp_path)
    assert main(words.split()) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert said in error
    assert list(tmp_path.iterdir()) == []
