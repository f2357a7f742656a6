"""What a seat is told: all that it may know, and nothing of what it may not.

Decoding an observation gives back what the view holds. Dealing the hidden cards anew, in any way
that fits what the seat has seen, and changing the hidden bids leaves everything it is told as it
was, byte for byte.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import oracle
import pytest
from kinds import FIRST_CARD_ACTION, KINDS, choice, provoke, states

from differenzler_env import OVER, Batch, Game, Rules, differenzler_v0
from differenzler_env.observation import (
    LAYOUT,
    OBSERVATION_SIZE,
    OBSERVATION_VERSION,
    SLICES,
    STATE_SIZE,
    STATE_SLICES,
    bounds,
    decode,
)

VERSION = "37837cc7edeb"
REDEALT_STATES = 10_000
CARDS = oracle.PACK


# --- the layout -------------------------------------------------------------------------------


def test_the_layout_is_pinned():
    """Who changes the layout changes this line too, and knows that old checkpoints are refused."""
    assert OBSERVATION_VERSION == VERSION


def test_the_fields_tile_the_vector():
    at = 0
    for field in LAYOUT:
        assert SLICES[field.name] == slice(at, at + field.size)
        assert field.size == np.prod(field.shape) and field.low < field.high and field.meaning
        assert field.kind in ("plain", "card", "suit")
        assert field.shape[-1] == {"card": 36, "suit": 4}.get(field.kind, field.shape[-1])
        at += field.size
    assert at == OBSERVATION_SIZE
    assert len(SLICES) == len(LAYOUT)
    assert STATE_SLICES["other_bids"].stop == STATE_SIZE
    low, high = bounds()
    assert low.shape == high.shape == (OBSERVATION_SIZE,)
    assert low.min() >= -1 and high.max() <= 1


# --- nothing is lost --------------------------------------------------------------------------


def known(view: Any) -> dict[str, Any]:
    """What a view holds of the deal at hand, seats relative, as `decode` gives it."""
    rules, players = view.rules, view.rules.players

    def turn(seat: int | None) -> int | None:
        return None if seat is None else (seat - view.seat) % players

    def turned(values: list[Any]) -> list[Any]:
        return values[view.seat :] + values[: view.seat]

    excluded = turned(view.record["excluded"][0, :players].tolist())
    void = [
        [suit for i, suit in enumerate(oracle.SUITS) if bits >> 9 * i & 0x1FF] for bits in excluded
    ]
    forehand = (view.dealer + 1) % players
    leader = view.trick[0][0] if view.trick else None
    if leader is None and view.phase != "over":
        leader = view.tricks[-1]["winner"] if view.tricks else forehand
    return {
        "players": players,
        "phase": view.phase,
        "current_seat": turn(view.current_seat),
        "dealer": turn(view.dealer),
        "leader": turn(leader),
        "trump": view.trump,
        "turned_up": view.turned_up,
        "deck": list(rules.deck),
        "hand": view.hand,
        "lawful": view.lawful_cards,
        "deal": view.deal_number,
        "penalties": turned(view.penalties),
        "has_bid": turned(view.has_bid),
        "bids": turned(view.bids),
        "points": turned(view.points),
        "to_go": 0 if view.bid is None else view.bid - view.points[view.seat],
        "trick": [(turn(seat), card) for seat, card in view.trick],
        "tricks": [{"leader": turn(t["leader"]), "cards": t["cards"]} for t in view.tricks],
        "void": void,
        "undertrump": rules.undertrump,
    }


@pytest.mark.parametrize("kind", KINDS)
def test_decoding_gives_back_what_the_view_holds(kind):
    rules = KINDS[kind]
    low, high = bounds()
    for seed in range(2):
        for number, game in enumerate(states(rules, seed)):
            for seat in range(rules.players):
                if (number + seat) % 3:
                    continue
                view = game.view(seat)
                vector = view.observation()
                assert np.array_equal(vector, game.observe(seat))
                assert (vector >= low).all() and (vector <= high).all()
                told = known(view)
                decoded = decode(vector, rules)
                for name, value in told.items():
                    assert decoded[name] == value, (kind, name, game.notation())
                compare_the_rest(vector, view)
            state = game.state()
            acting = game.current_seat or 0
            assert np.array_equal(state[:OBSERVATION_SIZE], game.observe(acting))
            compare_hidden(state, game, acting)


def compare_the_rest(vector: np.ndarray, view: Any) -> None:
    """The fields that `decode` has no need of: settings, and what follows from the cards played."""
    rules = view.rules
    part = {name: vector[at] for name, at in SLICES.items()}
    told = [
        rules.bidding == "open",
        rules.trump == "turned_up",
        rules.undertrump == "always",
        rules.undertrump == "void",
        rules.undertrump == "schieber",
        np.float32(rules.exact_bonus / 157),
        rules.exact_bonus_on_zero,
        rules.stoeck == 20,
        rules.revoke_penalty == 20,
    ]
    assert part["rules"].tolist() == told
    cards = [card for _, card in view.trick]
    assert part["trick_points"] == np.float32(oracle.pile_points(cards, view.trump) / 157)
    best, best_seat = [0.0] * 36, [0.0] * 5
    if cards:
        place = oracle.winner(cards, view.trump)
        best[CARDS.index(cards[place])] = 1.0
        best_seat[(view.trick[place][0] - view.seat) % rules.players] = 1.0
    assert part["best"].tolist() == best
    assert part["best_seat"].tolist() == best_seat
    table = np.zeros(36, np.float32)
    for i, card in enumerate(cards):
        table[CARDS.index(card)] = (i + 1) / 5
    assert np.array_equal(part["trick"], table)
    assert part["bid_known"].tolist()[: rules.players] == [
        float(bid is not None) for bid in view.bids[view.seat :] + view.bids[: view.seat]
    ]


def compare_hidden(state: np.ndarray, game: Game, seat: int) -> None:
    """What `state()` adds: the other hands and bids, in the same seat-relative order."""
    hands = state[STATE_SLICES["other_hands"]].reshape(4, 36)
    bids = state[STATE_SLICES["other_bids"]]
    for slot in range(4):
        if slot >= game.rules.players - 1:
            assert not hands[slot].any() and not bids[slot]
            continue
        other = (seat + 1 + slot) % game.rules.players
        assert [CARDS[card] for card in np.flatnonzero(hands[slot])] == game.hands[other]
        assert bids[slot] == np.float32((game.bids[other] or 0) / 157)


# --- nothing leaks ----------------------------------------------------------------------------


def dealt_anew(game: Game, seat: int, rng: random.Random, sampler: np.random.Generator) -> Game:
    """Another game that looks the same from a seat: hidden cards dealt anew, hidden bids changed.

    It is played through the rules from its deal, so the cards of the new deal are lawful too.
    """
    rules, view = game.rules, game.view(seat)
    world = view.sample(1, sampler)[0]
    hands = [[card for i, card in enumerate(CARDS) if int(bits) >> i & 1] for bits in world]
    for number, trick in enumerate([*game.tricks, {"cards": [card for _, card in game.trick]}]):
        leader = view.record["leaders"][0, number]
        for i, card in enumerate(trick["cards"]):
            hands[(leader + i) % rules.players].append(card)
    bids = list(game.bids)
    if rules.bidding == "hidden":
        total = rules.total_points(game.trump)
        bids = [
            bid if bid is None or other == seat else int(rng.random() * (total + 1))
            for other, bid in enumerate(bids)
        ]
    if game.deal_number == 0:
        new = Game.from_deal(rules, hands, game.trump, game.dealer, game.turned_up, seed=99)
        while new.phase == "bid" and bids[new.current_seat] is not None:
            new.play(bids[new.current_seat])
        for trick in [*game.tricks, {"cards": [card for _, card in game.trick]}]:
            for card in trick["cards"]:
                new.play(FIRST_CARD_ACTION + CARDS.index(card))
        return new
    words = dict(word.partition("=")[::2] for word in game.notation().split(" "))
    words["hands"] = "/".join(in_notation(hand) for hand in hands)
    words["bids"] = ",".join("-" if bid is None else str(bid) for bid in bids)
    text = " ".join(f"{name}={value}" if value else name for name, value in words.items())
    return Game.from_notation(text, seed=99)


def in_notation(hand: list[str]) -> str:
    ranks = ("A", "K", "Q", "J", "10", "9", "8", "7", "6")
    return ".".join("".join(rank for rank in ranks if suit + rank in hand) for suit in oracle.SUITS)


def test_hidden_cards_and_bids_change_nothing_that_a_seat_is_told():
    rng, sampler = random.Random(1), np.random.default_rng(1)
    seen = differed = revoked = 0
    each = -(-REDEALT_STATES // len(KINDS))
    for rules in KINDS.values():
        left, seed = each, 0
        while left:
            seed += 1
            for game in states(rules, seed):
                if not left or game.is_over:
                    break
                left -= 1
                seat = int(rng.random() * rules.players)
                new = dealt_anew(game, seat, rng, sampler)
                before, after = game.view(seat), new.view(seat)
                assert after.record.tobytes() == before.record.tobytes(), game.notation()
                assert after.observation().tobytes() == before.observation().tobytes()
                assert new.mask(seat).tobytes() == game.mask(seat).tobytes()
                assert after.legal_mask().tobytes() == before.legal_mask().tobytes()
                if left % 3 == 0:
                    assert after.text() == before.text()
                    assert repr(after) == repr(before)
                seen += 1
                differed += new.hands != game.hands
                same_revokes = new._row["revokes"].tolist() == game._row["revokes"].tolist()
                revoked += not same_revokes
    assert seen >= REDEALT_STATES
    assert differed > seen / 2  # the new deals are others
    assert revoked > 100  # and what was no revoke may be one now, which is not told either


@pytest.mark.parametrize("kind", ["swisslos", "five", "turned up", "revokes", "small, two"])
def test_the_environment_tells_no_more(kind):
    """Observation, mask and infos of every agent of the AEC environment, in the same way."""
    rules = KINDS[kind]
    rng, sampler = random.Random(2), np.random.default_rng(2)
    for seed in range(3):
        for number, game in enumerate(states(rules, seed)):
            if game.deal_number or game.is_over:
                break
            if number % 4:
                continue
            seat = int(rng.random() * rules.players)
            agent = f"player_{seat}"
            told = []
            for each in (game, dealt_anew(game, seat, rng, sampler)):
                env = differenzler_v0.raw_env(rules=rules)
                env.reset(seed=1, options={"deal": deal_of(each)})
                for action in actions_of(each):
                    env.step(action)
                observed = env.observe(agent)
                told.append(
                    [
                        observed["observation"].tobytes(),
                        observed["action_mask"].tobytes(),
                        {name: np.asarray(it).tolist() for name, it in env.infos[agent].items()},
                    ]
                )
            assert told[0] == told[1], game.notation()


def deal_of(game: Game) -> dict[str, Any]:
    deal = game.unsettled_deal()
    return {name: deal[name] for name in ("hands", "trump", "dealer", "turned_up")}


def actions_of(game: Game) -> list[int]:
    """The actions that led from the deal to here."""
    deal = game.unsettled_deal()
    players = game.rules.players
    seats = [(game.dealer + 1 + i) % players for i in range(players)]
    bids = [deal["bids"][seat] for seat in seats if deal["bids"][seat] is not None]
    cards = [card for trick in deal["tricks"] for card in trick["cards"]]
    return bids + [FIRST_CARD_ACTION + CARDS.index(card) for card in cards]


def test_other_cards_other_trump_other_bid_are_told_to_whom_they_concern():
    """The reverse: an observation that never changed would pass all the tests above."""
    rng = random.Random(3)
    for seed in range(50):
        game = Game(Rules(deals=1), seed=seed)
        hands = game.hands
        given, taken = choice(rng, hands[0]), choice(rng, hands[1])
        hands[0][hands[0].index(given)], hands[1][hands[1].index(taken)] = taken, given
        trump = choice(rng, [suit for suit in oracle.SUITS if suit != game.trump])
        swapped = Game.from_deal(game.rules, hands, game.trump, game.dealer)
        other = Game.from_deal(game.rules, game.hands, trump, game.dealer)
        for seat in range(4):
            same = np.array_equal(swapped.observe(seat), game.observe(seat))
            assert same == (seat > 1)
            assert not np.array_equal(other.observe(seat), game.observe(seat))


# --- seats are relative -----------------------------------------------------------------------


def rotated(game: Game, by: int) -> Game:
    """The same position with everyone moved some seats to the right."""
    words = dict(word.partition("=")[::2] for word in game.notation().split(" "))
    for name, mark in (("hands", "/"), ("bids", ","), ("penalties", ",")):
        values = words[name].split(mark)
        words[name] = mark.join(values[-by:] + values[:-by] if by else values)
    words["dealer"] = str((game.dealer + by) % game.rules.players)
    text = " ".join(f"{name}={value}" if value else name for name, value in words.items())
    return Game.from_notation(text, seed=1)


@pytest.mark.parametrize("kind", KINDS)
def test_a_table_that_moves_round_looks_the_same(kind):
    rules, rng = KINDS[kind], random.Random(4)
    for number, game in enumerate(states(rules, seed=5)):
        if number % 7 or game.is_over:
            continue
        by = 1 + int(rng.random() * (rules.players - 1))
        moved = rotated(game, by)
        for seat in range(rules.players):
            there = (seat + by) % rules.players
            assert moved.observe(there).tobytes() == game.observe(seat).tobytes()
        assert moved.state().tobytes() == game.state().tobytes()


# --- every value says something ---------------------------------------------------------------


def padding(rules: Rules) -> np.ndarray:
    """Which values never change under some rules: bool, one for each value of the vector."""
    constant = np.zeros(OBSERVATION_SIZE, bool)
    outside = np.array([card not in rules.deck for card in CARDS])
    suits_out = np.array([suit not in rules.trumps for suit in oracle.SUITS])
    no_seat = np.arange(5) >= rules.players
    for name in ("players", "rules", "deck"):
        constant[SLICES[name]] = True  # what the rules fix
    for name in ("current_seat", "dealer", "penalties", "has_bid", "bid_known"):
        constant[SLICES[name]] = no_seat
    for name in ("bids", "points", "best_seat", "leader"):
        constant[SLICES[name]] = no_seat
    for name in ("hand", "lawful", "order", "trick", "best"):
        constant[SLICES[name]] = outside
    constant[SLICES["turned_up"]] = outside | (rules.trump != "turned_up")
    constant[SLICES["played"]] = (no_seat[:, None] | outside).ravel()
    constant[SLICES["trump"]] = suits_out
    if rules.undertrump == "schieber":  # nothing but trumps left: no suit outside the deck either
        suits_out = np.zeros(4, bool)
    revokes = rules.revoke_penalty is not None  # what is not followed proves nothing then
    constant[SLICES["void"]] = (no_seat[:, None] | suits_out).ravel() | revokes
    constant[SLICES["deal"]] = rules.deals == 1
    return constant


def test_every_value_of_the_observation_says_something():
    """No value is constant but what is named above as padding, and none is constant everywhere."""
    generator = np.random.default_rng(6)
    lowest, highest = np.full(OBSERVATION_SIZE, np.inf), np.full(OBSERVATION_SIZE, -np.inf)
    for kind, rules in KINDS.items():
        batch = Batch(max(40, 600 // rules.deals), rules, seed=6)
        low, high = np.full(OBSERVATION_SIZE, np.inf), np.full(OBSERVATION_SIZE, -np.inf)
        while True:
            seen = batch.observe_all().reshape(-1, OBSERVATION_SIZE)
            np.minimum(low, seen.min(axis=0), out=low)
            np.maximum(high, seen.max(axis=0), out=high)
            if (batch.phase == OVER).all():
                break
            mask = batch.legal_mask()
            batch.step((mask * generator.random(mask.shape, np.float32)).argmax(axis=1))
        names = np.concatenate([[field.name] * field.size for field in LAYOUT])
        wrong = np.flatnonzero((low == high) != padding(rules))
        assert not wrong.size, (kind, [(names[at], at - SLICES[names[at]].start) for at in wrong])
        np.minimum(lowest, low, out=lowest)
        np.maximum(highest, high, out=highest)
    assert (lowest < highest).all()


def test_the_player_of_the_tests_shows_a_lot():
    """The games above are only worth something if voids and under-trumps come up in them."""
    shown = 0
    for game in states(Rules(undertrump="schieber"), seed=1, player=provoke):
        shown += int(game._row["excluded"].any())
    assert shown > 80
