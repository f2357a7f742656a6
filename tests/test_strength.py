"""The README's table of strength: what is measured, and that it is what the results say."""

from __future__ import annotations

import hashlib
import importlib.util
import json
from pathlib import Path

import pytest

from differenzler_env import Rules
from differenzler_env.evaluation import evaluate
from training import ship

ROOT = Path(__file__).resolve().parents[1]


def script():
    spec = importlib.util.spec_from_file_location("docs_strength", ROOT / "docs" / "strength.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


STRENGTH = script()


def test_fields_that_do_not_fit_a_table_are_left_out():
    path = Path("models/swisslos.safetensors")
    assert list(ship.fields(path, Rules())) == [ship.ITSELF, *ship.FIELDS]
    assert list(ship.fields(path, Rules(players=5))) == [ship.ITSELF, "thumb", "heuristic"]


@pytest.mark.parametrize(
    ("mean", "ends", "text"),
    [
        (0.25, None, "25.0"),
        (0.25, (0.25, 0.25), "25.0"),
        (0.5887, (0.5741, 0.6032), "58.9 ± 1.5"),
        (0.8829, (0.8648, 0.8988), "88.3 ± 1.7"),
        (0.0, (0.0, 0.1611), "0.0 (0.0 … 16.1)"),
        (0.9875, (0.9328, 0.9978), "98.8 (93.3 … 99.8)"),
    ],
)
def test_a_mean_is_shown_in_the_middle_of_its_interval_only_where_it_is(mean, ends, text):
    assert ship.around({"mean": mean, "ci95": ends}, 100, 1) == text


def test_opponents_of_named_fields_are_not_measured():
    names = [path.stem for path in STRENGTH.models(ROOT / "models")]
    assert "swisslos" in names
    assert "swisslos-1" not in names


@pytest.mark.slow
def test_each_figure_is_what_the_command_line_says(monkeypatch):
    monkeypatch.setattr(ship, "FIELDS", ("thumb", "@v0"))
    (path,) = [path for path in STRENGTH.models(ROOT / "models") if path.stem == "swisslos"]
    results, again = (STRENGTH.strength([path], 8) for _ in range(2))
    assert results == again
    (model,) = results["models"]
    assert [entry["field"] for entry in model["tables"]] == [ship.ITSELF, "thumb", "@v0"]
    for entry in model["tables"][1:]:
        played = evaluate("models/swisslos.safetensors", entry["field"], deals=8, seed=1).to_json()
        assert entry["penalty"] == played["penalty"]
        assert entry["win_share"] == played["win_share"]
    row = STRENGTH.shown(results).splitlines()[-1]
    assert row.startswith("|  |  | `@v0` | ")
    assert f"| {model['tables'][2]['penalty']['mean']:.2f} ± " in row


def test_the_readme_has_the_table_of_the_results():
    """It is replaced whole; once ``make strength`` has run, it is that of its results."""
    readme = STRENGTH.README.read_text(encoding="utf-8")
    interval = {"mean": 0.25, "ci95": [0.25, 0.25]}
    tables = [{"field": name, "penalty": interval} for name in (ship.ITSELF, "thumb", "@v1")]
    for entry in tables:
        entry |= {"field_penalty": interval, "win_share": interval}
    model = {"model": "five", "rules": "swisslos?players=5", "tables": tables}
    page = STRENGTH.page(readme, {"deals": 4000, "seed": 1, "models": [model]})
    assert (
        "| `five` | `swisslos?players=5` | four copies of itself | 0.25 | 0.25 | 25.0 % |" in page
    )
    assert "|  |  | four `thumb` | 0.25 | 0.25 | 25.0 % |\n|  |  | `@v1` | 0.25" in page
    assert page.split("<!-- strength")[0] == readme.split("<!-- strength")[0]
    assert page.split("<!-- end of strength -->")[1] == readme.split("<!-- end of strength -->")[1]


@pytest.mark.skipif(not STRENGTH.RESULTS.exists(), reason="`make strength` has not run yet")
def test_the_results_are_of_the_models_that_are_there():
    results = json.loads(STRENGTH.RESULTS.read_text(encoding="utf-8"))
    readme = STRENGTH.README.read_text(encoding="utf-8")
    assert STRENGTH.page(readme, results) == readme, "make strength writes the table anew"
    there = {
        path.stem: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in STRENGTH.models(ROOT / "models")
    }
    measured = {model["model"]: model["sha256"] for model in results["models"]}
    assert measured == there, "make strength measures the models anew"
