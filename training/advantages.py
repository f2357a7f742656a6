"""Training: what each decision was worth, along each seat's own decisions."""

import torch
from torch import Tensor


def seat_advantages(
    values: Tensor, rewards: Tensor, real: Tensor, bootstrap: Tensor, gae_lambda: float
) -> Tensor:
    """Generalised advantage estimates (γ = 1) over the decisions of one seat after another.

    A forced play is no decision: what it leads to counts for the last decision before it.

    Args:
        values: float32 ``[D, ...]``, the critic's value at each decision of a seat.
        rewards: ``[D, ...]``, what the seat earned between this decision and its next.
        real: bool ``[D, ...]``, false for forced plays (their values are not read).
        bootstrap: ``[...]``, value of the seat's next decision after the last; 0 where the game is
            over.
        gae_lambda: λ in 0…1.

    Returns:
        float32 ``[D, ...]``; 0 where not real.
    """
    advantages = torch.zeros_like(values)
    running = torch.zeros_like(bootstrap)
    next_value = bootstrap.clone()
    earned = torch.zeros_like(bootstrap)
    for decision in range(values.shape[0] - 1, -1, -1):
        here = real[decision]
        earned = earned + rewards[decision]
        step = earned + next_value - values[decision] + gae_lambda * running
        advantages[decision] = torch.where(here, step, 0.0)
        running = torch.where(here, step, running)
        next_value = torch.where(here, values[decision], next_value)
        earned = torch.where(here, 0.0, earned)
    return advantages


def normalised(advantages: Tensor, total: "Tensor | None" = None) -> Tensor:
    """Advantages with mean 0 and standard deviation 1.

    Args:
        advantages: ``[n]``.
        total: count, sum and sum of squares ``[3]`` over all processes; this one's where not given.
    """
    if total is None:
        total = moments(advantages)
    count, mean = total[0], total[1] / total[0]
    variance = (total[2] / count - mean * mean).clamp_min(0.0)
    return ((advantages - mean) / (variance.sqrt() + 1e-8)).to(advantages.dtype)


def moments(numbers: Tensor) -> Tensor:
    """Count, sum and sum of squares, float64 ``[3]``."""
    wide = numbers.double()
    return torch.stack([torch.full_like(wide.sum(), wide.numel()), wide.sum(), wide.square().sum()])
