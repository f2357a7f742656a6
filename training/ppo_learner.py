"""Training: the PPO learner. A policy, and beside it a critic that sees the whole table."""

import torch
from torch import Tensor

from .advantages import moments, normalised, seat_advantages
from .config import PPOConfig
from .critic import Critic
from .losses import PPOLoss
from .rollout import BY_LOGITS, Distribution, Rollout
from .self_play import SelfPlayLearner

VALUE_CHUNK = 8192


class PPOLearner(SelfPlayLearner):
    """Policy, critic and optimiser of a PPO run; arguments as :class:`.SelfPlayLearner` has them.

    Attributes:
        critic: the critic.
    """

    sees_table = True
    config: PPOConfig
    critic: Critic

    def make_loss(self) -> PPOLoss:
        """The clipped loss of policy and critic."""
        config = self.config
        self.critic = Critic(self.features.size, config.critic_width, config.critic_blocks)
        return PPOLoss(self.policy, self.critic, config.clip, self.dtype)

    def distribution(self) -> Distribution:
        """The policy's own: its outputs are logits."""
        return BY_LOGITS

    def loss_arguments(self) -> tuple[float, float]:
        """The entropy bonuses of bids and cards."""
        bonus = 1.0 + self.share_done * (self.config.final_entropy - 1.0)
        return bonus * self.config.bid_entropy, bonus * self.config.card_entropy

    def targets(self, rollout: Rollout) -> tuple[tuple[Tensor, ...], dict[str, float]]:
        """Advantages and the critic's targets ``[N]``."""
        advantages, returns, figures = self.judge(rollout)
        return (advantages, returns), figures

    @torch.no_grad()
    def judge(self, rollout: Rollout) -> tuple[Tensor, Tensor, dict[str, float]]:
        """Advantages ``[N]`` of a rollout, normalised apart for bids and cards, the critic's
        targets ``[N]``, and figures about the play in it."""
        scale = self.config.reward_scale
        values = torch.cat([self.values(chunk) for chunk in rollout.rows.split(VALUE_CHUNK)])
        table = torch.zeros(rollout.shape, device=self.device)
        table.view(-1)[rollout.places] = values
        real = torch.zeros(rollout.shape, dtype=torch.bool, device=self.device)
        real.view(-1)[rollout.places] = True
        rewards = torch.zeros_like(table)
        rewards[-1] = -rollout.penalties / scale
        over = torch.zeros_like(rewards[0])
        raw = seat_advantages(table, rewards, real, over, self.config.gae_lambda)
        raw = raw.view(-1)[rollout.places]
        advantages = torch.empty_like(raw)
        for part in (slice(0, rollout.num_bids), slice(rollout.num_bids, None)):
            advantages[part] = normalised(raw[part], self.total(moments(raw[part])))
        outcome = rollout.outcomes(scale)
        error, spread = moments(outcome - values), moments(outcome)
        known = self.total(torch.cat([error, spread])).tolist()
        figures = self.play_figures(rollout)
        figures["explained_variance"] = 1.0 - _variance(known[:3]) / max(
            _variance(known[3:]), 1e-12
        )
        return advantages, raw + values, figures

    def values(self, rows: Tensor) -> Tensor:
        """The critic's values of table rows, in units of the trainer's rewards."""
        with torch.autocast(self.device.type, self.dtype, enabled=self.dtype != torch.float32):
            values: Tensor = self.critic(rows)
            return values


def _variance(total: list[float]) -> float:
    count, one, two = total
    return two / count - (one / count) ** 2
