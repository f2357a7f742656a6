"""The odd guests: players made for tests, loaded as `players:name` like a user's own module."""

from __future__ import annotations

import os
import signal

import numpy as np

from differenzler_env.agents import Agent


class Lowest(Agent):
    """Bids a constant and plays its lowest lawful card, whatever was bid."""

    def __init__(self, rules, bid: int = 40):
        super().__init__(rules)
        self.bid = bid

    def act(self, view, rng):
        return self.bid if view.phase == "bid" else view.legal_actions()[0]


class Drawing(Agent):
    """Draws from its generator: only `act` is defined."""

    def act(self, view, rng):
        return int(rng.choice(view.legal_actions()))


class RaisingDealer(Agent):
    """Plays its lowest card, but raises at its second card of each deal that it deals."""

    def act(self, view, rng):
        if view.dealer == view.seat and len(view.tricks) == 1:
            raise RuntimeError("no idea\nat all")
        return 30 if view.phase == "bid" else view.legal_actions()[0]


class RaisingRows(Agent):
    """The same in batched form: one row at fault spoils the whole call."""

    def act_batch(self, views, keys):
        players = self.rules.players
        second = (views["phase"] == 1) & (views["num_played"] // players == 1)
        if (second & (views["dealer"] == views["seat"])).any():
            raise RuntimeError("no idea\nat all")
        lowest = np.array([int(bits & -bits).bit_length() - 1 for bits in views["lawful"]])
        return np.where(views["phase"] == 0, 30, 158 + lowest)


class Answering(Agent):
    """Gives one answer to everything, such as a float or a number outside the action space."""

    def __init__(self, rules, answer=None):
        super().__init__(rules)
        self.answer = answer

    def act(self, view, rng):
        return self.answer


class AnsweringAll(Agent):
    """The same in batched form."""

    def __init__(self, rules, answer=None, shape: str = "row"):
        super().__init__(rules)
        self.answer = answer
        self.shape = shape

    def act_batch(self, views, keys):
        return np.full(len(views) if self.shape == "row" else (len(views), 2), self.answer)


class Interrupting(Agent):
    """Presses Ctrl-C, for this process or the one that started it."""

    def __init__(self, rules, parent: bool = False):
        super().__init__(rules)
        self.parent = parent

    def act(self, view, rng):
        os.kill(os.getppid() if self.parent else os.getpid(), signal.SIGINT)
        return view.legal_actions()[0]


class Nothing:
    """Acts, but is not made from rules."""

    def act(self, view, rng):
        return view.legal_actions()[0]


def no_agent(rules):
    return 17


def needs_open_bids(rules):
    if rules.bidding != "open":
        raise ValueError("bids must be open")
    return Drawing(rules)


def broken(rules):
    raise KeyError("weights")


def typed(
    rules, *, count: int = 1, share: float = 0.5, fast: bool = False, name: str = "x", free=0
):
    agent = Drawing(rules)
    agent.options = (count, share, fast, name, free)
    return agent


def lowest_card(view, rng):
    """A plain function `(view, rng) -> action`."""
    return 40 if view.phase == "bid" else view.legal_actions()[0]


not_callable = 3
