"""OpenSpiel: its own checks, the game, what seats know."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from kinds import KINDS

from differenzler_env import Game, Rules

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: make test-openspiel")

from open_spiel.integration_tests import api_test  # noqa: E402
from openspiel_tools import drawn, random_state, walk  # noqa: E402

from differenzler_env.adapters.openspiel import (  # noqa: E402
    NAME,
    DifferenzlerState,
    game_parameters,
    load_game,
)
from differenzler_env.adapters.openspiel_bots import Resampler  # noqa: E402

TWO_CARDS = Rules.mini(deck=("D6", "S6"), first_dealer=0)


# OpenSpiel's own checks --------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
def test_random_simulations_of_every_kind(name: str) -> None:
    """Clones, serialisation, masks, observations, rewards that add up, utilities within bounds."""
    for objective in ("penalty", "win"):
        pyspiel.random_sim_test(load_game(KINDS[name], objective), 1, True, False)


class TestFullTree(api_test.EnforceAPIOnFullTreeBase):
    """OpenSpiel's checks of a whole tree: perfect recall, masks, sums, no shared information."""

    game_name = NAME
    game = load_game(TWO_CARDS)
    # A deal or the other, a trump or the other; 6 × 6 bids, one trick. Chance: each card, trump.
    counts = (1 + 2 + 2, 4 * (1 + 6 + 36 + 36), 4 * 36)

    @classmethod
    def setUpClass(cls) -> None:
        api_test.TOTAL_NUM_STATES[NAME] = cls.counts
        # For each deal and trump: a bid of either seat, then its card for each own bid, and the
        # answer for each own bid: the other's bid is not seen.
        api_test.PERFECT_RECALL_NUM_STATES[NAME] = 4 * (1 + 1 + 6 + 6)
        super().setUpClass()


class TestSomeStates(api_test.EnforceAPIOnPartialTreeBase):
    """OpenSpiel's checks of some states: lengths, refused seats, private and public strings."""

    game_name = NAME
    game = load_game(Rules.table(deals=1))


class TestSomeStatesOfTheMiniGame(TestSomeStates):
    """A shallow tree, so that some of the states lie behind the deal."""

    game = load_game("mini")

    def test_some_are_behind_the_deal(self) -> None:
        assert any(not state.is_chance_node() for state in self.some_states)


def test_perfect_recall_over_settled_deals() -> None:
    """String and tensor tell the same: each seat's own choices and all that became public."""
    game = load_game(Rules.mini(deck=("D6", "D7", "S6", "S7"), deals=2, exact_bonus=3))
    by_string: dict[str, bytes] = {}
    known: dict[str, tuple[Any, ...]] = {}
    for seed in range(60):
        past: list[list[Any]] = [[], []]
        rng, state = np.random.default_rng(seed), game.new_initial_state()
        while not state.is_terminal():
            action = drawn(state, rng)
            seat = state.current_player()
            if seat >= 0:
                text = state.information_state_string()
                tensor = np.array(state.information_state_tensor(), np.float32).tobytes()
                assert by_string.setdefault(text, tensor) == tensor
                assert known.setdefault(text, tuple(past[seat])) == tuple(past[seat])
                past[seat].append((text, action))
            state.apply_action(action)
    assert len(set(by_string.values())) == len(by_string) > 500


# The game ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", KINDS)
def test_rules_travel_as_parameters(name: str) -> None:
    rules = KINDS[name]
    game = load_game(rules, "win")
    assert game.rules == rules
    again = pyspiel.load_game(str(game))
    assert again.rules == rules and again.objective == "win"
    assert pyspiel.load_game(NAME, game_parameters(rules)).objective == "penalty"


def test_every_named_rule_set_is_a_game() -> None:
    assert NAME in pyspiel.registered_names()
    for text, rules in {
        "": Rules.swisslos(),
        "(rules=table)": Rules.table(),
        "(rules=table,players=5)": Rules.table(players=5),
        "(rules=television,deals=4,first_dealer=2)": Rules.television(deals=4, first_dealer=2),
        "(rules=mini)": Rules.mini(),
    }.items():
        assert pyspiel.load_game(NAME + text).rules == rules


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("players=7", "players is 7; allowed: 2, 3, 4 or 5"),
        ("rules=house", "'house' is not a rule set; rule sets are swisslos"),
        ("objective=glory", "objective is 'glory'; allowed: penalty, win"),
        ("jokers=2", "Unknown parameter 'jokers'"),
    ],
)
def test_impossible_parameters_are_one_line(text: str, message: str) -> None:
    with pytest.raises((ValueError, pyspiel.SpielError), match=message) as refused:
        pyspiel.load_game(f"{NAME}({text})")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("turned_up", [False, True])
def test_chance_deals_every_deal_alike(turned_up: bool) -> None:
    """Of the mini game: 70 ways to share the cards; trump drawn or turned up; two dealers."""
    game = load_game(Rules.mini(trump="turned_up" if turned_up else "random"))
    found: Counter[Any] = Counter()

    def deal(state: DifferenzlerState, chance: float) -> None:
        if state.is_chance_node():
            for outcome, weight in state.chance_outcomes():
                deal(state.child(outcome), chance * weight)
        else:
            match = state.match
            key = map(tuple, match.hands), match.trump, match.turned_up, match.dealer
            found[tuple(map(tuple, key[0])), *key[1:]] += chance

    deal(game.new_initial_state(), 1.0)
    assert len(found) == 70 * (4 if turned_up else 2) * 2
    np.testing.assert_allclose(list(found.values()), 1 / len(found))
    if turned_up:
        assert all(up in hands[dealer] for hands, _, up, dealer in found)


def test_returns_are_the_penalties_of_the_match_replayed() -> None:
    """Each reward is told once, whether read at all states or only where a seat acts."""
    for rules in (Rules.swisslos(), Rules.television(players=5, deals=5, exact_bonus=10)):
        for objective in ("penalty", "win"):
            everywhere = acting = np.zeros(rules.players)
            for state in walk(load_game(rules, objective), seed=3):
                everywhere = everywhere + state.rewards()
                acting = acting + (0 if state.is_chance_node() else np.array(state.rewards()))
                np.testing.assert_array_equal(everywhere, state.returns())
            np.testing.assert_array_equal(acting, everywhere)
            replayed = Game.from_record(state.match.to_record())
            if objective == "penalty":
                assert state.returns() == [-penalty for penalty in replayed.penalties]
            else:
                winners = replayed.winners
                shares = [(seat in winners) / len(winners) for seat in range(rules.players)]
                assert state.returns() == shares


def test_the_observation_is_the_package_s_own() -> None:
    state = random_state(load_game("swisslos"), seed=1, moves=50)
    for seat in range(4):
        vector = state.match.observe(seat)
        np.testing.assert_array_equal(state.observation_tensor(seat), vector)
        np.testing.assert_array_equal(state.information_state_tensor(seat)[: len(vector)], vector)
    assert state.legal_actions() == state.match.legal_actions()
    observed, known = state.observation_string(0), state.information_state_string(0)
    assert known.startswith(observed + "; dealer")  # the settled deals come on top
    dealing = load_game("swisslos").new_initial_state()
    assert (
        not any(dealing.information_state_tensor(0)) and dealing.observation_string(0) == "dealing"
    )


def test_states_are_copied_and_serialised_whole() -> None:
    game = load_game(Rules.table(deals=4))
    for moves in (0, 3, 30, 100):
        state = random_state(game, seed=2, moves=moves)
        _, again = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(game, state))
        copy = state.clone()
        rng = np.random.default_rng(moves)
        before = str(state)
        while not copy.is_terminal():
            action = drawn(copy, rng)
            assert copy.action_to_string(action) == again.action_to_string(action)
            copy.apply_action(action)
            again.apply_action(action)
        assert str(copy) == str(again) and copy.returns() == again.returns()
        assert str(state) == before


# What seats know ---------------------------------------------------------------------------


@pytest.mark.parametrize("bidding", ["hidden", "open"])
def test_another_seat_s_bid_is_known_only_where_bids_are_open(bidding: str) -> None:
    game = load_game(Rules(deals=1, first_dealer=0, bidding=bidding))
    start = random_state(game, seed=4, moves=0)
    seen: list[list[Any]] = []
    for bid in (20, 90):  # seat 1's
        state = start.clone()
        for action in (bid, 30, 40, 50):
            state.apply_action(action)
        forms = ("information_state", "observation")
        seen.append(
            [
                [getattr(state, f"{form}_{kind}")(seat) for form in forms]
                for seat in (0, 1, 2, 3)
                for kind in ("string", "tensor")
            ]
        )
    same = [one == other for one, other in zip(*seen, strict=True)]
    own = [False, False]
    others = [bidding == "hidden"] * 2
    assert same == others + own + others + others


def test_nothing_a_seat_is_given_depends_on_cards_that_others_hold() -> None:
    """Nor does the state that it may believe in, drawn with the same seed."""
    for rules in (Rules(deals=1), Rules.table(deals=1), Rules(deals=1, revoke_penalty=20)):
        game = load_game(rules)
        for moves in (0, 4, 9, 22, 35):
            state = random_state(game, seed=moves, moves=moves)
            seat = state.current_player()
            other = Resampler(seed=moves + 1)(state, seat)
            assert other.match.hands != state.match.hands
            for form in ("information_state", "observation"):
                for kind in ("string", "tensor"):
                    name = f"{form}_{kind}"
                    assert getattr(state, name)(seat) == getattr(other, name)(seat)
            believed = [Resampler(seed=5)(given, seat) for given in (state, other)]
            assert believed[0].history() == believed[1].history()


def test_resampled_states_are_consistent_and_complete() -> None:
    for rules in (Rules.swisslos(), Rules.television(players=5, deals=5), Rules.mini()):
        game, resample = load_game(rules), Resampler(seed=1)
        for moves in (0, 7, 13, 55):
            state = random_state(game, seed=moves, moves=moves)
            if state.is_terminal():
                continue
            seat = state.current_player()
            drawn_states = [resample(state, seat) for _ in range(8)]
            for made in drawn_states:
                assert made.current_player() == seat
                assert made.legal_actions() == state.legal_actions()
                assert made.information_state_string(seat) == state.information_state_string(seat)
                assert made.rewards() == state.rewards() and made.returns() == state.returns()
                assert len(made.history()) == len(state.history())
            if rules.players > 2 and moves < 20:
                assert len({str(made) for made in drawn_states}) > 1
