"""Watching a match, step by step: what keys do, what is shown, the analysis beside it."""

from __future__ import annotations

import random

import pytest
from kinds import KINDS
from screen_tools import fits, lines_of

from differenzler_env import Game, Rules
from differenzler_env.agents.registry import share_agents
from differenzler_env.play.analysis import load_judge
from differenzler_env.play.scene import seat_names
from differenzler_env.play.screen import BESIDE_WIDTH, WIDTH
from differenzler_env.play.sitting import Sitting, live_steps
from differenzler_env.play.steps import DEAL, SETTLED, TRICK, record_steps
from differenzler_env.play.viewer import Viewer
from differenzler_env.words import ENGLISH, Words

GERMAN = Words("de")


def watch(rules, seed=3):
    agents = dict(enumerate(share_agents(["random"] * rules.players, rules)))
    return Sitting(Game(rules, seed=seed), agents, seed)


def viewer_of(steps, judge="search?worlds=2", **options):
    rules = steps[0].game.rules
    names = [f"agent {seat}" for seat in range(rules.players)]
    return Viewer(steps, names, ENGLISH, load_judge(judge, rules), **options)


def test_a_record_has_the_steps_that_were_played():
    sitting = watch(Rules(deals=4))
    live = list(live_steps(sitting))
    told = record_steps(sitting.record())
    assert [(each.kind, each.seat, each.action) for each in live] == [
        (each.kind, each.seat, each.action) for each in told
    ]
    kinds = [each.kind for each in told]
    assert kinds.count(DEAL) == kinds.count(SETTLED) == 4 and kinds.count(TRICK) == 4 * 8


def test_a_record_is_walked_forward_and_back():
    sitting = watch(KINDS["five"])
    list(live_steps(sitting))
    viewer = viewer_of(record_steps(sitting.record()))
    pages_seen = []
    while viewer.index < len(viewer.steps) - 1:
        page = viewer.page()
        assert fits(page)
        pages_seen.append(page)
        viewer.press("right")
    for page in reversed(pages_seen):
        viewer.press("left")
        assert viewer.page() == page
    viewer.press("left")
    assert viewer.index == 0
    viewer.press("pagedown")
    assert viewer.step.kind == DEAL and viewer.step.game.deal_number == 1
    viewer.press("down")
    assert viewer.step.kind == TRICK
    viewer.press("pageup")
    viewer.press("up")
    assert viewer.step.kind == SETTLED
    viewer.press("end")
    assert viewer.step.game.is_over and "match" in viewer.page().plain
    viewer.press("home")
    assert viewer.index == 0
    viewer.press("p")
    for _ in range(4):
        viewer.tick()
    assert viewer.index == 4 and viewer.running
    viewer.press("left")
    assert viewer.index == 3 and not viewer.running


def test_a_match_being_played_comes_step_by_step():
    sitting = watch(Rules.mini())
    steps = live_steps(sitting)
    viewer = viewer_of([next(steps)], live=True)
    viewer.press("right")
    assert viewer.wants_step
    viewer.add(next(steps))
    assert viewer.index == 1 and not viewer.wants_step
    viewer.press("end")
    while viewer.wants_step:
        viewer.add(next(steps, None))
    assert sitting.game.is_over and not viewer.live


@pytest.mark.parametrize("keys", ["right right down right", "down pagedown right", "p right right"])
def test_keys_do_the_same_however_long_agents_think(keys):
    """Whether a key is pressed when the one before is done, or while that is waited for."""
    ends = []
    for patient in (True, False):
        sitting = watch(KINDS["five"])
        steps = live_steps(sitting)
        viewer = viewer_of([next(steps)], live=True)
        for key in keys.split():
            viewer.press(key)
            viewer.tick()
            while patient and viewer.wants_step:
                viewer.add(next(steps))
        while viewer.wants_step:
            viewer.add(next(steps))
        ends.append((len(viewer.steps), viewer.index))
    assert ends[0] == ends[1] and ends[0][0] == ends[0][1] + 1 > 3


def test_a_way_back_is_gone_at_once_and_stops_what_was_asked_for():
    steps = live_steps(watch(Rules()))
    viewer = viewer_of([next(steps)], live=True)
    viewer.press("down")
    for _ in range(5):
        viewer.add(next(steps))
    viewer.press("right")
    viewer.press("left")
    assert viewer.index == 4 and not viewer.wants_step
    viewer.add(next(steps))  # the agent had been asked already
    assert viewer.index == 4
    viewer.press("right")
    viewer.press("right")
    assert viewer.index == 6 and not viewer.wants_step
    viewer.press("right")
    assert viewer.wants_step


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (ENGLISH, ("You bid ", "You play ", "You take the trick", "You have bid.")),
        (GERMAN, ("Du sagst ", "Du spielst ", "Du machst den Stich", "Du hast angesagt.")),
    ],
    ids=["en", "de"],
)
def test_whose_record_it_is_is_spoken_to(words, said):
    sitting = watch(Rules(deals=1))
    list(live_steps(sitting))
    steps, judge = record_steps(sitting.record()), load_judge("search?worlds=2", Rules())
    names = seat_names(["a", "human", "b", "c"], 1, words)
    seen = ""
    for shown in ("open", "none"):
        viewer = Viewer(steps, names, words, judge, shown)
        for _ in steps:
            seen += viewer.page().plain
            viewer.press("right")
    assert all(sentence in seen for sentence in said)
    assert not any(f"{words('you')} {verb}" in seen for verb in ("bids", "plays", "takes", "has"))
    assert not any(f"{words('you')} {verb}" in seen for verb in ("sagt", "spielt", "macht", "hat"))


def test_hidden_cards_are_shown_or_not_and_the_analysis_with_them():
    sitting = watch(Rules(deals=1))
    list(live_steps(sitting))
    steps = record_steps(sitting.record())
    viewer = viewer_of(steps, analysis=True)
    for _ in range(6):
        viewer.press("right")
    assert viewer.wants_analysis
    viewer.analyse(viewer.index)
    opened = viewer.page().plain
    assert "Analysis by search" in opened and "expected cost" in opened
    viewer.press("o")
    hidden = viewer.page().plain
    assert "Analysis" not in hidden and not viewer.wants_analysis
    hands, shown = steps[6].game.hands, viewer.steps[6].game.trick
    bids = [str(bid) for bid in steps[6].game.bids]
    assert not any(f" {bid} " in hidden for bid in bids if int(bid) > 9)
    assert len(hands) == 4 and len(shown) == 2
    viewer.press("o")
    assert viewer.page().plain == opened
    viewer.press("a")
    assert "Analysis" not in viewer.page().plain


def test_the_analysis_names_what_would_have_been_better():
    rng = random.Random(4)
    sitting = watch(Rules(deals=1), seed=rng.randrange(100))
    list(live_steps(sitting))
    viewer = viewer_of(record_steps(sitting.record()), analysis=True)
    words = set()
    for _ in range(25):
        viewer.press("right")
        if viewer.wants_analysis:
            viewer.analyse(viewer.index)
        page = viewer.page().plain
        words |= {word for word in ("better:", "the best there was", "no choice") if word in page}
    assert words >= {"better:", "the best there was"}


LONG = "search?policy=models/swisslos.safetensors&worlds=20"


def beside(viewer):
    """What stands to the right of the trick."""
    return [line[WIDTH - BESIDE_WIDTH :].rstrip() for line in lines_of(viewer.page())[9:22]]


@pytest.mark.parametrize("judge", ["search?worlds=200&exact=4", LONG])
def test_the_judges_whole_name_is_told(judge):
    sitting = watch(Rules(deals=1))
    next(steps := live_steps(sitting))
    viewer = viewer_of([next(steps)], judge, analysis=True)
    assert f"Analysisby{judge}" in "".join(beside(viewer)).replace(" ", "")
    assert fits(viewer.page())
    viewer.press("question_mark")
    keys = lines_of(viewer.page())
    assert fits(viewer.page()) and judge in "".join(map(str.strip, keys))


def test_what_was_done_is_among_the_costs_however_much_it_cost():
    sitting = watch(Rules(deals=1))
    list(live_steps(sitting))
    viewer = viewer_of(record_steps(sitting.record()), analysis=True)
    marked = 0
    for _ in range(30):
        viewer.press("right")
        viewer.analyse(viewer.index)
        lines = beside(viewer)
        costs = lines[lines.index("expected cost:") + 1 :] if "expected cost:" in lines else []
        assert sum("◄" in line for line in costs) == bool(costs)
        marked += bool(costs) and "◄" in costs[-1]
    assert marked
