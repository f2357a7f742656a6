"""At the table as a person is: keys typed at a terminal, in a process of its own."""

from __future__ import annotations

import json
import os
import re
import signal
import sys

import pytest

from differenzler_env import Game
from differenzler_env.record import read_records
from differenzler_env.words import Words

if sys.platform == "win32":
    pytest.skip("no pseudo-terminals", allow_module_level=True)
from terminal import Terminal

MINI = ("play", "--opponents", "random", "--rules", "mini", "--seed", "5", "--pace", "0")
ASKS = r"Your turn|Press Enter to continue|leave the table"


def play_on(terminal):
    """Play the cards that are proposed, until the match is over and left."""
    while terminal.wait(ASKS) != "leave the table":
        terminal.type("\r")
    terminal.type("\r")
    return terminal.finish()


def kept(folder, kind):
    return sorted(folder.glob(f"*.{kind}"))


def rgb_colours(raw):
    return {tuple(map(int, found)) for found in re.findall(rb"[34]8;2;(\d+);(\d+);(\d+)", raw)}


def test_a_match_is_played_to_its_end_and_kept_as_a_record(tmp_path):
    with Terminal(*MINI, "--folder", tmp_path) as terminal:
        terminal.wait("Your bid")
        terminal.type("12\r")
        assert play_on(terminal) == 0
        assert "The record of the match: " in terminal.text
    assert kept(tmp_path, "json") == []
    ((_, record),) = read_records(kept(tmp_path, "jsonl")[0])
    game = Game.from_record(record)
    assert game.is_over and record["deals"][0]["bids"][0] == 12
    assert record["seats"] == ["human", "random"]
    assert game.finished_deals[0]["hands"] == Game("mini", seed=5).hands


@pytest.mark.slow
@pytest.mark.parametrize(
    "leave", ["\x03", signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL]
)
def test_a_match_is_safe_however_it_is_left_and_goes_on(tmp_path, leave):
    with Terminal(*MINI, "--folder", tmp_path) as terminal:
        terminal.wait("Your bid")
        terminal.type("12\r")
        terminal.wait("Your turn")
        terminal.type("\r")
        terminal.wait("Press Enter to continue|Your turn")
        if isinstance(leave, str):
            terminal.type(leave)
        else:
            os.kill(terminal.process.pid, leave)
        status = terminal.finish()
        if leave != signal.SIGKILL:
            assert status == 0
            assert "The match is saved; go on with: differenzler play --resume" in terminal.text
    (file,) = kept(tmp_path, "json")
    saved = json.loads(file.read_text())["record"]
    assert saved["deals"][0]["bids"][0] == 12 and saved["deals"][0]["tricks"]
    with Terminal("play", "--resume", "last", "--folder", tmp_path, "--pace", "0") as terminal:
        assert play_on(terminal) == 0
    assert kept(tmp_path, "json") == []
    ((_, record),) = read_records(kept(tmp_path, "jsonl")[0])
    assert Game.from_record(record).is_over
    assert record["deals"][0]["hands"] == saved["deals"][0]["hands"]


@pytest.mark.slow
@pytest.mark.parametrize("own", [True, False])
def test_a_closed_terminal_ends_it_and_the_match_is_safe(tmp_path, own):
    with Terminal(*MINI, "--folder", tmp_path, own=own) as terminal:
        terminal.wait("Your bid")
        terminal.type("12\r")
        terminal.wait("Your turn")
        terminal.close()
        terminal.process.wait(timeout=60)
    (file,) = kept(tmp_path, "json")
    assert json.loads(file.read_text())["record"]["deals"][0]["bids"][0] == 12


def test_a_small_terminal_says_so_and_the_match_waits(tmp_path):
    with Terminal(*MINI, "--folder", tmp_path, columns=60, lines=20) as terminal:
        assert terminal.wait("60 × 20")
        terminal.resize(100, 30)
        terminal.wait("Your bid")
        terminal.type("q")
        assert terminal.finish() == 0


def test_colour_is_not_needed_and_not_used(tmp_path):
    with Terminal(*MINI, "--folder", tmp_path, NO_COLOR="1") as terminal:
        terminal.wait("Your bid")
        terminal.type("12\r")
        terminal.wait("Your turn")
        terminal.type("q")
        terminal.finish()
        assert all(red == green == blue for red, green, blue in rgb_colours(terminal.raw))


def test_watching_and_replaying_on_the_screen(tmp_path):
    file = tmp_path / "watched.jsonl"
    words = ("watch", "--agents", "random", "--rules", "mini", "--seed", "3", "--record", file)
    with Terminal(*words) as terminal:
        terminal.wait("The cards are dealt")
        terminal.type("\x1b[F")  # End
        terminal.wait("wins? the match|share the win")
        terminal.type("q")
        assert terminal.finish() == 0
    with Terminal("replay", file, "--judge", "search?worlds=2") as terminal:
        terminal.wait("The cards are dealt")
        terminal.type(" ")
        terminal.wait("bids")
        terminal.wait("expected cost")
        terminal.type("q")
        assert terminal.finish() == 0


def test_plain_needs_no_screen_and_works_on_one(tmp_path):
    with Terminal(*MINI, "--folder", tmp_path, "--plain", columns=20, lines=5) as terminal:
        terminal.wait("your bid: ")
        terminal.type("h\n")
        terminal.wait("search would bid")
        terminal.type("12\n")
        terminal.wait("your card: ")
        terminal.type("C6\n")
        terminal.wait("♣6 may not be played now: lawful are [♦♠]")
        terminal.type("\x03")
        assert terminal.finish() == 130
        assert "The match is saved" in terminal.text


def test_without_textual_one_line_says_what_to_do(tmp_path):
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\n"
        "class NoTextual:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.partition('.')[0] == 'textual':\n"
        "            raise ModuleNotFoundError(name=name)\n"
        "sys.meta_path.insert(0, NoTextual())\n"
    )
    with Terminal(*MINI, "--folder", tmp_path / "kept", PYTHONPATH=str(tmp_path)) as terminal:
        assert terminal.finish() == 2
        assert terminal.text.strip().count("\n") == 0
        assert "pip install 'differenzler-env[play]'" in terminal.text
        assert "--plain" in terminal.text
    assert not (tmp_path / "kept").exists()


@pytest.mark.slow
@pytest.mark.parametrize("leave", [signal.SIGTERM, signal.SIGHUP])
def test_a_match_line_by_line_is_safe_when_it_is_ended(tmp_path, leave):
    with Terminal(*MINI, "--folder", tmp_path, "--plain") as terminal:
        terminal.wait("your bid: ")
        terminal.type("12\n")
        terminal.wait("your card: ")
        os.kill(terminal.process.pid, leave)
        assert terminal.finish() != 0
    with Terminal("play", "--resume", "last", "--folder", tmp_path, "--plain") as terminal:
        terminal.wait("your card: ")
        terminal.type("q\n")
        assert terminal.finish() == 0


def test_german_cards_are_shown_and_typed(tmp_path):
    words = ("--folder", tmp_path, "--plain", "--language", "de", "--cards", "german")
    with Terminal(*MINI, *words) as terminal:
        terminal.wait("deine Ansage: ")
        terminal.type("12\n")
        terminal.wait("erlaubt: ")
        card = terminal.wait("S[ei][9UKA]")
        terminal.wait("deine Karte: ")
        terminal.type(f"{card.lower()}\n")
        terminal.wait("Punkte")
        terminal.type("q\n")
        assert terminal.finish() == 0
    (file,) = kept(tmp_path, "json")
    (deal,) = json.loads(file.read_text())["record"]["deals"]
    assert any(
        Words("de", "german").card(each) == card
        for trick in deal["tricks"]
        for each in trick["cards"]
    )
