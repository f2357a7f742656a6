"""Training: what all learners share. They play a deal in every game, then learn from it.

All randomness is a function of the seed, the update and the process: nothing else has to be kept to
go on exactly where a run stopped than weights, Adam's moments and the counters.
"""

import time
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch import distributed as dist
from torch.nn.parallel import DistributedDataParallel

from differenzler_env.agents.registry import find_file
from differenzler_env.agents.torch_network import PolicyNetwork
from differenzler_env.checkpoint import read
from differenzler_env.evaluation.statistics import bid_floor

from .advantages import moments
from .config import ConfigError, RunConfig
from .critic import TableFeatures
from .losses import Loss, take
from .pool import Pool
from .rollout import Collector, Distribution, Rollout


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


class SelfPlayLearner(ABC):
    """Networks and optimiser of a run.

    Attributes:
        sees_table: whether its rows tell of the other hands and bids, for a critic.
        policy: the network that plays.
        began_as: how the checkpoint that the policy began as was made, as its document tells;
            empty where it began as nothing.
        loss: all networks, and what they are to make small.
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

    sees_table: bool

    def __init__(self, config: RunConfig, rank: int = 0, processes: int = 1) -> None:
        self.config, self.rank, self.processes = config, rank, processes
        self.rules = config.deal_rules()
        self.device = torch.device(config.device)
        self.dtype = matrix_type(config.precision, self.device)
        self.progress = Counters()
        torch.manual_seed(_seed(config.seed, 0) & 0x7FFF_FFFF_FFFF_FFFF)
        self.began_as: dict[str, Any] = {}
        self.policy = self._first_policy().to(self.device)
        self.features = TableFeatures(self.policy.features, self.sees_table).to(self.device)
        self.loss = self.make_loss().to(self.device)
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
            path = find_file(config.start)
            policy = PolicyNetwork.from_checkpoint(path, self.rules)
            self.began_as = read(path)[1].get("training") or {}
        except ValueError as error:  # no such file, or a checkpoint that is none or for other rules
            raise ConfigError(f"start: {error}") from None
        return policy.deepened(config.more_blocks) if config.more_blocks else policy

    # What a kind of learner is ----------------------------------------------------------------

    @abstractmethod
    def make_loss(self) -> Loss:
        """The loss, with the policy and whatever other networks there are."""

    @abstractmethod
    def distribution(self) -> Distribution:
        """How the policy's outputs become the chances of actions while it learns."""

    @abstractmethod
    def targets(self, rollout: Rollout) -> tuple[tuple[Tensor, ...], dict[str, float]]:
        """What the loss holds each of the N decisions against, ``[N]`` each, and figures about the
        play."""

    def loss_arguments(self) -> tuple[float, ...]:
        """What else the loss wants in this update."""
        return ()

    # One update ------------------------------------------------------------------------------

    def update(self) -> dict[str, float]:
        """Play one deal in every game and learn from it; the figures of this update."""
        started = time.perf_counter()
        number = self.progress.updates + 1
        if self.pool.due(number - 1):
            self.pool.remember(number - 1, self.average, self.policy.shape)
        seed = _seed(self.config.seed, number, 1)
        rollout = self.collector.collect(self.policy, seed, self.distribution())
        targets, figures = self.targets(rollout)
        collected = time.perf_counter()
        figures |= self._learn(rollout, targets, number)
        self._average(number)
        seconds = time.perf_counter() - started
        played = torch.tensor(float(rollout.num_decisions), dtype=torch.float64).to(self.device)
        decisions = int(self.total(played))
        self.progress.updates = number
        self.progress.deals += self.collector.games * self.processes
        self.progress.decisions += decisions
        self.progress.seconds += seconds
        figures["decisions_per_second"] = decisions / seconds
        figures["collect_seconds"] = collected - started
        figures["learn_seconds"] = seconds - (collected - started)
        return figures

    @property
    def share_done(self) -> float:
        """How much of the run is done, 0…1."""
        return min(1.0, self.progress.deals / self.config.deals)

    def play_figures(self, rollout: Rollout) -> dict[str, float]:
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
        sums = self.total(torch.stack([moments(values)[:2] for values in groups.values()]))
        return {
            name: total / count
            for name, (count, total) in zip(groups, sums.tolist(), strict=True)
            if count
        }

    def _learn(
        self, rollout: Rollout, targets: tuple[Tensor, ...], number: int
    ) -> dict[str, float]:
        config = self.config
        rate = config.final_learning_rate + (1 - self.share_done) * (
            config.learning_rate - config.final_learning_rate
        )
        rate *= min(1.0, number / (config.warm_up + 1))
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        arguments = self.loss_arguments()
        shuffler = torch.Generator().manual_seed(
            _seed(config.seed, number, 2, self.rank) & 0x7FFF_FFFF_FFFF_FFFF
        )
        total = torch.zeros(len(self.loss.figures), device=self.device)
        at_first: Tensor | None = None
        for _ in range(config.epochs):
            bids = torch.randperm(rollout.num_bids, generator=shuffler).to(self.device)
            cards = torch.randperm(len(rollout.rows) - rollout.num_bids, generator=shuffler)
            cards = cards.to(self.device) + rollout.num_bids
            parts = zip(
                bids.tensor_split(config.minibatches),
                cards.tensor_split(config.minibatches),
                strict=True,
            )
            for some_bids, some_cards in parts:
                batch = take(rollout, targets, some_bids, some_cards)
                loss, figures = self._step_loss(batch, *arguments)
                self.optimiser.zero_grad(set_to_none=True)
                loss.backward()
                for network in self.loss.children():
                    torch.nn.utils.clip_grad_norm_(network.parameters(), config.max_gradient)
                self.optimiser.step()
                total += figures
                at_first = figures if at_first is None else at_first
        steps = config.epochs * config.minibatches * self.processes
        means = (self.total(total) / steps).tolist()
        result = dict(zip(self.loss.figures, means, strict=True))
        if at_first is not None:
            firsts = dict(zip(self.loss.figures, at_first.tolist(), strict=True))
            result |= {name: firsts[name] for name in self.loss.figures_at_first}
        return result | {"learning_rate": rate}

    @torch.no_grad()
    def _average(self, number: int) -> None:
        """Move the averaged weights on; early on they follow quickly."""
        kept = min(self.config.averaging, number / (number + 10.0))
        for name, parameter in self.policy.named_parameters():
            self.average[name].lerp_(parameter, 1.0 - kept if self.config.averaging else 1.0)

    def total(self, numbers: Tensor) -> Tensor:
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
