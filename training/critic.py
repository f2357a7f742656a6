"""Training: the critic. It sees the whole table, all hands and bids, as no policy ever does."""

import numpy as np
import torch
from torch import Tensor, nn

from differenzler_env.agents.features import ObservationFeatures, ramps, suit_table
from differenzler_env.agents.policy_network import Trunk
from differenzler_env.cards import MAX_POINTS, NUM_CARDS
from differenzler_env.observation import OBSERVATION_SIZE, STATE_FIELDS, STATE_SLICES

OTHER_GAP_KNOTS = (-60, -30, -15, -8, -4, -1, 2, 5, 8, 12, 16, 20, 25, 30, 40, 50, 70, 100, 157)


class TableFeatures(nn.Module):
    """From state vectors to table rows: a policy's inputs and, after them, what else there is to
    know, the other hands and how far the other bids are off.

    Attributes:
        policy_size: how many values at the start of a row the policy reads.
        size: length of a row.
    """

    hands: Tensor
    knots: Tensor

    def __init__(self, policy_features: ObservationFeatures) -> None:
        super().__init__()
        self.policy = policy_features
        others = policy_features.players - 1
        hands = suit_table(STATE_FIELDS[:1], STATE_SLICES, policy_features.players)
        self.register_buffer("hands", torch.as_tensor(hands), persistent=False)
        knots = torch.as_tensor(np.array(OTHER_GAP_KNOTS, np.float32))
        self.register_buffer("knots", knots, persistent=False)
        self.others = others
        self.policy_size = policy_features.size
        per_seat = NUM_CARDS + 1 + len(OTHER_GAP_KNOTS) - 1
        self.size = policy_features.size + others * per_seat

    def forward(self, state: Tensor) -> tuple[Tensor, Tensor]:
        """Rows float32 ``[n, size]`` and suit orders int64 ``[n]`` of state vectors."""
        inputs, orders = self.policy(state[:, :OBSERVATION_SIZE])
        bids, has_bid, points = (
            STATE_SLICES["other_bids"],
            STATE_SLICES["has_bid"],
            STATE_SLICES["points"],
        )
        parts = [inputs, state.gather(1, self.hands[orders])]
        for seat in range(self.others):
            given = state[:, has_bid.start + 1 + seat]
            bid = state[:, bids.start + seat]
            gap = (bid - state[:, points.start + 1 + seat]) * given
            parts += [bid[:, None], ramps(gap * MAX_POINTS, self.knots) * given[:, None]]
        return torch.cat(parts, dim=1), orders


class Critic(nn.Module):
    """The expected return of the seat to act, from table rows ``[n, size]``, float32 ``[n]``."""

    def __init__(self, size: int, width: int, blocks: int) -> None:
        super().__init__()
        self.trunk = Trunk(size, width, blocks)
        self.head = nn.Linear(width, 1)
        nn.init.zeros_(self.head.weight)
        nn.init.zeros_(self.head.bias)

    def forward(self, rows: Tensor) -> Tensor:
        """Values of rows."""
        hidden = self.trunk(rows)
        with torch.autocast(hidden.device.type, enabled=False):
            value: Tensor = self.head(hidden)[:, 0]
            return value
