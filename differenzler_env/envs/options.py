"""Environments: what users give: seeds and options of a reset, and actions of many rows.

Unknown options are ignored.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..actions import NUM_ACTIONS
from ..checks import is_integer
from ..deals import deal_arguments
from ..errors import IllegalActionError

RESULT_KEYS = ("bids", "tricks", "points", "penalties")
"""What a deal of a game record holds besides a deal; it can be given as it stands."""


def deal_option(options: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The first deal asked for by ``options["deal"]``, None where none is.

    Raises:
        ValueError: if it lacks hands, trump or dealer, or has a key that a deal has not.
    """
    deal = _given(options, "deal")
    return None if deal is None else _checked_deal(deal)


def deal_options(options: Mapping[str, Any] | None, num_envs: int) -> list[dict[str, Any] | None]:
    """The first deals asked for, one entry or None a row; a single deal stands for every row.

    Raises:
        ValueError: if the list has another length, or an entry is not a deal.
    """
    deals = _given(options, "deal")
    if deals is None or isinstance(deals, Mapping):
        return [None if deals is None else _checked_deal(deals)] * num_envs
    if isinstance(deals, str) or not isinstance(deals, Sequence) or len(deals) != num_envs:
        length = len(deals) if isinstance(deals, Sequence) else repr(deals)
        raise ValueError(
            f"options['deal'] is a list with one deal or None for each of the {num_envs} rows, "
            f"not {length}"
        )
    return [None if deal is None else _checked_deal(deal) for deal in deals]


def reset_mask_option(options: Mapping[str, Any] | None, num_envs: int) -> NDArray[np.bool_] | None:
    """The rows to reset, bool [num_envs], None where all are.

    Raises:
        ValueError: if it is not a bool array of that shape with at least one True.
    """
    mask = _given(options, "reset_mask")
    if mask is None:
        return None
    good = isinstance(mask, np.ndarray) and mask.dtype == np.bool_ and mask.shape == (num_envs,)
    if not good or not mask.any():
        raise ValueError(
            f"options['reset_mask'] is a bool array of shape ({num_envs},) with at least one True, "
            f"not {mask!r}"
        )
    rows: NDArray[np.bool_] = mask.copy()
    return rows


def row_seeds(seed: int | Sequence[int | None] | None, num_envs: int) -> list[int | None]:
    """A seed, or None, for each row; an int s stands for s, s+1 and so on.

    Raises:
        ValueError: if it is neither None, an int nor a list with one entry a row.
    """
    if seed is None:
        return [None] * num_envs
    if is_integer(seed):
        return [int(seed) + row for row in range(num_envs)]
    given: Any = seed
    listed = isinstance(given, Sequence) and not isinstance(given, str | bytes)
    if not listed and not (isinstance(given, np.ndarray) and given.ndim == 1):
        raise ValueError(f"seed is {seed!r}; allowed: None, an int, or a list with one a row")
    if len(given) != num_envs:
        raise ValueError(
            f"{len(given)} seeds are given for {num_envs} rows; give one a row, or one int"
        )
    return list(given)


def checked_actions(actions: Any, acting: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Actions of n rows as int64 [n], within the action space in the rows that act.

    Raises:
        ValueError: for an array of another shape or kind.
        IllegalActionError: for a number outside the action space, naming its row.
    """
    chosen = np.asarray(actions)
    if chosen.shape != acting.shape or chosen.dtype.kind not in "iu":
        raise ValueError(
            f"actions are integers of shape {acting.shape}, not {chosen.dtype} of shape "
            f"{chosen.shape}"
        )
    outside = np.flatnonzero(acting & ((chosen < 0) | (chosen >= NUM_ACTIONS)))
    if outside.size:
        raise IllegalActionError(
            f"action {chosen[outside[0]]} of row {outside[0]} is outside the action space 0 to "
            f"{NUM_ACTIONS - 1}"
        )
    return chosen.astype(np.int64)


def _given(options: Mapping[str, Any] | None, key: str) -> Any:
    if options is None:
        return None
    if not isinstance(options, Mapping):
        raise ValueError(f"options are {options!r}; allowed: None or a mapping")
    return options.get(key)


def _checked_deal(deal: Any) -> dict[str, Any]:
    if isinstance(deal, Mapping):
        deal = {key: deal[key] for key in deal if key not in RESULT_KEYS}
    return deal_arguments(deal)
