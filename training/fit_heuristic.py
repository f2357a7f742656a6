"""Training: fit the numbers of ``heuristic`` to play of its own, and write them into the package.

    python training/fit_heuristic.py

Round after round four of it play some ten thousand deals in which one seat's bid is off by chance.
From them come the chance that a card holds the trick and the points that others add, by counting,
and the expected penalty by its can, must and doubt, by least squares on the penalties really paid.
The next round plays by what was found. Tables of three, four and five are fitted
apart. A few minutes on one core.
"""

import argparse
import sys
import time
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

# Run as a script, this folder is on the path and not the checkout above it.
sys.path.insert(0, str(Path(__file__).parents[1]))

from differenzler_env.agents.playing_rules import (
    BOOK,
    CALM,
    CALM_WIDTH,
    CUT,
    MOST,
    MOST_HIGHER,
    TRUMP_LED,
    WIDTH,
)
from differenzler_env.engine.jit import Array
from differenzler_env.engine.state import STATE
from differenzler_env.rules import Rules
from training.heuristic_samples import SAMPLE, play_deals, slopes_of_error

Floats = npt.NDArray[np.float64]
SPREAD = 10.0
"""Standard deviation of the error in one seat's bid, in points."""
TARGET = Path(__file__).parents[1] / "differenzler_env" / "agents" / "heuristic_numbers.py"


class Numbers:
    """The numbers of one table size while they are fitted.

    Attributes:
        fitted: float64 arrays "held", "points" and "stage", as in ``BOOK``.
        stand: ``[6, 6, 4]``: chance that one seat still to play lets the best card stand.
        smear: as in ``BOOK``.
    """

    STEP: ClassVar[dict[str, Any]] = {
        "held": 1.0,
        "points": 0.1,
        "stage": np.array([1, 1, 1, 1, 1, 0.02]),
    }
    """Size of a step in each number, as they differ in scale."""

    def __init__(self, tricks: int) -> None:
        held = np.zeros((4, MOST + 1, MOST + 1, 2, 2, 3))
        points = np.zeros((4, MOST + 1, 3))
        stage = np.zeros((tricks + 1, 2, 6))
        # A rough start: sure cards bring a trick, unsure ones less.
        held[:3, ..., 0] += np.array([13, 7, 2, 0])[:, None, None, None]
        held[:3, :2, ..., 1] += np.array([8, 3, 1, 0.5])[:, None, None]
        held[3, ..., 0] += np.array([16, 10, 6, 4])[:, None, None, None]
        held[3, ..., 1] += np.array([12, 6, 3, 1])[:, None, None, None]
        points[:, :, :2] = 0.5
        stage[..., WIDTH], stage[..., CALM], stage[..., CALM_WIDTH] = 12, 2, 0.2
        self.fitted = {"held": held, "points": points, "stage": stage}
        self.stand = np.ones((6, MOST_HIGHER + 1, 4)) * 0.75 ** np.arange(6)[:, None]
        self.smear = 1.0

    def book(self) -> Array:
        """As a BOOK record ``[1]``."""
        book = np.zeros(1, BOOK)
        book["held"], book["points"] = self.fitted["held"], self.fitted["points"]
        book["stage"][0, : len(self.fitted["stage"])] = self.fitted["stage"]
        book["holds"] = np.stack([self.stand**behind for behind in range(5)])
        book["smear"] = self.smear
        return book

    def count(self, holds: Floats, smear: Floats) -> None:
        """Chances from counts ``[players, 6, 6, 4, (cases, held)]``: the most likely ones, drawn a
        little towards those of all pairs together."""
        chance = np.linspace(0.0025, 0.9975, 400)
        powers = chance ** np.arange(len(holds))[:, None]

        def most_likely(counts: Floats, drawn_to: float) -> float:
            cases, held = counts[1:, 0, None], counts[1:, 1, None]
            fit = (held * np.log(powers[1:]) + (cases - held) * np.log(1 - powers[1:])).sum(0)
            fit += 10 * (drawn_to * np.log(chance) + (1 - drawn_to) * np.log(1 - chance))
            return float(chance[fit.argmax()])

        for kind in range(6):
            for higher in range(MOST_HIGHER + 1):
                pooled = most_likely(holds[:, kind, higher].sum(1), 0.5)
                for pairs in range(4):
                    counts = holds[:, kind, higher, pairs if kind < TRUMP_LED else 0]
                    self.stand[kind, higher, pairs] = most_likely(counts, pooled)
        # What no card beats holds.
        self.stand[[0, TRUMP_LED, CUT], 0] = 1
        self.smear = smear[0] / smear[1]

    def descend(self, samples: Array, steps: int, rate: float, seed: int) -> float:
        """Adam on random subsets of the samples. Returns the mean squared error."""
        rng = np.random.Generator(np.random.Philox(key=seed))
        mean = {name: np.zeros_like(value) for name, value in self.fitted.items()}
        square = {name: np.zeros_like(value) for name, value in self.fitted.items()}
        error = 0.0
        for step in range(steps):
            slopes = {name: np.zeros_like(value) for name, value in self.fitted.items()}
            rows = rng.integers(0, len(samples), 8192)
            error += slopes_of_error(samples, rows, *self.fitted.values(), *slopes.values())
            pace = rate * min(1.0, 10 * step / steps) * (1 - step / steps) + 1e-4
            for name, value in self.fitted.items():
                slope = slopes[name] * self.STEP[name]
                if name != "stage":
                    slope += 1e-5 * value / self.STEP[name]  # unseen cases stay near 0
                mean[name] = 0.9 * mean[name] + 0.1 * slope
                square[name] = 0.99 * square[name] + 0.01 * slope**2
                scale = np.sqrt(square[name] / (1 - 0.99 ** (step + 1))) + 1e-7
                value -= pace * self.STEP[name] * mean[name] / (1 - 0.9 ** (step + 1)) / scale
            stage = self.fitted["stage"]
            stage[..., WIDTH] = np.maximum(stage[..., WIDTH], 1)
            stage[..., CALM_WIDTH] = np.clip(stage[..., CALM_WIDTH], 1 / 12, 1)
        return error / steps


def play(
    book: Array, rules: Rules, deals: int, seed: int, spread: float
) -> tuple[Array, Floats, Floats, float]:
    """Samples, counts for :meth:`Numbers.count` and mean penalty of some deals."""
    states = np.zeros(deals, STATE)
    states["seed"][:, 0], states["row"] = seed, np.arange(deals)
    samples = np.zeros(deals * rules.players * rules.tricks, SAMPLE)
    holds, smear = np.zeros((rules.players, 6, MOST_HIGHER + 1, 4, 2)), np.zeros(2)
    rng = np.random.Generator(np.random.Philox(key=seed))
    errors = np.rint(rng.normal(size=deals) * spread).astype(np.int64)
    play_deals(states, rules.record, book, errors, samples, holds, smear)
    penalty = float(states["settled_penalties"][:, : rules.players].mean())
    return samples, holds, smear, penalty


def fit(players: int, rounds: int, deals: int) -> Numbers:
    """The numbers of one table size."""
    rules = Rules(players=players, deals=1)
    numbers = Numbers(rules.tricks)
    kept: list[tuple[Array, Floats, Floats]] = []
    for number in range(rounds):
        begun = time.perf_counter()
        kept.append(play(numbers.book(), rules, deals, 100 + number, SPREAD)[:3])
        # At first each round replaces the last, then some are kept so that play settles down.
        kept = kept[-1:] if number < 5 else kept[-4:]
        numbers.count(
            np.sum([part[1] for part in kept], axis=0), np.sum([part[2] for part in kept], axis=0)
        )
        samples = np.concatenate([part[0] for part in kept])
        rate = 0.3 if number < 4 else 0.3 * (1 - number / rounds) + 0.03
        before = {name: value.copy() for name, value in numbers.fitted.items()}
        error = numbers.descend(samples, 250 if number else 500, rate, number)
        if number >= 5:
            # Everybody changing at once swings back and forth: go half the way.
            for name, value in numbers.fitted.items():
                value[:] = (value + before[name]) / 2
        penalty = play(numbers.book(), rules, 10_000, 99, 0.0)[3]
        print(
            f"{players} players, round {number}: squared error {error:.1f}, "
            f"penalty {penalty:.2f}, {time.perf_counter() - begun:.0f} s",
            flush=True,
        )
    return numbers


# Writing ------------------------------------------------------------------------------------

HEAD = '''"""Agents: the measured numbers of ``heuristic``, by size of table.

Made by ``{command}``; what they mean
stands at ``BOOK`` in :mod:`.playing_rules`. "held" has a line for each kind of suit and number of
unseen higher and lower cards, with can, must and doubt for: no other card of the suit held, only
higher, only lower, both. "points" has a line for each kind of suit, "stage" two for each number of
tricks left: when following and when leading. "stand" is the chance that one seat still to play lets
the best card stand, in per cent, two lines for each kind.
"""

from typing import Any

NUMBERS: dict[int, dict[str, Any]] = {{
'''


def nested(array: Floats, digits: int, flat_axes: int, depth: int) -> str:
    """An array as nested lists; the last ``flat_axes`` axes stand on one line."""
    pad = " " * depth
    if array.ndim <= flat_axes:
        return pad + repr((np.round(array, digits) + 0.0).tolist())
    inside = ",\n".join(nested(part, digits, flat_axes, depth + 4) for part in array)
    return f"{pad}[\n{inside},\n{pad}]"


def source(fitted: dict[int, Numbers], command: str) -> str:
    """The module that holds the numbers."""
    text = HEAD.format(command=command)
    for players, numbers in fitted.items():
        held = numbers.fitted["held"]
        tables = {
            "held": nested(held.reshape(-1, 12), 1, 1, 8),
            "points": nested(numbers.fitted["points"].reshape(4, -1), 2, 1, 8),
            "stage": nested(numbers.fitted["stage"].reshape(-1, 6), 2, 1, 8),
            "stand": nested(np.rint(100 * numbers.stand).astype(int).reshape(-1, 12), 0, 1, 8),
        }
        text += f"    {players}: {{\n"
        for name, table in tables.items():
            text += f'        "{name}": {table.lstrip()},\n'
        text += f'        "smear": {numbers.smear:.2f},\n    }},\n'
    return text + "}\n"


def main() -> None:
    """Fit and write."""
    parser = argparse.ArgumentParser(description="Fit the numbers of the heuristic agent.")
    parser.add_argument("--rounds", type=int, default=20, help="rounds of play and fit")
    parser.add_argument("--deals", type=int, default=60_000, help="deals a round")
    parser.add_argument("--out", type=Path, default=TARGET, help="module to write")
    given = parser.parse_args()
    fitted = {players: fit(players, given.rounds, given.deals) for players in (3, 4, 5)}
    command = f"python training/fit_heuristic.py --rounds {given.rounds} --deals {given.deals}"
    given.out.write_text(source(fitted, command))


if __name__ == "__main__":
    main()
