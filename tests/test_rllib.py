"""Ray RLlib: masks, rewards and books of its new API stack, on workers of which one is killed."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from differenzler_env import Rules, agents

pytest.importorskip("ray.rllib", reason="Ray RLlib is not installed: make test-rllib")

import torch
from ray.rllib.core.columns import Columns
from ray.rllib.utils.pre_checks.env import check_multiagent_environments

from differenzler_env.adapters.rllib import (
    MaskedPolicy,
    Table,
    rules_of,
    save_agent,
    self_play_config,
)
from training import rllib_ppo

pytestmark = pytest.mark.filterwarnings("ignore")  # its own, and those of what it loads
ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def module() -> MaskedPolicy:
    table = Table({"rules": "swisslos"})
    return MaskedPolicy(
        observation_space=table.observation_spaces["player_0"],
        action_space=table.action_spaces["player_0"],
        model_config={"rules": "swisslos", "width": 16, "blocks": 1},
    )


def test_its_pettingzoo_wrapper_pays_each_seat_its_penalties() -> None:
    """Each seat is told its reward when it acts next, and all at the end."""
    table = Table({"rules": Rules(deals=4).to_dict()})
    rng, sums = np.random.default_rng(0), dict.fromkeys(table.possible_agents, 0.0)
    seen, _ = table.reset(seed=3)
    over = False
    while not over:
        (agent,) = seen
        legal = np.flatnonzero(seen[agent]["action_mask"])
        seen, rewards, ends, cuts, _ = table.step({agent: int(rng.choice(legal))})
        over = ends["__all__"]
        assert set(seen) == set(rewards) and not any(cuts.values())
        for name, reward in rewards.items():
            sums[name] += reward
    assert set(seen) == set(table.possible_agents)
    assert [-total for total in sums.values()] == table.env.penalties()[0].tolist()
    assert rules_of({"rules": None}) == Rules.swisslos()


def test_its_check_of_environments_knows_no_mask() -> None:
    """It may forfeit a match before the first is played, so the configuration goes without."""
    forfeited = []
    for seed in range(30):
        table = Table({})
        for space in table.action_spaces.values():
            space.seed(seed)
        check_multiagent_environments(table)
        forfeited.append(table.env.forfeited)
    assert set(forfeited) == {0, 1}
    assert self_play_config().disable_env_checking


def test_no_illegal_action_has_a_chance(module: MaskedPolicy) -> None:
    table = Table({})
    seen, _ = table.reset(seed=1)
    rows = []
    rng = np.random.default_rng(1)
    for _ in range(40):
        (agent,) = seen
        rows.append(seen[agent])
        legal = np.flatnonzero(seen[agent]["action_mask"])
        seen, *_ = table.step({agent: int(rng.choice(legal))})
    batch = {name: torch.as_tensor(np.stack([row[name] for row in rows])) for name in rows[0]}
    for forward in (module.forward_exploration, module.forward_inference, module.forward_train):
        logits = forward({Columns.OBS: dict(batch)})[Columns.ACTION_DIST_INPUTS]
        chances = logits.softmax(dim=1)
        assert (chances[batch["action_mask"] == 0] == 0).all()
        assert torch.isfinite(logits).all()
    assert module.compute_values({Columns.OBS: batch}).shape == (40,)


def test_a_module_becomes_an_agent(module: MaskedPolicy, tmp_path: Path) -> None:
    save_agent(module, tmp_path / "policy.safetensors", training={"by": "a test"})
    agent = agents.load(str(tmp_path / "policy.safetensors"), "swisslos")
    table = Table({})
    table.reset(seed=5)
    game = table.env.unwrapped.game
    row = {"observation": game.observe(1), "action_mask": game.mask(1)}
    batch = {Columns.OBS: {name: torch.as_tensor(value[None]) for name, value in row.items()}}
    logits = module.forward_inference(batch)[Columns.ACTION_DIST_INPUTS]
    assert agent.act(game.view(1), np.random.default_rng(0)) == int(logits.argmax())


@pytest.mark.parametrize("name", rllib_ppo.LEAST)
def test_a_number_too_small_is_told_on_one_line(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    least = rllib_ppo.LEAST[name]
    assert rllib_ppo.main([f"--{name}", str(least - 1)]) == 2
    said = f"rllib_ppo.py: --{name} is {least - 1}; allowed: {least} or more\n"
    assert capsys.readouterr().err == said


def test_a_cluster_that_is_not_up_is_told_on_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    assert rllib_ppo.main(["--address", "auto"]) == 1
    line = capsys.readouterr().err.splitlines()[-1]
    assert line.startswith("rllib_ppo.py: Could not find any running Ray instance.")


@pytest.mark.slow
def test_two_workers_train_and_one_that_is_killed_is_replaced(tmp_path: Path) -> None:
    """What RLlib booked is what the games cost, killed worker or not."""
    out = tmp_path / "policy.safetensors"
    command = [sys.executable, str(ROOT / "training" / "rllib_ppo.py"), "--kill"]
    command += "--iterations 4 --deals 8 --tables 2 --width 16 --blocks 1 --patience 600".split()
    command += ["--out", str(out)]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=1800)
    assert run.returncode == 0, run.stderr
    lines = run.stdout.splitlines()
    assert any(line.startswith("killed worker process") for line in lines)
    assert sum("mean penalty" in line for line in lines) == 4
    assert lines[-3] == "2 workers again"
    booked, replayed = map(int, re.findall(r"\d+", lines[-1]))
    assert booked == replayed > 0
    assert agents.load(str(out), "swisslos").rules == Rules.swisslos()
