"""The examples: short, runnable from anywhere, and each ends with a printed result.

Those of other libraries end with what the library booked and with the penalties of the same games
played again by the engine, which add up.
"""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[1] / "examples"
NUMBER = r"\d+\.\d"
BOOKS = r"booked -(\d+), penalties replayed (\d+)"
# Arguments that make it short, and its last line.
EXAMPLES = {
    "aec_loop": (
        ["--matches", "5"],
        rf"mean penalty over 20 deals: player_0 {NUMBER}(, player_\d {NUMBER}){{3}}",
    ),
    "single_seat_maskable_ppo": (
        ["--steps", "100"],
        rf"mean penalty over 100 deals: random {NUMBER}, learnt {NUMBER}",
    ),
    "vector_custom_policy": (
        ["--steps", "10"],
        rf"mean penalty of 1024 deals: first {NUMBER}, last {NUMBER}",
    ),
    "agilerl_dqn": (["--rounds", "1"], BOOKS),
    "openspiel_ismcts": (["--deals", "1", "--simulations", "3"], BOOKS),
    "rllib_ppo": (["--rounds", "1"], BOOKS),
    "tianshou_dqn": (["--rounds", "2"], BOOKS),
    "torchrl_ppo": (["--rounds", "2"], BOOKS),
}
# Where an example needs a library that is not in every environment: the module, the make target.
NEEDS = {
    "agilerl_dqn": ("agilerl", "test-agilerl"),
    "openspiel_ismcts": ("pyspiel", "test-openspiel"),
    "rllib_ppo": ("ray", "test-rllib"),
    "tianshou_dqn": ("tianshou", "test-tianshou"),
    "torchrl_ppo": ("torchrl", "test-torchrl"),
}
# Tried in tests of their own, as they need a file or a library first.
ELSEWHERE = {"onnx_runtime_match"}


def test_all_are_here_and_short():
    lengths = {
        path.stem: len(path.read_text(encoding="utf-8").splitlines())
        for path in FOLDER.glob("*.py")
    }
    assert lengths.keys() == EXAMPLES.keys() | ELSEWHERE
    assert max(lengths.values()) <= 60


@pytest.mark.slow
@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_ends_with_its_result(name: str, tmp_path: Path) -> None:
    arguments, result = EXAMPLES[name]
    module, target = NEEDS.get(name, ("differenzler_env", "test"))
    if importlib.util.find_spec(module) is None:
        pytest.skip(f"{module} is not installed: make {target}")
    run = subprocess.run(
        [sys.executable, str(FOLDER / f"{name}.py"), *arguments],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert run.stderr == "" or name in NEEDS  # other libraries may warn
    last = run.stdout.splitlines()[-1]
    assert re.fullmatch(result, last), last
    if result == BOOKS:
        booked, replayed = map(int, re.findall(r"\d+", last))
        assert booked == replayed > 0
    if name == "aec_loop":  # the seat that follows a rule is better than chance
        penalties = [float(number) for number in re.findall(rf"player_\d ({NUMBER})", last)]
        assert penalties[0] < min(penalties[1:])
