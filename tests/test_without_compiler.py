"""With NUMBA_DISABLE_JIT=1 the kernels run as plain Python: matches, environments and networks are
the same as compiled, to the last bit of what a learner is given."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from kinds import KINDS

from differenzler_env import Batch, agents, differenzler_v0
from differenzler_env.engine.jit import COMPILED

RULE_SETS = ("swisslos", "television", "mini", "revokes, three", "small, four", "everything")
STEPS = 100
LOW = 1e-4


class Digest:
    """Of all arrays and numbers given to it."""

    def __init__(self) -> None:
        self._sums = hashlib.sha256()

    def add(self, *values: Any) -> None:
        for value in values:
            array = np.ascontiguousarray(value)
            self._sums.update(f"{array.dtype} {array.shape}".encode() + array.tobytes())

    @property
    def hex(self) -> str:
        return self._sums.hexdigest()


def pick(masks: np.ndarray, step: int) -> np.ndarray:
    """A legal action a row, another one at each step."""
    legal = [np.flatnonzero(mask) for mask in masks]
    return np.array([row[(7 * step + 3 * i) % len(row)] for i, row in enumerate(legal)])


def of_a_batch(name: str, objective: str) -> str:
    """All that a batch of matches gives, over ends of deals and matches."""
    digest = Digest()
    batch = Batch(2, KINDS[name], seed=4, objective=objective)
    for step in range(STEPS):
        masks = batch.legal_mask()
        digest.add(masks, batch.legal_bits(), batch.current_seat, batch.deal_number, batch.phase)
        digest.add(batch.observe(), batch.observe_all(), batch.state(), batch.views())
        digest.add(batch.decision_keys(), batch.row_keys(1))
        digest.add(*batch.step(pick(masks, step)))
        settled = batch.settled
        digest.add(settled.bids, settled.points, settled.penalties, batch.state_records)
        over = batch.current_seat < 0
        if over.any():
            batch.reset(mask=over)
    return digest.hex


def of_the_vector_environment() -> str:
    """Two learners among three kinds of agents, over an autoreset."""
    digest = Digest()
    envs = gymnasium.make_vec(
        "differenzler_env:DifferenzlerDeal-v0",
        num_envs=2,
        autoreset_mode=AutoresetMode.SAME_STEP,
        seat="random",
        opponents={"pool": ["thumb", "random", "constant"]},
    )
    seen, _ = envs.reset(seed=3)
    for step in range(24):
        digest.add(seen["observation"], seen["action_mask"])
        seen, rewards, ends, _, infos = envs.step(pick(seen["action_mask"], step))
        digest.add(rewards, ends, infos["action_mask"])
    return digest.hex


def of_the_turn_based_environment() -> str:
    """A deal in PettingZoo's form."""
    digest = Digest()
    env = differenzler_v0.env("mini", objective="win")
    env.reset(seed=3)
    for step, agent in enumerate(env.agent_iter()):
        seen, reward, over, _, _ = env.last()
        digest.add(agent, seen["observation"], seen["action_mask"], reward, over, env.state())
        env.step(None if over else int(pick(seen["action_mask"][None], step)[0]))
    return digest.hex


def of_a_network(path: str) -> list[list[list[float]]]:
    """The logits of a network's legal actions, bids and cards."""
    batch = Batch(2, seed=6)
    agent: Any = agents.load(path, batch.rules)
    found = []
    for step in range(10):
        logits = agent.legal_logits(batch.views()).astype(np.float64)
        found.append([row[np.isfinite(row)].tolist() for row in logits])
        batch.step(pick(batch.legal_mask(), step))
    return found


def everything(path: str) -> dict[str, Any]:
    found: dict[str, Any] = {"compiled": COMPILED}
    for name in RULE_SETS:
        for objective in ("penalty", "win"):
            found[f"{name}, {objective}"] = of_a_batch(name, objective)
    found["vector"] = of_the_vector_environment()
    found["turn-based"] = of_the_turn_based_environment()
    if path:
        found["network"] = of_a_network(path)
    return found


def a_checkpoint(folder: Path) -> str:
    """A small network with large random weights; nothing where there is no torch."""
    try:
        import torch

        from differenzler_env import checkpoint
        from differenzler_env.agents.torch_network import PolicyNetwork
    except ModuleNotFoundError:
        return ""
    torch.manual_seed(1)
    rules = KINDS["swisslos"]
    network = PolicyNetwork.for_rules(rules, width=16, blocks=1)
    tensors = {
        name: (value + 0.1 * torch.randn_like(value)).numpy()
        for name, value in network.state_dict().items()
    }
    path = folder / "network.safetensors"
    checkpoint.save(path, tensors, checkpoint.policy_document(rules, network.shape))
    return str(path)


@pytest.mark.slow
def test_plain_python_gives_what_compiled_kernels_give(tmp_path: Path) -> None:
    path = a_checkpoint(tmp_path)
    script = (
        "import json, sys, test_without_compiler as here; "
        "print(json.dumps(here.everything(sys.argv[1])))"
    )
    compiled = not COMPILED
    variables = os.environ | {
        "NUMBA_DISABLE_JIT": "0" if compiled else "1",
        "PYTHONPATH": os.path.dirname(__file__),
    }
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script, path],
        env=variables,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    theirs, ours = json.loads(done.stdout), everything(path)
    assert theirs.pop("compiled") is compiled and ours.pop("compiled") is not compiled
    one, other = theirs.pop("network", []), ours.pop("network", [])
    assert theirs == ours
    assert len(set(ours.values())) == len(ours)
    for rows, twins in zip(one, other, strict=True):
        for row, twin in zip(rows, twins, strict=True):
            np.testing.assert_allclose(row, twin, atol=LOW)
