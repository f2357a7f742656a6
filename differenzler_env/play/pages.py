"""Play: the other pages at a table: settlements, standings, tricks, keys, too small a screen."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.text import Text

from ..game import Game
from ..rules import Rules
from ..view import PlayerView
from ..words import Words
from .playthrough import penalty_text
from .scene import last_trick, ranking, result_text, sorted_hand
from .screen import FAINT, HEIGHT, STRONG, WIDTH, Lines, hand_line, page, wrapped
from .steps import settled_game

Deal = Mapping[str, Any]


def settled_page(
    rules: Rules, deals: Sequence[Deal], names: Sequence[str], words: Words, message: str
) -> Text:
    """A deal that is settled, the last of those given: all bids, hands and penalties."""
    deal = deals[-1]
    game, revokes = settled_game(rules, deal)
    lines = [Text()]
    lines += _settlement(rules, deal, totals(deals), revokes, names, words)
    lines += [Text(), Text(f" {last_trick(game.tricks[-1], names, words)}", FAINT), Text()]
    lines.append(Text(f" {words('hands_dealt')}", FAINT))
    for name, hand in zip(names, deal["hands"], strict=True):
        line = Text(f"   {name:<15} ")
        lines.append(line.append_text(hand_line(sorted_hand(hand, deal["trump"]), words)))
    title = words("settled", deal=len(deals), deals=rules.deals)
    trump = f"{words('trump')} {words.mark(deal['trump'])} {words.suit(deal['trump'])}"
    return page(lines, f"{title}   {trump}", message, "")


def totals(deals: Sequence[Deal]) -> list[int]:
    """Each seat's sum over settled deals."""
    return [sum(costs) for costs in zip(*(deal["penalties"] for deal in deals), strict=True)]


def _settlement(
    rules: Rules,
    deal: Deal,
    sums: Sequence[int],
    revokes: Sequence[int],
    names: Sequence[str],
    words: Words,
) -> Lines:
    labels = [words(label) for label in ("bid", "points", "penalty", "total")]
    lines = [Text("   {:<15} {:>8} {:>7} {:>10} {:>6}".format(words("player"), *labels), FAINT)]
    for seat, name in enumerate(names):
        bid, points, cost = (deal[key][seat] for key in ("bids", "points", "penalties"))
        line = Text(f"   {name:<15} {bid:>8} {points:>7} {cost:>10} {sums[seat]:>6}")
        line.append(f"   {penalty_text(rules, deal, seat, revokes[seat], words)}", FAINT)
        lines.append(line)
    return lines


def result_page(game: Game | PlayerView, names: Sequence[str], words: Words, message: str) -> Text:
    """The end of a match: standings, ties shared, and each deal's penalties."""
    lines = [Text(), *_standings(game.penalties, names, words), Text()]
    lines += _deals_table(game.finished_deals, names, words)
    lowest = min(game.penalties)
    winners = [seat for seat, total in enumerate(game.penalties) if total == lowest]
    result = result_text(winners, names, words)
    lines += [Text(), Text(f" {result}", STRONG)]
    return page(lines, words("match over"), message, "")


def _standings(sums: Sequence[int], names: Sequence[str], words: Words) -> Lines:
    lines = [Text(f" {words('standings')}", FAINT)]
    for rank, seat in ranking(sums):
        style = STRONG if rank == 1 else ""
        lines.append(Text(f"   {rank}. {names[seat]:<15} {sums[seat]:>6}", style))
    return lines


def _deals_table(deals: Sequence[Deal], names: Sequence[str], words: Words) -> Lines:
    """Bid → points and penalty of each seat, a line a deal; the latest where there are many."""
    names = [f"{name[:13]:>13}" for name in names]
    lines = [Text(f"     {' '.join(names)}", FAINT)]
    room = HEIGHT - 14
    for number, deal in enumerate(deals, start=1):
        cells = [
            f"{bid:>4} {points:>3} {cost:>4}"
            for bid, points, cost in zip(
                deal["bids"], deal["points"], deal["penalties"], strict=True
            )
        ]
        lines.append(Text(f" {number:>3}.{' '.join(f'{cell:>13}' for cell in cells)}"))
    note = f"   ({words('bid')}, {words('points')}, {words('penalty')})"
    return [lines[0], *lines[1:][-room:], Text(note, FAINT)]


def match_page(game: Game | PlayerView, names: Sequence[str], words: Words) -> Text:
    """The deals settled so far."""
    deals = game.finished_deals
    if not deals:
        return page(
            [Text(), Text(f" {words('no_standings')}")], words("standings"), _back(words), ""
        )
    lines = [Text(), *_standings(totals(deals), names, words), Text()]
    lines += _deals_table(deals, names, words)
    title = words("standings_after", deal=len(deals), deals=game.rules.deals)
    return page(lines, title, _back(words), "")


def tricks_page(game: Game | PlayerView, names: Sequence[str], words: Words) -> Text:
    """The complete tricks of the deal at hand."""
    lines = [Text()]
    for number, trick in enumerate(game.tricks, start=1):
        cards = "  ".join(f"{words.card(card):<3}" for card in trick["cards"])
        led = words("led_by", leader=names[trick["leader"]])
        to = words("points_to", points=trick["points"], winner=names[trick["winner"]])
        lines.append(Text(f" {number:>3}. {cards}  {led}; {to}"))
    if not game.tricks:
        lines.append(Text(f" {words('no_tricks')}"))
    return page(lines, words("tricks_so_far"), _back(words), "")


PLAY_KEYS = (
    "key_choose",
    "key_number",
    "key_play",
    "key_digits",
    "key_help",
    "key_tricks",
    "key_match",
    "key_leave",
)
WATCH_KEYS = (
    "key_step",
    "key_back",
    "key_trick",
    "key_deal",
    "key_ends",
    "key_run",
    "key_open",
    "key_analysis",
    "key_tricks",
    "key_match",
    "key_quit",
)
"""The messages of the keys' page, in order."""


def keys_page(keys: Sequence[str], agent: str, words: Words, note: str = "") -> Text:
    """What the keys do; ``agent`` is who is asked for help or analysis."""
    lines = [Text()]
    for key in keys:
        told = wrapped(words(key, agent=agent), WIDTH - 3, indent=12)
        lines += [Text(f"   {part}") for part in told]
    if note:
        lines += [Text(), *[Text(f" {part}") for part in wrapped(note, WIDTH - 2)]]
    return page(lines, words("keys_title"), _back(words), "")


def _back(words: Words) -> str:
    return words("any_key")


def too_small_page(width: int, height: int, words: Words) -> Text:
    """What is said where the table does not fit."""
    text = words("too_small", width=width, height=height, needed_width=WIDTH, needed_height=HEIGHT)
    return Text("\n".join(wrapped(text, max(width, 1))))
