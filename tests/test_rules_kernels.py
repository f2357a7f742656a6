"""The rule kernels against the rule book's tables, and against the referee on random positions."""

from __future__ import annotations

import itertools
import random

import oracle
import pytest
from rule_tables import (
    HOUSE_PENALTY_CASES,
    LAWFUL_CASES,
    PENALTY_CASES,
    PLAYED_POSITIONS,
    UNDERTRUMP_TABLE,
    UNDERTRUMP_WAYS,
    WINNER_CASES,
)

from differenzler_env import cards
from differenzler_env.engine import kernels
from differenzler_env.rules import Rules

WAYS = {"always": kernels.ALWAYS, "void": kernels.VOID, "schieber": kernels.SCHIEBER}


def winner(trick, trump):
    """The place of the winning card, found card by card as the engine does."""
    best = 0
    for place in range(1, len(trick)):
        card, leading = cards.card_index(trick[place]), cards.card_index(trick[best])
        if kernels.beats(card, leading, cards.suit_index(trump)):
            best = place
    return best


def legal(hand, trick, trump, way):
    """The lawful cards as a set of texts."""
    led = cards.card_index(trick[0]) if trick else -1
    best = cards.card_index(trick[winner(trick, trump)]) if trick else -1
    bits = kernels.legal_cards(cards.hand_bits(hand), led, best, cards.suit_index(trump), WAYS[way])
    return set(cards.hand_names(bits))


@pytest.mark.parametrize("way", UNDERTRUMP_WAYS)
@pytest.mark.parametrize("row", UNDERTRUMP_TABLE, ids=lambda row: f"{row[0]}|{row[1]}")
def test_undertrump_table(row, way):
    trick, hand, *columns = row
    expected = columns[UNDERTRUMP_WAYS.index(way)]
    assert legal(hand.split(), trick.split(), "D", way) == set(expected.split())


@pytest.mark.parametrize("way", UNDERTRUMP_WAYS)
@pytest.mark.parametrize(("trick", "hand", "expected"), LAWFUL_CASES)
def test_lawful_cards(trick, hand, expected, way):
    assert legal(hand.split(), trick.split(), "D", way) == set(expected.split())


@pytest.mark.parametrize(("trick", "trump", "hand", "card", "lawful", "why"), PLAYED_POSITIONS)
def test_positions_from_the_table(trick, trump, hand, card, lawful, why):
    found = legal(hand.split(), trick.split(), trump, "void")
    assert (card in found) == lawful, why


@pytest.mark.parametrize(("trick", "trump", "first"), WINNER_CASES)
def test_trick_winner(trick, trump, first):
    assert winner(trick.split(), trump) == first


@pytest.mark.parametrize("trump", oracle.SUITS)
def test_every_ordered_pair_of_cards(trump):
    suit = cards.suit_index(trump)
    found = {
        (new, old): bool(kernels.beats(cards.card_index(new), cards.card_index(old), suit))
        for new, old in itertools.permutations(oracle.PACK, 2)
    }
    assert len(found) == 36 * 35
    assert found == {(new, old): oracle.beats(new, old, trump) for new, old in found}


@pytest.mark.parametrize("trump", oracle.SUITS)
def test_every_card_has_its_points(trump):
    suit = cards.suit_index(trump)
    for card in oracle.PACK:
        assert kernels.card_points(cards.card_index(card), suit) == oracle.card_points(card, trump)
    assert kernels.set_points(cards.hand_bits(oracle.PACK), suit) == 152
    assert Rules().total_points(trump) == 157
    assert Rules(players=5).total_points(trump) == 157
    assert kernels.set_points(0, suit) == 0


def test_totals_of_small_decks():
    rng = random.Random(3)
    for _ in range(300):
        players = rng.choice([2, 3, 4, 5])
        tricks = rng.randint(1, 35 // players)
        deck = rng.sample(oracle.PACK, players * tricks)
        rules = Rules(players=players, deck=deck, deals=1)
        for trump in oracle.SUITS:
            assert rules.total_points(trump) == oracle.total_points(deck, trump)


@pytest.mark.parametrize("way", UNDERTRUMP_WAYS)
def test_random_positions_are_judged_as_the_referee_judges_them(way):
    """Tricks of one to four cards, hands of one to twelve, any trump: few suits, so rules meet."""
    rng = random.Random(UNDERTRUMP_WAYS.index(way))
    restricted = 0
    for _ in range(8000):
        trump = rng.choice(oracle.SUITS)
        suits = {trump, *rng.sample(oracle.SUITS, 2)}
        pack = [card for card in oracle.PACK if card[0] in suits]
        rng.shuffle(pack)
        on_table = rng.randint(0, 4)
        trick, hand = pack[:on_table], pack[on_table : on_table + rng.randint(1, 12)]
        expected = oracle.lawful_cards(hand, trick, trump, way)
        assert legal(hand, trick, trump, way) == expected, (trick, trump, hand)
        assert expected
        restricted += expected != set(hand)
    assert restricted > 2000


# --- penalties --------------------------------------------------------------------------------


@pytest.mark.parametrize(("bid", "points", "cost"), PENALTY_CASES)
def test_plain_penalty(bid, points, cost):
    assert kernels.deal_penalty(Rules().record[0], bid, points, False, 0) == cost
    assert kernels.deal_penalty(Rules().record[0], bid, points, True, 0) == cost


@pytest.mark.parametrize(
    ("bid", "points", "stoeck", "revokes", "bonus", "on_zero", "cost"), HOUSE_PENALTY_CASES
)
def test_house_rule_penalty(bid, points, stoeck, revokes, bonus, on_zero, cost):
    rules = Rules(exact_bonus=bonus, exact_bonus_on_zero=on_zero, stoeck=20, revoke_penalty=20)
    assert kernels.deal_penalty(rules.record[0], bid, points, stoeck, revokes) == cost


@pytest.mark.parametrize("stoeck", [0, 20])
@pytest.mark.parametrize("on_zero", [True, False])
@pytest.mark.parametrize("bonus", [0, 10])
def test_penalties_over_all_bids(bonus, on_zero, stoeck):
    settings = {"exact_bonus": bonus, "exact_bonus_on_zero": on_zero, "stoeck": stoeck}
    compiled = Rules(**settings, revoke_penalty=20).record[0]
    known = oracle.complete(**settings, revoke_penalty=20)
    points_seen = [0, 1, 13, 19, 20, 21, 39, 78, 137, 138, 156, 157]
    for bid, points, held in itertools.product(range(158), points_seen, (False, True)):
        revokes = (bid + points) % 3
        expected = oracle.penalty(bid, points, known, held, revokes)
        assert kernels.deal_penalty(compiled, bid, points, held, revokes) == expected
