"""Play: a game record told trick by trick, as a Jass player would follow it at the table."""

from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import Any

from ..actions import action_from_name
from ..cards import BEATERS, SUITS, card_index, hand_bits
from ..engine.kernels import plain_penalty
from ..game import Game
from ..record import replay
from ..rule_text import rules_text
from ..rules import Rules
from ..text import hand_text, harmless
from ..words import ENGLISH, Words
from .sitting import human_seat
from .steps import deal_game

MINUS = "−"


def playthrough(
    record: object,
    line: int | None = None,
    words: Words = ENGLISH,
    deal: int | None = None,
) -> Iterator[str]:
    """Tell a match, block by block: a heading, then for each deal its cards, its bids, each trick
    and the settlement, and the result. A block is one line or several, without a last line end.

    Args:
        record: a game record, checked here before anything is told.
        line: its line in a file, for error messages.
        words: the language, and how cards are called.
        deal: tell this deal only, from 1; then the result is told with the last one.

    Raises:
        RecordError: for a false record, naming line, deal, trick and card.
    """
    match = replay(record, Game, line)
    assert isinstance(record, Mapping)
    yield _heading(match.rules, record["seats"], words)
    sums = [0] * match.rules.players
    for number, played in enumerate(record["deals"], 1):
        costs = played["penalties"]
        if costs is not None:
            sums = [total + cost for total, cost in zip(sums, costs, strict=True)]
        if deal not in (None, number):
            continue
        revokes = yield from _deal_blocks(match.rules, number, played, words)
        if costs is None:
            yield words("told_unsettled")
        else:
            yield _settlement(match.rules, played, sums, revokes, words)
    if deal in (None, len(record["deals"])):
        yield _result(match, words)


def _heading(rules: Rules, seats: Sequence[str], words: Words) -> str:
    """The rules and who sits where."""
    names = [harmless(name) for name in seats]
    own = human_seat(seats)
    if own is not None:
        names[own] = words("you")
    where = ", ".join(f"{words('seat', seat=seat)}: {name}" for seat, name in enumerate(names))
    return f"{rules_text(rules)}\n{where}"


def _deal_blocks(
    rules: Rules, number: int, deal: Mapping[str, Any], words: Words
) -> Generator[str, None, list[int]]:
    """A deal, its number from 1, told up to its settlement; returns how many cards each seat
    revoked with."""
    game = deal_game(rules, deal)
    name, mark = words.suit(game.trump).capitalize(), words.mark(game.trump)
    trump = words("told_trump", name=name, mark=mark)
    if game.turned_up:
        trump += words("told_turned_up", card=words.card(game.turned_up))
    place = {"deal": number, "deals": rules.deals, "dealer": game.dealer}
    lines = [words("told_deal", trump=trump, **place)]
    for owner, hand in enumerate(game.hands):
        lines.append(f"  {words('seat', seat=owner)}  {hand_text(hand, game.trump, words)}")
    yield "\n".join(lines)
    yield _bids(game, deal["bids"], words)
    width, revokes = 4 * rules.players, [0] * rules.players
    for trick_number, trick in enumerate(deal["tricks"]):
        notes, leader = [], game.current_seat
        for card in trick["cards"]:
            seat = game.current_seat
            assert seat is not None
            lawful = game.view(seat).lawful_cards
            revokes[seat] += card not in lawful
            notes += _notes(game, seat, card, lawful, words)
            game.play(action_from_name(card))
        cards = "  ".join(f"{words.card(card):<3}" for card in trick["cards"])
        leads = words("told_leads", seat=leader)
        text = f"{trick_number + 1:>3}. {leads}  {cards:<{width + rules.players - 2}}"
        if len(trick["cards"]) == rules.players:
            won = game.tricks[-1]
            sums = " ".join(f"{points:>3}" for points in game.points)
            told = {"seat": won["winner"], "points": won["points"], "sums": sums}
            text += f"  {words('told_takes', **told)}"
            text += words("told_last") if trick_number + 1 == rules.tricks else ""
        yield "\n".join([text.rstrip(), *(f"       {note}" for note in notes)])
    return revokes


def _bids(game: Game, bids: Sequence[int | None], words: Words) -> str:
    """Play the bids, and tell them in the order asked."""
    told = []
    while game.phase == "bid":
        seat = game.current_seat
        assert seat is not None
        bid = bids[seat]
        if bid is None:
            told.append(words("told_to_bid", seat=seat))
            break
        told.append(f"{words('seat', seat=seat)} {bid}")
        game.play(bid)
    how = "told_hidden" if game.rules.bidding == "hidden" else "told_heard"
    return words(how, bids=", ".join(told))


def _notes(game: Game, seat: int, card: str, lawful: Sequence[str], words: Words) -> list[str]:
    """What a card about to be played, or the cards held back, show of the rules."""
    if not game.trick:
        return []
    trump, hand = game.trump, game.hands[seat]
    if card not in lawful:
        allowed = " ".join(map(words.card, lawful))
        return [words("told_revoke", seat=seat, card=words.card(card), cards=allowed)]
    led = game.trick[0][1][0]
    laid = [each for _, each in game.trick if each[0] == trump]
    if led == trump:
        kept = [each for each in hand if each[0] == trump] == [trump + "J"] and card[0] != trump
        return [words("told_puur", seat=seat)] if kept else []
    low = [each for each in hand if each[0] == trump and _is_under(each, laid, trump)]
    if card in low:
        return [words("told_under", seat=seat, card=words.card(card))]
    forbidden = " ".join(words.card(each) for each in low if each not in lawful)
    return [words("told_not_under", seat=seat, cards=forbidden)] if forbidden else []


def _is_under(card: str, laid: Sequence[str], trump: str) -> bool:
    """Whether a trump is lower than one that lies in the trick."""
    higher = int(BEATERS[SUITS.index(trump), card_index(card)])
    return bool(higher & hand_bits(laid))


def _settlement(
    rules: Rules,
    deal: Mapping[str, Any],
    sums: Sequence[int],
    revokes: Sequence[int],
    words: Words,
) -> str:
    """The arithmetic of the penalties, seat by seat."""
    lines = [words("told_settled")]
    for seat, penalty in enumerate(deal["penalties"]):
        bid, points = deal["bids"][seat], deal["points"][seat]
        sum_text = penalty_text(rules, deal, seat, revokes[seat], words)
        lines.append(
            f"  {words('seat', seat=seat)}  {bid:>4}  {points:>6}  {sum_text} = {_signed(penalty)}"
        )
    lines.append(f"  {words('told_in_all')}  {sum(deal['points']):>12}")
    lines.append(words("told_penalties", sums=" ".join(map(_signed, sums))))
    return "\n".join(lines)


def penalty_text(
    rules: Rules, deal: Mapping[str, Any], seat: int, revokes: int, words: Words = ENGLISH
) -> str:
    """How a penalty comes about: ``"|40 − (25 + 20 Stöck)|"``, ``"|30 − 30| − 10 for an exact
    bid"``."""
    bid, points = deal["bids"][seat], deal["points"][seat]
    counts = {points: str(points)}
    if rules.stoeck and {deal["trump"] + rank for rank in "KQ"} <= set(deal["hands"][seat]):
        for sign, counted in (("+", points + rules.stoeck), (MINUS, points - rules.stoeck)):
            counts[counted] = f"({points} {sign} {rules.stoeck} {words('stoeck')})"
    costs = {counted: plain_penalty(rules.record[0], bid, counted) for counted in counts}
    counted = min(counts, key=costs.__getitem__)
    cost = costs[counted]
    text = f"|{bid} {MINUS} {counts[counted]}|"
    if rules.exact_bonus and counted == bid:
        text += (
            f" {MINUS} {words('exact_bonus', bonus=-cost)}" if cost else f", {words('no_bonus')}"
        )
    if revokes and rules.revoke_penalty:
        cost += revokes * rules.revoke_penalty
        name = "a_revoke" if revokes == 1 else "revokes"
        text += f" + {words(name, number=revokes, cost=rules.revoke_penalty)}"
    assert cost == deal["penalties"][seat]
    return text


def _result(match: Game, words: Words) -> str:
    if match.winners is None:
        return words("told_goes_on")
    lowest = _signed(min(match.penalties))
    if len(match.winners) == 1:
        return words("told_wins", seat=match.winners[0], penalty=lowest)
    seats = [str(seat) for seat in match.winners]
    return words("told_share", seats=words.joined(seats), penalty=lowest)


def _signed(number: int) -> str:
    return f"{MINUS}{-number}" if number < 0 else str(number)
