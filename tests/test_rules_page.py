"""The rules page: its settings table is the code's own, and its examples are what the code does."""

from __future__ import annotations

import re

import numpy as np
import oracle
import pytest
from golden.regenerate import RULES_PAGE, rules_page, settings_table
from rule_tables import UNDERTRUMP_TABLE

from differenzler_env import Rules, cards
from differenzler_env.engine.kernels import deal_penalty, legal_cards
from differenzler_env.rules import UNDERTRUMP

PAGE = RULES_PAGE.read_text(encoding="utf-8")


def rows(start: str) -> list[list[str]]:
    """The cells of the table that stands under a heading row, without that and the line below."""
    lines = PAGE[PAGE.index(start) :].split("\n")[2:]
    table = lines[: next(i for i, line in enumerate(lines) if not line.startswith("|"))]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table]


def test_the_settings_table_is_the_codes_own():
    assert rules_page(PAGE) == PAGE, "make golden writes the table anew"
    assert settings_table() in PAGE
    names = [row[0].strip("`") for row in rows("| Setting |")]
    assert names == list(Rules.__dataclass_fields__) == list(oracle.SETTINGS)


def test_what_the_page_calls_allowed_is_allowed():
    """Each value named in the table can be set, and the sentence of an error names the same."""
    for name, field in Rules.__dataclass_fields__.items():
        with pytest.raises(ValueError, match=rf"^{name}") as caught:
            Rules(**{name: -1})
        if name not in ("deck", "first_dealer"):
            assert field.metadata["values"] in str(caught.value)
        for value in re.findall(r"'(\w+)'", field.metadata["values"]):
            assert getattr(Rules(**{name: value}), name) == value


def test_the_readme_says_which_under_trump_rule_is_the_default():
    """Programs differ in it, and policies for one are not for another."""
    readme = " ".join((RULES_PAGE.parents[1] / "README.md").read_text(encoding="utf-8").split())
    assert "Under-trumping is for those who cannot follow" in readme
    assert Rules().undertrump == "void"


def test_the_under_trump_table_is_what_is_played():
    table = rows("| trick so far | hand |")
    assert len(table) == len(UNDERTRUMP_TABLE) == 9
    trump = oracle.SUITS.index("D")
    for trick_text, hand_text, *columns in table:
        trick, hand = trick_text.split(), hand_text.split()
        best = trick[oracle.winner(trick, "D")]
        for way, column in zip(("always", "void", "schieber"), columns, strict=True):
            expected = set(hand if column == "all" else column.split())
            assert oracle.lawful_cards(hand, trick, "D", way) == expected
            bits = legal_cards(
                np.int64(cards.hand_bits(hand)),
                cards.card_index(trick[0]),
                cards.card_index(best),
                trump,
                UNDERTRUMP.index(way),
            )
            assert set(cards.hand_names(bits)) == expected


def test_the_tables_of_ranks_and_points_are_the_codes():
    order = rows("| | from high to low |")
    assert order[0][1].split() == list(cards.SIDE_ORDER)
    assert order[1][1].split() == list(cards.TRUMP_ORDER)
    heads = ["A", "10", "K", "Q", "J", "9", "8 7 6"]
    for row, points in zip(
        rows("| | A | 10 |"), (cards.SIDE_POINTS, cards.TRUMP_POINTS), strict=True
    ):
        for ranks, cell in zip(heads, row[1:], strict=True):
            assert all(points.get(rank, 0) == int(cell) for rank in ranks.split())


def test_the_worked_settlement_is_right():
    bids, points, penalties = ([int(n) for n in row[1:]] for row in rows("| | seat 0 |"))
    rules = Rules().record[0]
    for bid, taken, penalty in zip(bids[:4], points[:4], penalties[:4], strict=True):
        assert deal_penalty(rules, bid, taken, False, 0) == penalty
    for each in (bids, points, penalties):
        assert sum(each[:4]) == each[4]
    stoeck = Rules(stoeck=20).record[0]
    assert deal_penalty(stoeck, 45, 25, True, 0) == 0
    assert deal_penalty(Rules(stoeck=20, exact_bonus=10).record[0], 45, 25, True, 0) == -10


def test_each_named_rule_set_has_its_row():
    names = {re.match(r"`Rules\.(\w+)\(\)`", row[0])[1] for row in rows("| Name |")}
    from differenzler_env.rules import RULE_SETS

    assert names == set(RULE_SETS)
