"""Adapters: Ray RLlib, new API stack: the table as a multi-agent environment, the package's policy
network as a masked module for all seats, and books that are checked. Needs the extra ``rllib``.

RLlib's own ``PettingZooEnv`` serves the table rightly: each seat is told its reward when it acts
next, and all are told the last one at the end. What it lacks is masks in the module.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..envs.illegal import env as table_env
from ..envs.ledger import Ledger
from ..rule_text import get_rules
from ..rules import Rules
from . import given_rules, needed

with needed("rllib"):
    import torch
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.callbacks.callbacks import RLlibCallback
    from ray.rllib.core.columns import Columns
    from ray.rllib.core.rl_module.apis.value_function_api import ValueFunctionAPI
    from ray.rllib.core.rl_module.rl_module import RLModuleSpec
    from ray.rllib.core.rl_module.torch import TorchRLModule
    from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
    from torch import nn

    from ..agents.torch_network import PolicyNetwork, Trunk

MODULE = "every_seat"
"""The id of the one module that plays all seats."""


class Table(PettingZooEnv):
    """The AEC environment as RLlib's multi-agent environment, with a ledger.

    Args:
        config: ``rules`` as ``Rules.to_dict()``, a name or None; ``objective``.
    """

    env: Ledger

    def __init__(self, config: Mapping[str, Any]) -> None:
        super().__init__(Ledger(table_env(rules_of(config), config.get("objective", "penalty"))))
        # RLlib's own lists the agents in the order of a set, which differs from run to run.
        self.agents = self.possible_agents = list(self.env.possible_agents)


def rules_of(config: Mapping[str, Any]) -> Rules:
    """The rules named in a configuration."""
    return given_rules(config.get("rules"))


class MaskedPolicy(TorchRLModule, ValueFunctionAPI):
    """The package's policy network with a value trunk beside it; illegal actions have no chance.

    ``model_config``: ``rules`` as above, ``width`` and ``blocks`` as for ``PolicyNetwork``.
    """

    def setup(self) -> None:
        """Make the networks."""
        width, blocks = self.model_config["width"], self.model_config["blocks"]
        self.rules = rules_of(self.model_config)
        self.network = PolicyNetwork.for_rules(self.rules, width=width, blocks=blocks)
        self.value_trunk = Trunk(self.network.features.size, width, blocks)
        self.value_head = nn.Linear(width, 1)

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        seen = batch[Columns.OBS]
        # Finite, since RLlib takes differences of logits: e to the power of it is exactly 0. The
        # mask is all zero where a seat's match is over; its logits then serve nobody.
        logits = self.network(seen["observation"]).masked_fill(seen["action_mask"] == 0, -1e9)
        return {Columns.ACTION_DIST_INPUTS: logits}

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> torch.Tensor:
        """The value of what each seat sees, ``[n]``."""
        inputs, _ = self.network.features(batch[Columns.OBS]["observation"])
        values: torch.Tensor = self.value_head(self.value_trunk(inputs))[:, 0]
        return values


class Books(RLlibCallback):
    """Writes down for each match what RLlib booked and what its replay says.

    Metrics of the environment runners, sums: ``matches``, ``booked`` (rewards of all seats) and
    ``replayed`` (minus the penalties of the same matches, played again from their records).
    """

    def on_episode_end(
        self, *, episode: Any, metrics_logger: Any, env: Any, env_index: int, **kwargs: Any
    ) -> None:
        """RLlib calls this when a match is over."""
        ledger: Ledger = env.envs[env_index].unwrapped.env
        chunks = [*(kwargs.get("prev_episode_chunks") or ()), episode]
        booked = sum(chunk.get_return() for chunk in chunks)
        replayed = -int(ledger.penalties().sum())
        ledger.records.clear()
        for name, value in {"matches": 1, "booked": booked, "replayed": replayed}.items():
            metrics_logger.log_value(name, value, reduce="sum")


def self_play_config(
    rules: Rules | str | None = None, width: int = 128, blocks: int = 2
) -> PPOConfig:
    """PPO in self-play: one masked module in all seats. Runners and training are the caller's.

    Args:
        rules: a :class:`Rules`, a text such as ``"table?players=5"``, or None.
        width: of the networks.
        blocks: residual blocks of the networks.
    """
    settings = {"rules": get_rules(rules).to_dict()}
    model = settings | {"width": width, "blocks": blocks}
    config: PPOConfig = (
        PPOConfig()
        # RLlib's check takes a step without a mask: one worker in five would begin with a forfeit.
        .environment(Table, env_config=settings, disable_env_checking=True)
        .multi_agent(policies={MODULE}, policy_mapping_fn=lambda agent, episode, **_: MODULE)
        .rl_module(rl_module_spec=RLModuleSpec(module_class=MaskedPolicy, model_config=model))
        .callbacks(Books)
    )
    return config


def save_agent(
    module: MaskedPolicy, path: str | Path, training: Mapping[str, Any] | None = None
) -> None:
    """Write the policy of a module as a checkpoint, which ``agents.load`` plays.

    Args:
        module: a :class:`MaskedPolicy`, such as ``algorithm.get_module(MODULE)``.
        path: the file to write, ``*.safetensors``.
        training: JSON values that say how it was made.

    Raises:
        CheckpointError: if the file cannot be written.
    """
    module.network.to_checkpoint(path, module.rules, training)
