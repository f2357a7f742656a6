"""The engine before the referee: twenty thousand deals of the default game, state by state."""

from __future__ import annotations

import random

import numpy as np
import oracle
import pytest
import situations
from kinds import FIRST_CARD_ACTION
from rule_tables import PLAYED_POSITIONS, WORKED_DEAL
from watching import Watch, compare_game, to_action

from differenzler_env import Batch, Game, Rules
from differenzler_env.observation import decode

ROWS, MATCHES = 1000, 5
RULES_OF_THE_DEFAULT_GAME = {
    *situations.LEADING,
    *situations.TRUMP_LED,
    *situations.FOLLOWING,
    *situations.VOID,
    *situations.FORBIDDEN,
    *situations.TRICKS,
} - (situations.SCHIEBER_ONLY | situations.ALWAYS_ONLY)


@pytest.mark.slow
def test_twenty_thousand_deals_are_ruled_alike():
    watch = Watch(ROWS, seed=1)
    winners = 0
    for number in range(MATCHES):
        if number:
            watch.batch.reset()
            watch.start()
        while watch.step(watch.half_and_half):
            pass
        for match in watch.matches:
            assert [deal.dealer for deal in match.deals] == [0, 1, 2, 3]
            assert all(sum(deal.points) == 157 for deal in match.deals)
            winners += len(match.winners)
    assert watch.deals_seen == ROWS * MATCHES * 4 == 20_000
    assert watch.states >= 20_000 * 40
    assert winners > ROWS * MATCHES  # some matches were tied
    rare = {name: watch.met[name] for name in RULES_OF_THE_DEFAULT_GAME if watch.met[name] < 400}
    assert not rare, rare
    assert not watch.met["revoke"]
    assert not any(watch.met[name] for name in situations.SCHIEBER_ONLY | situations.ALWAYS_ONLY)


def test_a_game_tells_what_the_referee_tells():
    """The single game, with all that it says of itself, over whole matches."""
    rng = random.Random(8)
    for seed in range(12):
        game, match = Game(seed=seed), oracle.Match()
        deal = match.open_deal(game.hands, game.trump, 0)
        compare_game(game, match)
        while not match.is_over:
            if deal.phase == "bid":
                choice = rng.choice(deal.legal_bids())
                deal.bid(choice)
            else:
                choice = rng.choice(sorted(deal.legal_cards()))
                deal.play(choice)
            game.play(to_action(choice))
            if deal.penalties is not None and not match.is_over:
                deal = match.open_deal(game.hands, game.trump)
            compare_game(game, match)
        assert game.finished_deals == [each.record() for each in match.deals]
        assert game.current_seat is None and game.legal_actions() == []
        assert game.legal_mask().dtype == np.int8 and not game.legal_mask().any()


def test_game_batch_row_and_small_and_large_batch_are_one_game():
    small, large, game = Batch(1, seed=7), Batch(1000, seed=7), Game(seed=7)
    rng = random.Random(7)
    for number in range(2):
        while not game.is_over:
            for batch in (small, large):
                assert batch.current_seat[0] == game.current_seat
                assert np.array_equal(batch.legal_mask()[0], game.legal_mask())
                seat = game.current_seat
                assert np.array_equal(batch.observe()[0], game.observe(seat))
                assert np.array_equal(
                    batch.observe_all()[0], [game.observe(each) for each in range(4)]
                )
                assert np.array_equal(batch.state()[0], game.state())
                assert int(batch.decision_keys()[0]) == game.decision_key()
                assert batch.state_records[:1].tobytes() == small.state_records.tobytes()
            action = rng.choice(game.legal_actions())
            everywhere = np.zeros(1000, np.int64)
            for row, bits in enumerate(large.legal_bits().tolist()):
                lowest = (bits & -bits).bit_length() - 1
                everywhere[row] = FIRST_CARD_ACTION + lowest if bits else (row * 7) % 158
            everywhere[0] = action
            rewards = small.step(np.array([action]))[0], large.step(everywhere)[0][:1]
            assert np.array_equal(*rewards)
            game.play(action)
            for batch in (small, large):
                copy = batch.game(0)
                assert copy.hands == game.hands and copy.bids == game.bids
                assert copy.points == game.points and copy.trick == game.trick
                assert copy.tricks == game.tricks and copy.penalties == game.penalties
        assert small.current_seat[0] == -1
        assert game.match_number == number
        small.reset()
        large.reset(mask=np.arange(1000) == 0)
        game.reset()


def test_a_finished_row_ignores_its_action_and_earns_nothing():
    batch = Batch(2, Rules(deals=1), seed=2)
    while batch.current_seat[0] >= 0:
        actions = []
        for bits in batch.legal_bits().tolist():
            actions.append(FIRST_CARD_ACTION + (bits & -bits).bit_length() - 1 if bits else 10)
        batch.step(np.array(actions))
    before = batch.state_records.tobytes()
    for action in (0, 157, 193):
        rewards, deal_over, match_over = batch.step(np.full(2, action))
        assert not rewards.any() and not deal_over.any() and match_over.all()
    assert batch.state_records.tobytes() == before


# --- positions played out on the engine -------------------------------------------------------


def fill_up(hand, trick, rng):
    """A whole deal in which the seats before have just the trick's cards to lay first."""
    pack = [card for card in oracle.PACK if card not in hand and card not in trick]
    rng.shuffle(pack)
    hands = [[card] for card in trick] + [list(hand)]
    hands += [[] for _ in range(4 - len(hands))]
    for each in hands:
        while len(each) < 9:
            each.append(pack.pop())
    return hands


@pytest.mark.parametrize(("trick", "trump", "hand", "card", "lawful", "why"), PLAYED_POSITIONS)
def test_positions_played_on_the_engine(trick, trump, hand, card, lawful, why):
    """The same positions inside whole deals: the first trick is led by seat 0, dealer seat 3.

    The hand is filled up with cards of suits that leave the question as it is: none that follow
    where the hand cannot, no trump.
    """
    trick, hand = trick.split(), hand.split()
    harmless = [
        extra
        for extra in oracle.PACK
        if extra[0] not in (trump, trick[0][0]) and extra not in hand and extra not in trick
    ]
    full = hand + harmless[: 9 - len(hand)]
    hands = fill_up(full, trick, random.Random(why))
    game = Game.from_deal(Rules(deals=1), hands=hands, trump=trump, dealer=3)
    for _ in range(4):
        game.play(30)
    for laid in trick:
        game.play(to_action(laid))
    assert (to_action(card) in game.legal_actions()) == lawful, why
    if lawful:
        game.play(to_action(card))


def test_the_worked_deal_on_the_engine():
    hands = [hand.split() for hand in WORKED_DEAL["hands"]]
    game = Game.from_deal(Rules(deals=1), hands=hands, trump="D", dealer=0)
    for _ in range(4):
        game.play(WORKED_DEAL["bids"][game.current_seat])
    for leader, cards, winner, worth in WORKED_DEAL["tricks"]:
        assert game.current_seat == leader
        for card in cards.split():
            game.play(to_action(card))
        assert game.tricks[-1] == {
            "leader": leader,
            "cards": cards.split(),
            "winner": winner,
            "points": worth,
        }
    assert game.is_over and game.points == WORKED_DEAL["points"]
    assert game.deal_penalties == game.penalties == WORKED_DEAL["penalties"]
    assert game.winners == [3]


@pytest.mark.parametrize("dealer", range(4))
def test_one_seat_takes_everything_and_numbers_stay_exact(dealer):
    """157 points with a bid of 0, and 0 with 157: no small integer type may wrap."""
    hands = [[]] * 4
    for step, suit in enumerate("DHSC"):
        hands[(dealer + 1 + step) % 4] = [suit + rank for rank in oracle.RANKS]
    batch = Batch(1, Rules(deals=1), seed=1)
    batch.set_deal(0, hands=hands, trump="D", dealer=dealer)
    forehand = (dealer + 1) % 4
    asked, over = [], False
    while not over:
        seat = int(batch.current_seat[0])
        bits = int(batch.legal_bits()[0])
        if not bits:
            asked.append(seat)
            action = 0 if seat == forehand else 157
        else:
            assert seat == forehand or asked
            action = FIRST_CARD_ACTION + (bits & -bits).bit_length() - 1
        rewards, _, match_over = batch.step(np.array([action]))
        assert np.abs(batch.observe_all()).max() <= 1
        over = bool(match_over[0])
    assert asked == [(dealer + step) % 4 for step in (1, 2, 3, 4)]
    assert rewards.tolist() == [[-157.0] * 4]
    assert batch.settled.points[0].tolist() == [157 * (seat == forehand) for seat in range(4)]


def test_every_bid_for_one_line_of_play():
    """158 rows, one a bid: the exact bid is the only best, every other costs its miss."""
    rules = Rules(deals=1)
    batch = Batch(158, rules, seed=1)
    hands = [hand.split() for hand in WORKED_DEAL["hands"]]
    for row in range(158):
        batch.set_deal(row, hands=hands, trump="D", dealer=0)
    bids = np.arange(158)
    assert (batch.legal_mask()[:, :158] == 1).all()
    for _ in range(4):
        batch.step(bids)
    for _, cards, _, _ in WORKED_DEAL["tricks"]:
        for card in cards.split():
            rewards, _, match_over = batch.step(np.full(158, to_action(card)))
    assert match_over.all()
    for seat, points in enumerate(WORKED_DEAL["points"]):
        assert rewards[:, seat].tolist() == [-float(abs(bid - points)) for bid in range(158)]
        assert rewards[:, seat].argmax() == points and rewards[points, seat] == 0
        assert (rewards[:, seat] == 0).sum() == 1


@pytest.mark.parametrize("dealer", range(4))
def test_each_bidder_sees_its_own_hand_and_plays_it(dealer):
    game = Game(Rules(deals=1, first_dealer=dealer), seed=dealer)
    shown = {}
    while game.phase == "bid":
        seat = game.current_seat
        assert seat == (dealer + 1 + len(shown)) % 4
        shown[seat] = decode(game.observe(seat), game.rules)["hand"]
        game.play(10 * seat)
    played = {seat: [] for seat in range(4)}
    while not game.is_over:
        action = game.legal_actions()[0]
        played[game.current_seat].append(oracle.PACK[action - FIRST_CARD_ACTION])
        game.play(action)
    assert {seat: sorted(cards, key=oracle.PACK.index) for seat, cards in played.items()} == shown
