"""Evaluation: the statistics, in one place. NumPy only; no randomness but that of a given seed."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Z95 = 1.959963984540054
"""Half width of a 95 % interval of the normal distribution, in standard deviations."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """A mean with its 95 % interval.

    Attributes:
        mean: the mean; NaN without values.
        ci95: low and high end; None with fewer than two values.
        count: number of independent values (deals, or matches).
    """

    mean: float
    ci95: tuple[float, float] | None
    count: int

    @property
    def half_width(self) -> float:
        """Half the interval's width; infinite where there is none."""
        return float("inf") if self.ci95 is None else (self.ci95[1] - self.ci95[0]) / 2

    def to_json(self) -> dict[str, Any]:
        """``{"mean": …, "ci95": [low, high]}``; null in place of what is not known."""
        known = self.count > 0
        return {
            "mean": self.mean if known else None,
            "ci95": None if self.ci95 is None else list(self.ci95),
        }


def normal_estimate(values: npt.ArrayLike) -> Estimate:
    """Mean and interval of independent values by the normal formula, mean ± 1.96 s / √n.

    Args:
        values: float ``[n]``. Below about thirty values the interval is somewhat too narrow.
    """
    values = np.asarray(values, np.float64)
    count = len(values)
    if count == 0:
        return Estimate(float("nan"), None, 0)
    mean = float(values.mean())
    if count == 1:
        return Estimate(mean, None, 1)
    half = Z95 * float(values.std(ddof=1)) / count**0.5
    return Estimate(mean, (mean - half, mean + half), count)


def bootstrap_estimate(values: npt.ArrayLike, resamples: int = 2000, seed: int = 0) -> Estimate:
    """Mean and interval of independent values by the percentile bootstrap.

    Args:
        values: float ``[n]``.
        resamples: how many samples of n values are drawn with replacement.
        seed: of the draws; the same seed gives the same interval.
    """
    values = np.asarray(values, np.float64)
    count = len(values)
    if count < 2:
        return normal_estimate(values)
    rng = np.random.Generator(np.random.Philox(key=seed))
    means = np.empty(resamples)
    block = max(1, 2_000_000 // count)  # draws at a time, to bound memory
    for start in range(0, resamples, block):
        size = min(block, resamples - start)
        drawn = rng.integers(0, count, (size, count), dtype=np.int32)
        means[start : start + size] = values[drawn].mean(axis=1)
    low, high = np.quantile(means, (0.025, 0.975))
    return Estimate(float(values.mean()), (float(low), float(high)), count)


def win_shares(penalties: npt.ArrayLike) -> Floats:
    """Shares of the win, ties shared: 1/k to each of the k seats with the lowest sum, else 0.

    Args:
        penalties: sums of penalties of matches, ``[…, P]``.

    Returns:
        float64 ``[…, P]``; each match's shares sum to 1.
    """
    penalties = np.asarray(penalties)
    best = penalties == penalties.min(axis=-1, keepdims=True)
    shares: Floats = best / best.sum(axis=-1, keepdims=True)
    return shares


def bid_floor(bids: npt.ArrayLike, points: npt.ArrayLike) -> Floats:
    """The least mean penalty that the bids of a deal allow, |total points − Σ bids| / P.

    Args:
        bids: of all seats, ``[…, P]``.
        points: of all seats, ``[…, P]``; those of a deal sum to its total.

    Returns:
        float64 ``[…]``.
    """
    bids, points = np.asarray(bids, np.int64), np.asarray(points, np.int64)
    missed: Floats = np.abs(points.sum(axis=-1) - bids.sum(axis=-1)) / bids.shape[-1]
    return missed
