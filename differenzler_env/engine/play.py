"""Engine: the course of a game. Applies one action to one STATE record, up to the settled match."""

import numpy as np

from ..actions import NUM_BIDS
from ..cards import LAST_TRICK_POINTS
from .deal import STOECK_BITS, clear_table, deal_cards
from .jit import Array, Integer, Record, inlined, jit
from .kernels import (
    beats,
    card_points,
    deal_penalty,
    holds,
    legal_cards,
    shown_not_held,
)
from .state import BID, NO_CARD, NO_SEAT, OVER, PLAY


@jit
def lawful(state: Record, rules: Record) -> Integer:
    """The lawful cards of the seat to play."""
    return legal_cards(
        state["hands"][state["current_seat"]],
        state["led_card"],
        state["best_card"],
        state["trump"],
        rules["undertrump"],
    )


@jit
def playable(state: Record, rules: Record) -> Integer:
    """The cards that the seat to act may play now: the lawful ones, or its whole hand where revokes
    are penalised. 0 in the bid phase and once the match is over."""
    if state["phase"] != PLAY:
        return 0
    if rules["revoke_penalty"] > 0:
        return state["hands"][state["current_seat"]]
    return lawful(state, rules)


@jit
def lawful_bids(record: Record, rules: Record) -> Integer:
    """How many bids there are in the deal of a STATE or VIEW record: 0 … that many − 1, the last
    being all points of the deal."""
    return np.int64(rules["total_points"][record["trump"]]) + 1


@inlined
def choices(state: Record, rules: Record) -> tuple[Integer, Integer]:
    """What the seat to act may choose from: how many bids, 0 but in the bid phase, and the set of
    :func:`playable` cards."""
    return lawful_bids(state, rules) if state["phase"] == BID else 0, playable(state, rules)


@jit
def is_legal(state: Record, rules: Record, action: Integer) -> bool:
    """Whether an action is legal for the seat to act; the match must not be over."""
    if state["phase"] == BID:
        return bool(0 <= action < lawful_bids(state, rules))
    card = action - NUM_BIDS
    return bool(0 <= card < 36 and holds(playable(state, rules), card))


@inlined
def give_bid(state: Record, rules: Record, bid: Integer) -> None:
    """The seat to act bids; after the last bid forehand leads."""
    seat = state["current_seat"]
    state["bids"][seat] = bid
    state["num_bids"] += 1
    if state["num_bids"] == rules["players"]:
        state["phase"] = PLAY
    # The dealer bids last, so the next seat is forehand again when all have bid.
    seat += 1
    state["current_seat"] = 0 if seat == rules["players"] else seat


@inlined
def play_card(state: Record, rules: Record, card: Integer) -> bool:
    """The seat to act plays a card. Returns whether it was the last of the deal."""
    players, undertrump = rules["players"], rules["undertrump"]
    seat, trump = np.int64(state["current_seat"]), np.int64(state["trump"])
    led, best = np.int64(state["led_card"]), np.int64(state["best_card"])
    winner = np.int64(state["best_seat"])
    played, on_table = np.int64(state["num_played"]) + 1, np.int64(state["on_table"]) + 1
    if rules["revoke_penalty"] == 0:
        state["excluded"][seat] |= shown_not_held(card, led, best, trump, undertrump)
    elif not holds(legal_cards(state["hands"][seat], led, best, trump, undertrump), card):
        # Unlawful cards can be played, so what is not followed proves nothing.
        state["revokes"][seat] += 1
    takes = beats(card, best, trump)
    winner = seat if takes else winner
    points = np.int64(state["trick_points"]) + card_points(card, trump)
    state["hands"][seat] &= ~(1 << card)
    state["order"][played - 1] = card
    state["num_played"] = played
    if on_table < players:
        seat += 1
        state["current_seat"] = 0 if seat == players else seat
        state["led_card"] = card if led == NO_CARD else led
        state["best_card"] = card if takes else best
        state["best_seat"] = winner
        state["on_table"] = on_table
        state["trick_points"] = points
        return False

    last = bool(played == rules["num_cards"])
    if last:
        points += LAST_TRICK_POINTS
    state["points"][winner] += points
    state["current_seat"] = winner
    state["leaders"][played // players] = winner
    clear_table(state)
    return last


@jit
def played_cards(record: Record) -> Integer:
    """The set of cards played in the deal at hand of a STATE or VIEW record."""
    cards = 0
    for i in range(record["num_played"]):
        cards |= 1 << int(record["order"][i])
    return cards


@jit
def played_by(state: Record, rules: Record, seat: Integer) -> Integer:
    """The set of cards a seat has played in the deal at hand."""
    players = rules["players"]
    cards = 0
    for i in range(state["num_played"]):
        if (state["leaders"][i // players] + i % players) % players == seat:
            cards |= 1 << int(state["order"][i])
    return cards


@jit
def settle(state: Record, rules: Record) -> None:
    """Settle the deal: penalties of all seats, added to the match."""
    stoeck = STOECK_BITS[state["trump"]]
    for seat in range(rules["players"]):
        has_stoeck = False
        if rules["stoeck"] > 0:
            has_stoeck = played_by(state, rules, seat) & stoeck == stoeck
        penalty = deal_penalty(
            rules,
            np.int64(state["bids"][seat]),
            np.int64(state["points"][seat]),
            has_stoeck,
            np.int64(state["revokes"][seat]),
        )
        state["settled_bids"][seat] = state["bids"][seat]
        state["settled_points"][seat] = state["points"][seat]
        state["settled_penalties"][seat] = penalty
        state["penalties"][seat] += penalty


@jit
def finish_deal(state: Record, rules: Record, scratch: Array) -> bool:
    """Settle the deal; deal the next one, or end the match. Returns whether the match is over."""
    settle(state, rules)
    if state["deal"] + 1 == rules["deals"]:
        state["phase"] = OVER
        state["current_seat"] = NO_SEAT
        return True
    state["deal"] += 1
    deal_cards(state, rules, (state["dealer"] + 1) % rules["players"], scratch)
    return False


@jit
def write_rewards(
    state: Record, rules: Record, objective_win: bool, match_over: bool, rewards: Array
) -> None:
    """Rewards of the step that settled a deal, into float32 ``[P]``."""
    players = rules["players"]
    if not objective_win:
        for seat in range(players):
            rewards[seat] = -state["settled_penalties"][seat]
        return
    if not match_over:
        return
    lowest = state["penalties"][:players].min()
    winners = 0
    for seat in range(players):
        winners += state["penalties"][seat] == lowest
    for seat in range(players):
        rewards[seat] = 1.0 / winners if state["penalties"][seat] == lowest else 0.0


@inlined
def advance(state: Record, rules: Record, action: Integer, scratch: Array) -> Integer:
    """Apply a legal action. Returns 0, 1 when it settled a deal, 2 when it ended the match."""
    if state["phase"] == BID:
        give_bid(state, rules, action)
        return 0
    if not play_card(state, rules, action - NUM_BIDS):
        return 0
    return 2 if finish_deal(state, rules, scratch) else 1
