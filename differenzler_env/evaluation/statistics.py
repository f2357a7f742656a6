"""Evaluation: the statistics, in one place. NumPy only; no randomness but that of a given seed."""

import math
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

    def __format__(self, form: str) -> str:
        """Mean and half width, each in a form of Python's for numbers: ``f"{estimate:+.1f}"`` is
        ``"+8.8 ± 0.4"``. The mean alone where there is no interval."""
        if not form:
            return str(self)
        half = "" if self.ci95 is None else f" ± {self.half_width:{form.lstrip('+')}}"
        return f"{self.mean:{form}}{half}"

    def __str__(self) -> str:
        if self.ci95 is not None:
            low, high = self.ci95
            if abs(low + high - 2 * self.mean) >= 0.01:
                return f"{self.mean:.2f} ({low:.2f} … {high:.2f})"
        return f"{self:.2f}"

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


def share_estimate(values: npt.ArrayLike) -> Estimate:
    """Mean and interval of independent values from 0 to 1, such as shares of a win.

    Wilson's score interval with the effective sample size n* = p (1 − p) / SE², where SE is the
    standard error of the mean of the values (Korn and Graubard 1998; Franco, Little, Louis and Slud
    2019). It stays within 0 and 1. Values that are all equal show no error to divide by: there n*
    is n, so that no win in twenty matches is not taken for certainty.

    Args:
        values: float ``[n]``, such as the mean share of each match over its seatings.
    """
    values = np.asarray(values, np.float64)
    count = len(values)
    if count < 2:
        return normal_estimate(values)  # without an interval
    share = min(float(values.mean()), 1.0)
    size = float(count)
    if np.ptp(values) > 1e-9:  # more than rounding
        size = share * (1 - share) * count / float(values.var(ddof=1))
    ends = (_wilson_low(share, size), 1 - _wilson_low(1 - share, size))
    return Estimate(share, ends, count)


def _wilson_low(share: float, size: float) -> float:
    """The lower root θ of (share − θ)² = z² θ (1 − θ) / size, written to be exact at 0."""
    spread = Z95**2 / size
    middle = share + spread / 2
    return share**2 / (middle + math.sqrt(spread * (share * (1 - share) + spread / 4)))


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


ELO = 400 / np.log(10)
"""Rating points for each factor e of the odds: 400 points are odds of ten to one."""


def rating_estimates(wins: npt.ArrayLike, resamples: int = 400, seed: int = 0) -> list[Estimate]:
    """Ratings by the Bradley–Terry model on the Elo scale, with bootstrap intervals over matches.

    Agent i comes out ahead of agent j with odds 10^((rᵢ − rⱼ)/400). Each pair is given half a win
    each way on top, so that an agent that never lost has a finite rating. The mean rating is 0.

    Args:
        wins: float ``[M, N, N]``: how often i came out ahead of j in each match, ties half.
        resamples: bootstrap samples of M matches.
        seed: of the draws.
    """
    wins = np.asarray(wins, np.float64)
    count = len(wins)
    ratings = _bradley_terry(wins.sum(axis=0)[None])[0]
    if count < 2:
        return [Estimate(float(rating), None, count) for rating in ratings]
    rng = np.random.Generator(np.random.Philox(key=seed))
    weights = rng.multinomial(count, np.full(count, 1 / count), size=resamples)
    drawn = _bradley_terry(np.einsum("rm,mij->rij", weights, wins))
    low, high = np.quantile(drawn, (0.025, 0.975), axis=0)
    return [
        Estimate(float(rating), (float(low[agent]), float(high[agent])), count)
        for agent, rating in enumerate(ratings)
    ]


def _bradley_terry(wins: Floats) -> Floats:
    """Ratings ``[R, N]`` for sums of wins ``[R, N, N]``, by Hunter's MM iteration."""
    agents = wins.shape[-1]
    pairs = 1.0 - np.eye(agents)
    wins = wins + 0.5 * pairs
    won, met = wins.sum(axis=-1), wins + wins.swapaxes(-1, -2)
    strength = np.ones(won.shape)
    for _ in range(5000):
        both = strength[..., :, None] + strength[..., None, :]
        better = won / (met * pairs / both).sum(axis=-1)
        better /= np.exp(np.log(better).mean(axis=-1, keepdims=True))
        moved = np.abs(np.log(better / strength)).max()
        strength = better
        if moved < 1e-9:
            break
    ratings: Floats = ELO * np.log(strength)
    return ratings


def ratio_estimate(sums: npt.ArrayLike, counts: npt.ArrayLike) -> Estimate:
    """A mean over things that come in independent groups of different sizes, such as the bids of
    one size among all deals: Σ sums / Σ counts, its interval over groups by linearisation.

    Args:
        sums: float ``[n]``: sum of each group.
        counts: int ``[n]``: size of each group; 0 is allowed.
    """
    sums, counts = np.asarray(sums, np.float64), np.asarray(counts, np.float64)
    groups, size = int((counts > 0).sum()), float(counts.sum())
    if groups == 0:
        return Estimate(float("nan"), None, 0)
    mean = float(sums.sum() / size)
    if groups == 1:
        return Estimate(mean, None, 1)
    left = sums - mean * counts
    half = Z95 * float(np.sqrt((left**2).sum() * groups / (groups - 1))) / size
    return Estimate(mean, (mean - half, mean + half), groups)
