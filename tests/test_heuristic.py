"""`heuristic`: lawful everywhere, the same on all kinds of record, and good enough."""

from __future__ import annotations

import kinds
import numpy as np
import pytest
from agent_tools import everybody, play_a_deal_lawfully, same_to_the_seat

from differenzler_env import BID, Batch, Game, Rules, cards
from differenzler_env.actions import card_action
from differenzler_env.agents import choose_action, keyed_rng, load
from differenzler_env.agents.heuristic import book_for
from differenzler_env.agents.playing_rules import BOOK, points_held
from differenzler_env.agents.playout import play_out, state_bid, state_card
from differenzler_env.evaluation import evaluate

PRICES = np.zeros(36, np.float32)


# --- all rule sets ----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", kinds.KINDS)
def test_it_plays_lawfully_under_all_rules(kind):
    batch = play_a_deal_lawfully("heuristic", kinds.KINDS[kind], rows=20)
    assert (batch.settled.bids >= 0).all()


@pytest.mark.parametrize("kind", ["swisslos", "table", "three", "five", "mini", "revokes"])
def test_records_of_views_and_of_games_lead_to_the_same_choice(kind):
    rules = kinds.KINDS.get(kind, Rules(revoke_penalty=20)).replace(deals=1)
    batch = Batch(60, rules, seed=9)
    agent, random = load("heuristic", rules), load("random", rules)
    book, compiled = book_for(rules)[0], rules.record[0]
    rng = np.random.default_rng(0)
    while (batch.current_seat >= 0).any():
        actions = everybody(batch, agent)
        for row, state in enumerate(batch.state_records):
            if state["phase"] == 0:
                assert actions[row] == state_bid(book, state, compiled)
            else:
                assert actions[row] == 158 + state_card(book, state, compiled, PRICES)
        # Some play otherwise, so that odd positions come up too.
        odd = rng.random(60) < 0.3
        batch.step(np.where(odd, everybody(batch, random), actions))


@pytest.mark.parametrize("kind", ["swisslos", "three", "five, Schieber"])
def test_a_deal_played_out_is_the_deal_played_card_by_card(kind):
    rules = kinds.KINDS[kind].replace(deals=1)
    batch = Batch(50, rules, seed=3)
    agent, random = load("heuristic", rules), load("random", rules)
    compared = 0
    for step in range(rules.players * (rules.tricks + 1)):
        if step >= rules.players:
            ahead = batch.select(np.arange(5))
            for state in ahead.state_records:
                play_out(book_for(rules)[0], state, rules.record[0], PRICES)
            slow = batch.select(np.arange(5))
            while (slow.current_seat >= 0).any():
                slow.step(everybody(slow, agent))
            compared += 5
            points = ahead.state_records["points"][:, : rules.players]
            assert (points == slow.settled.points).all()
        batch.step(everybody(batch, random))
    assert compared == 5 * rules.players * rules.tricks


def test_hidden_cards_and_bids_do_not_matter():
    rules = Rules(deals=1)
    agent = load("heuristic", rules)
    rng = np.random.default_rng(1)
    for seed in range(30):
        game = Game(rules, seed=seed)
        for _ in range(int(rng.integers(0, 36))):
            game.play(choose_action(game, agent))
        assert choose_action(game, agent) == choose_action(same_to_the_seat(game, rng), agent)


def test_open_bids_are_not_used_and_keys_neither():
    hidden, shown = Rules(deals=1), Rules(deals=1, bidding="open")
    first, second = Batch(40, hidden, seed=6), Batch(40, shown, seed=6)
    agent, other = load("heuristic", hidden), load("heuristic", shown)
    while (first.current_seat >= 0).any():
        actions = everybody(first, agent)
        assert (actions == everybody(second, other)).all()
        view = first.player_view(0)
        assert agent.act(view, keyed_rng(1)) == agent.act(view, keyed_rng(2)) == actions[0]
        first.step(actions)
        second.step(actions)


# --- the numbers ------------------------------------------------------------------------------


def test_points_are_looked_up_as_they_are_counted():
    rng = np.random.default_rng(5)
    for _ in range(200):
        hand, trump = int(rng.integers(1 << 36)), int(rng.integers(4))
        counted = sum(int(cards.POINTS[trump, card]) for card in cards.cards_in(hand))
        assert points_held(hand, trump) == counted


def test_books_are_sound():
    for rules in (Rules(players=3), Rules(), Rules(players=5), Rules.mini()):
        book = book_for(rules)
        assert book.dtype == BOOK and not book.flags.writeable
        assert (book["holds"] >= 0).all() and (book["holds"] <= 1).all()
        # Fewer seats still to play never lower the chance to hold.
        assert (np.diff(book["holds"][0], axis=0) <= 0).all()
        assert np.isfinite(book["stage"]).all()
        # What cannot be beaten holds, and more higher cards out make a trump less likely to.
        assert (book["holds"][0, :, 4, 0] == 1).all()
        assert (np.diff(book["holds"][0, 1, 4, :, 0]) < 0).all()


@pytest.mark.parametrize("kind", ["small deck", "mini", "three", "five", "swisslos"])
def test_the_bids_of_a_table_sum_to_about_the_points_there_are(kind):
    small = Rules(deals=1, deck=[s + r for s in cards.SUITS for r in ("10", "J", "Q", "K", "A")])
    rules = small if kind == "small deck" else kinds.KINDS[kind].replace(deals=1)
    batch = Batch(1000, rules, seed=1)
    agent = load("heuristic", rules)
    totals = [rules.total_points(int(trump)) for trump in batch.state_records["trump"]]
    while (batch.phase == BID).any():
        batch.step(everybody(batch, agent))
    bids = batch.state_records["bids"][:, : rules.players].sum(axis=1)
    assert bids.mean() == pytest.approx(np.mean(totals), rel=0.06)


# --- what a player would do -------------------------------------------------------------------


def bid_on(hand, trump="D", seat=0, dealer=3):
    """Its bid as forehand on a hand; the others get what is left."""
    own = hand.split()
    rest = [name for name in cards.NAMES if name not in own]
    hands = [own, rest[:9], rest[9:18], rest[18:]]
    game = Game.from_deal(Rules(deals=1), hands, trump, dealer)
    return choose_action(game, load("heuristic", game.rules))


@pytest.mark.parametrize(
    ("hand", "low", "high"),
    [
        ("C6 C7 C8 H6 H7 H8 S6 S7 S8", 0, 0),
        ("DK DQ D8 D7 D6 C6 C8 H9 S7", 25, 50),
        ("D9 C6 C7 CQ H6 H8 HJ S7 S9", 12, 32),
        ("DA C6 C7 CQ H6 H8 HJ S7 S9", 12, 32),
        ("DJ D7 C6 C7 CQ H6 H8 S7 S9", 25, 45),
        ("DJ D9 DA DK C6 CA H7 HA SA", 105, 157),
        ("DJ D9 DA DK DQ D10 D8 D7 D6", 150, 157),
    ],
)
def test_bids_are_those_of_the_guides(hand, low, high):
    assert low <= bid_on(hand) <= high


def test_a_better_hand_bids_more():
    weak = "DQ D7 C6 C9 CJ H8 HQ S7 S10"
    assert bid_on(weak) < bid_on(weak.replace("D7", "DA")) < bid_on(weak.replace("D7", "DJ"))
    assert bid_on(weak) < bid_on(weak.replace("C9", "CA"))


HANDS = [
    "DJ D6 C7 C8 CK H7 H8 HQ S7".split(),
    "S10 SK C6 CQ H6 H9 D7 SA DQ".split(),
    "SQ S8 D8 CA C9 HA HK H10 S6".split(),
    "D9 DA DK D10 C10 CJ HJ S9 SJ".split(),
]


def choice(bids, played=""):
    """Its card with these hands, diamonds trump, seat 0 leading; bids by seat, cards as played."""
    game = Game.from_deal(Rules(deals=1), HANDS, "D", 3)
    for bid in bids:
        game.play(bid)
    for name in played.split():
        game.play(card_action(cards.card_index(name)))
    return cards.card_name(choose_action(game, load("heuristic", game.rules)) - 158)


def test_last_to_play_and_full_it_lets_the_trick_go():
    assert choice([30, 30, 30, 0], "C7 C6 CA") in {"C10", "CJ"}


def test_last_to_play_and_short_it_takes_a_rich_trick():
    assert choice([30, 30, 30, 100], "C7 C6 CA") in {"D9", "DA", "DK", "D10"}


def test_with_a_zero_bid_it_smears_what_counts_under_another_trick():
    # Void in spades it may throw anything: away with the points, not with a harmless card.
    hands = [
        "SA S10 SK S6 D6 D7 H6 H7 H8".split(),
        "S7 S8 S9 C6 C7 C8 D8 D10 DQ".split(),
        "SJ SQ CK CQ C9 D9 DA DK DJ".split(),
        "CA C10 CJ H9 H10 HJ HQ HK HA".split(),
    ]
    game = Game.from_deal(Rules(deals=1), hands, "D", 3)
    for bid in (60, 20, 77, 0):
        game.play(bid)
    for name in ("SA", "S7", "SJ"):
        game.play(card_action(cards.card_index(name)))
    thrown = cards.card_name(choose_action(game, load("heuristic", game.rules)) - 158)
    assert thrown in {"CA", "C10", "HA", "H10"}


# --- strength ---------------------------------------------------------------------------------


def test_strength_at_its_own_table():
    result = evaluate("heuristic", "heuristic", deals=1600, seed=1, workers=1)
    assert result.penalty().mean < 8.0


@pytest.mark.parametrize(
    "field", ["thumb", "heuristic,thumb,random", "constant", "random", "heuristic,heuristic,thumb"]
)
def test_it_beats_thumb_at_every_mixed_table(field):
    ours = evaluate("heuristic", field, deals=600, seed=2, workers=1)
    theirs = evaluate("thumb", field, deals=600, seed=2, workers=1)
    # The same deals and the same others: the interval of the difference by deal.
    ours_by_deal = ours.deal_sums()[0] / 4
    difference = ours_by_deal - theirs.deal_sums()[0] / 4
    half = 1.96 * difference.std(ddof=1) / len(difference) ** 0.5
    assert difference.mean() + half < 0
    assert ours.illegal() == (0, 0)
