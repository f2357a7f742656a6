"""A human at the table, typing; the typist here is a script."""

from __future__ import annotations

import json
import re

import pytest

from differenzler_env import Game
from differenzler_env.cli import main
from differenzler_env.play.plain import Telling, parse_typed
from differenzler_env.play.steps import SETTLED, Step
from differenzler_env.words import ENGLISH, Words


@pytest.fixture
def typist(monkeypatch):
    """Answers prompts from a list, then stops as a closed input does; or asks a function."""

    def sit(answers):
        answers = iter(answers) if not callable(answers) else answers
        prompts = []

        def answer(prompt):
            prompts.append(prompt)
            if callable(answers):
                return answers(prompt)
            try:
                return next(answers)
            except StopIteration:
                raise EOFError from None

        monkeypatch.setattr("builtins.input", answer)
        return prompts

    return sit


@pytest.mark.parametrize("rules", ["swisslos?deals=1", "table?players=3&deals=3", "mini"])
def test_a_match_is_played_and_recorded(capsys, tmp_path, typist, rules):
    file = tmp_path / "match.jsonl"
    tried = {"card": -1}
    cards = [f"{suit}{rank}" for suit in "CDHS" for rank in "6 7 8 9 10 J Q K A".split()]

    def answer(prompt):  # tries all cards in turn: those that are not lawful are refused
        if prompt == "your bid: ":
            return "7"
        tried["card"] = (tried["card"] + 1) % 36
        return cards[tried["card"]].lower()

    typist(answer)
    words = f"play --opponents random --rules {rules} --seed 5 --seat 1 --record {file}"
    assert main(words.split()) == 0
    said = capsys.readouterr().out
    record = json.loads(file.read_text())
    game = Game.from_record(record)
    assert game.is_over
    assert record["seats"][1] == "human"
    assert record["seats"][0] == "random"
    assert all(deal["bids"][1] == 7 for deal in record["deals"])
    # Every trick is told, the last of a deal too, with who took it.
    tricks = re.findall(r", led by .*: (\d+) points to (you|seat \d)(, the last trick)?", said)
    for deal in record["deals"]:
        told, tricks = tricks[: game.rules.tricks], tricks[game.rules.tricks :]
        assert [bool(last) for _, _, last in told] == [False] * (game.rules.tricks - 1) + [True]
        for seat, taken in enumerate(deal["points"]):
            name = "you" if seat == 1 else f"seat {seat}"
            assert sum(int(points) for points, winner, _ in told if winner == name) == taken
    assert not tricks
    assert ("You win" in said or "You and " in said) == (1 in game.winners)
    assert "the match." in said or "share the win." in said


def test_what_is_typed_is_read_kindly():
    assert parse_typed("40", "bid") == 40
    assert parse_typed("bid 0", "bid") == 0
    assert parse_typed("d10", "play") == parse_typed("♦10", "play") == 158 + 13
    for typed in ("", "x", "d11", "4 0", "٤"):
        with pytest.raises(ValueError, match="not understood: a bid is a number"):
            parse_typed(typed, "bid")


@pytest.mark.parametrize("typed", ["200", "-3", "158", "1" * 5000])
def test_a_number_that_is_no_bid_is_told_what_bids_are(typed):
    with pytest.raises(ValueError, match=r"^A bid is a number from 0 to 157\.$"):
        parse_typed(typed, "bid")
    with pytest.raises(ValueError, match=r"^Eine Ansage ist eine Zahl von 0 bis 71\.$"):
        parse_typed(typed, "bid", Words("de"), most=71)


def test_help_is_there_for_the_asking(capsys, typist):
    typist(["?", "help", "h"])
    assert main("play --rules mini --seed 1".split()) == 0
    said = capsys.readouterr().out
    assert said.count("a bid is a number") == 3  # with the one before the first deal
    assert "h advises, ? says this again, q stops" in said
    assert re.search(r"Expected cost: \d+ \(\d+\.\d\), ", said)


def test_mistakes_are_answered_and_asked_again(capsys, tmp_path, typist):
    file = tmp_path / "match.jsonl"
    prompts = typist(["158", "forty", "d10", "40", "nothing"])
    assert main(f"play --seed 1 --record {file}".split()) == 0
    said = capsys.readouterr()
    assert prompts.count("your bid: ") == 4
    assert prompts[4:] == ["your card: "] * 2
    assert said.out.count("is not understood") == 2
    assert "Stopped." in said.out
    record = json.loads(file.read_text())
    assert record["penalties"] is None
    assert record["deals"][0]["bids"][0] == 40
    assert not Game.from_record(record).is_over


def test_how_to_type_is_told_for_the_cards_at_the_table(capsys, typist):
    typist([])
    assert main(["play", "--language", "de", "--cards", "german"]) == 0
    said = capsys.readouterr().out.splitlines()[0]
    assert "Schellen-Banner" in said and not set("♣♦♥♠") & set(said)


def test_numbers_stand_below_each_other_whatever_the_names_are():
    game = Game("mini", seed=1)
    while not game.is_over:
        game.play(game.legal_actions()[0])
    step = Step(SETTLED, game)
    told = Telling(["thumb", "search?worlds=200"], ENGLISH).told(step)
    assert len(set(map(len, told.splitlines()[-3:]))) == 1


def test_only_the_own_hand_is_shown(capsys, typist):
    typist(["40"])
    assert main("play --seed 1 --seat 2".split()) == 0
    said = capsys.readouterr().out
    game = Game(seed=1)
    assert "hand of seat" not in said
    for line in said.split("hand: ")[1:]:
        own, *ranks = re.split("([♣♦♥♠])", line.splitlines()[0])
        shown = {
            "CDHS"["♣♦♥♠".index(suit)] + rank
            for suit, held in zip(ranks[::2], ranks[1::2], strict=True)
            for rank in held.split()
        }
        assert own == "" and shown == set(game.hands[2])


@pytest.mark.parametrize("word", ["q", "Quit"])
def test_q_stops(capsys, typist, word):
    typist([word])
    assert main(["play", "--seed", "1"]) == 0
    said = capsys.readouterr().out
    assert "Stopped.\n" in said and "--resume" in said.splitlines()[-1]


def test_every_game_is_another_without_a_seed(capsys, typist):
    seeds = set()
    for _ in range(2):
        typist([])
        assert main(["play"]) == 0
        seeds.add(capsys.readouterr().out.split("seed ")[1].split(";")[0])
    assert len(seeds) == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--seat 4", "seat is 4; allowed: 0 to 3"),
        ("--seat -1", "seat is -1"),
        ("--opponents thumb,random", "needs 3 opponents"),
        ("--opponents players:RaisingDealer --seat 1", "cannot continue: no idea at all"),
        (
            "--opponents players:Answering?answer=158",
            "players:Answering?answer=158 cannot continue: it chose C6, which is not legal there\n",
        ),
        (
            "--opponents players:Answering?answer=200",
            "players:Answering?answer=200 cannot continue: action 200 is outside the action space",
        ),
        ("--record /no/such/file", "no folder"),
    ],
)
def test_a_mistake_is_answered_in_one_line(capsys, typist, words, said):
    hand = iter(card.lower() for card in 2 * Game(seed=1).hands[1])
    typist(lambda prompt: "40" if "bid" in prompt else next(hand, "q"))
    status = main(["play", "--seed", "1", *words.split()])
    error = capsys.readouterr().err
    assert status == 2
    assert error.count("\n") == 1
    assert said in error
