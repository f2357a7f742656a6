"""What the tests of several agents share: one agent in all seats, and games alike to a seat."""

from __future__ import annotations

import numpy as np

from differenzler_env import PLAY, Batch, Game
from differenzler_env.agents import choose_action, choose_actions, load


def after(rules, seed, actions, spec="heuristic"):
    """A game some actions in, played by an agent."""
    game = Game(rules, seed=seed)
    for _ in range(actions):
        game.play(choose_action(game, load(spec, rules)))
    return game


def everybody(batch, agent):
    """The agent's action in every row, whichever seat is to act."""
    return choose_actions(batch, [agent], np.zeros((batch.num_games, batch.rules.players), int))


def play_a_deal_lawfully(spec, rules, rows):
    """A batch in which the agent has played a deal everywhere; each card was lawful."""
    batch, agent = Batch(rows, rules, seed=4), load(spec, rules)
    while (batch.current_seat >= 0).any() and not (batch.deal_number > 0).all():
        views, actions = batch.views(), everybody(batch, agent)
        playing = (batch.phase == PLAY) & (batch.current_seat >= 0)
        assert ((views["lawful"][playing] >> (actions[playing] - 158)) & 1 == 1).all()
        batch.step(actions)
    return batch


def same_to_the_seat(game, rng):
    """A copy of a four-player game with other hidden hands and bids, as far as the seat to act can
    tell."""
    twin, seat = game.copy(), game.current_seat
    records = twin.state_records
    records["hands"][0, :4] = twin.view(seat).sample(1, rng)[0]
    for other in range(4):
        if other != seat and records["bids"][0, other] >= 0:
            records["bids"][0, other] = int(rng.integers(158))
    return twin
