"""The trainer's arithmetic: ratios, masks, advantages, the critic's and the policy's inputs."""

import math

import numpy as np
import pytest
import torch

from differenzler_env import Batch, Rules
from differenzler_env.actions import NUM_BIDS
from differenzler_env.agents.network_agent import NetworkAgent
from differenzler_env.agents.network_inputs import (
    GAP_KNOTS,
    ORDERS,
    input_rows,
    suit_table,
    useful_fields,
)
from differenzler_env.agents.torch_inputs import ObservationFeatures, ramps
from differenzler_env.agents.torch_network import (
    PolicyNetwork,
    choose,
    divergence,
    entropy,
    masked_log_probabilities,
)
from differenzler_env.observation import LAYOUT, SLICES
from training.advantages import normalised, seat_advantages
from training.config import make_config
from training.losses import FIGURES, take
from training.ppo_learner import PPOLearner

SMALL = {
    "games": 64,
    "minibatches": 2,
    "epochs": 1,
    "width": 32,
    "blocks": 1,
    "critic_width": 32,
    "critic_blocks": 1,
    "precision": "float32",
    "threads": 1,
    "deals": 640,
}


pytestmark = pytest.mark.usefixtures("one_thread")


def small_learner(**changes: object) -> PPOLearner:
    return PPOLearner(make_config(SMALL | changes))


# T1: before the first gradient step nothing has moved -------------------------------------


@pytest.mark.parametrize("bid_blocks", [0, 1])
def test_the_first_ratio_is_one(bid_blocks: int) -> None:
    learner = small_learner(bid_blocks=bid_blocks)
    learner.update()  # so that the policy is not the one it starts with
    rollout = learner.collector.collect(learner.policy, seed=5)
    advantages, returns, _ = learner.judge(rollout)
    order = torch.randperm(rollout.num_bids)
    cards = rollout.num_bids + torch.randperm(len(rollout.rows) - rollout.num_bids)
    batch = take(rollout, (advantages, returns), order, cards)
    _, figures = learner.loss(batch, 0.01, 0.01)
    figures = dict(zip(FIGURES, figures.tolist(), strict=True))
    assert figures["ratio_error"] < 1e-5
    assert abs(figures["kl"]) < 1e-7
    assert figures["clipped"] == 0


def test_masks_and_actions_are_stored_with_each_decision() -> None:
    learner = small_learner()
    rollout = learner.collector.collect(learner.policy, seed=5)
    bids, cards = rollout.num_bids, len(rollout.rows) - rollout.num_bids
    assert bids == 4 * 64
    assert rollout.bid_masks.shape == (bids, NUM_BIDS) and rollout.bid_masks.all()
    assert rollout.card_masks.shape == (cards, 36)
    legal = rollout.card_masks.sum(1)
    assert legal.min() >= 2 and legal.max() == 9, "forced plays are no decisions"
    assert rollout.card_masks.gather(1, rollout.actions[bids:, None]).all()
    # A deal has at most 36 plays, and the last trick is always forced.
    assert cards < 64 * 32
    assert len(torch.unique(rollout.places)) == len(rollout.rows)


def test_the_mask_matters_in_the_loss() -> None:
    learner = small_learner()
    rollout = learner.collector.collect(learner.policy, seed=5)
    advantages, returns, _ = learner.judge(rollout)
    everything = (
        torch.arange(rollout.num_bids),
        torch.arange(rollout.num_bids, len(rollout.rows)),
    )
    batch = take(rollout, (advantages, returns), *everything)
    batch.card_masks = torch.ones_like(batch.card_masks)
    _, figures = learner.loss(batch, 0.01, 0.01)
    assert figures[FIGURES.index("ratio_error")] > 0.1


def test_rewards_are_points_outside_and_scaled_inside() -> None:
    learner = small_learner(reward_scale=20.0, gae_lambda=1.0)
    rollout = learner.collector.collect(learner.policy, seed=5)
    torch.nn.init.zeros_(learner.critic.head.weight)
    _, returns, figures = learner.judge(rollout)
    decisions, players, games = rollout.shape
    expected = (-rollout.penalties / 20).expand(decisions, players, games).reshape(-1)
    torch.testing.assert_close(returns, expected[rollout.places])
    penalties = (rollout.bids - rollout.points).abs().float()
    torch.testing.assert_close(penalties, rollout.penalties)
    assert figures["penalty"] == pytest.approx(float(penalties.mean()), rel=1e-6)
    floor = np.abs(157 - rollout.bids.numpy().astype(int).sum(0)).mean() / 4
    assert figures["floor"] == pytest.approx(floor, rel=1e-6)
    assert figures["penalty"] >= figures["floor"]


@pytest.mark.parametrize("rules", ["mini", {"exact_bonus": 10}], ids=["mini", "bonus"])
def test_figures_follow_the_rules(rules: object) -> None:
    learner = small_learner(rules=rules)
    rollout = learner.collector.collect(learner.policy, seed=5)
    _, _, figures = learner.judge(rollout)
    bids, points = rollout.bids.numpy().astype(int), rollout.points.numpy().astype(int)
    assert figures["exact"] == pytest.approx((bids == points).mean())
    assert figures["exact"] > 0
    total = points.sum(0)
    floor = np.abs(total - bids.sum(0)).mean() / len(bids)
    assert figures["floor"] == pytest.approx(floor)


# T2: distributions under a mask -----------------------------------------------------------


def masks(width: int, ones: int) -> torch.Tensor:
    mask = torch.zeros(64, width, dtype=torch.bool)
    random = np.random.default_rng(ones)
    for row in mask:
        row[random.permutation(width)[:ones]] = True
    return mask


@pytest.mark.parametrize("ones", [1, 2, 9, 158])
@pytest.mark.parametrize("kind", ["zeros", "huge", "peaked"])
def test_a_masked_distribution_is_one(ones: int, kind: str) -> None:
    mask = masks(194, ones)
    random = torch.Generator().manual_seed(1)
    logits = torch.zeros(64, 194)
    if kind == "huge":
        logits = 1e4 * torch.sign(torch.randn(64, 194, generator=random))
    if kind == "peaked":
        logits[:, 7] = 50.0
    logits.requires_grad_()
    logs = masked_log_probabilities(logits, mask)
    assert torch.allclose(logs.exp().sum(1), torch.ones(64), atol=1e-6)
    assert (logs.exp()[~mask] == 0).all()
    spread = entropy(logs)
    assert torch.isfinite(spread).all() and (spread >= -1e-6).all()
    if ones == 1:
        assert (spread == 0).all()
    other = masked_log_probabilities(logits.detach().flip(1), mask)
    assert torch.isfinite(divergence(logs, other)).all()
    chosen = logs.gather(1, mask.float().argmax(1, keepdim=True))
    (chosen.mean() + spread.mean()).backward()
    assert torch.isfinite(logits.grad).all()
    assert (logits.grad[~mask] == 0).all()
    draws = torch.rand(64, 2000, generator=random, dtype=torch.float64)
    draws[:, 0], draws[:, 1] = 0.0, 1 - 2.0**-53
    for column in draws.T:
        assert mask.gather(1, choose(logs.detach(), column)[:, None]).all()


def test_choices_follow_the_distribution() -> None:
    probabilities = torch.tensor([[0.0, 0.2, 0.0, 0.5, 0.3, 0.0]])
    grid = (torch.arange(1000, dtype=torch.float64) + 0.5) / 1000
    chosen = choose(probabilities.log().expand(1000, -1), grid)
    np.testing.assert_array_equal(np.bincount(chosen, minlength=6), [0, 200, 0, 500, 300, 0])


def test_the_first_bids_are_a_broad_hump() -> None:
    network = PolicyNetwork.for_rules(Rules.swisslos(), width=32, blocks=1)
    batch = Batch(200, seed=1)
    with torch.no_grad():
        logits = network(torch.from_numpy(batch.observe()))[:, :NUM_BIDS]
    bids = torch.arange(NUM_BIDS)
    mean = (logits.softmax(1) * bids).sum(1)
    spread = ((logits.softmax(1) * bids**2).sum(1) - mean**2).sqrt()
    assert ((mean > 35) & (mean < 50)).all() and ((spread > 15) & (spread < 30)).all()


# T3: advantages ---------------------------------------------------------------------------


def by_hand(values, rewards, real, bootstrap, gae_lambda):
    """Advantages of one seat, straight from the definition, forced plays taken out first."""
    steps, earned = [], 0.0
    for value, reward, here in zip(values, rewards, real, strict=True):
        if here:
            steps.append([value, reward])
        elif steps:
            steps[-1][1] += reward
        else:
            earned += reward  # before the first decision: nobody's doing
    following = [value for value, _ in steps[1:]] + [bootstrap]
    errors = [r + n - v for (v, r), n in zip(steps, following, strict=True)]
    found = [
        sum(gae_lambda**k * error for k, error in enumerate(errors[at:]))
        for at in range(len(errors))
    ]
    answers = iter(found)
    return [next(answers) if here else 0.0 for here in real]


@pytest.mark.parametrize("gae_lambda", [0.0, 0.9, 1.0])
@pytest.mark.parametrize("ends", [True, False])
def test_advantages_run_along_each_seat(gae_lambda: float, ends: bool) -> None:
    random = np.random.default_rng(3)
    values = random.normal(size=(10, 4, 3))
    rewards = np.zeros((10, 4, 3))
    rewards[-1] = random.normal(size=(4, 3))
    rewards[4] = random.normal(size=(4, 3))
    real = random.random((10, 4, 3)) < 0.7
    bootstrap = np.zeros((4, 3)) if ends else random.normal(size=(4, 3))
    arguments = (torch.tensor(array) for array in (values, rewards, real, bootstrap))
    found = seat_advantages(*arguments, gae_lambda).numpy()
    for seat in range(4):
        for game in range(3):
            one = (slice(None), seat, game)
            expected = by_hand(
                values[one], rewards[one], real[one], bootstrap[seat, game], gae_lambda
            )
            np.testing.assert_allclose(found[one], expected, atol=1e-12)


def test_with_lambda_one_an_advantage_is_the_result_less_the_value() -> None:
    result = torch.tensor([-3.0, 0.0, -10.0, -1.5])
    rewards = torch.zeros(10, 4)
    rewards[-1] = result
    everything = torch.ones(10, 4, dtype=torch.bool)
    nothing = torch.zeros(4)
    found = seat_advantages(torch.zeros(10, 4), rewards, everything, nothing, 1.0)
    torch.testing.assert_close(found, result.expand(10, 4))
    values = torch.randn(10, 4, generator=torch.Generator().manual_seed(1))
    found = seat_advantages(values, rewards, everything, nothing, 1.0)
    torch.testing.assert_close(found, result - values)


def test_normalised_advantages_have_mean_zero_and_deviation_one() -> None:
    numbers = normalised(torch.tensor([1.0, 5.0, 9.0, -3.0]))
    assert float(numbers.mean()) == pytest.approx(0, abs=1e-6)
    assert float(numbers.std(correction=0)) == pytest.approx(1, abs=1e-6)


# What the networks see ---------------------------------------------------------------------


def random_states(rules: Rules, seed: int = 0):
    """Batches after each step of random play."""
    batch, random = Batch(24, rules, seed=seed), np.random.default_rng(seed)
    for _ in range(rules.players * (1 + rules.tricks)):
        yield batch
        legal = batch.legal_mask()
        batch.step(np.array([random.choice(np.flatnonzero(row)) for row in legal]))


@pytest.mark.parametrize(
    "rules",
    [Rules.swisslos(deals=1), Rules.table(players=5, deals=1), Rules.table(players=3, deals=1)],
    ids=["swisslos", "five", "three"],
)
def test_the_network_does_not_see_which_suit_is_which(rules: Rules) -> None:
    features = ObservationFeatures(useful_fields(rules), rules.players)
    relabel = torch.from_numpy(suit_table(LAYOUT, SLICES, 5))
    random = np.random.default_rng(1)
    for batch in random_states(rules):
        observation = torch.from_numpy(batch.observe())
        inputs, orders = features(observation)
        other = relabel[int(random.integers(len(ORDERS)))]
        again, _ = features(observation[:, other])
        torch.testing.assert_close(again, inputs, rtol=0, atol=0)
        compiled, numbers = np.empty_like(inputs.numpy()), np.empty(24, np.int64)
        input_rows(observation.numpy(), np.arange(24), features.tables, compiled, numbers)
        np.testing.assert_array_equal(compiled, inputs)
        np.testing.assert_array_equal(numbers, orders)
        trump = observation[:, SLICES["trump"]].argmax(1)
        assert (torch.tensor(ORDERS)[orders, 0] == trump).all()
        assert inputs.shape == (24, features.size) and torch.isfinite(inputs).all()


def test_the_cards_that_take_the_trick_are_marked() -> None:
    rules = Rules.swisslos(deals=1)
    features = ObservationFeatures(["trick"], 4)
    met = 0
    for batch in random_states(rules, seed=4):
        observation = torch.from_numpy(batch.observe())
        inputs, orders = features(observation)
        takes = inputs[:, 36 + 2 * 36 : 36 + 3 * 36] > 0
        own_cards = features.own_cards(orders)
        for row in range(len(batch)):
            game = batch.game(row)
            # The last card of a trick shows who wins it: that seat leads the next.
            if game.phase != "play" or len(game.trick) != 3 or len(game.tricks) == 8:
                continue
            seat = game.current_seat
            for action in game.legal_actions():
                after = game.copy()
                after.play(action)
                card = int((own_cards[row] == action - NUM_BIDS).nonzero()[0, 0])
                assert bool(takes[row, card]) == (after.current_seat == seat)
                met += 1
    assert met > 300


def test_knots_give_the_gap_on_a_fine_scale() -> None:
    knots = torch.tensor(GAP_KNOTS, dtype=torch.float32)
    inside = torch.arange(-12, 30, dtype=torch.float32)
    rows = ramps(inside, knots)
    assert len(torch.unique(rows, dim=0)) == len(inside)
    # The stretches below a value add up to its distance from the first knot.
    torch.testing.assert_close(rows @ (knots[1:] - knots[:-1]), inside - knots[0])


def test_entropy_of_a_uniform_choice() -> None:
    logs = masked_log_probabilities(torch.zeros(1, 36), masks(36, 9)[:1])
    assert float(entropy(logs)) == pytest.approx(math.log(9))


@pytest.mark.parametrize("bid_blocks", [0, 1])
def test_the_compiled_network_is_the_trained_one(bid_blocks: int) -> None:
    rules = Rules.swisslos(deals=1)
    network = PolicyNetwork.for_rules(rules, width=48, blocks=2, bid_blocks=bid_blocks)
    random = torch.Generator().manual_seed(1)
    for parameter in network.parameters():
        parameter.data = torch.randn(parameter.shape, generator=random) * 0.3
    weights = {name: value.numpy() for name, value in network.state_dict().items()}
    agent = NetworkAgent(rules, weights, network.shape)
    for batch in random_states(rules):
        legal = batch.legal_mask() > 0
        found = agent.legal_logits(batch.views())
        assert (np.isneginf(found) == ~legal).all()
        with torch.no_grad():
            expected = network(torch.from_numpy(batch.observe())).numpy()
        np.testing.assert_allclose(found[legal], expected[legal], rtol=1e-4, atol=1e-4)
