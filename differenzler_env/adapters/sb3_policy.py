"""Adapters: the package's policy network as MaskablePPO's policy, so that what it learns becomes a
checkpoint and plays as an agent. Needs the extra ``sb3``.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces

from ..actions import NUM_ACTIONS, NUM_BIDS
from ..agents.network_inputs import input_rows, useful_fields
from ..observation import SLICES
from ..rules import Rules
from . import given_rules, needed

with needed("sb3"):
    import torch
    from sb3_contrib import MaskablePPO
    from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
    from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
    from stable_baselines3.common.type_aliases import Schedule
    from torch import Tensor, nn

    from ..agents.torch_inputs import ObservationFeatures
    from ..agents.torch_network import PolicyNetwork, Trunk

_BID_PHASE = SLICES["phase"].start


class NetworkInputs(BaseFeaturesExtractor):
    """From observations to the network's inputs, the number of the suit order and whether it is a
    bid: float32 ``[n, size + 2]``. Holds tables, no weights.

    Args:
        observation_space: the environment's, a dict or the vector alone.
        fields: names of the observation's fields to read.
        players: seats at the table.
    """

    def __init__(
        self, observation_space: spaces.Space[Any], fields: list[str], players: int
    ) -> None:
        features = ObservationFeatures(fields, players)
        super().__init__(observation_space, features.size + 2)
        self.features = features

    def forward(self, observation: Any) -> Tensor:
        """Rows of features of a batch of observations."""
        vectors = observation["observation"] if isinstance(observation, Mapping) else observation
        bidding = vectors[:, _BID_PHASE : _BID_PHASE + 1]
        if vectors.device.type != "cpu":
            inputs, orders = self.features(vectors)
            return torch.cat([inputs, orders[:, None].float(), bidding], dim=1)
        # The kernel makes the same numbers, several times faster.
        count = len(vectors)
        rows = np.empty((count, self.features.size + 2), np.float32)
        numbers = np.empty(count, np.int64)
        plain = np.ascontiguousarray(vectors.detach().numpy())
        input_rows(plain, np.arange(count), self.features.tables, rows, numbers)
        rows[:, -2], rows[:, -1] = numbers, bidding[:, 0].numpy()
        return torch.from_numpy(rows)


class NetworkHeads(nn.Module):
    """The policy network and a value trunk beside it, in the place of SB3's two MLPs."""

    def __init__(self, shape: Mapping[str, Any]) -> None:
        super().__init__()
        self.network = PolicyNetwork(**shape)
        self.value_trunk = Trunk(self.network.features.size, shape["width"], shape["blocks"])
        self.latent_dim_pi = NUM_ACTIONS
        self.latent_dim_vf = int(shape["width"])

    def forward(self, features: Tensor) -> tuple[Tensor, Tensor]:
        """Logits ``[n, 194]`` and what the value is read from, ``[n, width]``."""
        return self.forward_actor(features), self.forward_critic(features)

    def forward_actor(self, features: Tensor) -> Tensor:
        """Logits of all actions, absolute suits; those of the other phase are 0 and masked."""
        bids = features[:, -1] > 0.5
        first, last = bids.nonzero()[:, 0], (~bids).nonzero()[:, 0]
        rows = torch.cat([first, last])
        of_bids, of_cards = self.network.split_logits(features[rows, :-2], len(first))
        orders = features[last, -2].long()
        of_cards = of_cards.gather(1, self.network.features.cards[orders])
        logits = torch.cat(
            [
                nn.functional.pad(of_bids, (0, NUM_ACTIONS - NUM_BIDS)),
                nn.functional.pad(of_cards, (NUM_BIDS, 0)),
            ]
        )
        back = torch.empty_like(rows)
        back[rows] = torch.arange(len(rows), device=rows.device)
        return logits[back]

    def forward_critic(self, features: Tensor) -> Tensor:
        """What the value is read from, ``[n, width]``."""
        value: Tensor = self.value_trunk(features[:, :-2])
        return value


class NetworkPolicy(MaskableActorCriticPolicy):
    """MaskablePPO's policy with the package's network in it.

    ``MaskablePPO(NetworkPolicy, env, policy_kwargs={"rules": rules.to_dict(), "width": 128})``

    Args:
        observation_space: as SB3 gives it.
        action_space: as SB3 gives it.
        lr_schedule: as SB3 gives it.
        rules: the rules of the environment: a :class:`Rules`, a name, a dict or None.
        width: as for ``PolicyNetwork``.
        blocks: as for ``PolicyNetwork``.
        bid_blocks: as for ``PolicyNetwork``.
        kwargs: the other arguments of SB3's policy; ``net_arch`` and its like have no effect.
    """

    def __init__(
        self,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        lr_schedule: Schedule,
        rules: Rules | str | Mapping[str, Any] | None = None,
        width: int = 128,
        blocks: int = 2,
        bid_blocks: int = 0,
        **kwargs: Any,
    ) -> None:
        self.rules = given_rules(rules)
        self.shape: dict[str, Any] = {
            "fields": useful_fields(self.rules),
            "players": self.rules.players,
            "width": width,
            "blocks": blocks,
            "bid_blocks": bid_blocks,
        }
        kwargs["features_extractor_class"] = NetworkInputs
        kwargs["features_extractor_kwargs"] = {
            "fields": self.shape["fields"],
            "players": self.shape["players"],
        }
        super().__init__(observation_space, action_space, lr_schedule, **kwargs)

    @property
    def network(self) -> PolicyNetwork:
        """The policy network."""
        heads: NetworkHeads = self.mlp_extractor  # type: ignore[assignment]
        return heads.network

    def _build(self, lr_schedule: Schedule) -> None:
        self.mlp_extractor = NetworkHeads(self.shape)  # type: ignore[assignment]
        self.action_net = nn.Identity()
        self.value_net = nn.Linear(self.shape["width"], 1)
        self.optimizer = self.optimizer_class(
            self.parameters(),
            lr=lr_schedule(1),  # type: ignore[call-arg]
            **self.optimizer_kwargs,
        )

    def _get_constructor_parameters(self) -> dict[str, Any]:
        data = super()._get_constructor_parameters()
        for name in ("features_extractor_class", "features_extractor_kwargs"):
            del data[name]
        names = ("width", "blocks", "bid_blocks")
        return data | {"rules": self.rules.to_dict()} | {name: self.shape[name] for name in names}


def save_agent(
    model: MaskablePPO, path: str | Path, training: Mapping[str, Any] | None = None
) -> None:
    """Write the policy of a model in memory as a checkpoint, which ``agents.load`` plays.

    Args:
        model: a MaskablePPO with a :class:`NetworkPolicy`.
        path: the file to write, ``*.safetensors``.
        training: JSON values that say how it was made.

    Raises:
        TypeError: for a model with another policy.
        CheckpointError: if the file cannot be written.
    """
    policy = model.policy
    if not isinstance(policy, NetworkPolicy):
        raise TypeError(
            f"the model's policy is a {type(policy).__name__}; only a NetworkPolicy becomes a "
            "checkpoint"
        )
    policy.network.to_checkpoint(path, policy.rules, training)
