"""Training: minibatches, and the loss of PPO on one, masks included."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn

from differenzler_env.agents.torch_network import (
    PolicyNetwork,
    entropy,
    masked_log_probabilities,
)

from .critic import Critic
from .rollout import Rollout


@dataclass
class Minibatch:
    """Some decisions of a rollout: b bids, then c cards; n = b + c. The fields are those of
    :class:`Rollout`."""

    rows: Tensor
    """``[n, size]``"""
    num_bids: int
    """b"""
    bid_masks: Tensor
    """bool ``[b, 158]``"""
    card_masks: Tensor
    """bool ``[c, 36]``"""
    actions: Tensor
    """int64 ``[n]``"""
    log_probabilities: Tensor
    """float32 ``[n]``"""
    targets: tuple[Tensor, ...]
    """``[n]`` each: what the loss holds the decisions against"""


def take(rollout: Rollout, targets: Sequence[Tensor], bids: Tensor, cards: Tensor) -> Minibatch:
    """The minibatch of some bids and some cards of a rollout.

    Args:
        rollout: N decisions.
        targets: ``[N]`` each.
        bids: int64 indices below ``rollout.num_bids``.
        cards: int64 indices from ``rollout.num_bids`` on.
    """
    chosen = torch.cat([bids, cards])
    return Minibatch(
        rows=rollout.rows[chosen],
        num_bids=len(bids),
        bid_masks=rollout.bid_masks[bids],
        card_masks=rollout.card_masks[cards - rollout.num_bids],
        actions=rollout.actions[chosen],
        log_probabilities=rollout.log_probabilities[chosen],
        targets=tuple(target[chosen] for target in targets),
    )


class Loss(nn.Module):
    """All networks together, so that one call covers all weights (as DistributedDataParallel wants
    it). Called with a minibatch it gives the loss and the figures, ``[k]``.

    Attributes:
        figures: names of the figures.
        figures_at_first: those of which the first minibatch of an update is told, not the mean.

    Args:
        policy: the network that plays.
        dtype: type of matrix products.
    """

    figures: ClassVar[tuple[str, ...]]
    figures_at_first: ClassVar[tuple[str, ...]] = ()

    def __init__(self, policy: PolicyNetwork, dtype: torch.dtype) -> None:
        super().__init__()
        self.policy, self.dtype = policy, dtype

    def quickly(self, batch: Minibatch) -> torch.autocast:
        """A context in which matrices are multiplied in ``dtype``."""
        kind = batch.rows.device.type
        return torch.autocast(kind, self.dtype, enabled=self.dtype != torch.float32)

    def outputs(self, batch: Minibatch) -> tuple[Tensor, Tensor]:
        """The policy network's outputs for bids ``[b, 158]`` and cards ``[c, 36]``."""
        seen = batch.rows[:, : self.policy.features.size]
        return self.policy.split_logits(seen, batch.num_bids)


FIGURES = (
    "policy_loss",
    "value_loss",
    "bid_entropy",
    "card_entropy",
    "kl",
    "clipped",
    "ratio_error",
)
"""Names of the figures of :meth:`PPOLoss.forward`: among them the approximate KL divergence, the
share of ratios beyond the clip, and the largest abs(ratio − 1)."""


class PPOLoss(Loss):
    """The clipped loss of the policy, with entropy bonus, and the critic's squared error.

    Args:
        policy: the learner's policy.
        critic: the critic.
        clip: how far the probability ratio may move.
        dtype: type of matrix products.
    """

    figures = FIGURES
    figures_at_first = ("ratio_error",)

    def __init__(
        self, policy: PolicyNetwork, critic: Critic, clip: float, dtype: torch.dtype
    ) -> None:
        super().__init__(policy, dtype)
        self.critic, self.clip = critic, clip

    def forward(
        self, batch: Minibatch, bid_entropy: float, card_entropy: float
    ) -> tuple[Tensor, Tensor]:
        """The loss, and the figures that :data:`FIGURES` names, ``[7]``."""
        split = batch.num_bids
        advantages, returns = batch.targets
        with self.quickly(batch):
            bid_logits, card_logits = self.outputs(batch)
            values = self.critic(batch.rows)
        bid_logs = masked_log_probabilities(bid_logits, batch.bid_masks)
        card_logs = masked_log_probabilities(card_logits, batch.card_masks)
        chosen = batch.actions[:, None]
        logs = torch.cat([bid_logs.gather(1, chosen[:split]), card_logs.gather(1, chosen[split:])])
        change = logs[:, 0] - batch.log_probabilities
        ratio = change.exp()
        clipped = ratio.clamp(1.0 - self.clip, 1.0 + self.clip)
        gain = torch.minimum(ratio * advantages, clipped * advantages)
        # Every decision counts the same, so each kind's mean is weighted by its number.
        n = len(ratio)
        policy_loss = -gain.mean()
        bid_spread, card_spread = entropy(bid_logs), entropy(card_logs)
        bonus = (bid_entropy * bid_spread.sum() + card_entropy * card_spread.sum()) / n
        value_loss = 0.5 * (values - returns).square().mean()
        with torch.no_grad():
            figures = torch.stack(
                [
                    policy_loss,
                    value_loss,
                    bid_spread.mean(),
                    card_spread.mean(),
                    ((ratio - 1.0) - change).mean(),
                    ((ratio - 1.0).abs() > self.clip).float().mean(),
                    (ratio - 1.0).abs().max(),
                ]
            )
        return policy_loss - bonus + value_loss, figures
