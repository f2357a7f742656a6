"""The documentation does what it says: the code blocks of all pages are run.

A page is one session. In a folder of its own its blocks are run in their order: Python blocks in
one namespace, commands by the command line's own main function; a block that begins with
``# name.py`` becomes that file. Numbers that only make a run longer are made smaller, and of
scripts that train the arguments are read; ``long`` runs those scripts, too. What a block cannot
have here (other libraries, hours) it says in its first line, ``# not run by the tests: …``, and
NOT_RUN counts it.
"""

from __future__ import annotations

import ast
import importlib.util
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from pages import FILE, PAGES, ROOT, Block, blocks

from differenzler_env import checkpoint
from differenzler_env.cli import program
from differenzler_env.engine.state import STATE, VIEW
from differenzler_env.observation import OBSERVATION_SIZE
from differenzler_env.rule_text import game_text
from training import best_response, compare, config, sb3_maskable_ppo

NOT_RUN: dict[str, int] = {}
"""Page → blocks that say of themselves that they are not run."""

SMALLER = [
    (r"--deals[ =][\d_]+", "--deals 4"),
    (r"--until-ci [\d.]+", "--until-ci 1000"),
    (r"--worlds [\d_]+", "--worlds 2"),
    (r"worlds=\d+", "worlds=2"),
    (r"--steps [\d_]+", "--steps 20"),
    (r"\.learn\([\d_]+\)", ".learn(20)"),
    (r"\bn_epochs=\d+", "n_epochs=1"),
    (r"DifferenzlerVecEnv\(\d+", "DifferenzlerVecEnv(8"),
    (r"\bnum_envs=\d+", "num_envs=8"),
    (r"\bdeals=\d{3,}", "deals=4"),
    (r"\bnum_games=\d+", "num_games=64"),
    (r"Rules\.mini\(\)", 'Rules.mini(deck=("D9", "DJ", "S9", "SJ"))'),
]
PARSED = ("bench", "play", "watch")
"""Commands that want an idle machine or a person: their arguments are read."""
SMALL_RUN = "--deals 128 --games 64 --width 32 --blocks 1 --minibatches 2 --threads 1"
SCRIPTS = {
    "training/best_response.py": (
        best_response.parse,
        f"--field thumb --evaluate-deals 8 {SMALL_RUN}",
    ),
    "training/ppo.py": (config.parse_arguments, SMALL_RUN),
    "training/dmc.py": (
        lambda words: config.parse_arguments(words, config.DMCConfig),
        SMALL_RUN,
    ),
    "training/compare.py": (compare.parser().parse_args, "--seeds 1 --deals 64"),
    "training/demo.py": (config.parse_arguments, SMALL_RUN),
    "training/sb3_maskable_ppo.py": (
        sb3_maskable_ppo.parser().parse_args,
        "--steps 20 --envs 8 --width 32 --blocks 1 --deals 4",
    ),
}
"""Script → what reads its arguments, and options that make it short."""
RUN_ELSEWHERE = {
    "docs/generate.py": "test_environments_page.py",
    "docs/picture.py": "test_environments_page.py",
    "training/rllib_ppo.py": "test_rllib.py",
}
"""Script → the tests that run it; examples have their own, all of them."""
APART = ("pyspiel", "ray", "torchrl", "tianshou", "agilerl")
"""Libraries that are not in every environment: a block with one of them runs where it is there."""
SET_UP = (".", "bash", "cd", "git", "pip", "python", "python3", "tensorboard")
"""What prepares or shows and is none of ours."""

BLOCKS = [block for page in PAGES for block in blocks(page)]
PYTHON = [block for block in BLOCKS if block.language == "python"]
COMMANDS = [block for block in BLOCKS if block.language in ("", "console", "sh")]


def smaller(text: str) -> str:
    for pattern, replacement in SMALLER:
        text = re.sub(pattern, replacement, text)
    return text


def names(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def test_blocks_are_of_a_kind_that_is_run() -> None:
    assert len(PYTHON) > 10
    assert len(COMMANDS) > 5
    others = [f"{block} {block.language}" for block in BLOCKS if block not in PYTHON + COMMANDS]
    assert not [other for other in others if not other.endswith((" text", " json", " yaml"))]


def test_blocks_that_are_not_run_are_counted() -> None:
    found: dict[str, int] = {}
    for block in BLOCKS:
        if block.not_run:
            found[block.page] = found.get(block.page, 0) + 1
    assert found == NOT_RUN


def test_a_python_block_that_is_not_run_is_python_all_the_same() -> None:
    for block in PYTHON:
        ast.parse(block.text, str(block))


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A folder that looks like a checkout, where a page leaves what it writes."""
    for name in ("configs", "docs", "examples", "models", "training"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    known = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - known:
        if getattr(sys.modules[name], "__file__", None) == str(tmp_path / f"{name}.py"):
            del sys.modules[name]  # the next page may have a file of that name


def pages_with_blocks():
    found = []
    for page in PAGES:
        mine = [block for block in BLOCKS if block.page == names(page) and not block.not_run]
        if any(block in PYTHON or block in COMMANDS for block in mine):
            learns = any(".learn(" in block.text for block in mine)
            marks = [pytest.mark.slow] if learns else []
            found.append(pytest.param(mine, id=names(page), marks=marks))
    return found


@pytest.mark.parametrize("page", pages_with_blocks())
def test_the_blocks_of_a_page_run(page: list[Block], session: Path, capsys) -> None:
    namespace: dict[str, object] = {"__name__": "__main__"}
    for block in page:
        if block.file:
            (session / block.file).write_text(block.text, encoding="utf-8")
        elif block in PYTHON:
            if all(map(importlib.util.find_spec, needed(block))):
                exec(compile(smaller(block.text), str(block), "exec"), namespace)
        elif block in COMMANDS:
            for command in block.commands():
                run(command, block, capsys)


def needed(block: Block) -> list[str]:
    """The libraries of a Python block that are not in every environment."""
    return [name for name in APART if re.search(rf"^(import|from) {name}\b", block.text, re.M)]


def run(command: str, block: Block, capsys) -> None:
    """Run a command as a reader would, or see that what it names is there."""
    words = shlex.split(smaller(command))
    words = words[1:] if "=" in words[0] else words  # a variable set for this command
    if words[0] == "torchrun":
        words = ["python", *[word for word in words[1:] if not word.startswith("--nproc")]]
    if words[0] == "differenzler":
        capsys.readouterr()
        if words[1] in PARSED:
            failed = isinstance(program.parse(words[1:]), int)
        else:
            failed = program.main(words[1:]) != 0
        assert not failed, f"{block}: {command}: {capsys.readouterr().err}"
    elif words[0] == "make":
        assert {word for word in words[1:] if "=" not in word} <= makefile_targets(), command
    elif words[0] == "python" and words[1] in SCRIPTS:
        SCRIPTS[words[1]][0](words[2:])
    elif words[0] == "python" and words[1] in RUN_ELSEWHERE:
        assert (ROOT / words[1]).is_file()
        assert Path(words[1]).stem in (ROOT / "tests" / RUN_ELSEWHERE[words[1]]).read_text()
    elif words[0] == "python" and words[1].startswith("examples/"):
        assert (ROOT / words[1]).is_file()  # test_examples.py knows all that are there
    else:
        module = words[1:2] == ["-m"] or not words[0].startswith("python")
        known = words[0].rpartition("/")[2] in SET_UP and module
        assert known, f"{block}: {command}: the tests do not know how to run it"
        for extras in re.findall(r"\[([\w,]+)\]", command):
            assert set(extras.split(",")) <= project_extras(), command


def makefile_targets() -> set[str]:
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    return set(re.findall(r"^\.PHONY: (.*)$", text, re.M)[0].split())


def project_extras() -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return set(project["project"]["optional-dependencies"])


@pytest.mark.long
@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_of_the_pages_runs(script: str, session: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / script), *SCRIPTS[script][1].split()],
        cwd=session,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def prose(page: Path) -> str:
    """A page without its blocks."""
    return re.sub(r"^ *```.*?^ *```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)


@pytest.mark.parametrize("page", PAGES, ids=names)
def test_commands_in_the_text_have_options_that_exist(page: Path) -> None:
    for span in re.findall(r"`(differenzler [^`]+)`", prose(page)):
        name, *rest = span.split()[1:]
        assert name in program.COMMANDS, span
        known = {
            "--" + field.replace("_", "-") for field in program.COMMANDS[name].__dataclass_fields__
        }
        assert {word for word in rest if re.fullmatch(r"--[a-z-]+", word)} <= known | {"--help"}, (
            span
        )
    for span in re.findall(r"`make ([a-z -]+)`", prose(page)):
        assert set(span.split()) <= makefile_targets(), span


@pytest.mark.parametrize("page", PAGES, ids=names)
def test_what_a_page_names_is_there(page: Path) -> None:
    """Links lead somewhere, anchors included, and files named in the text exist."""
    text = prose(page)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if target.startswith(("http:", "https:", "mailto:")):
            continue
        path, _, anchor = target.partition("#")
        file = page.parent / path if path else page
        assert file.exists(), target
        if anchor:
            heads = re.findall(r"^#+ (.*)$", file.read_text(encoding="utf-8"), re.M)
            assert anchor in {
                re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads
            }
    folders = "configs|docs|examples|tests|training|benchmarks|models"
    for named in re.findall(rf"`((?:{folders})/[\w./-]+\.(?:py|yaml|md|json))`", text):
        assert (ROOT / named).exists(), named


def anchors(page: Path) -> set[str]:
    """What its headings are called in links, here and in the built site."""
    heads = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads}


def test_the_first_line_of_a_file_block_is_understood() -> None:
    assert FILE.fullmatch("# mine.py")
    assert any(block.file for block in BLOCKS)


def test_the_site_has_every_page() -> None:
    """``make docs`` fails where one is missing, but takes minutes to say so."""
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    named = re.findall(r"^ +- (?:[^:\n]+: )?([\w/]+\.md)", text, re.MULTILINE)
    there = {page.name for page in (ROOT / "docs").glob("*.md")}
    assert len(named) == len(set(named))
    assert set(named) == there | {"CHANGELOG.md", "CONTRIBUTING.md", "models/README.md"}


def test_the_page_of_the_models_names_all_with_their_rules() -> None:
    page = (ROOT / "models" / "README.md").read_text(encoding="utf-8")
    found = re.findall(r"^\| \[`(.+)`\]\((.+)\.md\) \| `([^`]+)` \|", page, re.M)
    shipped = []
    for path in (ROOT / "models").glob("*.safetensors"):
        (rules,) = checkpoint.rule_sets(path, checkpoint.read(path)[1])
        shipped.append((path.stem, path.stem, game_text(rules)))
    assert sorted(found) == sorted(shipped)


def test_figures_of_the_design_page_are_the_codes() -> None:
    page = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
    kernels = ROOT / "differenzler_env" / "engine" / "kernels.py"
    lines = kernels.read_text(encoding="utf-8").count("\n")
    for figure in (
        f"has {lines} lines",
        f"record of {STATE.itemsize} bytes",
        f"({VIEW.itemsize} bytes)",
        f"vector of {OBSERVATION_SIZE} numbers",
    ):
        assert figure in " ".join(page.split())
