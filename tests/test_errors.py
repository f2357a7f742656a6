"""What an error says of the place where it was raised."""

from __future__ import annotations

import json
from pathlib import Path

import players

from differenzler_env import Game
from differenzler_env.agents import load
from differenzler_env.errors import where_raised


def line_of(text: str, file: str) -> int:
    """The number of the line with this text, from 1."""
    lines = Path(file).read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


def raised(call) -> str:
    try:
        call()
    except Exception as error:
        return where_raised(error)
    raise AssertionError("nothing was raised")


def test_the_line_of_a_users_code_is_told():
    at = line_of('raise KeyError("weights")', players.__file__)
    assert raised(lambda: players.broken(None)) == f" (players.py:{at})"


def test_it_is_the_innermost_one_outside_libraries_and_the_package():
    def reading():
        return json.loads("{")

    def dealing():
        return Game("swisslos").play(-1)

    assert raised(reading) == f" (test_errors.py:{line_of('json.loads(', __file__)})"
    assert raised(dealing) == f" (test_errors.py:{line_of('.play(-1)', __file__)})"


def test_an_agent_that_cannot_be_made_is_told_with_its_line():
    at = line_of('raise KeyError("weights")', players.__file__)
    message = ""
    try:
        load("players:broken")
    except ValueError as error:
        message = str(error)
    assert message == f"'players:broken': KeyError: 'weights' (players.py:{at})"


def test_nothing_is_told_of_an_error_without_a_place():
    assert where_raised(ValueError("made here, raised nowhere")) == ""
