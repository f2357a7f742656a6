"""Recorded matches judged: `play.analysis` and the command `analyse`."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest
from kinds import KINDS, play_out

from differenzler_env import Game, Rules
from differenzler_env.actions import action_from_name
from differenzler_env.agents import SpecError, choose_action, load
from differenzler_env.cli import main
from differenzler_env.endgame import open_values
from differenzler_env.play.analysis import judge, judgements, load_judge, summaries
from differenzler_env.record import write_records
from differenzler_env.words import ENGLISH

RULES = Rules(deals=1)
JUDGE = "search?worlds=5&exact=2"


def played(rules, seed, agents, actions=None):
    """A match played by agents in turn round the table, as far as told."""
    game, count = Game(rules, seed), 0
    while not game.is_over and count != actions:
        agent = load(agents[game.current_seat % len(agents)], rules)
        game.play(choose_action(game, agent))
        count += 1
    return game


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "matches.jsonl"
    finished = play_out(Game(Rules(), 1), random.Random(1)).to_record(["a", "b", "c", "d"])
    write_records(path, [finished, played(RULES, 2, ["heuristic"], 20).to_record()])
    return path


@pytest.mark.parametrize("kind", KINDS)
def test_every_decision_with_a_choice_is_judged(kind):
    rules = KINDS[kind].replace(deals=1)
    record = play_out(Game(rules, 3), random.Random(3)).to_record()
    found = list(judgements(record, load_judge(JUDGE, rules)))
    game, expected = Game(rules, 3), []
    for action in _taken(record, rules):
        seat, trick = game.current_seat, 0 if game.phase == "bid" else len(game.tricks) + 1
        view = game.view(seat)
        lawful = view.lawful_cards
        if trick == 0 or (
            len(lawful) > 1 and any(action == action_from_name(each) for each in lawful)
        ):
            expected.append((trick, seat))
        game.play(action)
    assert [(each.trick, each.seat) for each in found] == expected
    for each in found:
        assert {each.action, each.best} <= set(each.costs) and len(each.costs) >= 2
        assert each.loss == each.costs[each.action] - each.costs[each.best]
        assert each.mistake == (each.loss >= 2)


def _taken(record, rules):
    deal = record["deals"][0]
    for place in range(rules.players):
        yield deal["bids"][(deal["dealer"] + 1 + place) % rules.players]
    for trick in deal["tricks"]:
        yield from map(action_from_name, trick["cards"])


def test_what_a_seat_cannot_see_does_not_matter():
    search, rng = load_judge(JUDGE, RULES), np.random.default_rng(1)
    for actions in (2, 9, 25):
        game = played(RULES, actions, ["heuristic"], actions)
        twin, seat = game.copy(), game.current_seat
        records = twin.state_records
        records["hands"][0, :4] = twin.view(seat).sample(1, rng)[0]
        given = [other for other in range(4) if other != seat and records["bids"][0, other] >= 0]
        records["bids"][0, given] = 77
        action = game.legal_actions()[-1]
        first = judge(search, game.view(seat), action)
        assert first is not None
        assert first == judge(search, twin.view(seat), action)
        assert first != judge(search, game.view(seat), action, seed=2)


def test_open_endgames_are_judged_exactly():
    # Two players with open bids: who has not seen a card knows where it is.
    rules = Rules.mini(bidding="open")
    for seed in range(8):
        record = play_out(Game(rules, seed), random.Random(seed)).to_record()
        judged = {
            (each.trick, each.seat): each
            for each in judgements(record, load_judge("search?worlds=1&exact=4", rules))
        }
        game, solved = Game(rules, seed), 0
        for action in _taken(record, rules):
            seat = game.current_seat
            each = judged.get((len(game.tricks) + 1, seat)) if game.phase == "play" else None
            if each is not None and sum(map(len, game.hands)) <= 8:
                values = open_values(game)
                assert each.solved
                assert each.costs == {card: values[card][seat] for card in values}
                assert each.costs[each.best] == min(each.costs.values())
                solved += 1
            game.play(action)
        assert solved


def test_the_careless_lose_more():
    search = load_judge("search?worlds=20", RULES)
    lost = np.zeros(4)
    for seed in range(12):
        record = played(RULES, seed, ["heuristic", "random"]).to_record()
        for each in summaries(list(judgements(record, search)), 4):
            lost[each.seat] += each.loss
    assert max(lost[[0, 2]]) < min(lost[[1, 3]])


def test_a_judge_is_a_search():
    with pytest.raises(SpecError, match="'thumb' does not weigh actions"):
        load_judge("thumb", RULES)


def test_matches_are_told_and_summed_up(file, capsys, tmp_path):
    found = tmp_path / "found.json"
    assert main(["analyse", str(file), "--judge", JUDGE, "--json", str(found)]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert [line for line in out.splitlines() if line.startswith("Match")] == [
        f"Match of line {line}, judged by {JUDGE}" for line in (1, 2)
    ]
    first, second = json.loads(found.read_text())["matches"]
    assert [seat["name"] for seat in first["seats"]] == ["a", "b", "c", "d"]
    assert {each["deal"] for each in first["decisions"]} == {1, 2, 3, 4}
    for match in (first, second):
        for seat in match["seats"]:
            own = [each for each in match["decisions"] if each["seat"] == seat["seat"]]
            assert seat["decisions"] == len(own)
            assert seat["mistakes"] == sum(each["mistake"] for each in own)
            assert seat["loss"] == pytest.approx(sum(each["loss"] for each in own))
    judged = next(each for each in first["decisions"] if not each["action"].startswith("bid"))
    assert f" {ENGLISH.card(judged['action'])} " in out  # cards are written as replay has them
    assert f"seat 0 (a): {first['seats'][0]['decisions']} decisions" in out


def test_one_seat_one_deal_and_mistakes_alone(file, capsys, tmp_path):
    found = tmp_path / "found.json"
    only = ["--match", "1", "--deal", "3", "--seat", "2", "--mistakes"]
    assert main(["analyse", str(file), "--judge", JUDGE, *only, "--json", str(found)]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Match of line 1, deal 3, judged by")
    (match,) = json.loads(found.read_text())["matches"]
    assert {(each["deal"], each["seat"]) for each in match["decisions"]} == {(3, 2)}
    mistakes = sum(each["mistake"] for each in match["decisions"])
    assert 0 < mistakes < len(match["decisions"])
    assert out.count("mistake ") + out.count("mistake\n") == mistakes + out.count("1 mistake,")


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--seat", "4"], "seat is 4; allowed: 0 to 3"),
        (["--deal", "9"], "deal is 9; allowed: 1 to 4"),
        (["--match", "7"], "holds no match in line 7"),
        (["--judge", "thumb"], "a judge is a search"),
        (["--judge", "search?worlds=-1"], "worlds is -1"),
        (["--json", "absent/x.json"], "there is no folder"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(file, capsys, more, message):
    assert main(["analyse", str(file), *more]) == 2
    err = capsys.readouterr().err
    assert message in err and err.count("\n") == 1


def test_a_false_record_is_refused(file, capsys):
    record = json.loads(file.read_text().splitlines()[0])
    record["deals"][1]["points"][0] += 1
    file.write_text(json.dumps(record) + "\n")
    assert main(["analyse", str(file)]) == 2
    assert f"{file}: line 1, deal 2" in capsys.readouterr().err
