"""Adapters: imported on demand; a missing library is one line that says what to install."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
# The extra of each adapter, and the modules that it brings.
ADAPTERS = {
    "onnx": ("onnx", ["torch", "onnx", "onnxruntime", "onnxscript"]),
    "openspiel": ("openspiel", ["pyspiel"]),
    "openspiel_bots": ("openspiel", ["pyspiel"]),
    "openspiel_observer": ("openspiel", ["pyspiel"]),
    "rllib": ("rllib", ["torch", "ray"]),
    "sb3": ("sb3", ["stable_baselines3"]),
    "sb3_policy": ("sb3", ["torch", "sb3_contrib"]),
}
LIBRARIES = sorted({module for _, modules in ADAPTERS.values() for module in modules})


def said(code: str, absent: list[str]) -> str:
    """What a program prints where these modules cannot be imported."""
    hidden = f"import sys\nsys.modules.update(dict.fromkeys({absent}))\n"
    run = subprocess.run(
        [sys.executable, "-c", hidden + code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert not run.stderr
    return run.stdout


def test_all_adapters_are_here() -> None:
    folder = ROOT / "differenzler_env" / "adapters"
    assert {path.stem for path in folder.glob("*.py")} - {"__init__"} == ADAPTERS.keys()


def test_none_is_imported_unasked() -> None:
    assert said("import differenzler_env, differenzler_env.adapters\nprint('here')", LIBRARIES)


@pytest.mark.slow
@pytest.mark.parametrize("adapter", ADAPTERS)
def test_a_missing_library_is_one_line(adapter: str) -> None:
    """Whichever is missing first: the others may be missing too, or be there."""
    extra, modules = ADAPTERS[adapter]
    first = modules[0]
    code = (
        f"try:\n    import differenzler_env.adapters.{adapter}\n"
        "except ModuleNotFoundError as error:\n    print(error)"
    )
    for absent in [[first], modules]:
        needs, install = said(code, absent).splitlines()[0].split(": ")
        assert needs.removeprefix("this adapter needs ") in absent
        assert install == f"pip install 'differenzler-env[{extra}]'"
        assert said(code, absent).count("\n") == 1


@pytest.mark.parametrize(
    ("script", "absent", "extra"),
    [
        ("rllib_ppo.py", "ray", "rllib"),
        ("sb3_maskable_ppo.py", "sb3_contrib", "sb3"),
    ],
)
def test_a_script_without_its_library_says_so(script: str, absent: str, extra: str) -> None:
    code = (
        f"import runpy\nsys.argv = [{script!r}]\nsys.stderr = sys.stdout\n"
        f"try:\n    runpy.run_path({'training/' + script!r}, run_name='__main__')\n"
        "except SystemExit as error:\n    assert error.code in (1, 2), error.code"
    )
    lines = said(code, [absent]).splitlines()
    assert len(lines) == 1 and lines[0].startswith(f"{script}: ")
    assert lines[0].endswith(f"pip install 'differenzler-env[{extra}]'")
