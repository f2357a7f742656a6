"""The watchers' bench: a batch and one referee a row see the same games, state by state.

`Watch` steps a `Batch`, mirrors every action on the referees, and compares after each step all
that the rules decide: phase, seat to act, legal bids and cards, hands, points, dealer, number of
the deal, penalties of the deal and of the match, rewards, who has won.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import oracle
from kinds import FIRST_CARD_ACTION
from situations import rarest, restrictions, situation, trick_story

from differenzler_env import Batch, Rules

# The public numbering of cards: 9·suit + rank.
CARD = {card: index for index, card in enumerate(oracle.PACK)}
BIT = {card: 1 << index for card, index in CARD.items()}
SHIFTS, ONE = np.arange(36, dtype=np.uint64), np.uint64(1)
PHASE = {"bid": 0, "play": 1, "settled": 2}

Chooser = Callable[[int, oracle.Deal, set[str]], "int | str"]


def texts(bits: int) -> list[str]:
    """A set of cards, given as bits, in the order of the pack."""
    return [card for card in oracle.PACK if bits & BIT[card]]


def to_action(choice: int | str) -> int:
    """The action of a bid or card."""
    return FIRST_CARD_ACTION + CARD[choice] if isinstance(choice, str) else choice


class Watch:
    """A batch of matches under one set of rules, and a referee for each row."""

    def __init__(
        self, num_games: int, seed: int, objective: str = "penalty", **settings: Any
    ) -> None:
        self.settings = settings
        self.rules = Rules(**settings)
        self.batch = Batch(num_games, self.rules, seed, objective, remember=True)
        self.seed = seed
        self.rng = random.Random(seed)
        self.met: Counter[str] = Counter()
        self.states = 0
        self.deals_seen = 0
        self.start()

    def start(self) -> None:
        """Referees for the matches that the batch has just begun."""
        rows = range(self.batch.num_games)
        self.matches = [oracle.Match(**self.settings) for _ in rows]
        self.bits: list[list[int]] = [[] for _ in rows]
        self.sums = [[0] * self.rules.players for _ in rows]
        self.lawful: list[set[str]] = [set() for _ in rows]
        for row in rows:
            self.open_deal(row)
        self.compare()

    def open_deal(self, row: int) -> None:
        """Tell the row's referee the cards of the deal that the engine has just dealt."""
        state = self.batch.state_records[row]
        match, players = self.matches[row], self.rules.players
        self.bits[row] = [int(bits) for bits in state["hands"][:players]]
        turned_up = int(state["turned_up"])
        first = self.rules.first_dealer
        dealer = None
        if not match.deals:
            dealer = int(state["dealer"]) if first == "random" else first
        match.open_deal(
            [texts(bits) for bits in self.bits[row]],
            oracle.SUITS[state["trump"]],
            dealer,
            None if turned_up < 0 else oracle.PACK[turned_up],
        )
        self.deals_seen += 1

    def compare(self) -> None:
        """Whether engine and referees see every row alike."""
        batch, players = self.batch, self.rules.players
        state = batch.state_records
        phase, seat = batch.phase.tolist(), batch.current_seat.tolist()
        number, dealer = batch.deal_number.tolist(), state["dealer"].tolist()
        legal, lawful = batch.legal_bits().tolist(), batch.views()["lawful"].tolist()
        hands, points = state["hands"].tolist(), state["points"].tolist()
        sums, mask = state["penalties"].tolist(), batch.legal_mask()
        expected = np.zeros_like(mask)
        expected[:, FIRST_CARD_ACTION:] = batch.legal_bits()[:, None] >> SHIFTS & ONE
        unused = [0] * (5 - players)
        for row, match in enumerate(self.matches):
            deal = match.deals[-1]
            self.lawful[row] = deal.lawful_cards()
            cards = may_do = sum([BIT[card] for card in self.lawful[row]])
            if deal.phase == "bid":
                expected[row, : len(deal.legal_bids())] = 1
            elif deal.phase == "settled":
                expected[row] = 1  # a finished row: ones, so that no softmax meets an empty set
            elif deal.rules["revoke_penalty"] is not None:
                cards = sum([BIT[card] for card in deal.legal_cards()])
            assert lawful[row] == may_do, row
            assert phase[row] == PHASE[deal.phase], row
            assert seat[row] == (-1 if deal.seat is None else deal.seat), row
            assert legal[row] == cards, (row, texts(legal[row]), texts(cards), deal.__dict__)
            assert hands[row] == self.bits[row] + unused, row
            assert points[row] == deal.points + unused, row
            assert sums[row] == self.sums[row] + unused, row
            assert dealer[row] == deal.dealer, row
            assert number[row] == len(match.deals) - 1, row
        assert np.array_equal(mask, expected)
        self.states += len(self.matches)

    def step(self, choose: Chooser) -> bool:
        """One action in every unfinished row. Returns whether any row goes on."""
        actions = np.zeros(len(self.matches), np.int64)
        before = [match.deals[-1] if not match.is_over else None for match in self.matches]
        for row, deal in enumerate(before):
            if deal is None:
                actions[row] = 193  # anything at all: it is ignored
                continue
            actions[row] = to_action(self._mirror(row, deal, choose))
        rewards, deal_over, match_over = self.batch.step(actions)
        settled = self.batch.settled
        for row, deal in enumerate(before):
            match = self.matches[row]
            over = deal is not None and deal.penalties is not None
            assert bool(deal_over[row]) == over
            assert bool(match_over[row]) == match.is_over
            if not over:
                assert not rewards[row].any()
                continue
            assert settled.bids[row].tolist() == deal.bids
            assert settled.points[row].tolist() == deal.points
            assert settled.penalties[row].tolist() == deal.penalties
            assert rewards[row].tolist() == self.expected_rewards(match, deal)
            self.sums[row] = match.penalties
            if not match.is_over:
                self.open_deal(row)
        self.compare()
        return not all(match.is_over for match in self.matches)

    def expected_rewards(self, match: oracle.Match, deal: oracle.Deal) -> list[float]:
        """What each seat earns in the step that settled `deal`."""
        assert deal.penalties is not None
        if self.batch.objective == "penalty":
            return [-float(cost) for cost in deal.penalties]
        winners = match.winners or []
        shares = [1 / len(winners) if seat in winners else 0 for seat in range(deal.players)]
        return np.array(shares, np.float32).tolist()

    def _mirror(self, row: int, deal: oracle.Deal, choose: Chooser) -> int | str:
        """Let the referee see the choice of a row, and note the rules it met."""
        assert deal.seat is not None
        if deal.phase == "bid":
            choice = choose(row, deal, set())
            deal.bid(int(choice))
            return choice
        hand, lawful = deal.hands[deal.seat], self.lawful[row]
        on_table = [card for _, card in deal.trick]
        choice = str(choose(row, deal, lawful))
        self.met[situation(hand, on_table, deal.trump, choice)] += 1
        self.met.update(restrictions(hand, on_table, deal.trump, lawful))
        self.bits[row][deal.seat] ^= BIT[choice]
        deal.play(choice)
        if not deal.trick:
            trick = deal.tricks[-1]
            place = (trick["winner"] - trick["leader"]) % deal.players
            self.met.update(trick_story(trick["cards"], place, deal.trump))
        return choice

    # players

    def anything(self, row: int, deal: oracle.Deal, lawful: set[str]) -> int | str:
        """Any bid, any lawful card."""
        if deal.phase == "bid":
            return self.rng.randrange(deal.total + 1)
        return self.rng.choice(sorted(lawful))

    def oddest(self, row: int, deal: oracle.Deal, lawful: set[str]) -> int | str:
        """Any bid, the lawful card that exercises the rule met least often so far."""
        if deal.phase == "bid":
            return self.rng.randrange(deal.total + 1)
        assert deal.seat is not None
        on_table = [card for _, card in deal.trick]
        return rarest(deal.hands[deal.seat], on_table, deal.trump, lawful, self.met, self.rng)

    def hoarding(self, row: int, deal: oracle.Deal, lawful: set[str]) -> int | str:
        """Two seats of the table keep their trumps to the last, the others play anything."""
        side = {card for card in lawful if card[0] != deal.trump}
        hoards = deal.seat in (row % deal.players, (row + 1) % deal.players)
        return self.anything(row, deal, side if side and hoards else lawful)

    def half_and_half(self, row: int, deal: oracle.Deal, lawful: set[str]) -> int | str:
        """Odd rows play the rarest lawful choice; of the others half hoard, half play anything."""
        chooser = (self.anything, self.oddest, self.hoarding, self.oddest)[row % 4]
        return chooser(row, deal, lawful)


def compare_game(game: Any, match: oracle.Match) -> None:
    """Whether a `Game` says of itself what the referee says of its match."""
    deal = match.deals[-1]
    assert game.phase == ("over" if deal.phase == "settled" else deal.phase)
    assert game.is_over == match.is_over
    assert game.current_seat == deal.seat
    assert game.dealer == deal.dealer
    assert game.trump == deal.trump
    assert game.turned_up == deal.turned_up
    assert game.hands == [sorted(hand, key=oracle.PACK.index) for hand in deal.hands]
    assert game.bids == deal.bids
    assert game.has_bid == [bid is not None for bid in deal.bids]
    assert game.points == deal.points
    assert game.trick == deal.trick
    assert game.tricks == deal.tricks
    choices = [*deal.legal_bids(), *sorted(map(to_action, deal.legal_cards()))]
    assert game.legal_actions() == choices
    assert np.flatnonzero(game.legal_mask()).tolist() == choices
    settled = [each for each in match.deals if each.penalties is not None]
    assert game.deal_penalties == (settled[-1].penalties if settled else None)
    assert game.penalties == match.penalties
    assert game.winners == match.winners
    assert len(game.finished_deals) == len(settled)
    if settled:
        assert game.finished_deals[-1] == settled[-1].record()
