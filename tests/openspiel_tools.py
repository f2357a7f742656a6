"""States of OpenSpiel's game, for the tests that walk through it."""

from __future__ import annotations

from typing import Any

import numpy as np

from differenzler_env.adapters.openspiel import DifferenzlerState


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
