"""What a Game says of itself, deals known and unknown, and the package's own names."""

import subprocess
import sys

import pytest

from differenzler_env import Batch, Game


def play_deal(game):
    """Play lowest actions until a deal is settled."""
    settled = game.settled_deals
    while game.settled_deals == settled:
        game.play(game.legal_actions()[0])


def test_a_row_without_memory_says_that_deals_are_unknown():
    batch = Batch(2, seed=3)
    while batch.deal_number[0] == 0:
        batch.step(batch.legal_mask().argmax(axis=1))
    game = batch.game(0)
    with pytest.raises(ValueError, match="1 settled deals are not known"):
        game.finished_deals  # noqa: B018
    with pytest.raises(ValueError, match="not known"):
        game.to_record()
    assert game.deal_penalties == batch.settled.penalties[0].tolist()


def test_a_row_with_memory_gives_the_record_of_the_same_game():
    batch, game = Batch(1, seed=3, remember=True), Game(seed=3)
    while not game.is_over:
        action = game.legal_actions()[-1]
        game.play(action)
        batch.step([action])
    assert batch.game(0).to_record() == game.to_record()


def test_a_position_does_not_tell_of_the_deals_before():
    game = Game(seed=5)
    play_deal(game)
    position = Game.from_notation(game.notation())
    assert game.deal_penalties is not None
    assert position.deal_penalties is None
    assert position.penalties == game.penalties
    with pytest.raises(ValueError, match="not known"):
        position.to_record()


def test_what_is_given_out_cannot_change_the_game():
    game = Game(seed=5)
    play_deal(game)
    right = game.to_record()
    game.finished_deals[0]["points"][0] = 157
    game.view(2).finished_deals[0]["bids"][0] = 157
    assert game.to_record() == right


@pytest.mark.parametrize("name", ["agents", "cards", "differenzler_v0", "evaluation"])
def test_modules_are_attributes_of_the_package(name):
    code = f"import differenzler_env; print(differenzler_env.{name}.__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == f"differenzler_env.{name}", done.stderr
