"""Benchmarks: the one loop that the package and PettingZoo's own games are both timed in."""

from typing import Any


def sampled_game(env: Any) -> int:
    """Play one game of an AEC environment, actions sampled by the mask; its live steps."""
    steps = 0
    env.reset()
    for agent in env.agent_iter():
        observation, _, termination, truncation, _ = env.last()
        if termination or truncation:
            env.step(None)
            continue
        env.step(env.action_space(agent).sample(observation["action_mask"]))
        steps += 1
    return steps
