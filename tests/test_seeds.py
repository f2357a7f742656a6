"""Seeds: what is one, where a list of them is taken, and where not."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest

from differenzler_env import Batch, Game, differenzler_v0


@pytest.mark.parametrize("seed", [-1, 1.5, "7", [1, 2, 3], np.array([1.0, 2.0])], ids=repr)
def test_seeds_are_integers_from_zero(seed):
    with pytest.raises(ValueError, match="seed"):
        Batch(2, seed=seed)
    batch = Batch(2, seed=1)
    before = batch.state_records.tobytes()
    with pytest.raises(ValueError, match="seed"):
        batch.reset(seed=seed)
    assert batch.state_records.tobytes() == before


@pytest.mark.parametrize("seed", [[1], (1,), np.array([1]), [], [1, 2], 1.0, "1", b"1"], ids=repr)
def test_a_single_match_takes_a_single_seed(seed):
    game = Game("mini", seed=1)
    before = game.notation()
    deal = {"hands": game.hands, "trump": game.trump, "dealer": game.dealer}
    match = differenzler_v0.env("mini")
    match.reset(seed=1)
    alone = gymnasium.make("differenzler_env:Differenzler-v0", rules="mini", opponents="random")
    alone.reset(seed=1)
    seen = alone.unwrapped.game.notation()
    for start in (
        lambda: Game("mini", seed=seed),
        lambda: game.reset(seed=seed),
        lambda: Game.from_deal("mini", **deal, seed=seed),
        lambda: Game.from_record(game.to_record(), seed),
        lambda: Game.from_notation(before, seed),
        lambda: match.reset(seed=seed),
        lambda: differenzler_v0.parallel_env("mini").reset(seed=seed),
        lambda: alone.reset(seed=seed),
    ):
        with pytest.raises(ValueError, match=r"seed is .*; allowed: an integer from 0"):
            start()
    assert game.notation() == match.unwrapped.game.notation() == before
    assert alone.unwrapped.game.notation() == seen


def test_a_list_of_seeds_is_for_rows():
    """One seed a row; of one row as of many."""
    hands = Game(seed=1).hands
    assert Batch(1, seed=[1]).game(0).hands == Batch(2, seed=[5, 1]).game(1).hands == hands
    envs = gymnasium.make_vec("differenzler_env:Differenzler-v0", num_envs=2)
    for seeds in (b"ab", "ab", [1], [1, 2.0], [[1], [2]], {1, 2}):
        with pytest.raises(ValueError, match="seed"):
            envs.reset(seed=seeds)
