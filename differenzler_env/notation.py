"""Notation: a position as one line of text, and back."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from .cards import RANKS, SUITS, hand_bits, hand_names
from .deals import check_deal
from .engine.state import NO_BID
from .errors import RecordError
from .record import RecordPlace, parse_line, replay_bids, replay_card
from .rules import RULE_SETS, Rules
from .transcript import deal_record

if TYPE_CHECKING:
    from .game import Game


def make_notation(game: "Game") -> str:
    """A position as one line, such as
    ``"swisslos deal=1 dealer=0 trump=D turned_up=- hands=… bids=… plays=… penalties=0,0,0,0"``.

    Hands are as dealt, ``/`` between seats from 0 on, ``.`` between suits C D H S, ranks high to
    low; bids by seat; plays in the order played; penalties are those before this deal. Settled
    deals are not in it.
    """
    row = game._row
    players = game.rules.players
    deal = deal_record(row, players, None)
    before = game.penalties
    if game.is_over:
        last = game._seats("settled_penalties")
        before = [total - penalty for total, penalty in zip(before, last, strict=True)]
    fields = {
        "deal": game.deal_number + 1,
        "dealer": deal["dealer"],
        "trump": deal["trump"],
        "turned_up": deal["turned_up"] or "-",
        "hands": "/".join(_hand_notation(hand) for hand in deal["hands"]),
        "bids": ",".join("-" if bid is None else str(bid) for bid in deal["bids"]),
        "plays": ",".join(card for trick in deal["tricks"] for card in trick["cards"]) or "-",
        "penalties": ",".join(map(str, before)),
    }
    text = " ".join(f"{name}={value}" for name, value in fields.items())
    return f"{_rules_notation(game.rules)} {text}"


def _rules_notation(rules: Rules) -> str:
    for name, make in RULE_SETS.items():
        if make() == rules:
            return name
    return json.dumps(rules.differing(), separators=(",", ":"))


def _hand_notation(names: Sequence[str]) -> str:
    ordered = hand_names(hand_bits(names))[::-1]
    return ".".join("".join(name[1:] for name in ordered if name[0] == suit) for suit in SUITS)


_FIELDS = ("deal", "dealer", "trump", "turned_up", "hands", "bids", "plays", "penalties")
_RANK = re.compile("|".join(sorted(RANKS, key=len, reverse=True)))


def parse_notation(text: str, game_type: "type[Game]", seed: int | None = None) -> "Game":
    """The inverse of :func:`make_notation`; the seed is for the deals to come.

    Raises:
        RecordError: for a text that is not a position under the rules, naming the field.
    """
    words = text.split() if isinstance(text, str) else []
    names = tuple(word.partition("=")[0] for word in words[1:])
    if names != _FIELDS:
        raise RecordError(f"{text!r} is not a position: its fields are rules, {', '.join(_FIELDS)}")
    values = dict(word.split("=", 1) for word in words[1:])
    try:
        rules = _parse_rules(words[0])
        setup = check_deal(
            rules,
            [_parse_hand(hand) for hand in values["hands"].split("/")],
            values["trump"],
            _parse_numbers("dealer", values["dealer"], 1)[0],
            None if values["turned_up"] == "-" else values["turned_up"],
        )
        number = _parse_numbers("deal", values["deal"], 1)[0]
        if number is None or not 1 <= number <= rules.deals:
            raise ValueError(f"deal is {values['deal']}; allowed: 1 to {rules.deals}")
        penalties = _parse_numbers("penalties", values["penalties"], rules.players)
        settled = number - 1
        least, most = -settled * rules.exact_bonus, settled * rules.worst_penalty
        if any(total is None or not least <= total <= most for total in penalties):
            raise ValueError(
                f"penalties are {values['penalties']}; allowed in deal {number}: {least} to {most} "
                "each"
            )
        game = game_type(rules, seed)
        records = game.state_records
        records["deal"], records["penalties"][0, : rules.players] = number - 1, penalties
        records["settled_bids"] = NO_BID  # what was settled before is not known
        game._set_deal(setup)
        _play_notation(game, values)
    except ValueError as error:
        raise RecordError(f"position: {error}") from None
    return game


def _play_notation(game: "Game", values: Mapping[str, str]) -> None:
    """Give the bids and play the cards of a position."""
    place, number = RecordPlace(None), game.deal_number
    replay_bids(game, _parse_numbers("bids", values["bids"], game.rules.players), place)
    plays = [] if values["plays"] == "-" else values["plays"].split(",")
    for i, card in enumerate(plays):
        place.at(trick=i // game.rules.players + 1, card=card)
        if game.phase != "play":
            raise place.error("a card is played before all have bid")
        replay_card(game, card, place)
        if game.deal_number != number:
            raise place.error("it settles the deal, so the position is the next deal's")


def _parse_rules(word: str) -> Rules:
    if word in RULE_SETS:
        return RULE_SETS[word]()
    return Rules.from_dict(parse_line(word))


def _parse_hand(text: str) -> list[str]:
    suits = text.split(".")
    if len(suits) != len(SUITS):
        raise ValueError(f"hand {text!r} should have {len(SUITS)} suits with '.' between them")
    names = []
    for suit, ranks in zip(SUITS, suits, strict=True):
        found = _RANK.findall(ranks)
        if "".join(found) != ranks:
            raise ValueError(f"{ranks!r} in hand {text!r} is not a list of ranks")
        names += [suit + rank for rank in found]
    return names


def _parse_numbers(name: str, text: str, count: int) -> list[int | None]:
    """Comma-separated numbers, ``-`` for none."""
    parts = text.split(",")
    if len(parts) != count or not all(re.fullmatch(r"-|-?[0-9]{1,9}", part) for part in parts):
        raise ValueError(f"{name} is {text!r}; allowed: {count} numbers with commas between them")
    return [None if part == "-" else int(part) for part in parts]
