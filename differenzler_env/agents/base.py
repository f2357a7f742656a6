"""Agents: what a player is. It gets a view of what its seat may know and randomness, nothing else.

An agent chooses for one view (:meth:`Agent.act`) or for many at once (:meth:`Agent.act_batch`). A
class defines one of the two, or both; the base class derives the other, so that both choose alike.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from ..actions import NUM_ACTIONS, parse_action
from ..engine.state import VIEW
from ..rules import Rules
from ..view import PlayerView

Records = npt.NDArray[np.void]
Keys = npt.NDArray[np.uint64]
Actions = npt.NDArray[np.int64]


class KeyedGenerator(np.random.Generator):
    """A NumPy generator (Philox) that is a function of one 64-bit key.

    Attributes:
        key: the key, 0…2⁶⁴−1. Agents that choose from keys use it in place of drawing.
    """

    key: int

    def __init__(self, key: int) -> None:
        super().__init__(np.random.Philox(key=key))
        self.key = key
        self._spawned = 0

    def spawn(self, n_children: int) -> list[np.random.Generator]:
        """So many generators of further keys, other ones at each call; they do not depend on what
        has been drawn."""
        seeds = np.random.SeedSequence(self.key, n_children_spawned=self._spawned)
        self._spawned += n_children
        return [keyed_rng(seed.generate_state(1, np.uint64)[0]) for seed in seeds.spawn(n_children)]

    def __reduce__(self) -> Any:
        return KeyedGenerator, (self.key,), (self.bit_generator.state, self._spawned)

    def __setstate__(self, state: Any) -> None:
        if isinstance(state, tuple):
            self.bit_generator.state, self._spawned = state


def keyed_rng(key: int) -> KeyedGenerator:
    """The generator of a decision key: the same key gives the same draws."""
    return KeyedGenerator(int(key))


def key_of(rng: np.random.Generator) -> int:
    """The key of a :class:`KeyedGenerator`, or a key drawn from any other generator."""
    if isinstance(rng, KeyedGenerator):
        return rng.key
    return int(rng.integers(0, 1 << 64, dtype=np.uint64))


def uniforms(keys: Keys) -> npt.NDArray[np.float64]:
    """Numbers in [0, 1) from decision keys, by their upper 53 bits."""
    return (keys >> np.uint64(11)).astype(np.float64) * 2.0**-53


def check_rows(views: Records, keys: Keys) -> None:
    """What compiled agents rely on, as their kernels do not check it.

    Raises:
        ValueError: unless these are VIEW ``[n]`` and uint64 ``[n]``.
    """
    for name, rows, kind in (("views", views, VIEW), ("keys", keys, np.dtype(np.uint64))):
        if not isinstance(rows, np.ndarray) or rows.dtype != kind or rows.ndim != 1:
            wanted = "VIEW records" if kind is VIEW else "uint64"
            raise ValueError(f"{name} should be a one-dimensional array of {wanted}")
    if len(views) != len(keys):
        raise ValueError(f"there are {len(keys)} keys for {len(views)} views; give one a view")


def as_actions(actions: Any, count: int) -> Actions:
    """What an ``act_batch`` returned, as int64 ``[count]``; numbers outside the action space become
    one that is too high.

    Raises:
        TypeError: unless it is ``count`` integers.
    """
    actions = np.asarray(actions)
    if actions.shape != (count,) or actions.dtype.kind not in "iu":
        raise TypeError(
            f"act_batch returned {actions.dtype} {list(actions.shape)}, not integers [{count}]"
        )
    outside = (actions < 0) | (actions >= NUM_ACTIONS)
    return np.where(outside, NUM_ACTIONS, actions).astype(np.int64)


class Agent:
    """A player for one rule set.

    Subclasses define :meth:`act` or :meth:`act_batch` (or both, choosing alike). A choice depends
    on view and key only: not on the batch, on earlier calls or on the process.

    Attributes:
        rules: the rules it plays by.
        spec: text that loads the same agent again, or a name where there is no such text.
        from_spec: whether ``load(spec, rules)`` gives the same agent again.
    """

    rules: Rules
    spec: str = ""
    from_spec: bool = False

    def __init__(self, rules: Rules) -> None:
        kind = type(self)
        if kind.act is Agent.act and kind.act_batch is Agent.act_batch:
            raise TypeError(f"{kind.__name__} defines neither act nor act_batch")
        self.rules = rules
        self.spec = self.spec or kind.__name__

    @property
    def batched(self) -> bool:
        """Whether many choices at once are the agent's own form (else they are made one by one)."""
        return type(self).act_batch is not Agent.act_batch

    def act(self, view: PlayerView, rng: np.random.Generator) -> int:
        """The action 0…193 chosen for one view; ``rng`` is the only source of randomness.

        Raises:
            ValueError: for the view of a seat that is not to act.
        """
        if view.current_seat != view.seat:
            raise ValueError(f"seat {view.seat} is not to act; an agent is asked when it is")
        keys = np.array([key_of(rng)], np.uint64)
        return int(as_actions(self.act_batch(view.record, keys), 1)[0])

    def act_batch(self, views: Records, keys: Keys) -> Actions:
        """Actions int64 ``[n]`` for view records ``[n]`` and keys uint64 ``[n]``, one a record.

        Derived from :meth:`act`, whose views then tell of no settled deals.
        """
        actions = np.empty(len(views), np.int64)
        for row in range(len(views)):
            view = PlayerView(self.rules, views[row : row + 1].copy())  # one row and no other
            actions[row] = parse_action(self.act(view, keyed_rng(int(keys[row]))))
        return actions

    def __reduce_ex__(self, protocol: Any) -> Any:
        if self.from_spec:
            return _load_again, (self.spec, self.rules)
        return super().__reduce_ex__(protocol)

    def __repr__(self) -> str:
        return f"<agent {self.spec}>"


def _load_again(spec: str, rules: Rules) -> Agent:
    """Pickled agents travel as their spec: another process loads them anew."""
    from .registry import load

    return load(spec, rules)
