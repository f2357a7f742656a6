"""Foundation: the action space. One ``Discrete(194)`` for every rule set.

========= =========================
action    meaning
========= =========================
0 … 157   bid that many card points
158 … 193 play card ``action − 158``
========= =========================
"""

import operator

import numpy as np

from .cards import MAX_POINTS, NUM_CARDS, card_index, card_name
from .checks import is_integer
from .errors import IllegalActionError

NUM_BIDS = MAX_POINTS + 1
NUM_ACTIONS = NUM_BIDS + NUM_CARDS


def card_action(card: int) -> int:
    """The action that plays card index 0…35."""
    return NUM_BIDS + card


def action_name(action: int) -> str:
    """An action as text: ``"bid 40"`` or the card, ``"D10"``."""
    return f"bid {action}" if action < NUM_BIDS else card_name(action - NUM_BIDS)


def action_from_name(text: str) -> int:
    """The inverse of :func:`action_name`.

    Raises:
        IllegalActionError: if the text is neither ``"bid N"`` with N in 0…157 nor a card.
    """
    word, _, number = text.partition(" ")
    if word == "bid" and number.isascii() and number.isdigit() and int(number) < NUM_BIDS:
        return int(number)
    try:
        return card_action(card_index(text))
    except ValueError:
        raise IllegalActionError(
            f"{text!r} is not an action; actions are 'bid 0' to 'bid {NUM_BIDS - 1}' and cards "
            "such as 'D10'"
        ) from None


def parse_action(action: object) -> int:
    """An action as a Python int, given as int, NumPy integer or 0-d integer array.

    Raises:
        IllegalActionError: for anything else (bools, floats, texts, ``None``) and for numbers
            outside 0…193.
    """
    if isinstance(action, np.ndarray) and action.ndim == 0:
        action = action[()]
    if not is_integer(action):
        raise IllegalActionError(
            f"{action!r} is not an action; an action is an integer from 0 to {NUM_ACTIONS - 1}"
        )
    number = operator.index(action)
    if not 0 <= number < NUM_ACTIONS:
        raise IllegalActionError(
            f"action {number} is outside the action space; actions are 0 to {NUM_BIDS - 1} (bids) "
            f"and {NUM_BIDS} to {NUM_ACTIONS - 1} (cards)"
        )
    return number
