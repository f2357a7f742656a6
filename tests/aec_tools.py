"""What the tests of the AEC environment share."""

from __future__ import annotations

import pytest

from differenzler_env import (
    Rules,
    differenzler_v0,
)

ONE_DEAL = Rules.swisslos(deals=1)
SEATS = [f"player_{seat}" for seat in range(4)]
UNAVOIDABLE = {  # PettingZoo prefers bare arrays to dicts with a mask
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box or "
    "gymnasium.spaces.discrete",
}
CONSTRUCTORS = [differenzler_v0.env, differenzler_v0.raw_env]
both_forms = pytest.mark.parametrize("make", CONSTRUCTORS, ids=["wrapped", "raw"])


def one_deal(**kwargs):
    return differenzler_v0.env(rules=ONE_DEAL, **kwargs)
