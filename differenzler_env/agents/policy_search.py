"""Agents: ``search?policy=FILE``. A trained network says which actions are worth trying and how
likely others would have played as they did; worlds are played out by it in all seats."""

from typing import Any

import numpy as np
import numpy.typing as npt

from ..actions import NUM_BIDS
from ..engine.deal import threefry
from ..engine.jit import Array, Integer, jit, lowest_bit, u64
from ..engine.play import give_bid, play_card, settle
from ..engine.rows import view_rows
from ..engine.state import BID, PLAY, STATE, VIEW
from ..rules import Rules
from ..sampling import sample_worlds
from .base import Actions, Records
from .network_agent import drawn, load_network, most_likely
from .search import Floats, SearchAgent, price_actions
from .table import take_records
from .worlds import WHIM, begin_world, knows_more_than_its_hand, share_out

CANDIDATES = 2
"""Worlds sampled for each that is played out, where there is something to weigh them by."""
LIKELY = 0.02
"""Cards less likely than this are not tried."""
MOST_CARDS = 6
QUANTILES = (0.1, 0.3, 0.5, 0.7, 0.9)
"""Bids tried: the likeliest, and these quantiles of the policy's own bids."""
LOYALTY = 1.0
"""What an action must save for being e times less likely than the likeliest one. The fewer the
worlds, the more the costs owe to luck, the less the policy does."""

_2 = u64(2)
_ZERO = u64(0)
_32 = u64(32)
_LOW = u64(0xFFFF_FFFF)


@jit
def _begin_worlds(
    views: Records, rules: Records, key: Integer, seed: Integer, states: Array, luck: Array
) -> bool:
    """STATE records ``[M]`` with the hands of worlds dealt and nothing bid; numbers in [0, 1) for
    draws of bids, float64 ``[M, 8]``. False where no world is consistent with the view."""
    hands = np.zeros((len(states), rules[0]["players"]), np.uint64)
    if not sample_worlds(views[0], rules[0], key, seed, hands):
        return False
    for world in range(len(states)):
        begin_world(views[0], rules[0], hands[world], states[world])
        words = threefry(key, seed, _2, _ZERO, u64(world), _ZERO, _ZERO, _ZERO)
        for at, word in enumerate(words):
            luck[world, 2 * at] = np.float64(word & _LOW) * 2.0**-32
            luck[world, 2 * at + 1] = np.float64(word >> _32) * 2.0**-32
    return True


@jit
def _act_rows(states: Array, rules: Records, actions: Actions) -> None:
    """Bid or play in each row; a deal that ends is not settled."""
    for row in range(len(states)):
        if states[row]["phase"] == BID:
            give_bid(states[row], rules[0], actions[row])
        else:
            play_card(states[row], rules[0], actions[row] - NUM_BIDS)


@jit
def _forced_rows(views: Records, actions: Actions) -> None:
    """The action where there is only one, else −1."""
    for row in range(len(views)):
        cards = np.int64(views[row]["legal"])
        actions[row] = -1
        if views[row]["phase"] == PLAY and cards & (cards - 1) == 0:
            actions[row] = NUM_BIDS + lowest_bit(cards)


@jit
def _settle_rows(states: Array, rules: Records, seat: Integer, penalties: Array) -> None:
    """A seat's penalty of each deal that has ended, int64 ``[n]``."""
    for row in range(len(states)):
        settle(states[row], rules[0])
        penalties[row] = states[row]["settled_penalties"][seat]


@jit
def _share_out(weights: Floats, worlds: Integer, copies: Array) -> None:
    share_out(weights, worlds, copies)


@jit
def _price_rows(
    books: Records,
    rules: Records,
    seat: Integer,
    states: Array,
    copies: Array,
    exact: Integer,
    actions: Actions,
    costs: Floats,
) -> None:
    price_actions(books[0], rules[0], seat, states, copies, exact, actions, costs)


def log_shares(logits: npt.NDArray[np.float32]) -> Floats:
    """Logarithms of the probabilities of rows of logits, float64 ``[n, 194]``."""
    shifted = logits.astype(np.float64) - logits.max(axis=1, keepdims=True)
    log: Floats = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return log


class PolicySearchAgent(SearchAgent):
    """``search?policy=models/swisslos.safetensors``: search with a network as prior and playout.

    Only what the policy finds likely is tried, and what it finds less likely must save more. In the
    worlds the others' hidden bids are drawn from the policy's own bids on the hands dealt, and each
    world weighs as much as the policy finds the cards likely that the others played.

    Args:
        rules: rules of the table.
        policy: checkpoint file, found as :func:`.registry.find_file` does.
        playout: who plays worlds out in all seats: ``"policy"`` (its likeliest cards) or
            ``"heuristic"``, which is many times faster.
        worlds, time_ms, exact, seed: as for :class:`.search.SearchAgent`.

    Raises:
        CheckpointError: for a file that is damaged or made for other rules.
        SpecError: for one that is not there.
    """

    def __init__(
        self,
        rules: Rules,
        policy: str,
        playout: str = "policy",
        worlds: int = 20,
        time_ms: int = 0,
        exact: int = 0,
        seed: int = 0,
    ) -> None:
        from .registry import find_file

        super().__init__(rules, worlds, time_ms, exact, seed)
        self.network = load_network(find_file(policy), rules)
        self.playout = playout

    def choices(self, views: Records) -> tuple[Actions, Floats]:
        """The policy's likelier actions in VIEW ``[1]``, likeliest first, int64 ``[k]``, and how
        much cheaper than the first each must be, float64 ``[k]``."""
        if views["current_seat"][0] != views["seat"][0]:
            return np.zeros(0, np.int64), np.zeros(0)
        log = log_shares(self.network.legal_logits(views))[0]
        if views["phase"][0] == BID:
            reached = np.exp(log).cumsum()
            quantiles = np.searchsorted(reached, np.multiply(QUANTILES, reached[-1]))
            tried = np.unique(np.append(quantiles, log.argmax()))
        else:
            tried = np.flatnonzero(log >= np.log(LIKELY))
        tried = tried[np.argsort(-log[tried], kind="stable")][:MOST_CARDS].astype(np.int64)
        return tried, LOYALTY * (log[tried[:1]] - log[tried])

    def costs(self, views: Records, key: int, actions: Actions, part: int = 0) -> Floats:
        """As in :class:`.search.SearchAgent`, over worlds that the policy believes in."""
        view, rules = views[0], self.rules
        seed = u64((part << 32) + self.seed)
        knows = bool(knows_more_than_its_hand(view, rules.record[0]))
        found = self._believe(views, key, seed, self.worlds * (CANDIDATES if knows else 1))
        if found is None:
            return np.zeros(len(actions))
        states, weights, luck = found
        copies = np.zeros(len(states), np.int64)
        _share_out(weights, self.worlds, copies)
        kept = np.flatnonzero(copies)
        states, luck, copies = take_records(states, kept), luck[kept], copies[kept]
        seat, costs = int(view["seat"]), np.zeros(len(actions))
        tricks_left = rules.tricks - int(view["num_played"]) // rules.players
        solved = view["phase"] == PLAY and tricks_left <= self.exact
        if self.playout == "heuristic" or solved:
            _price_rows(self.book, rules.record, seat, states, copies, self.exact, actions, costs)
        else:
            rows = np.repeat(np.arange(len(kept)), len(actions))
            trials = take_records(states, rows)
            _act_rows(trials, rules.record, np.tile(actions, len(kept)))
            penalties = self._play_out(trials, luck[rows], seat)
            costs += copies @ penalties.reshape(len(kept), len(actions))
        return costs / self.worlds

    def _believe(
        self, views: Records, key: int, seed: Any, count: int
    ) -> tuple[Records, Floats, Floats] | None:
        """STATE records of so many worlds at the decision at hand, their weights, which sum to 1,
        and what is drawn by in them; None where no world is consistent with the view."""
        view, rules = views[0], self.rules.record
        states, luck = np.zeros(count, STATE), np.zeros((count, 8))
        if not _begin_worlds(views, rules, u64(key), seed, states, luck):
            return None
        log, seat = np.zeros(count), view["seat"]
        for _ in range(int(view["num_bids"])):
            other = int(states[0]["current_seat"])
            known = int(view["bids"][other])
            if known < 0:
                actions = self._choose_rows(states, luck)
            else:
                actions = np.full(count, known)
                if other != seat:
                    log += self._log_chance(states, known)
            _act_rows(states, rules, actions)
        for card in view["order"][: view["num_played"]].tolist():
            if states[0]["current_seat"] != seat:
                log += self._log_chance(states, NUM_BIDS + card)
            _act_rows(states, rules, np.full(count, NUM_BIDS + card))
        weights = np.exp(log - log.max())
        return states, weights / weights.sum(), luck

    def _log_chance(self, states: Records, action: int) -> Floats:
        """Logarithm of how likely an action is in each row: by the policy, or by whim."""
        views = np.zeros(len(states), VIEW)
        view_rows(states, self.rules.record, views)
        logits = self.network.legal_logits(views)
        chance = np.exp(log_shares(logits)[:, action])
        log: Floats = np.log((1 - WHIM) * chance + WHIM / np.isfinite(logits).sum(axis=1))
        return log

    def _choose_rows(self, states: Records, luck: Floats) -> Actions:
        """The policy's action in each row: a bid drawn by luck, or its likeliest card."""
        views, actions = np.zeros(len(states), VIEW), np.zeros(len(states), np.int64)
        view_rows(states, self.rules.record, views)
        _forced_rows(views, actions)
        rows = np.flatnonzero(actions < 0)
        if rows.size:
            logits, chosen = self.network.legal_logits(take_records(views, rows)), actions[rows]
            if views["phase"][0] == BID:
                drawn(logits, luck[rows, int(views["num_bids"][0])], chosen)
            else:
                most_likely(logits, chosen)
            actions[rows] = chosen
        return actions

    def _play_out(self, states: Records, luck: Floats, seat: int) -> npt.NDArray[np.int64]:
        """A seat's penalty of each deal, played to its end by the policy in all seats, int64
        ``[n]``. Each seat is given only what it may know there."""
        while states["num_played"][0] < self.rules.tricks * self.rules.players:
            _act_rows(states, self.rules.record, self._choose_rows(states, luck))
        penalties = np.zeros(len(states), np.int64)
        _settle_rows(states, self.rules.record, seat, penalties)
        return penalties
