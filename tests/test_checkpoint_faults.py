"""Damaged and foreign checkpoints: one line that names the file, what is wrong, what is allowed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

from differenzler_env import Rules
from differenzler_env.agents.torch_network import PolicyNetwork
from differenzler_env.checkpoint import CheckpointError, policy_document, read
from differenzler_env.cli import main

SMALL = PolicyNetwork.for_rules(Rules.mini(), width=8, blocks=1)
DOCUMENT = policy_document(Rules.mini(), SMALL.shape)
WEIGHTS = {name: value.numpy() for name, value in SMALL.state_dict().items()}
LINE = np.zeros(3, np.float32)


def shape(**changes: Any) -> dict[str, Any]:
    return {"network": SMALL.shape | changes}


def without(name: str) -> dict[str, Any]:
    return {"network": {key: value for key, value in SMALL.shape.items() if key != name}}


@pytest.mark.parametrize(
    ("changes", "weights", "said"),
    [
        ({"kind": "training"}, {}, "is of kind 'training'; what plays is of kind 'policy'"),
        ({"kind": None}, {}, "is of kind None; what plays is of kind 'policy'"),
        ({"format": 2}, {}, "has checkpoint format 2; this version reads format 1"),
        ({"rules": []}, {}, "names no rules: 'rules' is []; allowed: a list of rule sets"),
        ({"rules": 5}, {}, "names no rules: 'rules' is 5; allowed: a list of rule sets"),
        ({"rules": ["mini"]}, {}, "names rules that cannot be read: rules are 'mini'; allowed: a"),
        ({"network": None}, {}, "'network' is None; allowed: a mapping with its fields"),
        (shape(fields="hand"), {}, "'fields' is 'hand'; allowed: a list of some of phase,"),
        (shape(fields=[]), {}, "'fields' is []; allowed: a list of some of phase,"),
        (
            shape(fields=["hand", 5]),
            {},
            "'fields' is ['hand', 5]; allowed: a list of some of phase,",
        ),
        (without("width"), {}, "holds no policy network: 'width' is missing"),
        (shape(players=3), {}, "the network is for 3 players; the table has 2"),
        (shape(blocks=0), {}, "blocks is 0; allowed: a whole number, 1 or more"),
        (shape(blocks=2), {}, "'trunk.blocks.1.norm.weight' is missing"),
        (shape(width="8"), {}, "width is '8'; allowed: a whole number, 1 or more"),
        ({}, {"bid_head.bias": LINE}, "bid_head.bias has shape (3,), not (160,)"),
        ({}, {"trunk.enter.weight": LINE}, "has shape (3,), not (8, number of inputs)"),
        ({}, {"bid_head.bias": LINE.astype(int)}, "are not all finite numbers of a float type"),
    ],
    ids=repr,
)
def test_a_fault_is_told_in_one_line(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    changes: dict[str, Any],
    weights: dict[str, Any],
    said: str,
) -> None:
    path = tmp_path / "odd.safetensors"
    document = json.dumps(DOCUMENT | changes)
    save_file(WEIGHTS | weights, path, {"differenzler": document})
    command = ["evaluate", str(path), "--field", "thumb", "--deals", "2", "--rules", "mini"]
    assert main(command) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"differenzler: {str(path)!r}") and said in error
    assert error.count("\n") == 1
    with pytest.raises(CheckpointError, match=r"odd\.safetensors"):
        PolicyNetwork.from_checkpoint(path, Rules.mini())


def test_what_these_are_made_of_plays(tmp_path: Path) -> None:
    path = tmp_path / "whole.safetensors"
    save_file(WEIGHTS, path, {"differenzler": json.dumps(DOCUMENT)})
    assert set(read(path)[0]) == set(WEIGHTS)
    command = ["evaluate", str(path), "--field", "thumb", "--deals", "2", "--rules", "mini"]
    assert main(command) == 0
