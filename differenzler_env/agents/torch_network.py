"""Agents: the policy network, from plain observations to logits over the 194 actions. Needs torch.

A residual network with one trunk and two heads, one for the bid and one for the card, in suits of
its own (see :mod:`.torch_inputs`). All that is needed to make it again is in its ``shape``.
"""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from ..actions import NUM_BIDS
from ..cards import NUM_CARDS
from ..checkpoint import (
    CheckpointError,
    fault_text,
    load,
    network_shape,
    policy_document,
    save,
)
from ..rules import Rules
from .network_inputs import useful_fields
from .network_kernels import (
    BID_CENTRE,
    BID_SPREAD,
    CENTRE_STEP,
    NORM_EPSILON,
    SPREAD_BOUNDS,
    SPREAD_STEP,
)
from .torch_inputs import ObservationFeatures


class Block(nn.Module):
    """One residual step: normalise, then two layers of the same width."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width, eps=NORM_EPSILON)
        self.inner = nn.Linear(width, width)
        self.outer = nn.Linear(width, width)
        nn.init.orthogonal_(self.inner.weight, math.sqrt(2))
        nn.init.orthogonal_(self.outer.weight, 0.5)
        nn.init.zeros_(self.inner.bias)
        nn.init.zeros_(self.outer.bias)

    def forward(self, x: Tensor) -> Tensor:
        """``[n, width]`` to ``[n, width]``."""
        step: Tensor = self.outer(F.relu(self.inner(self.norm(x))))
        return x + step


class Trunk(nn.Module):
    """A residual network from inputs ``[n, inputs]`` to float32 ``[n, width]``."""

    def __init__(self, inputs: int, width: int, blocks: int) -> None:
        super().__init__()
        self.enter = nn.Linear(inputs, width)
        nn.init.orthogonal_(self.enter.weight, 1.0)
        nn.init.zeros_(self.enter.bias)
        self.blocks = nn.Sequential(*(Block(width) for _ in range(blocks)))
        self.norm = nn.LayerNorm(width, eps=NORM_EPSILON)

    def forward(self, inputs: Tensor) -> Tensor:
        """Rows of inputs to rows of float32 features."""
        return F.relu(self.norm(self.blocks(self.enter(inputs)).float()))


class PolicyNetwork(nn.Module):
    """A policy for one table size.

    Args:
        fields: names of the observation's fields it reads.
        players: seats at the table.
        width: width of the trunk.
        blocks: residual blocks in the trunk.
        bid_blocks: residual blocks in a trunk of the bid's own; 0: the bid shares the trunk.

    Attributes:
        shape: the arguments above as JSON values; ``PolicyNetwork(**shape)`` makes it again.
    """

    bids: Tensor

    def __init__(
        self,
        fields: list[str],
        players: int,
        width: int = 256,
        blocks: int = 3,
        bid_blocks: int = 0,
    ) -> None:
        super().__init__()
        self.shape: dict[str, Any] = {
            "fields": list(fields),
            "players": players,
            "width": width,
            "blocks": blocks,
            "bid_blocks": bid_blocks,
        }
        self.features = ObservationFeatures(fields, players)
        self.trunk = Trunk(self.features.size, width, blocks)
        self.bid_trunk = Trunk(self.features.size, width, bid_blocks) if bid_blocks else None
        # The bid: two numbers for the hump, then one for each bid.
        self.bid_head = nn.Linear(width, 2 + NUM_BIDS)
        self.card_head = nn.Linear(width, NUM_CARDS)
        for head in (self.bid_head, self.card_head):
            nn.init.orthogonal_(head.weight, 0.01)
            nn.init.zeros_(head.bias)
        self.register_buffer("bids", torch.arange(NUM_BIDS, dtype=torch.float32), persistent=False)

    @classmethod
    def for_rules(cls, rules: Rules, **shape: Any) -> "PolicyNetwork":
        """A fresh network that reads what says something under these rules."""
        return cls(fields=useful_fields(rules), players=rules.players, **shape)

    @classmethod
    def from_checkpoint(cls, path: str | Path, rules: Rules | None = None) -> "PolicyNetwork":
        """The network of a checkpoint file.

        Args:
            path: the file.
            rules: the rules it is to play by; None: any.

        Raises:
            CheckpointError: if the file is damaged or made for other rules or another observation.
        """
        tensors, document = load(path, rules)
        shape = network_shape(path, document)
        try:
            network = cls(**shape)
            network.load_state_dict({name: torch.from_numpy(a) for name, a in tensors.items()})
        except (KeyError, TypeError, ValueError, RuntimeError) as error:
            reason = fault_text(error)
            raise CheckpointError(f"{str(path)!r} holds no policy network: {reason}") from None
        return network

    def deepened(self, blocks: int) -> "PolicyNetwork":
        """A deeper network that answers the same: its further residual blocks add nothing until
        they have learnt something (Chen et al. 2016, Net2Net).

        Args:
            blocks: how many further ones the trunk has, 0 or more.
        """
        had = self.shape["blocks"]
        network = type(self)(**self.shape | {"blocks": had + blocks})
        network.load_state_dict(self.state_dict(), strict=False)
        for block in range(had, had + blocks):
            nn.init.zeros_(network.trunk.blocks.get_parameter(f"{block}.outer.weight"))
        return network

    def to_checkpoint(
        self, path: str | Path, rules: Rules, training: Mapping[str, Any] | None = None
    ) -> None:
        """Write the network as a checkpoint, which ``agents.load`` plays.

        Args:
            path: the file, ``*.safetensors``.
            rules: the rules it plays by.
            training: JSON values that say how it was made.

        Raises:
            CheckpointError: if the file cannot be written.
        """
        tensors = {name: tensor.cpu().numpy() for name, tensor in self.state_dict().items()}
        save(path, tensors, policy_document(rules, self.shape, training))

    def bid_logits(self, inputs: Tensor) -> Tensor:
        """Logits of the bids, float32 ``[n, 158]``, not masked."""
        trunk = self.trunk if self.bid_trunk is None else self.bid_trunk
        return self._bids_of(trunk(inputs))

    def card_logits(self, inputs: Tensor) -> Tensor:
        """Logits of the cards in own suits, float32 ``[n, 36]``, not masked."""
        return self._cards_of(self.trunk(inputs))

    def split_logits(self, inputs: Tensor, num_bids: int) -> tuple[Tensor, Tensor]:
        """Bid logits of the first ``num_bids`` rows and card logits of the others, in one pass."""
        if self.bid_trunk is not None:
            return self.bid_logits(inputs[:num_bids]), self.card_logits(inputs[num_bids:])
        hidden = self.trunk(inputs)
        return self._bids_of(hidden[:num_bids]), self._cards_of(hidden[num_bids:])

    def _bids_of(self, hidden: Tensor) -> Tensor:
        with torch.autocast(hidden.device.type, enabled=False):
            out = self.bid_head(hidden)
            centre = BID_CENTRE + CENTRE_STEP * out[:, :1]
            spread = BID_SPREAD * torch.exp((SPREAD_STEP * out[:, 1:2]).clamp(*SPREAD_BOUNDS))
            logits: Tensor = out[:, 2:] - 0.5 * ((self.bids - centre) / spread).square()
            return logits

    def _cards_of(self, hidden: Tensor) -> Tensor:
        with torch.autocast(hidden.device.type, enabled=False):
            out: Tensor = self.card_head(hidden)
            return out

    def forward(self, observation: Tensor) -> Tensor:
        """Logits over all actions, absolute suits, float32 ``[n, 194]``, not masked."""
        inputs, orders = self.features(observation)
        cards = self.card_logits(inputs).gather(1, self.features.cards[orders])
        return torch.cat([self.bid_logits(inputs), cards], dim=1)


def masked_log_probabilities(logits: Tensor, mask: Tensor) -> Tensor:
    """Log-probabilities over the legal actions; −inf elsewhere.

    Args:
        logits: float32 ``[n, k]``; those of illegal actions do not matter.
        mask: bool ``[n, k]``, at least one true in each row.
    """
    return F.log_softmax(logits.masked_fill(~mask, -math.inf), dim=1)


def entropy(log_probabilities: Tensor) -> Tensor:
    """Entropy of each row in nats, ``[n]``; finite in value and gradient where entries are −inf."""
    legal = log_probabilities > -math.inf
    safe = log_probabilities.masked_fill(~legal, 0.0)
    return -(safe.exp() * safe * legal).sum(dim=1)


def divergence(before: Tensor, after: Tensor) -> Tensor:
    """KL divergence of each row, ``[n]``, from log-probabilities under one mask."""
    legal = before > -math.inf
    first, second = before.masked_fill(~legal, 0.0), after.masked_fill(~legal, 0.0)
    return (first.exp() * (first - second) * legal).sum(dim=1)


def choose(log_probabilities: Tensor, uniform: Tensor) -> Tensor:
    """An action of each row by its probability: int64 ``[n]``, never one with probability 0.

    Args:
        log_probabilities: ``[n, k]``.
        uniform: float64 ``[n]`` in [0, 1): where in the distribution to cut.
    """
    sums = log_probabilities.double().exp().cumsum(dim=1)
    total = sums[:, -1:]
    # Below the total even where rounding would reach it, so that some action is always found.
    cut = torch.minimum(uniform[:, None] * total, torch.nextafter(total, torch.zeros_like(total)))
    return (sums <= cut).sum(dim=1)
