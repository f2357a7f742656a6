"""Players without the compiler choose the same, and evaluation says the same."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from differenzler_env.evaluation import evaluate

CASES = [("thumb", "@v0", "swisslos"), ("random", "thumb", "mini"), ("thumb", "random", "table")]
SCRIPT = f"""
import json
from differenzler_env.engine.jit import COMPILED
from differenzler_env.evaluation import evaluate
assert not COMPILED
results = [evaluate(*case, deals=4, seed=5).to_json() for case in {CASES!r}]
print(json.dumps(results))
"""


@pytest.mark.slow
def test_evaluation_is_the_same_without_the_compiler():
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.stderr == ""
    uncompiled = json.loads(done.stdout)
    for case, document in zip(CASES, uncompiled, strict=True):
        compiled = evaluate(*case, deals=4, seed=5).to_json()
        del document["decisions_per_second"], compiled["decisions_per_second"]
        assert document == json.loads(json.dumps(compiled))
