"""OpenSpiel: its own checks, what seats know, the solvers, and bots from either side."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from kinds import KINDS

from differenzler_env import Game, Rules, agents, cards
from differenzler_env.evaluation.exact import exact_values
from differenzler_env.observation import SLICES

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: make test-openspiel")

from open_spiel.integration_tests import api_test  # noqa: E402
from open_spiel.python import policy as policies  # noqa: E402
from open_spiel.python import rl_environment  # noqa: E402
from open_spiel.python.algorithms import (  # noqa: E402
    cfr,
    evaluate_bots,
    exploitability,
    external_sampling_mccfr,
    ismcts,
    mcts,
    outcome_sampling_mccfr,
)

from differenzler_env.adapters.openspiel import (  # noqa: E402
    NAME,
    DifferenzlerState,
    game_parameters,
    load_game,
)
from differenzler_env.adapters.openspiel_bots import AgentBot, Resampler  # noqa: E402
from differenzler_env.adapters.openspiel_observer import known_text  # noqa: E402

TINY = Rules.mini(deck=("D6", "D7", "S6", "S7"), first_dealer=0)
"""Two tricks and six bids: 1,440 ways to the end, 5,719 histories; exact solvers in Python can."""
TWO_CARDS = Rules.mini(deck=("D6", "S6"), first_dealer=0)


def drawn(state: DifferenzlerState, rng: np.random.Generator) -> int:
    """An outcome of chance, or any legal action."""
    if state.is_chance_node():
        outcomes, weights = zip(*state.chance_outcomes(), strict=True)
        return int(rng.choice(outcomes, p=weights))
    return int(rng.choice(state.legal_actions()))


def walk(game: Any, seed: int) -> Any:
    """Every state of one random match; the same object each time."""
    rng, state = np.random.default_rng(seed), game.new_initial_state()
    yield state
    while not state.is_terminal():
        state.apply_action(drawn(state, rng))
        yield state


def random_state(game: Any, seed: int, moves: int) -> DifferenzlerState:
    """Where a seat is to act after that many bids and cards, or the end."""
    for state in walk(game, seed):
        if state.current_player() >= 0:
            moves -= 1
        if moves < 0:
            break
    return state


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


# Solvers -----------------------------------------------------------------------------------


def as_policy(table: Any) -> Any:
    """One of OpenSpiel's tabular policies, as the exact evaluation of this package asks it."""

    def choose(view: Any) -> Any:
        return table.action_probability_array[table.state_lookup[known_text(view)]]

    return choose


@pytest.mark.long
def test_counterfactual_regret_minimisation_solves_a_tiny_mini_game() -> None:
    """OpenSpiel's best responses and this package's own agree, seat by seat."""
    game = load_game(TINY)
    solver = cfr.CFRSolver(game)
    gaps = []
    for steps in (0, 2):
        for _ in range(steps):
            solver.evaluate_and_update_policy()
        table = solver.average_policy() if steps else policies.TabularPolicy(game)
        found = exploitability.nash_conv(game, table, return_only_nash_conv=False)
        ours = exact_values(as_policy(table), TINY)
        gained = np.subtract(ours.best_response_by_seat, ours.value_by_seat)
        np.testing.assert_allclose(found.player_improvements, gained, atol=1e-9)
        gaps.append(float(found.nash_conv))
    assert gaps[1] < gaps[0]


def test_sampled_regret_minimisation_runs_on_the_mini_game() -> None:
    """It needs no whole tree; that of the mini game has hundreds of millions of ends."""
    game = load_game("mini")
    solver = outcome_sampling_mccfr.OutcomeSamplingSolver(game)
    np.random.seed(1)  # noqa: NPY002  (the solver draws from it)
    for _ in range(20):
        solver.iteration()
    state = random_state(game, seed=1, moves=0)
    probabilities = solver.average_policy().action_probabilities(state)
    assert list(probabilities) == state.legal_actions()
    assert sum(probabilities.values()) == pytest.approx(1)
    assert len(solver._infostates) > 100


class OneDeal:
    """What a solver asks of a game, where chance has dealt already."""

    def __init__(self, game: Any, seed: int) -> None:
        self.get_type, self.num_players = game.get_type, game.num_players
        self.new_initial_state = random_state(game, seed, moves=0).clone


def self_play(game: OneDeal, policy: Any, deals: int) -> float:
    """The mean penalty of a seat where both draw from a policy."""
    rng, penalties = np.random.default_rng(0), 0.0
    for _ in range(deals):
        state = game.new_initial_state()
        while not state.is_terminal():
            actions, chances = zip(*policy(state).items(), strict=True)
            state.apply_action(int(rng.choice(actions, p=chances)))
        penalties -= sum(state.returns()) / 2
    return penalties / deals


@pytest.mark.long
def test_external_sampling_learns_a_deal_of_the_mini_game() -> None:
    """All bids and cards of a seat against drawn ones of the other: without a deal to draw, a few
    iterations show."""
    game = OneDeal(load_game("mini"), seed=1)
    solver = external_sampling_mccfr.ExternalSamplingSolver(game)
    policy = solver.average_policy().action_probabilities  # all alike where it was not yet
    np.random.seed(1)  # noqa: NPY002  (the solver draws from it)
    before = self_play(game, policy, 200)
    for _ in range(5):
        solver.iteration()
    assert self_play(game, solver.average_policy().action_probabilities, 200) < 0.75 * before


# Bots --------------------------------------------------------------------------------------


def play(state: Any, bots: list[Any], rng: np.random.Generator) -> Any:
    """The end of a match played by bots."""
    while not state.is_terminal():
        seat = state.current_player()
        state.apply_action(drawn(state, rng) if seat < 0 else int(bots[seat].step(state)))
    return state


def test_agents_and_checkpoints_play_as_bots() -> None:
    game = load_game(Rules(deals=1))
    specs = ["models/swisslos.safetensors", "thumb", "heuristic", "random"]
    bots = [AgentBot(game, spec, seed) for seed, spec in enumerate(specs)]
    returns = evaluate_bots.evaluate_bots(game.new_initial_state(), bots, np.random.RandomState(1))
    assert all(-157 <= value <= 0 for value in returns)
    assert len(pyspiel.evaluate_bots(game.new_initial_state(), bots, 7)) == 4
    state = random_state(game, seed=3, moves=11)
    seat = state.current_player()
    for spec in specs[:3]:
        chosen = agents.load(spec, game.rules).act(state.view(seat), np.random.default_rng(0))
        assert AgentBot(game, spec).step(state) == chosen
    with pytest.raises(ValueError, match="is for the rules"):
        AgentBot(load_game("mini"), specs[0])
    with pytest.raises(ValueError, match="being dealt"):
        bots[0].step(game.new_initial_state())


@pytest.mark.slow
def test_the_ismcts_bot_plays_and_beats_chance() -> None:
    rng = np.random.RandomState(1)
    penalties = np.zeros(2)
    game = load_game("mini")
    bot = ismcts.ISMCTSBot(game, mcts.RandomRolloutEvaluator(1, rng), 20, 200, random_state=rng)
    bot.set_resampler(Resampler(seed=1))
    for deal in range(12):
        bots = [bot, AgentBot(game, "random", deal)]
        seat = deal % 2
        state = play(game.new_initial_state(), bots[:: 1 - 2 * seat], np.random.default_rng(deal))
        penalties -= np.roll(state.returns(), -seat)
    assert penalties[0] < penalties[1]


def test_the_ismcts_bot_at_the_full_table() -> None:
    game, rng = load_game(Rules.table(deals=1)), np.random.RandomState(1)
    bot = ismcts.ISMCTSBot(game, mcts.RandomRolloutEvaluator(1, rng), 40, 4, random_state=rng)
    bot.set_resampler(Resampler(seed=1))
    end = play(game.new_initial_state(), [bot] * 4, np.random.default_rng(0))
    assert end.returns() == [-penalty for penalty in end.match.penalties]


def test_the_reinforcement_learning_environment_books_the_penalties() -> None:
    rules = Rules(deals=4)
    env = rl_environment.Environment(load_game(rules), seed=3)
    rng, booked = np.random.default_rng(0), np.zeros(4)
    step = env.reset()
    while not step.last():
        seat = step.observations["current_player"]
        legal = step.observations["legal_actions"][seat]
        hand = np.array(step.observations["info_state"][seat])[SLICES["hand"]]
        assert hand.sum() <= 9
        step = env.step([int(rng.choice(legal))])
        booked += step.rewards
    state = env.get_state
    assert booked.tolist() == [-penalty for penalty in state.match.penalties]
    record = state.match.to_record()
    assert len(record["deals"]) == 4 and Game.from_record(record).penalties == record["penalties"]
    assert sum(map(len, record["deals"][0]["hands"])) == len(cards.NAMES)
