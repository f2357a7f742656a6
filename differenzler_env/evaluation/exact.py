"""Evaluation: exact answers for two players and a small deck, by going through everything.

How good is a policy against itself, and how much better could one do against it? With few cards
that can be computed without chance, as a yardstick for learners: :func:`exact_values`.

With two players who hold all the cards, each knows the other's hand; only the bid is hidden. So the
tree of plays is the same whatever was bid, and what a seat cannot know is a distribution over the
other's bids. For each deal the tree is grown once; a policy's plays give, for each own bid, how
likely it follows each line. The best response then takes, for each own bid, the better card where
it is to play and what comes where the other is, and the best bid last.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ..actions import NUM_ACTIONS, NUM_BIDS, card_action
from ..agents.base import Agent
from ..batch import Batch
from ..cards import NUM_CARDS
from ..engine import rows as kernels
from ..engine.deal import STOECK_BITS
from ..engine.jit import Array, Integer, jit
from ..engine.kernels import deal_penalty
from ..engine.state import STATE, VIEW, take_records
from ..engine.trees import grow_tree
from ..rules import Rules
from ..view import PlayerView

Floats = npt.NDArray[np.float64]


class BatchedPolicy(Protocol):
    """A policy that answers for many views at once."""

    def probabilities(self, views: np.ndarray) -> np.ndarray:
        """For VIEW records ``[n]`` the probability of each action ``[n, 194]``."""
        ...


Policy = Callable[[PlayerView], Any] | BatchedPolicy
"""A function from a view to the probabilities ``[194]`` of the actions, or a batched one."""


@dataclass(frozen=True)
class ExactValues:
    """What a policy is worth, in rewards: minus the mean penalty of a deal, over all deals.

    Attributes:
        value: of the policy against itself, the mean of both seats.
        best_response: of the best that one seat can do against the policy in the other.
        value_by_seat, best_response_by_seat: the same for seat 0 and seat 1.
    """

    value: float
    best_response: float
    value_by_seat: tuple[float, float]
    best_response_by_seat: tuple[float, float]

    @property
    def gap(self) -> float:
        """How much one seat gains at most by leaving the policy, in points of penalty a deal: 0
        where the policy is an equilibrium with itself, else above."""
        return self.best_response - self.value


def exact_values(policy: Policy, rules: Rules | None = None) -> ExactValues:
    """A policy against itself and against its best response.

    Policies that do not look at absolute seats get the same from ``Rules.mini(first_dealer=0)`` in
    half the time.

    Args:
        policy: from a view to the probabilities of the actions.
        rules: ``Rules.mini()`` where not given; see :func:`check_rules`.

    Raises:
        ValueError: for rules that are too large, or probabilities that do not sum to 1.
    """
    values, responses = np.zeros(2), np.zeros(2)
    for weight, deal in _deals(rules or Rules.mini()):
        played = [deal.play(policy, seat) for seat in (0, 1)]
        for seat in (0, 1):
            values[seat] += weight * deal.value(seat, played)
            responses[seat] += weight * deal.response(seat, played[1 - seat])[0]
    return ExactValues(
        float(values.mean()),
        float(responses.mean()),
        (float(values[0]), float(values[1])),
        (float(responses[0]), float(responses[1])),
    )


def best_response_value(policy: Policy, rules: Rules | None = None) -> float:
    """The reward a deal (minus the penalty) of the best response to a policy, the mean of both
    seats. Arguments and errors as in :func:`exact_values`."""
    return exact_values(policy, rules).best_response


def policy_value(policy: Policy, opponent: Policy, rules: Rules | None = None) -> float:
    """The reward a deal of one policy against another, the mean of both seats. Arguments and errors
    as in :func:`exact_values`."""
    total = 0.0
    for weight, deal in _deals(rules or Rules.mini()):
        own = [deal.play(policy, seat) for seat in (0, 1)]
        other = [deal.play(opponent, seat) for seat in (0, 1)]
        total += weight * deal.value(0, [own[0], other[1]]) / 2
        total += weight * deal.value(1, [other[0], own[1]]) / 2
    return total


class BestResponse:
    """The best response to a policy, as a policy itself.

    Args:
        policy: the policy it answers.
        rules: as in :func:`exact_values`.
    """

    def __init__(self, policy: Policy, rules: Rules | None = None) -> None:
        self.rules = rules or Rules.mini()
        self._actions: dict[bytes, int] = {}
        for _, deal in _deals(self.rules):
            for seat in (0, 1):
                played = deal.play(policy, 1 - seat)
                _, bid, choices = deal.response(seat, played)
                self._actions[deal.bid_view(seat).tobytes()] = bid
                views = deal.views(choices[:, 0], seat, np.array([bid]))
                for view, (_, card) in zip(views, choices, strict=True):
                    self._actions[view.tobytes()] = card_action(int(card))

    def probabilities(self, views: np.ndarray) -> np.ndarray:
        """For VIEW records ``[n]`` the probability of each action ``[n, 194]``; where a seat has
        bid otherwise than the best response does, its lowest card."""
        chosen = np.zeros((len(views), NUM_ACTIONS))
        for row in range(len(views)):
            view = PlayerView(self.rules, views[row : row + 1])
            action = self._actions.get(views[row].tobytes())
            chosen[row, view.legal_actions()[0] if action is None else action] = 1
        return chosen


# Policies -----------------------------------------------------------------------------------


class Uniform:
    """Every legal action is equally likely."""

    def __init__(self, rules: Rules | None = None) -> None:
        self.rules = rules or Rules.mini()

    def probabilities(self, views: np.ndarray) -> np.ndarray:
        """For VIEW records ``[n]`` the probability of each action ``[n, 194]``."""
        mask = _masks(views, self.rules).astype(np.float64)
        uniform: np.ndarray = mask / mask.sum(axis=1, keepdims=True)
        return uniform


class Deterministic:
    """An agent whose choice depends on the view alone, as a policy."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent

    def probabilities(self, views: np.ndarray) -> np.ndarray:
        """For VIEW records ``[n]`` the probability of each action ``[n, 194]``."""
        chosen = np.zeros((len(views), NUM_ACTIONS))
        actions = self.agent.act_batch(views, np.zeros(len(views), np.uint64))
        chosen[np.arange(len(views)), actions] = 1
        return chosen


def _masks(views: np.ndarray, rules: Rules) -> np.ndarray:
    """Legal actions of views whose seat is to act, bool ``[n, 194]``."""
    masks = np.empty((len(views), NUM_ACTIONS), np.int8)
    kernels.mask_views(views, rules.record, masks)
    return masks.view(np.bool_)


def _ask(policy: Policy, views: np.ndarray, rules: Rules) -> Floats:
    """A policy's probabilities for views ``[n]``, checked: ``[n, 194]``."""
    if hasattr(policy, "probabilities"):
        given = np.asarray(policy.probabilities(views), np.float64)
    else:
        one_by_one = (PlayerView(rules, views[row : row + 1]) for row in range(len(views)))
        given = np.array([np.asarray(policy(view)) for view in one_by_one], np.float64)
    if given.shape != (len(views), NUM_ACTIONS):
        raise ValueError(
            f"a policy gave probabilities of shape {given.shape}; allowed: {len(views)} times "
            f"{NUM_ACTIONS}"
        )
    legal = np.where(_masks(views, rules), given, 0.0)
    sums = legal.sum(axis=1)
    wrong = (given < 0).any(axis=1) | ~(np.abs(sums - 1) < 1e-3)
    if wrong.any():
        view = PlayerView(rules, views[np.flatnonzero(wrong)[:1]])
        raise ValueError(
            f"probabilities of the legal actions sum to {sums[wrong][0]}, or one is negative, at "
            f"{view!r}; allowed: none below 0, and a sum of 1"
        )
    checked: Floats = legal / sums[:, None]
    return checked


# The enumeration ----------------------------------------------------------------------------


def check_rules(rules: Rules) -> None:
    """Refuse rules that cannot be gone through.

    Raises:
        ValueError: unless there are two players, hidden bids, a single deal and at most 10 cards.
    """
    for name, value, allowed in (
        ("players", rules.players, 2),
        ("bidding", rules.bidding, "hidden"),
        ("deals", rules.deals, 1),
    ):
        if value != allowed:
            raise ValueError(f"{name} is {value!r}; exact values need {allowed!r}")
    cards = len(rules.deck)
    if cards > 10:
        raise ValueError(f"deck has {cards} cards; exact values need at most 10")


def _deals(rules: Rules) -> Iterator[tuple[float, "_Deal"]]:
    """Every deal with its probability: hands, trump, dealer."""
    check_rules(rules)
    deck = rules.deck
    found: list[tuple[list[list[str]], str, int, str | None]] = []
    for hand in combinations(deck, rules.tricks):
        hands = [list(hand), [card for card in deck if card not in hand]]
        dealers = [0, 1] if rules.first_dealer == "random" else [int(rules.first_dealer or 0)]
        for dealer in dealers:
            if rules.trump == "turned_up":
                found += [(hands, card[0], dealer, card) for card in hands[dealer]]
            else:
                found += [(hands, trump, dealer, None) for trump in rules.trumps]
    for deal in found:
        yield 1 / len(found), _Deal(rules, *deal)


class _Deal:
    """One deal: its tree of plays, and what policies make of it.

    Positions are numbered as :func:`grow_tree` keeps them; M is the number of bids.
    """

    def __init__(
        self, rules: Rules, hands: list[list[str]], trump: str, dealer: int, turned_up: str | None
    ) -> None:
        self.rules = rules
        batch = Batch(1, rules, seed=0)
        batch.set_deal(0, hands=hands, trump=trump, dealer=dealer, turned_up=turned_up)
        self.num_bids = int(batch.legal_mask().sum())
        self._bid_views = np.zeros(2, VIEW)
        for _ in range(2):
            self._bid_views[batch.current_seat[0]] = batch.views()[0]
            batch.step([0])
        self._grow(batch.state_records)
        # No penalty may depend on the deals before, so a settled leaf is never needed.
        self.leaves = np.flatnonzero(self.num_children == 0)
        self.costs = [self._costs(seat) for seat in (0, 1)]

    def _grow(self, root: np.ndarray) -> None:
        room = 4096
        while True:
            states = np.zeros(room, STATE)
            states[0] = root[0]
            parents, cards = np.zeros(room, np.int64), np.zeros(room, np.int64)
            count = grow_tree(states, parents, cards, self.rules.record)
            if count > 0:
                break
            room *= 4
        self.states, self.parents, self.cards = states[:count], parents[:count], cards[:count]
        self.mover = self.states["current_seat"].astype(np.int64)
        self.num_children = np.bincount(self.parents[1:], minlength=count)
        played = self.states["num_played"]
        edges = np.searchsorted(played, np.arange(played[-1] + 2))
        self.levels = [slice(edges[i], edges[i + 1]) for i in range(len(edges) - 1)]

    def _costs(self, seat: int) -> Floats:
        """The penalty of a seat for each leaf and own bid ``[leaves, M]``."""
        held = int(self.states["hands"][0, seat])
        stoeck = STOECK_BITS[int(self.states["trump"][0])]
        out = np.zeros((len(self.leaves), self.num_bids))
        leaves = self.states[self.leaves]
        _fill_costs(
            self.rules.record,
            leaves["points"][:, seat].astype(np.int64),
            leaves["revokes"][:, seat].astype(np.int64),
            held & stoeck == stoeck,
            out,
        )
        return out

    def bid_view(self, seat: int) -> np.ndarray:
        """What a seat sees when it is to bid, VIEW ``[1]``."""
        return self._bid_views[seat : seat + 1]

    def views(self, nodes: np.ndarray, seat: int, bids: np.ndarray) -> np.ndarray:
        """What a seat that is to play sees, for each position and each own bid: VIEW
        ``[nodes × bids]``."""
        views = np.zeros(len(nodes), VIEW)
        kernels.view_rows(take_records(self.states, nodes), self.rules.record, views)
        views = take_records(views, np.repeat(np.arange(len(nodes)), len(bids)))
        views["bids"][:, seat] = np.tile(bids, len(nodes))
        return views

    def play(self, policy: Policy, seat: int) -> tuple[Floats, Floats]:
        """How a policy plays a seat: the probability of each bid ``[M]``, and for each position and
        own bid the probability that its cards lead there, as far as it is up to it ``[n, M]``."""
        bids = _ask(policy, self.bid_view(seat), self.rules)[0, : self.num_bids]
        given = np.flatnonzero(bids)
        reach = np.zeros((len(self.states), len(given)))
        reach[0] = 1
        choosing = np.flatnonzero((self.mover == seat) & (self.num_children > 1))
        row_of = np.full(len(self.states), -1)
        row_of[choosing] = np.arange(len(choosing))
        chances = np.zeros((0, len(given), NUM_CARDS))
        if len(choosing):
            views = self.views(choosing, seat, given)
            asked = _ask(policy, views, self.rules)[:, NUM_BIDS:]
            chances = asked.reshape(len(choosing), len(given), NUM_CARDS)
        for level in self.levels[1:]:
            parents, rows = self.parents[level], row_of[self.parents[level]]
            reach[level] = reach[parents]
            free = np.flatnonzero(rows >= 0)
            at = free + level.start
            reach[at] *= chances[rows[free], :, self.cards[at]]
        whole = np.zeros((len(self.states), self.num_bids))
        whole[:, given] = reach
        return bids, whole

    def value(self, seat: int, played: list[tuple[Floats, Floats]]) -> float:
        """The reward of a seat, both seats playing as given."""
        (bids, reach), (other_bids, other_reach) = played[seat], played[1 - seat]
        costs = (reach[self.leaves] * self.costs[seat]) @ bids
        return -float(costs @ (other_reach[self.leaves] @ other_bids))

    def response(
        self, seat: int, other: tuple[Floats, Floats]
    ) -> tuple[float, int, npt.NDArray[np.int64]]:
        """The best that a seat can do against how the other plays.

        Returns its reward, its bid, and (position, card) ``[k, 2]`` for each of its positions.
        """
        bids, reach = other
        values = np.zeros((len(self.states), self.num_bids))
        chance = reach[self.leaves] @ bids
        values[self.leaves] = -chance[:, None] * self.costs[seat]
        for level in reversed(self.levels[1:]):
            children = values[level]
            parents, first = np.unique(self.parents[level], return_index=True)
            sums = np.add.reduceat(children, first)
            most = np.maximum.reduceat(children, first)
            values[parents] = np.where((self.mover[parents] == seat)[:, None], most, sums)
        bid = int(values[0].argmax())
        children = np.arange(1, len(self.states))
        parents = self.parents[children]
        own = children[
            (self.mover[parents] == seat) & (values[children, bid] == values[parents, bid])
        ]
        nodes, first = np.unique(self.parents[own], return_index=True)
        choices = np.stack([nodes, self.cards[own[first]]], axis=1)
        return float(values[0, bid]), bid, choices


@jit
def _fill_costs(
    rules: Array, points: Array, revokes: Array, has_stoeck: Integer, out: Array
) -> None:
    for leaf in range(len(points)):
        for bid in range(out.shape[1]):
            out[leaf, bid] = deal_penalty(rules[0], bid, points[leaf], has_stoeck, revokes[leaf])
