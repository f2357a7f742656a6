"""Pairs of deals that one seat cannot tell apart."""

from __future__ import annotations

import numpy as np

from differenzler_env import Game, IllegalActionError, Rules


def twin_games(rules: Rules, seat: int, seeds: range, cards: int):
    """Pairs of games, so many cards into a deal, with the same view for the seat: a card is
    exchanged between two other hands, and the other seats' hidden bids differ."""
    rules = rules.replace(deals=1)
    for seed in seeds:
        rng = np.random.default_rng(seed)
        game = Game(rules, seed=seed)
        start = {"trump": game.trump, "dealer": game.dealer, "turned_up": game.turned_up}
        hands, actions = game.hands, []
        for _ in range(rules.players + cards):
            actions.append((game.current_seat, int(rng.choice(game.legal_actions()))))
            game.play(actions[-1][1])
        left = game.hands
        others = [int(each) for each in rng.permutation(rules.players) if each != seat]
        one, other = others[:2]
        if not left[one] or not left[other]:
            continue
        swap = {left[one][0]: left[other][0], left[other][0]: left[one][0]}
        if start["turned_up"] in swap:
            continue
        changed = [[swap.get(card, card) for card in hand] for hand in hands]
        twin = Game.from_deal(rules, changed, **start)
        try:
            for actor, action in actions:
                hidden = twin.phase == "bid" and rules.bidding == "hidden" and actor != seat
                twin.play(150 - action if hidden and action <= 150 else action)
        except IllegalActionError:
            continue
        yield game, twin
