"""The compile cache cannot mislead or get in the way, and threads and processes change nothing."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from differenzler_env import Batch
from differenzler_env.engine.jit import COMPILED, jit, lowest_bit, nth_bit, popcount
from differenzler_env.engine.state import STATE

ROOT = Path(__file__).parents[1]
PACKAGE = "differenzler_env"
PUUR_POINTS = (
    "from differenzler_env.cards import PUUR; from differenzler_env.engine.kernels import "
    "set_points; print(set_points(1 << PUUR[1], 1))"
)
needs_compiler = pytest.mark.skipif(not COMPILED, reason="there is no cache without the compiler")


@pytest.fixture
def install(tmp_path: Path) -> Path:
    """A copy of the package alone, with nothing compiled yet."""
    leave = shutil.ignore_patterns("__pycache__", "models")
    shutil.copytree(ROOT / PACKAGE, tmp_path / "site" / PACKAGE, ignore=leave)
    return tmp_path / "site"


def start(install: Path, code: str, **variables: str) -> subprocess.Popen[str]:
    """An interpreter that runs some code with that copy; the cache is beside its sources."""
    kept = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    return subprocess.Popen(
        [sys.executable, "-B", "-c", code],
        env=kept | {"PYTHONPATH": str(install)} | variables,
        cwd=install,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def said(process: subprocess.Popen[str]) -> str:
    """What an interpreter printed; it must not have failed."""
    out, error = process.communicate(timeout=300)
    assert process.returncode == 0, error
    return out.strip()


def cached(install: Path) -> list[Path]:
    return [path for path in install.rglob("*") if path.suffix in (".nbi", ".nbc")]


@needs_compiler
@pytest.mark.slow
def test_an_edited_constant_never_meets_a_stale_cache(install: Path) -> None:
    """The points stand in cards.py, the kernel in engine/kernels.py."""
    assert said(start(install, PUUR_POINTS)) == "20"
    first = cached(install)
    assert first
    cards = install / PACKAGE / "cards.py"
    text = cards.read_text(encoding="utf-8")
    assert text.count('"J": 20') == 1
    cards.write_text(text.replace('"J": 20', '"J": 21'), encoding="utf-8")
    assert said(start(install, PUUR_POINTS)) == "21"
    cards.write_text(text, encoding="utf-8")
    assert said(start(install, PUUR_POINTS)) == "20"
    # Nothing is left of the other points, and no pile grows with each edit.
    assert sorted(cached(install)) == sorted(first)


@needs_compiler
@pytest.mark.slow
def test_a_kernel_elsewhere_goes_stale_with_the_agents_it_calls(install: Path) -> None:
    """A script's own kernels may call those of agents, and take in their constants."""
    (install / "script.py").write_text(
        "from differenzler_env.agents.baselines import thumb_bid\n"
        "from differenzler_env.cards import hand_bits\n"
        "from differenzler_env.engine.jit import jit\n\n\n"
        "@jit\n"
        "def bid(hand, trump):\n"
        "    return thumb_bid(hand, trump, 157)\n\n\n"
        "print(bid(hand_bits(['DA', 'SA']), 1))\n",
        encoding="utf-8",
    )
    assert said(start(install, "import script")) == "33"
    baselines = install / PACKAGE / "agents" / "baselines.py"
    text = baselines.read_text(encoding="utf-8")
    assert text.count("side_aces = popcount(") == 1
    changed = text.replace("side_aces = popcount(", "side_aces = 2 * popcount(")
    baselines.write_text(changed, encoding="utf-8")
    assert said(start(install, "import script")) == "44"


@needs_compiler
@pytest.mark.slow
def test_a_damaged_cache_counts_as_absent(install: Path) -> None:
    assert said(start(install, PUUR_POINTS)) == "20"
    for path in cached(install):
        path.write_bytes(b"")
    assert said(start(install, PUUR_POINTS)) == "20"
    for path in cached(install):
        if path.suffix == ".nbc":
            path.write_bytes(path.read_bytes()[:100])
    assert said(start(install, PUUR_POINTS)) == "20"


@needs_compiler
@pytest.mark.slow
def test_where_no_cache_can_be_written_it_works_without(install: Path) -> None:
    """As in a read-only installation of a user without a home: files bar the folders."""
    for folder in (PACKAGE, f"{PACKAGE}/engine"):
        (install / folder / "__pycache__").write_text("in the way")
    barred = str(install / PACKAGE / "__pycache__" / "cache")
    nowhere = {"HOME": barred, "XDG_CACHE_HOME": barred, "NUMBA_CACHE_DIR": barred}
    assert said(start(install, PUUR_POINTS, **nowhere)) == "20"
    assert not cached(install)


@needs_compiler
@pytest.mark.slow
def test_eight_processes_may_start_at_once_on_an_empty_cache(install: Path) -> None:
    processes = [start(install, PUUR_POINTS) for _ in range(8)]
    assert [said(process) for process in processes] == ["20"] * 8
    assert said(start(install, PUUR_POINTS)) == "20"


@needs_compiler
@pytest.mark.long
def test_eight_processes_may_step_at_once_on_an_empty_cache(install: Path) -> None:
    code = (
        "import differenzler_env as d; b = d.Batch(4, seed=1); b.observe(); "
        "b.step(b.legal_mask().argmax(axis=1)); print(b.current_seat.tolist())"
    )
    processes = [start(install, code) for _ in range(8)]
    assert len({said(process) for process in processes}) == 1


# Threads and processes --------------------------------------------------------------------


def play(first_row: int, rows: int, steps: int = 90) -> bytes:
    """Rows of a batch, each step's lowest card; all that came of it."""
    batch, seen = Batch(rows, seed=5, first_row=first_row), []
    for _ in range(steps):
        bits = batch.legal_bits()
        cards = [158 + (int(hand) & -int(hand)).bit_length() - 1 if hand else 30 for hand in bits]
        rewards, *_ = batch.step(np.array(cards))
        seen.append(rewards.tobytes())
    return batch.state_records.tobytes() + batch.observe().tobytes() + b"".join(seen)


def parts(share: int) -> list[tuple[int, int]]:
    return [(first, share) for first in range(0, 16, share)]


def test_eight_threads_play_what_one_thread_plays() -> None:
    alone = [play(*part) for part in parts(2)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda part: play(*part), parts(2))) == alone
    states = b"".join(found[: 2 * STATE.itemsize] for found in alone)
    assert play(0, 16)[: 16 * STATE.itemsize] == states


@pytest.mark.slow
@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
def test_processes_may_start_after_threads_have_played(method: str) -> None:
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {method} here")
    with ThreadPoolExecutor(2) as threads:
        alone = list(threads.map(lambda part: play(*part), parts(8)))
        with multiprocessing.get_context(method).Pool(2) as pool:
            assert pool.starmap_async(play, parts(8)).get(timeout=300) == alone


# Bits -------------------------------------------------------------------------------------


@jit
def counted_and_found(value: int, numbers: np.ndarray) -> int:
    for number in range(popcount(value)):
        numbers[number] = nth_bit(value, number)
    return lowest_bit(value)


def test_bits_are_counted_and_found() -> None:
    rng = np.random.default_rng(1)
    for value in [1, 1 << 35, (1 << 36) - 1, *rng.integers(1, 1 << 36, 200).tolist()]:
        places = [at for at in range(36) if value >> at & 1]
        numbers = np.full(36, -1)
        assert counted_and_found(value, numbers) == places[0]
        assert numbers.tolist() == places + [-1] * (36 - len(places))


def test_a_game_is_at_most_256_bytes_and_each_of_them_means_something() -> None:
    assert STATE.itemsize <= 256
    assert sum(STATE[name].itemsize for name in STATE.names) == STATE.itemsize
