"""What the tests of records and notations share."""

from __future__ import annotations

import random
from typing import Any

import pytest
from kinds import KINDS, play_out

from differenzler_env import Game, RecordError
from differenzler_env.record import replay

SAME = ("deal", "penalties", "hands", "excluded", "bids", "points", "order", "leaders", "revokes")
ALSO_SAME = ("trump", "turned_up", "dealer", "phase", "current_seat", "num_bids", "num_played")


def same_position(one: Game, other: Game) -> bool:
    """Whether two games stand alike: all but the key of the generator."""
    before, after = one._row, other._row
    return one.rules == other.rules and all(
        before[name].tobytes() == after[name].tobytes()
        for name in (*SAME, *ALSO_SAME, "best_card", "best_seat", "settled_penalties")
    )


def full_match(kind: str, seed: int) -> dict[str, Any]:
    return play_out(Game(KINDS[kind], seed), random.Random(seed)).to_record()


def refused(record: Any, line: int = 3) -> str:
    """What the reader says of a false record."""
    with pytest.raises(RecordError) as caught:
        replay(record, Game, line=line)
    text = str(caught.value)
    assert text.startswith(f"line {line}") and "\n" not in text
    with pytest.raises(RecordError) as caught:
        Game.from_record(record)
    assert "line" not in str(caught.value).partition(":")[0]
    return text
