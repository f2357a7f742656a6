"""Whole runs of the trainer: repeated, resumed, interrupted, killed, wrongly started."""

import dataclasses
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from differenzler_env import Rules, agents
from differenzler_env.checkpoint import CheckpointError, load, read, save
from training import demo, run
from training.config import (
    ConfigError,
    PPOConfig,
    make_config,
    read_yaml,
)
from training.ppo_learner import PPOLearner
from training.run import train
from training.run_files import RunFiles, read_progress

ROOT = Path(__file__).resolve().parent.parent
SMOKE = read_yaml(ROOT / "configs" / "smoke_swisslos.yaml")


pytestmark = pytest.mark.usefixtures("one_thread")


def smoke(tmp_path: Path, **changes: object) -> PPOConfig:
    return make_config(SMOKE | {"folder": str(tmp_path)} | changes)


def newest(config: PPOConfig) -> dict[str, np.ndarray]:
    return read(RunFiles(config).checkpoints()[-1])[0]


def assert_same(first: dict[str, np.ndarray], second: dict[str, np.ndarray]) -> None:
    assert first.keys() == second.keys()
    for name, array in first.items():
        np.testing.assert_array_equal(array, second[name], err_msg=name)


# The same again ----------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_weights(tmp_path: Path) -> None:
    configs = [smoke(tmp_path, name=name, deals=128) for name in ("a", "b")]
    other = smoke(tmp_path, name="c", deals=128, seed=2)
    for config in (*configs, other):
        assert train(config) == 0
    assert_same(newest(configs[0]), newest(configs[1]))
    name = "weights.policy.trunk.enter.weight"
    assert (newest(configs[0])[name] != newest(other)[name]).any()


def test_a_resumed_run_is_a_continuation(tmp_path: Path) -> None:
    whole = smoke(tmp_path, name="whole", deals=20 * 64, warm_up=3)
    parts = dataclasses.replace(whole, name="parts")
    assert train(whole) == 0

    def stop_after_ten(learner: PPOLearner, figures: dict[str, float]) -> None:
        if figures["update"] == 10:
            os.kill(os.getpid(), signal.SIGINT)

    assert train(parts, after_update=stop_after_ten) == 130
    assert read_progress(RunFiles(parts).progress_path)[-1]["update"] == 10
    assert train(parts, resume=True) == 0
    assert_same(newest(whole), newest(parts))
    timed = {"seconds", "collect_seconds", "learn_seconds", "decisions_per_second"}
    lines = [read_progress(RunFiles(config).progress_path) for config in (whole, parts)]
    assert len(lines[0]) == 20
    for one, other in zip(*lines, strict=True):
        assert {k: v for k, v in one.items() if k not in timed} == {
            k: v for k, v in other.items() if k not in timed
        }


def test_a_truncated_checkpoint_falls_back_to_the_one_before(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = smoke(tmp_path, deals=4 * 64, save_every=0)
    assert train(config) == 0
    files = RunFiles(config)
    before = newest(config)
    path = files.checkpoints()[-1]
    path.write_bytes(path.read_bytes()[:1000])
    with files.progress_path.open("ab") as progress:
        progress.write(b'\xff\n[1]\n{"other": 1}\n{"update": ')
    capsys.readouterr()
    assert train(config, resume=True) == 0
    said = capsys.readouterr().err
    assert "going on from the one before" in said and str(path) in said
    assert "resumed after update 3" in said
    assert_same(newest(config), before)
    assert [line["update"] for line in read_progress(files.progress_path)] == [1, 2, 3, 4]
    for path in files.checkpoints():
        path.write_bytes(b"nothing")
    with pytest.raises(CheckpointError, match="cut short"):
        train(config, resume=True)


def test_only_the_newest_checkpoints_are_kept(tmp_path: Path) -> None:
    config = smoke(tmp_path, deals=6 * 64, save_every=0, keep=2)
    assert train(config) == 0
    names = [path.name for path in RunFiles(config).checkpoints()]
    assert names == ["training-0000005.safetensors", "training-0000006.safetensors"]


def test_what_was_trained_plays(tmp_path: Path) -> None:
    config = smoke(tmp_path, deals=64)
    assert train(config) == 0
    path = RunFiles(config).policy_path
    _, document = load(path, Rules.swisslos())
    assert document["training"]["config"]["seed"] == 1 and document["training"]["deals"] == 64
    agent = agents.load(str(path), Rules.swisslos())
    assert agent.batched


def test_a_run_whose_time_is_up_says_how_far_it_came(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = smoke(tmp_path, deals=640, minutes=1e-6)
    assert train(config) == 0
    said = capsys.readouterr().err
    assert "time is up (minutes 1e-06): 64 of 640 deals; go on with --resume\n" in said
    assert train(smoke(tmp_path, deals=128), resume=True) == 0
    assert "time is up" not in capsys.readouterr().err


# Interrupted and killed --------------------------------------------------------------------


@contextmanager
def started(config: PPOConfig, *extra: str) -> Iterator[subprocess.Popen[str]]:
    """A training process, killed at the end however the test went."""
    changes = {"folder": config.folder, "name": config.name, "deals": config.deals}
    options = [text for name, value in changes.items() for text in (f"--{name}", str(value))]
    command = [sys.executable, "training/ppo.py", "--config", "configs/smoke_swisslos.yaml"]
    with subprocess.Popen(
        [*command, *options, *extra], cwd=ROOT, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def lives_on(process: subprocess.Popen[str], seconds: float) -> bool:
    """Whether a process is still there after so long; where it ends, that is known at once."""
    try:
        process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        return True
    return False


def wait_for_update(config: PPOConfig, update: int, process: subprocess.Popen[str]) -> None:
    path = RunFiles(config).progress_path
    for _ in range(60_000):  # starting takes long where many tests run
        if path.exists() and any(line["update"] >= update for line in read_progress(path)):
            return
        if lives_on(process, 0.01):
            continue
        raise AssertionError(process.communicate()[1])
    raise AssertionError(f"no update {update} within ten minutes")


def test_ctrl_c_saves_and_says_so(tmp_path: Path) -> None:
    config = smoke(tmp_path, deals=10_000_000)
    with started(config) as process:
        wait_for_update(config, 2, process)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=600)
    assert process.returncode == 130
    assert "interrupted: saved after update" in said and "--resume" in said
    assert "Traceback" not in said
    saved = read(RunFiles(config).checkpoints()[-1])[1]["progress"]["updates"]
    assert saved == read_progress(RunFiles(config).progress_path)[-1]["update"]


def test_the_same_ctrl_c_twice_is_one_a_later_one_is_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with run.Interruption() as interruption:
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)
        assert interruption.noticed
        now = time.monotonic()
        monkeypatch.setattr(run.time, "monotonic", lambda: now + 10)
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)


@pytest.mark.parametrize(
    "kills",
    [pytest.param(3, marks=pytest.mark.slow), pytest.param(20, marks=pytest.mark.long)],
)
def test_killed_at_random_moments_nothing_but_the_update_at_hand_is_lost(
    tmp_path: Path, kills: int
) -> None:
    config = smoke(tmp_path, deals=10_000_000)
    random = np.random.default_rng(7)
    update = 0
    for attempt in range(kills):
        with started(config, "--save-every", "0", *(["--resume"] if attempt else [])) as process:
            wait_for_update(config, update + 2, process)
            assert lives_on(process, random.uniform(0.0, 0.2))
        _, document = read(RunFiles(config).checkpoints()[-1])
        assert document["progress"]["updates"] > update
        update = document["progress"]["updates"]
        logged = read_progress(RunFiles(config).progress_path)[-1]["update"]
        assert logged - update <= 1
        load(RunFiles(config).policy_path, Rules.swisslos())


def test_two_runs_do_not_share_a_folder(tmp_path: Path) -> None:
    config = smoke(tmp_path, deals=64)

    def again(learner: PPOLearner, figures: dict[str, float]) -> None:
        with pytest.raises(ConfigError, match="another process trains in") as caught:
            train(config)
        assert str(config.run_folder) in str(caught.value)

    assert train(config, after_update=again) == 0
    assert [line["update"] for line in read_progress(RunFiles(config).progress_path)] == [1]
    assert train(dataclasses.replace(config, deals=128), resume=True) == 0


def test_a_full_disk_is_one_line_and_the_old_checkpoint_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = smoke(tmp_path, deals=128)
    learner = PPOLearner(config)
    files = RunFiles(config)
    files.begin(resume=False)
    files.save(learner)
    before = newest(config)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    learner.update()
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(CheckpointError, match="No space left"):
        files.save(learner)
    assert_same(newest(config), before)


def test_a_disk_that_is_full_for_a_while_costs_no_training(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    config = smoke(tmp_path, deals=4 * 64, save_every=0)
    genuine = os.fsync
    number = 0

    def full_at_first(descriptor: int) -> None:
        if number < 2:
            raise OSError(28, "No space left on device")
        genuine(descriptor)

    def count(learner: PPOLearner, figures: dict[str, float]) -> None:
        nonlocal number
        number = int(figures["update"])

    monkeypatch.setattr(os, "fsync", full_at_first)
    assert train(config, after_update=count) == 0
    said = capsys.readouterr().err
    assert said.count("No space left on device; training goes on") == 1
    names = [path.name[9:16] for path in RunFiles(config).checkpoints()]
    assert names == ["0000002", "0000003", "0000004"]


def test_figures_that_cannot_be_written_cost_no_training(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = smoke(tmp_path, deals=3 * 64)
    path = RunFiles(config).progress_path

    def full_for_one_update(learner: PPOLearner, figures: dict[str, float]) -> None:
        if figures["update"] < 3:
            path.unlink()
        if figures["update"] == 1:
            path.symlink_to("/dev/full")

    assert train(config, after_update=full_for_one_update) == 0
    said = capsys.readouterr().err
    assert (
        said.count("progress.jsonl' could not be written: No space left on device; training") == 1
    )
    assert [line["update"] for line in read_progress(path)] == [3]
    load(RunFiles(config).policy_path, Rules.swisslos())


def test_a_full_disk_ends_in_one_line(tmp_path: Path) -> None:
    config = smoke(tmp_path, deals=64)

    def room_for_small_files() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    changes = {"folder": config.folder, "name": config.name, "deals": config.deals}
    options = [text for name, value in changes.items() for text in (f"--{name}", str(value))]
    done = subprocess.run(
        [sys.executable, "training/ppo.py", "--config", "configs/smoke_swisslos.yaml", *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        preexec_fn=room_for_small_files,
    )
    assert done.returncode == 1
    *_, last = done.stderr.splitlines()  # on a slow machine a line of progress comes before
    assert last.startswith("ppo.py: checkpoint") and "could not be written: File too large" in last
    assert "Traceback" not in done.stderr
    assert sorted(path.name for path in config.run_folder.iterdir()) == [
        "config.yaml",
        "progress.jsonl",
    ]


def test_a_checkpoint_of_another_observation_is_not_resumed(tmp_path: Path) -> None:
    config = smoke(tmp_path, deals=64)
    assert train(config) == 0
    path = RunFiles(config).checkpoints()[-1]
    tensors, document = read(path)
    save(path, tensors, document | {"observation": "0123"})
    with pytest.raises(CheckpointError, match="is for observation version 0123") as caught:
        train(dataclasses.replace(config, deals=128), resume=True)
    assert "\n" not in str(caught.value)
    del document["observation"]  # as checkpoints were before
    save(path, tensors, document)
    assert train(dataclasses.replace(config, deals=128), resume=True) == 0


# Other settings ----------------------------------------------------------------------------


def test_a_run_is_not_overwritten(tmp_path: Path) -> None:
    config = smoke(tmp_path, deals=64)
    assert train(config) == 0
    with pytest.raises(ConfigError, match="holds a run already"):
        train(config)


def test_other_networks_are_not_resumed(tmp_path: Path) -> None:
    assert train(smoke(tmp_path, deals=64)) == 0
    with pytest.raises(CheckpointError, match="does not fit these settings"):
        train(smoke(tmp_path, deals=128, width=48), resume=True)


def test_games_must_divide_among_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORLD_SIZE", "3")
    with pytest.raises(ConfigError, match="64, which does not divide among 3"):
        train(smoke(tmp_path))


@pytest.mark.parametrize("rules", ["table", "mini", {"players": 5}, {"players": 3, "stoeck": 20}])
def test_all_rule_sets_train(tmp_path: Path, rules: object) -> None:
    config = smoke(tmp_path, rules=rules, games=16, deals=32)
    assert train(config) == 0
    load(RunFiles(config).policy_path, config.deal_rules())


# The demonstration -------------------------------------------------------------------------


def test_the_demonstration_leaves_other_runs_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = smoke(tmp_path, deals=64, name="mine")
    assert train(config) == 0
    before = newest(config)
    assert demo.main(["--folder", str(tmp_path), "--name", "mine"]) == 2
    assert "holds a run already" in capsys.readouterr().err
    # Even under the demonstration's own name, what it did not make stays.
    config.run_folder.rename(tmp_path / "demo")
    assert demo.main(["--folder", str(tmp_path)]) == 2
    assert demo.main(["--folder", str(tmp_path), "--resume"]) == 2
    assert "starts anew" in capsys.readouterr().err
    moved = dataclasses.replace(config, name="demo")
    assert_same(newest(moved), before)
    assert RunFiles(moved).policy_path.exists()


def test_a_demonstration_gives_way_to_the_next(tmp_path: Path) -> None:
    config = smoke(tmp_path, deals=64, name="demo")
    assert train(config) == 0
    (config.run_folder / demo.PICTURE).touch()
    demo.clear(config)
    assert not RunFiles(config).checkpoints() and not RunFiles(config).policy_path.exists()
    assert not (config.run_folder / demo.PICTURE).exists()


def test_an_interrupted_demonstration_speaks_of_no_resuming(tmp_path: Path) -> None:
    command = [sys.executable, "training/demo.py", "--folder", str(tmp_path), "--threads", "1"]
    small = ("--games", "64", "--minibatches", "2", "--width", "32", "--deals", "10_000_000")
    with subprocess.Popen(
        [*command, *small], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        wait_for_update(smoke(tmp_path, name="demo"), 1, process)
        process.send_signal(signal.SIGINT)
        shown, said = process.communicate(timeout=600)
    assert process.returncode == 130
    assert "interrupted: saved after update" in said and "--resume" not in said + shown
