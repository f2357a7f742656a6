"""Agents: a policy network from a checkpoint as a player, compiled, in float32, without torch."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..actions import NUM_ACTIONS, NUM_BIDS
from ..cards import NUM_CARDS, NUM_RANKS
from ..checkpoint import CheckpointError, Tensors, fault_text, load, network_shape
from ..engine.jit import Array, jit
from ..engine.redact import view_choices
from ..engine.state import BID, VIEW
from ..observation import OBSERVATION_SIZE, write_observation
from ..rules import Rules
from .base import Actions, Agent, Keys, Records, check_rows, uniforms
from .network_inputs import InputTables, input_size, input_tables, write_inputs
from .network_kernels import PolicyWeights, policy_rows, policy_weights

Floats = npt.NDArray[np.float32]


@jit
def _read_views(
    views: Records,
    rules: Records,
    tables: InputTables,
    observation: Array,
    inputs: Array,
    orders: Array,
    bidding: Array,
) -> None:
    """Inputs, suit orders and kinds of decision of VIEW records."""
    for row in range(len(views)):
        write_observation(views[row], rules[0], observation)
        orders[row] = write_inputs(observation, tables, inputs[row])
        bidding[row] = views[row]["phase"] == BID


@jit
def _legal_logits(
    logits: Array, views: Records, rules: Records, suit_orders: Array, orders: Array, out: Array
) -> None:
    """Logits of all actions, absolute suits, −inf where not legal, float32 ``[n, 194]``."""
    for row in range(len(views)):
        view = views[row]
        for action in range(NUM_ACTIONS):
            out[row, action] = -np.inf
        bids, cards = view_choices(view, rules[0])
        for bid in range(bids):
            out[row, bid] = logits[row, bid]
        order = suit_orders[orders[row]]
        for own in range(NUM_CARDS):
            card = NUM_RANKS * order[own // NUM_RANKS] + own % NUM_RANKS
            if (cards >> card) & 1:
                out[row, NUM_BIDS + card] = logits[row, NUM_BIDS + own]


@jit
def most_likely(logits: Array, actions: Actions) -> None:
    """The action with the highest logit of each row; 0 where none is legal."""
    for row in range(len(logits)):
        best = 0
        for action in range(NUM_ACTIONS):
            if logits[row, action] > logits[row, best]:
                best = action
        actions[row] = best


@jit
def _drawn(logits: Array, uniform: Array, actions: Actions) -> None:
    """An action of each row by its probability, from a number in [0, 1); 0 where none is legal."""
    for row in range(len(logits)):
        highest = logits[row, 0]
        for action in range(NUM_ACTIONS):
            highest = max(highest, logits[row, action])
        actions[row] = 0
        if highest == -np.inf:
            continue
        total = 0.0
        for action in range(NUM_ACTIONS):
            total += np.exp(np.float64(logits[row, action] - highest))
        cut, reached = uniform[row] * total, 0.0
        for action in range(NUM_ACTIONS):
            weight = np.exp(np.float64(logits[row, action] - highest))
            if weight > 0:
                # The last one with any probability, should rounding never reach the cut.
                actions[row] = action
                reached += weight
                if reached > cut:
                    break


class NetworkAgent(Agent):
    """A trained policy.

    Args:
        rules: rules of the table.
        tensors: weights by name, as in a checkpoint.
        shape: shape of the network, as in a checkpoint's document.
        deterministic: the most likely action; else one drawn by its probability, from the key of
            the decision.

    Raises:
        KeyError, TypeError, ValueError: if weights and shape do not belong together.
    """

    tables: InputTables
    weights: PolicyWeights

    def __init__(
        self,
        rules: Rules,
        tensors: Tensors,
        shape: Mapping[str, Any],
        deterministic: bool = True,
    ) -> None:
        super().__init__(rules)
        if shape["players"] != rules.players:
            raise ValueError(
                f"the network is for {shape['players']} players; the table has {rules.players}"
            )
        self.tables = input_tables(shape["fields"], shape["players"])
        self.weights = policy_weights(tensors, shape)
        size, wanted = input_size(self.tables), len(self.weights.trunk.enter)
        if size != wanted:
            raise ValueError(f"the network takes {wanted} inputs; its fields give {size}")
        self.deterministic = deterministic

    def legal_logits(self, views: Records) -> Floats:
        """Logits of all actions, float32 ``[n, 194]``, −inf where not legal."""
        count = len(views)
        views = np.ascontiguousarray(views, VIEW)
        inputs = np.empty((count, len(self.weights.trunk.enter)), np.float32)
        orders, bidding = np.empty(count, np.int64), np.empty(count, np.bool_)
        logits = np.empty((count, NUM_ACTIONS), np.float32)
        out = np.empty_like(logits)
        # Made anew each time: threads may share an agent, and kernels run side by side.
        observation = np.empty(OBSERVATION_SIZE, np.float32)
        rules, tables = self.rules.record, self.tables
        _read_views(views, rules, tables, observation, inputs, orders, bidding)
        policy_rows(inputs, bidding, self.weights, logits)
        _legal_logits(logits, views, rules, tables.orders, orders, out)
        return out

    def act_batch(self, views: Records, keys: Keys) -> Actions:
        """Actions int64 ``[n]`` for VIEW records and decision keys ``[n]``."""
        check_rows(views, keys)
        logits = self.legal_logits(views)
        actions = np.empty(len(views), np.int64)
        if self.deterministic:
            most_likely(logits, actions)
        else:
            _drawn(logits, uniforms(keys), actions)
        return actions


def load_network(path: str | Path, rules: Rules, deterministic: bool = True) -> NetworkAgent:
    """The agent of a checkpoint file.

    Raises:
        CheckpointError: if the file is damaged or made for other rules or another observation.
    """
    tensors, document = load(path, rules)
    shape = network_shape(path, document)
    try:
        return NetworkAgent(rules, tensors, shape, deterministic)
    except (KeyError, IndexError, TypeError, ValueError, OverflowError) as error:
        reason = fault_text(error)
        raise CheckpointError(f"{str(path)!r} holds no policy network: {reason}") from None
