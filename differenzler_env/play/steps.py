"""Play: a match step by step, as it is played or as a record tells it, forward and back."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..actions import action_from_name
from ..deals import check_deal
from ..game import Game
from ..record import replay
from ..rules import Rules

DEAL, BID, CARD, TRICK, SETTLED = "deal", "bid", "card", "trick", "settled"


@dataclass(frozen=True)
class Step:
    """A position of a match and what led to it.

    Attributes:
        kind: ``"deal"`` (cards are dealt), ``"bid"``, ``"card"``, ``"trick"`` (a card that
            completes one) or ``"settled"`` (the last card of a deal).
        game: the match now; after the last card of a deal the next one may lie there already.
        before: the position in which the action was chosen; ``None`` where cards are dealt.
        action: what was chosen.
    """

    kind: str
    game: Game
    before: Game | None = None
    action: int | None = None

    @property
    def seat(self) -> int | None:
        """Who acted."""
        return None if self.before is None else self.before.current_seat


def play_step(game: Game, action: int) -> Step:
    """Play an action, and tell what came of it. The game goes on; the step keeps copies.

    Raises:
        IllegalActionError: as ``Game.play``.
    """
    before, settled = game.copy(), game.settled_deals
    game.play(action)
    if game.settled_deals > settled:
        kind = SETTLED
    elif game.phase == "play" and before.phase == "play":
        kind = CARD if game.trick else TRICK
    else:
        kind = BID
    return Step(kind, game.copy(), before, action)


def record_steps(record: Mapping[str, Any], line: int | None = None) -> list[Step]:
    """All steps of a recorded match.

    Args:
        record: a game record, checked here.
        line: its line in a file, for error messages.

    Raises:
        RecordError: for a false record, naming line, deal, trick and card.
    """
    game = Game(replay(record, Game, line).rules, seed=0)
    steps = []
    for deal in record["deals"]:
        game._set_deal(_setup(game.rules, deal))
        steps.append(Step(DEAL, game.copy()))
        steps += [play_step(game, action) for action in deal_actions(game.rules, deal)]
    return steps


def _setup(rules: Rules, deal: Mapping[str, Any]) -> Any:
    return check_deal(rules, deal["hands"], deal["trump"], deal["dealer"], deal["turned_up"])


def deal_game(rules: Rules, deal: Mapping[str, Any]) -> Game:
    """A match of its own, just dealt, for one deal of a record."""
    return Game.from_deal(
        rules.replace(deals=1), deal["hands"], deal["trump"], deal["dealer"], deal["turned_up"]
    )


def deal_actions(rules: Rules, deal: Mapping[str, Any]) -> Iterator[int]:
    """The bids of a deal in the order asked, then its cards, as far as they are known."""
    for place in range(rules.players):
        bid = deal["bids"][(deal["dealer"] + 1 + place) % rules.players]
        if bid is None:
            return
        yield bid
    for trick in deal["tricks"]:
        yield from map(action_from_name, trick["cards"])


def settled_game(rules: Rules, deal: Mapping[str, Any]) -> tuple[Game, list[int]]:
    """A settled deal played again as a match of its own, and how many cards each seat revoked
    with. All of it is public."""
    game, revokes = deal_game(rules, deal), [0] * rules.players
    for action in deal_actions(rules, deal):
        seat = game.current_seat
        assert seat is not None
        if game.phase == "play":
            lawful = game.view(seat).lawful_cards
            revokes[seat] += action not in map(action_from_name, lawful)
        game.play(action)
    return game, revokes
