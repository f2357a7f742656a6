"""The house itself: which room may use which, what an import loads, what a release carries."""

import ast
import importlib.metadata
import inspect
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
PACKAGE = "differenzler_env"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def rooms_of_the_page() -> list[tuple[str, ...]]:
    """The rooms of ``docs/architecture.md``, lowest first: names of modules and packages.

    A module may use its own room and those before it; the longest name that fits counts. The name
    "" is ``differenzler_env`` itself, which tells Gymnasium of the environments by name only.
    """
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    table = page.split("## Rooms")[1].split("## ")[0]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    names = [re.findall(r"`([^`]+)`", row) for row in rows]
    return [
        tuple("" if name == "__init__" else name.rstrip("/") for name in row)
        for row in reversed(names)
    ]


ROOMS = rooms_of_the_page()

# Libraries that only some extras bring, or only the command line needs, and who may import them.
NETWORK = ("agents.torch_inputs", "agents.torch_network", "checkpoint", "adapters")
HOMES = {
    "torch": NETWORK,
    "safetensors": NETWORK,
    "matplotlib": ("evaluation.plots",),
    "tensorboard": (),
    "onnx": ("adapters",),
    "onnxruntime": ("adapters",),
    "stable_baselines3": ("adapters",),
    "sb3_contrib": ("adapters",),
    "rich": ("cli", "play"),
    "tyro": ("cli",),
    "textual": ("play",),
    "PIL": ("envs.picture", "play"),
}

MODULES = sorted((ROOT / PACKAGE).rglob("*.py"))
TRAINING = sorted((ROOT / "training").rglob("*.py"))


def name_of(path: Path) -> str:
    """A module's name below the package: ``engine.kernels``; a package has its folder's."""
    parts = path.relative_to(ROOT / PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def fits(name: str, place: str) -> bool:
    """Whether a module is the one of that name, or inside it."""
    return name == place or name.startswith(place + ".")


def room_of(name: str) -> int:
    """The number of a module's room."""
    found = [
        (len(place), floor)
        for floor, room in enumerate(ROOMS)
        for place in room
        if fits(name, place)
    ]
    assert found, f"{name} has no room: give it one in docs/architecture.md"
    return max(found)[1]


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Each import of a file, wherever it stands: its line and the absolute name imported.

    What stands under ``if TYPE_CHECKING:`` never runs and is left out.
    """
    package = list(path.relative_to(ROOT).parts[:-1])
    nodes: list[ast.AST] = [ast.parse(path.read_text())]
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*start, *([node.module] if node.module else [])])
            for alias in node.names:
                yield node.lineno, f"{module}.{alias.name}"
        elif isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            nodes.extend(node.orelse)
        else:
            nodes.extend(ast.iter_child_nodes(node))


def module_behind(name: str) -> str:
    """The module below the package that an imported name comes from: ``engine.kernels`` for
    ``differenzler_env.engine.kernels.beats``."""
    inner = name.split(".")[1:]
    names = {name_of(path) for path in MODULES}
    while inner and ".".join(inner) not in names:
        inner.pop()
    return ".".join(inner)


def test_the_readers_of_imports_see_what_is_there() -> None:
    """The tests below find nothing wrong only if these find the imports at all."""
    kernels = {name for _, name in imports(ROOT / PACKAGE / "engine" / "kernels.py")}
    assert f"{PACKAGE}.cards.POINTS" in kernels
    assert module_behind(f"{PACKAGE}.cards.POINTS") == "cards"
    assert module_behind(f"{PACKAGE}.Rules") == ""
    assert room_of("cards") < room_of("engine.kernels") < room_of("agents.base")
    assert room_of("batch") < room_of("") < room_of("envs.aec") < room_of("cli.main")


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_imports_point_down(path: Path) -> None:
    here = name_of(path)
    wrong = [
        f"line {line}: {name}"
        for line, name in imports(path)
        if fits(name, PACKAGE) and room_of(module_behind(name)) > room_of(here)
    ]
    assert not wrong, f"{path} uses rooms above it"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_the_package_needs_neither_checkout_nor_hidden_randomness(path: Path) -> None:
    """Runs and tests stay outside; every draw comes from a key, so Python's generator is unused."""
    roots = {name.split(".")[0] for _, name in imports(path)}
    assert not roots & {"training", "tests", "benchmarks", "random"}


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_libraries_of_extras_stay_in_their_room(path: Path) -> None:
    here = name_of(path)
    strays = [
        f"line {line}: {name}"
        for line, name in imports(path)
        if name.split(".")[0] in HOMES
        and not any(fits(here, place) for place in HOMES[name.split(".")[0]])
    ]
    assert not strays, path


@pytest.mark.parametrize("path", MODULES + TRAINING, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_says_what_it_is_for_and_stays_short(path: Path) -> None:
    text = path.read_text()
    docstring = ast.get_docstring(ast.parse(text)) or ""
    summary = docstring.split("\n\n")[0]
    assert re.fullmatch(r".{20,}[.:;,]", summary, re.DOTALL), f"docstring begins with {summary!r}"
    if not path.stem.startswith("__"):
        assert re.match(r"[A-Z][^.]*: ", summary), "the first line names the room: 'Engine: ...'"
    assert text.count("\n") < 400


def modules_after(statement: str) -> set[str]:
    """Top-level names in ``sys.modules`` after a statement in a fresh interpreter, without those
    of the standard library."""
    code = (
        f"{statement}\nimport sys; print(*sorted({{name.split('.')[0] for name in sys.modules}}))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    return {name for name in run.stdout.split() if name not in sys.stdlib_module_names}


def test_an_import_loads_the_four_core_libraries_only() -> None:
    core = modules_after("import numpy, numba, gymnasium, pettingzoo")
    ours = modules_after(f"import {PACKAGE}")
    assert PACKAGE in ours
    assert ours - core - {PACKAGE} == set()
    assert not ours & {"torch", "matplotlib", "rich", "tyro", "pygame", "tkinter"}


def test_the_command_line_starts_without_what_extras_bring() -> None:
    """``differenzler --help`` works after a core install, and soon."""
    ours = modules_after(f"import {PACKAGE}.cli")
    assert {PACKAGE, "tyro"} <= ours
    assert not ours & {"torch", "safetensors", "matplotlib", "tensorboard", "PIL"}


def test_the_version_is_told_once() -> None:
    version = PROJECT["project"]["version"]
    assert importlib.metadata.version("differenzler-env") == version
    module = __import__(PACKAGE)
    assert module.__version__ == version


def test_each_dependency_is_pinned_inside_its_range() -> None:
    pins = {}
    for line in (ROOT / "constraints.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            name, version = line.split("==")
            pins[re.sub("[-_.]+", "-", name).lower()] = version
    assert pins["torch"] == "2.13.0"
    extras = PROJECT["project"]["optional-dependencies"]
    for text in (
        PROJECT["project"]["dependencies"]
        + extras["dev"]
        + extras["docs"]
        + extras["train"]
        + extras["sb3"]
        + extras["onnx"]
    ):
        requirement = Requirement(text)
        pin = pins[re.sub("[-_.]+", "-", requirement.name).lower()]
        assert requirement.specifier.contains(pin), f"{text}: {pin} is pinned"
        operators = {clause.operator for clause in requirement.specifier}
        assert {">="} <= operators <= {">=", "<"}, f"{text}: ranges here, exact versions there"


def test_a_release_carries_the_models_and_no_compiled_kernels(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    for folder in (PACKAGE, "models", "training", "configs", "tests"):
        if (ROOT / folder).is_dir():
            shutil.copytree(ROOT / folder, source / folder)
    for file in ("pyproject.toml", "README.md", "LICENSE", "constraints.txt", "Makefile"):
        shutil.copy(ROOT / file, source / file)
    cache = source / PACKAGE / "engine" / "__pycache__"
    cache.mkdir(exist_ok=True)
    (cache / "kernels.beats-1.py311.nbi").write_bytes(b"index")
    (cache / "kernels.beats-1.py311.1.nbc").write_bytes(b"code")

    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-d", str(tmp_path / "dist")],
        cwd=source,
        check=True,
        capture_output=True,
    )
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    (archive,) = (tmp_path / "dist").glob("*.tar.gz")
    with zipfile.ZipFile(wheel) as file:
        in_wheel = set(file.namelist())
    with tarfile.open(archive) as tar:
        in_archive = {name.split("/", 1)[1] for name in tar.getnames()}

    for names in (in_wheel, in_archive):
        assert not [name for name in names if name.endswith((".nbi", ".nbc", ".pyc"))]
        assert {f"{PACKAGE}/py.typed", f"{PACKAGE}/engine/kernels.py"} <= names
    models = {path.name for path in (ROOT / "models").iterdir()}
    assert {f"{PACKAGE}/models/{name}" for name in models} <= in_wheel
    assert {f"models/{name}" for name in models} <= in_archive
    assert not [name for name in in_wheel if name.startswith(("tests/", "training/", "configs/"))]
    assert "tests/test_project.py" in in_archive


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a checkout")
def test_no_large_file_is_tracked() -> None:
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    tracked = [ROOT / name for name in listing.stdout.decode().split("\0") if name]
    assert ROOT / "pyproject.toml" in tracked
    assert not [path for path in tracked if path.is_file() and path.stat().st_size > 5_000_000]


def test_the_workflow_runs_what_is_there() -> None:
    """All Python versions of the classifiers run ``.ci/run``; every target is in the Makefile."""
    text = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    jobs = yaml.safe_load(text)["jobs"]
    tested = set(jobs["check"]["strategy"]["matrix"]["python"])
    prefix = "Programming Language :: Python :: "
    said = {line.removeprefix(prefix) for line in PROJECT["project"]["classifiers"]}
    assert tested == {version for version in said if re.fullmatch(r"3\.\d+", version)}
    assert f">={min(tested)}" == PROJECT["project"]["requires-python"]
    commands = [step["run"] for job in jobs.values() for step in job["steps"] if "run" in step]
    assert "bash .ci/run" in commands
    targets = {command.removeprefix("make ") for command in commands if command.startswith("make")}
    targets = {target for target in targets if "{" not in target}
    targets |= set(jobs["also"]["strategy"]["matrix"]["target"])
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert len(targets) > 3
    assert not [name for name in targets if not re.search(rf"^{name}:", makefile, re.MULTILINE)]


def test_public_names_are_there_and_on_the_page() -> None:
    """``__all__`` is what a user may rely on: each name exists, has a docstring of its own if it is
    a class or function, and stands in docs/api.md."""
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    for place in ("", ".agents", ".differenzler_v0", ".evaluation"):
        module = importlib.import_module(PACKAGE + place)
        for name in module.__all__:
            thing = getattr(module, name)
            assert re.search(rf"\b{name}\b", page), f"docs/api.md lacks {place}.{name}"
            if callable(thing):
                assert inspect.getdoc(thing), f"{place}.{name} has no docstring"
