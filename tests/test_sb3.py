"""Stable-Baselines3: the VecEnv, masks through every wrapper, and policies that become agents."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import differenzler_env
from differenzler_env import Game, Rules, agents
from differenzler_env.checkpoint import CheckpointError, load
from differenzler_env.evaluation import evaluate
from differenzler_env.observation import OBSERVATION_SIZE

torch = pytest.importorskip("torch")
pytest.importorskip("sb3_contrib")

from sb3_contrib import MaskablePPO  # noqa: E402
from sb3_contrib.common.maskable.callbacks import MaskableEvalCallback  # noqa: E402
from sb3_contrib.common.maskable.evaluation import evaluate_policy  # noqa: E402
from stable_baselines3.common.env_util import make_vec_env  # noqa: E402
from stable_baselines3.common.vec_env import (  # noqa: E402
    DummyVecEnv,
    SubprocVecEnv,
    VecMonitor,
    VecNormalize,
)

from differenzler_env.adapters.sb3 import DifferenzlerVecEnv  # noqa: E402
from differenzler_env.adapters.sb3_policy import NetworkPolicy, save_agent  # noqa: E402

DEAL = "differenzler_env:DifferenzlerDeal-v0"
MATCH = "differenzler_env:Differenzler-v0"
QUICK: dict[str, Any] = {"n_steps": 20, "batch_size": 40, "n_epochs": 1, "device": "cpu", "seed": 3}
SMALL: dict[str, Any] = {"width": 16, "blocks": 1}


pytestmark = pytest.mark.usefixtures("one_thread")


def at_random(masks: Any, rng: np.random.Generator) -> np.ndarray:
    return np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])


def same(first: Any, second: Any) -> None:
    if isinstance(first, dict):  # SB3 makes them OrderedDicts
        assert first.keys() == second.keys()
        for key in first:
            same(first[key], second[key])
    elif isinstance(first, list):
        for one, other in zip(first, second, strict=True):
            same(one, other)
    elif isinstance(first, np.ndarray):
        assert first.dtype == second.dtype
        np.testing.assert_array_equal(first, second)
    else:
        assert type(first) is type(second) and first == second


# The VecEnv --------------------------------------------------------------------------------


@pytest.mark.parametrize("flat", [False, True])
def test_it_is_a_dummy_vec_env_of_single_environments(flat: bool) -> None:
    """Step for step over several matches: observations, rewards, dones, infos, masks."""
    settings = {
        "rules": "swisslos",
        "seat": "random",
        "opponents": "random,thumb,constant",
        "flat": flat,
    }
    ours = DifferenzlerVecEnv(3, **settings)
    theirs = DummyVecEnv([lambda: gymnasium.make(MATCH, **settings) for _ in range(3)])
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    rng = np.random.default_rng(0)
    for env in (ours, theirs):
        assert env.seed(11) == [11, 12, 13]
    same(ours.reset(), theirs.reset())
    for _ in range(2):
        for _ in range(90):
            masks = ours.env_method("action_masks")
            same(masks, theirs.env_method("action_masks"))
            actions = at_random(masks, rng)
            actions[rng.random(3) < 0.01] = 193  # may be illegal: it ends the match
            one, other = ours.step(actions), theirs.step(actions)
            for a, b in zip(one, other, strict=True):
                same(a, b)
            same(ours.reset_infos[0]["action_mask"].dtype, np.dtype(np.int8))
        same(ours.reset(), theirs.reset())  # seeds hold once: the next matches follow


def test_seeds_and_deals_hold_for_one_reset() -> None:
    env = DifferenzlerVecEnv(4, deals=1)
    env.seed(5)
    first = env.reset()["observation"]
    second = env.reset()["observation"]
    env.seed(5)
    np.testing.assert_array_equal(env.reset()["observation"], first)
    assert (first != second).any()
    deal = env.get_attr("batch")[0].game(2)
    env.set_options({"deal": {"hands": deal.hands, "trump": deal.trump, "dealer": deal.dealer}})
    env.reset()
    games = [env.vector.batch.game(row) for row in range(4)]
    assert all(game.hands == deal.hands for game in games)
    env.reset()
    assert env.vector.batch.game(0).hands != deal.hands


def test_attributes_and_methods_by_row() -> None:
    env = DifferenzlerVecEnv(5, seat=2, render_mode="rgb_array")
    env.reset()
    assert env.get_attr("learner_seats") == [2] * 5
    assert env.get_attr("objective", indices=[0, 3]) == ["penalty"] * 2
    assert env.get_attr("action_space", indices=1) == [env.action_space]
    assert env.has_attr("action_masks") and not env.has_attr("no_such_thing")
    assert [len(row) for row in env.env_method("state", indices=[1, 2])] == [
        len(env.vector.state()[0])
    ] * 2
    assert env.env_is_wrapped(gymnasium.Wrapper, indices=0) == [False]
    pictures = env.get_images()
    assert len(pictures) == 5 and pictures[0] is not None and pictures[0].shape[2] == 3
    env.set_attr("illegal", "raise")
    with pytest.raises(ValueError, match="row 0"):
        env.step(np.full(5, 193))
    with pytest.raises(ValueError, match="for all 5 rows only"):
        env.set_attr("illegal", "terminate", indices=[1])
    with pytest.raises(ValueError, match="shape"):
        env.step(np.zeros(4, np.int64))
    env.close()


def test_no_model_file_is_unpickled() -> None:
    """Pickle serves the package's own worker processes only, never what a user names."""
    package = Path(differenzler_env.__file__).parent
    readers = [*package.rglob("*.py"), *(package.parent / "training").rglob("*.py")]
    assert len(readers) > 80
    unpickling = r"import pickle|pickle\.load|torch\.load|PPO\.load|joblib|allow_pickle=True"
    found = [
        path.name for path in readers if re.search(unpickling, path.read_text(encoding="utf-8"))
    ]
    assert found == ["duplicate.py"]


# Masks through wrappers --------------------------------------------------------------------


@pytest.mark.slow
def test_masks_reach_through_dummy_and_worker_processes() -> None:
    """They equal those observed, as bool; MaskablePPO learns on either kind and on our own."""
    rng = np.random.default_rng(0)
    kinds = {DummyVecEnv: {}, SubprocVecEnv: {"start_method": "spawn"}}
    for kind, how in kinds.items():
        env = make_vec_env(DEAL, n_envs=2, vec_env_cls=kind, vec_env_kwargs=how)
        try:
            observations = env.reset()
            for _ in range(12):
                masks = np.stack(env.env_method("action_masks"))
                assert masks.dtype == np.bool_
                np.testing.assert_array_equal(masks, observations["action_mask"] == 1)
                observations, _, _, _ = env.step(at_random(masks, rng))
            model = MaskablePPO("MultiInputPolicy", env, **QUICK)
            model.learn(80)
            assert model.num_timesteps == 80
        finally:
            env.close()
    assert gymnasium.make(DEAL).get_wrapper_attr("action_masks") is not None


def test_normalised_observations_keep_their_masks() -> None:
    env = VecNormalize(DifferenzlerVecEnv(64), norm_obs_keys=["observation"], gamma=1.0)
    observations = env.reset()
    rng = np.random.default_rng(1)
    steps = 0
    while steps < 10_000:
        masks = np.stack(env.env_method("action_masks"))
        assert set(np.unique(observations["action_mask"])) == {0, 1}
        np.testing.assert_array_equal(observations["action_mask"], masks)
        observations, _, dones, infos = env.step(at_random(masks, rng))
        steps += 64
        for row in np.flatnonzero(dones):
            assert infos[row]["terminal_observation"]["action_mask"].all()
    assert np.abs(observations["observation"]).max() > 1


# MaskablePPO -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[MaskablePPO, Path]:
    """A model that has learnt a little, and its checkpoint; the maskable callback looked on."""
    folder = tmp_path_factory.mktemp("sb3")
    env = VecNormalize(VecMonitor(DifferenzlerVecEnv(16, deals=1)), norm_obs=False, gamma=1.0)
    model = MaskablePPO(NetworkPolicy, env, gamma=1.0, policy_kwargs=SMALL, **QUICK)
    watched = VecNormalize(
        VecMonitor(DifferenzlerVecEnv(8, deals=1)), norm_obs=False, norm_reward=False
    )
    watch = MaskableEvalCallback(watched, n_eval_episodes=16, eval_freq=20, verbose=0)
    model.learn(16 * 40, callback=watch)
    assert len(watch.evaluations_results) == 0  # nothing is logged without a path
    assert -157 <= watch.best_mean_reward <= 0
    save_agent(model, folder / "policy.safetensors", training={"steps": model.num_timesteps})
    return model, folder / "policy.safetensors"


class Kept(gymnasium.Wrapper):
    """Keeps the penalty of seat 0, the learner, in each match, of its record played again."""

    def __init__(self, env: Any, penalties: list[int]) -> None:
        super().__init__(env)
        self.penalties = penalties

    def step(self, action: Any) -> Any:
        told = super().step(action)
        if told[2]:
            game = self.unwrapped.game
            assert game.is_over  # not forfeited
            replayed = Game.from_record(game.to_record())
            self.penalties.append(replayed.penalties[0])
        return told


@pytest.mark.slow
def test_the_rewards_it_books_are_the_penalties_replayed() -> None:
    """Of the single environments; ``DifferenzlerVecEnv`` gives the same, step for step."""
    penalties: list[int] = []
    envs = [
        lambda: Kept(gymnasium.make(MATCH, rules=Rules(deals=4), opponents="random"), penalties)
    ] * 4
    env = VecMonitor(DummyVecEnv(envs))
    model = MaskablePPO("MultiInputPolicy", env, stats_window_size=1000, **QUICK)
    model.learn(4 * 40 * 5)
    booked = [episode["r"] for episode in model.ep_info_buffer]
    assert len(penalties) == len(booked) == 4 * 5
    assert booked == [-penalty for penalty in penalties]


def test_no_illegal_action_in_evaluation_games(trained: tuple[MaskablePPO, Path]) -> None:
    model, _ = trained
    env = VecMonitor(DifferenzlerVecEnv(250, deals=1, opponents={"pool": ["thumb", "random"]}))
    lengths = evaluate_policy(model, env, n_eval_episodes=1000, return_episode_rewards=True)[1]
    assert lengths == [10] * 1000  # an illegal action would have ended a match before


def test_predict_takes_masks_and_without_them_it_shows(trained: tuple[MaskablePPO, Path]) -> None:
    model, _ = trained
    env = gymnasium.make(DEAL, illegal="raise")
    observation, info = env.reset(seed=0)
    for _ in range(10):
        action, _ = model.predict(observation, action_masks=info["action_mask"])
        observation, _, terminated, _, info = env.step(action)
    assert terminated
    observation, info = env.reset(seed=0)
    with pytest.raises(ValueError, match="allowed: a bid"):
        for _ in range(200):
            action, _ = model.predict(observation)
            observation, _, _, _, info = env.step(action)


def test_the_policy_becomes_an_agent(trained: tuple[MaskablePPO, Path]) -> None:
    """It plays, without sb3 or torch, what the model in memory would."""
    model, path = trained
    rules = Rules.swisslos()
    tensors, document = load(path, rules)
    assert document["training"] == {"steps": model.num_timesteps}
    assert not [name for name in tensors if "value" in name]
    agent = agents.load(str(path), rules)
    env = gymnasium.make(DEAL, seat=1)
    for seed in range(20):
        observation, info = env.reset(seed=seed)
        terminated = False
        while not terminated:
            view = env.unwrapped.game.view(1)
            mask = info["action_mask"]
            action, _ = model.predict(observation, action_masks=mask, deterministic=True)
            assert agent.act(view, np.random.default_rng(0)) == action
            observation, _, terminated, _, info = env.step(action)
    result = evaluate(str(path), "thumb", rules=rules, deals=8, seed=1)
    assert 0 <= result.penalty().mean <= 157
    with pytest.raises(CheckpointError, match="is for the rules"):
        load(path, Rules.mini())


def test_models_are_saved_and_loaded_by_sb3_itself(
    trained: tuple[MaskablePPO, Path], tmp_path: Path
) -> None:
    model, _ = trained
    model.save(tmp_path / "model.zip")
    again = MaskablePPO.load(tmp_path / "model.zip", device="cpu")
    vectors = np.random.default_rng(0).random((6, OBSERVATION_SIZE), np.float32)
    vectors[:, :3] = np.eye(3)[[0, 1, 0, 1, 1, 0]]
    seen = {"observation": vectors, "action_mask": np.ones((6, 194), np.int8)}
    np.testing.assert_array_equal(
        model.predict(seen, deterministic=True)[0], again.predict(seen, deterministic=True)[0]
    )
    with pytest.raises(ValueError, match=r"model\.zip") as refused:  # never unpickled
        agents.load(str(tmp_path / "model.zip"), Rules.swisslos())
    assert "\n" not in str(refused.value)
    with pytest.raises(TypeError, match="only a NetworkPolicy"):
        plain = MaskablePPO("MultiInputPolicy", DifferenzlerVecEnv(2), **QUICK)
        save_agent(plain, tmp_path / "plain.safetensors")


def test_both_ways_to_the_networks_inputs_agree() -> None:
    """The kernel on the CPU and the torch module elsewhere."""
    env = DifferenzlerVecEnv(32)
    policy = MaskablePPO(NetworkPolicy, env, policy_kwargs=SMALL, **QUICK).policy
    env.seed(2)
    seen, rng = env.reset(), np.random.default_rng(0)
    for _ in range(15):
        seen, _, _, _ = env.step(at_random(env.env_method("action_masks"), rng))
        tensor, _ = policy.obs_to_tensor(seen)
        rows = policy.extract_features(tensor)
        inputs, orders = policy.network.features(tensor["observation"])
        torch.testing.assert_close(rows[:, :-2], inputs)
        assert (rows[:, -2] == orders).all()
        masks = torch.as_tensor(seen["action_mask"]) == 1
        with torch.no_grad():
            logits = policy.mlp_extractor.forward_actor(rows)
            whole = policy.network(tensor["observation"])
        torch.testing.assert_close(logits[masks], whole[masks], atol=1e-5, rtol=1e-5)


@pytest.mark.slow
def test_the_script_trains_saves_and_measures(tmp_path: Path) -> None:
    root = Path(__file__).resolve().parents[1]
    out = tmp_path / "policy.safetensors"
    command = [sys.executable, str(root / "training" / "sb3_maskable_ppo.py"), "--out", str(out)]
    small = ["--steps", "640", "--envs", "32", "--width", "16", "--blocks", "1", "--deals", "8"]
    run = subprocess.run([*command, *small], capture_output=True, text=True, check=False)
    assert run.returncode == 0 and run.stderr == "", run.stderr
    assert run.stdout.splitlines()[-1].startswith("penalty a deal ")
    assert load(out, Rules.swisslos())[1]["training"]["decisions"] == 640
    run = subprocess.run(
        [*command, "--opponents", "nobody"], capture_output=True, text=True, check=False
    )
    assert run.returncode == 2 and run.stderr.count("\n") == 1, run.stderr
