"""Agents: what a policy network makes of an observation before its first layer. Needs torch.

Suits are interchangeable except for trump, so the network plays in suits of its own: trump becomes
suit 0 and the others follow in an order that depends on the cards alone. To that are added inputs
that a player would count out: the cards not yet seen, which own cards are the highest of their
suit, which would take the trick, and how far the bid is still off, on a fine scale.
"""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from ..cards import BEATERS, LAST_TRICK_POINTS, MAX_POINTS, NUM_CARDS, NUM_SUITS, POINTS
from ..observation import LAYOUT, OBSERVATION_SIZE, SLICES, Field
from ..rules import MAX_PLAYERS, Rules

RANKS = NUM_CARDS // NUM_SUITS
ORDERS = tuple(itertools.permutations(range(NUM_SUITS)))
"""The 24 orders of suits: ``ORDERS[k][j]`` is the absolute suit that becomes suit j."""

_CONSTANT = ("current_seat", "players", "rules", "deck")
"""Fields that are the same at every decision under one rule set."""
_MATCH = ("deal", "penalties")
"""Fields about the match, of no use to a policy that plays each deal for itself."""
_ORDER_FREE = ("has_bid", "bid_known")
"""Fields that add nothing while bids are hidden."""

_FINE = (*range(-12, 30), *range(30, 60, 2), *range(60, 100, 4), *range(100, 158, 8))
GAP_KNOTS = (-100, -70, -50, -40, -32, -26, -20, -16, *_FINE, 157)
LEFT_KNOTS = tuple(range(0, 158, 5))


def useful_fields(rules: Rules) -> list[str]:
    """The names of the observation's fields that say something under these rules."""
    dropped = set(_CONSTANT + _MATCH)
    if rules.bidding == "hidden":
        dropped |= set(_ORDER_FREE)
    if rules.trump == "random":
        dropped.add("turned_up")
    return [field.name for field in LAYOUT if field.name not in dropped]


def suit_table(fields: Sequence[Field], starts: Mapping[str, slice], seats: int) -> np.ndarray:
    """Which value of a vector becomes which, for each order of the suits: int64 ``[24, size]``.

    Args:
        fields: those to pick, in order.
        starts: where each stands in the vector.
        seats: seat slots to keep of fields that have one value or row for each.
    """
    columns = []
    for field in fields:
        shape = (seats, *field.shape[1:]) if field.shape[0] == MAX_PLAYERS else field.shape
        if field.shape[0] == MAX_PLAYERS - 1 and field.kind == "card":
            shape = (seats - 1, *field.shape[1:])
        at = starts[field.name].start + np.arange(int(np.prod(shape)))
        rows = []
        for order in ORDERS:
            if field.kind == "plain":
                rows.append(at)
            elif field.kind == "suit":
                rows.append(at.reshape(-1, NUM_SUITS)[:, order].ravel())
            else:
                rows.append(at.reshape(-1, NUM_SUITS, RANKS)[:, order].ravel())
        columns.append(np.stack(rows))
    return np.concatenate(columns, axis=1)


def card_table() -> np.ndarray:
    """Own card index of each absolute card, for each order of the suits: int64 ``[24, 36]``."""
    table = np.zeros((len(ORDERS), NUM_CARDS), np.int64)
    for number, order in enumerate(ORDERS):
        for own, absolute in enumerate(order):
            for rank in range(RANKS):
                table[number, RANKS * absolute + rank] = RANKS * own + rank
    return table


def ramps(values: Tensor, knots: Tensor) -> Tensor:
    """A number on a fine scale: for each stretch between knots how much of it lies below the value,
    0…1. ``[n]`` and ``[k + 1]`` give ``[n, k]``."""
    low, high = knots[:-1], knots[1:]
    return ((values[:, None] - low) / (high - low)).clamp(0.0, 1.0)


class ObservationFeatures(nn.Module):
    """From observations to the inputs of a policy network. Holds tables, no weights.

    Args:
        fields: names of the observation's fields to hand on.
        players: seats at the table.

    Attributes:
        size: number of inputs.
    """

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
        picked = [field for field in LAYOUT if field.name in set(fields)]
        everything = suit_table(LAYOUT, SLICES, MAX_PLAYERS)
        beaten_by = np.array([[int(BEATERS[0, a]) >> b & 1 for a in range(36)] for b in range(36)])
        same_suit = np.arange(36)[:, None] // RANKS == np.arange(36) // RANKS
        codes = np.zeros(NUM_SUITS**NUM_SUITS, np.int64)
        for number, order in enumerate(ORDERS):
            codes[sum(order.index(suit) * NUM_SUITS**suit for suit in range(NUM_SUITS))] = number
        strength = np.zeros(NUM_CARDS)
        for card in range(NUM_CARDS):
            strength[card] = RANKS - (beaten_by[:, card] * same_suit[:, card]).sum()
        strength[:RANKS] += RANKS + 1  # the lowest trump takes the highest side card
        tables: dict[str, Any] = {
            "pick": suit_table(picked, SLICES, players),
            "planes": np.stack(
                [everything[:, SLICES[name]] for name in ("hand", "deck", "lawful", "best")], axis=1
            ),
            "codes": codes,
            "cards": card_table(),
            "higher": np.float32(beaten_by * same_suit),
            "strength": np.float32(strength),
            "card_points": np.float32(POINTS[0]),
            "rank_values": np.float32(2.0 ** np.arange(RANKS)),
            "rank_weights": np.float32(np.sqrt(np.arange(2, 2 + RANKS))),
            "code_values": NUM_SUITS ** np.arange(NUM_SUITS),
            "earlier": np.tril(np.ones((NUM_SUITS, NUM_SUITS), bool), -1),
            "gap_knots": np.array(GAP_KNOTS, np.float32),
            "left_knots": np.array(LEFT_KNOTS, np.float32),
        }
        for name, table in tables.items():
            self.register_buffer(name, torch.as_tensor(table), persistent=False)
        self.players = players
        derived = 3 * NUM_CARDS + 2 * (len(GAP_KNOTS) - 1) + len(LEFT_KNOTS) - 1
        self.size = tables["pick"].shape[1] + derived

    def suit_order(self, observation: Tensor) -> Tensor:
        """The number in ``ORDERS`` of each row's own suits, int64 ``[n]``.

        Trump comes first, then the suits with most own cards, of equals those with better cards, of
        equals by what was played of them.
        """
        n = observation.shape[0]
        hand = observation[:, SLICES["hand"]].reshape(n, NUM_SUITS, RANKS)
        first = 512 * hand.sum(-1) + hand @ self.rank_values
        first = first + 1e5 * observation[:, SLICES["trump"]]
        # Cards played by their place, cards not in the deck by a place that none can have.
        seen = observation[:, SLICES["order"]] + 2 * (1 - observation[:, SLICES["deck"]])
        second = seen.reshape(n, NUM_SUITS, RANKS) @ self.rank_weights
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
        return self.inputs(observation, orders), orders

    def inputs(self, observation: Tensor, orders: Tensor) -> Tensor:
        """The inputs for given suit orders."""
        n = observation.shape[0]
        picked = observation.gather(1, self.pick[orders])
        planes = observation.gather(1, self.planes[orders].reshape(n, -1))
        hand, deck, lawful, best = planes.reshape(n, 4, NUM_CARDS).unbind(1)
        played = observation[:, SLICES["played"]].reshape(n, MAX_PLAYERS, NUM_CARDS).sum(1)
        unseen = deck - hand - played.gather(1, self.own_cards(orders))
        top = hand * (unseen @ self.higher < 0.5)
        # A card takes the trick if it is of the suit led, or trump, and stronger than the best: as
        # the best card follows the suit led or is trump, it is enough to look at its own suit.
        best_strength = best @ self.strength
        suit_of_best = best.reshape(n, NUM_SUITS, RANKS).amax(-1)
        contends = suit_of_best.clone()
        contends[:, 0] = 1.0
        contends = contends.repeat_interleave(RANKS, dim=1)
        takes = lawful * contends * (self.strength > best_strength[:, None])
        total = deck @ self.card_points + LAST_TRICK_POINTS
        points = observation[:, SLICES["points"]].sum(1) * MAX_POINTS
        gap = observation[:, SLICES["to_go"].start] * MAX_POINTS
        on_table = observation[:, SLICES["trick_points"].start] * MAX_POINTS
        return torch.cat(
            [
                picked,
                unseen,
                top,
                takes,
                ramps(gap, self.gap_knots),
                ramps(gap - on_table, self.gap_knots),
                ramps(total - points, self.left_knots),
            ],
            dim=1,
        )

    def own_cards(self, orders: Tensor) -> Tensor:
        """The absolute card at each own card, int64 ``[n, 36]``."""
        cards: Tensor = self.planes[orders][:, 0] - SLICES["hand"].start
        return cards


assert LAYOUT[-1].size + SLICES[LAYOUT[-1].name].start == OBSERVATION_SIZE
