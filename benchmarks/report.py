"""Benchmarks: the rows of the table, on the screen and in the README, and the plot of the docs."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from rich.table import Table

from differenzler_env.files import replacing

ROOT = Path(__file__).resolve().parents[1]
PEERS = ROOT / "benchmarks" / "peers.py"
LEARNING = ROOT / "benchmarks" / "learning.py"
README = ROOT / "README.md"
PLOT = ROOT / "docs" / "performance-batch.png"
HEADS = ("work", "measured", "goal", "beside it")

# Run from a checkout: blocks of a page are made as those of the docs.
sys.path.insert(0, str(ROOT / "docs"))


class Row(NamedTuple):
    """One row: our figure, the goal, and the figures beside it (name → key of the results)."""

    what: str
    key: str
    unit: str
    goal: str
    beside: dict[str, str]


ROWS = (
    Row(
        "whole deals at random, one compiled loop",
        "playout",
        "card plays/s",
        "≥ 1.0 × C++",
        {
            "C++, the same rules": "cpp",
            "C++ that knows the plain game only": "cpp_plain",
            "these kernels, compiled for the plain game only": "playout_plain",
        },
    ),
    Row(
        "`Batch.step`, `legal_bits`, random choice; 4096 games",
        "batch",
        "decisions/s",
        "≥ 35 million",
        {"OpenSpiel oh_hell": "openspiel_oh_hell", "hearts": "openspiel_hearts"},
    ),
    Row(
        "the same with `observe` and `legal_mask`",
        "batch_observe",
        "decisions/s",
        "≥ 3 million",
        {
            "OpenSpiel oh_hell with tensors": "openspiel_oh_hell_tensors",
            "hearts with tensors": "openspiel_hearts_tensors",
        },
    ),
    Row("`observe` alone", "observe", "rows/s", "≥ 0.6 × a copy", {"a plain copy": "copy"}),
    Row(
        "`make_vec`, three `heuristic`, 1024 rows",
        "vector",
        "learner decisions/s",
        "≥ 500 thousand",
        {"SyncVectorEnv": "vector_sync", "Pgx connect_four, all cores": "pgx_connect_four"},
    ),
    Row(
        "AEC loop, actions sampled by the mask",
        "aec",
        "live steps/s",
        "≥ 20 thousand, ≥ 4 × texas_holdem",
        {
            "PettingZoo texas_holdem": "pettingzoo_texas_holdem",
            "connect_four": "pettingzoo_connect_four",
            "tictactoe": "pettingzoo_tictactoe",
        },
    ),
    Row(
        "`Game.legal_actions` and `play` from Python",
        "game",
        "decisions/s",
        "≥ 1.0 × OpenSpiel",
        {"OpenSpiel oh_hell": "openspiel_oh_hell"},
    ),
    Row(
        "`models/swisslos`, one decision at a time from Python",
        "policy",
        "decisions/s",
        "≥ 2 thousand",
        {},
    ),
    Row("`PlayerView.sample`, mid-game", "worlds", "worlds/s", "≥ 100 thousand", {}),
    Row("`heuristic` playouts from there", "heuristic", "deals/s", "≥ 200 thousand", {}),
    Row(
        "PPO, 256 wide, collected and learned from",
        "ppo",
        "decisions/s",
        "≥ 25 thousand",
        {"the same network on ready-made data": "ppo_ready_made"},
    ),
    Row("its share inside PyTorch's operators", "ppo_share", "", "≥ 80 %", {}),
    Row("import, warm caches", "import", "s", "≤ 1 s", {}),
    Row("first ever run to the first step", "first_step", "s", "≤ 20 s", {}),
)


def number(value: Any, unit: str) -> str:
    """A figure as people read it; a text, which says why there is none, as it is."""
    if not isinstance(value, (int, float)):
        return str(value or "not measured")
    if unit == "":
        return f"{value:.0%}"
    if unit == "s":
        return f"{value:.1f} s"
    for size, name in ((1e6, "million"), (1e3, "thousand")):
        if value >= size:
            return f"{value / size:.3g} {name}"
    return f"{value:.0f}"


def rows(found: dict[str, Any]) -> Iterator[tuple[str, str, str, str]]:
    """The cells of the table."""
    for row in ROWS:
        ours = found.get(row.key, found.get("error"))
        beside = []
        for name, key in row.beside.items():
            theirs = found.get(key, found.get("error"))
            text = f"{name}: {number(theirs, row.unit)}"
            if isinstance(ours, float) and isinstance(theirs, (int, float)):
                text += f" (× {ours / theirs:.3g})"
            beside.append(text)
        measured = f"{number(ours, row.unit)}{f' {row.unit}' if row.unit not in ('', 's') else ''}"
        yield row.what, measured, row.goal, "; ".join(beside) or "–"


def screen(found: dict[str, Any], title: str) -> Table:
    """The table for a terminal."""
    table = Table(*HEADS, title=f"{title}; one thread where not said otherwise")
    for cells in rows(found):
        table.add_row(*(cell.replace("`", "") for cell in cells))
    return table


def write_readme(found: dict[str, Any], title: str) -> None:
    """The README's table, made anew between its marks."""
    from generate import filled, table

    text = f"{title}; one thread where not said otherwise:\n\n{table(HEADS, rows(found))}"
    page = filled(README.read_text(encoding="utf-8"), "speed", "make bench", text)
    with replacing(README) as temporary:
        temporary.write_text(page, encoding="utf-8")


def draw(curves: dict[str, list[list[float]]], title: str) -> None:
    """Nanoseconds a decision by the number of games, as a picture; none without matplotlib."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        print("no matplotlib: no plot")
        return
    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.add_subplot()
    for name, points in curves.items():
        games = [point[0] for point in points]
        style = "-" if "1 thread" in name else "--"
        colour = "tab:blue" if name.startswith("step") else "tab:orange"
        axes.plot(
            games, [1e9 / point[1] for point in points], style, marker="o", color=colour, label=name
        )
    axes.set(
        xscale="log", yscale="log", xlabel="games in the batch", ylabel="nanoseconds a decision"
    )
    axes.set_title(title, fontsize=9)
    axes.grid(alpha=0.3, which="both")
    axes.legend()
    with replacing(PLOT) as temporary:
        figure.savefig(temporary, format="png", dpi=120)
