"""Agents: ``search?policy=FILE``. A trained network says which actions are worth trying, and plays
the worlds out in all seats, many at once."""

import numpy as np
import numpy.typing as npt

from ..actions import NUM_BIDS
from ..engine.jit import Array, Integer, jit, lowest_bit, u64
from ..engine.play import play_card, settle
from ..engine.rows import view_rows
from ..engine.state import BID, STATE, VIEW, take_records
from ..rules import Rules
from .base import Actions, Records
from .network_agent import load_network, most_likely
from .search import Floats, SearchAgent, number_of_worlds, worlds_at

LIKELY = 0.02
"""Cards less likely than this are not tried."""
MOST_CARDS = 6
LOYALTY = 0.3
"""What an action must save for being e times less likely than the likeliest one."""


@jit
def _act_rows(states: Array, rules: Records, seat: Integer, actions: Actions) -> None:
    """Play a card in each row, or give a seat another bid than it has; a deal that ends is not
    settled."""
    for row in range(len(states)):
        if actions[row] < NUM_BIDS:
            states[row]["bids"][seat] = actions[row]
        else:
            play_card(states[row], rules[0], actions[row] - NUM_BIDS)


@jit
def _forced_rows(views: Records, actions: Actions) -> None:
    """The card where there is only one, else −1."""
    for row in range(len(views)):
        cards = np.int64(views[row]["legal"])
        actions[row] = NUM_BIDS + lowest_bit(cards) if cards & (cards - 1) == 0 else -1


@jit
def _settle_rows(states: Array, rules: Records, seat: Integer, penalties: Array) -> None:
    """A seat's penalty of each deal that has ended, int64 ``[n]``."""
    for row in range(len(states)):
        settle(states[row], rules[0])
        penalties[row] = states[row]["settled_penalties"][seat]


def log_probabilities(logits: npt.NDArray[np.float32]) -> Floats:
    """Logarithms of the probabilities of a row of logits, float64 ``[194]``."""
    shifted = logits.astype(np.float64) - logits.max()
    log: Floats = shifted - np.log(np.exp(shifted).sum())
    return log


class PolicySearchAgent(SearchAgent):
    """``search?policy=models/swisslos.safetensors``: search with a network as prior and playout.

    It bids as the policy does: it was trained to play for those bids, and trying others gained
    nothing. Only cards that the policy finds likely are tried, and what it finds less likely must
    save more. Worlds are those of :class:`.search.SearchAgent`; all cards that follow there are
    the policy's likeliest, each chosen by what its seat may know.

    Args:
        rules: rules of the table.
        policy: checkpoint file, found as :func:`.registry.find_file` does.
        playout: who plays worlds out: ``"policy"``, or ``"heuristic"``, which is many times faster
            and leaves the network to say what is tried.
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
        worlds: int = 40,
        time_ms: int = 0,
        exact: int = 0,
        seed: int = 0,
    ) -> None:
        from .registry import find_file

        super().__init__(rules, worlds, time_ms, exact, seed)
        self.network = load_network(find_file(policy), rules)
        self.playout = playout

    def choices(self, views: Records) -> tuple[Actions, Floats]:
        """The policy's bid, or its likelier cards, in VIEW ``[1]``, likeliest first, int64 ``[k]``,
        and how much cheaper than the first each must be, float64 ``[k]``."""
        if views["current_seat"][0] != views["seat"][0]:
            return np.zeros(0, np.int64), np.zeros(0)
        log = log_probabilities(self.network.legal_logits(views)[0])
        tried = np.flatnonzero(log >= np.log(LIKELY))
        if views["phase"][0] == BID:
            tried = np.array([log.argmax()])
        tried = tried[np.argsort(-log[tried], kind="stable")][:MOST_CARDS].astype(np.int64)
        return tried, LOYALTY * (log[tried[:1]] - log[tried])

    def costs(self, views: Records, key: int, actions: Actions, part: int = 0) -> Floats:
        """As in :class:`.search.SearchAgent`."""
        view, rules = views[0], self.rules.record
        tricks_left = self.rules.tricks - int(view["num_played"]) // self.rules.players
        if self.playout == "heuristic" or (view["phase"] != BID and tricks_left <= self.exact):
            return super().costs(views, key, actions, part)
        count = number_of_worlds(views, rules, self.worlds)
        states, copies = np.zeros(count, STATE), np.zeros(count, np.int64)
        seed = u64((part << 32) + self.seed)
        worlds_at(self.book, rules, views, u64(key), seed, self.worlds, states, copies)
        kept, seat = np.flatnonzero(copies), int(view["seat"])
        trials = take_records(states, np.repeat(kept, len(actions)))
        _act_rows(trials, rules, seat, np.tile(actions, len(kept)))
        penalties = self._play_out(trials, seat).reshape(len(kept), len(actions))
        costs: Floats = copies[kept] @ penalties / self.worlds
        return costs

    def _play_out(self, states: Records, seat: int) -> npt.NDArray[np.int64]:
        """A seat's penalty of each deal, played to its end by the policy in all seats, int64
        ``[n]``. Each seat is given only what it may know there."""
        rules = self.rules.record
        views, actions = np.zeros(len(states), VIEW), np.zeros(len(states), np.int64)
        while len(states) and states["num_played"][0] < self.rules.tricks * self.rules.players:
            view_rows(states, rules, views)
            _forced_rows(views, actions)
            rows = np.flatnonzero(actions < 0)
            if rows.size:
                chosen = np.zeros(rows.size, np.int64)
                most_likely(self.network.legal_logits(take_records(views, rows)), chosen)
                actions[rows] = chosen
            _act_rows(states, rules, seat, actions)
        penalties = np.zeros(len(states), np.int64)
        _settle_rows(states, rules, seat, penalties)
        return penalties
