"""The saboteur: breaks each rule of the engine once, on purpose, and sees which test notices.

    python tests/mutate.py                 # all of them, into docs/mutations.md
    python tests/mutate.py stoeck dealer   # only those named by a word

Every entry replaces one passage of one source file in a temporary copy of the project. First the
quick tests run, uncompiled; only what they miss meets the slower ones. A passage that is not found
exactly once is an error, so the list cannot go stale unnoticed.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import mutations_deals
import mutations_tricks

MUTATIONS = mutations_tricks.MUTATIONS + mutations_deals.MUTATIONS
ROOT = Path(__file__).resolve().parent.parent
QUICK = [
    "tests/test_rules_kernels.py",
    "tests/test_rules.py",
    "tests/test_engine_against_oracle.py",
    "-m",
    "not slow",
    "-k",
    "not batch and not finished and not writing",
]
THOROUGH = [
    "-x",
    "tests/test_property_rules.py",
    "tests/test_dealing.py",
    "tests/test_deals.py",
    "tests/test_bad_input.py",
    "tests/test_bad_batches.py",
    "tests/test_rules.py",
    "tests/test_engine_against_oracle.py",
]
# A failure needs no simplifying here, and the seed must not change.
NO_SHRINKING = """
hypothesis.settings.register_profile(
    "sabotage", deadline=None, derandomize=True, database=None, phases=[hypothesis.Phase.generate]
)
hypothesis.settings.load_profile("sabotage")
"""
HEAD = """# Every rule broken on purpose

Each row breaks one rule of the engine, or one entry of its tables, in a copy of the project, and
names tests that fail then. Made by `python tests/mutate.py`; the entries are in
`tests/mutations_tricks.py` and `tests/mutations_deals.py`. "In passing": the quick tests noticed;
where only the slower ones did, the first of them is named.

| Rule | Broken so that | Where | Noticed by |
| --- | --- | --- | --- |
"""


def failures(copy: Path, arguments: list[str], compiled: bool) -> list[str]:
    """The names of the tests that fail, each once."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    variables = {
        **os.environ,
        "PYTHONPATH": str(copy),
        "NUMBA_DISABLE_JIT": "0" if compiled else "1",
        "NUMBA_CACHE_DIR": str(copy / "cache"),
    }
    done = subprocess.run(command, cwd=copy, env=variables, capture_output=True, text=True)
    found = re.findall(r"^(?:FAILED|ERROR) tests/(\S+?\.py)(?:::(\w+))?", done.stdout, re.MULTILINE)
    names = list(dict.fromkeys(f"{file}::{test}" if test else file for file, test in found))
    if done.returncode not in (0, 1) and not names:
        raise RuntimeError(f"pytest could not run:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return names


def prepare(folder: Path) -> Path:
    """A copy of what the tests need."""
    copy = folder / "project"
    leave = shutil.ignore_patterns("__pycache__", "*.nbi", "*.nbc")
    for name in ("differenzler_env", "tests"):
        shutil.copytree(ROOT / name, copy / name, ignore=leave)
    shutil.copy(ROOT / "pyproject.toml", copy)
    with (copy / "tests" / "conftest.py").open("a") as conftest:
        conftest.write(NO_SHRINKING)
    return copy


def main(words: list[str]) -> int:
    """Break, test, mend; returns how many breaks went unnoticed."""
    chosen = [each for each in MUTATIONS if not words or any(word in each[0] for word in words)]
    rows, unnoticed = [], 0
    with tempfile.TemporaryDirectory() as folder:
        copy = prepare(Path(folder))
        for rule, broken, file, old, new in chosen:
            source = copy / "differenzler_env" / file
            whole = source.read_text()
            if whole.count(old) != 1:
                raise SystemExit(f"{rule}: found {whole.count(old)} times in {file}: {old!r}")
            source.write_text(whole.replace(old, new))
            names = failures(copy, QUICK, compiled=False)
            how = " (in passing)" if names else ""
            names = names or failures(copy, THOROUGH, compiled=True)
            source.write_text(whole)
            unnoticed += not names
            tests = ", ".join(f"`{name}`" for name in names[:3]) or "**nothing**"
            more = f" and {len(names) - 3} more" if len(names) > 3 else ""
            rows.append(f"| {rule} | {broken} | `{file}` | {tests}{more}{how} |\n")
            print(rows[-1], end="", flush=True)
    print(f"{len(chosen)} rules broken, {unnoticed} unnoticed")
    if not words:
        (ROOT / "docs" / "mutations.md").write_text(
            HEAD + "".join(rows) + f"\n{len(rows)} rules broken, {unnoticed} unnoticed.\n"
        )
    return unnoticed


if __name__ == "__main__":
    sys.exit(bool(main(sys.argv[1:])))
