"""Is the measuring measured? Known answers, exact ties, duplicate deals, the same digits again."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import combinations

import numpy as np
import players
import pytest
from evaluation_tools import numbers

from differenzler_env import Batch, Game, Rules, cards
from differenzler_env.agents import SpecError, load
from differenzler_env.evaluation import evaluate
from differenzler_env.evaluation.duplicate import play_chunk
from differenzler_env.evaluation.seatings import hero_seatings, orders

SINGLE = Rules(deals=1)
MINI = Rules.mini()


def test_a_result_is_told_in_a_line():
    result = evaluate("thumb", "random", rules=SINGLE, deals=40, seed=7)
    penalty, theirs, gap = result.penalty(), result.field_penalty(), result.difference()
    assert str(result) == (
        f"Evaluation(thumb at a table of random: penalty {penalty.mean:.2f} ± "
        f"{penalty.half_width:.2f}, theirs {theirs.mean:.2f} ± {theirs.half_width:.2f}, difference "
        f"{gap.mean:.2f} ± {gap.half_width:.2f}; 40 deals, seed 7)"
    )
    alone = evaluate("thumb", "random", rules=SINGLE, deals=1, seed=7)
    assert f"penalty {alone.penalty().mean:.2f}, theirs" in str(alone)


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
    assert document["win_share"] == {"mean": 0.25, "ci95": [0.25, 0.25]}  # known, not measured
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
    exact = evaluation.exact_share()
    assert (exact.mean, exact.count) == (document["exact_share"], 400)
    assert 0 <= exact.ci95[0] < exact.mean < exact.ci95[1]
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


# --- what happened ---------------------------------------------------------------------------


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
