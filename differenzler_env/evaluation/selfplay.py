"""Evaluation: self-play for data sets, as game records and as arrays for offline learning.

The arrays have a row for each decision, those of a match one after the other:

=============== ================= ==========================================================
column          type              meaning
=============== ================= ==========================================================
``match``       int64             number of the match, from 0
``deal``        int32             number of the deal in the match, from 0
``seat``        int8              seat that decided
``observation`` float32 ``[520]`` what it knew, see :mod:`differenzler_env.observation`
``mask``        int8 ``[194]``    1 = legal
``action``      int16             0…193
``reward``      float32           what the seat earned from here to its next decision: minus the
                                  penalty after its last decision of a deal, else 0
``terminal``    bool              the seat's last decision of the match
=============== ================= ==========================================================
"""

import importlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import __version__
from ..actions import NUM_ACTIONS
from ..agents import Agent, SpecError
from ..agents.registry import RulesLike, share_agents
from ..batch import Batch
from ..checks import typed_seed
from ..files import replacing
from ..observation import OBSERVATION_SIZE, OBSERVATION_VERSION
from ..record import write_records
from ..rule_text import get_rules
from ..rules import Rules
from .duplicate import CHUNK
from .referee import Referee
from .session import Progress, whole_matches

Columns = dict[str, npt.NDArray[Any]]


@dataclass
class SelfPlay:
    """Agents that play matches to be kept.

    Attributes:
        agents: one for each seat; they move on one seat each match.
        rules: rules of all matches.
        seed: with the number of the match, the key of its deals.
        matches: how many.
        progress: called with the number of matches played and to be played.
    """

    agents: Sequence[Agent]
    rules: Rules
    seed: int
    matches: int
    progress: Progress | None = None

    def write(self, records: Path, arrays: Path | None = None) -> int:
        """Plays all matches and writes their records, and arrays if asked to. Both files are there
        in the end, or neither.

        Returns:
            How many matches were written.

        Raises:
            SpecError: if an agent raises or chooses an illegal action.
            ModuleNotFoundError: for arrays without pyarrow.
        """
        if arrays is None:
            return write_records(
                records, (line for lines, _ in self.chunks(False) for line in lines)
            )
        with replacing(arrays) as temporary, _ArrayFile(temporary, self._facts()) as file:

            def both() -> Iterator[dict[str, Any]]:
                for played, columns in self.chunks(True):
                    file.write(columns)
                    yield from played

            return write_records(records, both())

    def chunks(self, arrays: bool) -> Iterator[tuple[list[dict[str, Any]], Columns]]:
        """Records and columns (empty unless ``arrays``) of some matches at a time."""
        for first in range(0, self.matches, CHUNK):
            count = min(CHUNK, self.matches - first)
            yield self._chunk(first, count, arrays)
            if self.progress is not None:
                self.progress(first + count, self.matches)

    def seating(self, match: int) -> npt.NDArray[np.int64]:
        """Who sits where in a match, ``[P]``."""
        return np.roll(np.arange(self.rules.players), match)

    def _chunk(self, first: int, count: int, arrays: bool) -> tuple[list[dict[str, Any]], Columns]:
        batch = Batch(count, self.rules, seed=self.seed, first_row=first, remember=True)
        seating = np.stack([self.seating(first + row) for row in range(count)])
        referee = Referee(batch, self.agents, seating)
        notes = _Notes(self.rules, first, count) if arrays else None
        while (batch.current_seat >= 0).any():
            actions = referee.actions()
            for number, what in referee.faults.items():
                raise SpecError(f"{self.agents[number].spec} cannot be recorded: it {what}")
            if notes is not None:
                notes.decision(batch, actions)
            rewards, deal_over, _ = batch.step(actions, check=False)
            if notes is not None and deal_over.any():
                notes.settled(rewards)
        names = [[self.agents[number].spec for number in line] for line in seating]
        records = [batch.game(row).to_record(names[row]) for row in range(count)]
        return records, {} if notes is None else notes.columns()

    def _facts(self) -> dict[str, str]:
        """What the arrays are, for the file's metadata."""
        return {
            "version": __version__,
            "observation_version": OBSERVATION_VERSION,
            "rules": json.dumps(self.rules.to_dict()),
            "seed": str(self.seed),
            "agents": json.dumps([agent.spec for agent in self.agents]),
        }


class _Notes:
    """The decisions of some matches, step by step; the matches of a rule set are all of one length,
    so a step is one decision of each."""

    def __init__(self, rules: Rules, first: int, count: int) -> None:
        self.steps = rules.deals * rules.players * (1 + rules.tricks)
        self.rows = np.arange(count)
        self.at = 0
        shape = (count, self.steps)
        self.last = np.full((count, rules.players), -1)  # step of each seat's latest decision
        self.match = np.repeat(np.arange(first, first + count), self.steps)
        self.deal = np.zeros(shape, np.int32)
        self.seat = np.zeros(shape, np.int8)
        self.observation = np.zeros((*shape, OBSERVATION_SIZE), np.float32)
        self.mask = np.zeros((*shape, NUM_ACTIONS), np.int8)
        self.action = np.zeros(shape, np.int16)
        self.reward = np.zeros(shape, np.float32)

    def decision(self, batch: Batch, actions: npt.NDArray[np.int64]) -> None:
        at, seats = self.at, batch.current_seat
        self.deal[:, at], self.seat[:, at] = batch.deal_number, seats
        self.observation[:, at], self.mask[:, at] = batch.observe(), batch.legal_mask()
        self.action[:, at] = actions
        self.last[self.rows, seats] = at
        self.at += 1

    def settled(self, rewards: npt.NDArray[np.float32]) -> None:
        self.reward[self.rows[:, None], self.last] += rewards

    def columns(self) -> Columns:
        terminal = np.zeros(self.seat.shape, np.bool_)
        terminal[self.rows[:, None], self.last] = True
        return {
            "match": self.match,
            "deal": self.deal.ravel(),
            "seat": self.seat.ravel(),
            "observation": self.observation.reshape(-1, OBSERVATION_SIZE),
            "mask": self.mask.reshape(-1, NUM_ACTIONS),
            "action": self.action.ravel(),
            "reward": self.reward.ravel(),
            "terminal": terminal.ravel(),
        }


class _ArrayFile:
    """A Parquet file that grows chunk by chunk. Needs pyarrow."""

    def __init__(self, path: Path, facts: dict[str, str]) -> None:
        pyarrow: Any = importlib.import_module("pyarrow")
        parquet: Any = importlib.import_module("pyarrow.parquet")

        def vector(kind: Any, size: int) -> Any:
            return pyarrow.list_(pyarrow.field("item", kind, nullable=False), size)

        self._pyarrow = pyarrow
        self._schema = pyarrow.schema(
            [
                ("match", pyarrow.int64()),
                ("deal", pyarrow.int32()),
                ("seat", pyarrow.int8()),
                ("observation", vector(pyarrow.float32(), OBSERVATION_SIZE)),
                ("mask", vector(pyarrow.int8(), NUM_ACTIONS)),
                ("action", pyarrow.int16()),
                ("reward", pyarrow.float32()),
                ("terminal", pyarrow.bool_()),
            ],
            metadata={f"differenzler.{name}": value for name, value in facts.items()},
        )
        self._file = parquet.ParquetWriter(path, self._schema, compression="zstd")

    def __enter__(self) -> "_ArrayFile":
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()

    def write(self, columns: Columns) -> None:
        arrays = []
        for entry in self._schema:
            values = columns[entry.name]
            if values.ndim == 2:
                flat = self._pyarrow.array(values.ravel(), entry.type.value_type)
                arrays.append(self._pyarrow.FixedSizeListArray.from_arrays(flat, type=entry.type))
            else:
                arrays.append(self._pyarrow.array(values, entry.type))
        self._file.write_table(self._pyarrow.table(arrays, schema=self._schema))


def self_play(
    agents: Sequence[str | Agent],
    rules: RulesLike = None,
    deals: int = 1000,
    seed: int | None = None,
    progress: Progress | None = None,
) -> SelfPlay:
    """Sets up self-play of whole matches; :meth:`SelfPlay.write` plays them.

    Args:
        agents: one for each seat, or one for all; they move on one seat each match.
        rules: a text such as ``"table?players=5"``, rules, or None for the default.
        deals: deals to be played, rounded up to whole matches.
        seed: of the deals and of the agents' draws; None draws one.
        progress: called with the number of matches played and to be played.

    Raises:
        SpecError: for an agent that cannot be loaded, or a number of agents that does not fit.
        ValueError: for other impossible arguments.
    """
    rules = get_rules(rules)
    given = list(agents) * (rules.players if len(agents) == 1 else 1)
    if len(given) != rules.players:
        raise SpecError(
            f"a table of {rules.players} seats needs {rules.players} agents or one for all of "
            f"them, not {len(given)}"
        )
    matches = whole_matches(deals, rules)
    return SelfPlay(share_agents(given, rules), rules, typed_seed(seed), matches, progress)
