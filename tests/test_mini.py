"""Exact values: the best response to a policy, against brute force and against every other policy.

The module under test grows one tree of plays a deal and works on arrays; the brute force here plays
`Game`s, groups what looks the same to the responding seat, and takes the best of each group.
"""

from __future__ import annotations

import zlib
from itertools import combinations

import numpy as np
import pytest

from differenzler_env import Game, Rules
from differenzler_env.agents import load
from differenzler_env.evaluation.exact import (
    BestResponse,
    Deterministic,
    Uniform,
    _Deal,
    best_response_value,
    exact_values,
    policy_value,
)

# Few points, so few bids.
TINY = {
    "four cards": Rules.mini(deck=["D6", "DQ", "S7", "S8"]),
    "six cards": Rules.mini(deck=["D6", "D7", "D8", "S6", "S7", "S8"], first_dealer=0),
    "turned up": Rules.mini(deck=["D6", "DQ", "S7", "SK"], trump="turned_up", first_dealer=1),
    "revokes, Stöck, bonus": Rules.mini(
        deck=["DK", "DQ", "S6", "S7"],
        first_dealer=0,
        revoke_penalty=20,
        stoeck=20,
        exact_bonus=10,
        exact_bonus_on_zero=False,
    ),
}
SMALL = Rules.mini(deck=["D6", "D7", "DK", "S6", "S7", "SQ"], first_dealer=0)


class Whim:
    """A policy without sense: whatever a hash of the view makes of it, every action possible."""

    def __init__(self, salt: int) -> None:
        self.salt = salt

    def __call__(self, view):
        seed = zlib.crc32(view.record.tobytes(), self.salt)
        weights = np.random.default_rng(seed).random(194) ** 3 * view.legal_mask()
        return weights / weights.sum()


def bid_low_play_low(view):
    chosen = np.zeros(194)
    chosen[view.legal_actions()[0]] = 1
    return chosen


# --- brute force ------------------------------------------------------------------------------


def all_deals(rules: Rules) -> list[Game]:
    games = []
    for hand in combinations(rules.deck, rules.tricks):
        hands = [list(hand), [card for card in rules.deck if card not in hand]]
        for dealer in (0, 1) if rules.first_dealer == "random" else (rules.first_dealer,):
            if rules.trump == "turned_up":
                trumps = [(card[0], card) for card in hands[dealer]]
            else:
                trumps = [(suit, None) for suit in rules.trumps]
            for suit, card in trumps:
                games.append(Game.from_deal(rules, hands, suit, dealer, card))
    return games


def after(game: Game, action: int) -> Game:
    new = game.copy()
    new.play(action)
    return new


def brute_response(histories: list[tuple[float, Game]], seat: int, policy) -> float:
    """The best that a seat can do in histories that all look the same to it."""
    total, mine, looks = 0.0, [], {}
    for weight, game in histories:
        if game.is_over:
            total -= weight * game.penalties[seat]
        elif game.current_seat == seat:
            mine.append((weight, game))
        else:
            chances = policy(game.view(1 - seat))
            for action in game.legal_actions():
                new = after(game, action)
                look = new.view(seat).record.tobytes()
                looks.setdefault(look, []).append((weight * chances[action], new))
    if mine:
        assert len(mine) == len(histories)
        best = -np.inf
        for action in mine[0][1].legal_actions():
            groups: dict[bytes, list[tuple[float, Game]]] = {}
            for weight, game in mine:
                new = after(game, action)
                # The end tells the other's bid, but there is no more to choose then.
                look = b"over" if new.is_over else new.view(seat).record.tobytes()
                groups.setdefault(look, []).append((weight, new))
            best = max(best, sum(brute_response(group, seat, policy) for group in groups.values()))
        return best
    return total + sum(brute_response(group, seat, policy) for group in looks.values())


def brute_value(game: Game, policies, seat: int) -> float:
    if game.is_over:
        return -game.penalties[seat]
    chances = policies[game.current_seat](game.view(game.current_seat))
    return sum(
        chances[action] * brute_value(after(game, action), policies, seat)
        for action in game.legal_actions()
        if chances[action]
    )


@pytest.mark.parametrize("name", TINY)
def test_the_best_response_is_that_of_brute_force(name):
    rules, policy = TINY[name], Whim(1)
    games = all_deals(rules)
    few = games[:: len(games) // 6]  # brute force takes its time
    for game in few:
        deal = deal_of(game)
        for seat in (0, 1):
            value, bid, _ = deal.response(seat, deal.play(policy, 1 - seat))
            assert value == pytest.approx(brute_response([(1.0, game)], seat, policy), abs=1e-9)
            assert bid <= rules.total_points(game.trump)


def deal_of(game: Game) -> _Deal:
    return _Deal(game.rules, game.hands, game.trump, game.dealer, game.turned_up)


def test_exact_values_are_the_mean_over_all_deals():
    rules, policy = TINY["four cards"], Whim(1)
    exact, games = exact_values(policy, rules), all_deals(rules)
    assert len(games) == 6 * 2 * 2
    for seat in (0, 1):
        deals = [deal_of(game) for game in games]
        responses = [deal.response(seat, deal.play(policy, 1 - seat))[0] for deal in deals]
        assert exact.best_response_by_seat[seat] == pytest.approx(np.mean(responses))
        values = [deal.value(seat, [deal.play(policy, 0), deal.play(policy, 1)]) for deal in deals]
        assert exact.value_by_seat[seat] == pytest.approx(np.mean(values))
    assert exact.best_response == pytest.approx(np.mean(exact.best_response_by_seat))
    assert exact.value == pytest.approx(np.mean(exact.value_by_seat))


def test_the_value_of_a_policy_is_that_of_brute_force():
    rules = TINY["revokes, Stöck, bonus"]
    one, other = Whim(1), Whim(2)
    for game in all_deals(rules)[::4]:
        deal = deal_of(game)
        played = [deal.play(one, 0), deal.play(other, 1)]
        for seat in (0, 1):
            expected = brute_value(game, [one, other], seat)
            assert deal.value(seat, played) == pytest.approx(expected, abs=1e-9)


# --- against other policies -------------------------------------------------------------------


def test_nothing_does_better_than_the_best_response():
    whims = [Whim(salt) for salt in (1, 2)]
    for policy in (whims[0], bid_low_play_low):
        exact = exact_values(policy, SMALL)
        others = [*whims, Uniform(SMALL), bid_low_play_low, Deterministic(load("thumb", SMALL))]
        for other in others:
            assert policy_value(other, policy, SMALL) <= exact.best_response + 1e-9
        assert policy_value(policy, policy, SMALL) == pytest.approx(exact.value)
        assert exact.gap > 0.1
        # And the response itself, played as a policy, is worth what was promised.
        response = BestResponse(policy, SMALL)
        assert policy_value(response, policy, SMALL) == pytest.approx(exact.best_response)
        assert best_response_value(response, SMALL) >= exact_values(response, SMALL).value - 1e-9


def test_functions_and_batched_policies_are_asked_alike():
    def one_by_one(view):
        return Uniform(SMALL).probabilities(view.record)[0]

    assert exact_values(one_by_one, SMALL) == exact_values(Uniform(SMALL), SMALL)


def test_who_knows_the_other_s_every_move_is_never_wrong():
    """Against a policy without chance the responding seat foresees the play: it pays nothing."""
    for rules in (SMALL, TINY["four cards"]):
        assert best_response_value(bid_low_play_low, rules) == 0
        assert best_response_value(Deterministic(load("thumb", rules)), rules) == 0


@pytest.mark.slow
def test_the_mini_game():
    """The figures in docs/mini.md. Seats are relative, so one dealer gives the mean of both."""
    exact = exact_values(Uniform(), Rules.mini(first_dealer=0))
    assert exact.value == pytest.approx(-24.2040, abs=1e-4)
    assert exact.best_response == pytest.approx(-1.7138, abs=1e-4)
    assert exact.gap == exact.best_response - exact.value
    # Seat 0 deals, so it has seen a card before it plays its first.
    assert exact.best_response_by_seat == pytest.approx((-1.3238, -2.1038), abs=1e-4)


# --- bad input --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rules", "sentence"),
    [
        (Rules(), "players is 4; exact values need 2"),
        (Rules.mini(bidding="open"), "bidding is 'open'; exact values need 'hidden'"),
        (Rules.mini(deals=2), "deals is 2; exact values need 1"),
        (
            Rules.mini(deck=[suit + rank for suit in "DS" for rank in "678JKA"]),
            "deck has 12 cards; exact values need at most 10",
        ),
    ],
)
def test_rules_that_are_too_large_are_refused(rules, sentence):
    with pytest.raises(ValueError, match=sentence):
        exact_values(Uniform(rules), rules)


@pytest.mark.parametrize(
    "answer",
    [
        np.zeros(194),
        np.full(194, 1 / 194),
        -np.eye(194)[0],
        np.full(194, np.nan),
        np.ones(3) / 3,
        np.eye(194)[193],
    ],
)
def test_what_is_no_policy_is_refused(answer):
    with pytest.raises(ValueError, match="probabilities"):
        exact_values(lambda view: answer, SMALL)
