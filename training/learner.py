"""Training: one PPO learner, from weights and an update number to the next weights.

All randomness is a function of the seed, the update and the process: nothing else has to be kept to
go on exactly where a run stopped than weights, Adam's moments and the counters.
"""

import time
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch import distributed as dist
from torch.nn.parallel import DistributedDataParallel

from differenzler_env.agents.registry import find_file
from differenzler_env.agents.torch_network import PolicyNetwork
from differenzler_env.checkpoint import load
from differenzler_env.evaluation.statistics import bid_floor

from .advantages import moments, normalised, seat_advantages
from .config import Config, ConfigError
from .critic import Critic, TableFeatures
from .losses import FIGURES, PPOLoss, take
from .pool import Pool
from .rollout import Collector, Rollout

VALUE_CHUNK = 8192


@dataclass
class Counters:
    """How far a run has come."""

    updates: int = 0
    deals: int = 0
    decisions: int = 0
    seconds: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """The counters by name."""
        return {entry.name: getattr(self, entry.name) for entry in fields(self)}


class Learner:
    """Policy, critic and optimiser of a run.

    Attributes:
        average: the policy's weights averaged over updates, by name. Copies that learn together
            drift together, all bidding a little high or low; the average stays in the middle.
        pool: who else sits at its tables.

    Args:
        config: the settings.
        rank: number of this process.
        processes: number of processes that learn together; ``torch.distributed`` is set up if more
            than one.

    Raises:
        ConfigError: if the pool or the checkpoint to start with cannot be.
    """

    def __init__(self, config: Config, rank: int = 0, processes: int = 1) -> None:
        self.config, self.rank, self.processes = config, rank, processes
        self.rules = config.deal_rules()
        self.device = torch.device(config.device)
        self.dtype = matrix_type(config.precision, self.device)
        self.progress = Counters()
        torch.manual_seed(_seed(config.seed, 0) & 0x7FFF_FFFF_FFFF_FFFF)
        self.policy = self._first_policy().to(self.device)
        self.features = TableFeatures(self.policy.features).to(self.device)
        self.critic = Critic(self.features.size, config.critic_width, config.critic_blocks)
        self.critic.to(self.device)
        self.loss = PPOLoss(self.policy, self.critic, config.clip, self.dtype)
        self._step_loss: torch.nn.Module = self.loss
        if processes > 1:
            self._step_loss = DistributedDataParallel(self.loss)
        self.optimiser = torch.optim.Adam(
            self.loss.parameters(), lr=config.learning_rate, eps=1e-5, fused=True
        )
        self.average = {
            name: parameter.detach().clone() for name, parameter in self.policy.named_parameters()
        }
        self.pool = Pool(config, self.rules)
        games = config.games // processes
        self.collector = Collector(
            self.rules, games, rank * games, self.features, self.dtype, self.device, self.pool
        )

    def _first_policy(self) -> PolicyNetwork:
        """The policy before the first update: fresh, or that of a checkpoint."""
        config = self.config
        if not config.start:
            return PolicyNetwork.for_rules(
                self.rules, width=config.width, blocks=config.blocks, bid_blocks=config.bid_blocks
            )
        try:
            tensors, document = load(find_file(config.start), self.rules)
            policy = PolicyNetwork(**document["network"])
            policy.load_state_dict({name: torch.from_numpy(a) for name, a in tensors.items()})
        except (KeyError, TypeError, ValueError, RuntimeError) as error:
            raise ConfigError(f"start: {' '.join(str(error).split())}") from None
        return policy

    # One update ----------------------------------------------------------------------------

    def update(self) -> dict[str, float]:
        """Play one deal in every game and learn from it; the figures of this update."""
        started = time.perf_counter()
        number = self.progress.updates + 1
        if self.pool.due(number - 1):
            self.pool.remember(number - 1, self.average, self.policy.shape)
        rollout = self.collector.collect(self.policy, _seed(self.config.seed, number, 1))
        advantages, returns, figures = self.judge(rollout)
        collected = time.perf_counter()
        figures |= self._learn(rollout, advantages, returns, number)
        self._average(number)
        seconds = time.perf_counter() - started
        played = torch.tensor(float(rollout.num_decisions), dtype=torch.float64).to(self.device)
        decisions = int(self._total(played))
        self.progress.updates = number
        self.progress.deals += self.collector.games * self.processes
        self.progress.decisions += decisions
        self.progress.seconds += seconds
        figures["decisions_per_second"] = decisions / seconds
        figures["collect_seconds"] = collected - started
        figures["learn_seconds"] = seconds - (collected - started)
        return figures

    @torch.no_grad()
    def judge(self, rollout: Rollout) -> tuple[Tensor, Tensor, dict[str, float]]:
        """Advantages ``[N]`` of a rollout, normalised apart for bids and cards, the critic's
        targets ``[N]``, and figures about the play in it."""
        scale = self.config.reward_scale
        values = torch.cat([self.values(chunk) for chunk in rollout.rows.split(VALUE_CHUNK)])
        table = torch.zeros(rollout.shape, device=self.device)
        table.view(-1)[rollout.places] = values
        real = torch.zeros(rollout.shape, dtype=torch.bool, device=self.device)
        real.view(-1)[rollout.places] = True
        rewards = torch.zeros_like(table)
        rewards[-1] = -rollout.penalties / scale
        over = torch.zeros_like(rewards[0])
        raw = seat_advantages(table, rewards, real, over, self.config.gae_lambda)
        raw = raw.view(-1)[rollout.places]
        advantages = torch.empty_like(raw)
        for part in (slice(0, rollout.num_bids), slice(rollout.num_bids, None)):
            advantages[part] = normalised(raw[part], self._total(moments(raw[part])))
        outcome = rewards[-1].expand(rollout.shape).reshape(-1)[rollout.places]
        error, spread = moments(outcome - values), moments(outcome)
        known = self._total(torch.cat([error, spread])).tolist()
        figures = self._play_figures(rollout)
        figures["explained_variance"] = 1.0 - _variance(known[:3]) / max(
            _variance(known[3:]), 1e-12
        )
        return advantages, raw + values, figures

    def _play_figures(self, rollout: Rollout) -> dict[str, float]:
        """How the learner's seats fared, everywhere and, where there are any, at the tables with
        agents of the pool; and how those did."""
        learner, penalties = rollout.learner, rollout.penalties.double()
        mixed = ~learner.all(dim=0)
        floor = bid_floor(rollout.bids.T.cpu().numpy(), rollout.points.T.cpu().numpy())
        groups = {
            "penalty": penalties[learner],
            # Zero, or a bonus: below zero with `exact_bonus`.
            "exact": penalties[learner] <= 0,
            "bid": rollout.bids[learner],
            "floor": torch.from_numpy(floor).to(self.device),
            "pool_penalty": penalties[learner & mixed],
            "pool_others": penalties[~learner],
        }
        sums = self._total(torch.stack([moments(values)[:2] for values in groups.values()]))
        return {
            name: total / count
            for name, (count, total) in zip(groups, sums.tolist(), strict=True)
            if count
        }

    def values(self, rows: Tensor) -> Tensor:
        """The critic's values of table rows, in units of the trainer's rewards."""
        with torch.autocast(self.device.type, self.dtype, enabled=self.dtype != torch.float32):
            values: Tensor = self.critic(rows)
            return values

    def _learn(
        self, rollout: Rollout, advantages: Tensor, returns: Tensor, number: int
    ) -> dict[str, float]:
        config = self.config
        share = min(1.0, self.progress.deals / config.deals)
        rate = config.final_learning_rate + (1 - share) * (
            config.learning_rate - config.final_learning_rate
        )
        rate *= min(1.0, number / (config.warm_up + 1))
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        bonus = 1.0 + share * (config.final_entropy - 1.0)
        shuffler = torch.Generator().manual_seed(
            _seed(config.seed, number, 2, self.rank) & 0x7FFF_FFFF_FFFF_FFFF
        )
        total = torch.zeros(len(FIGURES), device=self.device)
        first_error = 0.0
        for epoch in range(config.epochs):
            bids = torch.randperm(rollout.num_bids, generator=shuffler).to(self.device)
            cards = torch.randperm(len(rollout.rows) - rollout.num_bids, generator=shuffler)
            cards = cards.to(self.device) + rollout.num_bids
            parts = zip(
                bids.tensor_split(config.minibatches),
                cards.tensor_split(config.minibatches),
                strict=True,
            )
            for step, (some_bids, some_cards) in enumerate(parts):
                batch = take(rollout, advantages, returns, some_bids, some_cards)
                loss, figures = self._step_loss(
                    batch, bonus * config.bid_entropy, bonus * config.card_entropy
                )
                self.optimiser.zero_grad(set_to_none=True)
                loss.backward()
                for network in (self.policy, self.critic):
                    torch.nn.utils.clip_grad_norm_(network.parameters(), config.max_gradient)
                self.optimiser.step()
                total += figures
                if epoch == step == 0:
                    first_error = float(figures[-1])
        steps = config.epochs * config.minibatches * self.processes
        result = dict(zip(FIGURES, (self._total(total) / steps).tolist(), strict=True))
        return result | {"ratio_error": first_error, "learning_rate": rate}

    @torch.no_grad()
    def _average(self, number: int) -> None:
        """Move the averaged weights on; early on they follow quickly."""
        kept = min(self.config.averaging, number / (number + 10.0))
        for name, parameter in self.policy.named_parameters():
            self.average[name].lerp_(parameter, 1.0 - kept if self.config.averaging else 1.0)

    def _total(self, numbers: Tensor) -> Tensor:
        """Sums over all processes."""
        if self.processes > 1:
            dist.all_reduce(numbers)
        return numbers

    # What a run is, to be kept and put back --------------------------------------------------

    def tensors(self) -> dict[str, Any]:
        """All weights and Adam's moments as NumPy arrays."""
        arrays = {}
        names = [name for name, _ in self.loss.named_parameters()]
        for name, parameter in self.loss.named_parameters():
            arrays["weights." + name] = _array(parameter)
        for name, tensor in self.average.items():
            arrays["average." + name] = _array(tensor)
        for index, state in self.optimiser.state_dict()["state"].items():
            for key, value in state.items():
                arrays[f"adam.{key}.{names[index]}"] = _array(value)
        return arrays

    def restore(self, arrays: dict[str, Any], progress: dict[str, Any]) -> None:
        """Put back what :meth:`tensors` gave.

        Raises:
            ValueError: if the shapes are those of other networks.
        """
        state: dict[int, dict[str, Tensor]] = {}
        for index, (name, parameter) in enumerate(self.loss.named_parameters()):
            saved = arrays.get("weights." + name)
            if saved is None or tuple(saved.shape) != tuple(parameter.shape):
                was = "missing" if saved is None else f"of shape {tuple(saved.shape)}"
                raise ValueError(f"weights {name!r} are {was}, not {tuple(parameter.shape)}")
            with torch.no_grad():
                parameter.copy_(torch.from_numpy(saved))
            for key in ("step", "exp_avg", "exp_avg_sq"):
                if f"adam.{key}.{name}" in arrays:
                    moment = torch.from_numpy(np.array(arrays[f"adam.{key}.{name}"]))
                    state.setdefault(index, {})[key] = moment
        for name, parameter in self.policy.named_parameters():
            saved = arrays.get("average." + name, arrays["weights.policy." + name])
            self.average[name] = torch.from_numpy(saved.copy()).to(parameter.device)
        groups = self.optimiser.state_dict()["param_groups"]
        self.optimiser.load_state_dict({"state": state, "param_groups": groups})
        self.progress = Counters(**progress)


def matrix_type(precision: str, device: torch.device) -> torch.dtype:
    """The type of matrix products: bfloat16 where the processor multiplies it in hardware."""
    if precision == "auto":
        if device.type == "cuda":
            fast = torch.cuda.is_bf16_supported()
        else:
            fast = bool(torch.backends.mkldnn.is_available() and _has_bfloat16())
        return torch.bfloat16 if fast else torch.float32
    return torch.bfloat16 if precision == "bfloat16" else torch.float32


def _has_bfloat16() -> bool:
    """Whether the processor has bfloat16 instructions (AVX512-BF16 or AMX)."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            flags = next((line for line in file if line.startswith(("flags", "Features"))), "")
    except OSError:
        return False
    return any(flag in flags.split() for flag in ("avx512_bf16", "amx_bf16", "bf16"))


def _seed(*numbers: int) -> int:
    """A seed of 64 bits from several numbers."""
    return int(np.random.SeedSequence(numbers).generate_state(1, np.uint64)[0])


def _array(tensor: Tensor) -> np.ndarray:
    return tensor.detach().cpu().numpy().copy()


def _variance(total: list[float]) -> float:
    count, one, two = total
    return two / count - (one / count) ** 2
