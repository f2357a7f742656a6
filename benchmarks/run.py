"""Benchmarks: how fast the package is on this machine, beside its peers, measured in one run.

    python benchmarks/run.py                    # what ``make bench`` and ``differenzler bench`` run
    python benchmarks/run.py --peers PYTHON     # the interpreter that has the peers
    python benchmarks/run.py --only playout aec # some rows; nothing is written

Prints a table; writes ``results.json``, the README's table and ``docs/performance-batch.png``. Five
minutes on an idle machine of two cores.
"""

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

# Run from a checkout: beside the other modules here.
sys.path.insert(0, str(Path(__file__).resolve().parent))

import report
import work
from rich.console import Console

from differenzler_env.files import replacing

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results.json"
REPEATS = 5
SIZES = (1, 4, 16, 64, 256, 1024, 4096, 16384, 65536)
DEALS = 50_000

OWN: dict[str, Callable[[], work.Work]] = {
    "playout": work.playouts,
    "playout_plain": lambda: work.playouts(work.plain_playouts),
    "batch": lambda: work.batch_steps(4096, False),
    "batch_observe": lambda: work.batch_steps(4096, True),
    "observe": work.observing,
    "copy": work.copying,
    "vector": work.vector_env,
    "vector_sync": lambda: work.vector_env(rows=32, sync=True),
    "aec": work.aec_loop,
    "game": work.python_game,
    "policy": work.policy_decisions,
    "worlds": work.worlds,
    "heuristic": work.heuristic_playouts,
}
"""Rates, in units of work a second on one thread."""


def rate(
    do: work.Work, repeats: int = REPEATS, clock: Callable[[], float] = time.process_time
) -> float:
    """Median of repeats after a warm-up, in units of work a second: of the processor's time, which
    a busy machine falsifies less, or by another clock."""
    do()
    rates = []
    for _ in range(repeats):
        started = clock()
        count = do()
        rates.append(count / (clock() - started))
    return statistics.median(rates)


def cpp() -> dict[str, Any]:
    """The C++ yardstick, built here, where there is a compiler; its checksum must be ours."""
    compiler = shutil.which("g++")
    if compiler is None:
        return dict.fromkeys(("cpp", "cpp_plain"), "no g++")
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "playout"
        source = ROOT / "benchmarks" / "playout.cpp"
        flags = ["-O3", "-march=native", "-std=c++20"]
        subprocess.run([compiler, *flags, "-o", program, source], check=True)
        ours = work.checked_playouts(DEALS)
        rates: dict[str, list[float]] = {"general": [], "plain": []}
        for _ in range(REPEATS):
            said = subprocess.run([program, str(DEALS)], capture_output=True, text=True, check=True)
            for line in said.stdout.splitlines()[1:]:
                name, plays, checksum, seconds = line.split()
                if (int(plays), int(checksum)) != ours:
                    raise RuntimeError(f"{source} plays another game: {line}")
                rates[name].append(int(plays) / float(seconds))
    return {
        "cpp": statistics.median(rates["general"]),
        "cpp_plain": statistics.median(rates["plain"]),
    }


def spoken(command: list[str]) -> dict[str, Any]:
    """The JSON line that a program ends with."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    if done.returncode or not lines:
        why = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        return {"error": f"{Path(command[1]).name}: {why}"}
    found: dict[str, Any] = json.loads(lines[-1])
    return found


def scaling() -> dict[str, list[list[float]]]:
    """Decisions a second by the number of games: [games, rate] by kind and threads."""
    kinds = {"step": False, "observe": True}
    curves: dict[str, list[list[float]]] = {}
    for name, observe in kinds.items():
        for threads in (1, 2):
            points = []
            for games in SIZES:
                if games < threads:
                    continue
                steps = max(40, min(2000, 2_000_000 // games)) // (4 if observe else 1)
                do = work.batch_steps(games, observe, threads, max(steps, 10))
                points.append([games, rate(do, 3, time.perf_counter)])
            curves[f"{name}, {threads} thread{'s' * (threads > 1)}"] = points
    return curves


def start_up() -> dict[str, float]:
    """Seconds from starting Python: an import, a first step with warm caches, the first ever."""
    first = work.seconds_of(work.FIRST_STEP, fresh=True)
    work.seconds_of(work.FIRST_STEP, fresh=False)
    return {
        "import": min(work.seconds_of(work.IMPORT, fresh=False) for _ in range(3)),
        "warm_step": min(work.seconds_of(work.FIRST_STEP, fresh=False) for _ in range(2)),
        "first_step": first,
    }


def processor() -> str:
    """The processor's name, as far as the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def status(console: Console, what: str) -> AbstractContextManager[Any]:
    """What is being measured: a spinner on a terminal, else a line."""
    if console.is_terminal:
        return console.status(f"{what} …")
    console.print(f"{what} …")
    return nullcontext()


def peers_python(given: str | None) -> str:
    """The interpreter that has the peers: the one given, that of ``make bench-peers``, or this."""
    usual = ROOT / ".venv-peers" / "bin" / "python"
    return given or (str(usual) if usual.exists() else sys.executable)


def main(arguments: list[str] | None = None) -> int:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--peers", help="the Python that has the peers installed")
    parser.add_argument("--only", nargs="+", choices=list(OWN), help="some rows, nothing written")
    options = parser.parse_args(arguments)
    console = Console(highlight=False)
    title = f"{processor()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    found: dict[str, Any] = {}
    for name in options.only or OWN:
        with status(console, name):
            found[name] = rate(OWN[name]())
        if options.only:
            console.print(f"{name}: {found[name]:,.0f} a second")
    if options.only:
        return 0
    for what, measure in (
        ("C++", cpp),
        ("peers", lambda: spoken([peers_python(options.peers), str(report.PEERS)])),
        ("PPO", lambda: spoken([sys.executable, str(report.LEARNING)])),
        ("starting", start_up),
    ):
        with status(console, what):
            found |= measure()
    with status(console, "numbers of games"):
        curves = scaling()
    console.print(report.screen(found, title))
    document = {
        "processor": processor(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "results": found,
        "scaling": curves,
    }
    with replacing(RESULTS) as temporary:
        temporary.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    report.write_readme(found, title)
    report.draw(curves, title)
    return 0


if __name__ == "__main__":
    sys.exit(main())
