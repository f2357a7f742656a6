"""Endgame: exact values of open positions. All cards and bids lie open, and every seat plays for
the lowest penalty of its own; between cards that cost it the same it plays the lowest."""

from typing import TYPE_CHECKING

import numpy as np

from .cards import card_name, cards_in
from .engine.jit import Array, Record, jit, lowest_bit
from .engine.play import lawful, play_card, settle
from .engine.state import STATE

if TYPE_CHECKING:
    from .game import Game

MAX_TRICKS = 4
"""Positions with so many tricks left are solved in well under a second."""
_NOT_YET = 1 << 30


def open_values(game: "Game") -> dict[str, list[int]]:
    """What each lawful card of the seat to act leads to if all cards and bids lie open: the
    penalties of all seats for the deal at hand.

    Args:
        game: a match in the play phase with at most four tricks left.

    Raises:
        ValueError: in another phase or with more tricks left.
    """
    cards_left = sum(map(len, game.hands))
    if game.phase != "play" or cards_left > MAX_TRICKS * game.rules.players:
        raise ValueError(
            f"phase {game.phase!r} with {cards_left} cards left cannot be solved; allowed: the "
            f"play phase with at most {MAX_TRICKS * game.rules.players} cards left"
        )
    stack, values = np.zeros(cards_left + 1, STATE), np.zeros((36, 5), np.int64)
    stack[0] = game.state_records[0]
    _solve_one(game.rules.record, stack, values)
    lowest_to_highest = cards_in(int(game.view(game.current_seat or 0).record["lawful"][0]))
    return {
        card_name(card): values[card, : game.rules.players].tolist() for card in lowest_to_highest
    }


@jit
def _solve_one(rules: Array, stack: Array, values: Array) -> None:
    solve(rules[0], stack, values)


@jit
def solve(rules: Record, stack: Array, values: Array) -> None:
    """Solve a position of the play phase.

    Args:
        rules: one RULES record.
        stack: STATE ``[n + 1]`` for n cards still to be played; the position is ``stack[0]``, the
            rest is overwritten.
        values: int64 ``[36, 5]``: the seats' penalties for the deal after each lawful card of the
            seat to act are written into that card's row.
    """
    players, size = rules["players"], len(stack)
    left, tried = np.zeros(size, np.int64), np.zeros(size, np.int64)
    best = np.zeros((size, 5), np.int64)
    depth = 0
    left[0] = lawful(stack[0], rules)
    best[0, :] = _NOT_YET
    while True:
        # Cards of the position at this depth that are still to be tried, lowest first.
        if left[depth] != 0:
            card = lowest_bit(left[depth])
            left[depth] &= left[depth] - 1
            tried[depth] = card
            stack[depth + 1] = stack[depth]
            over = play_card(stack[depth + 1], rules, card)
            depth += 1
            if over:
                settle(stack[depth], rules)
                for seat in range(players):
                    best[depth, seat] = stack[depth]["settled_penalties"][seat]
                left[depth] = 0
            else:
                left[depth] = lawful(stack[depth], rules)
                best[depth, :] = _NOT_YET
                continue
        elif depth == 0:
            return
        # best[depth] is known: hand it back to the seat that played the card leading here.
        depth -= 1
        mover = stack[depth]["current_seat"]
        if best[depth + 1, mover] < best[depth, mover]:
            for seat in range(players):
                best[depth, seat] = best[depth + 1, seat]
        if depth == 0:
            for seat in range(players):
                values[tried[0], seat] = best[1, seat]
