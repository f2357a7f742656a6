"""Agents: a policy network from a checkpoint as a player. Needs torch.

A network's floats depend on the shape of the batch it is given, so rows go through it in chunks of
one size, the last one padded: a choice is the same whatever stands beside it. Always float32, on
the CPU.
"""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from ..actions import NUM_ACTIONS, NUM_BIDS
from ..checkpoint import CheckpointError, load
from ..engine.jit import jit
from ..engine.redact import lawful_bids
from ..engine.state import BID, PLAY
from ..observation import OBSERVATION_SIZE, write_observation
from ..rules import Rules
from .base import Actions, Agent, Keys, Records
from .policy_network import PolicyNetwork, choose, masked_log_probabilities

CHUNK = 16
"""Rows that go through the network at once: few, as one view alone costs as much as a chunk."""


@jit
def _read_views(views: Any, rules: Any, observations: Any, masks: Any) -> None:
    """Observations and masks of VIEW records; a mask of ones where nothing is to be decided."""
    for row in range(len(views)):
        view = views[row]
        write_observation(view, rules[0], observations[row])
        masks[row] = False
        if view["phase"] == BID and view["current_seat"] == view["seat"]:
            masks[row, : lawful_bids(view, rules[0])] = True
        elif view["phase"] == PLAY and view["legal"] != 0:
            for card in range(36):
                if (view["legal"] >> card) & 1 != 0:
                    masks[row, NUM_BIDS + card] = True
        else:
            masks[row] = True


class NetworkAgent(Agent):
    """A trained policy.

    Args:
        rules: rules of the table.
        network: the policy; it is set to evaluation and kept on the CPU.
        deterministic: the most likely action; else one drawn by its probability, from the key of
            the decision.
    """

    def __init__(self, rules: Rules, network: PolicyNetwork, deterministic: bool = True) -> None:
        super().__init__(rules)
        if network.shape["players"] != rules.players:
            raise ValueError(
                f"the network is for {network.shape['players']} players; the table has "
                f"{rules.players}"
            )
        self.network = network.to("cpu", torch.float32).eval()
        self.deterministic = deterministic

    def act_batch(self, views: Records, keys: Keys) -> Actions:
        """Actions int64 ``[n]`` for VIEW records and decision keys ``[n]``."""
        count = len(views)
        padded = -(-count // CHUNK) * CHUNK
        observations = np.zeros((padded, OBSERVATION_SIZE), np.float32)
        masks = np.ones((padded, NUM_ACTIONS), np.bool_)
        _read_views(views, self.rules.record, observations[:count], masks[:count])
        uniform = np.zeros(padded)
        uniform[:count] = (keys >> np.uint64(11)).astype(np.float64) * 2.0**-53
        bids = np.zeros(padded, np.bool_)
        bids[:count] = views["phase"] == BID
        chosen = [
            self._chunk(
                observations[at : at + CHUNK],
                masks[at : at + CHUNK],
                uniform[at : at + CHUNK],
                bids[at : at + CHUNK],
            )
            for at in range(0, padded, CHUNK)
        ]
        return np.concatenate(chosen)[:count] if chosen else np.zeros(0, np.int64)

    @torch.inference_mode()
    def _chunk(
        self,
        observations: npt.NDArray[np.float32],
        masks: npt.NDArray[np.bool_],
        uniform: npt.NDArray[np.float64],
        bids: npt.NDArray[np.bool_],
    ) -> npt.NDArray[np.int64]:
        """Actions of one chunk. Which heads run does not touch the numbers of the other."""
        network = self.network
        inputs, orders = network.features(torch.from_numpy(observations))
        logits = torch.zeros((CHUNK, NUM_ACTIONS))
        if bids.any():
            logits[:, :NUM_BIDS] = network.bid_logits(inputs)
        if not bids.all():
            cards = network.card_logits(inputs)
            logits[:, NUM_BIDS:] = cards.gather(1, network.features.cards[orders])
        legal = torch.from_numpy(masks)
        if self.deterministic:
            return logits.masked_fill(~legal, -torch.inf).argmax(dim=1).numpy()
        logs = masked_log_probabilities(logits, legal)
        return choose(logs, torch.from_numpy(uniform)).numpy()


def read_network(
    path: str | Path, rules: Rules | None = None
) -> tuple[PolicyNetwork, dict[str, Any]]:
    """The policy network of a checkpoint, on the CPU, and the checkpoint's document.

    Args:
        path: a checkpoint file.
        rules: rules that it must be for; None: any.

    Raises:
        CheckpointError: if the file is damaged or made for other rules or another observation.
    """
    tensors, document = load(path, rules)
    try:
        network = PolicyNetwork(**document["network"])
        weights = {name: torch.from_numpy(array).float() for name, array in tensors.items()}
        network.load_state_dict(weights)
    except (KeyError, TypeError, ValueError, RuntimeError) as error:
        reason = " ".join(str(error).split())
        raise CheckpointError(f"{str(path)!r} holds no policy network: {reason}") from None
    return network, document


def load_network(path: str | Path, rules: Rules, deterministic: bool = True) -> NetworkAgent:
    """The agent of a checkpoint file.

    Raises:
        CheckpointError: as :func:`read_network`.
    """
    network, _ = read_network(path, rules)
    return NetworkAgent(rules, network, deterministic)
