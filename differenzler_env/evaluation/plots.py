"""Evaluation: the plots of the report, each an SVG drawing as text. Needs matplotlib."""

import io
from typing import Any

import numpy as np
import numpy.typing as npt

from ..cards import MAX_POINTS
from .details import Details
from .evaluate import Evaluation
from .statistics import Z95, Estimate

HERO, FIELD, SOFT = "#1b6b4a", "#c2703d", "#5d6b66"
SIZE = (6.4, 3.7)
STYLE: dict[Any, Any] = {
    "font.size": 10.5,
    "axes.edgecolor": "#9aa5a0",
    "axes.labelcolor": SOFT,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": SOFT,
    "ytick.color": SOFT,
    "svg.fonttype": "none",  # letters stay letters
    "svg.hashsalt": "differenzler",  # the same drawing is the same text
}


class _Drawing:
    """One set of axes; leaving it makes the text."""

    def __init__(self, across: str, up: str) -> None:
        self._labels = across, up
        self.text = ""

    def __enter__(self) -> Any:
        import matplotlib as mpl
        from matplotlib.figure import Figure

        self._style = mpl.rc_context(STYLE)
        self._style.__enter__()
        self._figure = Figure(figsize=SIZE, layout="constrained")
        self.axes = self._figure.subplots()
        self.axes.set_xlabel(self._labels[0])
        self.axes.set_ylabel(self._labels[1])
        return self

    def __exit__(self, *error: object) -> None:
        try:
            if error[0] is None:
                file = io.StringIO()
                self._figure.savefig(file, format="svg", transparent=True, metadata={"Date": None})
                text = file.getvalue()
                self.text = text[text.index("<svg") :]  # without the XML heading
        finally:
            self._style.__exit__(None, None, None)


def _of_field(evaluation: Evaluation, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The entries of the others of a table array ``[M, S, D, P]``, flat."""
    players = evaluation.rules.players
    others = ~np.eye(players, dtype=np.bool_)
    flat: npt.NDArray[Any] = array.transpose(0, 2, 1, 3)[:, :, others].ravel()
    return flat


def bid_against_points(evaluation: Evaluation, found: Details) -> str:
    """How the points fell about the bids."""
    bids = evaluation.of_hero(evaluation.tables.bids).ravel()
    points = evaluation.of_hero(evaluation.tables.points).ravel()
    top = float(min(max(int(np.quantile(np.append(bids, points), 0.999)), 60), MAX_POINTS))
    with _Drawing("bid", "points taken") as drawing:
        axes = drawing.axes
        counts, across, up = np.histogram2d(bids, points, bins=np.arange(-0.5, top + 3, 3))
        counts = np.ma.masked_equal(counts, 0)
        axes.pcolormesh(
            across, up, counts.T, cmap="Greens", norm="log", alpha=0.75, rasterized=True
        )
        axes.plot((0, top), (0, top), color=SOFT, linewidth=1, linestyle="--")
        middles = [
            float(np.median(bids[(bids >= size.low) & (bids <= size.high)]))
            for size in found.bid_sizes
        ]
        quarters = np.array([size.quantiles for size in found.bid_sizes])
        axes.fill_between(middles, quarters[:, 1], quarters[:, 3], color=FIELD, alpha=0.25)
        axes.plot(middles, quarters[:, 2], color=FIELD, marker="o", markersize=4)
        axes.set_xlim(0, top)
        axes.set_ylim(0, top)
    return str(drawing.text)


def penalties_reached(evaluation: Evaluation, found: Details) -> str:
    """Share of deals that cost no more than so much."""
    hero = evaluation.of_hero(evaluation.tables.penalties).ravel()
    others = _of_field(evaluation, evaluation.tables.penalties)
    low, top = int(min(hero.min(), others.min(), 0)), int(np.quantile(others, 0.98)) + 1
    steps = np.arange(low, max(top, 30) + 1)
    with _Drawing("penalty", "share of deals") as drawing:
        for values, colour, name in ((others, FIELD, "the others"), (hero, HERO, "the agent")):
            share = np.searchsorted(np.sort(values), steps, side="right") / len(values)
            drawing.axes.step(steps, share, where="post", color=colour, label=name, linewidth=2)
        drawing.axes.set_ylim(0, 1)
        drawing.axes.set_xlim(steps[0], steps[-1])
        drawing.axes.legend(frameon=False, loc="lower right")
        drawing.axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    return str(drawing.text)


def reaches(estimates: list[Estimate]) -> npt.NDArray[np.float64]:
    """How far the intervals reach below and above their means, ``[2, n]``; 0 without one. Those of
    a bootstrap are not centred."""
    ends = np.array([estimate.ci95 or (estimate.mean, estimate.mean) for estimate in estimates])
    means = np.array([estimate.mean for estimate in estimates])
    below_above: npt.NDArray[np.float64] = np.maximum((ends.T - means) * [[-1], [1]], 0)
    return below_above


def _bars(
    names: list[str],
    estimates: list[Estimate],
    across: str,
    colour: str = HERO,
    up: str = "penalty",
) -> str:
    with _Drawing(across, up) as drawing:
        means = [estimate.mean for estimate in estimates]
        drawing.axes.bar(names, means, color=colour, width=0.65, alpha=0.85)
        drawing.axes.errorbar(
            names, means, reaches(estimates), fmt="none", ecolor="#1d2a26", capsize=3
        )
    return str(drawing.text)


def ladder(names: list[str], estimates: list[Estimate], across: str) -> str:
    """Agents one below the other, each with its mean and interval."""
    places = np.arange(len(names))
    with _Drawing(across, "") as drawing:
        axes = drawing.axes
        means = [estimate.mean for estimate in estimates]
        axes.errorbar(means, places, xerr=reaches(estimates), fmt="o", color=HERO, capsize=3)
        axes.set_yticks(places, names)
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.grid(axis="y", color="#d9dfdc", linewidth=0.8)
        axes.set_axisbelow(True)
    return str(drawing.text)


def penalty_by_bid(evaluation: Evaluation, found: Details) -> str:
    """Mean penalty by size of the bid."""
    sizes = found.bid_sizes
    return _bars([size.name for size in sizes], [size.penalty for size in sizes], "bid")


def penalty_by_place(evaluation: Evaluation, found: Details) -> str:
    """Mean penalty by place at the table."""
    places = found.places
    return _bars([place.name for place in places], [place.penalty for place in places], "")


def bids_lost(evaluation: Evaluation, found: Details) -> str:
    """After which trick bids were out of reach."""
    if found.out_of_reach is None or found.field_out_of_reach is None:
        return "<p>Not told here: Stöck can bring a bid back.</p>"
    tricks = len(found.out_of_reach)
    names = [*map(str, range(1, tricks)), "never"]
    with _Drawing("after trick", "share of bids") as drawing:
        for shift, shares, colour, name in (
            (-0.2, found.out_of_reach, HERO, "the agent"),
            (0.2, found.field_out_of_reach, FIELD, "the others"),
        ):
            heights = [*shares[1:], shares[0]]
            places = np.arange(tricks) + shift
            drawing.axes.bar(places, heights, width=0.38, color=colour, label=name, alpha=0.85)
        drawing.axes.set_xticks(range(tricks), names)
        drawing.axes.legend(frameon=False)
        drawing.axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    return str(drawing.text)


def bid_sums(evaluation: Evaluation, found: Details) -> str:
    """The sums of the bids of a table."""
    sums = evaluation.tables.bids.sum(axis=-1, dtype=np.int64).ravel()
    total = evaluation.tables.points.sum(axis=-1, dtype=np.int64).ravel().mean()
    with _Drawing("sum of the bids", "tables") as drawing:
        steps = np.arange(sums.min() // 5 * 5, sums.max() + 10, 5) - 2.5
        heights, _, _ = drawing.axes.hist(sums, bins=steps, color=HERO, alpha=0.85)
        drawing.axes.set_ylim(0, 1.1 * heights.max())  # room for the words
        drawing.axes.axvline(total, color=FIELD, linewidth=2)
        drawing.axes.annotate(
            f" {total:.0f} points", (total, 0.96), xycoords=("data", "axes fraction"), color=FIELD
        )
    return str(drawing.text)


def precision(evaluation: Evaluation, found: Details) -> str:
    """The running mean of the paired difference with its interval."""
    from matplotlib.ticker import LogLocator

    values = evaluation.deal_differences()
    count = np.arange(1, len(values) + 1)
    mean = np.cumsum(values) / count
    spread = np.maximum(np.cumsum(values**2) / count - mean**2, 0)
    half = Z95 * np.sqrt(spread / np.maximum(count - 1, 1))
    shown = np.unique(np.geomspace(min(20, len(values)), len(values), 200).astype(int)) - 1
    with _Drawing("deals", "difference") as drawing:
        axes = drawing.axes
        axes.axhline(0, color=SOFT, linewidth=1, linestyle="--")
        axes.fill_between(
            count[shown], (mean - half)[shown], (mean + half)[shown], color=HERO, alpha=0.2
        )
        axes.plot(count[shown], mean[shown], color=HERO, linewidth=2)
        if len(values) > 100:
            axes.set_xscale("log")
            axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
            axes.xaxis.set_minor_formatter("")
    return str(drawing.text)
