"""Benchmarks: the package's own work. Each function sets up and returns what is to be timed: a
function that does some of the work and says how much."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import SyncVectorEnv
from loops import sampled_game

from differenzler_env import Batch, Game, Rules, differenzler_v0
from differenzler_env.actions import NUM_BIDS
from differenzler_env.agents import load
from differenzler_env.agents.heuristic import book_for
from differenzler_env.agents.playout import play_out
from differenzler_env.engine.deal import SCRATCH, deal_cards
from differenzler_env.engine.jit import Array, Integer, inlined, jit, nth_bit, popcount
from differenzler_env.engine.play import give_bid, play_card, playable, settle

Work = Callable[[], int]
ROOT = Path(__file__).resolve().parents[1]
BID = 39
ID = "differenzler_env:Differenzler-v0"


@jit
def next_word(word: Integer) -> Integer:
    """A small generator: enough to choose by, and the same in C++."""
    return (word * 1103515245 + 12345) & 0x7FFFFFFF


@inlined
def random_playouts(states: Array, rules: Array, deals: Integer, scratch: Array) -> Any:
    """Play whole deals at random, as ``playout.cpp`` does. Returns the cards played and the same
    checksum."""
    state, settings = states[0], rules[0]
    players = settings["players"]
    plays, checksum, word = 0, 0, 12345
    for deal in range(deals):
        state["deal"] = deal
        deal_cards(state, settings, deal % players, scratch)
        for _ in range(players):
            give_bid(state, settings, BID)
        last = False
        while not last:
            cards = playable(state, settings)
            word = next_word(word)
            card = nth_bit(cards, ((word >> 8) * popcount(cards)) >> 23)
            last = play_card(state, settings, card)
            plays += 1
        settle(state, settings)
        checksum = (checksum * 31 + state["settled_penalties"][deal % players]) & 0x7FFFFFFF
    return plays, checksum


_PLAIN = Rules().record


@jit
def plain_playouts(states: Array, _: Array, deals: Integer, scratch: Array) -> Any:
    """The same, compiled for the plain rules only: a constant to the compiler."""
    return random_playouts(states, _PLAIN, deals, scratch)


def checked_playouts(deals: int, kernel: Any = random_playouts) -> tuple[int, int]:
    """Cards played and checksum of that many deals of seed 1."""
    states, scratch = Batch(1, seed=1).state_records, np.zeros(SCRATCH, np.int64)
    plays, checksum = kernel(states, Rules().record, deals, scratch)
    return int(plays), int(checksum)


def playouts(kernel: Any = random_playouts, deals: int = 50_000) -> Work:
    """Whole deals at random in one compiled loop; cards played."""
    return lambda: checked_playouts(deals, kernel)[0]


@jit
def choose_at_random(bits: Array, seed: int, actions: Array) -> None:
    """A random card of each set; a bid where the set is empty."""
    word = seed
    for row in range(len(bits)):
        cards = np.int64(bits[row])
        if cards == 0:
            actions[row] = BID
            continue
        word = next_word(word)
        actions[row] = NUM_BIDS + nth_bit(cards, ((word >> 8) * popcount(cards)) >> 23)


class Rows:
    """A batch that plays at random, match after match, with arrays to write on."""

    def __init__(self, games: int, observe: bool) -> None:
        self.batch = Batch(games, seed=1)
        self.bits, self.actions = np.empty(games, np.uint64), np.empty(games, np.int64)
        self.out = self.batch.step(np.full(games, BID))
        self.vectors = self.batch.observe() if observe else None
        self.masks = self.batch.legal_mask() if observe else None

    def play(self, steps: int) -> None:
        """That many steps of all rows."""
        batch = self.batch
        for step in range(steps):
            if self.vectors is not None:
                batch.observe(self.vectors)
                batch.legal_mask(self.masks)
            batch.legal_bits(self.bits)
            choose_at_random(self.bits, step, self.actions)
            batch.step(self.actions, check=False, out=self.out)
            if self.out[2].any():
                batch.reset(mask=self.out[2])


def batch_steps(games: int, observe: bool, threads: int = 1, steps: int | None = None) -> Work:
    """``Batch.step`` with random choice; with ``observe`` also observations and masks. Threads
    share the games out."""
    count = steps or (40 if observe else 320)
    parts = [Rows(max(1, games // threads), observe) for _ in range(threads)]
    if threads == 1:

        def work() -> int:
            parts[0].play(count)
            return count * games

        return work
    pool = ThreadPoolExecutor(threads)

    def shared() -> int:
        list(pool.map(lambda part: part.play(count), parts))
        return count * sum(len(part.batch) for part in parts)

    return shared


def observing(games: int = 4096) -> Work:
    """``Batch.observe`` alone, in the middle of a deal."""
    rows = Rows(games, True)
    rows.play(22)

    def work() -> int:
        for _ in range(40):
            rows.batch.observe(rows.vectors)
        return 40 * games

    return work


def copying(games: int = 4096) -> Work:
    """A plain copy of as many bytes as ``observe`` writes."""
    vectors = Batch(games, seed=1).observe()
    other = np.empty_like(vectors)

    def work() -> int:
        for _ in range(40):
            np.copyto(other, vectors)
        return 40 * games

    return work


def vector_env(rows: int = 1024, opponents: str = "heuristic", sync: bool = False) -> Work:
    """``gymnasium.make_vec``, the learner's first legal action; with ``sync`` single environments
    in Gymnasium's own vector form."""
    if sync:
        envs: Any = SyncVectorEnv([partial(gymnasium.make, ID, opponents=opponents)] * rows)
    else:
        envs = gymnasium.make_vec(ID, num_envs=rows, opponents=opponents)
    observations, _ = envs.reset(seed=1)
    masks = [observations["action_mask"]]
    steps = 10

    def work() -> int:
        for _ in range(steps):
            observations, *_ = envs.step(masks[0].argmax(axis=1))
            masks[0] = observations["action_mask"]
        return steps * rows

    return work


def aec_loop() -> Work:
    """The PettingZoo loop with actions sampled by the mask; live steps."""
    env = differenzler_v0.env(rules=Rules(deals=1))
    env.reset(seed=1)

    def work() -> int:
        return sum(sampled_game(env) for _ in range(50))

    return work


def python_game() -> Work:
    """``Game.legal_actions`` and ``Game.play`` from Python."""
    game, numbers = Game(seed=1), np.random.default_rng(0).random(20_000).tolist()

    def work() -> int:
        for number in numbers:
            if game.is_over:
                game.reset()
            actions = game.legal_actions()
            game.play(actions[int(number * len(actions))])
        return len(numbers)

    return work


def policy_decisions() -> Work:
    """The shipped policy at a table of its copies, asked for one decision at a time from Python:
    view, network and play."""
    game, rng = Game(seed=1), np.random.default_rng(0)
    agent = load(str(ROOT / "models" / "swisslos.safetensors"), game.rules)

    def work() -> int:
        for _ in range(2_000):
            if game.is_over:
                game.reset()
            game.play(agent.act(game.view(game.current_seat), rng))
        return 2_000

    return work


def worlds() -> Work:
    """``PlayerView.sample`` from the middle of a deal."""
    game, rng = Game(seed=3), np.random.default_rng(0)
    while len(game.tricks) < 4:
        game.play(int(rng.choice(game.legal_actions())))
    view = game.view(0)

    def work() -> int:
        view.sample(50_000, rng)
        return 50_000

    return work


@jit
def _play_all_out(books: Array, starts: Array, states: Array, rules: Array, prices: Array) -> None:
    for row in range(len(states)):
        states[row] = starts[row]
        play_out(books[0], states[row], rules[0], prices)


def heuristic_playouts(games: int = 4096) -> Work:
    """Deals played to their end by ``heuristic`` from after their fourth trick."""
    rows = Rows(games, False)
    rows.play(3 + 16)
    starts, states = rows.batch.state_records, rows.batch.state_records.copy()
    prices, book = np.zeros(36, np.float32), book_for(rows.batch.rules)

    def work() -> int:
        _play_all_out(book, starts, states, rows.batch.rules.record, prices)
        return games

    return work


IMPORT = "import differenzler_env"
FIRST_STEP = (
    "import numpy as np, differenzler_env as d; b = d.Batch(16, seed=1); b.observe(); "
    "b.step(b.legal_mask().argmax(axis=1)); "
    "e = d.differenzler_v0.env(); e.reset(seed=1); e.step(39)"
)


def seconds_of(code: str, fresh: bool) -> float:
    """Wall time of an interpreter that runs some code, with an empty compile cache or as it is."""
    with tempfile.TemporaryDirectory() as folder:
        variables = os.environ | ({"NUMBA_CACHE_DIR": folder} if fresh else {})
        started = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], env=variables, check=True)
        return time.perf_counter() - started
