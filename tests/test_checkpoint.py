"""Checkpoints: written whole, read without executing anything, refused with one line."""

import json
import os
import pickle
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import save_file

from differenzler_env import NUM_ACTIONS, Batch, Rules, agents
from differenzler_env.agents.network_agent import NetworkAgent
from differenzler_env.agents.torch_network import PolicyNetwork
from differenzler_env.checkpoint import CheckpointError, load, policy_document, read, save
from differenzler_env.evaluation import evaluate
from differenzler_env.observation import OBSERVATION_VERSION

SWISSLOS = Rules.swisslos()


@pytest.fixture(scope="module")
def network() -> PolicyNetwork:
    torch.manual_seed(0)
    network = PolicyNetwork.for_rules(SWISSLOS, width=32, blocks=1)
    for parameter in network.parameters():
        torch.nn.init.normal_(parameter, std=0.2)
    return network


def weights_of(policy: PolicyNetwork) -> dict[str, np.ndarray]:
    return {name: value.numpy() for name, value in policy.state_dict().items()}


def player(policy: PolicyNetwork, deterministic: bool = True) -> NetworkAgent:
    return NetworkAgent(SWISSLOS, weights_of(policy), policy.shape, deterministic)


def write(path: Path, policy: PolicyNetwork, **changes: object) -> Path:
    save(path, weights_of(policy), policy_document(SWISSLOS, policy.shape) | changes)
    return path


@pytest.fixture
def file(tmp_path: Path, network: PolicyNetwork) -> Path:
    return write(tmp_path / "policy.safetensors", network)


def refused(path: Path, rules: Rules | None = SWISSLOS) -> str:
    with pytest.raises(CheckpointError) as caught:
        load(path, rules)
    message = str(caught.value)
    assert "\n" not in message and str(path) in message
    return message


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    tensors = {
        "a": np.arange(6, dtype=np.float32).reshape(2, 3),
        "b": np.array([1, 2**40]),
        "c": np.array(True),
        "transposed": np.arange(6.0).reshape(2, 3).T,
    }
    path = tmp_path / "new" / "folder" / "x.safetensors"
    save(path, tensors, {"format": 1, "kind": "training", "text": "Näll"})
    again, document = read(path)
    assert document["text"] == "Näll"
    for name, array in tensors.items():
        np.testing.assert_array_equal(again[name], array)
        assert again[name].dtype == array.dtype
    assert [entry.name for entry in path.parent.iterdir()] == ["x.safetensors"]
    assert stat.S_IMODE(path.stat().st_mode) & 0o400


def test_the_document_says_what_the_file_is_for(file: Path) -> None:
    _, document = load(file, SWISSLOS)
    assert document["observation"] == OBSERVATION_VERSION
    assert document["actions"] == NUM_ACTIONS
    assert document["rules"] == [SWISSLOS.to_dict()]
    assert document["package"] and document["network"]["width"] == 32
    json.dumps(document)


def test_deals_and_first_dealer_do_not_count(file: Path) -> None:
    load(file, Rules.swisslos(deals=1))
    load(file, Rules.swisslos(deals=12, first_dealer="random"))


@pytest.mark.parametrize(
    ("rules", "name"),
    [(Rules.table(), "table"), (Rules.swisslos(exact_bonus=10), "exact_bonus=10")],
)
def test_other_rules_are_refused_naming_both(file: Path, rules: Rules, name: str) -> None:
    message = refused(file, rules)
    assert "swisslos" in message and name in message


def test_another_observation_is_refused_naming_both(tmp_path: Path, network: PolicyNetwork) -> None:
    path = write(tmp_path / "old.safetensors", network, observation="0123456789ab")
    message = refused(path)
    assert "0123456789ab" in message and OBSERVATION_VERSION in message


def test_another_format_or_kind_is_refused(tmp_path: Path, network: PolicyNetwork) -> None:
    assert "format 2" in refused(write(tmp_path / "a.safetensors", network, format=2))
    assert "training" in refused(write(tmp_path / "b.safetensors", network, kind="training"))
    assert "195" in refused(write(tmp_path / "c.safetensors", network, actions=195))
    assert "rules" in refused(write(tmp_path / "d.safetensors", network, rules=[{"players": 9}]))


class Executed:
    """A pickle that leaves a trace if anybody loads it."""

    def __init__(self, trace: str) -> None:
        self.trace = trace

    def __reduce__(self) -> object:
        return os.mkdir, (self.trace,)


def test_a_pickle_is_refused_and_not_executed(tmp_path: Path) -> None:
    trace = tmp_path / "executed"
    path = tmp_path / "policy.safetensors"
    path.write_bytes(pickle.dumps(Executed(str(trace))))
    refused(path)
    assert not trace.exists()
    pickle.loads(path.read_bytes())
    assert trace.exists(), "the pickle would have left its trace"


def test_a_file_cut_short_anywhere_is_refused(file: Path, tmp_path: Path) -> None:
    whole = file.read_bytes()
    for length in (0, 1, 7, 8, 9, 100, len(whole) // 2, len(whole) - 1):
        path = tmp_path / "cut.safetensors"
        path.write_bytes(whole[:length])
        refused(path)


def test_a_foreign_safetensors_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "foreign.safetensors"
    save_file({"a": np.zeros(3)}, path)
    assert "no checkpoint of differenzler-env" in refused(path)
    refused(tmp_path / "absent.safetensors")


def test_weights_that_do_not_fit_are_refused(tmp_path: Path, network: PolicyNetwork) -> None:
    path = write(tmp_path / "odd.safetensors", network, network=network.shape | {"width": 48})
    with pytest.raises(CheckpointError, match="holds no policy network"):
        agents.load(str(path), SWISSLOS)


@pytest.mark.parametrize(
    "change",
    [{"width": 1e400}, {"width": 8.5}, {"blocks": "1"}, {"bid_blocks": True}, {"blocks": 99}],
)
def test_odd_shapes_are_refused(file: Path, change: dict[str, object]) -> None:
    tensors, document = read(file)
    document["network"] |= change
    save_file(tensors, file, {"differenzler": json.dumps(document)})
    with pytest.raises(CheckpointError, match="holds no policy network"):
        agents.load(str(file), SWISSLOS)


@pytest.mark.parametrize("odd", ["nan", "inf", "1e300", "integers", "flat"])
def test_odd_weights_are_refused(file: Path, odd: str) -> None:
    tensors, document = read(file)
    weight = tensors["trunk.enter.weight"].copy()
    if odd == "integers":
        weight = weight.astype(np.int64)
    elif odd == "flat":
        weight = weight.ravel()
    else:
        weight = weight.astype(np.float64)
        weight[0, 0] = float(odd)
    tensors["trunk.enter.weight"] = weight
    save_file(tensors, file, {"differenzler": json.dumps(document)})
    with pytest.raises(CheckpointError):
        agents.load(str(file), SWISSLOS)


def test_a_failed_save_leaves_the_old_file(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = file.read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(CheckpointError, match="No space left"):
        save(file, {"a": np.zeros(3)}, {"format": 1})
    assert file.read_bytes() == before
    assert [entry.name for entry in file.parent.iterdir()] == [file.name]


SAVER = """
import os, random, signal, sys, time
import numpy as np
from differenzler_env.checkpoint import read, save

path, chance, newest = sys.argv[1], random.Random(5), 0

def save_number(number):
    save(path, {"a": np.full(200_000, number, np.float32)}, {"format": 1, "number": number})

save_number(0)
for kill in range(20):
    before = os.stat(path).st_mtime_ns
    child = os.fork()
    while child == 0:
        newest += 1
        save_number(newest)
    while os.stat(path).st_mtime_ns == before:
        time.sleep(0.001)
    time.sleep(chance.uniform(0.0, 0.03))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    tensors, document = read(path)
    assert document["number"] > newest and (tensors["a"] == document["number"]).all()
    newest = document["number"]
print("whole", kill + 1)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_killed_saver_leaves_a_whole_file(tmp_path: Path) -> None:
    """Twenty savers, each killed at some moment while it saves again and again."""
    done = subprocess.run(
        [sys.executable, "-c", SAVER, str(tmp_path / "x.safetensors")],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.stdout == "whole 20\n", done.stderr


# The agent of a checkpoint ----------------------------------------------------------------


def states(count: int, rules: Rules = SWISSLOS) -> tuple[Batch, np.random.Generator]:
    return Batch(count, rules, seed=11), np.random.default_rng(1)


@pytest.mark.parametrize("deterministic", [True, False])
def test_choices_do_not_depend_on_the_batch(network: PolicyNetwork, deterministic: bool) -> None:
    agent = player(network, deterministic)
    batch, random = states(50)
    seen = set()
    for _ in range(4 + 36):
        views, keys = batch.views(), batch.decision_keys()
        actions = agent.act_batch(views, keys)
        mask = batch.legal_mask()
        assert (mask[np.arange(50), actions] == 1).all()
        few = random.permutation(50)[:7]
        np.testing.assert_array_equal(agent.act_batch(views[few], keys[few]), actions[few])
        one = int(few[0])
        assert agent.act_batch(views[one : one + 1], keys[one : one + 1])[0] == actions[one]
        seen |= set(actions.tolist())
        batch.step(actions)
    assert len(seen) > 20
    assert len(agent.act_batch(views[:0], keys[:0])) == 0


def test_choosing_writes_nothing_into_an_agent(network: PolicyNetwork) -> None:
    agent = player(network)
    batch, _ = states(4)
    agent.act_batch(batch.views(), batch.decision_keys())
    before = pickle.dumps(vars(agent))
    batch.step([1, 2, 3, 4])
    # Threads may share an agent, and its kernels let go of the interpreter's lock.
    agent.act_batch(batch.views(), batch.decision_keys())
    assert pickle.dumps(vars(agent)) == before


def test_sampled_choices_follow_the_probabilities(network: PolicyNetwork) -> None:
    from differenzler_env.agents.torch_network import masked_log_probabilities

    batch, random = states(1)
    batch.step(batch.legal_mask()[:, :158].argmax(1))
    agent = player(network, deterministic=False)
    views = np.repeat(batch.views(), 4000)
    actions = agent.act_batch(views, random.integers(0, 2**64, 4000, dtype=np.uint64))
    with torch.inference_mode():
        logits = network(torch.from_numpy(batch.observe()))
        mask = torch.from_numpy(batch.legal_mask() > 0)
        expected = masked_log_probabilities(logits, mask).exp()[0].numpy()
    found = np.bincount(actions, minlength=NUM_ACTIONS) / 4000
    assert np.abs(found - expected).max() < 5 * np.sqrt(0.25 / 4000)


def test_specs_load_checkpoints(file: Path) -> None:
    agent = agents.load(f"{file}?deterministic=false", SWISSLOS)
    assert isinstance(agent, NetworkAgent) and not agent.deterministic
    assert agents.load(str(file), SWISSLOS).deterministic
    # Results say how it played.
    for options, mode in (("", "true"), ("?deterministic=false", "false")):
        told = evaluate(f"{file}{options}", "random", SWISSLOS, deals=4, seed=1).to_json()
        assert told["hero"] == f"{file}?deterministic={mode}"
    with pytest.raises(ValueError, match="table"):
        agents.load(str(file), Rules.table())


def test_a_checkpoint_plays_alike_after_reading(file: Path, network: PolicyNetwork) -> None:
    batch, _ = states(40)
    before = player(network)
    after = agents.load(str(file), SWISSLOS)
    for _ in range(10):
        views, keys = batch.views(), batch.decision_keys()
        actions = before.act_batch(views, keys)
        np.testing.assert_array_equal(after.act_batch(views, keys), actions)
        batch.step(actions)
