"""Foundation: what counts as a whole number where users give one."""

from typing import TypeGuard

import numpy as np


def is_integer(value: object) -> TypeGuard[int | np.integer]:
    """Whether a value is a Python int or a NumPy integer; bools and time differences are not."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool | np.timedelta64)
