"""Finding the players: specs, fields, factories of one's own, and what is said of mistakes."""

from __future__ import annotations

import copy
import hashlib
import json
import pickle
from pathlib import Path

import gymnasium
import numpy as np
import players
import pytest

from differenzler_env import Batch, Game, IllegalActionError, Rules
from differenzler_env.agents import (
    Agent,
    SpecError,
    as_agent,
    choose_action,
    load,
    load_field,
)
from differenzler_env.agents.baselines import ConstantAgent, RandomAgent, ThumbAgent
from differenzler_env.agents.registry import find_file, split_list
from differenzler_env.checkpoint import CheckpointError
from differenzler_env.specs import split_spec

RULES = Rules.swisslos()
FIRST = Rules(first_dealer=0)  # seat 1 acts first


def test_built_in_names():
    assert isinstance(load("random", RULES), RandomAgent)
    assert isinstance(load("thumb"), ThumbAgent)
    constant = load("constant?bid=12", "table")
    assert isinstance(constant, ConstantAgent)
    assert (constant.bid, constant.spec, constant.rules) == (12, "constant?bid=12", Rules.table())
    assert load("constant").bid == 35


def test_specs_split_into_name_and_options():
    assert split_spec("search?worlds=200&seed=1") == ("search", {"worlds": "200", "seed": "1"})
    assert split_spec(" thumb ") == ("thumb", {})
    assert split_spec("a:b?text=x%26y%3D1") == ("a:b", {"text": "x&y=1"})
    assert split_list("random, thumb,constant?bid=3") == ["random", "thumb", "constant?bid=3"]


def test_a_factory_gets_the_rules_and_typed_options():
    spec = "players:typed?count=3&share=1&fast=true&name=7&free=7"
    assert load(spec, RULES).options == (3, 1.0, True, "7", 7)
    assert load("players:typed?free=0.5", RULES).options[-1] == 0.5
    assert load("players:Lowest?bid=9", "mini").rules == Rules.mini()
    assert load("players:needs_open_bids", "table").spec == "players:needs_open_bids"


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("thum", "did you mean 'thumb'"),
        ("", "a name is missing"),
        ("?bid=3", "no name before the ?"),
        ("constant?bid", "name?option=value"),
        ("constant?bid=3&bid=4", "'bid' twice"),
        ("constant?bid=158", "allowed: 0 to 157"),
        ("constant?bid=-1", "allowed: 0 to 157"),
        ("constant?bid=many", "a whole number, not 'many'"),
        ("players:typed?free=word", "free is a number, not 'word'"),
        ("constant?bit=3", "no option 'bit'; its options are bid"),
        ("thumb?bid=3", "no option 'bid'; it has none"),
        ("players:typed?fast=yes", "true or false, not 'yes'"),
        ("players:missing", "has no factory 'missing'"),
        ("players:not_callable", "has no factory 'not_callable'"),
        ("players:", "package.module:factory"),
        ("no.such.module:factory", "no module 'no'"),
        ("os.nothing:factory", "no module 'os.nothing'"),
        ("players:no_agent", "not 17"),
        ("players:needs_open_bids", "bids must be open"),
        ("players:lowest_card", "called with the rules and its options"),
        ("players:Nothing", "as in def factory(rules, bid=35); too many positional arguments"),
        ("players:broken", "KeyError: 'weights'"),
        ("models/absent.safetensors", "no file 'models/absent.safetensors'"),
        ("models/swislos.safetensors", "did you mean 'models/swisslos.safetensors'?"),
        ("models", "'models' is a folder, not an agent"),
        ("tests/players.py", "a factory of your own in it is tests.players:FACTORY"),
        ("models/absent.safetensors?greedy=true", "only deterministic"),
        ("models/absent.safetensors?deterministic=1", "true or false, not '1'"),
        ("models/absent.pt", "checkpoints are .safetensors files"),
    ],
)
def test_a_wrong_spec_is_refused_in_one_line(spec, said):
    with pytest.raises(SpecError) as caught:
        load(spec, RULES)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_policy_in_a_folder_is_pointed_out(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "runs" / "mine"
    folder.mkdir(parents=True)
    (folder / "policy.safetensors").touch()
    with pytest.raises(SpecError, match=r"a folder, .* mean 'runs/mine/policy\.safetensors'"):
        load("runs/mine")


def test_something_else_is_no_spec():
    with pytest.raises(SpecError, match="not int"):
        load(3)
    for player in (3, None, Agent, players.Lowest):
        with pytest.raises(SpecError, match="an agent is a spec"):
            as_agent(player, RULES)


def test_a_module_that_fails_to_import_is_named(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "falls_over.py").write_text("raise RuntimeError('on\\nits face')\n")
    (tmp_path / "wants_more.py").write_text("import surely_not_installed\n")
    with pytest.raises(SpecError, match="'falls_over' failed: RuntimeError: on its face"):
        load("falls_over:factory")
    with pytest.raises(SpecError, match="'wants_more' needs 'surely_not_installed'"):
        load("wants_more:factory")
    (tmp_path / "half_written.py").write_text("x = (\n")
    with pytest.raises(SpecError, match=r"SyntaxError: .*\(half_written.py, line 1\)$"):
        load("half_written:factory")
    (tmp_path / "fails_later.py").write_text("def factory(rules):\n    return int('x')\n")
    with pytest.raises(SpecError, match=r"invalid literal.*\(fails_later.py:2\)$"):
        load("fails_later:factory")


def test_a_field_fills_the_table():
    field = load_field("random,thumb,random", RULES)
    assert [agent.spec for agent in field] == ["random", "thumb", "random"]
    assert field[0] is field[2]
    assert [agent.spec for agent in load_field("thumb", Rules(players=5))] == ["thumb"] * 4
    assert len(load_field("thumb", Rules.mini())) == 1
    own = players.Drawing(RULES)
    assert load_field([own], RULES) == load_field(own, RULES) == [own] * 3
    assert load_field([own, "thumb", players.lowest_card], RULES)[2].spec == "lowest_card"


@pytest.mark.parametrize(
    ("field", "rules", "said"),
    [
        ("thumb,random", Rules(), "4 seats needs 3 opponents or one for all of them; the field"),
        ("thumb,random", Rules.mini(), "2 seats needs 1 opponent;"),
        ("thumb,,random", Rules(), "a name is missing"),
        ("", Rules(), "a name is missing"),
        ([], Rules(), "has 0"),
        ("thumb,random,thum", Rules(), "no agent 'thum'"),
        ([players.lowest_card, "thumb"], Rules(), "the field 'lowest_card,thumb' has 2"),
        (None, Rules(), "(view, rng) -> action, not None"),
    ],
)
def test_a_field_that_does_not_fit_is_refused(field, rules, said):
    with pytest.raises(SpecError) as caught:
        load_field(field, rules)
    assert said in str(caught.value)


def test_a_field_may_have_a_name():
    specs = ["random", "constant?bid=35", "thumb"]
    assert [agent.spec for agent in load_field("@v0", RULES)] == specs
    assert len(load_field(" @v0", Rules(players=3), more=True)) == 3
    with pytest.raises(SpecError, match="3 seats needs 2 opponents"):
        load_field("@v0", Rules(players=3))
    with pytest.raises(SpecError, match="no field '@v99'; fields are @v0, @v1"):
        load_field("@v99", RULES)


def test_the_players_of_a_named_field_never_change():
    # 320 choices of each from when @v1 was named. Other libraries may round otherwise.
    rules = Rules(deals=1)
    file = Path(__file__).with_name("golden") / "field_v1.json"
    then = {spec: np.reshape(each, (40, 8)) for spec, each in json.loads(file.read_text()).items()}
    agents, batch = [load(spec, rules) for spec in then], Batch(8, rules, seed=20)
    sitting = np.array(list(then.values()))[[0, 1, 2, 0]]
    same = np.zeros(3)
    for step in range(40):
        for number, (spec, agent) in enumerate(zip(then, agents, strict=True)):
            now = agent.act_batch(batch.views(), batch.decision_keys())
            same[number] += (now == then[spec][step]).sum()
        batch.step(sitting[batch.current_seat, step, np.arange(8)])
    assert (same >= 310).all()


def test_the_policy_in_a_named_field_never_changes():
    specs = ["heuristic", "search?worlds=20", "models/swisslos-1.safetensors"]
    assert [agent.spec.removesuffix("?deterministic=true") for agent in load_field("@v1")] == specs
    digest = hashlib.sha256(find_file(specs[-1]).read_bytes()).hexdigest()
    assert digest == "210ce747503236d6e85b47192df2efde978cd98ac660ceadbc7a7068b4b83a74"
    with pytest.raises(CheckpointError, match="swisslos-1"):
        load_field("@v1", "table")


def test_models_are_found_in_the_working_directory_then_with_the_package(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shipped = find_file("models/README.md")
    assert shipped.is_file()
    Path("models").mkdir()
    Path("models/README.md").write_text("mine")
    assert find_file("models/README.md").read_text() == "mine"
    with pytest.raises(SpecError, match=r"no file 'README\.md'"):
        find_file("README.md")


def test_anything_that_plays_is_an_agent():
    class Single:
        def act(self, view, rng):
            return 40

    class Many:
        spec = "many"

        def act_batch(self, views, keys):
            return np.full(len(views), 40)

    assert not as_agent(Single(), RULES).batched
    assert as_agent(Single(), RULES).spec == "Single"
    assert as_agent(Many(), RULES).batched
    assert as_agent(Many(), RULES).spec == "many"
    assert as_agent(players.lowest_card, RULES).spec == "lowest_card"
    assert as_agent("thumb", RULES).spec == "thumb"
    agent = load("thumb")
    assert as_agent(agent, RULES) is agent


def test_an_agent_of_another_game_is_refused():
    agent = load("thumb", "mini")
    for given in (lambda: as_agent(agent, RULES), lambda: load_field([agent] * 3, RULES)):
        with pytest.raises(SpecError, match=r"^agent thumb plays by .*; the table's rules are "):
            given()
    with pytest.raises(SpecError, match="plays by"):
        gymnasium.make("differenzler_env:Differenzler-v0", opponents=agent)
    # Only the match is another: as many deals as are wanted, whoever deals first.
    one = RULES.replace(deals=1, first_dealer=2)
    assert as_agent(load("thumb", one), RULES).rules == one


def test_a_class_without_a_choice_is_refused():
    class Mute(Agent):
        pass

    with pytest.raises(TypeError, match="Mute defines neither act nor act_batch"):
        Mute(RULES)


def test_agents_travel_as_their_spec():
    agent = load("players:Lowest?bid=9", RULES)
    agent.scratch = lambda: None  # would not pickle
    for again in (pickle.loads(pickle.dumps(agent)), copy.deepcopy(agent)):
        assert (again.bid, again.spec, again.rules) == (9, "players:Lowest?bid=9", RULES)
    own = players.Lowest(RULES, bid=8)
    assert pickle.loads(pickle.dumps(own)).bid == 8
    assert repr(agent) == "<agent players:Lowest?bid=9>"


@pytest.mark.parametrize("spec", ["random", "constant?bid=3", "thumb"])
def test_compiled_agents_check_what_their_kernels_do_not(spec):
    batch, agent = Batch(4, seed=1), load(spec)
    views, keys = batch.views(), batch.decision_keys()
    assert len(agent.act_batch(views, keys)) == 4
    for given, said in (
        ((views, keys[:0]), "0 keys for 4 views"),
        ((views, keys.astype(np.int64)), "array of uint64"),
        ((list(views), keys), "array of VIEW"),
        ((batch.state_records, keys), "array of VIEW"),
        ((views[None], keys[None]), "one-dimensional"),
    ):
        with pytest.raises(ValueError, match=said):
            agent.act_batch(*given)
    game = Game(seed=1)
    idle = (game.current_seat + 1) % 4
    with pytest.raises(ValueError, match=f"seat {idle} is not to act"):
        agent.act(game.view(idle), np.random.default_rng(1))


@pytest.mark.parametrize("answer", [0.7, "1", True, None, np.array(1.0), 2**70, 194])
def test_what_is_no_action_is_refused_of_an_opponent_too(answer):
    def odd(view, rng):
        return answer

    agent = as_agent(odd, RULES)
    with pytest.raises(IllegalActionError, match="action"):
        choose_action(Game(seed=1), agent)
    for make in (gymnasium.make, gymnasium.make_vec):
        env = make("differenzler_env:Differenzler-v0", opponents=odd, rules=FIRST)
        with pytest.raises(IllegalActionError, match="odd"):
            env.reset(seed=1)


@pytest.mark.parametrize("answers", [[40], 40, [40.0, 40.0], [True, True], [[40, 40]]])
def test_each_row_needs_an_action_of_its_own(answers):
    class Short(Agent):
        def act_batch(self, views, keys):
            return answers

    env = gymnasium.make_vec(
        "differenzler_env:Differenzler-v0", 2, opponents=Short(FIRST), rules=FIRST
    )
    with pytest.raises(TypeError, match=r"agent Short: act_batch returned .*, not integers \[2\]"):
        env.reset(seed=1)


@pytest.mark.parametrize("name", ["~nosuchuser/x.safetensors", "x" * 300 + ".safetensors"])
def test_names_that_no_file_can_have_are_refused_in_one_line(name):
    with pytest.raises(SpecError, match="no file"):
        load(name)


def test_a_module_that_ends_the_program_does_not(tmp_path, monkeypatch):
    (tmp_path / "ending.py").write_text("import sys\nsys.exit('bye')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(SpecError, match="importing 'ending' failed: SystemExit: bye"):
        load("ending:make")
    with pytest.raises(SpecError, match="SystemExit"):
        load("sys:exit")
