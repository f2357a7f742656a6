"""Evaluation: who sits where. The seatings of matches, by numbers of agents; all are balanced."""

from collections.abc import Sequence
from itertools import combinations, combinations_with_replacement, permutations

import numpy as np
import numpy.typing as npt


def orders(numbers: Sequence[int], places: int | None = None) -> list[tuple[int, ...]]:
    """All different orders of some numbers, such that the first few are balanced too: in each block
    of n orders every number is in every place once.

    Args:
        numbers: n of them; equal ones are not told apart.
        places: how many of each order are kept; all where not given.
    """
    found: dict[tuple[int, ...], None] = {}
    circle = sorted(numbers)
    for order in permutations(range(len(circle)), places):
        for turn in range(len(circle)):
            found.setdefault(tuple(circle[(place + turn) % len(circle)] for place in order))
    return list(found)


def hero_seatings(
    numbers: Sequence[int], matches: int, first_match: int = 0, players: int | None = None
) -> npt.NDArray[np.int16]:
    """Seatings for a hero and its field.

    Args:
        numbers: the hero's number, then those of the others, P − 1 or more.
        matches: how many matches, M.
        first_match: number of the first.
        players: P; as many as there are numbers where not given.

    Returns:
        int16 ``[M, S, P]`` with S = P: in seating s the hero sits in seat s, the others follow to
        the right in an order that is the same in all seatings of a match.
    """
    hero, players = numbers[0], players or len(numbers)
    field = orders(numbers[1:], players - 1)
    lines = np.array([(hero, *order) for order in field], np.int16)
    turned = np.stack([np.roll(lines, seat, axis=1) for seat in range(players)], axis=1)
    return turned[(first_match + np.arange(matches)) % len(field)]


def line_ups(count: int, players: int) -> list[list[tuple[int, ...]]]:
    """Groups of line-ups, P of N agents each; within a group all agents sit equally often.

    With as many agents as seats or more, a group is one line-up turned round the circle of agents;
    with fewer, it is all line-ups in which every agent has a seat.
    """
    if count < players:
        lines = combinations_with_replacement(range(count), players)
        return [[line for line in lines if len(set(line)) == count]]
    found: dict[tuple[int, ...], list[tuple[int, ...]]] = {}
    for line in combinations(range(count), players):
        turned = [tuple(sorted((agent + step) % count for agent in line)) for step in range(count)]
        found.setdefault(min(turned), turned)
    # A line-up that looks the same after some turns is in its group several times. Groups stay of
    # one size: only where all shrink alike are the doubles left out.
    single = [list(dict.fromkeys(group)) for group in found.values()]
    return single if len({len(group) for group in single}) == 1 else list(found.values())


def mixed_seatings(
    count: int, players: int, matches: int, first_match: int = 0
) -> npt.NDArray[np.int16]:
    """Mixed tables: each match takes the next group of line-ups, each line-up in the next order,
    turned to all seats.

    Args:
        count: how many agents, N.
        players: P.
        matches: how many matches, M.
        first_match: number of the first.

    Returns:
        int16 ``[M, S, P]``.
    """
    groups = line_ups(count, players)
    seating = []
    for match in range(first_match, first_match + matches):
        group = groups[match % len(groups)]
        tables = []
        for place, line in enumerate(group):
            followers = orders(line[1:])
            follower = followers[(match // len(groups) + place) % len(followers)]
            tables += [np.roll((line[0], *follower), seat) for seat in range(players)]
        seating.append(tables)
    return np.array(seating, np.int16)


def copies_seatings(
    count: int, players: int, matches: int, first_match: int = 0
) -> npt.NDArray[np.int16]:
    """Tables of copies, the same for all matches: each agent in every seat at a table of each
    other, and one table of each agent alone. Arguments and result as :func:`mixed_seatings`."""
    tables = []
    for host in range(count):
        tables.append([host] * players)
        for guest in range(count):
            if guest != host:
                for seat in range(players):
                    tables.append([guest if place == seat else host for place in range(players)])
    return np.tile(np.array(tables, np.int16), (matches, 1, 1))
