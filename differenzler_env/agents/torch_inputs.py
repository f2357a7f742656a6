"""Agents: the inputs of a policy network as a torch module, for export and plain use.

The same numbers as :func:`.network_inputs.write_inputs`, which training and play use because it is
faster.
"""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn

from ..cards import BEATERS, LAST_TRICK_POINTS, MAX_POINTS, NUM_CARDS, NUM_RANKS, NUM_SUITS, POINTS
from ..observation import LAYOUT, SLICES
from ..rules import MAX_PLAYERS
from .network_inputs import (
    RANK_WEIGHTS,
    InputTables,
    card_table,
    input_size,
    input_tables,
    suit_table,
)


def ramps(values: Tensor, knots: Tensor) -> Tensor:
    """A number on a fine scale, as :func:`.network_inputs.write_ramps`: ``[n]``, ``[k + 1]`` give
    ``[n, k]``."""
    low, high = knots[:-1], knots[1:]
    return ((values[:, None] - low) / (high - low)).clamp(0.0, 1.0)


class ObservationFeatures(nn.Module):
    """From observations to the inputs of a policy network. Holds tables, no weights.

    Args:
        fields: names of the observation's fields to hand on.
        players: seats at the table.

    Attributes:
        size: number of inputs.
        players: seats at the table.
        tables: the same tables for the compiled form.
    """

    size: int
    players: int
    tables: InputTables
    pick: Tensor
    planes: Tensor
    codes: Tensor
    cards: Tensor
    higher: Tensor
    strength: Tensor
    card_points: Tensor
    rank_values: Tensor
    rank_weights: Tensor
    code_values: Tensor
    earlier: Tensor
    gap_knots: Tensor
    left_knots: Tensor

    def __init__(self, fields: Sequence[str], players: int) -> None:
        super().__init__()
        self.tables = input_tables(fields, players)
        self.size = input_size(self.tables)
        self.players = players
        everything = suit_table(LAYOUT, SLICES, MAX_PLAYERS)
        planes = [everything[:, SLICES[name]] for name in ("hand", "deck", "lawful", "best")]
        cards = range(NUM_CARDS)
        beaten_by = np.array([[int(BEATERS[0, a]) >> b & 1 for a in cards] for b in cards])
        suits = np.arange(NUM_CARDS) // NUM_RANKS
        higher = beaten_by * (suits[:, None] == suits)
        strength = NUM_RANKS - higher.sum(axis=0)
        strength[:NUM_RANKS] += NUM_RANKS + 1  # the lowest trump takes the highest side card
        arrays = {
            "pick": self.tables.pick,
            "planes": np.stack(planes, axis=1),
            "codes": self.tables.numbers,
            "cards": card_table(),
            "higher": higher.astype(np.float32),
            "strength": strength.astype(np.float32),
            "card_points": POINTS[0].astype(np.float32),
            "rank_values": (2.0 ** np.arange(NUM_RANKS)).astype(np.float32),
            "rank_weights": np.array(RANK_WEIGHTS, np.float32),
            "code_values": NUM_SUITS ** np.arange(NUM_SUITS),
            "earlier": np.tril(np.ones((NUM_SUITS, NUM_SUITS), np.bool_), -1),
            "gap_knots": self.tables.gap_knots,
            "left_knots": self.tables.left_knots,
        }
        for name, array in arrays.items():
            self.register_buffer(name, torch.from_numpy(array), persistent=False)

    def suit_order(self, observation: Tensor) -> Tensor:
        """The number of each row's suit order, int64 ``[n]``; as ``network_inputs.suit_order``."""
        n = observation.shape[0]
        hand = observation[:, SLICES["hand"]].reshape(n, NUM_SUITS, NUM_RANKS)
        first = 512 * hand.sum(-1) + hand @ self.rank_values
        first = first + 1e5 * observation[:, SLICES["trump"]]
        places = (observation[:, SLICES["order"]] * NUM_CARDS).round()
        missing = observation[:, SLICES["deck"]] == 0
        seen = places.masked_fill(missing, 2.0 * NUM_CARDS)
        second = seen.reshape(n, NUM_SUITS, NUM_RANKS) @ self.rank_weights
        # before[n, s, t]: suit t comes before suit s
        above = first[:, None, :] > first[:, :, None]
        level = first[:, None, :] == first[:, :, None]
        above2 = second[:, None, :] > second[:, :, None]
        level2 = second[:, None, :] == second[:, :, None]
        before = above | (level & (above2 | (level2 & self.earlier)))
        return self.codes[(before.sum(-1) * self.code_values).sum(-1)]

    def forward(self, observation: Tensor) -> tuple[Tensor, Tensor]:
        """Inputs float32 ``[n, size]`` and suit orders int64 ``[n]`` of observations."""
        orders = self.suit_order(observation)
        n = observation.shape[0]
        picked = observation.gather(1, self.pick[orders])
        planes = observation.gather(1, self.planes[orders].flatten(1))
        hand, deck, lawful, best = planes.unflatten(1, (4, NUM_CARDS)).unbind(1)
        played = observation[:, SLICES["played"]].reshape(n, MAX_PLAYERS, NUM_CARDS).sum(1)
        unseen = deck - hand - played.gather(1, self.own_cards(orders))
        top = hand * (unseen @ self.higher < 0.5)
        # A card takes the trick if it is stronger than the best and of its suit, or trump.
        best_strength = best @ self.strength
        contends = best.unflatten(1, (NUM_SUITS, NUM_RANKS)).amax(-1)
        contends = torch.cat([torch.ones_like(contends[:, :1]), contends[:, 1:]], dim=1)
        contends = contends.repeat_interleave(NUM_RANKS, dim=1)
        takes = lawful * contends * (self.strength > best_strength[:, None])
        total = deck @ self.card_points + LAST_TRICK_POINTS
        points = (observation[:, SLICES["points"]] * MAX_POINTS).round().sum(1)
        gap = (observation[:, SLICES["to_go"].start] * MAX_POINTS).round()
        on_table = (observation[:, SLICES["trick_points"].start] * MAX_POINTS).round()
        inputs = [
            picked,
            unseen,
            top,
            takes,
            ramps(gap, self.gap_knots),
            ramps(gap - on_table, self.gap_knots),
            ramps(total - points, self.left_knots),
        ]
        return torch.cat(inputs, dim=1), orders

    def own_cards(self, orders: Tensor) -> Tensor:
        """The absolute card at each own card, int64 ``[n, 36]``."""
        cards: Tensor = self.planes[orders][:, 0] - SLICES["hand"].start
        return cards
