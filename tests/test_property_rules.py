"""Every house rule before the referee: Hypothesis draws rule sets, whole matches are compared.

Each match is played twice. The first time bids are anything; the second time the same cards fall,
and the bids are chosen knowing what they will bring, so that exact bids, the bonus, Stöck and ties
come up often.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import oracle
import pytest
import situations
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from rule_drawing import BONUSES, MOST_ROUNDS, SEEDS, rule_sets
from watching import Watch, compare_game

from differenzler_env import Rules

EXAMPLES = 400


def combination(chosen):
    """A rule set without the names of the cards in play: only how many they are."""
    rounds = Rules(**chosen).deals / chosen["players"]
    plain = {**chosen, "deals": rounds if rounds >= 1 else "single"}
    plain["deck"] = len(chosen["deck"]) if "deck" in chosen else "full"
    return plain


class Evening(Watch):
    """A batch under watch, with players who also revoke where that is only penalised."""

    def __init__(self, seed, met, told, **arguments):
        self.told = told
        self.tape = {}  # (row, number of the deal) -> cards in the order played
        self.results = {}  # (row, number of the deal) -> points of each seat
        super().__init__(2, seed, **arguments)
        self.met = met

    def compare(self):
        super().compare()
        for vector in (self.batch.observe_all(), self.batch.state()):
            assert vector.dtype == np.float32
            assert np.abs(vector).max() <= 1  # so no NaN either
        row = self.states // 2 % 2
        match, deal = self.matches[row], self.matches[row].deals[-1]
        if self.states % 10 == 0 or match.is_over:
            compare_game(self.batch.game(row), match)
        elif self.states % 4 == 0:
            seat = self.rng.randrange(deal.players)
            self.compare_view(self.batch.player_view(row, seat), deal, seat)

    def compare_view(self, view, deal, seat):
        """What a seat is told: no more and no less than it may know."""
        assert view.seat == seat
        assert view.bids == deal.known_bids(seat)
        assert view.bid == deal.bids[seat]
        assert view.has_bid == [bid is not None for bid in deal.bids]
        assert view.hand == sorted(deal.hands[seat], key=oracle.PACK.index)
        assert (view.trump, view.turned_up, view.dealer) == (
            deal.trump,
            deal.turned_up,
            deal.dealer,
        )
        assert (view.points, view.trick, view.tricks) == (deal.points, deal.trick, deal.tricks)
        lawful = deal.lawful_cards() if deal.seat == seat else set()
        assert view.lawful_cards == sorted(lawful, key=oracle.PACK.index)

    def first_time(self, row, deal, lawful):
        key = row, len(self.matches[row].deals)
        if deal.phase == "bid":
            return self.rng.choice([0, deal.total, self.rng.randrange(deal.total + 1)])
        chooser = self.rng.choice([self.anything, self.oddest, self.oddest, self.hoarding])
        card = chooser(row, deal, lawful)
        if self.rng.random() < 0.25:
            card = self.rng.choice(sorted(deal.legal_cards()))
        self.tape.setdefault(key, []).append(card)
        return card

    def second_time(self, row, deal, lawful):
        key = row, len(self.matches[row].deals)
        if deal.phase == "bid":
            points = self.results[key][deal.seat]
            bid = points + self.rng.choice([0, 0, 0, 20, -20, 1])
            return bid if 0 <= bid <= deal.total else points
        return self.tape[key].pop(0)

    def play(self):
        while self.step(self.first_time):
            pass
        for row, match in enumerate(self.matches):
            for number, deal in enumerate(match.deals, 1):
                self.results[row, number] = deal.points
        self.tell()
        dealt = [[deal.dealt for deal in match.deals] for match in self.matches]
        self.batch.reset(seed=self.seed)
        self.start()
        while self.step(self.second_time):
            pass
        assert [[deal.dealt for deal in match.deals] for match in self.matches] == dealt
        self.tell()

    def tell(self):
        """Note what happened in the matches now over."""
        for match in self.matches:
            assert match.is_over
            rules = match.rules
            for deal in match.deals:
                assert sum(deal.points) == self.rules.total_points(deal.trump) == deal.total
                for seat in range(deal.players):
                    self.told.update(settlement(rules, deal, seat))
            self.told["won alone" if len(match.winners) == 1 else "win shared"] += 1
            self.told["all share the win"] += len(match.winners) == rules["players"]
            negative = min(match.penalties) < 0
            self.told["sum below zero"] += negative


def settlement(rules, deal, seat):
    """Which rules decided what a deal cost a seat."""
    bid, points, cost = deal.bids[seat], deal.points[seat], deal.penalties[seat]
    plain = abs(bid - points)
    revoked = deal.revokes[seat] * 20
    if revoked:
        yield "revoked"
    if deal.revokes[seat] > 1:
        yield "revoked more than once"
    if cost - revoked < 0:
        yield "bonus earned"
    if bid == 0 == points and rules["exact_bonus"]:
        yield "bonus on zero" if rules["exact_bonus_on_zero"] else "no bonus on zero"
    if rules["stoeck"] and {deal.trump + "K", deal.trump + "Q"} <= deal.dealt[seat]:
        yield "Stöck used" if cost - revoked < plain and bid != points else "Stöck not used"
        if cost - revoked < 0 and bid != points:
            yield "bonus earned by Stöck"


EVERY_VALUE = {
    "players": {2, 3, 4, 5},
    "deck": {"small", "full"},
    "bidding": {"hidden", "open"},
    "trump": {"random", "turned_up"},
    "undertrump": {"void", "always", "schieber"},
    "deals": {"single", 1, MOST_ROUNDS},
    "first_dealer": {None, "random", 0, 1, 2, 3, 4},
    "exact_bonus": set(BONUSES),
    "exact_bonus_on_zero": {True, False},
    "stoeck": {0, 20},
    "revoke_penalty": {None, 20},
}
EVERY_TALE = {
    "revoked": 500,
    "revoked more than once": 100,
    "bonus earned": 500,
    "bonus on zero": 50,
    "no bonus on zero": 50,
    "Stöck used": 50,
    "Stöck not used": 50,
    "bonus earned by Stöck": 10,
    "won alone": 100,
    "win shared": 100,
    "all share the win": 20,
    "sum below zero": 20,
}


@pytest.mark.slow
def test_all_rule_sets_are_ruled_alike():
    combinations, values = set(), {name: set() for name in EVERY_VALUE}
    met: dict[str, Counter[str]] = {way: Counter() for way in EVERY_VALUE["undertrump"]}
    told: Counter[str] = Counter()

    @settings(max_examples=EXAMPLES, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(rule_sets(), SEEDS, st.sampled_from(["penalty", "win"]))
    def evenings(chosen, seed, objective):
        plain = combination(chosen)
        key = tuple(sorted(plain.items()))
        assume(key not in combinations)  # Hypothesis likes to come back to what it has tried
        Evening(seed, met[chosen["undertrump"]], told, objective=objective, **chosen).play()
        combinations.add(key)
        for name, value in plain.items():
            values[name].add(value)

    evenings()
    assert len(combinations) >= 300
    assert len(values["deck"]) > 12
    values["deck"] = {"full" if size == "full" else "small" for size in values["deck"]}
    assert values == EVERY_VALUE
    assert not {tale: told[tale] for tale, least in EVERY_TALE.items() if told[tale] < least}
    usual = {*situations.LEADING, *situations.TRUMP_LED, *situations.FOLLOWING}
    usual |= {*situations.VOID, *situations.FORBIDDEN, *situations.TRICKS}
    only = {
        "void": set(),
        "always": situations.ALWAYS_ONLY,
        "schieber": situations.SCHIEBER_ONLY,
    }
    never = {
        "void": set(),
        "always": {"lower trump forbidden while able to follow"},
        "schieber": {"under-trumped when void, other cards in hand"},
    }
    for way, counts in met.items():
        expected = usual - situations.ALWAYS_ONLY - situations.SCHIEBER_ONLY | only[way]
        expected -= never[way]
        few = {name: counts[name] for name in expected if counts[name] < 10}
        assert not few, (way, few)


@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(rule_sets(), SEEDS, st.sampled_from(["penalty", "win"]))
def test_new_rule_sets_every_time(chosen, seed, objective):
    """The examples above never change; these do."""
    Evening(seed, Counter(), Counter(), objective=objective, **chosen).play()
