"""Tournaments: who sits where, mirrored tables, known ratings."""

from __future__ import annotations

import json
from collections import Counter
from io import StringIO
from itertools import combinations

import numpy as np
import pytest
from rich.console import Console

from differenzler_env import Rules
from differenzler_env.cli import main
from differenzler_env.cli.tournament import cross_tables
from differenzler_env.evaluation import evaluate
from differenzler_env.evaluation.names import legend, short_names
from differenzler_env.evaluation.seatings import copies_seatings, line_ups, mixed_seatings
from differenzler_env.evaluation.statistics import rating_estimates
from differenzler_env.evaluation.tournament import tournament

SPECS = ["random", "constant?bid=30", "thumb", "players:Lowest", "players:Drawing"]


# --- seats ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("count", "players"), [(4, 4), (5, 4), (6, 4), (8, 4), (7, 3), (6, 5)])
def test_all_line_ups_come_up_and_each_group_is_fair(count, players):
    groups = line_ups(count, players)
    assert {line for group in groups for line in group} == set(combinations(range(count), players))
    for group in groups:
        seats = Counter(agent for line in group for agent in line)
        assert len(set(seats.values())) == 1
        assert len(seats) == count
        assert len(group) == len(groups[0])
    assert sum(map(len, line_ups(4, 4))) == 1


@pytest.mark.parametrize(("count", "players"), [(2, 4), (3, 4), (2, 5), (2, 3)])
def test_few_agents_fill_the_table_fairly(count, players):
    (group,) = line_ups(count, players)
    seats = Counter(agent for line in group for agent in line)
    assert len(set(seats.values())) == 1
    assert all(len(set(line)) == count for line in group)


@pytest.mark.parametrize(("count", "players"), [(2, 2), (2, 4), (3, 3), (5, 4), (6, 4), (7, 5)])
def test_in_mixed_tables_everyone_takes_every_seat_equally_often(count, players):
    seating = mixed_seatings(count, players, 10)
    for match in seating:
        for seat in range(players):
            taken = Counter(match[:, seat].tolist())
            assert len(taken) == count
            assert len(set(taken.values())) == 1


def test_a_standing_is_told_in_a_line():
    standing = tournament(["random", "models/swisslos.safetensors", "thumb"], deals=8, seed=1)
    best, second, last = (standing.penalty(agent) for agent in standing.ranking())
    assert str(standing) == (
        f"Standing(1. swisslos {best}, 2. thumb {second}, 3. random {last}; mixed tables, 8 deals, "
        "seed 1)"
    )


def test_tables_of_copies_hold_all_pairs():
    (match,) = copies_seatings(3, 4, 1)
    kinds = Counter(tuple(sorted(Counter(line.tolist()).items())) for line in match)
    expected = {((host, 4),): 1 for host in range(3)}
    for guest in range(3):
        for host in range(3):
            if guest != host:
                expected[tuple(sorted({guest: 1, host: 3}.items()))] = 4
    assert kinds == expected


# --- figures ----------------------------------------------------------------------------------


@pytest.mark.parametrize("tables", ["mixed", "copies"])
@pytest.mark.parametrize("specs", [SPECS, SPECS[:4], SPECS[:2]])
def test_the_order_of_names_mirrors_the_table(specs, tables):
    there = tournament(specs, deals=12, seed=5, tables=tables).to_json()
    back = tournament(specs[::-1], deals=12, seed=5, tables=tables).to_json()
    for name in ("agents", "penalty", "win_share", "bid_mean", "exact_share", "illegal"):
        assert there[name] == back[name][::-1], name
    assert there["cross"] == [row[::-1] for row in back["cross"][::-1]]
    assert there["ranking"] == back["ranking"]
    ratings = [[agent["mean"] for agent in table["rating"]] for table in (there, back)]
    assert ratings[0] == pytest.approx(ratings[1][::-1], abs=1e-6)


def test_mixed_tables_by_hand():
    standing = tournament(SPECS, deals=12, seed=5)
    tables = standing.tables
    assert tables.seating.shape == (3, 20, 4)
    assert (standing.deals, standing.games) == (12, 240)
    sums = {agent: np.zeros((3, 4)) for agent in range(5)}
    seats = Counter()
    meetings = {}
    for match, table, deal, seat in np.ndindex(tables.penalties.shape):
        agent = int(tables.seating[match, table, seat])
        sums[agent][match, deal] += tables.penalties[match, table, deal, seat]
        seats[agent, match, deal] += 1
        meetings.setdefault((match, deal, table), {})[agent] = tables.penalties[
            match, table, deal, seat
        ]
    assert set(seats.values()) == {16}
    for agent in range(5):
        assert standing.penalty(agent).mean == pytest.approx(sums[agent].mean() / 16)
    differences = {}
    for (match, deal, _), paid in meetings.items():
        if 0 in paid and 2 in paid:
            differences.setdefault((match, deal), []).append(int(paid[0]) - int(paid[2]))
    means = [np.mean(values) for values in differences.values()]
    assert standing.cross(0, 2).mean == pytest.approx(np.mean(means))
    assert standing.cross(0, 2).count == 12
    assert standing.cross(2, 0).mean == -standing.cross(0, 2).mean
    assert standing.cross(1, 1).mean == 0
    assert standing.ranking()[0] == 2
    assert standing.gap(0).count == 0
    # All points of a deal are somebody's, and wins are shared out.
    played = sum(standing.points_mean(agent) for agent in range(5)) / 5
    assert played == pytest.approx(39.25)
    assert sum(standing.win_share(agent).mean for agent in range(5)) / 5 == pytest.approx(1 / 4)


def test_tables_of_copies_are_evaluations():
    """A cell is what `evaluate` says of the same hero, field and deals; gaps are paired."""
    standing = tournament(SPECS[:3], deals=12, seed=5, tables="copies")
    for row, hero in enumerate(SPECS[:3]):
        abroad = []
        own = evaluate(hero, hero, deals=12, seed=5).deal_sums()[0] / 4
        assert standing.cross(row, row).mean == pytest.approx(own.mean())
        for column, host in enumerate(SPECS[:3]):
            if row != column:
                guest = evaluate(hero, host, deals=12, seed=5)
                assert standing.cross(row, column) == guest.penalty()
                abroad.append(guest.deal_sums()[0] / 4)
        assert standing.penalty(row).mean == pytest.approx(np.mean(abroad))
        gap = np.mean(abroad, axis=0) - own
        assert standing.gap(row).mean == pytest.approx(gap.mean())
        half = 1.959963984540054 * gap.std(ddof=1) / 12**0.5
        assert standing.gap(row).half_width == pytest.approx(half)


@pytest.mark.parametrize("rules", [Rules(players=3), Rules(players=5), Rules.mini()])
def test_other_tables_hold_tournaments_too(rules):
    for tables in ("mixed", "copies"):
        document = tournament(SPECS[:3], rules, deals=10, seed=1, tables=tables).to_json()
        json.dumps(document, allow_nan=False)
        assert document["ranking"][0] == "thumb"


def test_forfeits_are_counted_for_who_erred():
    standing = tournament([*SPECS[:3], "players:RaisingDealer"], deals=8, seed=5)
    assert [standing.illegal(agent) for agent in range(4)] == [0, 0, 0, 8]
    assert list(standing.faults()) == ["players:RaisingDealer"]
    assert standing.to_json()["faults"] == standing.faults()


def test_a_tournament_goes_on(tmp_path):
    file = tmp_path / "run.npz"
    options = {"seed": 5, "rules": Rules(deals=1)}

    def stop(done, total):
        if done >= 32:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tournament(SPECS[:3], deals=80, resume=file, progress=stop, **options)
    whole = tournament(SPECS[:3], deals=80, **options).to_json()
    again = tournament(SPECS[:3], deals=80, resume=file, **options).to_json()
    assert {**whole, "decisions_per_second": 0} == {**again, "decisions_per_second": 0}
    with pytest.raises(ValueError, match="holds another run: its kind"):
        tournament(SPECS[:3], deals=80, resume=file, tables="copies", **options)
    narrow = tournament(SPECS[:3], deals=80, until_ci=6, **options)
    assert max(2 * narrow.penalty(agent).half_width for agent in range(3)) <= 6
    assert narrow.deals > 80
    with pytest.raises(ValueError, match="until_ci is -1"):
        tournament(SPECS[:3], until_ci=-1, **options)


def test_ratings_recover_known_strengths():
    rng = np.random.default_rng(3)
    true = np.array([150.0, 0.0, -150.0])
    chance = 1 / (1 + 10 ** ((true[None] - true[:, None]) / 400))
    inside = 0
    for _ in range(40):
        wins = np.zeros((300, 3, 3))
        for one, other in combinations(range(3), 2):
            won = rng.random(300) < chance[one, other]
            wins[:, one, other], wins[:, other, one] = won, ~won
        ratings = rating_estimates(wins, resamples=100)
        assert sum(rating.mean for rating in ratings) == pytest.approx(0, abs=1e-6)
        inside += sum(
            rating.ci95[0] <= value <= rating.ci95[1]
            for rating, value in zip(ratings, true, strict=True)
        )
    assert 106 <= inside <= 119  # of 120; 114 expected


def test_who_always_wins_has_a_finite_rating():
    wins = np.zeros((10, 2, 2))
    wins[:, 0, 1] = 1
    first, second = rating_estimates(wins)
    assert first.mean == pytest.approx(-second.mean)
    assert first.mean - second.mean == pytest.approx(400 * np.log10(10.5 / 0.5))
    assert rating_estimates(wins[:1])[0].ci95 is None


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"agents": ["thumb"]}, "two agents or more, not 1"),
        ({"agents": []}, "two agents or more, not 0"),
        ({"agents": ["thumb", "random", "thumb"]}, "'thumb' is named twice"),
        ({"agents": ["thumb", "random"], "tables": "round"}, "tables is 'round'"),
        ({"agents": ["thumb", "random"], "workers": -1}, "workers is -1"),
        ({"agents": ["thumb", "random"], "deals": 0}, "deals is 0"),
        ({"agents": ["thumb", "randm"]}, "did you mean 'random'"),
    ],
)
def test_impossible_tournaments_are_refused(arguments, said):
    with pytest.raises(ValueError, match=said):
        tournament(**arguments)


def test_checkpoints_have_short_names_and_different_ones():
    specs = [
        "thumb",
        "models/swisslos.safetensors?deterministic=true",
        "models/swisslos.safetensors?deterministic=false",
        "runs/five/policy.safetensors?deterministic=true",
        "/home/me/runs/long/policy.safetensors?deterministic=true",
        "mine:make?x=1",
        "<lambda>",
    ]
    names = short_names(specs)
    assert names == [
        "thumb",
        "swisslos",
        "swisslos?deterministic=false",
        "five/policy",
        "long/policy",
        "mine:make?x=1",
        "<lambda>",
    ]
    assert legend(specs, names) == [
        "swisslos: models/swisslos.safetensors",
        "swisslos?deterministic=false: models/swisslos.safetensors?deterministic=false",
        "five/policy: runs/five/policy.safetensors",
        "long/policy: /home/me/runs/long/policy.safetensors",
    ]


@pytest.mark.parametrize("width", [40, 80, 200])
def test_a_wide_cross_table_is_cut_into_tables_that_fit(width):
    specs = [f"constant?bid={bid}" for bid in range(20, 100, 10)]
    standing = tournament(specs, deals=4, seed=5, tables="copies")
    console = Console(width=width, record=True, file=StringIO())
    tables = cross_tables(standing, specs, width)
    for table in tables:
        console.print(table)
    said = console.export_text()
    assert "…" not in said
    assert max(map(len, said.splitlines())) <= width
    assert sum(len(table.columns) - 2 for table in tables) == 9
    for row, column in np.ndindex(8, 8):
        assert f"{standing.cross(row, column).mean:.2f}" in said


@pytest.mark.slow
@pytest.mark.parametrize("tables", ["mixed", "copies"])
def test_the_report_of_a_tournament(capsys, tmp_path, tables):
    words = f"tournament thumb random constant players:RaisingDealer --deals 8 --tables {tables}"
    assert main([*words.split(), "--report", str(tmp_path / "report")]) == 0
    assert "games" in capsys.readouterr().out
    page = (tmp_path / "report" / "index.html").read_text()
    document = json.loads((tmp_path / "report" / "report.json").read_text())
    assert page.count("<svg") == 2
    assert "players:RaisingDealer forfeited games: it raised RuntimeError" in page
    for agent, penalty in zip(document["agents"], document["penalty"], strict=True):
        assert f". {agent}</td><td>{penalty['mean']:.2f}</td>" in page
    assert ("loss abroad" in page) == (tables == "copies")


def test_the_command_prints_both_tables(capsys, tmp_path):
    file = tmp_path / "out.json"
    for words in (f"{' '.join(SPECS[:3])} --json {file}", "thumb random --tables copies"):
        assert main(["tournament", *words.split(), "--deals", "8"]) == 0
        said = capsys.readouterr()
        assert said.err == ""
        assert "8 deals" in said.out
        assert "random" in said.out
    assert "abroad" in said.out
    document = json.loads(file.read_text())
    assert document["agents"] == SPECS[:3]
    assert document["ranking"] == ["thumb", "constant?bid=30", "random"]
    assert main(["tournament", "thumb"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
