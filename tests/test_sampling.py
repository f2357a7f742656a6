"""Worlds that a seat may believe in: all that fit what it has seen, each as likely as the others.

The list of what fits is made here by brute force: every way to deal the unseen cards is played
again through the referee, and stays if no card of it was unlawful.
"""

from __future__ import annotations

import random
from itertools import combinations
from math import comb

import numpy as np
import oracle
import pytest
from kinds import KINDS, SMALL_DECK, hoard, play_out, states, undertrumps
from scipy import stats

from differenzler_env import Game, Rules

BIT = {card: 1 << index for index, card in enumerate(oracle.PACK)}
DRAWS_A_WORLD = 30
MOST_WORLDS = 600

ENDGAMES: dict[str, Rules] = {
    "void": Rules(),
    "always": Rules(undertrump="always"),
    "schieber": Rules(undertrump="schieber"),
    "turned up": Rules(trump="turned_up"),
    "turned up, schieber": Rules(trump="turned_up", undertrump="schieber"),
    "three": Rules(players=3),
    "three, turned up": Rules(players=3, trump="turned_up"),
    "three, schieber": Rules(players=3, undertrump="schieber"),
    "five": Rules(players=5),
    "five, turned up": Rules(players=5, trump="turned_up", undertrump="schieber"),
    "revokes": Rules(revoke_penalty=20),
    "revokes, turned up": Rules(players=3, revoke_penalty=20, trump="turned_up"),
    "small deck": Rules(deck=SMALL_DECK[2:14], undertrump="schieber"),
    "small deck, three": Rules(players=3, deck=SMALL_DECK[:9], trump="turned_up"),
    "small deck, five": Rules(players=5, deck=SMALL_DECK[:10]),
}


# --- by brute force ---------------------------------------------------------------------------


def shares(cards: list[str], sizes: list[int]) -> list[list[tuple[str, ...]]]:
    """Every way to deal cards into hands of these sizes."""
    if not sizes:
        return [[]]
    ways = []
    for hand in combinations(cards, sizes[0]):
        rest = [card for card in cards if card not in hand]
        ways += [[hand, *others] for others in shares(rest, sizes[1:])]
    return ways


def number_of_shares(sizes: list[int]) -> int:
    ways, left = 1, sum(sizes)
    for size in sizes:
        ways *= comb(left, size)
        left -= size
    return ways


def plays(view) -> list[tuple[int, list[str], str]]:
    """Each card played: by whom, on which cards, and the card."""
    found = []
    for trick in [*view.tricks, {"cards": [card for _, card in view.trick]}]:
        if not trick["cards"]:
            continue
        leader = trick["leader"] if "leader" in trick else view.trick[0][0]
        for i, card in enumerate(trick["cards"]):
            found.append(((leader + i) % view.rules.players, trick["cards"][:i], card))
    return found


def worlds_by_force(view) -> set[tuple[int, ...]]:
    """All hands still held, as bits a seat, that fit what the view's seat knows."""
    rules, seat = view.rules, view.seat
    played = plays(view)
    laid: list[set[str]] = [set() for _ in range(rules.players)]
    for who, _, card in played:
        laid[who].add(card)
    unseen = [
        card for card in rules.deck if card not in view.hand and card not in set().union(*laid)
    ]
    others = [other for other in range(rules.players) if other != seat]
    sizes = [rules.tricks - len(laid[other]) for other in others]
    found = set()
    for way in shares(unseen, sizes):
        held = dict(zip(others, map(set, way), strict=True))
        held[seat] = set(view.hand)
        if fits(view, held, laid, played):
            world = [sum(BIT[card] for card in held[who]) for who in range(rules.players)]
            found.add(tuple(world))
    return found


def fits(view, held, laid, played) -> bool:
    """Whether a deal could have gone as it went."""
    dealer = view.dealer
    if view.turned_up is not None and view.turned_up not in held[dealer] | laid[dealer]:
        return False
    if view.rules.revoke_penalty is not None:
        return True
    hands = [held[who] | laid[who] for who in range(view.rules.players)]
    for who, on_table, card in played:
        lawful = oracle.lawful_cards(hands[who], on_table, view.trump, view.rules.undertrump)
        if card not in lawful:
            return False
        hands[who].discard(card)
    return True


def hidden_sizes(game: Game, seat: int) -> list[int]:
    return [len(hand) for other, hand in enumerate(game.hands) if other != seat]


def small_endgames(rules: Rules, wanted: int):
    """Views of positions with few enough deals to list, from many matches."""
    rng, seed, found = random.Random(1), 0, 0
    while found < wanted:
        seed += 1
        positions = []
        for game in states(rules, seed):
            if game.phase != "play":
                continue
            seat = int(rng.random() * rules.players)
            ways = number_of_shares(hidden_sizes(game, seat))
            if 2 <= ways <= MOST_WORLDS:
                positions.append((game.copy(), seat))
        for game, seat in rng.sample(positions, min(3, len(positions))):
            found += 1
            yield game, seat


def telling_undertrumps(rules: Rules, wanted: int):
    """Endgames in which another seat that still holds cards has under-trumped."""
    rng, seed, found = random.Random(2), 0, 0
    while found < wanted:
        seed += 1
        shown: set[int] = set()
        positions = []
        before = None
        for game in states(rules, seed, hoard):
            if before is not None and before.phase == "play" and game.phase == "play":
                seat = before.current_seat
                laid = [card for card in before.hands[seat] if card not in game.hands[seat]]
                if undertrumps(before, laid):
                    shown.add(seat)
            if before is not None and game.deal_number != before.deal_number:
                shown.clear()
            before = game.copy()
            if game.phase == "play" and shown:
                seat = int(rng.random() * rules.players)
                ways = number_of_shares(hidden_sizes(game, seat))
                if 6 <= ways <= MOST_WORLDS and any(game.hands[other] for other in shown - {seat}):
                    positions.append((before, seat))
        for position in rng.sample(positions, min(2, len(positions))):
            found += 1
            yield position


# --- the tests --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ENDGAMES)
def test_worlds_are_uniform_over_all_that_fit(name):
    rules = ENDGAMES[name]
    informed, positions = compare_worlds(small_endgames(rules, wanted=36))
    assert len(positions) > 30
    if rules.revoke_penalty is None:
        assert informed > 4
    else:  # what is not followed proves nothing; only the turned-up card may be known
        assert (informed > 0) == (rules.trump == "turned_up")


@pytest.mark.parametrize("players", [3, 4, 5])
@pytest.mark.parametrize("way", ["void", "schieber", "always"])
def test_what_a_low_trump_proves(way, players):
    """That its seat is void in the suit led; after the Schieber that it holds nothing but trumps;
    or nothing at all."""
    compare_worlds(telling_undertrumps(Rules(players=players, undertrump=way), wanted=16))


def compare_worlds(endgames) -> tuple[int, set[tuple[str, int]]]:
    """Whether the worlds drawn are those that fit, each as often as the others.

    Returns in how many endgames something was known but hand sizes, and the endgames.
    """
    sampler = np.random.default_rng(1)
    total, freedom, informed = 0.0, 0, 0
    positions = set()
    for game, seat in endgames:
        view = game.view(seat)
        possible = worlds_by_force(view)
        assert tuple(world_of(game)) in possible
        drawn = view.sample(DRAWS_A_WORLD * len(possible), sampler)
        worlds, counts = np.unique(drawn, axis=0, return_counts=True)
        met = {tuple(int(bits) for bits in world) for world in worlds}
        assert met <= possible, game.notation()
        # One that has not come up in so many draws is one that cannot.
        assert met == possible, game.notation()
        expected = DRAWS_A_WORLD
        total += float(((counts - expected) ** 2 / expected).sum())
        freedom += len(possible) - 1
        informed += len(possible) < number_of_shares(hidden_sizes(game, seat))
        positions.add((game.notation(), seat))
    assert stats.chi2.sf(total, freedom) > 1e-4, (total, freedom)
    assert stats.chi2.cdf(total, freedom) > 1e-4, (total, freedom)
    return informed, positions


def world_of(game: Game) -> list[int]:
    return [sum(BIT[card] for card in hand) for hand in game.hands]


def test_each_world_of_a_large_deal_is_as_likely():
    """Early in a deal the worlds are too many to list, but where each card lies is known exactly:
    with nothing shown yet, every unseen card is with every other seat equally often."""
    for players in (3, 4, 5):
        game = Game(Rules(players=players, deals=1), seed=2)
        drawn = game.view(0).sample(20_000, np.random.default_rng(3))
        unseen = [card for card in game.rules.deck if card not in game.hands[0]]
        for card in unseen:
            owners = [
                int((drawn[:, seat] & np.uint64(BIT[card]) > 0).sum()) for seat in range(1, players)
            ]
            assert sum(owners) == 20_000
            assert stats.chisquare(owners).pvalue > 1e-6
        assert (drawn[:, 0] == world_of(game)[0]).all()


@pytest.mark.parametrize("kind", KINDS)
def test_the_true_hands_are_always_possible(kind):
    """At every state, for every seat: the classes of cards admit what is really held."""
    rules, sampler = KINDS[kind], np.random.default_rng(4)
    for number, game in enumerate(states(rules, seed=7)):
        truth = world_of(game)
        for seat in range(rules.players):
            view = game.view(seat)
            excluded = view.record["excluded"][0, : rules.players].tolist()
            for held, shown in zip(truth, excluded, strict=True):
                assert not held & shown
            if (number + seat) % 5:
                continue
            drawn = view.sample(4, sampler)
            assert drawn.dtype == np.uint64 and drawn.shape == (4, rules.players)
            for world in drawn.tolist():
                assert world[seat] == truth[seat]
                assert [bits.bit_count() for bits in world] == list(map(len, game.hands))
                assert sum(world) == sum(truth)  # every unseen card is dealt once
                for held, shown in zip(world, excluded, strict=True):
                    assert not held & shown
                if game.turned_up in game.hands[game.dealer]:
                    assert world[game.dealer] & BIT[game.turned_up]


def test_sampling_is_reproducible_and_fresh():
    view = Game(seed=5).view(2)
    first = view.sample(50, np.random.default_rng(6))
    again = view.sample(50, np.random.default_rng(6))
    other = view.sample(50, np.random.default_rng(7))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    assert len(np.unique(first, axis=0)) == 50
    # A world is a function of the generator and its number, not of how many are drawn with it.
    assert np.array_equal(view.sample(10, np.random.default_rng(6)), first[:10])
    rng = np.random.default_rng(6)
    assert not np.array_equal(view.sample(50, rng), view.sample(50, rng))


def test_sampling_none_and_too_few():
    view = Game(seed=5).view(2)
    assert view.sample(0, np.random.default_rng(1)).shape == (0, 4)
    with pytest.raises(ValueError, match="n is -1"):
        view.sample(-1, np.random.default_rng(1))


def test_a_settled_match_has_one_world():
    game = play_out(Game(Rules(deals=1), seed=1), random.Random(1))
    assert not game.view(1).sample(3, np.random.default_rng(1)).any()
