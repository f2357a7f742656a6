"""What happened at the table, counted by hand; and the page that shows it."""

from __future__ import annotations

import json
import re
import sys
from html.parser import HTMLParser

import numpy as np
import pytest

from differenzler_env import Rules
from differenzler_env.cli import main
from differenzler_env.evaluation import evaluate
from differenzler_env.evaluation.details import details, place_names
from differenzler_env.evaluation.plots import reaches
from differenzler_env.evaluation.report import report_page
from differenzler_env.evaluation.statistics import Estimate, normal_estimate, ratio_estimate


def hero_deals(evaluation):
    """The hero's (match, deal, place, bid, points, penalty, lost), one a game; 0 = forehand."""
    tables, players = evaluation.tables, evaluation.rules.players
    for match, seat, deal in np.ndindex(tables.penalties.shape[:3]):
        place = (seat - int(tables.dealers[match, deal]) - 1) % players
        at = (match, seat, deal, seat)
        figures = (tables.bids, tables.points, tables.penalties, tables.out_of_reach)
        yield (match, deal, place, *(int(figure[at]) for figure in figures))


@pytest.mark.parametrize(
    "rules", [Rules(), Rules.table(), Rules(players=5), Rules.mini(), Rules(stoeck=20)]
)
def test_places_and_bid_sizes_by_hand(rules):
    evaluation = evaluate("thumb", "random", rules, 40, 3)
    what = details(evaluation)
    deals = list(hero_deals(evaluation))
    assert [place.name for place in what.places] == place_names(rules.players)
    for number, place in enumerate(what.places):
        mine = [entry for entry in deals if entry[2] == number]
        assert len(mine) == evaluation.deals
        assert place.penalty == normal_estimate([entry[5] for entry in mine])
        assert place.bid == pytest.approx(np.mean([entry[3] for entry in mine]))
        assert place.points == pytest.approx(np.mean([entry[4] for entry in mine]))
        assert place.exact == pytest.approx(np.mean([entry[5] <= 0 for entry in mine]))
    assert sum(size.count for size in what.bid_sizes) == len(deals)
    for size in what.bid_sizes:
        mine = [entry for entry in deals if size.low <= entry[3] <= size.high]
        assert size.count == len(mine)
        assert size.penalty.mean == pytest.approx(np.mean([entry[5] for entry in mine]))
        assert size.excess.mean == pytest.approx(np.mean([entry[4] - entry[3] for entry in mine]))
        assert size.quantiles[2] == np.median([entry[4] for entry in mine])
    tricks = range(rules.tricks + 1)
    if rules.stoeck:  # which can bring a bid back
        assert what.out_of_reach is what.field_out_of_reach is None
        return
    lost = [np.mean([entry[6] == trick for entry in deals]) for trick in tricks]
    assert what.out_of_reach == pytest.approx(lost)
    assert sum(what.field_out_of_reach) == pytest.approx(1)


def test_the_sum_of_the_bids_sets_the_floor():
    evaluation = evaluate("constant?bid=30", "constant?bid=50", deals=40, seed=1)
    what = details(evaluation)
    assert (what.bid_sum, what.bid_sum_deviation) == (180, 0)
    assert what.table_penalty == evaluation.tables.penalties.mean()
    assert what.avoidable == pytest.approx(what.table_penalty - 23 / 4)
    assert [size.name for size in what.bid_sizes] == ["21–30"]
    bonus = evaluate("thumb", "random", Rules(exact_bonus=5), deals=8, seed=1)
    assert details(bonus).avoidable is None


def test_a_ratio_of_equal_groups_is_a_mean():
    values = np.random.default_rng(1).normal(size=(50, 4))
    ratio, plain = (
        ratio_estimate(values.sum(axis=1), [4] * 50),
        normal_estimate(values.mean(axis=1)),
    )
    assert ratio.mean == pytest.approx(plain.mean)
    assert ratio.ci95 == pytest.approx(plain.ci95)
    assert ratio_estimate([], []).count == 0
    assert ratio_estimate([0, 6], [0, 3]) == ratio_estimate([6], [3])
    assert ratio_estimate([6], [3]).mean == 2


def test_ratio_intervals_cover_the_truth():
    rng = np.random.default_rng(4)
    covered = 0
    for _ in range(500):
        sizes = rng.integers(0, 5, 200)
        shared = rng.normal(5, 2, 200)  # what a group has in common makes its members alike
        low, high = ratio_estimate(
            sizes * shared + rng.normal(size=200) * np.sqrt(sizes), sizes
        ).ci95
        covered += low <= 5 <= high
    assert 0.92 * 500 <= covered <= 0.98 * 500


def test_error_bars_end_where_the_intervals_do():
    estimates = [Estimate(1.0, (0.5, 3.0), 9), Estimate(2.0, None, 1)]
    assert reaches(estimates).tolist() == [[0.5, 0.0], [2.0, 0.0]]


class Checker(HTMLParser):
    """Whether all that is opened is closed, and what is fetched from elsewhere."""

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.fetched, self.words = [], set(), [], []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.fetched += [
            value
            for name, value in attrs
            if name in ("src", "href", "xlink:href") and not value.startswith(("#", "data:"))
        ]
        if tag not in ("meta", "br", "img"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if self.open and self.open[-1] == tag:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


@pytest.mark.slow
def test_the_page_stands_alone(tmp_path):
    def guest(view, rng):
        return view.legal_actions()[0]

    guest.__name__ = "<guest & co>"
    evaluation = evaluate(guest, "thumb,random,players:RaisingDealer", deals=60, seed=2)
    page = report_page(evaluation)
    checker = Checker()
    checker.feed(page)
    assert checker.open == []
    assert checker.fetched == []
    assert "script" not in checker.tags
    assert page.count("<svg") == 7
    words = " ".join(" ".join(checker.words).split())
    assert "<guest & co>" in words
    assert "<guest" not in page
    assert "players:RaisingDealer forfeited games: it raised RuntimeError" in words
    assert f"{evaluation.penalty().mean:.2f}" in words
    low, high = evaluation.exact_share().ci95
    assert f"exact bids {evaluation.exact_share().mean:.1%} {low:.1%} … {high:.1%}" in words
    assert page == report_page(evaluation)


@pytest.mark.slow
@pytest.mark.parametrize("rules", ["table", "mini", "swisslos?exact_bonus=10"])
def test_the_command_writes_a_report_for_all_rules(capsys, tmp_path, rules):
    folder = tmp_path / "report"
    words = f"evaluate thumb --field constant --deals 3 --rules {rules} --report {folder}"
    for _ in range(2 if rules == "mini" else 1):  # a second time over the first
        assert main(words.split()) == 0
    assert capsys.readouterr().err == ""
    assert sorted(entry.name for entry in folder.iterdir()) == ["index.html", "report.json"]
    document = json.loads((folder / "report.json").read_text())
    assert document["details"]["places"][-1]["place"] == "dealer"
    assert re.search("<h1>thumb</h1>", (folder / "index.html").read_text())


def test_the_command_prints_details(capsys):
    assert main("evaluate thumb --field random --deals 8 --details".split()) == 0
    said = capsys.readouterr().out
    for word in ("forehand", "third", "dealer", "points − bid", "81–157", "0"):
        assert word in said
    for word in ("bids of a table", "of which avoidable", "bids lost after trick", "never"):
        assert word in said
    assert (
        main("evaluate thumb --field random --deals 4 --rules table?stoeck=20 --details".split())
        == 0
    )
    assert "bids lost" not in capsys.readouterr().out


def test_a_report_that_cannot_be_is_refused_before_the_work(capsys, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    words = "evaluate thumb --field random --deals 100000000 --report"
    for place, said in ((tmp_path / "file", "is a file"), (tmp_path / "no" / "x", "no folder")):
        assert main([*words.split(), str(place)]) == 2
        assert said in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert main([*words.split(), str(tmp_path / "new")]) == 2
    assert "pip install 'differenzler-env[train]'" in capsys.readouterr().err
