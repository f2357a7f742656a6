"""Deep Monte Carlo: its choices, its loss, its runs; and that it is a learner as PPO is one."""

import dataclasses
import os
import signal
from pathlib import Path

import numpy as np
import pytest
import torch

from differenzler_env import Rules, agents
from differenzler_env.agents.network_agent import NetworkAgent
from differenzler_env.checkpoint import CheckpointError, load, read
from training import compare, dmc
from training.config import DMCConfig, make_config, read_yaml
from training.dmc_learner import DMCLearner, epsilon_greedy
from training.losses import take
from training.pool import copied
from training.run import train
from training.run_files import RunFiles, read_progress

ROOT = Path(__file__).resolve().parent.parent
SMALL = {
    "games": 64,
    "minibatches": 2,
    "epochs": 1,
    "width": 32,
    "blocks": 1,
    "precision": "float32",
    "threads": 1,
    "deals": 256,
    "tensorboard": False,
}

pytestmark = pytest.mark.usefixtures("one_thread")


def small(tmp_path: Path, **changes: object) -> DMCConfig:
    return make_config(SMALL | {"folder": str(tmp_path)} | changes, DMCConfig)


def small_learner(**changes: object) -> DMCLearner:
    return DMCLearner(make_config(SMALL | changes, DMCConfig))


# Choices -----------------------------------------------------------------------------------


def test_the_best_legal_action_and_now_and_then_another() -> None:
    values = torch.tensor([[5.0, 1.0, 3.0, 2.0], [0.0, -9.0, -9.0, 0.0]])
    mask = torch.tensor([[False, True, True, True], [False, True, False, False]])
    chances = epsilon_greedy(values, mask, 0.3).exp()
    expected = torch.tensor([[0.0, 0.1, 0.8, 0.1], [0.0, 1.0, 0.0, 0.0]])
    torch.testing.assert_close(chances, expected)
    greedy = epsilon_greedy(values, mask, 0.0).exp()
    torch.testing.assert_close(greedy, torch.eye(4)[[2, 1]])


def test_exploration_falls_over_the_run() -> None:
    learner = small_learner(bid_exploration=0.2, card_exploration=0.1, final_exploration=0.5)
    one = torch.zeros(1, 2), torch.ones(1, 2, dtype=torch.bool)
    for done, share in ((0, 1.0), (128, 0.75), (256, 0.5), (512, 0.5)):
        learner.progress.deals = done
        ways = learner.distribution()
        for way, start in ((ways.bids, 0.2), (ways.cards, 0.1)):
            second = float(way(*one).exp()[0, 1])
            assert second == pytest.approx(share * start / 2)


def test_how_often_it_explores() -> None:
    learner = small_learner(games=512, bid_exploration=0.25, card_exploration=0.25)
    rollout = learner.collector.collect(learner.policy, 3, learner.distribution())
    with torch.no_grad():
        bids, cards = learner.policy.split_logits(rollout.rows, rollout.num_bids)
    for values, masks, actions in (
        (bids, rollout.bid_masks, rollout.actions[: rollout.num_bids]),
        (cards, rollout.card_masks, rollout.actions[rollout.num_bids :]),
    ):
        best = values.masked_fill(~masks, -torch.inf).argmax(1)
        other = (actions != best).double()
        expected = 0.25 * (1 - 1 / masks.sum(1))
        error = (expected.mean() * (1 - expected.mean()) / len(other)) ** 0.5
        assert abs(float(other.mean() - expected.mean())) < 4 * float(error)
        assert masks.gather(1, actions[:, None]).all()


# Learning ----------------------------------------------------------------------------------


def test_what_came_of_a_decision_is_its_seats_penalty() -> None:
    learner = small_learner(reward_scale=10.0)
    rollout = learner.collector.collect(learner.policy, 3, learner.distribution())
    ((outcomes,), figures) = learner.targets(rollout)
    _, players, games = rollout.shape
    seats = (rollout.places // games) % players
    expected = -rollout.penalties[seats, rollout.places % games] / 10
    torch.testing.assert_close(outcomes, expected)
    assert figures["penalty"] == pytest.approx(float(rollout.penalties.mean()), rel=1e-6)


def test_only_the_value_of_what_was_done_is_moved() -> None:
    learner = small_learner()
    rollout = learner.collector.collect(learner.policy, 3, learner.distribution())
    targets, _ = learner.targets(rollout)
    split, row = rollout.num_bids, rollout.num_bids + 5
    batch = take(rollout, targets, torch.arange(1), torch.tensor([row]))
    loss, figures = learner.loss(batch)
    with torch.no_grad():
        bids, cards = learner.policy.split_logits(batch.rows, 1)
    values = torch.stack([bids[0, rollout.actions[0]], cards[0, rollout.actions[row]]])
    errors = (values - targets[0][[0, row]]).square()
    assert float(loss.detach()) == pytest.approx(float(errors.mean()) / 2, rel=1e-5)
    torch.testing.assert_close(figures, errors)
    assert split == 256
    loss.backward()
    moved = learner.policy.card_head.bias.grad.nonzero().ravel().tolist()
    assert moved == [int(rollout.actions[row])]


def test_it_plays_the_action_of_highest_value() -> None:
    learner = small_learner()
    for _ in range(3):
        learner.update()
    weights = copied(dict(learner.policy.named_parameters()))
    agent = NetworkAgent(learner.rules, weights, learner.policy.shape)
    batch = learner.collector.batch
    batch.reset(seed=5)
    while (batch.current_seat >= 0).any():
        with torch.no_grad():
            values = learner.policy(torch.from_numpy(batch.observe())).numpy()
        values[batch.legal_mask() == 0] = -np.inf
        actions = agent.act_batch(batch.views(), batch.decision_keys())
        chosen = np.take_along_axis(values, actions[:, None], axis=1)[:, 0]
        np.testing.assert_allclose(chosen, values.max(1), atol=1e-4)
        batch.step(actions)


def test_errors_become_smaller() -> None:
    learner = small_learner(games=256, minibatches=8, deals=256 * 12, warm_up=0)
    errors = [learner.update()["card_error"] for _ in range(12)]
    assert np.mean(errors[-3:]) < 0.6 * errors[0]


# Runs --------------------------------------------------------------------------------------


def test_a_resumed_run_is_a_continuation(tmp_path: Path) -> None:
    whole = small(tmp_path, name="whole", deals=6 * 64, pool="past, thumb", past_every=2)
    parts = dataclasses.replace(whole, name="parts")
    assert train(whole, kind=DMCLearner) == 0

    def stop_after_three(learner: DMCLearner, figures: dict[str, float]) -> None:
        if figures["update"] == 3:
            os.kill(os.getpid(), signal.SIGINT)

    assert train(parts, after_update=stop_after_three, kind=DMCLearner) == 130
    assert train(parts, resume=True, kind=DMCLearner) == 0
    ends = [read(RunFiles(config).checkpoints()[-1])[0] for config in (whole, parts)]
    assert ends[0].keys() == ends[1].keys()
    for name, array in ends[0].items():
        np.testing.assert_array_equal(array, ends[1][name], err_msg=name)


def test_what_was_trained_plays(tmp_path: Path) -> None:
    assert dmc.main(options(tmp_path)) == 0
    path = tmp_path / "dmc" / "policy.safetensors"
    _, document = load(path, Rules.swisslos())
    assert document["training"]["method"] == "Deep Monte Carlo"
    assert document["training"]["config"]["bid_exploration"] == 0.05
    assert agents.load(str(path), Rules.swisslos()).batched


def options(tmp_path: Path, **changes: object) -> list[str]:
    given = SMALL | {"folder": tmp_path, "deals": 64} | changes
    return [text for name, value in given.items() for text in (f"--{name}", str(value).lower())]


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"clip": 0.1}, "--clip"),
        ({"critic_width": 64}, "--critic_width"),
        ({"final-exploration": 2}, "final_exploration is 2"),
        ({"games": 1}, "minibatches is 2"),
    ],
)
def test_a_bad_command_line_exits_with_2(
    tmp_path: Path, changes: dict[str, object], what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert dmc.main(options(tmp_path, **changes)) == 2
    out, said = capsys.readouterr()
    assert what in said and said.startswith("dmc.py: ") and said.count("\n") == 1 and not out
    assert not (tmp_path / "dmc").exists()


def test_settings_of_the_other_learner_are_unknown(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_text("clip: 0.1")
    with pytest.raises(ValueError, match="unknown setting 'clip'"):
        read_yaml(path, DMCConfig)
    path.write_text("bid_exploration: 0.1")
    with pytest.raises(ValueError, match="unknown setting 'bid_exploration'"):
        read_yaml(path)


def test_a_run_of_the_other_learner_is_not_resumed(tmp_path: Path) -> None:
    config = small(tmp_path, deals=64)
    assert train(config, kind=DMCLearner) == 0
    shared = {name: getattr(config, name) for name in SMALL | {"folder": 0, "name": 0}}
    with pytest.raises(CheckpointError, match="does not fit these settings"):
        train(make_config(shared | {"deals": 128}), resume=True)


def test_a_comparison_goes_on_where_it_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(compare, "CONFIG", tmp_path / "tiny.yaml")
    monkeypatch.setattr(compare, "DEALS", 4)
    (tmp_path / "tiny.yaml").write_text("games: 64\nminibatches: 2\nwidth: 32\nblocks: 1\n")
    asked = ["--folder", str(tmp_path), "--seeds", "2", "--deals", "64"]
    assert compare.main(asked) == 0
    first, said = capsys.readouterr()
    lines = [line.split(" | ") for line in first.splitlines()]
    assert [line[0] for line in lines] == ["learner", "ppo", "dmc"]
    assert lines[0][1:4] == list(compare.TABLES)
    assert said.count("policy saved") == 4
    before = (tmp_path / "dmc-2" / "policy.safetensors").stat().st_mtime_ns
    assert compare.main(asked) == 0
    assert capsys.readouterr() == (first, "")
    assert (tmp_path / "dmc-2" / "policy.safetensors").stat().st_mtime_ns == before
    assert compare.main(["--deals", "few"]) == 2
    assert compare.main(["--seeds", "0", "--folder", str(tmp_path)]) == 2
    progress = read_progress(tmp_path / "ppo-1" / "progress.jsonl")
    assert len(progress) == 1
