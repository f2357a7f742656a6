"""The referee's chair: all rules of Differenzler once more, slowly, in plain sets and strings.

Nothing here comes from the package and nothing here is fast. The tests let this referee and the
compiled engine watch the same games and insist that both rule alike. It was written from two
descriptions of the game: the hidden four-player game as the Swiss lottery's site offers it, and
the table game with its open bids, turned-up trump and house rules. Where they differ there is a
setting, named in `SETTINGS`.

The referee never deals. It is told who holds what, which suit is trump and who dealt first, then
watches the play:

    match = Match(deals=1)                                # settings as in SETTINGS
    deal = match.open_deal(hands, trump="D", dealer=0)    # the first dealer; later ones follow
    deal.seat, deal.lawful_cards(), deal.legal_cards()    # who is to act, and with what
    deal.bid(40); deal.play("D10")                        # ValueError where it is not allowed

Cards are texts, suit letter then rank: "C6", "D10", "SA". Seats are 0 … players−1 and play runs
from seat to seat+1: on a real table that is to the right, counter-clockwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

SUITS = ["C", "D", "H", "S"]
RANKS = ["6", "7", "8", "9", "10", "J", "Q", "K", "A"]
PACK = [suit + rank for suit in SUITS for rank in RANKS]

# Weakest first. In trumps the jack (Puur) and the nine (Näll) climb over the ace.
SIDE_ORDER = ["6", "7", "8", "9", "10", "J", "Q", "K", "A"]
TRUMP_ORDER = ["6", "7", "8", "10", "Q", "K", "A", "9", "J"]

SIDE_POINTS = {"A": 11, "10": 10, "K": 4, "Q": 3, "J": 2, "9": 0, "8": 0, "7": 0, "6": 0}
TRUMP_POINTS = {**SIDE_POINTS, "J": 20, "9": 14}
LAST_TRICK = 5

# Every setting with its default; None stands for "depends on the others", see `complete`.
SETTINGS: dict[str, Any] = {
    "players": 4,
    "deck": None,  # all 36; with five players all but the six of clubs
    "bidding": "hidden",  # or "open"
    "trump": "random",  # or "turned_up"
    "undertrump": "void",  # or "always", "schieber"
    "deals": None,  # as many as players
    "first_dealer": None,  # seat 0 in a match, drawn for a single deal
    "exact_bonus": 0,
    "exact_bonus_on_zero": True,
    "stoeck": 0,
    "revoke_penalty": None,
}


def complete(**settings: Any) -> dict[str, Any]:
    """All settings, those left out at their defaults."""
    unknown = set(settings) - set(SETTINGS)
    if unknown:
        raise ValueError(f"no such setting: {sorted(unknown)}")
    full = {**SETTINGS, **settings}
    if full["deck"] is None:
        full["deck"] = [card for card in PACK if not (full["players"] == 5 and card == "C6")]
    if full["deals"] is None:
        full["deals"] = full["players"]
    return full


# --- cards ------------------------------------------------------------------------------------


def suit(card: str) -> str:
    """The letter in front: "D10" is a diamond."""
    return card[0]


def rank(card: str) -> str:
    """What follows the letter: "D10" is a ten."""
    return card[1:]


def card_points(card: str, trump: str) -> int:
    """What one card counts in a taken trick."""
    return TRUMP_POINTS[rank(card)] if suit(card) == trump else SIDE_POINTS[rank(card)]


def pile_points(cards: Iterable[str], trump: str) -> int:
    """What a pile of cards counts, the five for the last trick not included."""
    return sum(card_points(card, trump) for card in cards)


def total_points(deck: Iterable[str], trump: str) -> int:
    """What all tricks of a deal count together: 157 with the full pack."""
    return pile_points(deck, trump) + LAST_TRICK


def beats(new: str, old: str, trump: str) -> bool:
    """Whether card `new`, laid on a trick that `old` was winning, takes the lead."""
    if suit(new) == suit(old):
        order = TRUMP_ORDER if suit(new) == trump else SIDE_ORDER
        return order.index(rank(new)) > order.index(rank(old))
    return suit(new) == trump


def winner(trick: Sequence[str], trump: str) -> int:
    """Which card of the trick wins, counted from 0 in playing order."""
    trumps = [card for card in trick if suit(card) == trump]
    if trumps:
        best = max(trumps, key=lambda card: TRUMP_ORDER.index(rank(card)))
    else:
        followed = [card for card in trick if suit(card) == suit(trick[0])]
        best = max(followed, key=lambda card: SIDE_ORDER.index(rank(card)))
    return list(trick).index(best)


# --- what may be played -----------------------------------------------------------------------


def lawful_cards(
    hand: Iterable[str], trick: Sequence[str], trump: str, undertrump: str = "void"
) -> set[str]:
    """The cards of `hand` that may follow the cards of `trick` (in playing order)."""
    hand = set(hand)
    if not trick:
        return hand
    led = suit(trick[0])
    my_trumps = {card for card in hand if suit(card) == trump}

    if led == trump:
        if not my_trumps or my_trumps == {trump + "J"}:  # nobody is made to give up a bare Puur
            return hand
        return my_trumps

    followers = {card for card in hand if suit(card) == led}
    allowed = followers | my_trumps if followers else hand

    trumps_in_trick = [card for card in trick if suit(card) == trump]
    too_low = {
        card for card in my_trumps if any(beats(other, card, trump) for other in trumps_in_trick)
    }
    if undertrump == "always":
        forbidden: set[str] = set()
    elif undertrump == "void":
        forbidden = too_low if followers else set()
    elif undertrump == "schieber":
        forbidden = too_low if my_trumps != hand else set()
    else:
        raise ValueError(f"no such under-trump rule: {undertrump!r}")
    return allowed - forbidden


# --- what it costs ----------------------------------------------------------------------------


def penalty(
    bid: int, points: int, rules: dict[str, Any], stoeck_held: bool = False, revokes: int = 0
) -> int:
    """What a settled deal costs a seat.

    `stoeck_held`: the seat was dealt king and queen of trumps. `revokes`: how many unlawful cards
    it played.
    """

    def cost(counted: int) -> int:
        if counted == bid and (bid != 0 or rules["exact_bonus_on_zero"]):
            return -int(rules["exact_bonus"])
        return abs(bid - counted)

    counted = {points}
    if stoeck_held:
        counted |= {points - rules["stoeck"], points + rules["stoeck"]}
    return min(cost(each) for each in counted) + revokes * (rules["revoke_penalty"] or 0)


# --- one deal ---------------------------------------------------------------------------------


class Deal:
    """One deal from the first bid to the settlement."""

    def __init__(
        self,
        rules: dict[str, Any],
        hands: Sequence[Iterable[str]],
        trump: str,
        dealer: int,
        turned_up: str | None = None,
    ) -> None:
        self.rules = rules
        self.players: int = rules["players"]
        self.trump = trump
        self.dealer = dealer
        self.turned_up = turned_up
        self.dealt = [set(hand) for hand in hands]
        self.hands = [set(hand) for hand in hands]
        self._check_deal()

        self.total = total_points(rules["deck"], trump)
        self.forehand = (dealer + 1) % self.players
        self.seat: int | None = self.forehand  # who is to act; None once the deal is settled
        self.phase = "bid"
        self.bids: list[int | None] = [None] * self.players
        self.trick: list[tuple[int, str]] = []
        self.tricks: list[dict[str, Any]] = []
        self.points = [0] * self.players
        self.revokes = [0] * self.players
        self.penalties: list[int] | None = None

    def _check_deal(self) -> None:
        size = len(self.rules["deck"]) // self.players
        if [len(hand) for hand in self.dealt] != [size] * self.players:
            raise ValueError("the hands are not all of the right size")
        if set().union(*self.dealt) != set(self.rules["deck"]):
            raise ValueError("the hands are not the deck")
        if self.rules["trump"] == "turned_up":
            if self.turned_up not in self.dealt[self.dealer]:
                raise ValueError("the turned-up card is not in the dealer's hand")
            if suit(self.turned_up) != self.trump:
                raise ValueError("the turned-up card does not show trump")
        elif self.turned_up is not None:
            raise ValueError("no card is turned up in this game")

    # what may be done

    def legal_bids(self) -> range:
        """The bids open to the seat to act."""
        return range(self.total + 1) if self.phase == "bid" else range(0)

    def lawful_cards(self) -> set[str]:
        """The cards the seat to act may play without a revoke."""
        if self.seat is None or self.phase != "play":
            return set()
        on_table = [card for _, card in self.trick]
        return lawful_cards(self.hands[self.seat], on_table, self.trump, self.rules["undertrump"])

    def legal_cards(self) -> set[str]:
        """The cards the seat to act can play: where revokes are only penalised, its whole hand."""
        if self.rules["revoke_penalty"] is None or self.seat is None or self.phase != "play":
            return self.lawful_cards()
        return set(self.hands[self.seat])

    def known_bids(self, seat: int) -> list[int | None]:
        """The bids `seat` may know: its own, at an open table those made, after the deal all."""
        if self.rules["bidding"] == "open" or self.phase == "settled":
            return list(self.bids)
        return [bid if other == seat else None for other, bid in enumerate(self.bids)]

    # what is done

    def bid(self, points: int) -> None:
        """The seat to act says how many points it will take."""
        if points not in self.legal_bids():
            raise ValueError(f"no such bid now: {points}")
        assert self.seat is not None
        self.bids[self.seat] = points
        if self.seat == self.dealer:  # asked last
            self.phase = "play"
        self.seat = (self.seat + 1) % self.players

    def play(self, card: str) -> None:
        """The seat to act lays a card; the last card of a trick also clears the trick."""
        lawful = self.lawful_cards()
        if card not in lawful:
            if card not in self.legal_cards():
                raise ValueError(f"{card} cannot be played now")
            assert self.seat is not None
            self.revokes[self.seat] += 1
        assert self.seat is not None
        self.hands[self.seat].remove(card)
        self.trick.append((self.seat, card))
        if len(self.trick) < self.players:
            self.seat = (self.seat + 1) % self.players
        else:
            self._take_trick()

    def _take_trick(self) -> None:
        cards = [card for _, card in self.trick]
        taker = self.trick[winner(cards, self.trump)][0]
        last = not any(self.hands)
        worth = pile_points(cards, self.trump) + (LAST_TRICK if last else 0)
        self.points[taker] += worth
        self.tricks.append(
            {"leader": self.trick[0][0], "cards": cards, "winner": taker, "points": worth}
        )
        self.trick = []
        self.seat = taker
        if last:
            self._settle()

    def _settle(self) -> None:
        self.seat = None
        self.phase = "settled"
        stoeck = {self.trump + "K", self.trump + "Q"}
        self.penalties = [
            penalty(
                self.bids[seat] or 0,
                self.points[seat],
                self.rules,
                stoeck_held=stoeck <= self.dealt[seat],
                revokes=self.revokes[seat],
            )
            for seat in range(self.players)
        ]

    def record(self) -> dict[str, Any]:
        """The settled deal as one entry of a game record."""
        return {
            "dealer": self.dealer,
            "trump": self.trump,
            "turned_up": self.turned_up,
            "hands": [sorted(hand, key=PACK.index) for hand in self.dealt],
            "bids": list(self.bids),
            "tricks": [{"leader": t["leader"], "cards": t["cards"]} for t in self.tricks],
            "points": list(self.points),
            "penalties": list(self.penalties or []),
        }


# --- a match ----------------------------------------------------------------------------------


class Match:
    """All deals of a match: whose turn it is to deal, the running sums, who has won."""

    def __init__(self, **settings: Any) -> None:
        self.rules = complete(**settings)
        self.deals: list[Deal] = []

    def open_deal(
        self,
        hands: Sequence[Iterable[str]],
        trump: str,
        dealer: int | None = None,
        turned_up: str | None = None,
    ) -> Deal:
        """Begin the next deal. `dealer` is told for the first only; then the deal goes round."""
        if self.deals and self.deals[-1].penalties is None:
            raise ValueError("the deal before is not settled")
        if len(self.deals) == self.rules["deals"]:
            raise ValueError("the match is over")
        if self.deals:
            assert dealer is None
            dealer = (self.deals[-1].dealer + 1) % self.rules["players"]
        elif dealer is None:
            raise ValueError("who deals first?")
        self.deals.append(Deal(self.rules, hands, trump, dealer, turned_up))
        return self.deals[-1]

    @property
    def is_over(self) -> bool:
        """Whether the last deal of the match is settled."""
        return len(self.deals) == self.rules["deals"] and self.deals[-1].penalties is not None

    @property
    def penalties(self) -> list[int]:
        """Each seat's sum over the settled deals."""
        settled = [deal.penalties for deal in self.deals if deal.penalties is not None]
        return [sum(each[seat] for each in settled) for seat in range(self.rules["players"])]

    @property
    def winners(self) -> list[int] | None:
        """All seats that share the lowest sum, once the match is over."""
        if not self.is_over:
            return None
        sums = self.penalties
        return [seat for seat in range(len(sums)) if sums[seat] == min(sums)]
