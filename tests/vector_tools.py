"""What the tests of the vector environment share."""

from __future__ import annotations

import hashlib

import gymnasium
import numpy as np
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import differenzler_env  # noqa: F401  (registers the ids)
from differenzler_env.envs.vector import DifferenzlerVectorEnv

MATCH = "differenzler_env:Differenzler-v0"
DEAL = "differenzler_env:DifferenzlerDeal-v0"
MODES = list(AutoresetMode)


def make(n=3, name=DEAL, **kwargs):
    return gymnasium.make_vec(name, num_envs=n, **kwargs)


def pairs(n, mode=AutoresetMode.NEXT_STEP, name=DEAL, **kwargs):
    """The native vector environment, and Gymnasium's over n single ones."""
    native = make(n, name, autoreset_mode=mode, **kwargs)
    reference = gymnasium.make_vec(
        name,
        num_envs=n,
        vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": mode},
        **kwargs,
    )
    assert isinstance(reference, SyncVectorEnv)
    return native, reference


def same(left, right):
    assert data_equivalence(left, right, exact=True)


def sample(rng, masks):
    return np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])


def lowest(view, rng):
    return view.legal_actions()[0]


def mindful(view, rng):
    """Plays by what has happened in the deals before."""
    actions = view.legal_actions()
    return actions[sum(sum(deal["points"][:2]) for deal in view.finished_deals) % len(actions)]


def digest(seed, steps=60, n=4, **kwargs):
    """A hash of all that a stream of steps returns."""
    envs = DifferenzlerVectorEnv(n, deals=1, seat="random", **kwargs)
    rng = np.random.default_rng(0)
    observations, infos = envs.reset(seed=seed)
    seen = hashlib.sha256()
    for _ in range(steps):
        seen.update(observations["observation"].tobytes() + infos["action_mask"].tobytes())
        observations, rewards, terminations, _, infos = envs.step(sample(rng, infos["action_mask"]))
        seen.update(rewards.tobytes() + terminations.tobytes())
    return seen.hexdigest()
