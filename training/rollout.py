"""Training: playing deals, many in lockstep, as every deal has as many decisions as any other."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from differenzler_env import Batch
from differenzler_env.actions import NUM_BIDS
from differenzler_env.agents.policy_network import (
    PolicyNetwork,
    choose,
    masked_log_probabilities,
)
from differenzler_env.cards import NUM_CARDS
from differenzler_env.observation import STATE_SIZE
from differenzler_env.rules import Rules

from .critic import TableFeatures

Indices = npt.NDArray[np.int64]


@dataclass
class Rollout:
    """The learner's decisions in one batch of deals; N of them, the bids first.

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


class Collector:
    """Plays single deals, many at once.

    What it plays is a function of the seed given to :meth:`collect` and of the weights.

    Args:
        rules: rules with ``deals=1``.
        games: G, number of games.
        first_row: number of the first game among those of all processes.
        features: from state vectors to table rows.
        dtype: torch type in which rows are kept and matrices multiplied.
        device: where the networks are.
    """

    def __init__(
        self,
        rules: Rules,
        games: int,
        first_row: int,
        features: TableFeatures,
        dtype: torch.dtype,
        device: torch.device,
    ) -> None:
        self.rules, self.games, self.features = rules, games, features
        self.dtype, self.device = dtype, device
        self.batch = Batch(games, rules, seed=0, first_row=first_row)
        self.decisions = 1 + rules.tricks
        self._state = np.empty((games, STATE_SIZE), np.float32)
        most = games * rules.players * self.decisions
        self._rows = torch.empty((most, features.size), dtype=dtype, device=device)
        self._filled = 0

    @torch.no_grad()
    def collect(self, policy: PolicyNetwork, seed: int) -> Rollout:
        """Play one deal in every game, all seats by the policy."""
        players = self.rules.players
        self.batch.reset(seed=seed)
        self._filled = 0
        learner = np.ones((players, self.games), np.bool_)
        parts = [
            self._step(policy, step // players, learner) for step in range(players * self.decisions)
        ]
        bid_parts = parts[:players]
        # Towards the end of a deal nobody has a choice: the last cards are all forced.
        card_parts = [part for part in parts[players:] if part]
        parts = bid_parts + card_parts
        settled = self.batch.settled
        bids, points, penalties = (
            torch.from_numpy(np.ascontiguousarray(array.T)).to(self.device) for array in settled
        )
        return Rollout(
            rows=self._rows[: self._filled],
            num_bids=sum(len(part[0]) for part in bid_parts),
            bid_masks=torch.cat([part[0] for part in bid_parts]),
            card_masks=torch.cat([part[0] for part in card_parts]),
            actions=torch.cat([part[1] for part in parts]),
            log_probabilities=torch.cat([part[2] for part in parts]),
            places=torch.cat([part[3] for part in parts]),
            shape=(self.decisions, players, self.games),
            penalties=penalties.float(),
            bids=bids,
            points=points,
            learner=torch.from_numpy(learner).to(self.device),
        )

    def _step(
        self, policy: PolicyNetwork, decision: int, learner: npt.NDArray[np.bool_]
    ) -> list[Tensor]:
        """Let the seat to act of every game act.

        Returns:
            Masks, actions, log-probabilities and places of the learner's real decisions; nothing
            where there were none.
        """
        batch, everyone = self.batch, np.arange(self.games)
        seats = batch.current_seat.astype(np.int64)
        legal = batch.legal_bits()
        bidding = decision == 0
        actions = np.empty(self.games, np.int64)
        mine = learner[seats, everyone]
        if not bidding:
            forced = legal & (legal - np.uint64(1)) == 0
            # The exponent of a power of two is the one bit that is set.
            actions[forced] = NUM_BIDS - 1 + np.frexp(legal[forced].astype(np.float64))[1]
            mine &= ~forced
        rows = np.flatnonzero(mine)
        if not len(rows):
            batch.step(actions, check=False)
            return []
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
            mask = torch.from_numpy(batch.legal_mask()[rows, :NUM_BIDS] > 0).to(self.device)
        else:
            bits = legal[rows, None] >> np.arange(NUM_CARDS, dtype=np.uint64) & np.uint64(1)
            mask = torch.from_numpy(bits > 0).to(self.device).gather(1, own_cards)
        log_probabilities = masked_log_probabilities(logits, mask)
        chosen = choose(log_probabilities, uniform)
        cards = own_cards.gather(1, chosen[:, None] % NUM_CARDS)[:, 0]
        actions[rows] = (chosen if bidding else NUM_BIDS + cards).cpu().numpy()
        batch.step(actions, check=False)
        places = (decision * self.rules.players + seats[rows]) * self.games + rows
        return [
            mask,
            chosen,
            log_probabilities.gather(1, chosen[:, None])[:, 0],
            torch.from_numpy(places).to(self.device),
        ]


def uniforms(keys: npt.NDArray[np.uint64]) -> npt.NDArray[np.float64]:
    """Numbers in [0, 1) from decision keys, by their upper 53 bits."""
    return (keys >> np.uint64(11)).astype(np.float64) * 2.0**-53
