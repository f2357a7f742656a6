"""Counted trees: the number of lawful lines of play, pinned, and counted again by the referee.

A rule that is wrong in one rare position still changes a number here. The positions are such that
the three ways to rule under-trumping give three different numbers.
"""

from __future__ import annotations

import json

import oracle
import pytest
from kinds import KINDS, states

from differenzler_env import Game, Rules
from differenzler_env.engine.trees import Tree, count_tree

WAYS = ("always", "void", "schieber")

# settings, position, then lines to the end under each of WAYS
ENDGAMES = [
    (
        {},
        "deal=1 dealer=0 trump=S turned_up=- "
        "hands=AK.8.AK8.K76/J6.10.J97.1098/10987.A97..AJ/Q.KQJ6.Q106.Q bids=145,75,99,63 "
        "plays=C6,SA,CQ,CA,C10,SQ,CK,CJ,H6,HK,S9,DA,HJ,C8,H10,H8,H9,C7,HQ,SK,HA,S8,C9,DK "
        "penalties=0,0,0,0",
        (1008, 888, 768),
    ),
    (
        {},
        "deal=1 dealer=1 trump=D turned_up=- "
        "hands=A987.9.AQ6.10/.A86.K10.KJ76/106.KQJ10.J8.Q/KQJ.7.97.A98 bids=153,6,63,100 "
        "plays=H8,D7,D9,HK,HQ,D8,DJ,H9,SQ,S9,S10,SK,H10,DK,H7,H6,DQ,S8,C9,D6,C10,CK,C7,SJ "
        "penalties=0,0,0,0",
        (544, 488, 408),
    ),
    (
        {},
        "deal=1 dealer=1 trump=H turned_up=- "
        "hands=KJ.106.7.A876/109.AKJ87..KQ/A.Q.AQ109.J109/Q876.9.KJ86. bids=30,62,33,60 "
        "plays=HA,H8,H7,SQ,CA,C8,CK,C9,S10,C7,S6,SK,DJ,H10,HK,D6,C6,CJ,C10,DQ,SA,DA "
        "penalties=0,0,0,0",
        (12048, 11856, 9504),
    ),
    (
        {"players": 5},
        "deal=1 dealer=4 trump=C turned_up=- "
        "hands=7.K7.976.K/QJ10.AJ.J8./8.9.Q.Q987/A9.10.K.AJ6/K.Q86.A10.10 bids=82,127,151,45,121 "
        "plays=H7,C10,HQ,CA,HA,SA,S10,SK,CQ,S7,DA,C8,D10,DQ,DK,SQ,C9,H10,H9,HJ,SJ,D6,D7,H8,S9 "
        "penalties=0,0,0,0,0",
        (24, 20, 18),
    ),
]

# settings, seed, cards, then lines of so many cards under each of WAYS
FULL_DEALS = [
    ({}, 1, 5, (21600, 17248, 15328)),
    ({}, 2, 6, (27604, 14716, 14716)),
    ({"players": 3}, 3, 4, (6039, 5654, 5544)),
    ({"players": 5}, 1, 7, (23464, 17194, 16150)),
]

# further than the referee cares to count
LONG_COUNTS = [
    ({}, 1, 8, (3370192, 2724048, 2402512)),
    ({"players": 5}, 2, 10, (447724, 239032, 233594)),
]


def position(settings: dict, way: str, rest: str) -> Game:
    rules = {**settings, "undertrump": way, "deals": 1}
    if way == "void":
        del rules["undertrump"]
    return Game.from_notation(f"{json.dumps(rules, separators=(',', ':'))} {rest}")


def full_deal(settings: dict, way: str, seed: int) -> Game:
    game = Game(Rules(**settings, undertrump=way), seed)
    while game.phase == "bid":
        game.play(30)
    return game


def count(game: Game, depth: int = 99) -> Tree:
    return count_tree(game.state_records, game.rules.record, depth)


def referee_counts(game: Game, depth: int = 99) -> tuple[int, int, tuple[int, ...]]:
    """Lines, nodes and summed points, by the referee's rules."""
    trump, way, players = game.trump, game.rules.undertrump, game.rules.players
    hands = [set(hand) for hand in game.hands]
    points = [0] * players
    sums = [0] * players
    totals = [0, 0]

    def go_on(seat: int, trick: list[str], left: int) -> None:
        if not left or not any(hands):
            totals[0] += 1
            for each in range(players):
                sums[each] += points[each]
            return
        for card in sorted(oracle.lawful_cards(hands[seat], trick, trump, way)):
            hands[seat].remove(card)
            totals[1] += 1
            laid = [*trick, card]
            if len(laid) < players:
                go_on((seat + 1) % players, laid, left - 1)
            else:
                taker = (seat + 1 + oracle.winner(laid, trump)) % players
                worth = oracle.pile_points(laid, trump) + (0 if any(hands) else oracle.LAST_TRICK)
                points[taker] += worth
                go_on(taker, [], left - 1)
                points[taker] -= worth
            hands[seat].add(card)

    points[:] = game.points
    go_on(game.current_seat, [card for _, card in game.trick], depth)
    return totals[0], totals[1], tuple(sums)


@pytest.mark.parametrize("way", range(3), ids=WAYS)
@pytest.mark.parametrize("number", range(len(ENDGAMES)))
def test_endgames_to_the_end(number, way):
    settings, rest, lines = ENDGAMES[number]
    game = position(settings, WAYS[way], rest)
    tree = count(game)
    assert tree.lines == lines[way]
    assert (tree.lines, tree.nodes, tree.points) == referee_counts(game)
    # Every line to the end shares out all points.
    assert sum(tree.points) == tree.lines * game.rules.total_points(game.trump)


@pytest.mark.parametrize("way", range(3), ids=WAYS)
@pytest.mark.parametrize("number", range(len(FULL_DEALS)))
def test_full_deals_to_a_depth(number, way):
    settings, seed, depth, lines = FULL_DEALS[number]
    game = full_deal(settings, WAYS[way], seed)
    tree = count(game, depth)
    assert tree.lines == lines[way]
    assert (tree.lines, tree.nodes, tree.points) == referee_counts(game, depth)


@pytest.mark.parametrize("way", range(3), ids=WAYS)
@pytest.mark.parametrize("number", range(len(LONG_COUNTS)))
def test_long_counts_stay_what_they_were(number, way):
    settings, seed, depth, lines = LONG_COUNTS[number]
    tree = count(full_deal(settings, WAYS[way], seed), depth)
    assert tree.lines == lines[way]
    assert tree.nodes_per_second > 0


def test_the_three_rules_are_told_apart():
    for *_, lines in (*ENDGAMES, *FULL_DEALS, *LONG_COUNTS):
        assert lines[0] >= lines[1] >= lines[2] and lines[0] > lines[2]
    assert all(len(set(lines)) == 3 for *_, lines in ENDGAMES)


@pytest.mark.parametrize("kind", KINDS)
def test_short_endgames_under_every_kind_of_rules(kind):
    """With penalised revokes every card of the hand leads on: n! of each hand's orders."""
    rules = KINDS[kind]
    counted = 0
    for game in states(rules, seed=2):
        left = len(rules.deck) - int(game._row["num_played"])
        if game.phase != "play" or left > min(2 * rules.players + 1, 9):
            continue
        tree = count(game)
        counted += 1
        if rules.revoke_penalty is None:
            assert (tree.lines, tree.nodes, tree.points) == referee_counts(game)
        else:
            orders = 1
            for hand in game.hands:
                for n in range(2, len(hand) + 1):
                    orders *= n
            assert tree.lines == orders
    assert counted >= 5


def test_counting_leaves_the_position_and_refuses_what_is_none():
    game = Game(seed=1)
    with pytest.raises(ValueError, match="once all have bid"):
        count(game, 3)
    while game.phase == "bid":
        game.play(30)
    before = game._row.tobytes()
    tree = count(game, 1)
    assert (tree.lines, tree.nodes, tree.points) == (9, 9, (0, 0, 0, 0))
    assert game._row.tobytes() == before
    for depth in (0, -1):
        with pytest.raises(ValueError, match=f"depth is {depth}"):
            count(game, depth)
