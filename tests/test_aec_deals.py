"""Seeds and set-up deals in all environments: the same, again, and any deal a user wants."""

from __future__ import annotations

import random

import gymnasium
import numpy as np
import pytest
from env_tools import a_deal, last, play_on
from scipy import stats

import differenzler_env  # noqa: F401  (registers the ids)
from differenzler_env import Batch, Game, Rules, cards, differenzler_v0

ONE_DEAL = Rules.swisslos(deals=1)
BOTH = ["aec", "single"]


class Table:
    """An AEC or single-seat environment and the game behind it."""

    def __init__(self, kind, rules=ONE_DEAL):
        if kind == "aec":
            self.env = differenzler_v0.env(rules=rules)
        else:
            self.env = gymnasium.make("Differenzler-v0", rules=rules, opponents="constant")

    def reset(self, **kwargs):
        self.env.reset(**kwargs)
        return self.game

    @property
    def game(self):
        return self.env.unwrapped.game

    def dealt(self):
        """Hands as dealt, trump and dealer, whatever has been played since."""
        deal = self.game.unsettled_deal()
        return deal["hands"], deal["trump"], deal["dealer"]


@pytest.mark.parametrize("kind", BOTH)
def test_a_seed_deals_what_a_game_with_that_seed_deals(kind):
    for seed in (0, 7, 2**40, 2**128 - 1) if kind == "aec" else (0, 7, 2**40):
        table = Table(kind, Rules.swisslos())
        game = Game(Rules.swisslos(), seed=seed)
        table.reset(seed=seed)
        assert table.dealt() == (game.hands, game.trump, game.dealer)
        table.reset()
        game.reset()
        assert table.dealt() == (game.hands, game.trump, game.dealer)


@pytest.mark.parametrize("kind", BOTH)
def test_seeds_repeat_and_nothing_else_matters(kind):
    table = Table(kind)
    table.reset(seed=7)
    expected = table.dealt()
    np.random.seed(0)  # noqa: NPY002  (that is the point)
    random.seed(0)
    before = np.random.get_state()[1].tobytes(), random.getstate()  # noqa: NPY002
    table.reset(seed=7)
    assert table.dealt() == expected
    for _ in range(3):
        table.reset()
    after = np.random.get_state()[1].tobytes(), random.getstate()  # noqa: NPY002
    assert before == after


@pytest.mark.parametrize("kind", BOTH)
def test_resets_without_a_seed_go_on_to_new_deals(kind):
    table = Table(kind)
    table.reset(seed=7)
    deals = [str(table.dealt())]
    for _ in range(500):
        table.reset()
        deals.append(str(table.dealt()))
    assert len(set(deals)) == 501
    table.reset(seed=7)
    assert [str(table.dealt())] == deals[:1]
    table.reset()
    assert str(table.dealt()) == deals[1]


@pytest.mark.parametrize("kind", BOTH)
def test_without_any_seed_two_environments_differ(kind):
    tables = [Table(kind), Table(kind)]
    for table in tables:
        table.reset()
    assert tables[0].dealt() != tables[1].dealt()


def test_trump_dealer_and_owner_of_each_card_are_uniform():
    batch = Batch(20_000, rules=ONE_DEAL, seed=3)
    records = batch.state_records
    chances = [
        stats.chisquare(np.bincount(records[name], minlength=4)).pvalue
        for name in ("trump", "dealer")
    ]
    for card in range(36):
        owners = [int((records["hands"][:, seat] >> card & 1).sum()) for seat in range(4)]
        assert sum(owners) == 20_000
        chances.append(stats.chisquare(owners).pvalue)
    assert min(chances) > 1e-4


# --- a deal of one's own ------------------------------------------------------------------


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize("dealer", range(4))
def test_a_deal_is_set_up_as_told(kind, dealer):
    deal = a_deal(seed=dealer, dealer=dealer, trump="CDHS"[dealer])
    table = Table(kind, Rules.swisslos())
    table.reset(seed=1, options={"deal": deal, "nobody knows this": 1})
    hands = [sorted(hand, key=cards.card_index) for hand in deal["hands"]]
    assert table.dealt() == (hands, deal["trump"], dealer)
    table.reset(seed=1)
    assert table.dealt()[0] != hands


def test_forehand_of_a_set_up_deal_begins():
    env = differenzler_v0.env(rules=ONE_DEAL)
    for dealer in range(4):
        env.reset(options={"deal": a_deal(dealer=dealer)})
        assert env.agent_selection == f"player_{(dealer + 1) % 4}"


def test_the_deals_after_a_set_up_one_come_from_the_seed():
    plain, changed = (differenzler_v0.env() for _ in range(2))
    plain.reset(seed=11)
    changed.reset(seed=11, options={"deal": a_deal(seed=5)})
    for env in (plain, changed):
        while env.unwrapped.game.deal_number == 0:
            env.step(last(None, None, env.infos[env.agent_selection]))
    assert plain.unwrapped.game.hands == changed.unwrapped.game.hands


@pytest.mark.parametrize("kind", BOTH)
def test_the_deal_of_any_seed_can_be_taken_out_and_put_back(kind):
    source = differenzler_v0.env(rules=ONE_DEAL)
    source.reset(seed=123)
    start = source.unwrapped.game.copy()
    play_on(source, last)
    record = source.unwrapped.game.finished_deals[0]
    table = Table(kind)
    for deal in (record, {"hands": start.hands, "trump": start.trump, "dealer": start.dealer}):
        table.reset(options={"deal": deal})
        assert table.dealt() == (start.hands, start.trump, start.dealer)


@pytest.mark.parametrize("kind", BOTH)
def test_a_turned_up_card_is_required_where_the_rules_turn_one_up(kind):
    deal = a_deal(dealer=2, trump="D")
    shown = next(card for card in deal["hands"][2] if card[0] == "D")
    table = Table(kind, Rules.table())
    table.reset(options={"deal": {**deal, "turned_up": shown}})
    assert table.game.turned_up == shown
    with pytest.raises(ValueError, match="turned"):
        table.reset(options={"deal": deal})
    Table(kind).reset(options={"deal": {**deal, "turned_up": None}})


def spoilt():
    deal = a_deal()
    hands = deal["hands"]
    swapped = [hands[1][0], *hands[0][1:]]
    yield "35", {**deal, "hands": [hands[0][:-1], *hands[1:]]}
    yield "twice", {**deal, "hands": [swapped, *hands[1:]]}
    yield "10", {**deal, "hands": [[*hands[0], hands[1][0]], hands[1][1:], *hands[2:]]}
    yield "3 hands", {**deal, "hands": hands[:3]}
    yield "X9", {**deal, "hands": [["X9", *hands[0][1:]], *hands[1:]]}
    yield "dealer", {**deal, "dealer": 4}
    yield "dealer", {**deal, "dealer": None}
    yield "trump", {**deal, "trump": "T"}
    yield "turned_up", {**deal, "turned_up": hands[0][0]}
    yield "trump", {key: value for key, value in deal.items() if key != "trump"}
    yield "tramp", {**deal, "tramp": "D"}
    yield "mapping", "C6 C7"


@pytest.mark.parametrize("kind", [*BOTH, "vector"])
@pytest.mark.parametrize(
    ("word", "deal"), list(spoilt()), ids=lambda value: value if isinstance(value, str) else ""
)
def test_an_impossible_deal_is_refused_by_name_and_nothing_changes(kind, word, deal):
    if kind == "vector":
        envs = gymnasium.make_vec("Differenzler-v0", num_envs=2, rules=ONE_DEAL)
        envs.reset(seed=3)
        before = envs.unwrapped.batch.state_records.tobytes()
        with pytest.raises(ValueError, match=word):
            envs.reset(seed=4, options={"deal": [None, deal]})
        assert envs.unwrapped.batch.state_records.tobytes() == before
        return
    table = Table(kind)
    table.reset(seed=3)
    before = table.dealt()
    with pytest.raises(ValueError, match=word):
        table.reset(seed=4, options={"deal": deal})
    assert table.dealt() == before
    if kind == "aec":
        assert len(play_on(table.env, last)[1]) == 44
