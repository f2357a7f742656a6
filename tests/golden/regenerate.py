"""Writes the golden playthroughs next to this file, and the settings table of docs/rules.md.

    python -m tests.golden.regenerate        (or: make golden)

Each file tells one match as a Jass player would follow it. A change in them is a change of the
rules, the dealing, the text, the notation or the record form: read the difference before you commit
it. The players here know no agent of the package, so that stronger agents change nothing.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS))

import oracle  # noqa: E402
from kinds import FIRST_CARD_ACTION, SMALL_DECK, choice, provoke  # noqa: E402

from differenzler_env import Game, Rules  # noqa: E402
from differenzler_env.play import playthrough  # noqa: E402

FOLDER = Path(__file__).resolve().parent
RULES_PAGE = TESTS.parent / "docs" / "rules.md"
TABLE_START = "<!-- settings: made by `make golden` from the fields of `Rules`; do not edit -->"
TABLE_END = "<!-- end of settings -->"

Player = Callable[[Game, random.Random], int]


# --- players ----------------------------------------------------------------------------------


def sensible(game: Game, rng: random.Random) -> int:
    """Bids by aces and trumps; takes tricks while points are missing, ducks once it has them."""
    seat, trump = game.current_seat, game.trump
    hand = game.hands[seat]
    if game.phase == "bid":
        strong = sum(2 * oracle.card_points(card, trump) for card in hand if card[0] == trump)
        aces = sum(11 for card in hand if card[1:] == "A" and card[0] != trump)
        return int(min(strong + aces, game.legal_actions()[-1], 120))
    on_table = [card for _, card in game.trick]
    lawful = sorted(game.view(seat).lawful_cards, key=oracle.PACK.index)
    wants = game.bids[seat] - game.points[seat] > 5

    def takes(card: str) -> bool:
        return oracle.winner([*on_table, card], trump) == len(on_table)

    def worth(card: str) -> tuple[int, int]:
        return oracle.card_points(card, trump), oracle.PACK.index(card)

    winning = [card for card in lawful if takes(card)]
    if wants and winning:
        card = max(winning, key=worth)
    elif wants:
        card = min(lawful, key=worth)
    else:
        losing = [card for card in lawful if card not in winning]
        card = max(losing, key=worth) if losing else min(lawful, key=worth)
    return FIRST_CARD_ACTION + oracle.PACK.index(card)


def foreseeing(offsets: list[int]) -> Callable[[Rules, int], Game]:
    """Matches in which the bids miss the points by so much, seat by seat and deal by deal.

    The cards are played once to see what they bring, then once more with the bids that fit.
    """

    def make(rules: Rules, seed: int) -> Game:
        first = played(rules, seed, lambda game, rng: lively(game, rng, lambda _: 0))
        results = [deal["points"] for deal in first.finished_deals]

        def bid(game: Game) -> int:
            seat, deal = game.current_seat, game.deal_number
            points = results[deal][seat]
            off = offsets[(seat + deal) % len(offsets)] if points else 0
            return max(0, min(points + off, game.legal_actions()[-1]))

        return played(rules, seed, lambda game, rng: lively(game, rng, bid))

    return make


def lively(game: Game, rng: random.Random, bid: Callable[[Game], int]) -> int:
    """Any lawful card; the bids as told."""
    if game.phase == "bid":
        return bid(game)
    lawful = game.view(game.current_seat).lawful_cards
    return FIRST_CARD_ACTION + oracle.PACK.index(choice(rng, lawful))


def provoking(game: Game, rng: random.Random) -> int:
    """Bids sensibly, then plays what tells the table most."""
    return sensible(game, rng) if game.phase == "bid" else provoke(game, rng)


def careless(game: Game, rng: random.Random) -> int:
    """Plays sensibly, but every fourth card or so without a look at what was led."""
    if game.phase == "play" and rng.random() < 0.25:
        return int(choice(rng, game.legal_actions()))
    return sensible(game, rng)


def played(rules: Rules, seed: int, player: Player) -> Game:
    """A whole match."""
    game, rng = Game(rules, seed), random.Random(seed)
    while not game.is_over:
        game.play(player(game, rng))
    return game


def by(player: Player) -> Callable[[Rules, int], Game]:
    return lambda rules, seed: played(rules, seed, player)


# --- the playthroughs -------------------------------------------------------------------------

# file name: what it shows, rules, seed, how the match comes about
PLAYTHROUGHS: dict[str, tuple[str, Rules, int, Callable[[Rules, int], Game]]] = {
    "swisslos": ("The default game, as the lottery's site has it.", Rules(), 1, by(sensible)),
    "table": ("The table game: open bids, trump turned up.", Rules.table(), 1, by(sensible)),
    "television": ("The table game with hidden bids.", Rules.television(), 2, by(sensible)),
    "mini": ("The game small enough to solve.", Rules.mini(), 3, by(sensible)),
    "undertrump_void": (
        "A lower trump is allowed to a seat void in the suit led.",
        Rules(),
        2,
        by(provoking),
    ),
    "undertrump_always": (
        "A lower trump is always allowed.",
        Rules(undertrump="always"),
        2,
        by(provoking),
    ),
    "undertrump_schieber": (
        "A lower trump is allowed only from a hand of nothing but trumps.",
        Rules(undertrump="schieber"),
        2,
        by(provoking),
    ),
    "open_bidding": (
        "Bids are heard by all as they are made.",
        Rules(bidding="open"),
        4,
        by(sensible),
    ),
    "turned_up": (
        "The dealer's last card sets trump.",
        Rules(trump="turned_up"),
        5,
        by(sensible),
    ),
    "three_players": ("Three seats, twelve cards each.", Rules(players=3), 6, by(sensible)),
    "five_players": ("Five seats, seven cards each, no C6.", Rules(players=5), 7, by(sensible)),
    "single_deal": ("One deal, its dealer drawn.", Rules(deals=1), 8, by(sensible)),
    "twelve_deals": (
        "Twelve deals, the first dealt by seat 2.",
        Rules(deals=12, first_dealer=2),
        9,
        by(sensible),
    ),
    "bonus": (
        "An exact bid earns 10, a bid of zero too.",
        Rules(exact_bonus=10),
        1,
        foreseeing([0, 3, -1, 0, -2, 7]),
    ),
    "bonus_not_on_zero": (
        "An exact bid earns 10, but not a bid of zero.",
        Rules(exact_bonus=10, exact_bonus_on_zero=False),
        1,
        foreseeing([0, 3, -1, 0, -2, 7]),
    ),
    "stoeck": (
        "Trump king and queen in one hand: 20 points more or less, whichever costs less.",
        Rules(stoeck=20),
        9,
        foreseeing([20, -20, 14, -7]),
    ),
    "stoeck_and_bonus": (
        "The bonus for an exact bid is judged after the Stöck.",
        Rules(stoeck=20, exact_bonus=10),
        9,
        foreseeing([20, -20, 0, 40]),
    ),
    "revokes": (
        "Unlawful cards stand, and cost 20 each.",
        Rules(revoke_penalty=20),
        3,
        by(careless),
    ),
    "small_deck": (
        "Four seats, five cards each, no clubs.",
        Rules(deck=SMALL_DECK, undertrump="schieber"),
        4,
        by(sensible),
    ),
}


def golden(name: str) -> str:
    """The text of one file."""
    what, rules, seed, make = PLAYTHROUGHS[name]
    match = make(rules, seed)
    record = match.to_record([f"Jass {seat}" for seat in range(rules.players)])
    lines = [f"{name}: {what}", f"Seed {seed}.", ""]
    for block in playthrough(record):
        if block.startswith(("Deal ", "Seat", "Settled")) and lines[-1]:
            lines.append("")
        lines += block.split("\n")
    lines += ["", "Positions of the last deal", *positions(record)]
    lines += ["", "Record", json.dumps(record, ensure_ascii=False, separators=(",", ":"))]
    return "\n".join(lines) + "\n"


def positions(record: dict[str, Any]) -> list[str]:
    """The last deal as it was dealt, after two tricks and a card, and at its end."""
    part = json.loads(json.dumps(record))
    part["penalties"] = part["winners"] = None
    deal = part["deals"][-1]
    deal["points"] = deal["penalties"] = None
    tricks = deal["tricks"]
    dealt = {**deal, "bids": [None] * len(deal["bids"]), "tricks": []}
    third = {**tricks[2], "cards": tricks[2]["cards"][:1]}
    middle = {**deal, "tricks": [*tricks[:2], third]}
    texts = []
    for each in (dealt, middle):
        part["deals"][-1] = each
        texts.append(Game.from_record(part).notation())
    return [*texts, Game.from_record(record).notation()]


# --- the settings table -----------------------------------------------------------------------


def settings_table() -> str:
    """The settings of `Rules` as a Markdown table, made from the metadata of its fields."""
    lines = ["| Setting | Allowed | Default | Meaning |", "|---|---|---|---|"]
    for field in Rules.__dataclass_fields__.values():
        values, meaning = field.metadata["values"], field.metadata["meaning"]
        default = "see meaning" if field.default is None else f"`{field.default!r}`"
        if field.name == "revoke_penalty":
            default = "`None`"
        lines.append(f"| `{field.name}` | {values} | {default} | {meaning} |")
    return "\n".join(lines)


def rules_page(text: str) -> str:
    """The rules page with its settings table made anew."""
    before, rest = text.split(TABLE_START)
    after = rest.split(TABLE_END)[1]
    return f"{before}{TABLE_START}\n\n{settings_table()}\n\n{TABLE_END}{after}"


def main() -> None:
    """Write everything anew."""
    for name in PLAYTHROUGHS:
        (FOLDER / f"{name}.txt").write_text(golden(name), encoding="utf-8")
    for path in FOLDER.glob("*.txt"):
        if path.stem not in PLAYTHROUGHS:
            path.unlink()
    if RULES_PAGE.exists():
        RULES_PAGE.write_text(rules_page(RULES_PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    print(f"{len(PLAYTHROUGHS)} playthroughs in {FOLDER}")


if __name__ == "__main__":
    main()
