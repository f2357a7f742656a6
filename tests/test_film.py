"""A film of a deal."""

from __future__ import annotations

import random

import pytest
from kinds import KINDS, play_out
from PIL import Image, ImageSequence

from differenzler_env import Game, Rules
from differenzler_env.cli import main
from differenzler_env.drawing import table_drawing
from differenzler_env.drawing.shapes import Text
from differenzler_env.record import write_records


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "matches.jsonl"
    games = [play_out(Game(KINDS[kind], 1), random.Random(1)) for kind in ("mini", "tiny, three")]
    unfinished = Game("mini", seed=2)
    unfinished.play(10)
    write_records(path, [game.to_record() for game in (*games, unfinished)])
    return path


@pytest.mark.parametrize("show", ["open", "1"])
def test_a_film_has_a_picture_for_each_position(tmp_path, file, show, capsys):
    out = tmp_path / "deal.gif"
    words = ["film", str(file), "--out", str(out), "--width", "200", "--show", show]
    assert main(words) == 0
    assert "pictures" in capsys.readouterr().out
    with Image.open(out) as film:
        frames = [frame.convert("RGB") for frame in ImageSequence.Iterator(film)]
        assert film.format == "GIF" and film.size == (200, 137) and film.info["loop"] == 0
    assert len(frames) <= 1 + 2 + 8  # the deal, bids, cards; equal pictures may be joined
    assert len({frame.tobytes() for frame in frames}) >= 1 + 8


def test_a_seats_film_hides_what_an_open_one_shows(tmp_path, file):
    films = []
    for show in ("open", "0"):
        out = tmp_path / f"{show}.gif"
        words = ["film", str(file), "--out", str(out), "--match", "2", "--deal", "2"]
        assert main([*words, "--width", "150", "--show", show, "--language", "de"]) == 0
        films.append(out.read_bytes())
    assert films[0] != films[1]


def test_an_unfinished_deal_is_filmed_as_far_as_it_goes(tmp_path, file):
    out = tmp_path / "deal.gif"
    assert main(["film", str(file), "--out", str(out), "--match", "3", "--width", "100"]) == 0
    with Image.open(out) as film:
        assert getattr(film, "n_frames", 1) == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--match", "9"], "holds no match in line 9"),
        (["--deal", "5"], "deal is 5; allowed: 1 to 1"),
        (["--show", "none"], "a film shows the table open, or from a seat"),
        (["--show", "7"], "show is '7'"),
        (["--width", "5"], "width is 5; allowed: 100 to 2400"),
        (["--seconds", "0"], "seconds are 0"),
        (["--out", "deal.mp4"], "a name that ends in .gif"),
        (["--out", "no/such/deal.gif"], "there is no folder"),
    ],
)
def test_bad_arguments_of_film_are_answered_in_one_line(tmp_path, file, capsys, words, said):
    out = [] if "--out" in words else ["--out", str(tmp_path / "deal.gif")]
    assert main(["film", str(file), *out, *words]) == 2
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1


def test_a_deal_of_a_match_keeps_its_number():
    drawing = table_drawing(Game(Rules.mini(), seed=1), deal=(1, 4))
    texts = [shape.text for shape in drawing.shapes if isinstance(shape, Text)]
    assert "deal 2 of 4" in texts
