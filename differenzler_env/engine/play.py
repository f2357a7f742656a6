"""Engine: the course of a game. Applies one action to one STATE record, up to the settled match."""

import numpy as np

from ..actions import NUM_BIDS
from ..cards import LAST_TRICK_POINTS
from .deal import STOECK_BITS, deal_cards
from .jit import Array, Integer, Record, jit
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
def led_card(state: Record, rules: Record) -> Integer:
    """The card led to the trick on the table, −1 where none is."""
    in_trick = state["num_played"] % rules["players"]
    return np.int64(state["order"][state["num_played"] - in_trick]) if in_trick else NO_CARD


@jit
def lawful(state: Record, rules: Record) -> Integer:
    """The lawful cards of the seat to play."""
    return legal_cards(
        state["hands"][state["current_seat"]],
        led_card(state, rules),
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
def is_legal(state: Record, rules: Record, action: Integer) -> bool:
    """Whether an action is legal for the seat to act; the match must not be over."""
    if state["phase"] == BID:
        return bool(0 <= action <= rules["total_points"][state["trump"]])
    card = action - NUM_BIDS
    return bool(0 <= card < 36 and holds(playable(state, rules), card))


@jit
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


@jit
def play_card(state: Record, rules: Record, card: Integer) -> bool:
    """The seat to act plays a card. Returns whether it was the last of the deal."""
    players = rules["players"]
    seat, trump, best = state["current_seat"], state["trump"], state["best_card"]
    played = state["num_played"]
    in_trick = played % players
    if in_trick == 0:
        state["best_card"], state["best_seat"] = card, seat
    else:
        led = state["order"][played - in_trick]
        if rules["revoke_penalty"] > 0:
            # Unlawful cards can be played, so what is not followed proves nothing.
            hand = state["hands"][seat]
            if not holds(legal_cards(hand, led, best, trump, rules["undertrump"]), card):
                state["revokes"][seat] += 1
        else:
            state["excluded"][seat] |= shown_not_held(card, led, best, trump, rules["undertrump"])
        if beats(card, best, trump):
            state["best_card"], state["best_seat"] = card, seat
    state["hands"][seat] &= ~(1 << card)
    state["order"][played] = card
    played += 1
    state["num_played"] = played
    if in_trick < players - 1:
        seat += 1
        state["current_seat"] = 0 if seat == players else seat
        return False

    winner = state["best_seat"]
    points = 0
    for i in range(played - players, played):
        points += card_points(state["order"][i], trump)
    last = bool(played == rules["num_cards"])
    if last:
        points += LAST_TRICK_POINTS
    state["points"][winner] += points
    state["current_seat"] = winner
    state["leaders"][played // players] = winner
    state["best_card"], state["best_seat"] = NO_CARD, NO_SEAT
    return last


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


@jit
def advance(state: Record, rules: Record, action: Integer, scratch: Array) -> Integer:
    """Apply a legal action. Returns 0, 1 when it settled a deal, 2 when it ended the match."""
    if state["phase"] == BID:
        give_bid(state, rules, action)
        return 0
    if not play_card(state, rules, action - NUM_BIDS):
        return 0
    return 2 if finish_deal(state, rules, scratch) else 1
