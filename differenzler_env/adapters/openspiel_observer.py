"""Adapters: what a seat knows, in the forms of OpenSpiel: tensors and strings of information
states and of observations. Needs the extra ``openspiel``.
"""

from typing import Any, Protocol

import numpy as np

from ..actions import NUM_BIDS
from ..cards import NUM_CARDS, NUM_SUITS, SUITS, card_index
from ..observation import OBSERVATION_SIZE
from ..rules import Rules
from ..view import PlayerView
from . import needed

with needed("openspiel"):
    import pyspiel as pyspiel  # the other modules take it from here


class Viewed(Protocol):
    """A state that tells what a seat may know, None while the cards are being dealt."""

    def view(self, seat: int) -> PlayerView | None:
        """The seat's view."""


class Observer:
    """Writes what a seat may know: tensors and strings, all of them from its ``PlayerView``.

    | piece | of which kind | form |
    |---|---|---|
    | ``observation`` | all with a tensor | the observation vector, float32 [N] |
    | ``seat`` | perfect recall | which seat it is, one-hot [P] |
    | ``settled`` | perfect recall, matches of several deals | see ``SETTLED`` [deals − 1, ...] |

    Strings come in all kinds: public, private or both; ``private_info`` of all players is refused.
    """

    def __init__(self, rules: Rules, kind: Any, params: Any) -> None:
        if params:
            raise ValueError(f"observation parameters are {params!r}; there are none")
        if kind.private_info == pyspiel.PrivateInfoType.ALL_PLAYERS:
            raise ValueError("private_info is ALL_PLAYERS; allowed: SINGLE_PLAYER or NONE")
        self._private = kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        self._public = kind.public_info
        self._recall = kind.perfect_recall
        self.dict: dict[str, np.ndarray] = {}
        self.tensor: np.ndarray | None = None
        if not (self._private and self._public):
            return
        shapes: dict[str, tuple[int, ...]] = {"observation": (OBSERVATION_SIZE,)}
        if self._recall:
            shapes["seat"] = (rules.players,)
            if rules.deals > 1:
                shapes["settled"] = (rules.deals - 1, settled_size(rules.players))
        self.tensor = np.zeros(sum(int(np.prod(shape)) for shape in shapes.values()), np.float32)
        start = 0
        for name, shape in shapes.items():
            size = int(np.prod(shape))
            self.dict[name] = self.tensor[start : start + size].reshape(shape)
            start += size

    def set_from(self, state: Viewed, player: int) -> None:
        """Fill the tensor with what a seat may know in a state."""
        if self.tensor is None:
            raise ValueError("observations that are only public or only private have no tensor")
        self.tensor.fill(0)
        view = state.view(player)
        if view is None:
            return
        self.dict["observation"][:] = view.observation()
        if self._recall:
            self.dict["seat"][player] = 1
        for row, deal in zip(self.dict.get("settled", ()), view._finished_deals, strict=False):
            row[:] = settled_vector(deal, view.rules.players)

    def string_from(self, state: Viewed, player: int) -> str:
        """What a seat may know in a state, as a line of text."""
        view = state.view(player)
        return (
            "dealing"
            if view is None
            else known_text(view, self._private, self._public, self._recall)
        )


def known_text(
    view: PlayerView, private: bool = True, public: bool = True, recall: bool = True
) -> str:
    """What a seat knows, on one line; all of it is the information state string, the key of
    OpenSpiel's tabular policies.

    Args:
        view: what the seat may know.
        private: its seat, cards and bid.
        public: the deal at hand and the standings.
        recall: the settled deals too, if public.
    """
    parts = [f"seat {view.seat}", private_text(view)] if private else []
    if public:
        parts.append(public_text(view))
        if recall:
            parts += map(settled_text, view._finished_deals)
    return "; ".join(parts)


def private_text(view: PlayerView) -> str:
    """What only this seat knows: the cards it holds and its bid."""
    return f"hand {' '.join(view.hand) or '-'} bid {'-' if view.bid is None else view.bid}"


def public_text(view: PlayerView) -> str:
    """What all at the table know: bids are numbers where open, ``x`` where given and hidden."""
    is_open = view.rules.bidding == "open" or view.phase == "over"
    pairs = zip(view.bids, view.has_bid, strict=True)
    bids = [str(bid) if is_open and given else "x" if given else "-" for bid, given in pairs]
    played = [card for trick in view.tricks for card in trick["cards"]]
    played += [card for _, card in view.trick]
    trump = view.turned_up or view.trump
    return (
        f"deal {view.deal_number} dealer {view.dealer} trump {trump} bids {' '.join(bids)} "
        f"played {' '.join(played) or '-'} penalties {' '.join(map(str, view.penalties))}"
    )


def settled_text(deal: dict[str, Any]) -> str:
    """A settled deal, all of which is public."""
    hands = " / ".join(" ".join(hand) for hand in deal["hands"])
    played = " ".join(card for trick in deal["tricks"] for card in trick["cards"])
    return (
        f"dealer {deal['dealer']} trump {deal['turned_up'] or deal['trump']} hands {hands} "
        f"bids {' '.join(map(str, deal['bids']))} played {played}"
    )


SETTLED = ("holder [P, 36]", "place in the order of play / 36 [36]", "bids / 157 [P]")
"""What stands for a settled deal in the information state tensor; then the dealer, one-hot [P], the
trump, one-hot [4], and the turned-up card, one-hot [36]. Seats are absolute."""


def settled_size(players: int) -> int:
    """The length of :func:`settled_vector`."""
    return (players + 2) * NUM_CARDS + 2 * players + NUM_SUITS


def settled_vector(deal: dict[str, Any], players: int) -> np.ndarray:
    """A settled deal as float32 ``[settled_size(players)]``; see :data:`SETTLED`."""
    holder = np.zeros((players, NUM_CARDS), np.float32)
    for seat, hand in enumerate(deal["hands"]):
        holder[seat, [card_index(card) for card in hand]] = 1
    order, turned_up = np.zeros(NUM_CARDS, np.float32), np.zeros(NUM_CARDS, np.float32)
    played = [card_index(card) for trick in deal["tricks"] for card in trick["cards"]]
    order[played] = np.arange(1, len(played) + 1) / NUM_CARDS
    if deal["turned_up"] is not None:
        turned_up[card_index(deal["turned_up"])] = 1
    bids = np.array(deal["bids"], np.float32) / (NUM_BIDS - 1)
    dealer = np.eye(players, dtype=np.float32)[deal["dealer"]]
    trump = np.eye(NUM_SUITS, dtype=np.float32)[SUITS.index(deal["trump"])]
    return np.concatenate([holder.ravel(), order, bids, dealer, trump, turned_up])
