"""How beatable a field is: who sits at the learner's tables, known gains, the script as a whole."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import torch

from differenzler_env import Rules
from differenzler_env.agents.torch_network import PolicyNetwork
from differenzler_env.checkpoint import load
from differenzler_env.evaluation import evaluate
from training import best_response, ship
from training.config import ConfigError, PPOConfig, make_config, read_yaml
from training.ppo_learner import PPOLearner
from training.run import train
from training.run_files import RunFiles

ROOT = Path(__file__).resolve().parent.parent
SMOKE = read_yaml(ROOT / "configs" / "smoke_swisslos.yaml")


pytestmark = pytest.mark.usefixtures("one_thread")


def smoke(tmp_path: Path, **changes: object) -> PPOConfig:
    return make_config(SMOKE | {"folder": str(tmp_path)} | changes)


# Who sits there ------------------------------------------------------------------------------


def tables_of(learner: PPOLearner) -> list[list[int]]:
    """The others of each game, from the learner's right-hand neighbour onward."""
    batch = learner.collector.batch
    batch.reset(seed=5)
    seating = learner.pool.seat(batch)
    assert seating.others is not None
    assert (seating.learner.sum(axis=0) == 1).all()
    return [
        np.roll(line, -int(np.flatnonzero(line < 0)[0]))[1:].tolist() for line in seating.others
    ]


def test_a_field_sits_there_whole_in_all_its_orders() -> None:
    config = best_response.field_config(make_config(SMOKE | {"games": 512}), "@v0")
    found = Counter(map(tuple, tables_of(PPOLearner(config))))
    assert {tuple(sorted(line)) for line in found} == {(0, 1, 2)}
    assert len(found) == 6
    assert min(found.values()) > 50


def test_more_agents_than_seats_take_turns_and_fewer_come_again() -> None:
    pool = {"pool": "random, constant?bid=1, constant?bid=2, constant?bid=3, thumb"}
    whole = {"pool_share": 1.0, "pool_distinct": True, "games": 512}
    lines = tables_of(PPOLearner(make_config(SMOKE | whole | pool)))
    assert all(len(set(line)) == 3 for line in lines)
    assert set(Counter(agent for line in lines for agent in line)) == set(range(5))
    two = tables_of(PPOLearner(make_config(SMOKE | whole | {"pool": "random, thumb"})))
    assert {tuple(line) for line in two} == {(0, 1, 0), (1, 0, 1)}


@pytest.mark.parametrize(
    ("field", "changes", "said"),
    [
        ("thumb,random", {}, "field: a table of 4 seats needs 3 opponents"),
        ("@v9", {}, "field: there is no field '@v9'"),
        ("thumb", {"pool": "past"}, "pool is 'past'; the field sits there"),
    ],
)
def test_a_field_that_cannot_be_is_refused(field: str, changes: dict, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        best_response.field_config(make_config(SMOKE | changes), field)


# Known gains ---------------------------------------------------------------------------------


def test_who_plays_like_the_field_gains_exactly_nothing() -> None:
    result = best_response.measure_gain("thumb", "thumb", Rules(), 40)
    assert result.gain().ci95 == (0, 0)
    assert result.penalty() == result.members_penalty()


def test_the_gain_is_over_the_mean_of_the_members_paired_by_deal() -> None:
    result = best_response.measure_gain("thumb", "@v0", Rules(), 40)
    means = {
        spec: evaluate(spec, "@v0", Rules(), 40, best_response.SEED).deal_sums()[0] / 4
        for spec in ("random", "constant?bid=35", "thumb")
    }
    gains = sum(means.values()) / 3 - means["thumb"]
    assert result.gain().mean == pytest.approx(gains.mean())
    half = 1.959963984540054 * gains.std(ddof=1) / 40**0.5
    assert result.gain().half_width == pytest.approx(half)
    assert result.gain().mean > 10
    document = result.to_json()
    assert [entry["agent"] for entry in document["members"]] == list(document["field"])
    assert document["members"][2]["penalty"] == document["penalty"]  # thumb, the hero here


# The script ----------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_best_response_from_start_to_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = f"--field @v0 --folder {tmp_path} --name first --deals 128 --games 64 --threads 1"
    small = "--width 32 --blocks 1 --critic-width 32 --critic-blocks 1 --evaluate-deals 40"
    assert best_response.main([*words.split(), *small.split()]) == 0
    said = capsys.readouterr().out
    assert said.startswith("At a table of @v0 the hero pays ")
    assert "Budget: 128 deals from nothing" in said
    document = json.loads((tmp_path / "first" / "best_response.json").read_text())
    budget = document["budget"]
    assert (budget["deals"], budget["decisions"], budget["threads"]) == (128, 1280, 1)
    assert document["field"] == ["constant?bid=35", "random", "thumb"]
    assert document["gain"]["mean"] == pytest.approx(
        document["members_penalty"]["mean"] - document["penalty"]["mean"]
    )
    again = evaluate(document["hero"], "@v0", deals=40, seed=document["seed"])
    assert again.penalty().to_json() == document["penalty"]
    # The same command is refused where a run lies, as that of any run.
    assert best_response.main([*words.split(), *small.split()]) == 2
    assert "holds a run already" in capsys.readouterr().err


def test_a_mistake_is_answered_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    for words, said in (
        ("--field @v9", "there is no field '@v9'"),
        ("--width 3", "--field"),
        ("--field thumb --wdth 3", "--wdth"),
        ("--field thumb --width 0", "width is 0"),
    ):
        assert best_response.main(words.split()) == 2
        error = capsys.readouterr().err
        assert error.count("\n") == 1
        assert said in error


# A policy to begin with ----------------------------------------------------------------------


def test_a_run_begins_as_another_one_ended(tmp_path: Path) -> None:
    first = smoke(tmp_path, name="first", deals=64, width=48, blocks=2)
    assert train(first) == 0
    path = RunFiles(first).policy_path
    second = PPOLearner(smoke(tmp_path, start=str(path)))  # width and blocks are the checkpoint's
    assert second.policy.shape == PPOLearner(first).policy.shape
    trained = RunFiles(first)
    learner = PPOLearner(first)
    trained.restore(learner, print)
    for name, weights in learner.average.items():
        assert torch.equal(weights, second.average[name])
    assert second.update()["ratio_error"] == 0
    resumed = smoke(tmp_path, name="second", start=str(path), deals=128, save_every=0)
    assert train(resumed) == 0
    assert train(resumed, resume=True) == 0
    made = load(RunFiles(resumed).policy_path)[1]["training"]
    assert made["deals"] == 128 and made["start"] == load(path)[1]["training"]


def test_a_policy_is_shipped_in_half_precision_with_all_its_stages_on_the_card(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ship, "FIELDS", ("thumb",))
    first = smoke(tmp_path, name="first", deals=64)
    second = smoke(tmp_path, name="second", deals=128, start=str(RunFiles(first).policy_path))
    assert train(first) == 0 and train(second) == 0
    policy, model = RunFiles(second).policy_path, tmp_path / "models" / "tried.safetensors"
    assert ship.main([str(policy), str(model), "--deals", "2"]) == 0
    (trained, _), (shipped, document) = load(policy), load(model)
    for name, weights in trained.items():
        assert shipped[name].dtype == np.float16
        np.testing.assert_allclose(shipped[name], weights, rtol=1e-3, atol=1e-6)
    made = ship.stages(document["training"])
    assert [stage["deals"] for stage in made] == [64, 128]
    assert not any("folder" in stage["config"] for stage in made)
    played = evaluate(str(model), "thumb", deals=2, seed=ship.SEED).to_json()
    assert document["strength"]["tables"][1]["penalty"] == played["penalty"]
    card = model.with_suffix(".md").read_text(encoding="utf-8")
    assert "| training | 192 deals, " in card
    assert "| run 1 | `training/ppo.py`, seed 1, 64 deals; " in card
    assert "| run 2 | `training/ppo.py`, seed 1, 128 deals; " in card


def test_a_policy_of_no_run_is_not_shipped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    policy = tmp_path / "policy.safetensors"
    PolicyNetwork.for_rules(Rules(), width=4, blocks=1).to_checkpoint(policy, Rules())
    assert ship.main([str(policy), str(tmp_path / "model.safetensors")]) == 2
    said = capsys.readouterr().err
    assert "does not tell how it was trained" in said and said.count("\n") == 1


def test_added_blocks_change_nothing_before_they_learn(tmp_path: Path) -> None:
    first = smoke(tmp_path, name="first", deals=64)
    assert train(first) == 0
    path = str(RunFiles(first).policy_path)
    plain, deeper = (PPOLearner(smoke(tmp_path, start=path, more_blocks=more)) for more in (0, 2))
    assert deeper.policy.shape == plain.policy.shape | {"blocks": first.blocks + 2}
    rows = torch.rand(64, plain.policy.features.size)
    for before, after in zip(
        plain.policy.split_logits(rows, 8), deeper.policy.split_logits(rows, 8), strict=True
    ):
        assert torch.equal(before, after)
    deeper.update()
    added = deeper.policy.get_parameter(f"trunk.blocks.{first.blocks + 1}.outer.weight")
    assert added.abs().sum() > 0
    with pytest.raises(ConfigError, match="more_blocks is 2; allowed without start: 0"):
        smoke(tmp_path, more_blocks=2)


@pytest.mark.parametrize("start", ["none.safetensors", "README.md"])
def test_a_start_that_cannot_be_is_refused(tmp_path: Path, start: str) -> None:
    with pytest.raises(ConfigError, match=f"start: .*{start}"):
        PPOLearner(smoke(tmp_path, start=str(ROOT / start)))
