"""Training: the Deep Monte Carlo learner. A network that foretells what each action will earn.

The method is that of DouZero (Zha et al., 2021): play by the action of highest value, now and then
by any legal one, and move the value of what was done to what came of it, by least squares. There,
the action is an input, for DouDizhu has 27 thousand of them. Here there are 158 bids and 36 cards,
so each has an output of its own: one pass values them all, and the network is the policy network,
with values where that has logits. So its checkpoint plays as any other does, by the most likely
action.
"""

from functools import partial

import torch
from torch import Tensor

from differenzler_env.agents.network_kernels import BID_CENTRE, BID_SPREAD

from .config import DMCConfig
from .losses import Loss, Minibatch
from .rollout import Distribution, Rollout
from .self_play import SelfPlayLearner


def epsilon_greedy(values: Tensor, mask: Tensor, epsilon: float) -> Tensor:
    """Log-probabilities of the best legal action with probability 1 − ε, else of any legal one.

    Args:
        values: float32 ``[n, k]``.
        mask: bool ``[n, k]``, at least one true in each row.
        epsilon: 0…1.
    """
    best = values.masked_fill(~mask, -torch.inf).argmax(dim=1, keepdim=True)
    chances = mask * (epsilon / mask.sum(dim=1, keepdim=True))
    return chances.scatter_add(1, best, torch.full_like(chances[:, :1], 1.0 - epsilon)).log()


class DMCLoss(Loss):
    """Half the mean squared error of the values of what was done."""

    figures = ("bid_error", "card_error")

    def forward(self, batch: Minibatch) -> tuple[Tensor, Tensor]:
        """The loss, and the mean squared errors that ``figures`` names."""
        with self.quickly(batch):
            bid_values, card_values = self.outputs(batch)
        split, chosen = batch.num_bids, batch.actions[:, None]
        values = torch.cat(
            [bid_values.gather(1, chosen[:split]), card_values.gather(1, chosen[split:])]
        )
        (outcomes,) = batch.targets
        errors = (values[:, 0] - outcomes).square()
        figures = torch.stack([errors[:split].mean(), errors[split:].mean()]).detach()
        return 0.5 * errors.mean(), figures


class DMCLearner(SelfPlayLearner):
    """The value network and optimiser of a run; arguments as :class:`.SelfPlayLearner` has them."""

    sees_table = False
    config: DMCConfig

    def make_loss(self) -> DMCLoss:
        """Least squares."""
        if not self.config.start:
            with torch.no_grad():
                self._expect_little()
        return DMCLoss(self.policy, self.dtype)

    def _expect_little(self) -> None:
        """Begin with the values of one who knows nothing: that of a bid is what it earns on average
        if points are spread normally as the first bids are. The network's own hump is a parabola,
        which would have far bids cost several times what any bid can."""
        gap = (self.policy.bids - BID_CENTRE) / BID_SPREAD
        normal = torch.distributions.Normal(0.0, 1.0)
        density = normal.log_prob(gap).exp()
        cost = BID_SPREAD * (2 * density + gap * (2 * normal.cdf(gap) - 1))
        values = -cost / self.config.reward_scale
        self.policy.bid_head.bias[2:] = values + 0.5 * gap.square()
        self.policy.card_head.bias.fill_(float(values.max()))

    def distribution(self) -> Distribution:
        """The best action, or with a chance that falls over the run any legal one."""
        config = self.config
        left = 1.0 + self.share_done * (config.final_exploration - 1.0)
        bids, cards = left * config.bid_exploration, left * config.card_exploration
        return Distribution(
            bids=partial(epsilon_greedy, epsilon=bids), cards=partial(epsilon_greedy, epsilon=cards)
        )

    def targets(self, rollout: Rollout) -> tuple[tuple[Tensor, ...], dict[str, float]]:
        """What came of each decision ``[N]``."""
        outcomes = rollout.outcomes(self.config.reward_scale)
        return (outcomes,), self.play_figures(rollout)
