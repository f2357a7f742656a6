"""Showing a table: texts and pictures, from one seat's view or open."""

from __future__ import annotations

import itertools
import subprocess
import sys

import gymnasium
import numpy as np
import pytest
from env_tools import at_random, play

from differenzler_env import Game, Rules, cards, differenzler_v0
from differenzler_env.drawing import Drawing, table_drawing
from differenzler_env.drawing.faces import card_back, card_face
from differenzler_env.drawing.shapes import Laid
from differenzler_env.envs import rendering
from differenzler_env.envs.picture import paint
from differenzler_env.envs.single import DifferenzlerEnv
from differenzler_env.text import game_text, view_text
from differenzler_env.words import Words

SYMBOLS = {"♣": "C", "♦": "D", "♥": "H", "♠": "S"}
DEAL = "differenzler_env:DifferenzlerDeal-v0"


def aec(mode, **kwargs):
    env = differenzler_v0.env(render_mode=mode, **kwargs)
    env.reset(seed=2)
    return env


def single(mode, **kwargs):
    env = gymnasium.make(DEAL, render_mode=mode, **kwargs)
    env.reset(seed=2)
    return env


def vector(mode, **kwargs):
    envs = gymnasium.make_vec(DEAL, num_envs=1, render_mode=mode, **kwargs)
    envs.reset(seed=2)
    return envs


def hands_in(text):
    """The hands a text shows, by what stands before them."""
    hands = {}
    for line in text.splitlines():
        label, _, cards_shown = line.partition(": ")
        if label.startswith("hand"):
            suit, hand = "", set()
            for word in cards_shown.split():
                if word in SYMBOLS:
                    suit = SYMBOLS[word]
                else:
                    hand.add(suit + word)
            hands[label] = hand
    return hands


# --- texts --------------------------------------------------------------------------------


def test_the_aec_environment_shows_the_view_of_the_seat_to_act():
    env = aec("ansi")
    pick = at_random(1)
    for agent in env.agent_iter(12):
        text = env.render()
        assert isinstance(text, str)
        assert text == env.unwrapped.game.view(int(agent[-1])).text()
        env.step(pick(agent, None, env.infos[agent]))


def test_the_single_environment_shows_the_learners_view_to_the_end():
    env = single("ansi", seat=2)
    info = {"action_mask": env.unwrapped.action_masks()}
    terminated = False
    while not terminated:
        assert env.render() == env.unwrapped.game.view(2).text()
        *_, terminated, _, info = env.step(int(np.flatnonzero(info["action_mask"])[0]))
    assert "over" in env.render()


def test_a_seats_text_holds_its_hand_and_no_other():
    for seat in range(4):
        env = aec("ansi", render_seat=seat)
        assert hands_in(env.render()) == {"hand": set(env.unwrapped.game.hands[seat])}


@pytest.mark.parametrize("make", [aec, single])
def test_render_seat_shows_another_seat_or_all(make):
    assert make("ansi", render_seat=3).render() == make(None).unwrapped.game.view(3).text()
    env = make("ansi", render_seat="open")
    text = env.render()
    assert text == game_text(env.unwrapped.game)
    hands = enumerate(env.unwrapped.game.hands)
    assert hands_in(text) == {f"hand of seat {seat}": set(hand) for seat, hand in hands}


@pytest.mark.parametrize("shown", [1, "open"])
@pytest.mark.parametrize("make", [aec, single, vector])
def test_german_cards_are_written_and_drawn(make, shown):
    text, drawn = (
        np.squeeze(make(mode, render_seat=shown, render_cards="german").render())
        for mode in ("ansi", "rgb_array")
    )
    env = make(None).unwrapped
    game = env.batch.game(0) if make is vector else env.game
    table, words = game if shown == "open" else game.view(shown), Words(cards="german")
    assert text == (game_text if shown == "open" else view_text)(table, words)
    assert not set("♣♦♥♠") & set(str(text))
    assert np.array_equal(drawn, paint(table_drawing(table, words)))
    assert not np.array_equal(drawn, paint(table_drawing(table)))


@pytest.mark.parametrize("make", [aec, single, vector])
@pytest.mark.parametrize("given", ["tarot", ["german"], None], ids=repr)
def test_other_cards_are_refused_by_the_name_of_the_argument(make, given):
    with pytest.raises(ValueError, match=r"^render_cards is .*; allowed: french, german$"):
        make("ansi", render_cards=given)


def test_the_open_text_follows_a_match_to_its_end():
    env = aec("ansi", render_seat="open", rules=Rules.table(players=3, deals=3))
    texts = []
    play(env, at_random(1), lambda env, agent, action: texts.append(env.render()), seed=1)
    assert "over" in texts[-1]
    assert len(set(texts)) > 100


@pytest.mark.parametrize("make", [aec, single])
def test_human_prints_each_position_once(make, capsys):
    env = make("human")
    first = capsys.readouterr().out
    assert (
        first.strip()
        == env.unwrapped.game.view(env.unwrapped.game.current_seat if make is aec else 0).text()
    )
    assert env.render() is None
    assert env.render() is None
    assert capsys.readouterr().out == ""
    env.step(40)
    assert "40" in capsys.readouterr().out or make is aec
    env.close()


@pytest.mark.parametrize("make", [aec, single])
def test_without_a_mode_render_warns_and_shows_nothing(make):
    env = make(None).unwrapped
    with pytest.warns(UserWarning, match="render_mode"):
        assert env.render() is None


@pytest.mark.parametrize("mode", ["window", "rgb", ""], ids=repr)
def test_unknown_modes_are_refused(mode):
    with pytest.raises(ValueError, match="render_mode"):
        differenzler_v0.env(render_mode=mode)
    with pytest.raises(ValueError, match="render_mode"):
        gymnasium.make_vec(DEAL, num_envs=2, render_mode=mode)
    with pytest.raises(ValueError, match="render_mode"):
        DifferenzlerEnv(render_mode=mode)


def test_text_needs_no_display():
    code = (
        "from differenzler_env import differenzler_v0 as d; e = d.env(render_mode='ansi');"
        "e.reset(seed=1); print(type(e.render()).__name__)"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        env={"PATH": "", "HOME": "/nowhere"},
        capture_output=True,
        text=True,
    )
    assert run.stdout.strip() == "str", run.stderr


def test_a_vector_environment_shows_a_frame_for_each_row():
    envs = gymnasium.make_vec(DEAL, num_envs=3, render_mode="ansi", seat=1)
    envs.reset(seed=2)
    frames = envs.render()
    assert isinstance(frames, tuple)
    assert list(frames) == [envs.batch.game(row).view(1).text() for row in range(3)]
    plain = gymnasium.make_vec(DEAL, num_envs=2)
    plain.reset(seed=2)
    with pytest.warns(UserWarning, match="render_mode"):
        assert plain.render() is None


def test_a_vector_environment_prints_for_people(capsys):
    envs = gymnasium.make_vec(DEAL, num_envs=2, render_mode="human")
    envs.reset(seed=2)
    assert capsys.readouterr().out.count("you") == 2
    assert envs.render() is None
    assert capsys.readouterr().out == ""


# --- pictures -----------------------------------------------------------------------------


def test_a_picture_is_drawn_at_every_step():
    env = aec("rgb_array", rules=Rules.table(players=5, deals=1))
    pick = at_random(3)
    frames = []
    for agent in env.agent_iter():
        frames.append(env.render())
        env.step(None if env.terminations[agent] else pick(agent, None, env.infos[agent]))
    for frame in frames:
        assert frame.dtype == np.uint8
        assert frame.shape == (820, 1200, 3)
    assert not np.shares_memory(frames[0], frames[1])
    assert all((one != other).any() for one, other in itertools.pairwise(frames[:40]))


@pytest.mark.parametrize(
    "rules",
    [Rules.mini(), Rules(players=3, deals=1), Rules.table(), Rules.table(players=5), Rules()],
    ids=str,
)
def test_every_table_has_its_picture_seat_by_seat_and_open(rules):
    game = Game(rules, seed=1)
    pick = np.random.default_rng(1)
    while not game.is_over and game.deal_number == 0:
        game.play(int(pick.choice(game.legal_actions())))
        if len(game.tricks) in (0, 2) and game.trick:
            frames = [
                rendering.Renderer("rgb_array", seat, rules).frame(game, 0) for seat in range(2)
            ]
            opened = rendering.Renderer("rgb_array", "open", rules).frame(game, 0)
            assert (frames[0] != frames[1]).any()
            assert (frames[0] != opened).any()
    assert rendering.Renderer("rgb_array", None, rules).frame(game, 0).any()


def test_the_same_position_is_the_same_picture():
    frames = [aec("rgb_array").render() for _ in range(2)]
    assert np.array_equal(*frames)


def test_a_seats_picture_shows_nothing_of_the_others_hands():
    rules = Rules(deals=1)
    game = Game(rules, seed=4)
    deal = {"trump": game.trump, "dealer": game.dealer}
    hands = game.hands
    hands[1], hands[2] = hands[2], hands[1]
    twin = Game.from_deal(rules, hands=hands, **deal)
    draw = rendering.Renderer("rgb_array", 0, rules).frame
    assert np.array_equal(draw(game, 0), draw(twin, 0))
    for each in (game, twin):
        while each.phase == "bid":
            each.play(each.dealer + 5 if each is game or each.current_seat == 0 else 99)
    assert np.array_equal(draw(game, 0), draw(twin, 0))  # hidden bids are not drawn either
    opened = rendering.Renderer("rgb_array", "open", rules).frame
    assert (opened(game, 0) != opened(twin, 0)).any()


def test_all_cards_have_faces_of_their_own():
    def painted(face):
        shapes = (Laid(face, face.width / 2, face.height / 2),)
        return paint(Drawing(face.width, round(face.height), shapes)).tobytes()

    for width in (40, 110):
        symbols = [card_face(card, width) for card in cards.NAMES] + [card_back(width)]
        assert len({painted(symbol) for symbol in symbols}) == 37
        assert len({symbol.name for symbol in symbols}) == 37
        german = [card_face(card, width, cards="german") for card in cards.NAMES]
        assert len({painted(symbol) for symbol in symbols + german}) == 73
        assert len({symbol.name for symbol in symbols + german}) == 73
    assert painted(card_face("D10", 110)) != painted(card_face("D10", 110, dim=True))


def test_the_sample_is_drawn_by_a_command(tmp_path):
    target = tmp_path / "table.png"
    subprocess.run([sys.executable, "-m", "differenzler_env.envs.picture", str(target)], check=True)
    assert target.read_bytes().startswith(b"\x89PNG")
    assert len(target.read_bytes()) > 50_000
