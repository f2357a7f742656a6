"""The statistics against textbook values, against each other, and against what they promise."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from differenzler_env.evaluation.statistics import (
    Estimate,
    bid_floor,
    bootstrap_estimate,
    normal_estimate,
    share_estimate,
    win_shares,
)


def test_the_normal_formula_by_hand():
    estimate = normal_estimate([2.0, 4.0, 4.0, 6.0])
    half = 1.959963984540054 * math.sqrt(8 / 3) / 2
    assert estimate.mean == 4.0
    assert estimate.ci95 == pytest.approx((4 - half, 4 + half))
    assert estimate.half_width == pytest.approx(half)
    assert estimate.count == 4


def test_the_normal_formula_against_scipy():
    values = np.random.default_rng(1).gamma(2.0, 4.0, 500)
    low, high = stats.norm.interval(0.95, values.mean(), stats.sem(values))
    assert normal_estimate(values).ci95 == pytest.approx((low, high))


def test_too_few_values_have_no_interval():
    nothing, one = normal_estimate([]), normal_estimate([3.0])
    assert (one.mean, one.ci95, one.count) == (3.0, None, 1)
    assert math.isnan(nothing.mean)
    assert nothing.to_json() == {"mean": None, "ci95": None}
    assert one.to_json() == {"mean": 3.0, "ci95": None}
    assert one.half_width == math.inf
    assert share_estimate([0.5]) == Estimate(0.5, None, 1)
    assert share_estimate([]).count == 0
    assert bootstrap_estimate([3.0]) == one
    assert Estimate(0.9, (0.7, 1.1), 5).to_json() == {"mean": 0.9, "ci95": [0.7, 1.1]}


# --- shares -----------------------------------------------------------------------------------


@pytest.mark.parametrize("won", [0, 1, 3, 20, 39, 40])
def test_wins_and_losses_have_wilsons_interval(won):
    """Its ends are where the score test just rejects. The variance is that of a sample, so n* is
    n − 1; n where all are alike."""
    estimate = share_estimate(np.arange(40) < won)
    assert (estimate.mean, estimate.count) == (won / 40, 40)
    size, z = 40 if won in (0, 40) else 39, stats.norm.ppf(0.975)
    for end in estimate.ci95:
        assert abs(won / 40 - end) == pytest.approx(z * math.sqrt(end * (1 - end) / size))


@pytest.mark.parametrize("won", [0, 40])
def test_no_win_and_no_loss_against_scipy(won):
    expected = stats.binomtest(won, 40).proportion_ci(method="wilson")
    assert share_estimate([won / 40] * 40).ci95 == pytest.approx((expected.low, expected.high))


def test_shares_stay_between_nothing_and_all():
    rng = np.random.default_rng(4)
    for chance in (0, 0.001, 0.5, 0.999, 1):
        values = rng.binomial(16, chance, 30) / 16
        estimate = share_estimate(values)
        low, high = estimate.ci95
        assert 0 <= low <= estimate.mean <= high <= 1
        assert high > low
        mirrored = share_estimate(1 - values).ci95
        assert mirrored == pytest.approx((1 - high, 1 - low))
    assert share_estimate([0.0] * 20).ci95 == pytest.approx((0, 0.1611), abs=1e-4)
    assert share_estimate([0.0] * 20).ci95[0] == 0
    assert share_estimate([1.0] * 20).ci95[1] == 1
    thirds = [1 / 3, 1 - 2 / 3, 0.1 + 0.7 / 3]  # equal but for rounding
    assert share_estimate(thirds).ci95 == pytest.approx(share_estimate([1 / 3] * 3).ci95)


def test_shares_of_the_middle_are_those_of_the_normal_formula():
    """Four games of a match, which tend to go alike."""
    rng = np.random.default_rng(6)
    values = rng.binomial(4, rng.beta(1.5, 1.0, 1000)) / 4
    normal, share = normal_estimate(values), share_estimate(values)
    assert share.mean == normal.mean
    assert share.ci95 == pytest.approx(normal.ci95, abs=3e-4)


@pytest.mark.parametrize("alike", [False, True])
@pytest.mark.parametrize("chance", [0.0011, 0.01, 0.05, 0.25, 0.5, 0.99])
@pytest.mark.parametrize("matches", [20, 50])
def test_intervals_of_shares_cover_the_truth(matches, chance, alike):
    """Four games a match, which may tend to go alike. The normal formula covers 0.11 % in 8 to 20
    of 100 samples."""
    rng = np.random.default_rng(8)
    chances = rng.beta(2 * chance, 2 * (1 - chance), (1000, matches)) if alike else chance
    samples = rng.binomial(4, chances, (1000, matches)) / 4
    ends = np.array([share_estimate(values).ci95 for values in samples])
    covered = ((ends[:, 0] <= chance) & (ends[:, 1] >= chance)).mean()
    assert 0.90 <= covered <= 0.99


# --- means ------------------------------------------------------------------------------------


@pytest.mark.parametrize("skewed", [False, True])
def test_bootstrap_and_normal_formula_agree(skewed):
    rng = np.random.default_rng(7)
    values = rng.gamma(1.0, 8.0, 1000) if skewed else rng.normal(14, 8, 1000)
    normal, bootstrap = normal_estimate(values), bootstrap_estimate(values)
    assert bootstrap.mean == normal.mean
    assert bootstrap.count == normal.count
    for mine, other in zip(bootstrap.ci95, normal.ci95, strict=True):
        assert mine == pytest.approx(other, abs=0.1 * normal.half_width)


def test_the_bootstrap_repeats_with_its_seed():
    values = np.random.default_rng(2).normal(size=100)
    assert bootstrap_estimate(values, seed=3) == bootstrap_estimate(values, seed=3)
    assert bootstrap_estimate(values, seed=3) != bootstrap_estimate(values, seed=4)


def test_intervals_cover_the_truth_in_95_of_100_samples():
    rng = np.random.default_rng(5)
    samples = rng.gamma(1.5, 6.0, (1000, 200))  # skewed like penalties; mean 9
    for estimate in (normal_estimate, lambda values: bootstrap_estimate(values, 400)):
        ends = np.array([estimate(values).ci95 for values in samples])
        covered = ((ends[:, 0] <= 9) & (ends[:, 1] >= 9)).mean()
        assert 0.92 <= covered <= 0.98


def test_ties_share_the_win():
    penalties = [[10, 20, 30, 40], [10, 10, 30, 40], [5, 5, 5, 5], [9, 8, 8, 8]]
    third = 1 / 3
    assert win_shares(penalties).tolist() == [
        [1, 0, 0, 0],
        [0.5, 0.5, 0, 0],
        [0.25] * 4,
        [0, third, third, third],
    ]
    many = np.random.default_rng(0).integers(0, 5, (200, 3, 4))
    assert win_shares(many).sum(axis=-1) == pytest.approx(np.ones((200, 3)))


def test_the_floor_is_what_the_bids_miss_the_deal_by():
    assert bid_floor([40, 25, 60, 30], [46, 25, 51, 35]).tolist() == 0.5
    bids = np.array([[157, 157, 157, 157], [0, 0, 0, 0]], np.int16)
    points = np.array([[157, 0, 0, 0], [57, 50, 50, 0]], np.int16)
    assert bid_floor(bids, points).tolist() == [471 / 4, 157 / 4]


@pytest.mark.parametrize(
    ("form", "text"), [("", "-1.25 ± 0.50"), (".1f", "-1.2 ± 0.5"), ("+.2f", "-1.25 ± 0.50")]
)
def test_an_estimate_is_told_in_any_form_with_half_its_interval(form, text):
    assert format(Estimate(-1.25, (-1.75, -0.75), 40), form) == text


def test_an_estimate_says_what_it_knows():
    assert f"{Estimate(3.0, (2.0, 4.0), 9):+.0f}" == "+3 ± 1"
    assert f"{Estimate(3.0, None, 1):+.1f}" == "+3.0"
    assert str(Estimate(float("nan"), None, 0)) == "nan"
    assert str(Estimate(0.0, (0.0, 0.16), 20)) == "0.00 (0.00 … 0.16)"
