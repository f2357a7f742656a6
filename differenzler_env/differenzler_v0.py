"""PettingZoo's module of the environment, version 0: ``differenzler_v0.env()`` and its
relatives."""

from .envs.aec import raw_env
from .envs.illegal import env, parallel_env

__all__ = ["env", "parallel_env", "raw_env"]
