"""Opponents of the learner, frozen tables, several processes."""

import dataclasses
import hashlib
import json
import os
import signal
from pathlib import Path

import numpy as np
import pytest
import torch
from processes import train_in_processes

from differenzler_env.agents.network_agent import NetworkAgent
from differenzler_env.checkpoint import read
from training import pool as pools
from training.config import ConfigError, PPOConfig, make_config, read_yaml
from training.ppo_learner import PPOLearner
from training.run import train
from training.run_files import RunFiles, read_progress

ROOT = Path(__file__).resolve().parent.parent
SMOKE = read_yaml(ROOT / "configs" / "smoke_swisslos.yaml")
MIXED = {"pool": "past, thumb, constant?bid=35, past", "pool_share": 0.75, "past_every": 2}


pytestmark = pytest.mark.usefixtures("one_thread")


def smoke(tmp_path: Path, **changes: object) -> PPOConfig:
    return make_config(SMOKE | {"folder": str(tmp_path)} | changes)


def learner_of(**changes: object) -> PPOLearner:
    return PPOLearner(make_config(SMOKE | MIXED | changes))


def weights_hash(agent: NetworkAgent) -> str:
    """A hash of all that the agent computes with."""
    digest = hashlib.sha256()

    def take(value: object) -> None:
        if isinstance(value, np.ndarray):
            digest.update(np.ascontiguousarray(value).tobytes())
        elif isinstance(value, tuple):
            for entry in value:
                take(entry)

    take(agent.weights)
    return digest.hexdigest()


def member_hashes(learner: PPOLearner) -> dict[int, str]:
    return {number: weights_hash(agent) for number, agent in learner.pool.past.items()}


# T4: past selves are copies, and nobody changes seats within a deal --------------------------


def test_past_selves_do_not_learn() -> None:
    learner = learner_of()
    learner.update()
    before = member_hashes(learner)
    assert list(before) == [0]
    for _ in range(4):
        learner.update()
        assert member_hashes(learner).items() >= before.items()
    after = member_hashes(learner)
    assert list(after) == [0, 2, 4] and len(set(after.values())) == 3
    # Not even a write through the learner's own tensors reaches them, or the other way round.
    with torch.no_grad():
        for tensor in (*learner.average.values(), *learner.policy.parameters()):
            tensor.fill_(7.0)
    assert member_hashes(learner) == after
    for number in after:
        assert all((array != 7.0).any() for array in learner.pool.tensors(number).values())


def test_past_selves_outlive_saving_and_loading(tmp_path: Path) -> None:
    config = smoke(tmp_path, **MIXED, past_kept=2)
    learner, files = PPOLearner(config), RunFiles(config)
    files.begin(resume=False)
    for _ in range(7):
        learner.update()
    files.save(learner)
    kept = member_hashes(learner)
    assert list(kept) == [4, 6]
    again = PPOLearner(config)
    RunFiles(config).restore(again, print)
    assert member_hashes(again) == kept
    assert weights_hash(again.pool.past[4]) != weights_hash(again.pool.past[6])
    again.update()
    assert {n: h for n, h in member_hashes(again).items() if n in kept} == kept


def test_a_resumed_pool_is_a_continuation(tmp_path: Path) -> None:
    changes = MIXED | {"past_kept": 2, "save_every": 0, "keep": 2, "evaluate_every": 4}
    changes |= {"evaluate_deals": 4, "evaluate_tables": "thumb; random, thumb, constant"}
    whole = smoke(tmp_path, name="whole", deals=10 * 64, **changes)
    parts = dataclasses.replace(whole, name="parts")
    assert train(whole) == 0

    def stop_after_five(learner: PPOLearner, figures: dict[str, float]) -> None:
        if figures["update"] == 5:
            os.kill(os.getpid(), signal.SIGINT)

    assert train(parts, after_update=stop_after_five) == 130
    assert train(parts, resume=True) == 0
    ends = [read(RunFiles(config).checkpoints()[-1]) for config in (whole, parts)]
    assert ends[0][1]["past"] == ends[1][1]["past"] == [6, 8]
    for name, array in ends[0][0].items():
        np.testing.assert_array_equal(array, ends[1][0][name], err_msg=name)
    timed = {"seconds", "collect_seconds", "learn_seconds", "decisions_per_second"}
    first, second = (
        [
            {name: value for name, value in line.items() if name not in timed}
            for line in read_progress(RunFiles(config).progress_path)
        ]
        for config in (whole, parts)
    )
    assert first == second and len(first) == 10
    assert [("at_tables" in line) for line in first] == [n in (4, 8, 10) for n in range(1, 11)]
    # What the two kept checkpoints (after 9 and 10 updates) need lies there, and no more.
    names = [path.name for path in sorted((parts.run_folder / "past").iterdir())]
    assert names == ["past-0000006.safetensors", "past-0000008.safetensors"]


def test_the_checkpoint_before_finds_its_past_selves(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = smoke(tmp_path, **MIXED, deals=7 * 64, save_every=0, keep=2, past_kept=2)
    assert train(config) == 0
    files = RunFiles(config)
    before = read(files.checkpoints()[-1])[0]
    files.checkpoints()[-1].write_bytes(b"nothing")
    assert train(config, resume=True) == 0
    assert "resumed after update 6" in capsys.readouterr().err
    after, document = read(files.checkpoints()[-1])
    assert document["past"] == [4, 6]
    for name, array in before.items():
        np.testing.assert_array_equal(array, after[name], err_msg=name)


def test_a_past_self_that_is_missing_falls_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = smoke(tmp_path, **MIXED, deals=3 * 64, save_every=0)
    assert train(config) == 0
    files = RunFiles(config)
    files.past_path(2).write_bytes(b"nothing")
    assert train(config, resume=True) == 0
    said = capsys.readouterr().err
    assert "past-0000002" in said and "resumed after update 2" in said


def test_who_sits_down_plays_to_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    learner = learner_of(games=256)
    asked: list[tuple[int, int, int]] = []  # game, seat, agent of one deal
    genuine = pools.choose_actions

    def noting(batch, agents, others):
        seats = batch.current_seat
        rows = np.flatnonzero(others[np.arange(len(batch)), seats] >= 0)
        asked.extend((row, seats[row], others[row, seats[row]]) for row in rows)
        return genuine(batch, agents, others)

    monkeypatch.setattr(pools, "choose_actions", noting)
    steps, changed = 0, 0
    earlier: dict[tuple[int, int], int] = {}
    learner.pool.remember(0, learner.average, learner.policy.shape)
    for seed in range(4):
        rollout = learner.collector.collect(learner.policy, seed)
        by_seat: dict[tuple[int, int], int] = {}
        for row, seat, agent in asked:
            assert by_seat.setdefault((row, seat), agent) == agent
            assert not rollout.learner[seat, row]
        changed += sum(earlier.get(place, agent) != agent for place, agent in by_seat.items())
        steps += len(asked)
        earlier = by_seat
        asked.clear()
    assert steps >= 10_000
    assert changed > 100, "seats are drawn anew in each deal"


# T5: what is learnt from is the learner's, from every seat ------------------------------------


def test_only_the_learners_decisions_are_learnt_from() -> None:
    learner = learner_of(pool="constant?bid=11, constant?bid=22, constant?bid=33", pool_share=0.5)
    rollout = learner.collector.collect(learner.policy, seed=3)
    decisions, players, games = rollout.shape
    mine = rollout.learner
    seats = mine.sum(0)
    assert set(seats.tolist()) == {1, 4}, "one learner, or only learners"
    places = rollout.places
    at = mine[(places // games) % players, places % games]
    assert at.all()
    first = rollout.places[: rollout.num_bids]
    assert len(first) == mine.sum() and (first < players * games).all()
    bids = rollout.bids[(first // games) % players, first % games]
    torch.testing.assert_close(bids.long(), rollout.actions[: rollout.num_bids])
    theirs = rollout.bids[~mine]
    assert set(theirs.tolist()) == {11, 22, 33}
    assert rollout.num_decisions == decisions * int(mine.sum())
    _, _, figures = learner.judge(rollout)
    alone = rollout.penalties[mine & (seats == 1)]
    assert figures["pool_penalty"] == pytest.approx(float(alone.mean()), rel=1e-6)
    assert figures["pool_others"] == pytest.approx(float(rollout.penalties[~mine].mean()), rel=1e-6)
    assert figures["penalty"] == pytest.approx(float(rollout.penalties[mine].mean()), rel=1e-6)


def test_the_first_ratio_is_one_with_a_pool_too() -> None:
    from training.losses import FIGURES, take

    learner = learner_of()
    learner.update()
    rollout = learner.collector.collect(learner.policy, seed=5)
    advantages, returns, _ = learner.judge(rollout)
    split, size = rollout.num_bids, len(rollout.rows)
    batch = take(rollout, (advantages, returns), torch.arange(split), torch.arange(split, size))
    _, figures = learner.loss(batch, 0.01, 0.01)
    assert figures[FIGURES.index("ratio_error")] < 1e-5


def test_seats_and_opponents_are_drawn_evenly() -> None:
    games, rounds = 512, 8
    learner = learner_of(games=games, pool="thumb, random, thumb, past", pool_share=0.6)
    for number in (3, 4):
        learner.pool.remember(number, learner.average, learner.policy.shape)
    batch = learner.collector.batch
    shared, seats, agents = 0, np.zeros(4), np.zeros(4)
    for seed in range(rounds):
        batch.reset(seed=seed)
        seating = learner.pool.seat(batch)
        assert seating.others is not None
        mixed = ~seating.learner.all(0)
        shared += mixed.sum()
        seats += seating.learner[:, mixed].sum(1)
        agents += np.bincount(seating.others[seating.others >= 0], minlength=4)

    def near(count: float, total: float, share: float) -> bool:
        return abs(count - total * share) <= 3 * (total * share * (1 - share)) ** 0.5

    assert near(shared, games * rounds, 0.6)
    assert all(near(count, shared, 1 / 4) for count in seats)
    # thumb stands there twice; the last entry is either of two past selves
    drawn = zip(agents, (1 / 2, 1 / 4, 1 / 8, 1 / 8), strict=True)
    assert all(near(count, 3 * shared, share) for count, share in drawn)


def test_tables_of_one_kind() -> None:
    learner = learner_of(games=512, pool="thumb, random, heuristic, past", pool_share=1.0)
    learner.pool.remember(3, learner.average, learner.policy.shape)
    kinds = {}
    for alike in (0.0, 0.5, 1.0):
        learner.pool.alike = alike
        others = learner.pool.seat(learner.collector.batch).others
        assert others is not None
        kinds[alike] = np.mean([len(set(row[row >= 0])) == 1 for row in others])
    # Three draws of four agree by chance in one table of sixteen.
    assert kinds[0.0] < 0.12 and 0.45 < kinds[0.5] < 0.62 and kinds[1.0] == 1.0


def test_seatings_do_not_depend_on_the_number_of_processes() -> None:
    whole = learner_of(games=64)
    half = learner_of(games=32)
    for learner in (whole, half):
        learner.pool.remember(0, learner.average, learner.policy.shape)
        learner.collector.batch.reset(seed=9)
    seating, part = (one.pool.seat(one.collector.batch) for one in (whole, half))
    np.testing.assert_array_equal(seating.others[:32], part.others)


# Settings of the pool ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"pool": "thum"}, "did you mean 'thumb'"),
        ({"pool": "thumb,,past"}, "a name is missing"),
        ({"pool": "absent.safetensors"}, "there is no file"),
        ({"pool_share": 1.5}, "pool_share is 1.5"),
        ({"pool_alike": -0.5}, "pool_alike is -0.5"),
        ({"past_kept": 0}, "past_kept is 0"),
        ({"evaluate_tables": "thumb; nobody"}, "evaluate_tables: there is no agent 'nobody'"),
        ({"evaluate_tables": "thumb, thumb"}, "has 2"),
        ({"evaluate_every": -1}, "evaluate_every is -1"),
        ({"games": 1}, "minibatches is 2"),
    ],
)
def test_bad_settings_are_one_line_and_leave_no_trace(
    tmp_path: Path, changes: dict[str, object], what: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        train(smoke(tmp_path, **changes))
    assert what in str(caught.value) and "\n" not in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_an_opponent_that_breaks_the_rules_is_named_as_such() -> None:
    learner = learner_of(pool="tests.test_training_pool:cheat", pool_share=1.0)
    with pytest.raises(ConfigError, match="an agent of the pool broke the rules"):
        learner.update()


def cheat(rules):
    """An agent that bids whatever it should do."""
    return lambda view, rng: 7


@pytest.mark.parametrize("deterministic", [False, True])
def test_the_mode_is_that_of_the_settings(tmp_path: Path, deterministic: bool) -> None:
    config = smoke(tmp_path, deals=64, name="other")
    assert train(config) == 0
    path = str(RunFiles(config).policy_path)
    pool = f"past, {path}, {path}?deterministic=true"
    learner = learner_of(pool=pool, pool_deterministic=deterministic)
    learner.pool.remember(0, learner.average, learner.policy.shape)
    modes = [agent.deterministic for agent in learner.pool.agents]
    assert modes == ([True, True] if deterministic else [False, True, False])
    assert learner.config.to_dict()["pool_deterministic"] is deterministic


def test_without_a_pool_all_seats_are_the_learners() -> None:
    learner = learner_of(pool="", games=16)
    rollout = learner.collector.collect(learner.policy, seed=1)
    assert rollout.learner.all() and rollout.num_bids == 64
    assert "pool_penalty" not in learner.judge(rollout)[2]


# Frozen tables ------------------------------------------------------------------------------


def test_the_best_policy_is_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    changes = {"evaluate_every": 1, "evaluate_deals": 8, "evaluate_tables": "constant; thumb"}
    config = smoke(tmp_path, deals=4 * 64, **changes)
    assert train(config) == 0
    files = RunFiles(config)
    lines = read_progress(files.progress_path)
    scores = [line["at_tables"] for line in lines]
    assert all(
        line["at_tables"] == pytest.approx((line["at_constant"] + line["at_thumb"]) / 2)
        for line in lines
    )
    document = read(files.best_path)[1]
    assert document["training"]["updates"] == 1 + int(np.argmin(scores))
    tables = document["strength"]["tables"]
    assert np.mean([entry["mean"] for entry in tables.values()]) == pytest.approx(min(scores))
    assert "the best so far" in capsys.readouterr().err
    # A worse policy does not take its place after resuming either.
    before = files.best_path.read_bytes()
    document["strength"]["tables"]["thumb"]["mean"] = -100.0
    from differenzler_env.checkpoint import save

    save(files.best_path, read(files.best_path)[0], document)
    changed = files.best_path.read_bytes()
    assert changed != before
    assert train(dataclasses.replace(config, deals=5 * 64), resume=True) == 0
    assert files.best_path.read_bytes() == changed


# Several processes ---------------------------------------------------------------------------


@pytest.mark.long
def test_two_processes_learn_as_one(tmp_path: Path) -> None:
    """On the same deals, with the same policy before the first gradient step."""
    changes = MIXED | {"deals": 4 * 64, "save_every": 0, "evaluate_every": 2, "evaluate_deals": 4}
    one, two = (smoke(tmp_path, name=name, **changes) for name in ("one", "two"))
    assert train(one) == 0
    options = ("--config", "configs/smoke_swisslos.yaml")
    settings = changes | {"folder": tmp_path, "name": "two"}
    train_in_processes(2, "training/ppo.py", *options, **settings)
    train_in_processes(2, "training/ppo.py", *options, "--resume", **settings | {"deals": 6 * 64})
    single, double = (read_progress(RunFiles(config).progress_path) for config in (one, two))
    assert [line["update"] for line in double] == [1, 2, 3, 4, 5, 6]
    for name in ("penalty", "exact", "bid", "floor", "pool_penalty", "deals"):
        assert double[0][name] == pytest.approx(single[0][name], rel=1e-6), name
    assert double[0]["explained_variance"] == pytest.approx(
        single[0]["explained_variance"], abs=1e-5
    )
    # Shuffled apart, the gradients differ a little; the learning is the same.
    for name in ("value_loss", "bid_entropy", "card_entropy"):
        assert double[3][name] == pytest.approx(single[3][name], rel=0.2), name
    assert json.dumps(read(RunFiles(two).checkpoints()[-1])[1]["past"]) == "[0, 2, 4]"
