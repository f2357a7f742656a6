"""Training: playing deals, many in lockstep, as every deal has as many decisions as any other."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from differenzler_env import Batch
from differenzler_env.actions import NUM_BIDS
from differenzler_env.agents.base import uniforms
from differenzler_env.agents.torch_network import (
    PolicyNetwork,
    choose,
    masked_log_probabilities,
)
from differenzler_env.cards import NUM_CARDS
from differenzler_env.errors import IllegalActionError
from differenzler_env.observation import STATE_SIZE
from differenzler_env.rules import Rules

from .config import ConfigError
from .critic import TableFeatures
from .pool import Pool, Seating

Indices = npt.NDArray[np.int64]


class Distribution(NamedTuple):
    """How a network's outputs ``[n, k]`` and the mask of legal actions ``[n, k]`` become
    log-probabilities ``[n, k]``."""

    bids: Callable[[Tensor, Tensor], Tensor]
    cards: Callable[[Tensor, Tensor], Tensor]


BY_LOGITS = Distribution(masked_log_probabilities, masked_log_probabilities)
"""The outputs are logits."""


@dataclass
class Rollout:
    """The learner's decisions in one batch of deals, and nobody else's; N of them, the bids first.

    Forced plays are not among them: with one legal card there is nothing to learn.
    """

    rows: Tensor
    """Table rows ``[N, size]``: the policy's inputs, then what only the critic sees."""
    num_bids: int
    bid_masks: Tensor
    """bool ``[num_bids, 158]``"""
    card_masks: Tensor
    """bool ``[N − num_bids, 36]``, in own suits"""
    actions: Tensor
    """int64 ``[N]``: the bid, or the card in own suits"""
    log_probabilities: Tensor
    """float32 ``[N]``, of the actions when they were chosen"""
    places: Tensor
    """int64 ``[N]``: where each decision stands in ``[D, P, G]``, flattened"""
    shape: tuple[int, int, int]
    """D decisions of a seat in a deal, P seats, G games"""
    penalties: Tensor
    """float32 ``[P, G]``, in points"""
    bids: Tensor
    """int16 ``[P, G]``"""
    points: Tensor
    """int16 ``[P, G]``"""
    learner: Tensor
    """bool ``[P, G]``: the seats that the learner played"""

    @property
    def num_decisions(self) -> int:
        """All decisions of the learner's seats, forced plays included."""
        return int(self.learner.sum()) * self.shape[0]

    def outcomes(self, scale: float) -> Tensor:
        """What the seat of each decision earned in its deal, float32 ``[N]``, in units of
        ``scale`` points."""
        earned = (-self.penalties / scale).expand(self.shape).reshape(-1)
        return earned[self.places]


class Decisions(NamedTuple):
    """The real decisions of the learner's seats in one step, n of them; fields as in
    :class:`Rollout`."""

    mask: Tensor
    """bool ``[n, 158]`` of bids, ``[n, 36]`` of cards"""
    actions: Tensor
    log_probabilities: Tensor
    places: Tensor


class Collector:
    """Plays single deals, many at once.

    What it plays is a function of the seed given to :meth:`collect`, of the weights and of the
    pool.

    Args:
        rules: rules with ``deals=1``.
        games: G, number of games.
        first_row: number of the first game among those of all processes.
        features: from state vectors to table rows.
        dtype: torch type in which rows are kept and matrices multiplied.
        device: where the networks are.
        pool: who else sits at the tables.
    """

    def __init__(
        self,
        rules: Rules,
        games: int,
        first_row: int,
        features: TableFeatures,
        dtype: torch.dtype,
        device: torch.device,
        pool: Pool,
    ) -> None:
        self.pool = pool
        self.rules, self.games, self.features = rules, games, features
        self.dtype, self.device = dtype, device
        self.batch = Batch(games, rules, seed=0, first_row=first_row)
        self.decisions = 1 + rules.tricks
        self._state = np.empty((games, STATE_SIZE), np.float32)
        most = games * rules.players * self.decisions
        self._rows = torch.empty((most, features.size), dtype=dtype, device=device)
        self._filled = 0

    @torch.no_grad()
    def collect(
        self, policy: PolicyNetwork, seed: int, distribution: Distribution = BY_LOGITS
    ) -> Rollout:
        """Play one deal in every game: the learner's seats by the policy, others by the pool.

        Raises:
            ConfigError: if an agent of the pool chooses an action that is not legal.
        """
        players = self.rules.players
        self.batch.reset(seed=seed)
        self._filled = 0
        # Drawn once a deal: who sits down for its first bid also plays its last card.
        seating = self.pool.seat(self.batch)
        parts = [
            self._step(policy, distribution, step // players, seating)
            for step in range(players * self.decisions)
        ]
        # The learner has nothing to decide in some steps, as in the last tricks.
        bids_made = [part for part in parts[:players] if part is not None]
        cards_played = [part for part in parts[players:] if part is not None]
        made = bids_made + cards_played
        settled = self.batch.settled
        bids, points, penalties = (
            torch.from_numpy(np.ascontiguousarray(array.T)).to(self.device) for array in settled
        )
        return Rollout(
            rows=self._rows[: self._filled],
            num_bids=sum(len(part.mask) for part in bids_made),
            bid_masks=torch.cat([part.mask for part in bids_made]),
            card_masks=torch.cat([part.mask for part in cards_played]),
            actions=torch.cat([part.actions for part in made]),
            log_probabilities=torch.cat([part.log_probabilities for part in made]),
            places=torch.cat([part.places for part in made]),
            shape=(self.decisions, players, self.games),
            penalties=penalties.float(),
            bids=bids,
            points=points,
            learner=torch.from_numpy(seating.learner).to(self.device),
        )

    def _step(
        self, policy: PolicyNetwork, distribution: Distribution, decision: int, seating: Seating
    ) -> Decisions | None:
        """Let the seat to act of every game act.

        Returns:
            The learner's real decisions; None where there were none.
        """
        batch, everyone = self.batch, np.arange(self.games)
        seats = batch.current_seat.astype(np.int64)
        legal, bidding = batch.legal_mask(), decision == 0
        actions = np.empty(self.games, np.int64)
        forced = legal.sum(axis=1) == 1
        actions[forced] = legal[forced].argmax(axis=1)
        if seating.others is not None:
            asked = np.where(forced[:, None], -1, seating.others)
            answers = self.pool.choose(batch, asked)
            here = asked[everyone, seats] >= 0
            actions[here] = answers[here]
        rows = np.flatnonzero(seating.learner[seats, everyone] & ~forced)
        if not len(rows):
            self._play(actions, seating)
            return None
        inputs, orders = self.features(batch.state(self._state), rows)
        kept = self._rows[self._filled : self._filled + len(rows)]
        kept.copy_(inputs)
        self._filled += len(rows)
        seen = kept[:, : self.features.policy_size]
        uniform = torch.from_numpy(uniforms(batch.decision_keys()[rows])).to(self.device)
        with torch.autocast(self.device.type, self.dtype, enabled=self.dtype != torch.float32):
            logits = policy.bid_logits(seen) if bidding else policy.card_logits(seen)
        own_cards = policy.features.own_cards(orders)
        if bidding:
            mask = torch.from_numpy(legal[rows, :NUM_BIDS] > 0).to(self.device)
        else:
            playable = torch.from_numpy(legal[rows, NUM_BIDS:] > 0)
            mask = playable.to(self.device).gather(1, own_cards)
        chances = distribution.bids if bidding else distribution.cards
        log_probabilities = chances(logits, mask)
        chosen = choose(log_probabilities, uniform)
        cards = own_cards.gather(1, chosen[:, None] % NUM_CARDS)[:, 0]
        actions[rows] = (chosen if bidding else NUM_BIDS + cards).cpu().numpy()
        self._play(actions, seating)
        places = (decision * self.rules.players + seats[rows]) * self.games + rows
        return Decisions(
            mask,
            chosen,
            log_probabilities.gather(1, chosen[:, None])[:, 0],
            torch.from_numpy(places).to(self.device),
        )

    def _play(self, actions: Indices, seating: Seating) -> None:
        """One action in every game; where others play too, all are checked."""
        try:
            self.batch.step(actions, check=seating.others is not None)
        except IllegalActionError as error:
            raise ConfigError(f"an agent of the pool broke the rules: {error}") from None
