"""Training: the critic. It sees the whole table, all hands and bids, as no policy ever does."""

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from differenzler_env.agents.network_inputs import input_rows, suit_table
from differenzler_env.agents.torch_inputs import ObservationFeatures, ramps
from differenzler_env.agents.torch_network import Trunk
from differenzler_env.cards import MAX_POINTS, NUM_CARDS
from differenzler_env.observation import OBSERVATION_SIZE, STATE_FIELDS, STATE_SLICES
from differenzler_env.rules import MAX_PLAYERS

OTHER_GAP_KNOTS = (-60, -30, -15, -8, -4, -1, 2, 5, 8, 12, 16, 20, 25, 30, 40, 50, 70, 100, 157)
_SEATS = (STATE_SLICES["has_bid"], STATE_SLICES["points"])


class TableFeatures(nn.Module):
    """From state vectors to table rows: a policy's inputs and, after them, what else there is to
    know, the other hands and how far the other bids are off.

    Args:
        policy_features: the policy's inputs.
        whole: whether there is anything after them.

    Attributes:
        policy_size: how many values at the start of a row the policy reads.
        size: length of a row.
    """

    hands: Tensor
    knots: Tensor

    def __init__(self, policy_features: ObservationFeatures, whole: bool = True) -> None:
        super().__init__()
        self._tables = policy_features.tables
        hands = suit_table(STATE_FIELDS[:1], STATE_SLICES, policy_features.players)
        self.register_buffer("hands", torch.as_tensor(hands), persistent=False)
        knots = torch.as_tensor(np.array(OTHER_GAP_KNOTS, np.float32))
        self.register_buffer("knots", knots, persistent=False)
        self.others = policy_features.players - 1 if whole else 0
        self.policy_size = policy_features.size
        per_seat = NUM_CARDS + 1 + len(OTHER_GAP_KNOTS) - 1
        self.size = policy_features.size + self.others * per_seat

    def forward(
        self, states: npt.NDArray[np.float32], rows: npt.NDArray[np.int64]
    ) -> tuple[Tensor, Tensor]:
        """Table rows float32 ``[n, size]`` and suit orders int64 ``[n]`` of some state vectors.

        Args:
            states: ``[B, STATE_SIZE]``.
            rows: which of them.
        """
        table = np.empty((len(rows), self.size), np.float32)
        orders = np.empty(len(rows), np.int64)
        input_rows(states, rows, self._tables, table, orders)
        device = self.hands.device
        out, numbers = torch.from_numpy(table).to(device), torch.from_numpy(orders).to(device)
        if not self.others:
            return out, numbers
        state = torch.from_numpy(states[rows, OBSERVATION_SIZE:]).to(device)
        seats = torch.from_numpy(
            np.concatenate([states[rows, part] for part in _SEATS], axis=1)
        ).to(device)
        parts = [state.gather(1, self.hands[numbers] - OBSERVATION_SIZE)]
        for seat in range(self.others):
            given, points = seats[:, 1 + seat], seats[:, MAX_PLAYERS + 1 + seat]
            bid = state[:, STATE_SLICES["other_bids"].start - OBSERVATION_SIZE + seat]
            gap = (bid - points) * given * MAX_POINTS
            parts += [bid[:, None], ramps(gap, self.knots) * given[:, None]]
        out[:, self.policy_size :] = torch.cat(parts, dim=1)
        return out, numbers


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
