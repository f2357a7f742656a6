"""Engine: trees of play. All lawful lines that lead on from a position, counted or kept.

The counts are a test of the rules (a wrong rule changes them) and a measure of speed: every line is
played card by card, with nothing left out.
"""

import time
from dataclasses import dataclass

import numpy as np

from .jit import Array, Integer, jit, lowest_bit
from .play import play_card, playable
from .state import PLAY, STATE

PIECE = 1 << 24
"""Cards played in one go, well under a second: in between, Ctrl-C is heard."""


@dataclass(frozen=True)
class Tree:
    """A counted tree.

    Attributes:
        lines: sequences of cards that are ``depth`` long, or shorter where the deal ends.
        nodes: cards played while counting.
        points: card points each seat has at the end of the lines, summed over them.
        seconds: how long counting took.
    """

    lines: int
    nodes: int
    points: tuple[int, ...]
    seconds: float

    @property
    def nodes_per_second(self) -> float:
        """Cards played a second."""
        return self.nodes / max(self.seconds, 1e-9)


@jit
def count_lines(
    stack: Array, choices: Array, rules: Array, depth: Integer, sums: Array, at: Integer
) -> Integer:
    """Count some lines from the position in ``stack[0]``, about ``PIECE`` cards of them.

    Args:
        stack: STATE ``[depth + 1]``; the first is in the play phase, the others are overwritten.
        choices: int64 ``[depth + 1]``, overwritten.
        rules: RULES ``[1]``.
        depth: cards of a line, at least 1.
        sums: int64 ``[7]``, added to: lines, nodes, points of the five seats.
        at: cards of the line at hand: 0 at first, then as returned.

    Returns where to go on, −1 once all is counted.
    """
    settings = rules[0]
    players = settings["players"]
    enough = sums[1] + PIECE
    if sums[1] == 0:
        choices[0] = playable(stack[0], settings)
    while at >= 0 and sums[1] < enough:
        if choices[at] == 0:
            at -= 1
            continue
        card = lowest_bit(choices[at])
        choices[at] &= choices[at] - 1
        stack[at + 1] = stack[at]
        last = play_card(stack[at + 1], settings, card)
        sums[1] += 1
        at += 1
        if last or at == depth:
            sums[0] += 1
            for seat in range(players):
                sums[2 + seat] += stack[at]["points"][seat]
            at -= 1
        else:
            choices[at] = playable(stack[at], settings)
    return at


@jit
def grow_tree(states: Array, parents: Array, cards: Array, rules: Array) -> Integer:
    """Keep all positions that can follow from ``states[0]`` in the same deal, in the order of the
    number of cards played; those that follow from one position stand together.

    Args:
        states: STATE ``[n]``; the first is in the play phase, the others are overwritten.
        parents: int64 ``[n]``: the position each came from, written from 1 on.
        cards: int64 ``[n]``: the card that was played for it, written from 1 on.
        rules: RULES ``[1]``.

    Returns how many positions there are, −1 where there is no room for them.
    """
    settings = rules[0]
    count = 1
    at = 0
    while at < count:
        choices = playable(states[at], settings)
        while choices:
            if count == len(states):
                return -1
            card = lowest_bit(choices)
            choices &= choices - 1
            states[count] = states[at]
            play_card(states[count], settings, card)
            parents[count], cards[count] = at, card
            count += 1
        at += 1
    return count


def count_tree(state_records: np.ndarray, rules_record: np.ndarray, depth: int) -> Tree:
    """Count the lines of at most ``depth`` cards from a position.

    Args:
        state_records: STATE ``[1]``; left as it is.
        rules_record: RULES ``[1]``, as :attr:`Rules.record`.
        depth: cards of a line, at least 1; lines end with the deal.

    Raises:
        ValueError: unless all have bid and the deal is not settled, or for another depth.
    """
    if state_records["phase"][0] != PLAY:
        raise ValueError("lines of play begin once all have bid and before the deal is settled")
    if depth < 1:
        raise ValueError(f"depth is {depth}; allowed: 1 or more")
    depth = min(depth, int(rules_record["num_cards"][0] - state_records["num_played"][0]))
    stack = np.zeros(depth + 1, STATE)
    stack[0] = state_records[0]
    choices, sums = np.zeros(depth + 1, np.int64), np.zeros(7, np.int64)
    count_lines(stack.copy(), choices, rules_record, 1, sums.copy(), 0)  # compiles it
    start = time.perf_counter()
    at = 0
    while at >= 0:
        at = count_lines(stack, choices, rules_record, depth, sums, at)
    seconds = time.perf_counter() - start
    players = int(rules_record["players"][0])
    points = tuple(int(total) for total in sums[2 : 2 + players])
    return Tree(int(sums[0]), int(sums[1]), points, seconds)
