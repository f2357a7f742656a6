"""Evaluation: duplicate matches, statistics and what they say. Uses agents and engine."""

from .evaluate import Evaluation, evaluate
from .statistics import Estimate, bootstrap_estimate, normal_estimate

__all__ = ["Estimate", "Evaluation", "bootstrap_estimate", "evaluate", "normal_estimate"]
