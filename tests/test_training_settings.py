"""Settings of training: from the file and the command line, each mistake in one line."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from training import ppo
from training.config import (
    ConfigError,
    DMCConfig,
    PPOConfig,
    make_config,
    parse_arguments,
    read_yaml,
)

ROOT = Path(__file__).resolve().parent.parent


def test_the_command_line_comes_on_top_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_text("width: 64\nlearning_rate: 1e-3\nrules: {players: 3}\n")
    config, resume = parse_arguments(["--config", str(path), "--width", "96", "--resume"])
    assert (config.width, config.learning_rate, resume) == (96, 1e-3, True)
    assert config.deal_rules().players == 3
    assert config.deal_rules().deals == 1
    assert parse_arguments([])[0] == PPOConfig()


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("widht: 64", "unknown setting 'widht'; did you mean 'width'?"),
        ("nonsense: 64", "unknown setting 'nonsense'; settings are name, folder, seed"),
        ("width: wide", "width is 'wide'"),
        ("width: 0", "width is 0"),
        ("width: 1.5", "width is 1.5"),
        ("width: .inf", "width is inf"),
        ("tensorboard: 3", "tensorboard is 3"),
        ("gae_lambda: 2", "gae_lambda is 2"),
        ("rules: poker", "rules: 'poker' is not a rule set"),
        ("rules: {players: 7}", "players is 7"),
        ("precision: float16", "precision is 'float16'"),
        ("name: a/b", "name is 'a/b'"),
        ('name: "a\\0b"', "name is 'a"),
        ("learning_rate: .inf", "learning_rate is inf"),
        (f"learning_rate: 1{400 * '0'}", "learning_rate is 1000"),
        ("device: mps", "device is 'mps'"),
        ("- a", "holds no settings"),
        ("a: [", "is not YAML"),
        ("seed: 2026-02-30", "is not YAML"),
        ("width: !!timestamp x", "is not YAML"),
        (500 * "[", "is not YAML"),
    ],
)
def test_bad_settings_are_one_line(tmp_path: Path, text: str, what: str) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        parse_arguments(["--config", str(path)])
    assert what in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["--widht", "64"], "no option '--widht'; did you mean '--width'?"),
        (["--learning-rat=3"], "no option '--learning-rat'; did you mean '--learning-rate'?"),
        (["swisslos.yaml"], "there is no option 'swisslos.yaml'"),
        (["--width", "x"], "width is 'x'"),
        (["--width", "0b_"], "width is '0b_'"),
        (["--name", 400 * "n"], "name is 'nnn"),
        (["--config", "absent.yaml"], "absent.yaml"),
        (["--resume", "--name", "absent"], "no run to resume"),
        (["--device", "cuda:99"], "cuda:99"),
        (["--threads", "1000000000"], "allowed: 0 to 1024"),
    ],
)
def test_a_bad_command_line_exits_with_2(
    tmp_path: Path, arguments: list[str], what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ppo.main(["--folder", str(tmp_path), *arguments]) == 2
    out, said = capsys.readouterr()
    assert what in said and said.count("\n") == 1 and not out


def test_the_script_runs_from_anywhere(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "training" / "ppo.py"), "--widht", "64"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.returncode == 2
    assert "--widht" in done.stderr and done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "path", sorted((ROOT / "configs").glob("*.yaml")), ids=lambda path: path.stem
)
def test_the_configurations_are_valid(path: Path) -> None:
    kind = DMCConfig if path.stem.startswith("dmc") else PPOConfig
    config = make_config(read_yaml(path, kind), kind)
    json.dumps(config.to_dict())
