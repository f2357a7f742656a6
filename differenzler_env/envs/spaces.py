"""Environments: the spaces all of them share, one table for every rule set.

================ ============================================== ==============================
space            form                                           content
================ ============================================== ==============================
action           ``Discrete(194)``                              0…157 bids, 158…193 cards
observation      ``Box(-1, 1, (OBSERVATION_SIZE,), float32)``   what one seat may know
action mask      ``Box(0, 1, (194,), int8)``                    1 = legal
state            ``Box(-1, 1, (STATE_SIZE,), float32)``         the whole table
================ ============================================== ==============================
"""

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from ..actions import NUM_ACTIONS
from ..observation import OBSERVATION_SIZE, STATE_SIZE, STATE_SLICES


def action_space() -> spaces.Discrete:
    """A fresh ``Discrete(194)``; each seat gets its own, so that each is seeded by itself."""
    return spaces.Discrete(NUM_ACTIONS)


def vector_space(size: int) -> spaces.Box:
    """A float32 vector with values in [−1, 1]."""
    return spaces.Box(-1.0, 1.0, (size,), np.float32)


def observation_space(flat: bool = False) -> spaces.Space[Any]:
    """The observation: a dict with ``observation`` and ``action_mask``, or the vector alone."""
    vector = vector_space(OBSERVATION_SIZE)
    if flat:
        return vector
    mask = spaces.Box(0, 1, (NUM_ACTIONS,), np.int8)
    return spaces.Dict({"observation": vector, "action_mask": mask})


def final_state(observation: NDArray[np.float32]) -> NDArray[np.float32]:
    """The state vectors ``[…, S]`` of matches that are over, from a seat's observations ``[…, N]``:
    no hand holds a card any more, and the seat has seen all bids."""
    state = np.zeros((*observation.shape[:-1], STATE_SIZE), np.float32)
    state[..., :OBSERVATION_SIZE] = observation
    state[..., STATE_SLICES["other_bids"]] = observation[..., STATE_SLICES["bids"]][..., 1:]
    return state


def state_space() -> spaces.Box:
    """The whole table: the observation, then the other hands and bids."""
    return vector_space(STATE_SIZE)
