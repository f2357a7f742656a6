"""Open positions solved: against brute force in plain Python, on games of all kinds."""

from __future__ import annotations

import kinds
import numpy as np
import pytest

from differenzler_env import Game, Rules, cards
from differenzler_env.actions import card_action
from differenzler_env.endgame import open_values


def brute_force(game):
    """Each lawful card → penalties, by trying everything on copies of the game."""
    values = {}
    for name in game.view(game.current_seat).lawful_cards:
        after = game.copy()
        after.play(card_action(cards.card_index(name)))
        if after.is_over:
            values[name] = after.deal_penalties
        else:
            following = brute_force(after)
            mover = after.current_seat
            # The lowest card of those that cost the mover least: min takes the first.
            values[name] = min(following.values(), key=lambda penalties: penalties[mover])
    return values


def near_the_end(rules, seed, cards_left):
    game = Game(rules.replace(deals=1), seed=seed)
    rng = np.random.default_rng(seed)
    while game.phase == "bid" or sum(map(len, game.hands)) > cards_left:
        if game.phase == "bid":
            game.play(int(rng.integers(0, 60)))
        else:
            lawful = game.view(game.current_seat).lawful_cards
            game.play(card_action(cards.card_index(str(rng.choice(lawful)))))
    return game


@pytest.mark.parametrize("kind", ["swisslos", "table", "three", "five", "mini", "revokes", "bonus"])
def test_values_are_those_of_brute_force(kind):
    extra = {
        "revokes": Rules(revoke_penalty=20),
        "bonus": Rules(exact_bonus=10, stoeck=20, undertrump="schieber"),
    }
    rules = extra.get(kind) or kinds.KINDS[kind]
    for seed in range(6):
        game = near_the_end(rules, seed, 2 * rules.players - seed % 2)
        assert open_values(game) == brute_force(game)


def test_three_tricks_are_those_of_brute_force():
    game = near_the_end(Rules(), 3, 11)
    assert open_values(game) == brute_force(game)


def test_four_tricks_are_solved_and_the_game_stays_as_it_was():
    game = near_the_end(Rules(), 1, 16)
    before = game.notation()
    values = open_values(game)
    assert list(values) == game.view(game.current_seat).lawful_cards
    assert game.notation() == before
    # Following the solution leads to what it says.
    mover = game.current_seat
    best = min(values.values(), key=lambda penalties: penalties[mover])
    while not game.is_over:
        values = open_values(game)
        mover = game.current_seat
        name = min(values, key=lambda card: values[card][mover])
        game.play(card_action(cards.card_index(name)))
    assert game.deal_penalties == best


def test_what_is_no_endgame_is_refused_in_one_line():
    game = Game(Rules(deals=1), seed=1)
    with pytest.raises(ValueError, match=r"phase .bid. with 36 cards left cannot be solved.*16"):
        open_values(game)
    with pytest.raises(ValueError, match=r"phase .play. with 17 cards left"):
        open_values(near_the_end(Rules(), 1, 17))
    over = near_the_end(Rules(), 1, 1)
    over.play(over.legal_actions()[0])
    with pytest.raises(ValueError, match=r"phase .over. with 0 cards left"):
        open_values(over)
