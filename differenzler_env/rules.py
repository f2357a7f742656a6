"""Foundation: the settings of the game, checked once, and their compiled form. Imports NumPy only.

The settings and the named rule sets are explained in ``docs/rules.md``; its settings table is made
from the metadata of the fields below.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

import numpy as np

from .cards import (
    ALL_CARDS,
    LAST_TRICK_POINTS,
    NAMES,
    NUM_SUITS,
    POINTS,
    SUIT_BITS,
    SUITS,
    cards_in,
    hand_bits,
    hand_names,
    suit_index,
)
from .checks import did_you_mean, is_integer

MAX_PLAYERS = 5
"""Seat slots in every record and observation; unused ones are zero."""
MAX_TRICKS = 17
"""Tricks of the longest deal: two players with 34 cards."""
MAX_DEALS = 999_999
UNDERTRUMP = ("always", "void", "schieber")
"""When a trump lower than the best of the trick may be played on a side suit."""

RULES = np.dtype(
    [
        ("players", "i8"),
        ("tricks", "i8"),
        ("deals", "i8"),
        ("first_dealer", "i8"),  # −1: drawn
        ("open_bidding", "i8"),
        ("turned_up", "i8"),
        ("undertrump", "i8"),  # index into UNDERTRUMP
        ("exact_bonus", "i8"),
        ("exact_bonus_on_zero", "i8"),
        ("stoeck", "i8"),
        ("revoke_penalty", "i8"),  # 0: unlawful cards cannot be played
        ("worst_penalty", "i8"),
        ("penalty_scale", "i8"),  # bound of abs(sum of penalties of a match)
        ("deck", "i8"),
        ("num_cards", "i8"),
        ("deck_cards", "i1", (36,)),
        ("num_trumps", "i8"),
        ("trumps", "i1", (NUM_SUITS,)),  # the suits in the deck
        ("total_points", "i2", (NUM_SUITS,)),
    ]
)
"""Compiled form of :class:`Rules`, what kernels read."""


def _setting(default: Any, values: str, meaning: str) -> Any:
    return field(default=default, metadata={"values": values, "meaning": meaning})


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


@dataclass(frozen=True, repr=False)
class Rules:
    """The settings of a game: frozen, hashable, equal when they mean the same game.

    ``deck``, ``deals`` and ``first_dealer`` may be left ``None``: they are then filled in at
    construction, so that reading them always gives what holds.

    Raises:
        ValueError: for an impossible setting; it names the setting and what is allowed.
    """

    players: int = _setting(4, "2, 3, 4 or 5; 2 only with a small deck", "seats at the table")
    deck: tuple[str, ...] = _setting(
        None,
        "cards in play: a subset of the 36 that divides by the number of players",
        "all 36; with five players all but C6",
    )
    bidding: str = _setting(
        "hidden",
        "'hidden' or 'open'",
        "hidden: nobody sees another bid before the deal is settled, only who has bid; "
        "open: in turn from forehand, each bid seen by all once given",
    )
    trump: str = _setting(
        "random",
        "'random' or 'turned_up'",
        "random: a suit of the deck drawn independently of the cards; turned_up: the dealer's "
        "last card sets trump, is shown to all and stays in the dealer's hand",
    )
    undertrump: str = _setting(
        "void",
        "'void', 'always' or 'schieber'",
        "when a trump lower than the best of the trick may be played on a side suit: by a seat "
        "void in it, always, or only from a hand that holds nothing but trumps",
    )
    deals: int = _setting(
        None,
        f"1, or a multiple of the number of players up to {MAX_DEALS:,}",
        "deals of a match; as many as players where not given",
    )
    first_dealer: int | str = _setting(
        None,
        "a seat, or 'random'",
        "dealer of the first deal, then one seat to the right each deal; where not given seat 0 "
        "in a match, random for a single deal",
    )
    exact_bonus: int = _setting(0, "0 to 157", "points taken off the penalty for an exact bid")
    exact_bonus_on_zero: bool = _setting(
        True, "True or False", "whether an exact bid of 0 earns the bonus too"
    )
    stoeck: int = _setting(
        0,
        "0 or 20",
        "points that the seat dealt trump king and queen may add or take off when the deal is "
        "settled, whichever costs it least",
    )
    revoke_penalty: int | None = _setting(
        None,
        "None or 20",
        "None: unlawful cards cannot be played; 20: any card of the hand can be, and each "
        "unlawful one costs 20",
    )

    def __post_init__(self) -> None:
        for name in ("bidding", "trump", "undertrump", "exact_bonus_on_zero"):
            value = getattr(self, name)
            kind = bool if name == "exact_bonus_on_zero" else str
            self._check(name, isinstance(value, kind) and value in _CHOICES[name])
        self._check("players", _is_int(self.players) and 2 <= self.players <= MAX_PLAYERS)
        self._check("exact_bonus", _is_int(self.exact_bonus) and 0 <= self.exact_bonus <= 157)
        self._check("stoeck", _is_int(self.stoeck) and self.stoeck in (0, 20))
        self._check(
            "revoke_penalty",
            self.revoke_penalty is None
            or (_is_int(self.revoke_penalty) and self.revoke_penalty == 20),
        )
        self._set("deck", self._checked_deck())
        if self.deals is None:
            self._set("deals", self.players)
        deals: Any = self.deals
        self._check(
            "deals",
            _is_int(deals)
            and 1 <= deals <= MAX_DEALS
            and (deals == 1 or deals % self.players == 0),
        )
        if self.first_dealer is None:
            self._set("first_dealer", "random" if deals == 1 else 0)
        dealer: Any = self.first_dealer
        self._check(
            "first_dealer",
            (isinstance(dealer, str) and dealer == "random")
            or (_is_int(dealer) and 0 <= dealer < self.players),
            f"a seat from 0 to {self.players - 1}, or 'random'",
        )

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def _check(self, name: str, good: bool, allowed: str | None = None) -> None:
        if not good:
            allowed = allowed or _FIELDS[name].metadata["values"]
            raise ValueError(f"{name} is {getattr(self, name)!r}; allowed: {allowed}")

    def _checked_deck(self) -> tuple[str, ...]:
        if self.deck is None:
            if self.players == 2:
                raise ValueError("players is 2; allowed only with a small deck: give deck")
            return _default_deck(self.players)
        if isinstance(self.deck, str) or not isinstance(self.deck, Iterable):
            raise ValueError(f"deck is {self.deck!r}; allowed: a sequence of card texts")
        try:
            bits = hand_bits(self.deck)
        except ValueError as error:
            raise ValueError(f"deck: {error}") from None
        cards = tuple(hand_names(bits))
        if not cards or len(cards) % self.players:
            raise ValueError(
                f"deck has {len(cards)} cards; allowed: a number that divides by the "
                f"{self.players} players"
            )
        if self.players == 2 and bits == ALL_CARDS:
            raise ValueError("players is 2; allowed only with a small deck, not all 36 cards")
        return cards

    # Named rule sets -----------------------------------------------------------------------

    @classmethod
    def swisslos(cls, **overrides: Any) -> "Rules":
        """The default: four players, hidden bids, random trump, four deals."""
        return cls(**overrides)

    @classmethod
    def table(cls, **overrides: Any) -> "Rules":
        """The table game: open bids, trump turned up, random first dealer, 12 deals (10 with five
        players)."""
        five = overrides.get("players") == 5
        settings: dict[str, Any] = {
            "bidding": "open",
            "trump": "turned_up",
            "deals": 10 if five else 12,
            "first_dealer": "random",
        }
        return cls(**(settings | overrides))

    @classmethod
    def television(cls, **overrides: Any) -> "Rules":
        """As :meth:`table`, but with hidden bids."""
        return cls.table(**({"bidding": "hidden"} | overrides))

    @classmethod
    def mini(cls, **overrides: Any) -> "Rules":
        """Two players, 9 J K A of diamonds and spades, a single deal: small enough to solve."""
        deck = tuple(suit + rank for suit in "DS" for rank in ("9", "J", "K", "A"))
        settings: dict[str, Any] = {"players": 2, "deck": deck, "deals": 1}
        return cls(**(settings | overrides))

    # Use -----------------------------------------------------------------------------------

    @property
    def tricks(self) -> int:
        """Cards dealt to each seat, and so tricks of a deal."""
        return len(self.deck) // self.players

    @property
    def worst_penalty(self) -> int:
        """The worst possible penalty of a deal; with penalised revokes one for every card."""
        return max(map(self.total_points, self.trumps)) + (self.revoke_penalty or 0) * self.tricks

    @property
    def trumps(self) -> tuple[str, ...]:
        """The suits that can be trump: those with a card in the deck."""
        return tuple(suit for suit in SUITS if any(card[0] == suit for card in self.deck))

    def total_points(self, trump: str | int) -> int:
        """Card points of a deal under a trump (letter, or suit index 0…3), last trick included:
        157 with all 36 cards.

        Raises:
            ValueError: unless it is a suit.
        """
        if not isinstance(trump, str) and (not is_integer(trump) or not 0 <= trump < NUM_SUITS):
            raise ValueError(f"trump is {trump!r}; allowed: {', '.join(SUITS)}, or 0 to 3")
        suit = suit_index(trump) if isinstance(trump, str) else range(NUM_SUITS)[trump]
        return int(POINTS[suit][cards_in(self._deck_bits)].sum()) + LAST_TRICK_POINTS

    def replace(self, **changes: Any) -> "Rules":
        """These rules with some settings changed; settings that stood at their default move with
        it, so ``rules.replace(deals=1)`` draws its dealer."""
        settings: dict[str, Any] = self.differing() | changes
        return type(self)(**settings)

    def same_game(self, other: "Rules") -> bool:
        """Whether a deal is played alike: all but ``deals`` and ``first_dealer`` are equal."""
        return self.replace(deals=1, first_dealer=0) == other.replace(deals=1, first_dealer=0)

    def to_dict(self) -> dict[str, Any]:
        """All settings as JSON values; the deck is null where it is the usual one."""
        values: dict[str, Any] = {
            setting.name: getattr(self, setting.name) for setting in fields(self)
        }
        usual = self.players > 2 and self.deck == _default_deck(self.players)
        values["deck"] = None if usual else list(self.deck)
        return values

    @classmethod
    def from_dict(cls, settings: Mapping[str, Any]) -> "Rules":
        """The inverse of :meth:`to_dict`; settings left out are defaults.

        Raises:
            ValueError: for an unknown key or an impossible setting.
        """
        if not isinstance(settings, Mapping):
            raise ValueError(f"rules are {settings!r}; allowed: a mapping of settings")
        unknown = [key for key in settings if key not in _FIELDS]
        if unknown:
            hint = did_you_mean(str(unknown[0]), _FIELDS)
            raise ValueError(
                f"unknown setting {unknown[0]!r}; settings are {', '.join(_FIELDS)}{hint}"
            )
        return cls(**settings)

    def differing(self) -> dict[str, Any]:
        """The settings that differ from their default."""
        values = self.to_dict()
        defaults: dict[str, Any] = {name: setting.default for name, setting in _FIELDS.items()}
        defaults["deals"] = self.players
        defaults["first_dealer"] = "random" if self.deals == 1 else 0
        return {name: value for name, value in values.items() if value != defaults[name]}

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={value!r}" for name, value in self.differing().items())
        return f"Rules({inside})"

    @cached_property
    def _deck_bits(self) -> int:
        return hand_bits(self.deck)

    @cached_property
    def record(self) -> np.ndarray:
        """The compiled form, :data:`RULES` ``[1]``, read-only."""
        record = np.zeros(1, RULES)
        row = record[0]
        row["players"], row["tricks"], row["deals"] = self.players, self.tricks, self.deals
        row["first_dealer"] = -1 if self.first_dealer == "random" else self.first_dealer
        row["open_bidding"] = self.bidding == "open"
        row["turned_up"] = self.trump == "turned_up"
        row["undertrump"] = UNDERTRUMP.index(self.undertrump)
        row["exact_bonus"], row["stoeck"] = self.exact_bonus, self.stoeck
        row["exact_bonus_on_zero"] = self.exact_bonus_on_zero
        row["revoke_penalty"] = self.revoke_penalty or 0
        row["worst_penalty"] = self.worst_penalty
        row["penalty_scale"] = self.deals * max(self.worst_penalty, self.exact_bonus)
        row["deck"] = self._deck_bits
        cards = cards_in(self._deck_bits)
        row["num_cards"] = len(cards)
        row["deck_cards"][: len(cards)] = cards
        suits = [suit for suit in range(NUM_SUITS) if self._deck_bits & int(SUIT_BITS[suit])]
        row["num_trumps"] = len(suits)
        row["trumps"][: len(suits)] = suits
        row["total_points"] = [self.total_points(suit) for suit in range(NUM_SUITS)]
        record.setflags(write=False)
        return record


_FIELDS = {setting.name: setting for setting in fields(Rules)}
_CHOICES: dict[str, tuple[object, ...]] = {
    "bidding": ("hidden", "open"),
    "trump": ("random", "turned_up"),
    "undertrump": UNDERTRUMP,
    "exact_bonus_on_zero": (True, False),
}

RULE_SETS: dict[str, Callable[..., Rules]] = {
    "swisslos": Rules.swisslos,
    "table": Rules.table,
    "television": Rules.television,
    "mini": Rules.mini,
}
"""The named rule sets; each takes overrides."""


def _default_deck(players: int) -> tuple[str, ...]:
    return tuple(name for name in NAMES if players < 5 or name != "C6")
