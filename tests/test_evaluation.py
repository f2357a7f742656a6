"""Is the measuring measured? Known answers, exact ties, duplicate deals, the same digits again."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from itertools import combinations

import numpy as np
import players
import pytest

from differenzler_env import Batch, Game, Rules, cards
from differenzler_env.agents import SpecError, load
from differenzler_env.evaluation import evaluate
from differenzler_env.evaluation.duplicate import play_chunk, play_matches
from differenzler_env.evaluation.evaluate import hero_seatings, orders
from differenzler_env.evaluation.tables import Tables

SINGLE = Rules(deals=1)
MINI = Rules.mini()


def numbers(evaluation):
    """The JSON without what time decides."""
    document = json.loads(json.dumps(evaluation.to_json(), allow_nan=False))
    assert document.pop("decisions_per_second") > 0
    return document


# --- seats and orders -------------------------------------------------------------------------


def test_the_orders_of_a_field_are_all_there_and_balanced_early():
    for count in (1, 2, 3, 4):
        found = orders(range(count))
        assert len(found) == len(set(found)) == [1, 1, 2, 6, 24][count]
        for start in range(0, len(found), count):
            for place in range(count):
                block = found[start : start + count]
                assert {order[place] for order in block} == set(range(count))
    assert orders([2, 2, 2]) == [(2, 2, 2)]
    assert sorted(orders([1, 2, 2])) == [(1, 2, 2), (2, 1, 2), (2, 2, 1)]


def test_more_agents_than_places_take_turns():
    found = orders(range(5), 3)
    assert len(found) == len(set(found)) == 60
    for start in range(0, 60, 5):
        for place in range(3):
            assert {order[place] for order in found[start : start + 5]} == set(range(5))
    seating = hero_seatings([9, 0, 1, 2], 6, players=3)
    assert seating.shape == (6, 3, 3)
    assert {tuple(match[0].tolist()) for match in seating} == {
        (9, first, second) for first in range(3) for second in range(3) if first != second
    }
    assert (hero_seatings([9, 0, 1, 2], 4, 2, players=3) == seating[2:]).all()


def test_named_fields_are_played_against():
    named = evaluate("thumb", "@v0", deals=8, seed=1)
    assert named.field == ("constant?bid=35", "random", "thumb")
    spelled = evaluate("thumb", "random,constant?bid=35,thumb", deals=8, seed=1)
    assert numbers(named) == numbers(spelled)
    three = evaluate("random", "@v0", Rules(players=3), deals=18, seed=1)
    assert len(three.field) == 3
    assert set(np.unique(three.tables.seating)) == {0, 1, 2}
    assert evaluate("players:Lowest", "@v0", MINI, deals=9, seed=1).tables.seating.max() == 3
    with pytest.raises(SpecError, match="5 seats needs 4 opponents"):
        evaluate("thumb", "@v0", Rules(players=5), deals=5)


def test_the_hero_takes_every_seat_and_all_go_round_together():
    seating = hero_seatings([0, 1, 2, 3], 12)
    assert seating.shape == (12, 4, 4)
    for match in seating:
        for seat, line in enumerate(match):
            assert line[seat] == 0
            # Each follows the same neighbour in every seating, so all have every seat once.
            assert np.roll(line, -seat).tolist() == match[0].tolist()
    neighbours = Counter(map(tuple, seating[:, 0].tolist()))
    assert set(neighbours.values()) == {2}
    assert len(neighbours) == 6


class Witness(players.Agent):
    """Notes each hand it is dealt: (dealer, seat, hand, trump)."""

    def __init__(self, rules, notes):
        super().__init__(rules)
        self.notes = notes

    def act(self, view, rng):
        if view.phase == "bid":
            self.notes.append((view.dealer, view.seat, tuple(view.hand), view.trump))
        return view.legal_actions()[0]


def test_each_deal_is_played_in_every_seat_with_the_dealer_it_has():
    hero, other = [], []
    rules = Rules()
    field = [Witness(rules, other), "random", "thumb"]
    evaluation = evaluate(Witness(rules, hero), field, deals=22, seed=4)
    assert (evaluation.deals, evaluation.games) == (24, 96)
    dealt = []
    batch = Batch(6, rules, seed=4)
    agent = load("random", rules)
    while (batch.current_seat >= 0).any():
        records = batch.state_records
        if (records["num_bids"] == 0).all():
            for row in records:
                for seat in range(4):
                    hand = tuple(cards.hand_names(int(row["hands"][seat])))
                    dealt.append((int(row["dealer"]), seat, hand, "CDHS"[row["trump"]]))
        batch.step(agent.act_batch(batch.views(), batch.decision_keys()))
    assert len(set(dealt)) == 96  # distinct deals: 24 of four hands
    assert sorted(hero) == sorted(dealt)
    assert sorted(other) == sorted(dealt)
    tables = evaluation.tables
    assert tables.dealers.tolist() == [[0, 1, 2, 3]] * 6


@pytest.mark.parametrize(
    ("rules", "deals", "expected"),
    [(Rules(), 1, 4), (Rules(), 4, 4), (Rules(), 5, 8), (SINGLE, 5, 5), (Rules.table(), 13, 24)],
)
def test_deals_are_rounded_up_to_whole_matches(rules, deals, expected):
    evaluation = evaluate("thumb", "random", rules=rules, deals=deals, seed=1)
    assert evaluation.deals == expected
    assert evaluation.to_json()["games"] == 4 * expected
    assert len(evaluation.deal_differences()) == expected


# --- exact answers ----------------------------------------------------------------------------


@pytest.mark.parametrize("spec", ["thumb", "random", "players:Drawing", "players:RaisingDealer"])
def test_copies_tie_exactly_on_every_deal(spec):
    evaluation = evaluate(spec, spec, deals=60, seed=9)
    assert (evaluation.deal_differences() == 0).all()
    document = numbers(evaluation)
    assert document["difference"] == {"mean": 0, "ci95": [0, 0]}
    assert document["penalty"] == document["field_penalty"]
    assert document["win_share"]["mean"] == 0.25
    # Each seating is the same game, as the keys of all decisions are those of the deal.
    tables = evaluation.tables
    for name in ("bids", "points", "penalties"):
        played = getattr(tables, name)
        assert (played == played[:, :1]).all()


def test_two_players_mirror_exactly():
    there = evaluate("thumb", "random", rules=MINI, deals=50, seed=2)
    back = evaluate("random", "thumb", rules=MINI, deals=50, seed=2)
    assert (there.deal_differences() == -back.deal_differences()).all()
    assert there.penalty() == back.field_penalty()
    assert there.win_share().mean == pytest.approx(1 - back.win_share().mean)


def test_the_order_of_the_field_on_the_command_line_does_not_matter():
    fields = ("random,thumb,constant?bid=40", "constant?bid=40,random,thumb")
    first, second = (numbers(evaluate("thumb", field, deals=40, seed=3)) for field in fields)
    assert first == second


def test_the_numbers_of_a_table_by_hand():
    """A table of known bids and points, through all the figures."""
    evaluation = evaluate("constant?bid=30", "constant?bid=50", deals=400, seed=6)
    document = numbers(evaluation)
    hero = np.eye(4, dtype=bool)
    tables = evaluation.tables
    bids = tables.bids.transpose(0, 2, 1, 3)[:, :, hero]
    points = tables.points.transpose(0, 2, 1, 3)[:, :, hero]
    others = tables.points.transpose(0, 2, 1, 3)[:, :, ~hero]
    assert (bids == 30).all()
    assert document["bid_mean"] == 30
    assert document["points_mean"] == points.mean()
    assert document["penalty"]["mean"] == pytest.approx(np.abs(points - 30.0).mean())
    assert document["field_penalty"]["mean"] == pytest.approx(np.abs(others - 50.0).mean())
    assert document["difference"]["mean"] == pytest.approx(
        document["penalty"]["mean"] - document["field_penalty"]["mean"]
    )
    assert document["exact_share"] == (points == 30).mean()
    assert document["floor"] == abs(157 - 180) / 4
    assert document["illegal"] == document["field_illegal"] == 0
    assert tables.points.sum(axis=-1).min() == tables.points.sum(axis=-1).max() == 157
    assert tables.points.mean() == 39.25
    sums = np.abs(tables.points - tables.bids.astype(int)).sum(axis=2)
    winners = [np.flatnonzero(match == match.min()) for match in sums.reshape(-1, 4)]
    shares = [(row % 4 in won) / len(won) for row, won in enumerate(winners)]
    assert document["win_share"]["mean"] == pytest.approx(np.mean(shares))


def test_the_penalties_are_those_of_single_games():
    """The same matches, played one by one with `Game`-like keys, give the same tables."""
    rules = Rules()
    agents = [load("thumb", rules), load("random", rules)]
    seating = hero_seatings([0, 1, 1, 1], 3)
    tables = play_chunk(agents, rules, 5, 0, seating)
    for match in range(3):
        for number, line in enumerate(seating[match]):
            game = Batch(1, rules, seed=5, first_row=match).game(0)
            while not game.is_over:
                agent = agents[line[game.current_seat]]
                record = game.view(game.current_seat).record
                key = np.array([game.decision_key()], np.uint64)
                game.play(int(agent.act_batch(record, key)[0]))
            penalties = [deal["penalties"] for deal in game.finished_deals]
            assert tables.penalties[match, number].tolist() == penalties
            assert tables.match_penalties[match, number].tolist() == game.penalties


@pytest.mark.parametrize(
    "rules",
    [
        Rules(players=3),
        Rules(players=5),
        MINI,
        Rules.table(),
        Rules(exact_bonus=10),
        Rules(stoeck=20),
        Rules(revoke_penalty=20),
    ],
)
def test_all_rule_sets_are_measured(rules):
    document = numbers(evaluate("thumb", "random", rules=rules, deals=24, seed=1))
    assert document["rules"] == rules.to_dict()
    assert document["difference"]["mean"] < 0
    plain = not (rules.stoeck or rules.exact_bonus or rules.revoke_penalty)
    assert (document["floor"] is not None) == plain
    assert document["illegal"] == 0


def test_one_match_has_no_interval():
    document = numbers(evaluate("thumb", "random", rules=SINGLE, deals=1, seed=1))
    assert document["penalty"]["ci95"] is None
    assert document["win_share"]["ci95"] is None


# --- known answers in place of luck -----------------------------------------------------------


@cache
def mini_points():
    """Points of both seats in all 280 deals of the mini table, lowest cards played by both."""
    points = []
    for trump in "DS":
        for dealer in (0, 1):
            for hand in combinations(MINI.deck, 4):
                rest = [card for card in MINI.deck if card not in hand]
                game = Game.from_deal(MINI, [list(hand), rest], trump, dealer)
                while not game.is_over:
                    game.play(game.legal_actions()[0])
                points.append(game.finished_deals[0]["points"])
    return np.array(points)


def test_a_known_advantage_is_found_in_95_of_100_runs():
    """Bids do not change the play of `Lowest`, so the true difference can be counted out."""
    points = mini_points()
    assert points.shape == (280, 2)
    truth = np.abs(points - 40).mean() - np.abs(points - 20).mean()
    assert truth == pytest.approx(-66 / 35)
    found = 0
    for seed in range(100):
        evaluation = evaluate(
            "players:Lowest?bid=40", "players:Lowest?bid=20", rules=MINI, deals=64, seed=seed
        )
        low, high = evaluation.difference().ci95
        found += low <= truth <= high
    assert 92 <= found <= 98


def test_intervals_of_random_play_cover_the_truth():
    truth = evaluate("random", "random", rules=SINGLE, deals=8000, seed=1).penalty().mean
    ends = [
        evaluate("random", "random", rules=SINGLE, deals=48, seed=seed).penalty().ci95
        for seed in range(100, 200)
    ]
    assert sum(low <= truth <= high for low, high in ends) >= 90


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
    assert evaluation.faults() == {spec: "raised RuntimeError: no idea at all"}
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
    assert evaluation.win_share().mean == 0


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
        ({"seed": -1}, "seed is -1"),
        ({"seed": 2**128}, "seed is"),
        ({"workers": 0}, "workers is 0"),
        ({"rules": "poker"}, "'poker' is not a rule set"),
        ({"field": "thumb,random"}, "needs 3 opponents"),
    ],
)
def test_impossible_arguments_are_refused(arguments, said):
    with pytest.raises(ValueError, match=said):
        evaluate(**({"hero": "thumb", "field": "random", "deals": 4} | arguments))


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


def test_the_trick_that_put_a_bid_out_of_reach():
    """Against a count by hand from the tricks of single games."""
    rules = Rules()
    agents = [load("thumb", rules), load("random", rules)]
    seating = hero_seatings([0, 1, 1, 1], 3)
    tables = play_chunk(agents, rules, 5, 0, seating)
    assert (tables.out_of_reach[tables.bids == tables.points] == 0).all()
    found = Counter()
    for match in range(3):
        for number, line in enumerate(seating[match]):
            game = Batch(1, rules, seed=5, first_row=match).game(0)
            while not game.is_over:
                agent = agents[line[game.current_seat]]
                key = np.array([game.decision_key()], np.uint64)
                game.play(int(agent.act_batch(game.view(game.current_seat).record, key)[0]))
            for deal, record in enumerate(game.finished_deals):
                taken = np.zeros((10, 4), int)
                for trick, laid in enumerate(record["tricks"], 1):
                    taken[trick] = taken[trick - 1]
                    points = sum(
                        cards.POINTS["CDHS".index(record["trump"])][cards.card_index(card)]
                        for card in laid["cards"]
                    ) + (5 if trick == 9 else 0)
                    after = record["tricks"][trick]["leader"] if trick < 9 else None
                    if after is None:
                        after = int(np.argmax(np.array(record["points"]) - taken[trick]))
                    taken[trick, after] += points
                assert taken[9].tolist() == record["points"]
                for seat, bid in enumerate(record["bids"]):
                    left = 157 - taken.sum(axis=1)
                    gone = (taken[:, seat] > bid) | (taken[:, seat] + left < bid)
                    gone[0] = False
                    expected = int(np.argmax(gone)) if gone.any() else 0
                    assert tables.out_of_reach[match, number, deal, seat] == expected
                    found[expected] += 1
    assert len(found) >= 8


def test_players_asked_one_by_one_see_the_settled_deals():
    seen = set()

    def curious(view, rng):
        seen.add(len(view.finished_deals))
        return view.legal_actions()[0]

    evaluate(curious, "thumb", deals=8, seed=1)
    assert seen == {0, 1, 2, 3}


# --- enough is enough, and going on -----------------------------------------------------------


@pytest.mark.parametrize("workers", [1, None])
def test_until_the_interval_is_narrow_enough(workers):
    options = {"deals": 64, "seed": 3, "workers": workers}
    first = evaluate("thumb", "constant", **options)
    narrow = evaluate("thumb", "constant", until_ci=1.5, **options)
    assert 2 * first.penalty().half_width > 1.5
    assert 0.5 < 2 * max(narrow.penalty().half_width, narrow.difference().half_width) <= 1.5
    assert (narrow.deal_differences()[:64] == first.deal_differences()).all()
    assert evaluate("thumb", "constant", until_ci=20, **options).deals == 64
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
        with pytest.raises(ValueError, match="no file of an earlier run, or damaged"):
            evaluate("thumb", "random", deals=4, seed=2, resume=file)
