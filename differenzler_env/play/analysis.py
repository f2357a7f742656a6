"""Play: a recorded match judged bid by bid and card by card: what else each seat could have done.

A decision is judged by what its seat could know, never by the cards that others really held. Costs
are the seat's penalty for the deal, on average over worlds that fit its view, see
:mod:`differenzler_env.agents.search`. The best action is found in some worlds and priced in others:
in the same ones the luck by which it looked best would count as skill.
"""

import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..actions import action_name, card_action
from ..agents import SpecError, load
from ..agents.search import SearchAgent
from ..cards import card_index
from ..checks import seat_number
from ..game import Game
from ..record import replay
from ..rules import Rules
from ..view import PlayerView
from .steps import deal_actions, deal_game

MISTAKE = 2.0
"""A decision that costs so many points more than the best is called a mistake."""


@dataclass(frozen=True)
class Judgement:
    """One decision with what it cost.

    Attributes:
        deal: number of the deal in the match, from 1.
        trick: number of the trick, from 1; 0 for a bid.
        seat: who decided.
        action: what it did, such as ``"bid 40"`` or ``"D10"``.
        best: what would have been best, as far as the seat could know.
        costs: expected penalty of the deal after each action that was weighed, the best one and
            the one taken among them.
        solved: whether the rest of the deal was solved with open cards in each world.
    """

    deal: int
    trick: int
    seat: int
    action: str
    best: str
    costs: Mapping[str, float]
    solved: bool

    @property
    def loss(self) -> float:
        """What the action costs more than the best one. Below zero where other worlds than those
        in which the best was found speak for the action."""
        return self.costs[self.action] - self.costs[self.best]

    @property
    def mistake(self) -> bool:
        """Whether it costs :data:`MISTAKE` or more."""
        return self.loss >= MISTAKE

    def to_json(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "deal": self.deal,
            "trick": self.trick,
            "seat": self.seat,
            "action": self.action,
            "best": self.best,
            "loss": self.loss,
            "mistake": self.mistake,
            "solved": self.solved,
            "costs": dict(self.costs),
        }


def load_judge(spec: str, rules: Rules) -> SearchAgent:
    """Who judges: a ``search`` of some kind.

    Raises:
        SpecError: for another agent, or one that cannot be loaded.
    """
    agent = load(spec, rules)
    if not isinstance(agent, SearchAgent):
        raise SpecError(f"{spec!r} does not weigh actions; a judge is a search, with its options")
    return agent


def judge(
    search: SearchAgent,
    view: PlayerView,
    action: int,
    *,
    deal: int = 1,
    trick: int = 0,
    seed: int = 1,
) -> Judgement | None:
    """Judge an action by the view of the seat that took it; None where there was no choice.

    Lawful cards are all weighed; of bids those that the search finds worth trying, and the one
    given. The same view, action and seed are judged alike each time.
    """
    if view.phase == "bid":
        weighed = np.unique(np.append(search.choices(view.record)[0], action))
    else:
        # A revoke is never best; its cost is that of the deal that it spoils, which is not weighed.
        weighed = np.array([card_action(card_index(card)) for card in view.lawful_cards])
    if len(weighed) < 2 or action not in weighed:
        return None
    key = (seed << 32) % (1 << 64) + zlib.crc32(view.record.tobytes())
    best = int(weighed[np.argmin(search.costs(view.record, key, weighed, part=0))])
    costs = search.costs(view.record, key, weighed, part=1)
    cards_left = len(search.rules.deck) - int(view.record["num_played"][0])
    return Judgement(
        deal=deal,
        trick=trick,
        seat=view.seat,
        action=action_name(action),
        best=action_name(best),
        costs=dict(zip(map(action_name, weighed.tolist()), costs.tolist(), strict=True)),
        solved=trick > 0 and cards_left <= search.exact * search.rules.players,
    )


def judgements(
    record: Mapping[str, Any],
    search: SearchAgent,
    *,
    line: int | None = None,
    seat: int | None = None,
    deal: int | None = None,
    seed: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> Iterator[Judgement]:
    """Judge the decisions of a match in the order in which they were taken; those without a choice
    are passed over.

    Args:
        record: a game record, checked here before anything is judged.
        search: who judges, see :func:`load_judge`.
        line: its line in a file, for error messages.
        seat: judge only this seat.
        deal: judge only this deal, from 1.
        seed: of the judge's worlds.
        progress: called with the number of decisions gone through and of all there are.

    Raises:
        RecordError: for a false record.
        ValueError: for a seat or deal that does not exist.
    """
    rules = replay(record, Game, line).rules
    if seat is not None:
        seat_number(seat, rules.players)
    if deal is not None and not 1 <= deal <= len(record["deals"]):
        raise ValueError(f"deal is {deal}; allowed: 1 to {len(record['deals'])}")
    wanted = [
        (number, entry)
        for number, entry in enumerate(record["deals"], 1)
        if deal is None or number == deal
    ]
    total = sum(len(list(deal_actions(rules, entry))) for _, entry in wanted)
    done = 0
    for number, entry in wanted:
        game = deal_game(rules, entry)
        for action in deal_actions(rules, entry):
            mover = game.current_seat
            assert mover is not None
            if seat is None or mover == seat:
                trick = 0 if game.phase == "bid" else len(game.tricks) + 1
                view = game.view(mover)
                found = judge(search, view, action, deal=number, trick=trick, seed=seed)
                if found is not None:
                    yield found
            game.play(action)
            done += 1
            if progress is not None:
                progress(done, total)


@dataclass(frozen=True)
class SeatSummary:
    """What a seat's decisions cost it in all.

    Attributes:
        seat: which.
        decisions: how many were judged.
        mistakes: how many of them were mistakes.
        loss: their losses summed: about so many points less a player who always did the best would
            have paid, as far as could be known.
    """

    seat: int
    decisions: int
    mistakes: int
    loss: float


def summaries(judged: list[Judgement], players: int) -> list[SeatSummary]:
    """One for each seat that decided anything."""
    return [
        SeatSummary(
            seat, len(own), sum(each.mistake for each in own), sum(each.loss for each in own)
        )
        for seat in range(players)
        if (own := [each for each in judged if each.seat == seat])
    ]
