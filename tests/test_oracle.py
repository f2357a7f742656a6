"""The referee's examination: before it judges the engine, it must know the rule book by heart."""

from __future__ import annotations

import itertools
import random

import oracle
import pytest
from rule_tables import (
    HOUSE_PENALTY_CASES,
    LAWFUL_CASES,
    PENALTY_CASES,
    PLAYED_POSITIONS,
    UNDERTRUMP_TABLE,
    UNDERTRUMP_WAYS,
    WINNER_CASES,
    WORKED_DEAL,
)

PLAIN = oracle.complete()


def one_deal(hands, trump="D", dealer=0, turned_up=None, **settings):
    """A single deal, ready for the first bid."""
    settings.setdefault("deals", 1)
    return oracle.Match(**settings).open_deal(hands, trump, dealer, turned_up)


def random_hands(rng, players=4, deck=None):
    deck = list(deck or oracle.complete(players=players)["deck"])
    rng.shuffle(deck)
    return [deck[seat::players] for seat in range(players)]


def suits_in_order(dealer):
    """Each seat holds a whole suit; the seat to the dealer's right holds all trumps (diamonds)."""
    hands = [[]] * 4
    for step, suit in enumerate("DHSC"):
        hands[(dealer + 1 + step) % 4] = [suit + rank for rank in oracle.RANKS]
    return hands


# --- cards ------------------------------------------------------------------------------------


@pytest.mark.parametrize("trump", oracle.SUITS)
def test_the_pack_counts_152_and_the_last_trick_five_more(trump):
    assert len(set(oracle.PACK)) == 36
    assert oracle.pile_points(oracle.PACK, trump) == 152
    assert oracle.total_points(oracle.PACK, trump) == 157


def test_points_of_each_rank():
    side = [oracle.card_points("C" + rank, "D") for rank in oracle.RANKS]
    trumps = [oracle.card_points("D" + rank, "D") for rank in oracle.RANKS]
    assert side == [0, 0, 0, 0, 10, 2, 3, 4, 11]
    assert trumps == [0, 0, 0, 14, 10, 20, 3, 4, 11]


def test_rank_orders_high_to_low():
    side = ["A", "K", "Q", "J", "10", "9", "8", "7", "6"]
    high = ["J", "9", "A", "K", "Q", "10", "8", "7", "6"]
    for order, suit in ((side, "C"), (high, "D")):
        for better, worse in itertools.combinations(order, 2):
            assert oracle.beats(suit + better, suit + worse, "D")
            assert not oracle.beats(suit + worse, suit + better, "D")


@pytest.mark.parametrize(("trick", "trump", "first"), WINNER_CASES)
def test_trick_winner(trick, trump, first):
    assert oracle.winner(trick.split(), trump) == first


def test_the_two_ways_to_find_a_winner_agree():
    """Comparing card by card and looking at the whole trick are separate code."""
    rng = random.Random(5)
    for _ in range(5000):
        trick = rng.sample(oracle.PACK, rng.randint(1, 5))
        trump = rng.choice(oracle.SUITS)
        best = 0
        for place in range(1, len(trick)):
            if oracle.beats(trick[place], trick[best], trump):
                best = place
        assert oracle.winner(trick, trump) == best


# --- what may be played -----------------------------------------------------------------------


@pytest.mark.parametrize("row", UNDERTRUMP_TABLE, ids=lambda row: f"{row[0]}|{row[1]}")
@pytest.mark.parametrize("way", UNDERTRUMP_WAYS)
def test_undertrump_table(row, way):
    trick, hand, *columns = row
    expected = columns[UNDERTRUMP_WAYS.index(way)]
    found = oracle.lawful_cards(hand.split(), trick.split(), "D", way)
    assert found == set(expected.split())


@pytest.mark.parametrize(("trick", "hand", "expected"), LAWFUL_CASES)
@pytest.mark.parametrize("way", UNDERTRUMP_WAYS)
def test_lawful_cards(trick, hand, expected, way):
    assert oracle.lawful_cards(hand.split(), trick.split(), "D", way) == set(expected.split())


@pytest.mark.parametrize(("trick", "trump", "hand", "card", "lawful", "why"), PLAYED_POSITIONS)
def test_positions_from_the_table(trick, trump, hand, card, lawful, why):
    found = oracle.lawful_cards(hand.split(), trick.split(), trump)
    assert (card in found) == lawful, why


def test_unknown_undertrump_rule_is_refused():
    with pytest.raises(ValueError, match="under-trump"):
        oracle.lawful_cards(["D6"], ["C6", "D7"], "D", "sometimes")


# --- what it costs ----------------------------------------------------------------------------


@pytest.mark.parametrize(("bid", "points", "cost"), PENALTY_CASES)
def test_plain_penalty(bid, points, cost):
    assert oracle.penalty(bid, points, PLAIN) == cost


@pytest.mark.parametrize(
    ("bid", "points", "stoeck", "revokes", "bonus", "on_zero", "cost"), HOUSE_PENALTY_CASES
)
def test_house_rule_penalty(bid, points, stoeck, revokes, bonus, on_zero, cost):
    rules = oracle.complete(
        exact_bonus=bonus, exact_bonus_on_zero=on_zero, stoeck=20, revoke_penalty=20
    )
    assert oracle.penalty(bid, points, rules, stoeck, revokes) == cost


def test_stoeck_and_bonus_are_off_by_default():
    assert oracle.penalty(40, 60, PLAIN, stoeck_held=True) == 20
    assert oracle.penalty(40, 40, PLAIN) == 0


# --- whole deals ------------------------------------------------------------------------------


def test_worked_deal():
    deal = one_deal([hand.split() for hand in WORKED_DEAL["hands"]])
    while deal.phase == "bid":
        deal.bid(WORKED_DEAL["bids"][deal.seat])
    for leader, cards, winner, worth in WORKED_DEAL["tricks"]:
        assert deal.seat == leader
        for card in cards.split():
            deal.play(card)
        assert deal.tricks[-1]["winner"] == winner
        assert deal.tricks[-1]["points"] == worth
        if deal.seat is not None:
            assert deal.seat == winner
    assert deal.points == WORKED_DEAL["points"]
    assert deal.penalties == WORKED_DEAL["penalties"]
    assert deal.seat is None and deal.legal_cards() == set() and len(deal.legal_bids()) == 0


@pytest.mark.parametrize("dealer", range(4))
def test_forehand_bids_first_and_leads(dealer):
    deal = one_deal(suits_in_order(dealer), dealer=dealer)
    asked = []
    while deal.phase == "bid":
        asked.append(deal.seat)
        deal.bid(0)
    assert asked == [(dealer + step) % 4 for step in (1, 2, 3, 4)]
    assert deal.seat == (dealer + 1) % 4


def test_one_seat_takes_everything_157_and_not_257():
    deal = one_deal(suits_in_order(3), dealer=3)
    while deal.phase == "bid":
        deal.bid(0 if deal.seat == 0 else 157)
    while deal.seat is not None:
        deal.play(sorted(deal.legal_cards())[0])
    assert deal.points == [157, 0, 0, 0]
    assert deal.penalties == [157, 157, 157, 157]


@pytest.mark.parametrize("bid", range(158))
def test_every_bid_for_one_line_of_play(bid):
    deal = one_deal([hand.split() for hand in WORKED_DEAL["hands"]])
    while deal.phase == "bid":
        deal.bid(bid)
    for _, cards, _, _ in WORKED_DEAL["tricks"]:
        for card in cards.split():
            deal.play(card)
    assert deal.penalties == [abs(bid - points) for points in WORKED_DEAL["points"]]


def test_unlawful_bids_and_cards_are_refused():
    deal = one_deal(suits_in_order(3), dealer=3)
    for bid in (158, -1):
        with pytest.raises(ValueError, match="no such bid"):
            deal.bid(bid)
    with pytest.raises(ValueError, match="cannot be played"):
        deal.play("D6")
    while deal.phase == "bid":
        deal.bid(10)
    with pytest.raises(ValueError, match="cannot be played"):
        deal.play("C6")
    with pytest.raises(ValueError, match="no such bid"):
        deal.bid(10)


def test_small_deck_total_and_bids():
    deck = [suit + rank for suit in "DS" for rank in ("9", "J", "K", "A")]
    deal = one_deal([deck[:4], deck[4:]], trump="D", players=2, deck=deck)
    assert deal.total == (14 + 20 + 4 + 11) + (0 + 2 + 4 + 11) + 5 == 71
    assert list(deal.legal_bids()) == list(range(72))
    assert oracle.total_points(deck, "C") == 2 * (2 + 4 + 11) + 5


def test_five_players_leave_out_the_six_of_clubs():
    deck = oracle.complete(players=5)["deck"]
    assert len(deck) == 35 and "C6" not in deck
    assert oracle.total_points(deck, "C") == 157


REVOKE_HANDS = [
    ["S" + rank for rank in oracle.RANKS],
    ["DJ", "H7", "H8", "H9", "H10", "HJ", "HQ", "HK", "HA"],
    ["D6", "D7", "D8", "D9", "D10", "DQ", "DK", "DA", "H6"],
    ["C" + rank for rank in oracle.RANKS],
]


def test_revokes_stand_and_cost_twenty_each():
    deal = one_deal(REVOKE_HANDS, dealer=0, revoke_penalty=20)
    while deal.phase == "bid":
        deal.bid(0)
    deal.play("DJ")
    assert deal.lawful_cards() == set(REVOKE_HANDS[2]) - {"H6"}
    assert deal.legal_cards() == set(REVOKE_HANDS[2])
    for card in ["H6", "C6", "S6"]:  # seat 2 does not follow: a revoke; the others cannot
        deal.play(card)
    assert deal.revokes == [0, 0, 1, 0]
    for card in ["H7", "D6", "C7", "S7"]:  # void in hearts by now: no revoke
        deal.play(card)
    assert deal.revokes == [0, 0, 1, 0]
    while deal.seat is not None:
        deal.play(sorted(deal.lawful_cards())[0])
    assert sum(deal.points) == 157
    assert deal.penalties == [deal.points[0], deal.points[1], deal.points[2] + 20, deal.points[3]]


def test_keeping_the_bare_puur_and_trumping_are_no_revokes():
    deal = one_deal(REVOKE_HANDS, dealer=0, revoke_penalty=20)
    while deal.phase == "bid":
        deal.bid(0)
    for card in ["H7", "D6", "C6", "S6"]:  # seat 2 trumps although it holds a heart
        deal.play(card)
    for card in ["D7", "C7", "S7", "H8"]:  # seat 1 keeps the bare Puur
        deal.play(card)
    assert deal.revokes == [0, 0, 0, 0]
    for card in ["D8", "C8", "S8", "DJ"]:  # and gives it up in the next trick
        deal.play(card)
    assert deal.seat == 1 and deal.revokes == [0, 0, 0, 0]


def test_where_revokes_are_not_penalised_they_cannot_be_made():
    deal = one_deal(REVOKE_HANDS, dealer=0)
    while deal.phase == "bid":
        deal.bid(0)
    deal.play("DJ")
    with pytest.raises(ValueError, match="H6 cannot be played"):
        deal.play("H6")


def test_open_bids_are_known_once_made_and_hidden_ones_only_after_the_deal():
    for bidding in ("open", "hidden"):
        deal = one_deal(suits_in_order(0), dealer=0, bidding=bidding)
        deal.bid(30)
        deal.bid(20)
        assert deal.known_bids(2) == [None, 30 if bidding == "open" else None, 20, None]
        deal.bid(10)
        deal.bid(0)
        assert deal.known_bids(0) == ([0, 30, 20, 10] if bidding == "open" else [0] + [None] * 3)
        while deal.seat is not None:
            deal.play(sorted(deal.legal_cards())[0])
        assert deal.known_bids(0) == [0, 30, 20, 10]


def test_the_turned_up_card_belongs_to_the_dealer_and_shows_trump():
    hands = suits_in_order(0)  # seat 0 deals and holds the clubs
    deal = oracle.Match(deals=1, trump="turned_up").open_deal(hands, "C", 0, "CQ")
    assert deal.turned_up == "CQ" and "CQ" in deal.hands[0]
    for trump, card in (("D", "CQ"), ("D", "D7"), ("C", None)):
        with pytest.raises(ValueError, match="turned-up"):
            oracle.Match(deals=1, trump="turned_up").open_deal(hands, trump, 0, card)
    with pytest.raises(ValueError, match="turned up"):
        one_deal(hands, trump="C", turned_up="CQ")


# --- matches ----------------------------------------------------------------------------------


def play_match(match, rng, first_dealer):
    """Every deal with random hands and lawful play; the dealers in order."""
    dealers = []
    while not match.is_over:
        players = match.rules["players"]
        hands = random_hands(rng, players, match.rules["deck"])
        deal = match.open_deal(hands, rng.choice(oracle.SUITS), None if dealers else first_dealer)
        dealers.append(deal.dealer)
        while deal.phase == "bid":
            deal.bid(rng.choice(deal.legal_bids()))
        while deal.seat is not None:
            deal.play(rng.choice(sorted(deal.legal_cards())))
        assert sum(deal.points) == deal.total == 157
        assert sum(trick["points"] for trick in deal.tricks) == 157
    return dealers


@pytest.mark.parametrize(("players", "deals"), [(3, 6), (4, 4), (4, 12), (5, 10), (2, 2)])
def test_matches(players, deals):
    rng = random.Random(players * 100 + deals)
    deck = None
    if players == 2:
        deck = [card for card in oracle.PACK if card not in ("C6", "C7")]
    match = oracle.Match(players=players, deals=deals, deck=deck)
    dealers = play_match(match, rng, first_dealer=players - 1)
    assert dealers == [(players - 1 + deal) % players for deal in range(deals)]
    sums = [sum(deal.penalties[seat] for deal in match.deals) for seat in range(players)]
    assert match.penalties == sums
    assert match.winners == [seat for seat in range(players) if sums[seat] <= min(sums)]
    with pytest.raises(ValueError, match="over"):
        match.open_deal([], "D")


def test_the_last_trick_is_worth_five_more_than_its_cards():
    match = oracle.Match(deals=400)
    play_match(match, random.Random(11), 0)
    for deal in match.deals:
        extra = [t["points"] - oracle.pile_points(t["cards"], deal.trump) for t in deal.tricks]
        assert extra == [0] * 8 + [5]


def test_ties_share_the_win():
    match = oracle.Match(deals=1)
    deal = match.open_deal([hand.split() for hand in WORKED_DEAL["hands"]], "D", 0)
    wanted = [45, 9, 52 - 7, 61 + 5]  # costs 5, 5, 7, 5
    while deal.phase == "bid":
        deal.bid(wanted[deal.seat])
    assert match.winners is None
    for _, cards, _, _ in WORKED_DEAL["tricks"]:
        for card in cards.split():
            deal.play(card)
    assert match.penalties == [5, 5, 7, 5]
    assert match.winners == [0, 1, 3]


def test_unknown_settings_are_refused():
    with pytest.raises(ValueError, match="no such setting"):
        oracle.complete(dealz=1)
