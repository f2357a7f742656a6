"""Benchmarks: how fast the package is on this machine. Prints a table, writes ``results.json``.

python benchmarks/run.py            # what ``make bench`` runs; about two minutes on one idle core

Each figure is the median of five repeats after a warm-up, on one thread.
"""

import json
import os
import platform
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import gymnasium
import numpy as np
from rich.console import Console
from rich.table import Table

from differenzler_env import Batch, Game, Rules, differenzler_v0
from differenzler_env.actions import NUM_BIDS
from differenzler_env.agents.heuristic import book_for
from differenzler_env.agents.playout import give_bids, play_out
from differenzler_env.engine.jit import Array, jit, popcount
from differenzler_env.files import replacing

REPEATS = 5
RESULTS = Path(__file__).parent / "results.json"


@jit
def choose_at_random(bits: Array, seed: int, actions: Array) -> None:
    """A random card of each set, by a small generator of its own; bid 39 where the set is empty."""
    word = seed
    for row in range(len(bits)):
        cards = np.int64(bits[row])
        if cards == 0:
            actions[row] = 39
            continue
        word = (word * 1103515245 + 12345) & 0x7FFFFFFF
        skip = ((word >> 8) * popcount(cards)) >> 23
        for _ in range(skip):
            cards &= cards - 1
        actions[row] = NUM_BIDS + popcount((cards & -cards) - 1)


@jit
def play_heuristic(books: Array, rules: Array, deals: Array, states: Array) -> None:
    """Copies of dealt hands, bid and played to the end by ``heuristic`` in all seats."""
    prices = np.zeros(36, np.float32)
    for row in range(len(deals)):
        states[row] = deals[row]
        give_bids(books[0], states[row], rules[0])
        play_out(books[0], states[row], rules[0], prices)


def heuristic_playouts() -> Callable[[], int]:
    """Whole deals as ``search`` plays them out."""
    rules = Rules.swisslos()
    book, deals = book_for(rules), Batch(4096, rules, seed=1).state_records
    states = deals.copy()

    def work() -> int:
        for _ in range(20):
            play_heuristic(book, rules.record, deals, states)
        return 20 * len(deals)

    return work


def batch_steps(games: int, observe: bool) -> Callable[[], int]:
    """``Batch.step`` with random choice; with ``observe`` also observations and masks."""
    batch = Batch(games, seed=1)
    bits, actions = np.empty(games, np.uint64), np.empty(games, np.int64)
    out = batch.step(np.full(games, 39))
    vectors, masks = batch.observe(), batch.legal_mask()

    def work() -> int:
        steps = 40 if observe else 400
        for step in range(steps):
            if observe:
                batch.observe(vectors)
                batch.legal_mask(masks)
            batch.legal_bits(bits)
            choose_at_random(bits, step, actions)
            batch.step(actions, check=False, out=out)
            if out[2].any():
                batch.reset(mask=out[2])
        return steps * games

    return work


def copy_of_observations(games: int) -> Callable[[], int]:
    """A plain copy of as many bytes as ``observe`` writes."""
    vectors = Batch(games, seed=1).observe()
    other = np.empty_like(vectors)

    def work() -> int:
        for _ in range(40):
            np.copyto(other, vectors)
        return 40 * games

    return work


def worlds() -> Callable[[], int]:
    """``PlayerView.sample`` from the middle of a deal."""
    game, rng = Game(seed=3), np.random.default_rng(0)
    while len(game.tricks) < 4:
        game.play(int(rng.choice(game.legal_actions())))
    view = game.view(0)

    def work() -> int:
        for _ in range(10):
            view.sample(20_000, rng)
        return 200_000

    return work


def python_game() -> Callable[[], int]:
    """``Game.legal_actions`` and ``Game.play`` from Python."""
    game, rng = Game(seed=1), np.random.default_rng(0)

    def work() -> int:
        steps = 0
        numbers = rng.random(4000)
        while steps < 4000:
            if game.is_over:
                game.reset()
            actions = game.legal_actions()
            game.play(actions[int(numbers[steps] * len(actions))])
            steps += 1
        return steps

    return work


def aec_loop() -> Callable[[], int]:
    """The PettingZoo loop with actions sampled by the mask."""
    env = differenzler_v0.env(rules=Rules(deals=1))

    def work() -> int:
        steps = 0
        for _ in range(20):
            env.reset()
            for agent in env.agent_iter():
                observation, _, termination, truncation, _ = env.last()
                if termination or truncation:
                    env.step(None)
                    continue
                env.step(env.action_space(agent).sample(observation["action_mask"]))
                steps += 1
        return steps

    env.reset(seed=1)
    return work


def vector_env(rows: int) -> Callable[[], int]:
    """``gymnasium.make_vec`` at tables of three ``thumb``, the learner's first legal action."""
    envs = gymnasium.make_vec("differenzler_env:Differenzler-v0", num_envs=rows, opponents="thumb")
    observations, _ = envs.reset(seed=1)
    masks = [observations["action_mask"]]

    def work() -> int:
        for _ in range(20):
            observations, *_ = envs.step(masks[0].argmax(axis=1))
            masks[0] = observations["action_mask"]
        return 20 * rows

    return work


BENCHMARKS: dict[str, tuple[str, Callable[[], Callable[[], int]]]] = {
    "batch_step": (
        "Batch.step, legal_bits, random choice; 4096 games: decisions",
        lambda: batch_steps(4096, False),
    ),
    "batch_observe": (
        "the same with observe and legal_mask: decisions",
        lambda: batch_steps(4096, True),
    ),
    "copy": ("a plain copy of as many observations", lambda: copy_of_observations(4096)),
    "worlds": ("PlayerView.sample, mid-game: worlds", worlds),
    "heuristic": ("bids and cards of four heuristic: whole deals played out", heuristic_playouts),
    "game": ("Game.legal_actions and play from Python: decisions", python_game),
    "aec": ("AEC loop, sampled by the mask: live steps", aec_loop),
    "vector": ("make_vec, three thumb, 1024 rows: learner decisions", lambda: vector_env(1024)),
}


def rate(work: Callable[[], int]) -> float:
    """Median of repeats, in units of work a second."""
    work()
    rates = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        count = work()
        rates.append(count / (time.perf_counter() - started))
    return statistics.median(rates)


def processor() -> str:
    """The processor's name, as far as the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def main() -> None:
    """Run all benchmarks."""
    console = Console(highlight=False)
    table = Table("work", "a second", title=f"{processor()}, {os.cpu_count()} cores, one thread")
    results = {}
    for name, (meaning, make) in BENCHMARKS.items():
        with console.status(meaning):
            results[name] = {"work": meaning, "per_second": round(rate(make()))}
        table.add_row(meaning, f"{results[name]['per_second']:,}")
    console.print(table)
    document = {
        "processor": processor(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "results": results,
    }
    with replacing(RESULTS) as temporary:
        temporary.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
