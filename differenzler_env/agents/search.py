"""Agents: ``search``. Tries every action in many worlds that it may believe in, each played out by
``heuristic``, and takes the one that costs least on average."""

import time

import numpy as np
import numpy.typing as npt

from ..actions import NUM_BIDS
from ..endgame import solve
from ..engine.jit import Array, Integer, Record, jit, lowest_bit, u64
from ..engine.play import lawful_bids, play_card, settle
from ..engine.state import BID, PLAY, STATE
from ..rules import Rules
from .base import Actions, Agent, Keys, Records, check_rows
from .heuristic import book_for, view_bid
from .playout import play_out
from .worlds import believe, knows_more_than_its_hand, share_out

Floats = npt.NDArray[np.float64]

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
def list_actions(books: Records, rules: Records, views: Records, actions: Array) -> Integer:
    """The actions to weigh in VIEW ``[1]``, into int64 ``[36]``: lawful cards, or bids around the
    usual one, which comes first. Returns how many."""
    count, view = 0, views[0]
    if view["phase"] == BID:
        usual = view_bid(books[0], view, rules[0])
        actions[0] = usual
        count = 1
        for step in range(-BID_STEPS, BID_STEPS + 1):
            bid = usual + step * BID_STEP
            if step != 0 and 0 <= bid < lawful_bids(view, rules[0]):
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
def price_actions(
    book: Record,
    rules: Record,
    seat: Integer,
    states: Array,
    copies: Array,
    exact: Integer,
    actions: Array,
    costs: Array,
) -> None:
    """Add to float64 ``costs`` the seat's own penalty after each action, summed over worlds that
    are played out by ``heuristic`` in all seats.

    Args:
        book: the numbers of ``heuristic``.
        rules: one RULES record.
        seat: the seat to act.
        states: STATE ``[M]``, worlds at its decision, all bids given, its own too.
        copies: int64 ``[M]``, how often each world counts.
        exact: with so many tricks left or fewer, worlds are solved as open positions.
        actions: int64 ``[k]``, lawful ones, at least one.
        costs: float64 ``[k]``.
    """
    players = rules["players"]
    trial, prices = np.zeros(1, STATE), np.zeros(36, np.float32)
    cards_left = rules["num_cards"] - states[0]["num_played"]
    solved = actions[0] >= NUM_BIDS and cards_left <= exact * players
    depth = cards_left + 1 if solved else 1
    stack, values = np.zeros(depth, STATE), np.zeros((36, 5), np.int64)
    for world in range(len(states)):
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
            if card >= 0:
                over = play_card(trial[0], rules, card)
            else:
                trial[0]["bids"][seat] = actions[at]
            if not over:
                play_out(book, trial[0], rules, prices)
            settle(trial[0], rules)
            costs[at] += copies[world] * trial[0]["settled_penalties"][seat]


@jit
def number_of_worlds(views: Records, rules: Records, worlds: Integer) -> Integer:
    """How many worlds are sampled in VIEW ``[1]`` for so many to be tried."""
    return worlds * CANDIDATES if knows_more_than_its_hand(views[0], rules[0]) else worlds


@jit
def worlds_at(
    books: Records,
    rules: Records,
    views: Records,
    key: Integer,
    seed: Integer,
    worlds: Integer,
    states: Array,
    copies: Array,
) -> None:
    """Fill STATE records ``[M]`` with worlds at the decision of VIEW ``[1]``, all bids given, and
    int64 ``[M]`` with how often each is to count, so many in all."""
    weights, prices = np.zeros(len(states)), np.zeros(36, np.float32)
    if believe(books[0], views[0], rules[0], key, seed, states, weights, prices):
        share_out(weights, worlds, copies)


@jit
def _try_actions(
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
    """:func:`price_actions` in so many worlds of a view, by key and seed."""
    count = number_of_worlds(views, rules, worlds)
    states, copies = np.zeros(count, STATE), np.zeros(count, np.int64)
    worlds_at(books, rules, views, key, seed, worlds, states, copies)
    seat = np.int64(views[0]["seat"])
    price_actions(books[0], rules[0], seat, states, copies, exact, actions, costs)


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

    def choices(self, views: Records) -> tuple[Actions, Floats]:
        """The actions worth trying in VIEW ``[1]``, int64 ``[k]``, and how much cheaper than the
        first each must be to be preferred, float64 ``[k]``, in penalty points."""
        actions = np.zeros(36, np.int64)
        actions = actions[: list_actions(self.book, self.rules.record, views, actions)]
        loyalty = LOYALTY if views["phase"][0] == BID else 0.0
        return actions, loyalty * np.abs(actions - actions[:1])

    def costs(self, views: Records, key: int, actions: Actions, part: int = 0) -> Floats:
        """What each action costs the seat to act of VIEW ``[1]``: its own penalty for the deal,
        float64 ``[k]``, the mean over worlds; each ``part`` stands for other worlds."""
        costs, rules = np.zeros(len(actions)), self.rules.record
        if not len(actions):
            return costs
        seed = u64((part << 32) + self.seed)
        _try_actions(
            self.book, rules, views, u64(key), seed, self.worlds, self.exact, actions, costs
        )
        return costs / self.worlds

    def act_batch(self, views: Records, keys: Keys) -> Actions:
        """Actions int64 ``[n]``."""
        check_rows(views, keys)
        rows = range(len(views))
        return np.array([self._choose(views[row : row + 1], int(keys[row])) for row in rows], int)

    def _choose(self, views: Records, key: int) -> int:
        """The choice of one view; with a time limit after as many parts as there is time for."""
        until = time.perf_counter() + self.time_ms / 1000
        actions, handicaps = self.choices(views)
        if len(actions) < 2:
            return int(actions[0]) if len(actions) else 0
        costs, parts = np.zeros(len(actions)), 0
        while parts == 0 or time.perf_counter() < until:
            costs += self.costs(views, key, actions, parts)
            parts += 1
        return int(actions[np.argmin(costs / parts + handicaps)])


def make_search(
    rules: Rules,
    worlds: int | None = None,
    time_ms: int = 0,
    exact: int = 0,
    playout: str = "",
    policy: str = "",
    seed: int = 0,
) -> SearchAgent:
    """The agent of ``search?…``: :class:`SearchAgent`, or with a checkpoint as ``policy``
    :class:`.policy_search.PolicySearchAgent`. What is not given is as that class has it.

    Raises:
        ValueError: for a value that is not allowed, or a checkpoint that cannot be used.
    """
    count = {} if worlds is None else {"worlds": worlds}
    options = count | {"time_ms": time_ms, "exact": exact, "seed": seed}
    players = ("heuristic", "policy") if policy else ("heuristic",)
    if playout and playout not in players:
        without = "" if policy else " without a policy"
        raise ValueError(f"playout is {playout!r}; allowed{without}: {', '.join(players)}")
    if not policy:
        return SearchAgent(rules, **options)
    from .policy_search import PolicySearchAgent  # on demand: its kernels take time to load

    return PolicySearchAgent(rules, policy, playout or "policy", **options)
