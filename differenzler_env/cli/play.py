"""Command line: ``differenzler play``, a seat at the table, line by line in the terminal."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..agents import Agent
    from ..game import Game

HELP = "a bid is a number; a card is suit and rank, such as d10, cj, ha (♦10, ♣J, ♥A); q stops"


@dataclass
class Play:
    """Play a match against agents in the terminal."""

    opponents: str = "thumb"
    """the others from your right-hand neighbour onward, separated by commas, or one for all"""
    seat: int = 0
    """your seat"""
    rules: str = "swisslos"
    """rule set: swisslos, table, television, mini; settings as in table?players=5"""
    seed: int | None = None
    """of the deals; drawn where not given"""
    record: Path | None = None
    """file for the record of the match"""

    def run(self) -> None:
        """Does what the command says."""
        import secrets

        from ..agents import load_field
        from ..game import Game
        from ..record import write_records
        from .common import check_output, parse_rules

        rules = parse_rules(self.rules)
        check_output(self.record)
        if not 0 <= self.seat < rules.players:
            raise ValueError(f"seat is {self.seat}; allowed: 0 to {rules.players - 1}")
        field = load_field(self.opponents, rules)
        others = {
            (self.seat + 1 + place) % rules.players: agent for place, agent in enumerate(field)
        }
        seed = secrets.randbits(32) if self.seed is None else self.seed
        game = Game(rules, seed=seed)
        print(f"You sit in seat {self.seat}, seed {seed}; {HELP}.")
        try:
            self._match(game, others)
        except EOFError:
            print("\nStopped.")
        if self.record is not None:
            names = ["human" if s == self.seat else others[s].spec for s in range(rules.players)]
            write_records(self.record, [game.to_record(names)])

    def _match(self, game: "Game", others: "dict[int, Agent]") -> None:
        settled = 0
        while (seat := game.current_seat) is not None:
            points = game.points
            if seat == self.seat:
                self._own_action(game)
            else:
                _others_action(game, others[seat])
            if len(game.finished_deals) > settled:
                settled = len(game.finished_deals)
                self._tell_deal(game.finished_deals[-1], points, game.penalties)
            elif game.tricks and not game.trick:
                self._tell_trick(game.tricks[-1])
        winners = game.winners or []
        names = " and ".join(self._name(seat) for seat in winners).capitalize()
        if len(winners) > 1:
            print(f"{names} share the win.")
        else:
            print(f"{names} {'win' if winners == [self.seat] else 'wins'} the match.")

    def _own_action(self, game: "Game") -> None:
        print(f"\n{game.view(self.seat).text()}")
        while True:
            if sys.stdin is None:  # it was closed
                raise EOFError
            typed = input("your bid: " if game.phase == "bid" else "your card: ").strip()
            if typed.lower() in ("q", "quit"):
                raise EOFError
            try:
                game.play(parse_typed(typed, game.phase))
                return
            except ValueError as error:
                print(error)

    def _tell_trick(self, trick: dict[str, Any], last: str = "") -> None:
        from ..text import card_text

        cards = " ".join(card_text(card) for card in trick["cards"])
        leader, winner = self._name(trick["leader"]), self._name(trick["winner"])
        print(f"{cards}, led by {leader}: {trick['points']} points to {winner}{last}")

    def _tell_deal(self, deal: dict[str, Any], before: list[int], totals: list[int]) -> None:
        """The last trick and the settlement; ``before`` are the points without that trick."""
        # The next deal may lie on the table by now; the last trick is what the points rose by.
        gains = [after - earlier for after, earlier in zip(deal["points"], before, strict=True)]
        winner = gains.index(max(gains))
        won = {"winner": winner, "points": gains[winner]}
        self._tell_trick(deal["tricks"][-1] | won, ", the last trick")
        print("\n          bid  points  penalty  total")
        columns = (deal["bids"], deal["points"], deal["penalties"], totals)
        for seat, (bid, points, penalty, total) in enumerate(zip(*columns, strict=True)):
            print(f"{self._name(seat):>8}  {bid:>3}  {points:>6}  {penalty:>7}  {total:>5}")

    def _name(self, seat: int) -> str:
        return "you" if seat == self.seat else f"seat {seat}"


def parse_typed(typed: str, phase: str) -> int:
    """The action that was typed.

    Raises:
        ValueError: for what is no bid or card; it says how they are written.
    """
    from ..actions import action_from_name
    from ..text import SUIT_SYMBOLS

    word = typed.upper().removeprefix("BID").strip()
    for letter, symbol in SUIT_SYMBOLS.items():
        word = word.replace(symbol, letter)
    if phase == "bid" and word.isascii() and word.isdigit():
        word = f"bid {int(word)}"
    try:
        return action_from_name(word)
    except ValueError:
        raise ValueError(f"{typed!r} is not understood: {HELP}") from None


def _others_action(game: "Game", agent: "Agent") -> None:
    """Lets an agent act.

    Raises:
        SpecError: if it raises or chooses what is not legal.
    """
    from ..agents import SpecError, choose_action
    from ..agents.table import illegal_choice
    from ..errors import IllegalActionError

    try:
        action = choose_action(game, agent)
    except (Exception, SystemExit) as error:
        raise SpecError(f"{agent.spec} cannot play on: {' '.join(str(error).split())}") from error
    try:
        game.play(action)
    except IllegalActionError:
        # The game's own sentence lists what is legal, and so the agent's hand.
        raise SpecError(f"{agent.spec} cannot play on: it {illegal_choice(action)}") from None
