"""The players: what the baselines do, and that all choose by view and key alone."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import players
import pytest
from scipy import stats

from differenzler_env import PLAY, Batch, Game, Rules, cards
from differenzler_env.actions import card_action
from differenzler_env.agents import as_agent, choose_action, choose_actions, keyed_rng, load
from differenzler_env.agents.baselines import draw, thumb_bid

SPECS = ["random", "constant?bid=35", "thumb"]
TABLES = {
    "swisslos": Rules(),
    "single": Rules(deals=1),
    "table": Rules.table(deals=4),
    "three": Rules(players=3, deals=3),
    "five": Rules(players=5, deals=5, undertrump="schieber"),
    "mini": Rules.mini(),
    "revokes": Rules(revoke_penalty=20, undertrump="always"),
}
HANDS = [
    "DJ D6 C7 C8 CK H7 H8 HQ S7".split(),
    "S10 SK C6 CQ H6 H9 D7 SA DQ".split(),
    "SQ S8 D8 CA C9 HA HK H10 S6".split(),
    "D9 DA DK D10 C10 CJ HJ S9 SJ".split(),
]


def card(name):
    return card_action(cards.card_index(name))


def seated(batch, number=0):
    return np.full((batch.num_games, batch.rules.players), number)


# --- all of them ------------------------------------------------------------------------------


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("spec", SPECS)
def test_baselines_choose_lawful_actions_under_all_rules(spec, table):
    rules = TABLES[table]
    batch = Batch(40, rules, seed=11)
    agent = load(spec, rules)
    steps = 0
    while (batch.current_seat >= 0).any():
        actions = choose_actions(batch, [agent], seated(batch))
        playing = batch.phase == PLAY
        lawful = batch.views()["lawful"][playing]
        assert ((lawful >> (actions[playing] - 158)) & 1 == 1).all()
        batch.step(actions)  # raises on what is illegal
        steps += 1
    assert steps == rules.deals * rules.players * (rules.tricks + 1)


@pytest.mark.parametrize("spec", [*SPECS, "players:Drawing", "players:Lowest"])
def test_single_and_batched_choices_are_the_same(spec):
    rules = Rules(deals=1)
    agent = load(spec, rules)
    batch = Batch(30, rules, seed=5)
    while (batch.current_seat >= 0).any():
        views, keys = batch.views(), batch.decision_keys()
        together = agent.act_batch(views, keys)
        assert together.dtype == np.int64
        alone = [agent.act(batch.player_view(i), keyed_rng(int(keys[i]))) for i in range(30)]
        assert together.tolist() == alone
        # Neither the size of the batch nor its order matters.
        some = np.array([17, 3, 3, 29])
        assert agent.act_batch(views[some], keys[some]).tolist() == together[some].tolist()
        assert (choose_actions(batch, [agent], seated(batch)) == together).all()
        batch.step(together)


@pytest.mark.parametrize("spec", [*SPECS, "players:Drawing"])
def test_a_game_is_row_0_of_a_batch(spec):
    rules = Rules()
    agent = load(spec, rules)
    game, batch = Game(rules, seed=23), Batch(3, rules, seed=23)
    while not game.is_over:
        actions = choose_actions(batch, [agent], seated(batch))
        assert choose_action(game, agent) == actions[0]
        game.play(int(actions[0]))
        batch.step(actions)
    assert game.penalties == batch.penalties[0].tolist()
    with pytest.raises(ValueError, match="the match is over"):
        choose_action(game, agent)


@pytest.mark.parametrize("spec", SPECS)
def test_hidden_cards_and_bids_do_not_matter(spec):
    rules = Rules(deals=1)
    agent = load(spec, rules)
    rng = np.random.default_rng(0)
    compared = 0
    for seed in range(30):
        game = Game(rules, seed=seed)
        for _ in range(int(rng.integers(0, 36))):
            game.play(choose_action(game, load("random", rules)))
        twin = game.copy()
        seat = game.current_seat
        records = twin.state_records
        # Deal the cards that this seat cannot see anew, and change the bids that are hidden.
        world = twin.view(seat).sample(1, rng)[0]
        compared += int((records["hands"][0, :4] != world.astype(np.int64)).any())
        records["hands"][0, :4] = world
        for other in range(4):
            if other != seat and records["bids"][0, other] >= 0:
                records["bids"][0, other] = int(rng.integers(158))
        assert choose_action(game, agent) == choose_action(twin, agent)
    assert compared > 20


def test_seats_are_asked_by_their_own_players():
    rules = Rules(deals=1)
    batch = Batch(50, rules, seed=2)
    agents = [load(f"constant?bid={10 * number}", rules) for number in range(3)]
    rng = np.random.default_rng(0)
    seating = rng.integers(0, 3, (50, 4))
    for _ in range(4):
        seats = batch.current_seat
        actions = choose_actions(batch, agents, seating)
        assert (actions == 10 * seating[np.arange(50), seats]).all()
        batch.step(actions)


def test_nobody_is_asked_for_an_empty_seat_or_a_finished_row():
    rules = Rules.mini()
    batch = Batch(6, rules, seed=2)
    seating = seated(batch)
    seating[:3, :] = -1
    assert (choose_actions(batch, [load("thumb", rules)], seating)[:3] == -1).all()
    agent = load("random", rules)
    while (batch.current_seat >= 0).any():
        batch.step(choose_actions(batch, [agent], seated(batch)))
    assert (choose_actions(batch, [agent], seated(batch)) == -1).all()


def test_agents_see_the_settled_deals_where_they_are_kept():
    seen = set()

    def curious(view, rng):
        seen.add(len(view.finished_deals))
        return view.legal_actions()[0]

    rules = Rules()
    batch = Batch(2, rules, seed=1, remember=True)
    while (batch.current_seat >= 0).any():
        batch.step(choose_actions(batch, [as_agent(curious, rules)], seated(batch)))
    assert seen == {0, 1, 2, 3}


# --- keys -------------------------------------------------------------------------------------


def test_a_key_is_a_generator():
    first, second = keyed_rng(2**64 - 1), keyed_rng(2**64 - 1)
    assert first.key == 2**64 - 1
    assert first.random(5).tolist() == second.random(5).tolist()
    assert keyed_rng(1).random() != keyed_rng(2).random()
    first.random(3)
    for again in (pickle.loads(pickle.dumps(first)), copy.deepcopy(first)):
        assert again.key == first.key
        assert again.bit_generator.state["state"]["counter"].tolist() == (
            first.bit_generator.state["state"]["counter"].tolist()
        )
    assert copy.deepcopy(first).random() == first.random()


def test_a_key_gives_further_generators():
    """As any NumPy generator does: of each other's draws and of its own they know nothing."""
    first, second = keyed_rng(7), keyed_rng(7)
    second.random(3)
    children = [*first.spawn(2), *first.spawn(1)]
    again = second.spawn(3)
    assert len({child.random() for child in [keyed_rng(7), *children]}) == 4
    for child, other in zip(children, again, strict=True):
        other.random()
        assert (child.key, child.random()) == (other.key, other.random())
    assert len({child.key for child in children}) == 3
    for copied in (pickle.loads(pickle.dumps(first)), copy.deepcopy(first)):
        assert copied.spawn(1)[0].key not in {child.key for child in children}


def test_a_plain_generator_serves_too():
    rules = Rules(deals=1)
    view = Game(rules, seed=1).view(Game(rules, seed=1).current_seat)
    agent = load("random", rules)
    draws = [agent.act(view, np.random.default_rng(seed)) for seed in range(50)]
    assert draws == [agent.act(view, np.random.default_rng(seed)) for seed in range(50)]
    assert len(set(draws)) > 20


# --- random and constant ----------------------------------------------------------------------


def test_random_hits_every_choice_equally_often():
    rules = Rules(deals=1)
    batch = Batch(15800, rules, seed=3)
    agent = load("random", rules)
    bids = choose_actions(batch, [agent], seated(batch))
    counts = np.bincount(bids, minlength=158)
    assert len(counts) == 158
    assert stats.chisquare(counts).pvalue > 1e-3
    for _ in range(4):
        batch.step(choose_actions(batch, [agent], seated(batch)))
    hands, played = batch.views()["hand"], choose_actions(batch, [agent], seated(batch)) - 158
    below = hands & ((1 << played) - 1)
    places = [int(cards_below).bit_count() for cards_below in below]
    assert stats.chisquare(np.bincount(places, minlength=9)).pvalue > 1e-3


@pytest.mark.parametrize("count", [1, 2, 9, 158])
def test_draws_stay_below_their_bound(count):
    keys = np.random.default_rng(1).integers(0, 2**64, 2000, dtype=np.uint64)
    drawn = {int(draw(key, count)) for key in [*keys, np.uint64(0), np.uint64(2**64 - 1)]}
    assert drawn == set(range(count))


def test_constant_bids_no_more_than_the_deck_holds():
    rules = Rules.mini()
    game = Game(rules, seed=4)
    assert choose_action(game, load("constant?bid=157", rules)) == rules.total_points(game.trump)
    assert choose_action(game, load("constant?bid=7", rules)) == 7


# --- thumb ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hand", "bid"),
    [
        ("DJ D6 C7 C8 CK H7 H8 HQ S7", 40),
        ("D9 DA DK D10 C10 CJ HJ S9 SJ", 2 * (14 + 11 + 4 + 10)),
        ("SQ S8 D8 CA C9 HA HK H10 S6", 22),
        ("C6 C7 C8 H6 H7 H8 S6 S7 S8", 0),
        ("D6 D7 D8 H6 H7 H8 SA CA HA", 33),
        ("DJ D9 DA DK DQ D10 D8 D7 D6", 128 - 4),
        ("DJ D9 DA DK DQ D10 CA HA SA", 157),
    ],
)
def test_thumb_bids_twice_the_trumps_and_eleven_an_ace(hand, bid):
    assert thumb_bid(cards.hand_bits(hand.split()), 1, 157) == bid


def test_the_four_bids_of_thumb_sum_to_the_deal():
    batch = Batch(500, Rules(deals=1), seed=8)
    for record in batch.state_records:
        bids = [thumb_bid(int(hand), int(record["trump"]), 157) for hand in record["hands"][:4]]
        assert sum(bids) == 157


def position(bids, played):
    """A game with HANDS, trump diamonds, dealer 3: seat 0 leads. Bids by seat, cards as played."""
    game = Game.from_deal(Rules(deals=1), HANDS, "D", 3)
    for bid in bids:
        game.play(bid)
    for name in played.split():
        game.play(card(name))
    return game


def thumb_choice(bids, played=""):
    game = position(bids, played)
    return cards.card_name(choose_action(game, load("thumb", game.rules)) - 158)


def test_thumb_leads_what_wins_when_short_and_what_loses_when_full():
    assert thumb_choice([60, 0, 0, 0]) == "DJ"
    assert thumb_choice([0, 0, 0, 0]) in {"C7", "H7", "S7"}


def test_thumb_last_to_play_takes_what_brings_it_nearer():
    # C7 C6 CA lie on the table: 11 points. Seat 3 must follow with C10 or CJ, or trump.
    assert thumb_choice([0, 0, 0, 11], "C7 C6 CA") in {"D10", "DK", "DA", "D9"}
    assert thumb_choice([0, 0, 0, 15], "C7 C6 CA") == "DK"  # 11 + 4
    assert thumb_choice([0, 0, 0, 21], "C7 C6 CA") == "D10"  # 11 + 10
    assert thumb_choice([0, 0, 0, 26], "C7 C6 CA") == "D9"  # 11 + 14
    # A bid of 3: taking 15 would miss by more than it misses now, so it throws a club.
    assert thumb_choice([0, 0, 0, 3], "C7 C6 CA") in {"C10", "CJ"}


def test_thumb_when_full_is_rid_of_its_strong_cards_under_a_higher_one():
    # C10 and CJ are equally strong here, as it holds both: away with the ten points.
    assert thumb_choice([0, 0, 0, 0], "C7 C6 CA") == "C10"


def test_thumb_does_not_draw():
    rules = Rules(deals=1)
    batch = Batch(50, rules, seed=1)
    agent = load("thumb", rules)
    for _ in range(12):
        views = batch.views()
        keys = batch.decision_keys()
        assert (agent.act_batch(views, keys) == agent.act_batch(views, keys + np.uint64(1))).all()
        batch.step(agent.act_batch(views, keys))


def test_a_player_may_be_a_plain_function():
    rules = Rules(deals=1)
    batch = Batch(4, rules, seed=1)
    agent = as_agent(players.lowest_card, rules)
    while (batch.current_seat >= 0).any():
        batch.step(choose_actions(batch, [agent], seated(batch)))
    assert (batch.settled.bids == 40).all()
