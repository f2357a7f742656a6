"""Training: who else sits at the learner's tables. Agents of any kind, and its own past selves."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from torch import Tensor

from differenzler_env import Batch
from differenzler_env.agents import Agent, load
from differenzler_env.agents.base import uniforms
from differenzler_env.agents.network_agent import NetworkAgent
from differenzler_env.agents.registry import split_list
from differenzler_env.agents.table import choose_actions
from differenzler_env.checkpoint import Tensors
from differenzler_env.rules import Rules
from differenzler_env.specs import split_spec

from .config import ConfigError, RunConfig

PAST = "past"
"""The entry of a pool that stands for the learner's past selves."""

# Purposes of a row's keys: what is drawn from each. Every seat has two of its own after these.
_SHARED, _SEAT, _ALIKE, _OTHERS = 1, 2, 3, 4


@dataclass(frozen=True)
class Seating:
    """Who sits where in one deal of every game, from its first bid to its last card."""

    learner: npt.NDArray[np.bool_]
    """bool ``[P, G]``: the learner's seats"""
    others: npt.NDArray[np.int64] | None
    """int64 ``[G, P]``: the number of the agent in each seat, −1 in the learner's; None where the
    learner sits everywhere"""


def copies_only(players: int, games: int) -> Seating:
    """The seating of pure self-play: the learner everywhere."""
    return Seating(np.ones((players, games), np.bool_), None)


class Pool:
    """The opponents of a run.

    In ``pool_share`` of the games one seat, drawn anew for each game and deal, is the learner's;
    for every other seat an entry of the pool is drawn, or in ``pool_alike`` of them one for all
    other seats; with ``pool_distinct`` the entries of a table are drawn without return. An entry
    :data:`PAST` is a past self, each as likely as the others. In all other games the learner sits
    everywhere.

    Past selves are copies of the averaged weights: they share no memory with the learner.

    Attributes:
        past: past selves by the number of updates after which they were taken, oldest first.

    Args:
        config: its ``pool…`` and ``past…`` settings.
        rules: rules of the tables.

    Raises:
        ConfigError: if an agent of the pool cannot be loaded.
    """

    def __init__(self, config: RunConfig, rules: Rules) -> None:
        self.rules, self.share, self.alike = rules, config.pool_share, config.pool_alike
        self.distinct, self.deterministic = config.pool_distinct, config.pool_deterministic
        self.every, self.keep = config.past_every, config.past_kept
        self.past: dict[int, NetworkAgent] = {}
        self._tensors: dict[int, Tensors] = {}
        self._entries: list[int] = []  # of each entry its number among the agents; −1: a past self
        self._named: list[Agent] = []
        specs: list[str] = []
        try:
            for entry in split_list(config.pool) if config.pool else ():
                if entry == PAST:
                    self._entries.append(-1)
                    continue
                spec = self._with_mode(entry)
                if spec not in specs:
                    self._named.append(load(spec, rules))
                    specs.append(spec)
                self._entries.append(specs.index(spec))
        except ValueError as error:  # a spec, or a checkpoint for other rules
            raise ConfigError(f"pool: {error}") from None

    def _with_mode(self, spec: str) -> str:
        """The spec of a checkpoint with the pool's mode, unless it has one of its own."""
        name, options = split_spec(spec)
        if not name.endswith(".safetensors") or "deterministic" in options:
            return spec
        mark = "&" if options else "?"
        return f"{spec}{mark}deterministic={str(self.deterministic).lower()}"

    @property
    def active(self) -> bool:
        """Whether any game is played against others than the learner itself."""
        return bool(self._entries) and self.share > 0

    @property
    def wants_past(self) -> bool:
        """Whether past selves play."""
        return self.active and -1 in self._entries

    @property
    def agents(self) -> list[Agent]:
        """All members: those with a name, then the past selves."""
        return [*self._named, *self.past.values()]

    # Past selves -----------------------------------------------------------------------------

    def due(self, updates: int) -> bool:
        """Whether the learner as it is after so many updates is to be kept."""
        if not self.wants_past or updates in self.past:
            return False
        return not self.past or updates % self.every == 0

    def remember(self, updates: int, weights: Mapping[str, Any], shape: Mapping[str, Any]) -> None:
        """Keep a past self; the oldest one beyond ``past_kept`` goes.

        Args:
            updates: after how many updates.
            weights: tensors or arrays by name; copied.
            shape: shape of the network.
        """
        tensors = copied(weights)
        self._tensors[updates] = tensors
        agent = NetworkAgent(self.rules, copied(tensors), shape, self.deterministic)
        agent.spec = f"{PAST}-{updates}"
        self.past[updates] = agent
        while len(self.past) > self.keep:
            oldest = next(iter(self.past))
            del self.past[oldest], self._tensors[oldest]

    def tensors(self, updates: int) -> Tensors:
        """The weights of a past self."""
        return self._tensors[updates]

    def forget(self) -> None:
        """Let go of all past selves."""
        self.past.clear()
        self._tensors.clear()

    # Playing ---------------------------------------------------------------------------------

    def seat(self, batch: Batch) -> Seating:
        """Draw the seating of the deal at hand of every game, from the keys of its rows."""
        players, games = self.rules.players, batch.num_games
        if not self.active:
            return copies_only(players, games)
        shared = _uniforms(batch, _SHARED) < self.share
        seat = (_uniforms(batch, _SEAT) * players).astype(np.int64)
        alike = _uniforms(batch, _ALIKE) < self.alike
        entries = np.array(self._entries)
        first = _uniforms(batch, _OTHERS)
        order = self._order(batch) if self.distinct else None
        others = np.full((games, players), -1, np.int64)
        for place in range(players):
            if order is None:
                own = _uniforms(batch, _OTHERS + 2 * place)
            else:
                own = order[(place - seat - 1) % players % len(entries), np.arange(games)]
            entry = np.where(alike, first, own) * len(entries)
            which = _uniforms(batch, _OTHERS + 2 * place + 1) * len(self.past)
            drawn = entries[entry.astype(np.int64)]
            past = len(self._named) + which.astype(np.int64)
            here = shared & (seat != place)
            others[here, place] = np.where(drawn < 0, past, drawn)[here]
        return Seating(np.ascontiguousarray(others.T < 0), others)

    def _order(self, batch: Batch) -> npt.NDArray[np.float64]:
        """The entries in an order drawn for each game, ``[entries, G]``, as numbers in [0, 1) like
        those that draw a single one."""
        count, after = len(self._entries), _OTHERS + 2 * self.rules.players
        drawn = np.stack([_uniforms(batch, after + entry) for entry in range(count)])
        order: npt.NDArray[np.float64] = (drawn.argsort(axis=0) + 0.5) / count
        return order

    def choose(self, batch: Batch, others: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Actions int64 ``[G]`` of the agents whose seat is to act; −1 where it is −1 in
        ``others``, ``[G, P]``."""
        return choose_actions(batch, self.agents, others)


def copied(weights: Mapping[str, Any]) -> Tensors:
    """Weights by name as arrays that share no memory with them."""
    return {
        name: (value.detach().cpu().numpy() if isinstance(value, Tensor) else value).copy()
        for name, value in weights.items()
    }


def _uniforms(batch: Batch, purpose: int) -> npt.NDArray[np.float64]:
    return uniforms(batch.row_keys(purpose))
