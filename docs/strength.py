"""Documentation: how strong the shipped models are. Writes the README's table, and strength.json.

    python docs/strength.py            # what ``make strength`` runs

Every model in ``models/`` is measured at a table of its copies and at the fields of
``training/ship.py``, but for those that a named field holds: they are opponents. The same files
give the same digits, on any number of processors.
"""

import argparse
import hashlib
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

# Run from a checkout: beside the other generator, below both packages.
sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from generate import filled, table

from differenzler_env.agents.fields import FIELDS
from differenzler_env.checkpoint import load, rule_sets
from differenzler_env.files import replacing
from differenzler_env.rule_text import game_text, get_rules
from training.ship import ITSELF, SEED, around, measure

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
RESULTS = ROOT / "docs" / "strength.json"
MAIN = "swisslos"
NUMBERS = {1: "one", 2: "two", 3: "three", 4: "four"}


def models(folder: Path) -> list[Path]:
    """The models to be measured, by name, that of the main game first."""
    opponents = {Path(spec).name for field in FIELDS.values() for spec in field}
    found = (path for path in folder.glob("*.safetensors") if path.name not in opponents)
    return sorted(found, key=lambda path: (path.stem != MAIN, path.stem))


def strength(paths: Iterable[Path], deals: int) -> dict[str, Any]:
    """All models at all their tables, as JSON values."""
    measured = []
    for path in paths:
        rules = game_text(rule_sets(path, load(path)[1])[0])
        measured.append(
            {
                "model": path.stem,
                "rules": rules,
                "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
                "tables": measure(path, get_rules(rules), deals),
            }
        )
    return {"deals": deals, "seed": SEED, "models": measured}


def shown(results: dict[str, Any]) -> str:
    """The results as a Markdown table."""
    rows = []
    for model in results["models"]:
        others = NUMBERS[get_rules(model["rules"]).players - 1]
        names = [f"`{model['model']}`", f"`{model['rules']}`"]
        for entry in model["tables"]:
            field = f"`{entry['field']}`"
            at = f"{others} {ITSELF}" if entry["field"] == ITSELF else f"{others} {field}"
            rows.append(
                [
                    *names,
                    field if field.startswith("`@") else at,
                    around(entry["penalty"]),
                    around(entry["field_penalty"]),
                    around(entry["win_share"], 100, 1) + " %",
                ]
            )
            names = ["", ""]
    head = ["policy", "rules", "the others", "its penalty", "theirs", "matches won"]
    return (
        f"{results['deals']:,} duplicate deals at each table, seed {results['seed']}, 95 % "
        f"intervals:\n\n{table(head, rows)}"
    )


def page(readme: str, results: dict[str, Any]) -> str:
    """The README with its table made anew."""
    return filled(readme, "strength", "make strength", shown(results))


def main() -> int:
    """Measure, and write the README's table and the results behind it; the exit status."""
    parser = argparse.ArgumentParser(description="Measure the shipped models.")
    parser.add_argument("--deals", type=int, default=4000, help="distinct deals of each table")
    options = parser.parse_args()
    try:
        results = strength(models(ROOT / "models"), options.deals)
    except ValueError as error:
        print(f"strength.py: {error}", file=sys.stderr)
        return 2
    written = {
        RESULTS: json.dumps(results, indent=2) + "\n",
        README: page(README.read_text(encoding="utf-8"), results),
    }
    for path, text in written.items():
        with replacing(path) as temporary:
            temporary.write_text(text, encoding="utf-8")
    print(shown(results))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
