"""Records: matches as JSON lines, checked play by play when read.

A record is data: reading one executes nothing, and whatever does not follow from the rules is
refused with the line, deal, trick and card where it goes wrong.
"""

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .actions import NUM_BIDS, card_action
from .cards import NAMES, card_index
from .deals import check_deal
from .errors import IllegalActionError, RecordError
from .files import replacing
from .rules import Rules

if TYPE_CHECKING:
    from .game import Game

FORMAT = 1
RECORD_KEYS = ("format", "rules", "seats", "deals", "penalties", "winners")
DEAL_KEYS = ("dealer", "trump", "turned_up", "hands", "bids", "tricks", "points", "penalties")
TRICK_KEYS = ("leader", "cards")


def make_record(game: "Game", seats: Sequence[str] | None = None) -> dict[str, Any]:
    """The record of a match, finished or not.

    Args:
        game: the match; its settled deals must all be known to it.
        seats: who sat where; ``"seat 0"`` and so on where not given.

    Raises:
        ValueError: for names that are not one text a seat, or where the game does not know its
            settled deals.
    """
    names = [f"seat {seat}" for seat in range(game.rules.players)] if seats is None else list(seats)
    if len(names) != game.rules.players or not all(map(_is_name, names)):
        raise ValueError(f"seats are {seats!r}; allowed: {game.rules.players} texts")
    unsettled = game.unsettled_deal()
    return {
        "format": FORMAT,
        "rules": game.rules.to_dict(),
        "seats": names,
        "deals": game.finished_deals + ([] if unsettled is None else [unsettled]),
        "penalties": game.penalties if game.is_over else None,
        "winners": game.winners,
    }


def _is_name(value: object) -> bool:
    """Whether a value is a text that can be written to a file: half a surrogate pair cannot."""
    return isinstance(value, str) and value.encode(errors="ignore").decode() == value


class RecordPlace:
    """Where in a record the reader stands, for error messages."""

    def __init__(self, line: int | None) -> None:
        self.parts: dict[str, object] = {} if line is None else {"line": line}

    def at(self, **parts: object) -> None:
        """Move on; a part given as ``None`` is left."""
        self.parts |= parts

    def error(self, sentence: str) -> RecordError:
        """The error that names this place."""
        place = ", ".join(f"{name} {at}" for name, at in self.parts.items() if at is not None)
        return RecordError(f"{place}: {sentence}" if place else sentence)

    def same(self, what: str, given: object, right: object) -> None:
        """Demand that a value is what the rules make it, type included."""
        if _text(given) != _text(right):
            raise self.error(f"{what} should be {_text(right)}, not {_text(given)}")

    def keys(self, what: str, value: object, keys: Sequence[str]) -> Mapping[str, Any]:
        """Demand a mapping with just these keys."""
        if not isinstance(value, Mapping):
            raise self.error(f"{what} should be an object, not {_text(value)}")
        for key in keys:
            if key not in value:
                raise self.error(f"{what} lacks {key!r}")
        for key in value:
            if key not in keys:
                raise self.error(f"{what} has an unknown key {key!r}")
        return value

    def list(self, what: str, value: object, most: int) -> Sequence[Any]:
        """Demand a list of at most so many entries."""
        if not isinstance(value, list | tuple):
            raise self.error(f"{what} should be a list, not {_text(value)}")
        if len(value) > most:
            raise self.error(f"{what} should have at most {most} entries, not {len(value)}")
        return value


def _text(value: object) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        text = repr(value)
    # Half a surrogate pair could be shown nowhere.
    text = text.encode(errors="backslashreplace").decode()
    return text if len(text) <= 200 else text[:197] + "..."


def replay(
    record: object, game_type: "type[Game]", line: int | None = None, seed: int | None = None
) -> "Game":
    """Play a record through the rules, checking all of it.

    Args:
        record: a record as :func:`make_record` gives it; settings left out are defaults.
        game_type: the Game class (or a class derived from it).
        line: its line in a file, for error messages.
        seed: for the deals of an unfinished match that are still to come.

    Raises:
        RecordError: naming line, deal, trick and card.
    """
    place = RecordPlace(line)
    try:
        return _replay(record, game_type, place, seed)
    except RecursionError:
        raise place.error("it is nested too deeply") from None


def _replay(
    record: object, game_type: "type[Game]", place: RecordPlace, seed: int | None
) -> "Game":
    record = place.keys("the record", record, RECORD_KEYS)
    if _text(record["format"]) != _text(FORMAT):
        raise place.error(f"unknown format {_text(record['format'])}; this version reads {FORMAT}")
    try:
        rules = Rules.from_dict(record["rules"])
    except (ValueError, TypeError) as error:
        raise place.error(f"rules: {error}") from None
    seats = place.list("seats", record["seats"], rules.players)
    if len(seats) != rules.players or not all(map(_is_name, seats)):
        raise place.error(f"seats should be {rules.players} texts, not {_text(list(seats))}")
    deals = place.list("deals", record["deals"], rules.deals)
    if not deals:
        raise place.error("deals should have at least one entry")
    game = game_type(rules, seed)
    for number, deal in enumerate(deals):
        place.at(deal=number + 1, trick=None, card=None)
        if game.deal_number != number:
            raise place.error("the deal before it is not finished")
        _replay_deal(game, place.keys("the deal", deal, DEAL_KEYS), place, first=number == 0)
    place.at(deal=None, trick=None, card=None)
    place.same("penalties", record["penalties"], game.penalties if game.is_over else None)
    place.same("winners", record["winners"], game.winners)
    return game


def _replay_deal(game: "Game", deal: Mapping[str, Any], place: RecordPlace, first: bool) -> None:
    """Set up one deal and play it, as far as it goes."""
    rules = game.rules
    if not first:
        place.same("dealer", deal["dealer"], game.dealer)
    hands = place.list("hands", deal["hands"], rules.players)
    hands = [place.list("a hand", hand, rules.tricks) for hand in hands]
    for hand in hands:
        for card in hand:
            if not isinstance(card, str):
                raise place.error(f"{_text(card)} is not a card")
    try:
        setup = check_deal(rules, hands, deal["trump"], deal["dealer"], deal["turned_up"])
    except ValueError as error:
        raise place.error(str(error)) from None
    game._set_deal(setup)
    settled = game.settled_deals
    replay_bids(game, place.list("bids", deal["bids"], rules.players), place)
    tricks = place.list("tricks", deal["tricks"], rules.tricks)
    for number, trick in enumerate(tricks):
        place.at(trick=number + 1, card=None)
        trick = place.keys("the trick", trick, TRICK_KEYS)
        cards = place.list("cards", trick["cards"], rules.players)
        if not cards:
            raise place.error("the trick has no card")
        if number < len(tricks) - 1 and len(cards) < rules.players:
            raise place.error(f"the trick has {len(cards)} cards instead of {rules.players}")
        if game.phase != "play":
            raise place.error("a card is played before all have bid")
        place.same("leader", trick["leader"], game.current_seat)
        for card in cards:
            place.at(card=card if isinstance(card, str) and card in NAMES else _text(card))
            replay_card(game, card, place)
    place.at(trick=None, card=None)
    finished = game.last_deal if game.settled_deals > settled else None
    result = finished or {"points": None, "penalties": None}
    place.same("points", deal["points"], result["points"])
    place.same("penalties", deal["penalties"], result["penalties"])


def replay_bids(game: "Game", bids: Sequence[Any], place: RecordPlace) -> None:
    """Give the bids of a deal, by seat; ``None`` where not given.

    Raises:
        RecordError: for bids that cannot be, in number, kind or order.
    """
    if len(bids) != game.rules.players:
        raise place.error(f"bids should have {game.rules.players} entries, not {len(bids)}")
    for i in range(game.rules.players):
        seat = (game.dealer + 1 + i) % game.rules.players
        if bids[seat] is None:
            break
        if isinstance(bids[seat], bool) or not isinstance(bids[seat], int):
            raise place.error(f"the bid of seat {seat} should be a number, not {_text(bids[seat])}")
        if not 0 <= bids[seat] < NUM_BIDS:
            raise place.error(
                f"the bid of seat {seat} is {bids[seat]}; allowed: 0 to {NUM_BIDS - 1}"
            )
        try:
            game.play(bids[seat])
        except IllegalActionError as error:
            raise place.error(str(error)) from None
    place.same("bids", list(bids), game.bids)


def replay_card(game: "Game", card: object, place: RecordPlace) -> None:
    """Play one card.

    Raises:
        RecordError: for something that is not a card, or may not be played now.
    """
    try:
        action = card_action(card_index(card))  # type: ignore[arg-type]
    except ValueError as error:
        raise place.error(str(error)) from None
    try:
        game.play(action)
    except IllegalActionError as error:
        raise place.error(f"{error}; position: {game.notation()}") from None


def write_records(path: str | os.PathLike[str], records: Iterable[Mapping[str, Any]]) -> int:
    """Write records as JSON lines, aside and then renamed into place. Returns how many.

    Raises:
        OSError: if the file cannot be written; an earlier one is then left as it was.
    """
    count = 0
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8") as file:
        for record in records:
            file.write(json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n")
            count += 1
    return count


def read_records(path: str | os.PathLike[str]) -> Iterator[tuple[int, Any]]:
    """The lines of a record file, as (line number from 1, JSON value); empty lines are passed over.

    Raises:
        RecordError: for a line that is not UTF-8 JSON, naming it.
        OSError: if the file cannot be read.
    """
    with open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                yield number, parse_line(line, number)


def parse_line(line: str | bytes, number: int | None = None) -> Any:
    """One line of a record file as a JSON value.

    Raises:
        RecordError: if it is not one.
    """
    try:
        text = line.decode() if isinstance(line, bytes) else line
        return json.loads(text, object_pairs_hook=_no_doubles)
    except UnicodeDecodeError:
        raise RecordPlace(number).error("not a JSON record: not UTF-8 text") from None
    except json.JSONDecodeError as error:
        what = f"{error.msg} at character {error.pos + 1}"
        raise RecordPlace(number).error(f"not a JSON record: {what}") from None
    except (ValueError, RecursionError) as error:
        raise RecordPlace(number).error(f"not a JSON record: {error}") from None


def _no_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object in which no key comes twice, since only one of them would be checked."""
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a key is given twice")
    return value
