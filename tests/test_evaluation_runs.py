"""Runs of evaluations: the same digits again, players that err, enough is enough, going on."""

from __future__ import annotations

import re

import gymnasium
import numpy as np
import players
import pytest
from evaluation_tools import numbers

from differenzler_env import Rules, cards
from differenzler_env.agents import SpecError, load
from differenzler_env.evaluation import evaluate
from differenzler_env.evaluation.duplicate import play_matches
from differenzler_env.evaluation.seatings import hero_seatings
from differenzler_env.evaluation.tables import ARRAYS, Tables

SINGLE = Rules(deals=1)


# --- the same digits again --------------------------------------------------------------------


def test_a_seed_repeats_and_another_differs():
    first, again, other = (
        numbers(evaluate("random", "thumb", deals=40, seed=seed)) for seed in (1, 1, 2)
    )
    assert first == again
    assert first["penalty"] != other["penalty"]
    drawn = evaluate("random", "thumb", deals=4)
    assert numbers(drawn) == numbers(evaluate("random", "thumb", deals=4, seed=drawn.seed))


def test_more_deals_are_the_same_deals_and_more():
    few, many = (evaluate("thumb", "random", deals=deals, seed=1) for deals in (100, 300))
    assert (many.deal_differences()[:100] == few.deal_differences()).all()


@pytest.mark.slow
def test_the_number_of_workers_changes_nothing():
    specs = ("players:Drawing", "thumb,players:RaisingDealer,random")
    alone, together, chosen = (
        evaluate(*specs, deals=4 * 70, seed=8, workers=workers) for workers in (1, 2, None)
    )
    assert numbers(alone) == numbers(together) == numbers(chosen)
    assert alone.faults() == together.faults()
    assert (alone.tables.penalties == together.tables.penalties).all()


def test_an_agent_that_cannot_travel_is_refused():
    with pytest.raises(SpecError, match="with several workers"):
        evaluate(lambda view, rng: 40, "thumb", deals=400, seed=1, workers=2)


def test_progress_counts_every_match_once():
    done = []
    evaluate("thumb", "random", deals=4 * 70, seed=8, progress=lambda *step: done.append(step))
    assert done == [(0, 70), (32, 70), (64, 70), (70, 70)]


def test_matches_can_be_played_in_parts():
    rules = Rules()
    agents = [load("thumb", rules), load("random", rules)]
    seating = hero_seatings([0, 1, 1, 1], 40)
    whole = Tables.joined(list(play_matches(agents, rules, 3, seating)))
    assert whole.matches == 40
    parts = [
        *play_matches(agents, rules, 3, seating[:7]),
        *play_matches(agents, rules, 3, seating[7:], first_match=7),
    ]
    joined = Tables.joined(parts)
    assert (joined.penalties == whole.penalties).all()
    assert (joined.dealers == whole.dealers).all()
    assert (whole.first(7).penalties == parts[0].penalties).all()


# --- players that err -------------------------------------------------------------------------


@pytest.mark.parametrize("spec", ["players:RaisingDealer", "players:RaisingRows"])
def test_who_raises_forfeits_that_deal_only(spec):
    evaluation = evaluate(spec, "thumb", deals=40, seed=3)
    tables = evaluation.tables
    assert evaluation.illegal() == (40, 0)  # dealer in one seating of each deal
    at_fault = tables.forfeits.transpose(0, 2, 1, 3)[:, :, np.eye(4, dtype=bool)]
    dealer = np.arange(4) == tables.dealers[..., None]
    assert (at_fault == dealer).all()
    hero = evaluation.of_hero(tables.penalties)
    assert (hero[dealer] == 157).all()
    assert (hero[~dealer] < 157).any()
    (fault,) = evaluation.faults().values()
    assert re.fullmatch(r"raised RuntimeError: no idea at all \(players\.py:[0-9]+\)", fault)
    assert list(evaluation.faults()) == [spec] and not evaluation.always_forfeited()
    assert evaluation.to_json()["faults"] == evaluation.faults()
    # The others play on: every deal is played out, its points are all there.
    assert (tables.points.sum(axis=-1) == 157).all()
    # A forfeited deal is no exact one, though the stand-in may have hit the bid.
    assert evaluation.to_json()["exact_share"] <= 0.75


def test_the_other_deals_are_as_without_the_fault():
    """Both bid 30 and play the lowest card wherever no fault comes in between."""
    erring = evaluate("players:RaisingDealer", "players:Lowest?bid=30", deals=40, seed=3)
    sound = evaluate("players:Lowest?bid=30", "players:Lowest?bid=30", deals=40, seed=3)
    clean = ~erring.tables.forfeits.any(axis=-1)
    assert clean.mean() == 0.75
    assert (erring.tables.penalties[clean] == sound.tables.penalties[clean]).all()


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("players:Answering", "chose None: None is not an action"),
        ("players:Answering?answer=158", "chose C6, which is not legal"),
        ("players:Answering?answer=194", "chose 194: action 194 is outside the action space"),
        ("players:Answering?answer=-1", "chose -1: action -1 is outside"),
        ("players:Answering?answer=40.0", "chose 40.0: 40.0 is not an action"),
        ("players:Answering?answer=word", "chose 'word': 'word' is not an action"),
        ("players:AnsweringAll?answer=200", "chose a number outside the action space"),
        ("players:AnsweringAll?answer=-1", "chose a number outside the action space"),
        ("players:AnsweringAll?answer=40.0", "TypeError: act_batch returned float64 [1]"),
        ("players:AnsweringAll?answer=nan", "TypeError: act_batch returned float64 [1]"),
        ("players:AnsweringAll?answer=40&shape=wide", "TypeError: act_batch returned int64 [1, 2]"),
    ],
)
def test_what_is_no_legal_action_forfeits(spec, said):
    evaluation = evaluate(spec, "thumb", rules=SINGLE, deals=3, seed=3)
    assert evaluation.illegal() == (12, 0)
    assert evaluation.penalty().mean == 157
    assert said in evaluation.faults()[spec]
    assert evaluation.always_forfeited() == [spec]
    assert evaluation.win_share().mean == 0


@pytest.mark.parametrize("hero", ["heuristic", "models/swisslos.safetensors"])
def test_numpy_may_raise_whatever_it_can(hero):
    """As users set it who hunt errors of their own: nothing here relies on a warning."""
    with np.errstate(all="raise"):
        document = numbers(evaluate(hero, "random,thumb,constant", deals=8, seed=1))
        env = gymnasium.make("differenzler_env:Differenzler-v0", opponents=hero)
        _, info = env.reset(seed=1)
        terminated = False
        while not terminated:
            *_, terminated, _, info = env.step(int(info["action_mask"].argmax()))
    assert document == numbers(evaluate(hero, "random,thumb,constant", deals=8, seed=1))


def test_faults_of_the_field_are_told_apart():
    evaluation = evaluate("thumb", "players:Answering?answer=158,random,thumb", deals=4, seed=3)
    assert evaluation.illegal() == (0, 16)
    assert numbers(evaluation)["field_illegal"] == 16


def test_a_paid_revoke_is_no_fault():
    """Where revokes have a price, an unlawful card of the hand is legal and is paid for."""

    def revoking(view, rng):
        if view.phase == "bid":
            return 40
        lawful = {cards.card_index(name) + 158 for name in view.lawful_cards}
        return next((a for a in view.legal_actions() if a not in lawful), view.legal_actions()[0])

    rules = Rules(revoke_penalty=20)
    evaluation = evaluate(revoking, "thumb", rules=rules, deals=40, seed=3)
    assert evaluation.illegal() == (0, 0)
    assert evaluation.penalty().mean > 60


def test_thousand_games_of_all_kinds_without_an_illegal_action():
    field = [players.lowest_card, "random", "constant?bid=20"]
    evaluation = evaluate("thumb", field, deals=260, seed=12)
    assert evaluation.games >= 1000
    assert evaluation.illegal() == (0, 0)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"deals": 0}, "deals is 0"),
        ({"deals": 2.5}, "deals is 2.5"),
        ({"deals": "5"}, "deals is '5'"),
        ({"seed": -1}, "seed is -1"),
        ({"seed": 2**128}, "seed is"),
        ({"workers": 0}, "workers is 0"),
        ({"workers": "2"}, "workers is '2'"),
        ({"until_ci": "wide"}, "until_ci is 'wide'"),
        ({"rules": "poker"}, "'poker' is not a rule set"),
        ({"field": "thumb,random"}, "needs 3 opponents"),
    ],
)
def test_impossible_arguments_are_refused(arguments, said):
    with pytest.raises(ValueError, match=said):
        evaluate(**({"hero": "thumb", "field": "random", "deals": 4} | arguments))


# --- enough is enough, and going on -----------------------------------------------------------


@pytest.mark.parametrize("workers", [1, None])
def test_until_the_interval_is_narrow_enough(workers):
    options = {"deals": 64, "seed": 3, "workers": workers}
    first = evaluate("thumb", "constant", **options)
    narrow = evaluate("thumb", "constant", until_ci=1.5, **options)
    assert 2 * first.penalty().half_width > 1.5
    assert 0.5 < 2 * max(narrow.penalty().half_width, narrow.difference().half_width) <= 1.5
    assert (narrow.deal_differences()[:64] == first.deal_differences()).all()
    assert evaluate("thumb", "constant", until_ci=np.float32(20), **options).deals == 64
    with pytest.raises(ValueError, match="until_ci is 0"):
        evaluate("thumb", "constant", until_ci=0, **options)


def test_an_interrupted_run_goes_on_without_losing_or_doubling_a_deal(tmp_path):
    file = tmp_path / "run.npz"
    hero = "players:RaisingDealer"
    whole = evaluate(hero, "random", deals=4 * 100, seed=2)

    def stop(done, total):
        if done >= 64:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate(hero, "random", deals=4 * 100, seed=2, resume=file, progress=stop)
    steps = []
    again = evaluate(
        hero, "random", deals=4 * 100, seed=2, resume=file, progress=lambda *s: steps.append(s)
    )
    assert steps[0] == (64, 100)
    assert numbers(again) == numbers(whole)
    assert again.faults() == whole.faults()
    # A third time all is there; more deals go on from there, fewer are the first of them.
    read = evaluate(hero, "random", deals=4 * 100, seed=2, resume=file)
    assert read.decisions_per_second is None
    assert (read.tables.penalties == whole.tables.penalties).all()
    more = evaluate(hero, "random", deals=4 * 110, seed=2, resume=file)
    assert (more.deal_differences()[:400] == whole.deal_differences()).all()
    few = evaluate(hero, "random", deals=4 * 50, seed=2, resume=file)
    assert (few.deal_differences() == whole.deal_differences()[:200]).all()
    assert [entry.name for entry in tmp_path.iterdir()] == ["run.npz"]


def test_a_file_of_another_run_is_refused(tmp_path):
    file = tmp_path / "run.npz"
    evaluate("thumb", "random", deals=4, seed=2, resume=file)
    for arguments, said in (
        ({"seed": 3}, "its seed is 2, not 3"),
        ({"field": "thumb"}, "its agents is"),
        ({"rules": SINGLE}, "its rules is"),
    ):
        options = {"field": "random", "deals": 4, "seed": 2} | arguments
        with pytest.raises(ValueError, match=said):
            evaluate("thumb", resume=file, **options)
    for content in (b"", b"PK\x03\x04", file.read_bytes()[:-100], b"\x80\x04K\x01."):
        file.write_bytes(content)
        with pytest.raises(ValueError, match="is damaged, or not the file of an earlier run"):
            evaluate("thumb", "random", deals=4, seed=2, resume=file)


def test_a_damaged_file_of_a_run_is_refused_whatever_the_damage(tmp_path):
    """A byte changed anywhere is noticed, or where it means nothing changes nothing; so are arrays
    and documents that do not belong together."""
    file = tmp_path / "run.npz"
    evaluate("thumb", "random", deals=4, seed=2, resume=file)
    whole, rng = file.read_bytes(), np.random.default_rng(1)
    with np.load(file) as archive:
        arrays = dict(archive)
    refused = 0

    def tried():
        try:
            return evaluate("thumb", "random", deals=4, seed=2, resume=file).tables
        except ValueError as error:
            assert "is damaged, or not the file of an earlier run" in str(error)
            return None

    for at in rng.choice(len(whole), 400, replace=False):
        damaged = bytearray(whole)
        damaged[at] ^= int(rng.integers(1, 256))
        file.write_bytes(damaged)
        found = tried()
        refused += found is None
        assert found is None or all((getattr(found, name) == arrays[name]).all() for name in ARRAYS)
    assert refused > 200
    for change in (
        {"bids": np.zeros(3, np.int16)},
        {"dealers": arrays["dealers"].astype(str)},
        {"document": np.array("[1]")},
        {"document": np.array('{"identity": [1], "faults": {}}')},
        {
            "document": np.array(
                str(arrays["document"]).replace('"faults": {', '"faults": {"9": ""')
            )
        },
        {"seating": arrays["seating"][:, ::-1]},
        {name: arrays[name][:, :2] for name in ARRAYS if name != "dealers"},  # half the seatings
        {"dealers": arrays["dealers"][:, :3]}  # matches of three deals
        | {name: arrays[name][:, :, :3] for name in ARRAYS if name not in ("seating", "dealers")},
    ):
        np.savez_compressed(file, **(arrays | change))
        assert tried() is None
