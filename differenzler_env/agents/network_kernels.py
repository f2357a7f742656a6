"""Agents: a policy network compiled by Numba, from inputs to logits, without torch.

Each row's numbers are summed in one fixed order, so a choice is the same whatever stands beside it
in the batch, on any number of threads. Zeros among the inputs are skipped: most of them are.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ..actions import NUM_ACTIONS, NUM_BIDS
from ..cards import NUM_CARDS
from ..engine.jit import Array, jit

BID_CENTRE, BID_SPREAD = 39.0, 25.0
"""Bids start as a broad hump: mean and standard deviation in card points."""
CENTRE_STEP, SPREAD_STEP = 5.0, 0.3
"""How far one unit of the bid head moves the hump's centre, in card points, and the logarithm of
its width. All seats share one policy: were the centre quick to move, the whole table would run
after itself."""
SPREAD_BOUNDS = (-3.0, 1.0)
"""Bounds of that logarithm."""
NORM_EPSILON = 1e-5
GROUP = 8
"""Rows that go through a layer one after the other, while its weights are in the cache."""


class TrunkWeights(NamedTuple):
    """A residual trunk, weights as ``[inputs, outputs]``, the blocks' stacked."""

    enter: Array
    enter_bias: Array
    norms: Array
    norm_biases: Array
    inner: Array
    inner_biases: Array
    outer: Array
    outer_biases: Array
    last_norm: Array
    last_norm_bias: Array


class PolicyWeights(NamedTuple):
    """All weights of a policy network; ``bid_trunk`` is ``trunk`` where the bid has none of its
    own."""

    trunk: TrunkWeights
    bid_trunk: TrunkWeights
    bid_head: Array
    bid_head_bias: Array
    card_head: Array
    card_head_bias: Array


def policy_weights(tensors: Mapping[str, Array], shape: Mapping[str, Any]) -> PolicyWeights:
    """The weights of a checkpoint, its ``network`` shape beside them.

    Raises:
        KeyError: for a tensor that is missing.
        ValueError: for one of another shape, or with numbers too large for float32.
    """

    def take(name: str, *size: int) -> Array:
        given = np.asarray(tensors[name])
        if given.shape != size:
            raise ValueError(f"{name} has shape {given.shape}, not {size}")
        with np.errstate(over="ignore"):
            array = given.astype(np.float32)
        if not np.isfinite(array).all():
            raise ValueError(f"{name} holds numbers that are too large for float32")
        return np.ascontiguousarray(array.T)

    def trunk(name: str, inputs: int, blocks: int) -> TrunkWeights:
        def stacked(part: str, *size: int) -> Array:
            return np.stack([take(f"{name}.blocks.{k}.{part}", *size) for k in range(blocks)])

        return TrunkWeights(
            take(f"{name}.enter.weight", width, inputs),
            take(f"{name}.enter.bias", width),
            stacked("norm.weight", width),
            stacked("norm.bias", width),
            stacked("inner.weight", width, width),
            stacked("inner.bias", width),
            stacked("outer.weight", width, width),
            stacked("outer.bias", width),
            take(f"{name}.norm.weight", width),
            take(f"{name}.norm.bias", width),
        )

    for name, least in (("width", 1), ("blocks", 1), ("bid_blocks", 0)):
        if type(shape[name]) is not int or shape[name] < least:
            raise ValueError(f"{name} is {shape[name]!r}; allowed: a whole number, {least} or more")
    width, enter = shape["width"], np.shape(tensors["trunk.enter.weight"])
    if len(enter) != 2:
        raise ValueError(f"trunk.enter.weight has shape {enter}, not ({width}, number of inputs)")
    inputs = enter[1]
    main = trunk("trunk", inputs, shape["blocks"])
    bid_blocks = shape["bid_blocks"]
    return PolicyWeights(
        main,
        trunk("bid_trunk", inputs, bid_blocks) if bid_blocks else main,
        take("bid_head.weight", 2 + NUM_BIDS, width),
        take("bid_head.bias", 2 + NUM_BIDS),
        take("card_head.weight", NUM_CARDS, width),
        take("card_head.bias", NUM_CARDS),
    )


@jit
def _linear(x: Array, weight: Array, bias: Array, out: Array) -> None:
    """``out[r] = bias + x[r] @ weight`` for a group of rows, summed input by input.

    Four inputs that are not zero share one pass over the outputs: reading and writing those takes
    longer than the arithmetic.
    """
    rows, inputs = x.shape
    some = np.empty(inputs, np.int64)
    for r in range(rows):
        count = 0
        for i in range(inputs):
            some[count] = i
            count += x[r, i] != 0
        line = out[r]
        line[:] = bias
        fours = count - count % 4
        for k in range(0, fours, 4):
            i, j, m, n = some[k], some[k + 1], some[k + 2], some[k + 3]
            a, b, c, d = x[r, i], x[r, j], x[r, m], x[r, n]
            of_a, of_b, of_c, of_d = weight[i], weight[j], weight[m], weight[n]
            for at in range(len(line)):
                line[at] = line[at] + a * of_a[at] + b * of_b[at] + c * of_c[at] + d * of_d[at]
        for k in range(fours, count):
            a, of_a = x[r, some[k]], weight[some[k]]
            for at in range(len(line)):
                line[at] += a * of_a[at]


@jit
def _norm(x: Array, weight: Array, bias: Array, out: Array) -> None:
    """Layer normalisation of each row."""
    width = x.shape[1]
    for r in range(x.shape[0]):
        mean = np.float32(0)
        for j in range(width):
            mean += x[r, j]
        mean /= np.float32(width)
        variance = np.float32(0)
        for j in range(width):
            variance += (x[r, j] - mean) * (x[r, j] - mean)
        scale = np.float32(1) / np.sqrt(variance / np.float32(width) + np.float32(NORM_EPSILON))
        for j in range(width):
            out[r, j] = (x[r, j] - mean) * scale * weight[j] + bias[j]


@jit
def _relu(x: Array) -> None:
    """Zero in place of what is below, in place."""
    for r in range(x.shape[0]):
        for j in range(x.shape[1]):
            if x[r, j] < 0:
                x[r, j] = 0


@jit
def _trunk(inputs: Array, weights: TrunkWeights, x: Array, y: Array, z: Array) -> None:
    """The trunk of a group of rows; the result is left in ``y``, all three are overwritten."""
    _linear(inputs, weights.enter, weights.enter_bias, x)
    for k in range(len(weights.inner)):
        _norm(x, weights.norms[k], weights.norm_biases[k], y)
        _linear(y, weights.inner[k], weights.inner_biases[k], z)
        _relu(z)
        _linear(z, weights.outer[k], weights.outer_biases[k], y)
        for r in range(x.shape[0]):
            for j in range(x.shape[1]):
                x[r, j] += y[r, j]
    _norm(x, weights.last_norm, weights.last_norm_bias, y)
    _relu(y)


@jit
def _add_hump(out: Array, logits: Array) -> None:
    """Bid logits from the outputs of the bid head: one for each bid, on the hump of the first
    two."""
    centre = BID_CENTRE + CENTRE_STEP * out[0]
    width = min(max(SPREAD_STEP * out[1], SPREAD_BOUNDS[0]), SPREAD_BOUNDS[1])
    spread = BID_SPREAD * np.exp(width)
    for bid in range(NUM_BIDS):
        away = (bid - centre) / spread
        logits[bid] = out[2 + bid] - 0.5 * away * away


@jit
def policy_rows(inputs: Array, bidding: Array, weights: PolicyWeights, logits: Array) -> None:
    """Logits of rows: those of bids where the row is to bid, else those of cards in own suits.

    Args:
        inputs: float32 ``[n, size]``.
        bidding: bool ``[n]``.
        weights: :class:`PolicyWeights`.
        logits: float32 ``[n, 194]``, written as far as it matters; bids first, cards from 158 on.
    """
    width = weights.card_head.shape[0]
    x = np.empty((GROUP, width), np.float32)
    y = np.empty((GROUP, width), np.float32)
    z = np.empty((GROUP, width), np.float32)
    bids = np.empty((GROUP, 2 + NUM_BIDS), np.float32)
    start = 0
    while start < len(inputs):
        stop = start + 1
        while stop < len(inputs) and stop - start < GROUP and bidding[stop] == bidding[start]:
            stop += 1
        n = stop - start
        group = inputs[start:stop]
        if bidding[start]:
            _trunk(group, weights.bid_trunk, x[:n], y[:n], z[:n])
            _linear(y[:n], weights.bid_head, weights.bid_head_bias, bids[:n])
            for r in range(n):
                _add_hump(bids[r], logits[start + r])
        else:
            _trunk(group, weights.trunk, x[:n], y[:n], z[:n])
            cards = logits[start:stop, NUM_BIDS:NUM_ACTIONS]
            _linear(y[:n], weights.card_head, weights.card_head_bias, cards)
        start = stop
