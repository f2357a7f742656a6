"""Training: how strong a learner is while it learns, at tables that never change."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from differenzler_env.agents import load_field
from differenzler_env.agents.network_agent import NetworkAgent
from differenzler_env.evaluation import Estimate, evaluate
from differenzler_env.rules import Rules

from .config import ConfigError, RunConfig
from .pool import copied

if TYPE_CHECKING:
    from .self_play import SelfPlayLearner

SEED = 1 << 100
"""Seed of the deals: the same for every run, and none that anybody takes to measure the result, for
the best of many measurements on the same deals looks better than it is."""


@dataclass(frozen=True)
class Measurement:
    """Penalties of a policy at the frozen tables."""

    penalties: dict[str, Estimate]
    """the mean penalty of a deal, with its interval over deals, by table"""

    @property
    def score(self) -> float:
        """The mean over tables; the lower the better."""
        return sum(entry.mean for entry in self.penalties.values()) / len(self.penalties)

    def figures(self) -> dict[str, float]:
        """Figures by name, for the logs."""
        at = {f"at_{table}": entry.mean for table, entry in self.penalties.items()}
        return at | {"at_tables": self.score}

    def __str__(self) -> str:
        return ", ".join(f"{entry:.2f} at {table}" for table, entry in self.penalties.items())


class FrozenTables:
    """The tables of a run.

    Attributes:
        best: the lowest score so far.

    Args:
        config: its ``evaluate_…`` settings.
        rules: rules of the tables.

    Raises:
        ConfigError: if an agent cannot be loaded or their number does not fit a table.
    """

    def __init__(self, config: RunConfig, rules: Rules) -> None:
        self.rules, self.every, self.deals = rules, config.evaluate_every, config.evaluate_deals
        self.best: float | None = None
        names = [name.strip() for name in config.evaluate_tables.split(";")]
        try:
            self.tables = {name: load_field(name, rules, more=True) for name in names}
        except ValueError as error:
            raise ConfigError(f"evaluate_tables: {error}") from None

    def due(self, updates: int, done: bool) -> bool:
        """Whether it is time to measure: every so many updates, and when the run is done."""
        return bool(self.every) and (done or updates % self.every == 0)

    def measure(self, learner: "SelfPlayLearner") -> Measurement:
        """Play the learner's averaged policy, each action the most likely one, at every table."""
        hero = NetworkAgent(self.rules, copied(learner.average), learner.policy.shape)
        hero.spec = "learner"
        return Measurement(
            {
                name: evaluate(hero, field, self.rules, self.deals, SEED).penalty()
                for name, field in self.tables.items()
            }
        )

    def strength(self, measurement: Measurement) -> dict[str, Any]:
        """What a checkpoint says of a measurement."""
        tables = {name: entry.to_json() for name, entry in measurement.penalties.items()}
        return {"seed": str(SEED), "deals": self.deals, "tables": tables}

    def is_best(self, measurement: Measurement) -> bool:
        """Whether no earlier measurement was as good."""
        return self.best is None or measurement.score < self.best

    def recall(self, strength: dict[str, Any]) -> None:
        """Take the best score from a checkpoint's ``strength``, if it was measured likewise."""
        tables = strength.get("tables")
        if not isinstance(tables, dict) or list(tables) != list(self.tables):
            return
        if (strength.get("seed"), strength.get("deals")) == (str(SEED), self.deals):
            self.best = sum(float(entry["mean"]) for entry in tables.values()) / len(tables)
