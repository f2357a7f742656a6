"""Agents: ``heuristic``. Bids and plays by the rules in :mod:`.playing_rules`, compiled, on view
records."""

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from ..actions import NUM_BIDS
from ..engine.deal import SCRATCH, start_match
from ..engine.jit import Array, Integer, Record, jit
from ..engine.redact import unseen_cards
from ..engine.state import BID, PLAY, STATE
from ..rules import Rules
from .base import Actions, Agent, Keys, Records, check_rows
from .heuristic_numbers import NUMBERS
from .playing_rules import (
    BOOK,
    CAN_SHIFT,
    MAX_STAGE,
    MUST_SHIFT,
    course,
    reachable_bid,
    weigh_at,
)
from .playout import give_bids


@jit
def _mean_bid(books: Records, rules: Records, deals: Integer) -> float:
    """Mean bid of all seats over some deals; the same deals each time."""
    states, scratch = np.zeros(1, STATE), np.zeros(SCRATCH, np.int64)
    state = states[0]
    bids: Integer = 0
    for deal in range(deals):
        state["row"] = deal
        start_match(state, rules[0], scratch)
        give_bids(books[0], state, rules[0])
        for seat in range(rules[0]["players"]):
            bids += np.int64(state["bids"][seat])
    mean: float = bids / (deals * rules[0]["players"])
    return mean


def _suit_to_deck(book: npt.NDArray[np.void], rules: Rules) -> None:
    """The numbers are of full decks. Cards of another bring more or less: the outlook is shifted
    until the bids of a table sum to about the points there are."""
    share = sum(map(rules.total_points, rules.trumps)) / len(rules.trumps) / rules.players
    left = np.minimum(np.arange(MAX_STAGE + 1), rules.tricks) / min(rules.tricks, MAX_STAGE)
    for _ in range(4):
        shift = share - _mean_bid(book, rules.record, 500)
        book["stage"][0, :, :, CAN_SHIFT : MUST_SHIFT + 1] += (shift * left)[:, None, None]


@lru_cache
def book_for(rules: Rules) -> npt.NDArray[np.void]:
    """The measured numbers for a table, BOOK ``[1]``; two play by those for three."""
    numbers = NUMBERS[max(rules.players, min(NUMBERS))]
    book = np.zeros(1, BOOK)
    for name in ("held", "points"):
        book[name] = np.reshape(numbers[name], book[name].shape)
    stage = np.reshape(numbers["stage"], (-1, *book["stage"].shape[2:]))
    book["stage"][0, : len(stage)] = stage
    # Longer deals than were measured: as the longest.
    book["stage"][0, len(stage) :] = stage[-1]
    stand = np.reshape(numbers["stand"], book["holds"].shape[2:]) / 100
    book["holds"] = stand ** np.arange(book["holds"].shape[1])[:, None, None, None]
    book["smear"] = numbers["smear"]
    if rules.players == 2 or rules.deck != Rules(players=rules.players).deck:
        _suit_to_deck(book, rules)
    book.setflags(write=False)
    return book


@jit
def view_bid(book: Record, view: Record, rules: Record) -> Integer:
    """The bid of the view's seat."""
    lead = 1 if view["seat"] == view["leaders"][0] else 0
    return reachable_bid(book, rules, np.int64(view["hand"]), np.int64(view["trump"]), lead)


@jit
def view_card(book: Record, view: Record, rules: Record, prices: Array) -> Integer:
    """The card of the view's seat; ``prices`` as in :func:`.playing_rules.weigh_cards`."""
    seat, hand = np.int64(view["seat"]), np.int64(view["hand"])
    lawful, unseen = np.int64(view["lawful"]), unseen_cards(view, rules)
    return weigh_at(book, view, rules, seat, hand, lawful, unseen, course(view, rules), prices)


@jit
def _actions(books: Records, rules: Records, views: Records, actions: Actions) -> None:
    prices = np.zeros(36, np.float32)
    for row in range(len(views)):
        view = views[row]
        if view["phase"] == BID:
            actions[row] = view_bid(books[0], view, rules[0])
        elif view["phase"] == PLAY:
            actions[row] = NUM_BIDS + view_card(books[0], view, rules[0], prices)


class HeuristicAgent(Agent):
    """``heuristic``: bids what its hand can be steered to and plays the card that keeps the bid
    best within reach. Uses no randomness. Bids of others, where they are open, are not used."""

    def __init__(self, rules: Rules) -> None:
        super().__init__(rules)
        self.book = book_for(rules)

    def act_batch(self, views: Records, keys: Keys) -> Actions:
        """Actions int64 ``[n]``."""
        check_rows(views, keys)
        actions = np.zeros(len(views), np.int64)
        _actions(self.book, self.rules.record, views, actions)
        return actions
