"""Players and loops for the tests of the environments. They use the public interfaces only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from differenzler_env import cards

NUM_ACTIONS = 194
NUM_BIDS = 158

Pick = Callable[[str, Any, dict[str, Any]], int]


def first(agent: str, observation: Any, info: dict[str, Any]) -> int:
    return int(np.flatnonzero(info["action_mask"])[0])


def last(agent: str, observation: Any, info: dict[str, Any]) -> int:
    return int(np.flatnonzero(info["action_mask"])[-1])


def at_random(seed: int) -> Pick:
    rng = np.random.default_rng(seed)
    return lambda agent, observation, info: int(rng.choice(np.flatnonzero(info["action_mask"])))


def play_on(
    env: Any, pick: Pick, watch: Callable[..., None] | None = None
) -> tuple[Any, list[Any]]:
    """Play an AEC environment to its end; what each agent got by last(), and who did what."""
    got: dict[str, list[tuple[float, bool, bool]]] = {agent: [] for agent in env.possible_agents}
    flow = []
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        got[agent].append((reward, termination, truncation))
        action = None if termination or truncation else pick(agent, observation, info)
        flow.append((agent, action))
        env.step(action)
        if watch is not None:
            watch(env, agent, action)
    return got, flow


def play(env: Any, pick: Pick, watch: Any = None, **reset: Any) -> tuple[Any, list[Any]]:
    env.reset(**reset)
    return play_on(env, pick, watch)


def card_text(action: int) -> str:
    return cards.card_name(action - NUM_BIDS)


def legal_by_mask(mask: np.ndarray) -> np.ndarray:
    return np.flatnonzero(mask)


def a_deal(seed: int = 0, dealer: int = 0, trump: str = "D") -> dict[str, Any]:
    """A shuffled deal for four, in the form that reset(options=...) takes."""
    pack = np.random.default_rng(seed).permutation(36)
    hands = [
        [cards.card_name(int(card)) for card in sorted(pack[9 * s : 9 * s + 9])] for s in range(4)
    ]
    return {"hands": hands, "trump": trump, "dealer": dealer}
