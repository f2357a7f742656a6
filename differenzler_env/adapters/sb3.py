"""Adapters: Stable-Baselines3's ``VecEnv`` over the batch engine. Needs the extra ``sb3``."""

from collections.abc import Iterable, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from ..actions import NUM_ACTIONS
from ..envs.vector import DifferenzlerVectorEnv
from . import needed

with needed("sb3"):
    from stable_baselines3.common.vec_env import VecEnv

Indices = None | int | Iterable[int]


class DifferenzlerVecEnv(VecEnv):
    """Many learners, each at its own table, all in one process.

    Step for step what ``DummyVecEnv`` gives over as many single environments, and much faster.

    | returned by ``step`` | form |
    |---|---|
    | observations | ``observation`` float32 [n, N], ``action_mask`` int8 [n, 194]; or vectors |
    | rewards | float32 [n] |
    | dones | bool [n]; a row that is done already shows the first observation of its next match |
    | infos | a dict a row: ``action_mask`` int8 [194]; ``deal`` in steps that settle one; where a |
    | | match ends ``terminal_observation``, with mask and deal as they were at its end, and |
    | | ``illegal`` where an illegal action ended it |

    ``env_method("action_masks")`` gives the masks, bool [194] a row, without computing them anew.
    ``get_attr`` reads attributes of the vector environment: arrays row by row, all else repeated.
    Seeds and options as in SB3: ``seed(s)`` and ``set_options`` hold for the next ``reset`` only.
    Rewards are points, down to −157 a deal: ``VecNormalize(env, norm_obs=False, gamma=1.0)`` brings
    them to a critic's scale.

    Args:
        num_envs: number of rows, n.
        kwargs: as for :class:`~differenzler_env.envs.vector.DifferenzlerVectorEnv`: rules, seat,
            opponents, objective, flat, illegal, render_mode, render_seat, deals, render_cards.

    Raises:
        ValueError: for settings that the environment refuses.
    """

    def __init__(self, num_envs: int = 1, **kwargs: Any) -> None:
        self.vector = DifferenzlerVectorEnv(
            num_envs, autoreset_mode=AutoresetMode.SAME_STEP, **kwargs
        )
        self._masks = np.ones((num_envs, NUM_ACTIONS), np.bool_)
        self._actions: NDArray[Any] | None = None
        super().__init__(
            num_envs, self.vector.single_observation_space, self.vector.single_action_space
        )

    def reset(self) -> Any:
        """Start a match in every row; the first observations."""
        deals = [options.get("deal") for options in self._options]
        observations, infos = self.vector.reset(
            seed=self._seeds if any(seed is not None for seed in self._seeds) else None,
            options={"deal": deals} if any(deal is not None for deal in deals) else None,
        )
        self._masks = infos["action_mask"].astype(np.bool_)
        self.reset_infos = [{"action_mask": mask} for mask in infos["action_mask"]]
        self._reset_seeds()
        self._reset_options()
        return observations

    def step_async(self, actions: NDArray[Any]) -> None:
        """Take the actions, integers [n], of the next ``step_wait``."""
        self._actions = actions

    def step_wait(
        self,
    ) -> tuple[Any, NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Play the actions given; observations, rewards, dones and infos.

        Raises:
            ValueError: for actions of another shape or kind, or outside the action space; with
                ``illegal="raise"`` for an illegal bid or card. Nothing is changed then.
        """
        observations, rewards, dones, _, infos = self.vector.step(self._actions)
        self._masks = infos["action_mask"].astype(np.bool_)
        rows = [
            {"action_mask": mask, "TimeLimit.truncated": False} for mask in infos["action_mask"]
        ]
        if "deal" in infos:
            _tell_deals(rows, infos)
        if "final_info" in infos:
            final = infos["final_info"]
            for row in np.flatnonzero(dones):
                rows[row]["action_mask"] = final["action_mask"][row]
                rows[row]["terminal_observation"] = infos["final_obs"][row]
            if "deal" in final:
                _tell_deals(rows, final)
            if "illegal" in final:
                for row in np.flatnonzero(final["_illegal"]):
                    rows[row]["illegal"] = final["illegal"][row]
        return observations, rewards.astype(np.float32), dones, rows

    def close(self) -> None:
        """Let go of what the environment holds."""
        self.vector.close()

    def get_images(self) -> Sequence[NDArray[np.uint8] | None]:
        """A picture a row under ``render_mode="rgb_array"``, else None a row."""
        if self.render_mode != "rgb_array":
            return [None] * self.num_envs
        return list(self.vector.render())

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """An attribute for each of the rows.

        Raises:
            AttributeError: if the environment has none of that name.
        """
        own = {
            "action_space": self.vector.single_action_space,
            "observation_space": self.vector.single_observation_space,
        }
        value = own[attr_name] if attr_name in own else getattr(self.vector, attr_name)
        return self._by_row(value, indices)

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        """Set an attribute, in all rows.

        Raises:
            ValueError: for some rows only: they are one environment.
        """
        if len(self._rows(indices)) != self.num_envs:
            raise ValueError(
                f"{attr_name!r} can be set for all {self.num_envs} rows only: they are one "
                "environment"
            )
        setattr(self.vector, attr_name, value)

    def env_method(
        self, method_name: str, *method_args: Any, indices: Indices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Call a method of the vector environment once; its result for each of the rows.

        Raises:
            AttributeError: if the environment has none of that name.
        """
        if method_name == "action_masks":
            return [self._masks[row] for row in self._rows(indices)]
        return self._by_row(
            getattr(self.vector, method_name)(*method_args, **method_kwargs), indices
        )

    def env_is_wrapped(
        self, wrapper_class: type[gymnasium.Wrapper[Any, Any, Any, Any]], indices: Indices = None
    ) -> list[bool]:
        """False for each of the rows: wrappers go around the whole, such as ``VecMonitor``."""
        return [False] * len(self._rows(indices))

    def _rows(self, indices: Indices) -> list[int]:
        return [int(row) for row in self._get_indices(indices)]

    def _by_row(self, value: Any, indices: Indices) -> list[Any]:
        """A value for each of the rows: its own where there is one a row, else the same for all."""
        split = isinstance(value, (np.ndarray, tuple)) and len(value) == self.num_envs
        return [value[row] if split else value for row in self._rows(indices)]


def _tell_deals(rows: list[dict[str, Any]], infos: dict[str, Any]) -> None:
    """Put the results of settled deals into the infos of their rows."""
    deal = infos["deal"]
    for row in np.flatnonzero(infos["_deal"]):
        rows[row]["deal"] = {key: int(deal[key][row]) for key in ("bid", "points", "penalty")}
