"""The page that ranks the agents."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from differenzler_env.evaluation.tournament import tournament

ROOT = Path(__file__).resolve().parents[1]
AGENTS = ("heuristic", "random", "thumb", "constant?bid=35")


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("docs_ladder", ROOT / "docs" / "ladder.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_says_what_the_tournament_found(script, tmp_path, capsys):
    out = tmp_path / "ladder.md"
    assert script.main(["--agents", *AGENTS, "--deals", "24", "--out", str(out)]) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["ladder.md"]
    rows = [line for line in out.read_text().splitlines() if line.startswith("| `")]
    assert "\n".join(rows) in capsys.readouterr().out
    standing = tournament(AGENTS, deals=24, seed=1)
    assert [row.split("`")[1] for row in rows] == [
        "random",
        "constant?bid=35",
        "thumb",
        "heuristic",
    ]
    for row in rows:
        agent = AGENTS.index(row.split("`")[1])
        assert row.split("|")[2].strip() == f"{standing.penalty(agent):.2f}"
    best = f"{standing.cross(0, 2):+.2f}"
    assert rows[-1].split("|")[3].strip() == best and best.startswith("-")
    assert f"{standing.beside(1, 0).mean:.2f}<br>" in out.read_text()


def test_at_one_table_each_sits_beside_all(script):
    standing = tournament(AGENTS, deals=8, seed=2)
    for agent in range(4):
        for other in range(4):
            if agent != other:
                assert standing.beside(agent, other).mean == standing.penalty(agent).mean


def test_an_agent_that_there_is_not_is_named(script, tmp_path, capsys):
    out = tmp_path / "ladder.md"
    assert script.main(["--agents", "thumb", "thum", "--out", str(out)]) == 2
    assert "no agent 'thum'" in capsys.readouterr().err
    assert not out.exists()
