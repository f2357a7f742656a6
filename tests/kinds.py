"""A cabinet of rule sets: at least one for every value of every setting, and players to play them.

The players know only lawful play. `wander` plays at random, `provoke` prefers what tells the table
most: cards that do not follow, low trumps under high ones, and revokes where they are only
penalised.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import oracle

from differenzler_env import Game, Rules

FIRST_CARD_ACTION = 158
"""In the public numbering of actions 158 bids come before the cards."""
SMALL_DECK = [suit + rank for suit in "DHS" for rank in ("7", "9", "10", "J", "Q", "K", "A")][:20]
TINY_DECK = ["D9", "DJ", "DQ", "DK", "SJ", "SK", "SA", "H6", "H10"]

KINDS: dict[str, Rules] = {
    "swisslos": Rules.swisslos(),
    "table": Rules.table(deals=4),
    "television": Rules.television(deals=4),
    "mini": Rules.mini(),
    "single deal": Rules(deals=1),
    "undertrump always": Rules(undertrump="always"),
    "undertrump schieber": Rules(undertrump="schieber"),
    "open": Rules(bidding="open"),
    "turned up": Rules(trump="turned_up", first_dealer=2),
    "three": Rules(players=3, undertrump="schieber"),
    "three, turned up": Rules.television(players=3, deals=3),
    "five": Rules(players=5, deals=5),
    "five at the table": Rules.table(players=5, undertrump="always"),
    "five, Schieber": Rules.television(players=5, deals=1, undertrump="schieber"),
    "bonus": Rules(exact_bonus=10),
    "bonus not on zero": Rules(exact_bonus=10, exact_bonus_on_zero=False),
    "Stöck": Rules(stoeck=20, exact_bonus=5),
    "revokes": Rules(revoke_penalty=20),
    "revokes, turned up": Rules.table(deals=4, revoke_penalty=20, stoeck=20),
    "revokes, three": Rules(players=3, revoke_penalty=20, undertrump="schieber"),
    "small, two": Rules(players=2, deck=SMALL_DECK, deals=2, first_dealer="random"),
    "small, four": Rules(deck=SMALL_DECK, undertrump="schieber", exact_bonus=157),
    "small, five": Rules(players=5, deck=["C6", *SMALL_DECK[:19]], bidding="open"),
    "tiny, three": Rules(players=3, deck=TINY_DECK, stoeck=20, trump="turned_up"),
    "clubs and hearts": Rules(
        deck=[suit + rank for suit in "CH" for rank in ("6", "8", "10", "J", "Q", "A")],
        undertrump="always",
    ),
    "everything": Rules(
        players=5,
        bidding="open",
        trump="turned_up",
        undertrump="schieber",
        deals=5,
        first_dealer="random",
        exact_bonus=10,
        exact_bonus_on_zero=False,
        stoeck=20,
        revoke_penalty=20,
    ),
}


def choice(rng: random.Random, choices: list[Any]) -> Any:
    """One of several, the same in every version of Python."""
    return choices[int(rng.random() * len(choices))]


def wander(game: Game, rng: random.Random) -> int:
    """Any legal action."""
    return int(choice(rng, game.legal_actions()))


def provoke(game: Game, rng: random.Random) -> int:
    """Of the legal actions one that shows something, as often as not."""
    actions = game.legal_actions()
    if game.phase == "bid" or not game.trick or rng.random() < 0.5:
        return int(choice(rng, actions))
    led = game.trick[0][1][0]
    cards = [oracle.PACK[action - FIRST_CARD_ACTION] for action in actions]
    telling = [card for card in cards if card[0] != led]
    low = [card for card in telling if card[0] == game.trump]
    card = choice(rng, (low if rng.random() < 0.5 else telling) or cards)
    return FIRST_CARD_ACTION + oracle.PACK.index(card)


def undertrumps(game: Game, cards: list[str]) -> list[str]:
    """Of cards that could be played, the trumps lower than one in a trick that a side suit led."""
    laid = [card for _, card in game.trick]
    if not laid or laid[0][0] == game.trump:
        return []
    over = [card for card in laid if card[0] == game.trump]
    return [
        card
        for card in cards
        if card[0] == game.trump and any(oracle.beats(other, card, game.trump) for other in over)
    ]


def hoard(game: Game, rng: random.Random) -> int:
    """Keeps its trumps as long as it can, to lay them under others'."""
    actions = game.legal_actions()
    if game.phase == "bid":
        return int(choice(rng, actions))
    cards = [oracle.PACK[action - FIRST_CARD_ACTION] for action in actions]
    side = [card for card in cards if card[0] != game.trump]
    kept = undertrumps(game, cards) or (side if rng.random() < 0.8 else cards) or cards
    return FIRST_CARD_ACTION + oracle.PACK.index(choice(rng, kept))


Player = Callable[[Game, random.Random], int]


def states(rules: Rules, seed: int, player: Player = provoke) -> Iterator[Game]:
    """Every position of one match, the start and the end among them. The same object each time."""
    game, rng = Game(rules, seed), random.Random(seed)
    yield game
    while not game.is_over:
        game.play(player(game, rng))
        yield game


def play_out(game: Game, rng: random.Random, player: Player = provoke) -> Game:
    """The game played to its end."""
    while not game.is_over:
        game.play(player(game, rng))
    return game
