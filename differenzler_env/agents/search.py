"""Agents: ``search``. Tries every action in many worlds that it may believe in, each played out by
``heuristic``, and takes the one that costs least on average."""

import time

import numpy as np

from ..actions import NUM_BIDS
from ..endgame import solve
from ..engine.jit import Array, Integer, Record, jit, lowest_bit, u64
from ..engine.play import play_card, settle
from ..engine.state import BID, PLAY, STATE
from ..rules import Rules
from .base import Actions, Agent, Keys, Records, check_rows
from .heuristic import book_for, view_bid
from .playout import play_out
from .worlds import believe, knows_more_than_its_hand, share_out

CANDIDATES = 4
"""Worlds sampled for each that is played out, where there is something to weigh them by."""
BID_STEP, BID_STEPS = 4, 5
"""Bids tried: so many points apart, so many on either side of the usual one."""
LOYALTY = 0.2
"""What another bid than that of ``heuristic`` must save for each point that it is off. The usual
bids of a table sum to about the points there are; those that are each best alone do not."""
MAX_WORLDS = 100_000
MAX_EXACT = 4


@jit
def list_actions(book: Record, view: Record, rules: Record, actions: Array) -> Integer:
    """The actions to weigh, into int64 ``[36]``: lawful cards, or bids around the usual one, which
    comes first. Returns how many."""
    count = 0
    if view["phase"] == BID:
        usual = view_bid(book, view, rules)
        actions[0] = usual
        count = 1
        for step in range(-BID_STEPS, BID_STEPS + 1):
            bid = usual + step * BID_STEP
            if step != 0 and 0 <= bid <= rules["total_points"][view["trump"]]:
                actions[count] = bid
                count += 1
        if usual % BID_STEP != 0 and usual <= BID_STEP * BID_STEPS:
            actions[count] = 0
            count += 1
    elif view["phase"] == PLAY:
        cards = np.int64(view["lawful"])
        while cards:
            actions[count] = NUM_BIDS + lowest_bit(cards)
            cards &= cards - 1
            count += 1
    return count


@jit
def try_actions(
    book: Record,
    view: Record,
    rules: Record,
    key0: Integer,
    key1: Integer,
    worlds: Integer,
    exact: Integer,
    actions: Array,
    costs: Array,
) -> None:
    """Add to float64 ``costs`` the seat's own penalty after each action, summed over the worlds.

    Args:
        book: the numbers of ``heuristic``.
        view: one VIEW record; its seat is to act.
        rules: one RULES record.
        key0: u64, with ``key1`` the key of the worlds.
        key1: u64.
        worlds: how many.
        exact: with so many tricks left or fewer, worlds are solved as open positions.
        actions: int64 ``[k]``, those to be tried.
        costs: float64 ``[k]``.
    """
    players, seat = rules["players"], np.int64(view["seat"])
    count = worlds * CANDIDATES if knows_more_than_its_hand(view, rules) else worlds
    states, trial = np.zeros(count, STATE), np.zeros(1, STATE)
    weights, copies = np.zeros(count), np.zeros(count, np.int64)
    prices = np.zeros(36, np.float32)
    if not believe(book, view, rules, key0, key1, states, weights, prices):
        return
    share_out(weights, worlds, copies)
    cards_left = rules["num_cards"] - view["num_played"]
    solved = view["phase"] == PLAY and cards_left <= exact * players
    depth = cards_left + 1 if solved else 1
    stack, values = np.zeros(depth, STATE), np.zeros((36, 5), np.int64)
    for world in range(count):
        if copies[world] == 0:
            continue
        if solved:
            stack[0] = states[world]
            solve(rules, stack, values)
        for at in range(len(actions)):
            card = actions[at] - NUM_BIDS
            if solved:
                costs[at] += copies[world] * values[card, seat]
                continue
            trial[0] = states[world]
            over = False
            if card < 0:
                trial[0]["bids"][seat] = actions[at]
            else:
                over = play_card(trial[0], rules, card)
            if not over:
                play_out(book, trial[0], rules, prices)
            settle(trial[0], rules)
            costs[at] += copies[world] * trial[0]["settled_penalties"][seat]


@jit
def cheapest(view: Record, actions: Array, costs: Array, worlds: Integer) -> Integer:
    """The action with the lowest cost over so many worlds; a bid pays for being off the usual."""
    best, lowest = 0, np.inf
    for at in range(len(actions)):
        cost = costs[at]
        if view["phase"] == BID:
            cost += LOYALTY * worlds * abs(actions[at] - actions[0])
        if cost < lowest:
            best, lowest = at, cost
    return actions[best]


@jit
def _search_rows(
    books: Records,
    rules: Records,
    views: Records,
    keys: Keys,
    seed: Integer,
    worlds: Integer,
    exact: Integer,
    chosen: Actions,
) -> None:
    actions = np.zeros(36, np.int64)
    for row in range(len(views)):
        view = views[row]
        count = list_actions(books[0], view, rules[0], actions)
        if count == 1:
            chosen[row] = actions[0]
        elif count > 1:
            costs = np.zeros(count)
            tried = actions[:count]
            try_actions(books[0], view, rules[0], keys[row], seed, worlds, exact, tried, costs)
            chosen[row] = cheapest(view, tried, costs, worlds)


@jit
def _list_one(books: Records, rules: Records, views: Records, actions: Array) -> Integer:
    return list_actions(books[0], views[0], rules[0], actions)


@jit
def _try_one(
    books: Records,
    rules: Records,
    views: Records,
    key: Integer,
    seed: Integer,
    worlds: Integer,
    exact: Integer,
    actions: Array,
    costs: Array,
) -> None:
    try_actions(books[0], views[0], rules[0], key, seed, worlds, exact, actions, costs)


class SearchAgent(Agent):
    """``search?worlds=200&seed=0``: Monte Carlo over worlds that its seat may believe in.

    Each action is tried in the same worlds, so that luck of the cards is the same for all. The
    others bid and play by ``heuristic`` there, and so does its own seat after this action. A choice
    is a function of the view, the decision's key and the seed.

    Args:
        rules: rules of the table.
        worlds: worlds that each action is tried in.
        time_ms: go on with further worlds until so many milliseconds have passed; results then no
            longer repeat. 0: just ``worlds``.
        exact: with so many tricks left or fewer, each world is solved as if all cards lay open, by
            :mod:`differenzler_env.endgame`; 0 to 4.
        seed: another seed gives other worlds.
    """

    def __init__(
        self, rules: Rules, worlds: int = 200, time_ms: int = 0, exact: int = 0, seed: int = 0
    ) -> None:
        for name, value, low, high in (
            ("worlds", worlds, 1, MAX_WORLDS),
            ("time_ms", time_ms, 0, 3_600_000),
            ("exact", exact, 0, MAX_EXACT),
            ("seed", seed, 0, 2**32 - 1),
        ):
            if not low <= value <= high:
                raise ValueError(f"{name} is {value}; allowed: {low} to {high}")
        super().__init__(rules)
        self.book = book_for(rules)
        self.worlds, self.time_ms, self.exact, self.seed = worlds, time_ms, exact, seed

    def act_batch(self, views: Records, keys: Keys) -> Actions:
        """Actions int64 ``[n]``."""
        check_rows(views, keys)
        chosen = np.zeros(len(views), np.int64)
        if self.time_ms == 0:
            rules, seed = self.rules.record, u64(self.seed)
            _search_rows(self.book, rules, views, keys, seed, self.worlds, self.exact, chosen)
        else:
            for row in range(len(views)):
                chosen[row] = self._until_time_is_up(views[row : row + 1], keys[row])
        return chosen

    def _until_time_is_up(self, views: Records, key: np.uint64) -> int:
        """The choice of one view after as many rounds of worlds as there is time for."""
        until = time.perf_counter() + self.time_ms / 1000
        actions = np.zeros(36, np.int64)
        book, rules = self.book, self.rules.record
        count = _list_one(book, rules, views, actions)
        actions, costs, rounds = actions[:count], np.zeros(count), 0
        if count < 2:
            return int(actions[0]) if count else 0
        while rounds == 0 or time.perf_counter() < until:
            seed = u64((rounds << 32) + self.seed)
            _try_one(book, rules, views, key, seed, self.worlds, self.exact, actions, costs)
            rounds += 1
        return int(cheapest(views[0], actions, costs, rounds * self.worlds))
