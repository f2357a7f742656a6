"""The examples: short, runnable from anywhere, and each ends with a printed result."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[1] / "examples"
NUMBER = r"\d+\.\d"
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
}
# Tried in tests of their own, as they need a file or a library first.
ELSEWHERE = {"onnx_runtime_match"}


def test_all_are_here_and_short():
    lengths = {
        path.stem: len(path.read_text(encoding="utf-8").splitlines())
        for path in FOLDER.glob("*.py")
    }
    assert lengths.keys() == EXAMPLES.keys() | ELSEWHERE
    assert max(lengths.values()) < 60


@pytest.mark.slow
@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_ends_with_its_result(name: str, tmp_path: Path) -> None:
    arguments, result = EXAMPLES[name]
    run = subprocess.run(
        [sys.executable, str(FOLDER / f"{name}.py"), *arguments],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert run.stderr == ""
    last = run.stdout.splitlines()[-1]
    assert re.fullmatch(result, last), last
    if name == "aec_loop":  # the seat that follows a rule is better than chance
        penalties = [float(number) for number in re.findall(rf"player_\d ({NUMBER})", last)]
        assert penalties[0] < min(penalties[1:])
