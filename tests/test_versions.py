"""What carries a version keeps what it promises: docs/versions.md.

The digests are of all that an environment tells in seeded matches. Where one changes, the episodes
of an environment have changed: its number (``_v0``, ``-v0``) must be raised, unless the change was
not meant.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
import yaml
from pages import ROOT

from differenzler_env import __version__, differenzler_v0, observation

RULES = ("swisslos", "table", "television", "mini")


class Digest:
    """A hash over arrays and plain values, with their types and shapes."""

    def __init__(self) -> None:
        self.hash = hashlib.sha256()

    def add(self, *values: Any) -> None:
        for value in values:
            if isinstance(value, np.ndarray):
                self.hash.update(f"{value.dtype.str}{value.shape}".encode() + value.tobytes())
            elif isinstance(value, dict):
                for key in sorted(value):
                    self.add(key, value[key])
            else:
                self.hash.update(repr(value).encode())

    def __str__(self) -> str:
        return self.hash.hexdigest()[:16]


def choice(mask: np.ndarray, step: int) -> int:
    """A legal action that depends on nothing but the mask and the number of the step."""
    legal = np.flatnonzero(mask)
    return int(legal[step * 7 % len(legal)])


def pettingzoo(rules: str) -> Digest:
    digest, env = Digest(), differenzler_v0.env(rules=rules)
    for seed in (1, None):  # a match of that seed, and the one after it
        env.reset(seed=seed)
        for step, agent in enumerate(env.agent_iter()):
            seen, reward, termination, truncation, info = env.last()
            digest.add(agent, seen, reward, termination, truncation, info, env.state())
            env.step(None if termination else choice(seen["action_mask"], step))
    return digest


def single(name: str, rules: str) -> Digest:
    digest = Digest()
    env = gymnasium.make(f"differenzler_env:{name}", rules=rules, seat="random", opponents="random")
    for seed in (1, None):
        seen, info = env.reset(seed=seed)
        digest.add(seen, info)
        step, over = 0, False
        while not over:
            seen, reward, over, truncation, info = env.step(choice(seen["action_mask"], step))
            digest.add(seen, float(reward), over, truncation, info)
            step += 1
    return digest


def vector(name: str, rules: str) -> Digest:
    digest = Digest()
    envs = gymnasium.make_vec(f"differenzler_env:{name}", num_envs=3, rules=rules)
    seen, infos = envs.reset(seed=1)
    digest.add(seen, infos)
    for step in range(60):
        actions = np.array([choice(mask, step) for mask in seen["action_mask"]])
        seen, rewards, terminations, truncations, infos = envs.step(actions)
        digest.add(seen, rewards, terminations, truncations, infos)
    return digest


def differenzler(rules: str) -> Digest:
    return single("Differenzler-v0", rules)


def differenzler_deal(rules: str) -> Digest:
    return single("DifferenzlerDeal-v0", rules)


def differenzler_vector(rules: str) -> Digest:
    return vector("Differenzler-v0", rules)


KINDS: tuple[Callable[[str], Digest], ...] = (
    pettingzoo,
    differenzler,
    differenzler_deal,
    differenzler_vector,
)
DIGESTS: dict[str, tuple[str, ...]] = {
    "pettingzoo": ("b51038221cf6b114", "cc4d1f6778c7a71a", "8c0690be8660a818", "5a9e4a050bebb8f5"),
    "differenzler": (
        "4536a7d85ccf1ad8",
        "939fcdde9ebbd41b",
        "b1874373a4b1c36c",
        "67b9979bd394acaa",
    ),
    "differenzler_deal": (
        "c3b3eba5686c18e3",
        "a24980040a2b0aed",
        "7f40d54ca03ed203",
        "67b9979bd394acaa",
    ),
    "differenzler_vector": (
        "0edcd617da4b6d9d",
        "03fa62452cba6489",
        "98162261b2e4a42e",
        "4d73999b6c08ec52",
    ),
}
"""Kind → a digest for each of RULES."""


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_episodes_of_a_number_stay_as_they_are(kind: Callable[[str], Digest]) -> None:
    found = tuple(str(kind(rules)) for rules in RULES)
    assert found == DIGESTS[kind.__name__], "raise the environments' number, or undo the change"


def test_the_observation_version_stands_in_the_page() -> None:
    """Who changes the layout sees it here, too, and in every checkpoint."""
    page = (ROOT / "docs" / "environments.md").read_text(encoding="utf-8")
    assert f"version `{observation.OBSERVATION_VERSION}`" in page


def test_the_citation_is_of_this_version() -> None:
    """The keys that version 1.2.0 of the format requires, and ours."""
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    citation = yaml.safe_load(text)
    assert {"cff-version", "message", "authors", "title"} <= citation.keys()
    assert citation["cff-version"] == "1.2.0"
    assert citation["version"] == __version__
    assert citation["license"] == "MIT"
    assert all(author.get("name") for author in citation["authors"])
    assert json.dumps(citation)  # plain values only: no dates, no tags
