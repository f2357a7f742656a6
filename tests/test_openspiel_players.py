"""OpenSpiel: its solvers, and bots from either side."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from differenzler_env import Game, Rules, agents, cards
from differenzler_env.evaluation.exact import exact_values
from differenzler_env.observation import SLICES

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: make test-openspiel")

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
from openspiel_tools import drawn, random_state  # noqa: E402

from differenzler_env.adapters.openspiel import load_game  # noqa: E402
from differenzler_env.adapters.openspiel_bots import AgentBot, Resampler  # noqa: E402
from differenzler_env.adapters.openspiel_observer import known_text  # noqa: E402

TINY = Rules.mini(deck=("D6", "D7", "S6", "S7"), first_dealer=0)
"""Two tricks and six bids: 1,440 ways to the end, 5,719 histories; exact solvers in Python can."""


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
