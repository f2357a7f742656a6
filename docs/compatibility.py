"""Documentation: which libraries run with the package, from what their tests said.

    python docs/compatibility.py torchrl      # what ``make test-torchrl`` runs

Runs the tests of one library where it is installed, writes what came of them, with the versions,
into docs/compatibility.json, and the README's table anew from that file. The exit status is that of
the tests.
"""

import argparse
import importlib.metadata
import json
import platform
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

# Run from a checkout: beside the other generator.
sys.path.insert(0, str(Path(__file__).resolve().parent))

from generate import filled, table

from differenzler_env.files import replacing

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
RESULTS = ROOT / "docs" / "compatibility.json"
BESIDE = ("gymnasium", "pettingzoo", "numpy", "torch")

# For each library: its name, its distribution, what the tests show.
LIBRARIES = {
    "sb3": ("Stable-Baselines3", "sb3-contrib", "MaskablePPO on the batch engine"),
    "rllib": ("Ray RLlib", "ray", "masked self-play on two workers, one of them killed"),
    "openspiel": ("OpenSpiel", "open_spiel", "the game, its solvers and bots"),
    "torchrl": ("TorchRL", "torchrl", "`PettingZooWrapper`, PPO"),
    "tianshou": ("Tianshou", "tianshou", "`PettingZooEnv`, DQN"),
    "agilerl": ("AgileRL", "agilerl", "a turn-based loop, DQN"),
    "onnx": ("ONNX Runtime", "onnxruntime", "an exported policy plays"),
}
# Which of the examples is whose.
EXAMPLES = {"sb3": "single_seat", "onnx": "onnx_runtime"}


def run_tests(library: str) -> tuple[int, dict[str, int]]:
    """Run a library's own tests and its example; the exit status, and how many passed and not."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        example = f"test_{library} or {EXAMPLES.get(library, library)}"
        files = sorted(ROOT.glob(f"tests/test_{library}*.py"))
        command = [sys.executable, "-m", "pytest", *(str(file.relative_to(ROOT)) for file in files)]
        command += ["tests/test_examples.py", "-k", example, "-m", "long or not long"]
        status = subprocess.run([*command, f"--junitxml={report}"], cwd=ROOT, check=False)
        if not report.exists():
            return status.returncode or 1, {"passed": 0, "failed": 1, "skipped": 0}
        suite = ElementTree.parse(report).getroot()[0].attrib
    failed = int(suite["failures"]) + int(suite["errors"])
    skipped = int(suite["skipped"])
    passed = int(suite["tests"]) - failed - skipped
    return status.returncode, {"passed": passed, "failed": failed, "skipped": skipped}


def versions(library: str) -> dict[str, str]:
    """The versions installed here, of the library and of what it stands on."""
    found = {"python": platform.python_version()}
    for name in (LIBRARIES[library][1], *BESIDE):
        try:
            found[name] = importlib.metadata.version(name).split("+")[0]
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def shown(results: dict[str, Any]) -> str:
    """The results as a Markdown table."""
    rows = []
    for library, (name, distribution, what) in LIBRARIES.items():
        if library not in results:
            continue
        counts, installed = results[library]["tests"], results[library]["versions"]
        tests = f"{counts['passed']} passed"
        tests += f", {counts['failed']} FAILED" if counts["failed"] else ""
        tests += f", {counts['skipped']} skipped" if counts["skipped"] else ""
        beside = [installed.get(other, "none") for other in ("gymnasium", "pettingzoo")]
        command = f"`make test-{library}`"
        rows.append([name, installed.get(distribution, "none"), *beside, what, tests, command])
    head = ["library", "version", "Gymnasium", "PettingZoo", "what runs", "tests", "command"]
    return table(head, rows)


def main() -> int:
    """Run one library's tests and write what came of them; the exit status."""
    parser = argparse.ArgumentParser(description="Test with one library; write the table anew.")
    parser.add_argument("name", metavar="LIBRARY", choices=LIBRARIES)
    library = parser.parse_args().name
    status, counts = run_tests(library)
    results = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    results[library] = {"tests": counts, "versions": versions(library)}
    readme = README.read_text(encoding="utf-8")
    written = {
        RESULTS: json.dumps(results, indent=2, sort_keys=True) + "\n",
        README: filled(readme, "libraries", "make test-LIBRARY", shown(results)),
    }
    for path, text in written.items():
        with replacing(path) as temporary:
            temporary.write_text(text, encoding="utf-8")
    return status


if __name__ == "__main__":
    raise SystemExit(main())
