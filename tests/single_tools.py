"""What the tests of the environment of one seat share."""

from __future__ import annotations

import gymnasium
import numpy as np

MATCH = "differenzler_env:Differenzler-v0"
DEAL = "differenzler_env:DifferenzlerDeal-v0"


def make(name=DEAL, **kwargs):
    return gymnasium.make(name, **kwargs)


def legal(info):
    return np.flatnonzero(info["action_mask"])


def episode(env, pick, **reset):
    """All that an episode returns: [(observation, reward, terminated, truncated, info), ...]."""
    observation, info = env.reset(**reset)
    steps = [(observation, 0.0, False, False, info)]
    while not steps[-1][2]:
        steps.append(env.step(int(pick(steps[-1][4]))))
    return steps


def chooser(seed):
    rng = np.random.default_rng(seed)
    return lambda info: rng.choice(legal(info))


def everything(env):
    game = env.unwrapped.game
    return game.state().tobytes(), game.finished_deals, game.match_number, game.decision_key()


def lowest(view, rng):
    return view.legal_actions()[0]
