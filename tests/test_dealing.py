"""The dealer's honesty: fair, repeatable, a function of its key alone."""

from __future__ import annotations

import random

import numpy as np
import oracle
import pytest
from scipy import stats
from watching import texts

from differenzler_env import BID, Batch, Game, Rules
from differenzler_env.engine import deal as dealing

SINGLE = Rules(deals=1)


def p_value(counts):
    """How likely counts as uneven as these are where all are equally likely."""
    return stats.chisquare(np.asarray(counts).ravel()).pvalue


def dealt(batch):
    """What distinguishes a deal: hands, trump, dealer, turned-up card, one tuple a row."""
    state = batch.state_records
    return [
        (tuple(row["hands"].tolist()), int(row["trump"]), int(row["dealer"]), int(row["turned_up"]))
        for row in state
    ]


def play_on(batch, bid, pick):
    """Play a whole batch to the end of its match: one bid for all, then the `pick`th legal card."""
    while (batch.current_seat >= 0).any():
        actions = np.full(batch.num_games, bid, np.int64)
        for row, bits in enumerate(batch.legal_bits().tolist()):
            if bits:
                actions[row] = 158 + oracle.PACK.index(texts(bits)[pick])
        batch.step(actions)


# --- the generator ----------------------------------------------------------------------------

WORD = (1 << 64) - 1
ROTATIONS = [(14, 16), (52, 57), (23, 40), (5, 37), (25, 33), (46, 12), (58, 22), (32, 32)]


def threefry_by_hand(key, counter):
    """Threefry 4×64 with 20 rounds, word by word as its authors describe it."""
    parity = 0x1BD11BDAA9FC1A22
    for word in key:
        parity ^= word
    keys = [*key, parity]
    x = [(c + k) & WORD for c, k in zip(counter, key, strict=True)]
    for number in range(20):
        pairs = [(0, 1), (2, 3)] if number % 2 == 0 else [(0, 3), (2, 1)]
        for (left, right), by in zip(pairs, ROTATIONS[number % 8], strict=True):
            x[left] = (x[left] + x[right]) & WORD
            turned = (x[right] << by | x[right] >> (64 - by)) & WORD
            x[right] = turned ^ x[left]
        if number % 4 == 3:
            turn = number // 4 + 1
            x = [(x[i] + keys[(turn + i) % 5]) & WORD for i in range(4)]
            x[3] = (x[3] + turn) & WORD
    return x


# From the published known-answer vectors of the generator's reference library.
KNOWN_ANSWERS = [
    (
        [0] * 4,
        [0] * 4,
        [0x09218EBDE6C85537, 0x55941F5266D86105, 0x4BD25E16282434DC, 0xEE29EC846BD2E40B],
    ),
    (
        [WORD] * 4,
        [WORD] * 4,
        [0x29C24097942BBA1B, 0x0371BBFB0F6F4E11, 0x3C231FFA33F83A1C, 0xCD29113FDE32D168],
    ),
    (
        [0x452821E638D01377, 0xBE5466CF34E90C6C, 0xBE5466CF34E90C6C, 0xC0AC29B7C97C50DD],
        [0x243F6A8885A308D3, 0x13198A2E03707344, 0xA4093822299F31D0, 0x082EFA98EC4E6C89],
        [0xA7E8FDE591651BD9, 0xBAAFD0C30138319B, 0x84A5C1A729E685B9, 0x901D406CCEBC1BA4],
    ),
]


def engine_threefry(key, counter):
    words = dealing.threefry(*map(dealing.u64, key), *map(dealing.u64, counter))
    return [int(word) for word in words]


@pytest.mark.parametrize(("key", "counter", "answer"), KNOWN_ANSWERS)
def test_the_generator_gives_the_published_answers(key, counter, answer):
    assert threefry_by_hand(key, counter) == answer
    assert engine_threefry(key, counter) == answer


def test_the_generator_equals_the_one_by_hand_on_ten_thousand_values():
    rng = random.Random(1)
    for _ in range(10_000):
        key = [rng.randrange(1 << 53, 1 << 64) for _ in range(4)]
        counter = [rng.randrange(1 << 53, 1 << 64) for _ in range(4)]
        assert engine_threefry(key, counter) == threefry_by_hand(key, counter)


# --- fairness ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def many():
    """20,000 single deals."""
    return Batch(num_games=20_000, rules=SINGLE, seed=2024).state_records.copy()


def test_trump_and_forehand_are_fair(many):
    assert p_value(np.bincount(many["trump"], minlength=4)) > 1e-4
    forehand = (many["dealer"].astype(int) + 1) % 4
    assert (many["current_seat"] == forehand).all()
    assert p_value(np.bincount(forehand, minlength=4)) > 1e-4
    together = np.bincount(4 * many["trump"].astype(int) + many["dealer"], minlength=16)
    assert p_value(together) > 1e-4


@pytest.mark.parametrize("card", range(36))
def test_every_card_is_dealt_fairly(many, card):
    holds = many["hands"] >> card & 1
    assert (holds.sum(1) == 1).all()
    owner = holds.argmax(1)
    assert p_value(np.bincount(owner, minlength=4)) > 1e-4
    # neither trump nor dealer says anything about who holds a card
    for other in ("trump", "dealer"):
        table = np.bincount(4 * many[other].astype(int) + owner, minlength=16)
        assert p_value(table) > 1e-4


def test_cards_are_dealt_independently_of_each_other(many):
    """Two cards lie in one hand in 8 of 35 deals, whichever two they are."""
    together = np.zeros((36, 36))
    for seat in range(4):
        holds = (many["hands"][:, seat, None] >> np.arange(36) & 1).astype(float)
        together += holds.T @ holds
    share = together[np.triu_indices(36, 1)] / len(many)
    sigma = (8 / 35 * 27 / 35 / len(many)) ** 0.5
    assert abs(share - 8 / 35).max() < 5 * sigma


@pytest.mark.parametrize("players", [3, 4, 5])
def test_the_turned_up_card_is_fair(players):
    rules = Rules(players=players, trump="turned_up", deals=1)
    state = Batch(num_games=20_000, rules=rules, seed=players).state_records
    deck = [oracle.PACK.index(card) for card in rules.deck]
    counts = np.bincount(state["turned_up"], minlength=36)
    assert counts.sum() == counts[deck].sum() == 20_000
    assert p_value(counts[deck]) > 1e-4
    assert p_value(np.bincount(state["dealer"], minlength=players)) > 1e-4
    assert (state["trump"] == state["turned_up"] // 9).all()
    dealer_hand = np.take_along_axis(state["hands"], state["dealer"][:, None].astype(int), 1)[:, 0]
    assert (dealer_hand >> state["turned_up"].astype(np.int64) & 1 == 1).all()


def test_all_deals_of_a_batch_and_of_500_resets_differ():
    hands = Batch(num_games=20_000, rules=SINGLE, seed=3).state_records["hands"]
    assert len({tuple(row) for row in hands.tolist()}) == 20_000
    game = Game(SINGLE, seed=7)
    seen = {str(game.hands)}
    for _ in range(499):
        game.reset()
        seen.add(str(game.hands))
    assert len(seen) == 500


def test_the_deals_of_a_match_differ_in_hands_and_trump():
    watched = Batch(num_games=50, rules=Rules(deals=40), seed=5)
    hands, trumps = set(), []
    while (watched.current_seat >= 0).any():
        if watched.state_records["num_bids"][0] == 0 and watched.phase[0] == BID:
            hands |= {tuple(row) for row in watched.state_records["hands"].tolist()}
            trumps += watched.state_records["trump"].tolist()
        legal = watched.legal_bits().astype(np.int64)
        lowest = np.log2(legal & -legal, where=legal > 0, out=np.zeros(50)).astype(np.int64)
        watched.step(np.where(legal > 0, 158 + lowest, 30))
    assert len(hands) == len(trumps) == 2000
    assert p_value(np.bincount(trumps, minlength=4)) > 1e-4


# --- seeds ------------------------------------------------------------------------------------


def test_global_generators_are_neither_used_nor_moved():
    np.random.seed(1)  # noqa: NPY002
    random.seed(1)
    numpy_before, python_before = np.random.get_state(), random.getstate()  # noqa: NPY002
    first = Batch(num_games=3, rules=SINGLE, seed=7)
    play_on(first, 20, 0)
    Game(SINGLE).play(30)
    numpy_after = np.random.get_state()  # noqa: NPY002
    assert random.getstate() == python_before
    assert all(np.array_equal(a, b) for a, b in zip(numpy_before, numpy_after, strict=True))

    np.random.seed(99)  # noqa: NPY002
    random.seed(99)
    second = Batch(num_games=3, rules=SINGLE, seed=7)
    play_on(second, 20, 0)
    assert first.state_records.tobytes() == second.state_records.tobytes()


def test_the_same_seed_deals_the_same_and_another_seed_another():
    assert dealt(Batch(5, SINGLE, seed=7)) == dealt(Batch(5, SINGLE, seed=7))
    rows = [dealt(Batch(1, SINGLE, seed=seed))[0] for seed in range(300)]
    rows += [dealt(Batch(1, SINGLE, seed=1 << bit))[0] for bit in range(9, 64)]
    assert len(set(rows)) == len(rows)


def test_without_a_seed_every_table_is_new():
    assert dealt(Batch(3, SINGLE)) != dealt(Batch(3, SINGLE))
    assert Game(SINGLE).hands != Game(SINGLE).hands


def test_deals_depend_neither_on_the_size_of_the_batch_nor_on_other_rows():
    thousand = dealt(Batch(1000, seed=7))
    assert dealt(Batch(1, seed=7)) == thousand[:1]
    assert dealt(Batch(10, seed=7)) == thousand[:10]
    assert dealt(Batch(10, seed=7, first_row=500)) == thousand[500:510]
    game = Game(seed=7)
    assert [oracle.PACK.index(card) for card in game.hands[0]] == [
        bit for bit in range(36) if thousand[0][0][0] >> bit & 1
    ]


def test_later_deals_do_not_depend_on_how_earlier_ones_were_played():
    def deals_of(bid, pick):
        batch = Batch(20, seed=11, remember=True)
        play_on(batch, bid, pick)
        keys = ("dealer", "trump", "turned_up", "hands")
        rows = [
            [[each[key] for key in keys] for each in batch.finished_deals(row)] for row in range(20)
        ]
        play = [[each["tricks"] for each in batch.finished_deals(row)] for row in range(20)]
        batch.reset()
        return rows, play, dealt(batch)

    one, other = deals_of(0, 0), deals_of(100, -1)
    assert len(one[0][0]) == 4
    assert one[0] == other[0]
    assert one[1] != other[1]
    assert one[2] == other[2]


def test_a_reset_moves_to_the_next_match_however_the_last_one_ended():
    played, idle = Batch(6, seed=3), Batch(6, seed=3)
    first = dealt(played)
    play_on(played, 40, 0)
    played.reset()
    idle.reset()
    assert dealt(played) == dealt(idle) != first
    played.reset()
    idle.reset(mask=np.ones(6, bool))
    assert dealt(played) == dealt(idle)
    played.reset(seed=3)
    assert dealt(played) == first


def test_a_masked_reset_leaves_the_other_rows_alone():
    batch, fresh = Batch(6, seed=3), Batch(6, seed=3)
    fresh.reset()
    batch.step(np.full(6, 25))
    before, mask = batch.state_records.copy(), np.array([1, 0, 0, 1, 0, 1], bool)
    batch.reset(mask=mask)
    assert (batch.state_records[~mask] == before[~mask]).all()
    assert (batch.state_records[mask] == fresh.state_records[mask]).all()


def test_an_array_of_seeds_gives_each_row_that_seed_and_row_0():
    seeds = np.array([5, 9, 5, 123456789012345])
    batch = Batch(4, seed=1)
    batch.reset(seed=seeds)
    singles = [dealt(Batch(1, seed=int(seed)))[0] for seed in seeds]
    assert dealt(batch) == singles
    batch.reset()
    for row, seed in enumerate(seeds):
        single = Batch(1, seed=int(seed))
        single.reset()
        assert dealt(batch)[row] == dealt(single)[0]


def test_selected_and_copied_rows_keep_their_keys():
    batch = Batch(8, seed=4)
    batch.step(np.full(8, 12))
    rows = [3, 3, 0]
    picked, copied = batch.select(rows), batch.copy()
    assert (picked.state_records == batch.state_records[rows]).all()
    for each in (batch, picked, copied):
        play_on(each, 12, 0)
        each.reset()
    after = dealt(batch)
    assert dealt(copied) == after
    assert dealt(picked) == [after[row] for row in rows]
