"""Benchmarks: other environments, timed where they are installed. Knows nothing of this project, so
that it runs under another Python, with the versions that the peers want.

    python benchmarks/peers.py     # one JSON line: name → a second, or why it was not timed
"""

import json
import statistics
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
from loops import sampled_game

REPEATS = 5


def rate(work: Callable[[], int], clock: Callable[[], float]) -> float:
    """Median of repeats after a warm-up, in units of work a second by a clock."""
    work()
    rates = []
    for _ in range(REPEATS):
        started = clock()
        count = work()
        rates.append(count / (clock() - started))
    return statistics.median(rates)


def openspiel(name: str, tensors: bool) -> Callable[[], int]:
    """OpenSpiel's Python loop: legal actions, a random one, apply; with ``tensors`` also the
    information state (or observation) of the player to act."""
    pyspiel = import_module("pyspiel")
    game, numbers = pyspiel.load_game(name), np.random.default_rng(0).random(1 << 16).tolist()
    kind = game.get_type()
    at = [0]

    def work() -> int:
        decisions = 0
        for _ in range(5 if tensors else 100):
            state = game.new_initial_state()
            while not state.is_terminal():
                chance = state.is_chance_node()
                if tensors and not chance:
                    if kind.provides_information_state_tensor:
                        state.information_state_tensor()
                    else:
                        state.observation_tensor()
                actions = state.legal_actions()
                at[0] = (at[0] + 1) & 0xFFFF
                state.apply_action(actions[int(numbers[at[0]] * len(actions))])
                decisions += not chance
        return decisions

    return work


def pettingzoo(name: str) -> Callable[[], int]:
    """A game of PettingZoo classic, actions sampled by the mask; live steps."""
    env: Any = import_module(f"pettingzoo.classic.{name}").env()
    env.reset(seed=1)

    def work() -> int:
        steps = 0
        while steps < 3000:
            steps += sampled_game(env)
        return steps

    return work


def pgx(name: str, rows: int) -> Callable[[], int]:
    """A game of Pgx in a compiled loop over a batch, random legal actions; on all cores."""
    jax, env = import_module("jax"), import_module("pgx").make(name)
    wrapped = import_module("pgx.experimental.wrappers").auto_reset
    init, step = jax.vmap(env.init), jax.vmap(wrapped(env.step, env.init))
    steps = 100

    def one(carry: Any, _: Any) -> Any:
        state, key = carry
        key, first, second = jax.random.split(key, 3)
        logits = jax.numpy.where(state.legal_action_mask, 0.0, -1e9)
        actions = jax.random.categorical(first, logits, axis=-1)
        return (step(state, actions, jax.random.split(second, rows)), key), None

    @jax.jit
    def run(state: Any, key: Any) -> Any:
        return jax.lax.scan(one, (state, key), None, length=steps)[0]

    key = jax.random.PRNGKey(0)
    carry = [(jax.jit(init)(jax.random.split(key, rows)), key)]

    def work() -> int:
        carry[0] = jax.block_until_ready(run(*carry[0]))
        return steps * rows

    return work


PEERS: dict[str, Callable[[], Callable[[], int]]] = {
    "openspiel_oh_hell": lambda: openspiel("oh_hell", False),
    "openspiel_hearts": lambda: openspiel("hearts", False),
    "openspiel_oh_hell_tensors": lambda: openspiel("oh_hell", True),
    "openspiel_hearts_tensors": lambda: openspiel("hearts", True),
    "pettingzoo_texas_holdem": lambda: pettingzoo("texas_holdem_v4"),
    "pettingzoo_connect_four": lambda: pettingzoo("connect_four_v3"),
    "pettingzoo_tictactoe": lambda: pettingzoo("tictactoe_v3"),
    "pgx_connect_four": lambda: pgx("connect_four", 1024),
}


def main() -> None:
    """Time all peers that are there."""
    found: dict[str, Any] = {}
    for name, make in PEERS.items():
        try:
            # Processor time, as run.py has it, but for what runs on all cores.
            clock = time.perf_counter if name.startswith("pgx") else time.process_time
            found[name] = rate(make(), clock)
        except ImportError as error:
            found[name] = f"not installed ({error.name})"
        except Exception as error:
            found[name] = f"failed: {type(error).__name__}: {error}"
    print(json.dumps(found))


if __name__ == "__main__":
    main()
