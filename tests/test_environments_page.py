"""The page of the environments: its tables are made from the code, and tell what the code does."""

from __future__ import annotations

import importlib.util
import inspect
from pathlib import Path
from types import ModuleType

import pytest

from differenzler_env import differenzler_v0, observation
from differenzler_env.envs.single import DifferenzlerEnv
from differenzler_env.envs.vector import DifferenzlerVectorEnv

FOLDER = Path(__file__).resolve().parents[1] / "docs"


def generator(name: str = "generate") -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"docs_{name}", FOLDER / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


GENERATE = generator()
PAGE = GENERATE.PAGE.read_text(encoding="utf-8")


def test_the_tables_are_the_codes_own():
    assert GENERATE.page(PAGE) == PAGE, "python docs/generate.py writes the tables anew"


def test_every_field_is_on_the_page():
    for field in observation.LAYOUT + observation.STATE_FIELDS:
        assert f"`{field.name}`" in PAGE
    assert observation.OBSERVATION_VERSION in PAGE
    assert "| 129 … 164 | `hand` | 36 |" in PAGE and observation.SLICES["hand"] == slice(129, 165)


def test_arguments_are_the_same_in_every_form():
    """And the docstrings say the same of them."""
    raw = differenzler_v0.raw_env
    for make in (differenzler_v0.env, differenzler_v0.parallel_env):
        assert inspect.signature(make).parameters == inspect.signature(raw).parameters
        assert GENERATE.meanings(make) == GENERATE.meanings(raw)
    one = inspect.signature(DifferenzlerEnv).parameters
    many = inspect.signature(DifferenzlerVectorEnv).parameters
    assert {name: many[name].default for name in one} == {
        name: parameter.default for name, parameter in one.items()
    }


def test_the_deal_told_is_one_deal():
    """Forty live turns and four dead ones; ten steps of one seat with the same end."""
    deal = GENERATE.seat_by_seat()
    assert deal.count("(action ") == 40 and deal.count("| True |") == 4
    points = [int(line.split("points ")[1].split(",")[0]) for line in deal.split("\n")[-4:]]
    assert sum(points) == 157
    end = GENERATE.one_seat().split("\n")[-1]
    assert deal.split("| 40 | player_0 | 0 | True | ")[1].split(" |")[0] == end.split(" | ")[4]


def test_a_page_without_its_marks_is_refused():
    with pytest.raises(ValueError, match="has not one block 'pettingzoo'"):
        GENERATE.page("nothing")


def test_the_picture_of_the_rooms_is_of_the_table():
    picture = generator("picture")
    drawn = picture.PICTURE.read_text(encoding="utf-8")
    assert drawn == picture.picture(), "python docs/picture.py draws it anew"
    names = [name for row in picture.rooms() for name in row]
    assert {"engine/", "cli/", "view"} <= set(names)
    assert not [name for name in names if name not in drawn]
