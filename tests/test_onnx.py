"""Exported policies: ONNX Runtime gives what torch gives, from plain observations and masks."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from differenzler_env import Batch, Rules
from differenzler_env.agents.network_agent import load_network
from differenzler_env.agents.torch_network import PolicyNetwork
from differenzler_env.checkpoint import policy_document, save
from differenzler_env.cli import main
from differenzler_env.cli.export import NEEDED
from differenzler_env.observation import OBSERVATION_VERSION

ROOT = Path(__file__).resolve().parent.parent
SHIPPED = ROOT / "models" / "swisslos.safetensors"
MISSING = [name for name in NEEDED if importlib.util.find_spec(name) is None]
needs_onnx = pytest.mark.skipif(
    bool(MISSING), reason=f"without {', '.join(MISSING)}: pip install 'differenzler-env[onnx]'"
)


def made(path: Path, rules: Rules, **shape: int) -> Path:
    """A checkpoint of drawn weights, larger than those that training starts with."""
    network = PolicyNetwork.for_rules(rules, width=32, blocks=2, **shape)
    random = torch.Generator().manual_seed(1)
    for parameter in network.parameters():
        parameter.data = torch.randn(parameter.shape, generator=random) * 0.3
    network.to_checkpoint(path, rules)
    return path


@pytest.fixture(scope="module", params=["shipped", "table", "five", "open bids", "mini"])
def exported(request, tmp_path_factory):
    """Rules, checkpoint and ONNX file."""
    folder = tmp_path_factory.mktemp("onnx")
    name = request.param
    rules = {
        "shipped": Rules.swisslos(),
        "table": Rules.table(),
        "five": Rules.table(players=5),
        "open bids": Rules.swisslos(bidding="open"),
        "mini": Rules.mini(),
    }[name]
    rules = rules.replace(deals=1, first_dealer="random")
    source = SHIPPED
    if name != "shipped":
        source = made(folder / "made.safetensors", rules, bid_blocks=int(name == "five"))
    target = folder / "policy.onnx"
    assert main(["export", str(source), str(target)]) == 0
    return rules, source, target


def states(rules: Rules, wanted: int):
    """At least so many views, observations and masks, from deals played by chance."""
    batch, random = Batch(60, rules, seed=11), np.random.default_rng(4)
    views, observations, masks = [], [], []
    while sum(map(len, views)) < wanted:
        views.append(batch.views())
        observations.append(batch.observe())
        masks.append(batch.legal_mask())
        batch.step(np.array([random.choice(np.flatnonzero(row)) for row in masks[-1]]))
        if (batch.current_seat < 0).all():
            batch.reset()
    return tuple(np.concatenate(parts) for parts in (views, observations, masks))


@needs_onnx
def test_onnx_runtime_gives_what_torch_gives(exported):
    import onnxruntime

    rules, source, target = exported
    views, observations, masks = states(rules, 1000)
    session = onnxruntime.InferenceSession(str(target))
    with torch.no_grad():
        expected = PolicyNetwork.from_checkpoint(source, rules)(torch.from_numpy(observations))
    legal = masks > 0
    expected = np.where(legal, expected.numpy(), -np.inf)
    for size in (1, 7, len(views)):  # the number of rows is free
        found = np.concatenate(
            [
                session.run(
                    ["logits"],
                    {
                        "observation": observations[at : at + size],
                        "action_mask": masks[at : at + size],
                    },
                )[0]
                for at in range(0, len(views), size)
            ]
        )
        assert found.dtype == np.float32 and found.shape == (len(views), 194)
        assert (np.isneginf(found) == ~legal).all()
        np.testing.assert_allclose(found[legal], expected[legal], rtol=1e-4, atol=1e-4)
        np.testing.assert_array_equal(found.argmax(1), expected.argmax(1))
    # No sampled action is baked in: other positions, other choices.
    assert len(np.unique(found.argmax(1))) > (20 if len(rules.deck) > 20 else len(rules.deck))
    agent = load_network(source, rules)
    actions = agent.act_batch(views, np.zeros(len(views), np.uint64))
    assert (found.argmax(1) == actions).mean() > 0.999  # its sums have another order


@needs_onnx
def test_the_file_is_plain_and_says_what_it_is_for(exported):
    import onnx

    rules, _, target = exported
    model = onnx.load(target)
    assert {entry.domain for entry in model.opset_import} == {""}
    assert not model.functions
    props = {entry.key: entry.value for entry in model.metadata_props}
    assert json.loads(props["differenzler"]) == {
        "rules": rules.to_dict(),
        "observation": OBSERVATION_VERSION,
    }
    assert [entry.name for entry in target.parent.iterdir() if "onnx" in entry.name] == [
        "policy.onnx"
    ]


@needs_onnx
def test_the_example_plays_without_torch(tmp_path):
    target = tmp_path / "policy.onnx"
    assert main(["export", str(SHIPPED), str(target)]) == 0
    example = ROOT / "examples" / "onnx_runtime_match.py"
    code = (
        f"import runpy, sys; sys.argv = ['', {str(target)!r}]; "
        f"runpy.run_path({str(example)!r}, run_name='__main__'); "
        "print([name for name in sys.modules if name == 'torch' or 'network' in name])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    result, loaded = done.stdout.splitlines()
    told = re.fullmatch(r"booked -(\d+), penalties replayed (\d+)", result)
    assert told and told[1] == told[2]
    assert 0 < int(told[1]) < 4 * 4 * 20  # well below what chance pays
    assert loaded == "[]" or "networkx" in loaded
    assert len(example.read_text(encoding="utf-8").splitlines()) <= 25


@needs_onnx
@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["absent.safetensors", "out.onnx"], "there is no file 'absent.safetensors'"),
        (["text.safetensors", "out.onnx"], "is cut short, or is not a safetensors file"),
        (["{shipped}", "out.onnx", "--rules", "table"], "is for the rules swisslos"),
        (["{shipped}", "out.onnx", "--rules", "poker"], "poker"),
        (["{shipped}", "absent/out.onnx"], "there is no folder"),
        (["{shipped}", "/dev/null"], "'/dev/null' is not a plain file, so it is not replaced"),
        (["table.safetensors", "table.safetensors"], "is the model itself"),
        (["nameless.safetensors", "out.onnx"], "names no rules"),
        (["headless.safetensors", "out.onnx"], "holds no policy network"),
    ],
)
def test_a_mistake_is_one_line(words, what, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("text.safetensors").write_text("not a checkpoint")
    rules = Rules.table()
    made(Path("table.safetensors"), rules)
    save("nameless.safetensors", {}, policy_document(rules, {}) | {"rules": []})
    save("headless.safetensors", {}, policy_document(rules, {"fields": ["hand"], "players": 4}))
    words = [word.format(shipped=SHIPPED) for word in words]
    assert main(["export", *words]) == 2
    out, said = capsys.readouterr()
    assert what in said and said.startswith("differenzler: ") and said.count("\n") == 1
    assert not out and not Path("out.onnx").exists()


def test_a_missing_library_is_one_line(tmp_path, monkeypatch, capsys):
    genuine = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "onnx" else genuine(name)
    )
    assert main(["export", str(SHIPPED), str(tmp_path / "out.onnx")]) == 2
    said = capsys.readouterr().err
    assert said == "differenzler: export needs onnx: pip install 'differenzler-env[onnx]'\n"
