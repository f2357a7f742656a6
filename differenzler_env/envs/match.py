"""Environments: one match as the single-game environments drive it: start, play, forfeit."""

from collections.abc import Mapping
from typing import Any

from ..game import Game
from ..rule_text import get_rules
from ..rules import Rules
from .options import deal_option

ILLEGAL = ("terminate", "raise")
"""What an illegal bid or card does."""


def match_rules(rules: Rules | str | None, deals: int | None) -> Rules:
    """The rules of a match: as given, with another number of deals unless that is None."""
    full = get_rules(rules)
    return full if deals is None else full.replace(deals=deals)


def start_match(
    game: Game | None,
    rules: Rules,
    objective: str,
    seed: int | None,
    options: Mapping[str, Any] | None,
) -> Game:
    """A game at the start of a match: match 0 of a seed, or the one after ``game``'s.

    ``game`` itself stays as it is, also where this raises.

    Raises:
        ValueError: for an impossible deal in ``options``.
    """
    deal = deal_option(options)
    if game is None:
        fresh = Game(rules, seed=seed, objective=objective)
    else:
        fresh = game.copy()
        fresh.reset(seed=seed)
    if deal is not None:
        fresh.set_deal(**deal)
    return fresh


def play(game: Game, action: Any) -> tuple[list[float], list[dict[str, int]] | None]:
    """Play an action; the rewards of all seats and, where it settled a deal, each seat's result.

    Returns:
        rewards [P]; per seat ``bid``, ``points`` and ``penalty`` of the deal settled, else None.

    Raises:
        IllegalActionError: for an illegal action; nothing is changed then.
    """
    before = game.last_deal
    game.play(action)
    deal = game.last_deal
    if deal is None or deal is before:
        return game.rewards, None
    results = zip(deal["bids"], deal["points"], deal["penalties"], strict=True)
    return game.rewards, [{"bid": b, "points": p, "penalty": cost} for b, p, cost in results]


def forfeit_reward(rules: Rules, objective: str, settled_deals: int) -> float:
    """What an illegal move costs: minus (the worst possible penalty of a deal + 1) for each deal
    not yet settled; −1 in all under objective ``"win"``."""
    if objective == "win":
        return -1.0
    return -float((rules.worst_penalty + 1) * (rules.deals - settled_deals))
