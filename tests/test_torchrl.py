"""TorchRL: its PettingZoo wrapper tells masks, turns and rewards of this game rightly."""

from __future__ import annotations

import numpy as np
import pytest

from differenzler_env import Rules, differenzler_v0
from differenzler_env.envs.ledger import Ledger

pytest.importorskip("torchrl", reason="TorchRL is not installed: make test-torchrl")

from torchrl.envs.libs.pettingzoo import PettingZooWrapper
from torchrl.envs.utils import MarlGroupMapType, check_env_specs

# It says for every version but an old one that it was not tested with it.
pytestmark = pytest.mark.filterwarnings("ignore:PettingZoo in TorchRL:UserWarning")


def wrapped(rules: Rules, **settings):
    ledger = Ledger(differenzler_v0.env(rules))
    return ledger, PettingZooWrapper(ledger, use_mask=True, **settings)


@pytest.mark.parametrize("deals", [1, 4])
@pytest.mark.parametrize("group", [None, MarlGroupMapType.ALL_IN_ONE_GROUP])
def test_its_checks_pass(deals, group):
    _, env = wrapped(Rules(deals=deals), group_map=group, seed=3)
    check_env_specs(env)


def test_rewards_add_up_and_reach_seats_that_do_not_act():
    """Each settling step pays all four seats, whoever played the last card."""
    ledger, env = wrapped(Rules(), group_map=MarlGroupMapType.ALL_IN_ONE_GROUP)
    match = env.rollout(1000)
    assert len(match) == 4 * 40
    rewards = match["next", "agents", "reward"][..., 0].numpy()
    np.testing.assert_array_equal(rewards.sum(axis=0), -ledger.penalties()[0])
    assert (np.flatnonzero(rewards.any(axis=1)) == [39, 79, 119, 159]).all()
    acted = match["agents", "mask"].numpy()
    assert (acted.sum(axis=1) == 1).all() and (acted.sum(axis=0) == 40).all()
    # So whoever keeps the rewards of acting seats only loses most of them.
    assert rewards[acted].sum() > rewards.sum()
    np.testing.assert_array_equal(match["next", "done"][:, 0].nonzero()[:, 0], [159])


def test_masks_are_those_of_the_seat_to_act_and_all_ones_for_the_others():
    ledger, env = wrapped(Rules(deals=1), group_map=MarlGroupMapType.ALL_IN_ONE_GROUP)
    step, steps = env.reset(), 0
    while not step["done"]:
        game = ledger.unwrapped.game
        seat = game.current_seat
        masks = step["agents", "action_mask"].numpy()
        assert step["agents", "mask"].tolist() == [other == seat for other in range(4)]
        np.testing.assert_array_equal(masks[seat], game.legal_mask())
        assert np.delete(masks, seat, axis=0).all()
        np.testing.assert_array_equal(
            step["agents", "observation", "observation"][seat].numpy(), game.observe(seat)
        )
        step = env.step_mdp(env.step(env.rand_action(step)))
        steps += 1
    assert steps == 40 and ledger.forfeited == 0


def test_what_infos_say_of_settled_deals_is_dropped():
    """TorchRL fixes the keys of infos at the first reset; ``deal`` comes later."""
    ledger, env = wrapped(Rules())
    match = env.rollout(1000)
    assert "deal" in ledger.infos["player_0"]
    assert not [key for key in match.keys(True) if "info" in key or "deal" in key]
