"""Training: the loss of PPO on one minibatch, masks included."""

from dataclasses import dataclass

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
    """Some decisions of a rollout: ``b`` bids, then ``c`` cards; n = b + c."""

    rows: Tensor
    num_bids: int
    bid_masks: Tensor
    card_masks: Tensor
    actions: Tensor
    log_probabilities: Tensor
    advantages: Tensor
    returns: Tensor


def take(
    rollout: Rollout, advantages: Tensor, returns: Tensor, bids: Tensor, cards: Tensor
) -> Minibatch:
    """The minibatch of some bids and some cards of a rollout.

    Args:
        rollout: N decisions.
        advantages: ``[N]``.
        returns: ``[N]``, targets of the critic.
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
        advantages=advantages[chosen],
        returns=returns[chosen],
    )


class PPOLoss(nn.Module):
    """Policy and critic together, so that one call covers all weights (as DistributedDataParallel
    wants it).

    Args:
        policy: the learner's policy.
        critic: the critic.
        clip: how far the probability ratio may move.
        dtype: type of matrix products.
    """

    def __init__(
        self, policy: PolicyNetwork, critic: Critic, clip: float, dtype: torch.dtype
    ) -> None:
        super().__init__()
        self.policy, self.critic, self.clip, self.dtype = policy, critic, clip, dtype

    def forward(
        self, batch: Minibatch, bid_entropy: float, card_entropy: float
    ) -> tuple[Tensor, Tensor]:
        """The loss, and the figures that :data:`FIGURES` names, ``[7]``: among them the approximate
        KL divergence, the share of ratios beyond the clip, and the largest abs(ratio − 1)."""
        split = batch.num_bids
        kind = batch.rows.device.type
        with torch.autocast(kind, self.dtype, enabled=self.dtype != torch.float32):
            seen = batch.rows[:, : self.policy.features.size]
            bid_logits, card_logits = self.policy.split_logits(seen, split)
            values = self.critic(batch.rows)
        bid_logs = masked_log_probabilities(bid_logits, batch.bid_masks)
        card_logs = masked_log_probabilities(card_logits, batch.card_masks)
        chosen = batch.actions[:, None]
        logs = torch.cat([bid_logs.gather(1, chosen[:split]), card_logs.gather(1, chosen[split:])])
        change = logs[:, 0] - batch.log_probabilities
        ratio = change.exp()
        clipped = ratio.clamp(1.0 - self.clip, 1.0 + self.clip)
        gain = torch.minimum(ratio * batch.advantages, clipped * batch.advantages)
        # Every decision counts the same, so each kind's mean is weighted by its number.
        n = len(ratio)
        policy_loss = -gain.mean()
        bid_spread, card_spread = entropy(bid_logs), entropy(card_logs)
        bonus = (bid_entropy * bid_spread.sum() + card_entropy * card_spread.sum()) / n
        value_loss = 0.5 * (values - batch.returns).square().mean()
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


FIGURES = (
    "policy_loss",
    "value_loss",
    "bid_entropy",
    "card_entropy",
    "kl",
    "clipped",
    "ratio_error",
)
"""Names of the figures of :meth:`PPOLoss.forward`."""
