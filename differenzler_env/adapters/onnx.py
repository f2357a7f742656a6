"""Adapters: policies as ONNX files, for whatever runs those. Needs torch, onnx, onnxscript and, to
check what was written, onnxruntime.

The file takes plain observations and masks, as the environments give them; the network's own suits
and all that it counts out of an observation are part of the graph.
"""

import io
import json
import logging
import math
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..actions import NUM_ACTIONS
from ..agents.registry import load
from ..agents.table import choose_actions
from ..batch import Batch
from ..checkpoint import KEY, read, rule_sets
from ..observation import OBSERVATION_SIZE, OBSERVATION_VERSION
from ..rules import Rules
from . import needed

with needed("onnx"):
    import onnx
    import onnxruntime
    import onnxscript as onnxscript  # torch writes with it
    import torch
    from torch import Tensor, nn

    from ..agents.torch_network import PolicyNetwork

OPSET = 18
"""Version of the ONNX operators."""
TOLERANCE = 1e-3
"""How far a logit may be off, as a share of its size where that is above 1. Sums in another order
differ by some 1e-5."""


class MaskedPolicy(nn.Module):
    """A policy network whose logits are −∞ where the mask is 0."""

    def __init__(self, network: PolicyNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(self, observation: Tensor, action_mask: Tensor) -> Tensor:
        """Logits float32 ``[B, 194]`` of float32 ``[B, OBSERVATION_SIZE]`` and int8
        ``[B, 194]``."""
        logits: Tensor = self.network(observation)
        return logits.masked_fill(action_mask == 0, -math.inf)


def exported(path: Path, rules: Rules | None = None) -> tuple[bytes, Rules, float]:
    """The ONNX model of a checkpoint, the rules it is for, and how far ONNX Runtime's logits were
    from torch's (:func:`largest_difference`).

    Args:
        path: a checkpoint file.
        rules: refuse one that is for other rules.

    Raises:
        CheckpointError: if the file is not a policy, or for other rules or another observation.
        ValueError: if ONNX Runtime finds other actions best.
    """
    network = PolicyNetwork.from_checkpoint(path, rules)
    first = rule_sets(path, read(path)[1])[0]
    model = onnx_model(network, first)
    return model, first, largest_difference(model, network, first)


def onnx_model(network: PolicyNetwork, rules: Rules) -> bytes:
    """An ONNX model of a policy: ``observation`` float32 ``[B, OBSERVATION_SIZE]`` and
    ``action_mask`` int8 ``[B, 194]`` to ``logits`` float32 ``[B, 194]``, any B from 1.

    The rules and the observation version lie as JSON under the metadata key ``differenzler``.
    """
    example = (torch.zeros(2, OBSERVATION_SIZE), torch.ones(2, NUM_ACTIONS, dtype=torch.int8))
    rows = torch.export.Dim("rows")
    with _silence():
        program = torch.onnx.export(
            MaskedPolicy(network).eval(),
            example,
            dynamo=True,
            input_names=["observation", "action_mask"],
            output_names=["logits"],
            dynamic_shapes={"observation": {0: rows}, "action_mask": {0: rows}},
            opset_version=OPSET,
            verbose=False,
        )
    assert program is not None  # it is None for the older exporter only
    model = program.model_proto
    document = {"rules": rules.to_dict(), "observation": OBSERVATION_VERSION}
    onnx.helper.set_model_props(model, {KEY: json.dumps(document)})
    onnx.checker.check_model(model)
    out = io.BytesIO()
    onnx.save_model(model, out)
    return out.getvalue()


@contextmanager
def _silence() -> Iterator[None]:
    """Without torch's remarks on its own code and on libraries that are not needed here."""
    logger = logging.getLogger("torch.onnx")
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(before)


def random_states(
    rules: Rules, seed: int, deals: int
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int8]]:
    """Observations and masks at all decisions of some deals, played by chance."""
    batch = Batch(deals, rules.replace(deals=1, first_dealer="random"), seed)
    everywhere = np.zeros((deals, rules.players), np.int64)
    agents = [load("random", batch.rules)]
    seen, legal = [], []
    while (batch.current_seat >= 0).any():  # all deals end together
        seen.append(batch.observe())
        legal.append(batch.legal_mask())
        batch.step(choose_actions(batch, agents, everywhere))
    return np.concatenate(seen), np.concatenate(legal)


def largest_difference(model: bytes, network: PolicyNetwork, rules: Rules) -> float:
    """How far ONNX Runtime's logits are from torch's, as a share of their size where that is above
    1, over the decisions of 25 deals played by chance (a thousand in the four-player game).

    Raises:
        ValueError: if the actions that seem best differ, other than by rounding.
    """
    observations, masks = random_states(rules, seed=1, deals=25)
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    feed: dict[str, npt.NDArray[Any]] = {"observation": observations, "action_mask": masks}

    def logits(rows: slice) -> npt.NDArray[np.float32]:
        (found,) = session.run(["logits"], {name: array[rows] for name, array in feed.items()})
        return np.asarray(found)

    found, alone = logits(slice(None)), logits(slice(1))
    with torch.no_grad():
        tensors = (torch.from_numpy(array) for array in feed.values())
        expected = MaskedPolicy(network)(*tensors).numpy()
    legal = masks > 0
    if not (np.isneginf(found) == ~legal).all() or not np.isfinite(found[legal]).all():
        raise ValueError("ONNX Runtime's logits are not −∞ where the mask is 0, and only there")
    apart = max(
        _apart(found[legal], expected[legal]), _apart(alone[legal[:1]], expected[:1][legal[:1]])
    )
    chosen = np.take_along_axis(expected, found.argmax(axis=1)[:, None], axis=1)[:, 0]
    if apart > TOLERANCE or (expected.max(axis=1) - chosen > TOLERANCE).any():
        raise ValueError(f"ONNX Runtime's logits are up to {apart:.2g} from torch's")
    return apart


def _apart(found: npt.NDArray[np.float32], expected: npt.NDArray[np.float32]) -> float:
    return float((np.abs(found - expected) / np.maximum(1.0, np.abs(expected))).max())
