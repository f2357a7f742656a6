"""Evaluation: duplicate matches. The same deals are played with the players in several seatings.

A deal and every decision key are functions of seed, match, deal and seat, never of who sits there:
what differs between two seatings of a deal is the players alone, and copies of one agent play the
same game in each.

Matches are played in chunks of a fixed size, in this process or in others; the chunks and so the
numbers do not depend on how many processes there are.
"""

import multiprocessing
import os
import pickle
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from ..agents import Agent, SpecError
from ..batch import Batch
from ..rules import Rules
from .referee import Referee

CHUNK = 32
"""Matches played side by side (each in all its seatings)."""

WORTH_PROCESSES = 10.0
"""Seconds of play left above which starting processes pays."""

Integers = npt.NDArray[np.integer[Any]]
Progress = Callable[[int], None]


@dataclass(frozen=True)
class Tables:
    """What happened in M matches of D deals, each in S seatings of P seats.

    Attributes:
        seating: int16 ``[M, S, P]``: number of the agent in each seat.
        dealers: int8 ``[M, D]``.
        trumps: int8 ``[M, D]``: suit index.
        bids, points: int16 ``[M, S, D, P]``.
        penalties: int16 ``[M, S, D, P]``; a forfeited deal costs the worst possible penalty.
        forfeits: bool ``[M, S, D, P]``: the agent raised or chose an illegal action; a stand-in
            played the seat to the end of the deal.
        faults: first fault of each agent that had one, number → one line.
    """

    seating: Integers
    dealers: Integers
    trumps: Integers
    bids: Integers
    points: Integers
    penalties: Integers
    forfeits: npt.NDArray[np.bool_]
    faults: dict[int, str]

    @classmethod
    def joined(cls, parts: Sequence["Tables"]) -> "Tables":
        """The matches of several tables, one after the other."""
        faults: dict[int, str] = {}
        for part in parts:
            faults = part.faults | faults
        arrays = {
            entry.name: np.concatenate([getattr(part, entry.name) for part in parts])
            for entry in fields(cls)
            if entry.name != "faults"
        }
        return cls(**arrays, faults=faults)

    @property
    def match_penalties(self) -> npt.NDArray[np.int64]:
        """Sums over the deals of a match, int64 ``[M, S, P]``."""
        total: npt.NDArray[np.int64] = self.penalties.sum(axis=2, dtype=np.int64)
        return total

    def seats_of(self, agent: int) -> npt.NDArray[np.bool_]:
        """Where an agent sits, bool ``[M, S, 1, P]``, to broadcast over deals."""
        here: npt.NDArray[np.bool_] = (self.seating == agent)[:, :, None, :]
        return here


def play_chunk(
    agents: Sequence[Agent], rules: Rules, seed: int, first_match: int, seating: Integers
) -> Tables:
    """Plays some matches in all their seatings, all at once.

    Args:
        agents: the players.
        rules: rules of all matches.
        seed: with the number of the match, the key of its deals.
        first_match: number of the first match.
        seating: int ``[M, S, P]``: number of the agent in each seat.
    """
    matches, seatings, players = seating.shape
    assert rules.deals is not None
    deals = rules.deals
    rows = np.repeat(np.arange(matches), seatings)
    batch = Batch(matches, rules, seed=seed, first_row=first_match).select(rows)
    referee = Referee(batch, agents, seating.reshape(-1, players))
    shape = (matches * seatings, deals, players)
    bids, points, penalties = (np.zeros(shape, np.int16) for _ in range(3))
    forfeits = np.zeros(shape, np.bool_)
    dealers, trumps = (np.zeros(shape[:2], np.int8) for _ in range(2))
    while (batch.current_seat >= 0).any():
        actions = referee.actions()
        deal, records = batch.deal_number.copy(), batch.state_records
        dealer, trump = records["dealer"].copy(), records["trump"].copy()
        _, deal_over, _ = batch.step(actions, check=False)
        (ended,) = np.nonzero(deal_over)
        if ended.size:
            at = (ended, deal[ended])
            bids[at] = batch.settled.bids[ended]
            points[at] = batch.settled.points[ended]
            forfeits[at] = referee.forfeits[ended]
            penalties[at] = np.where(
                forfeits[at], rules.worst_penalty, batch.settled.penalties[ended]
            )
            dealers[at], trumps[at] = dealer[ended], trump[ended]
            referee.deal_over(ended)
    full = (matches, seatings, deals, players)
    return Tables(
        seating=seating.astype(np.int16),
        dealers=dealers.reshape(full[:3])[:, 0],
        trumps=trumps.reshape(full[:3])[:, 0],
        bids=bids.reshape(full),
        points=points.reshape(full),
        penalties=penalties.reshape(full),
        forfeits=forfeits.reshape(full),
        faults=referee.faults,
    )


def play_matches(
    agents: Sequence[Agent],
    rules: Rules,
    seed: int,
    seating: Integers,
    *,
    first_match: int = 0,
    workers: int | None = 1,
    progress: Progress | None = None,
) -> Tables:
    """Plays matches in chunks, over processes if asked to.

    Args:
        agents: the players; for other processes one that was not loaded from a spec must pickle.
        rules: rules of all matches.
        seed: with the number of a match, the key of its deals.
        seating: int ``[M, S, P]``: number of the agent in each seat, M ≥ 1.
        first_match: number of the first match.
        workers: processes; 1 plays in this one, None starts as many as there are processors if
            there is enough to do. The numbers are the same.
        progress: called with the number of matches that have just been played.

    Raises:
        SpecError: if an agent cannot be carried to another process.
    """
    starts = range(0, len(seating), CHUNK)
    jobs = [(first_match + start, seating[start : start + CHUNK]) for start in starts]
    parts: list[Tables] = []

    def play(jobs: Sequence[Job], workers: int) -> None:
        workers = min(workers, len(jobs))
        played = _in_processes if workers > 1 else _in_this_process
        for part in played(agents, rules, seed, jobs, workers):
            parts.append(part)
            if progress is not None:
                progress(len(part.seating))

    if workers is None:
        # Compilation must not count: the second chunk is timed.
        play(jobs[:1], 1)
        begun = time.perf_counter()
        play(jobs[1:2], 1)
        left = (time.perf_counter() - begun) * (len(jobs) - len(parts))
        jobs = jobs[2:]
        workers = processors() if left > WORTH_PROCESSES else 1
    play(jobs, workers)
    return Tables.joined(parts)


def processors() -> int:
    """Processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


Job = tuple[int, Integers]


def _in_this_process(
    agents: Sequence[Agent],
    rules: Rules,
    seed: int,
    jobs: Sequence[Job],
    workers: int,
) -> Iterator[Tables]:
    with one_torch_thread():
        for first_match, seating in jobs:
            yield play_chunk(agents, rules, seed, first_match, seating)


def _in_processes(
    agents: Sequence[Agent],
    rules: Rules,
    seed: int,
    jobs: Sequence[Job],
    workers: int,
) -> Iterator[Tables]:
    """The chunks in order. Processes are spawned: a fork of a process with threads may hang."""
    try:
        luggage = pickle.dumps((list(agents), rules, seed))
    except Exception as error:
        raise SpecError(
            "with several workers an agent is loaded from a spec or pickles; one does not: "
            + " ".join(str(error).split())
        ) from None
    before = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(
        workers, multiprocessing.get_context("spawn"), _start_worker, (luggage,)
    )
    try:
        waiting: list[Future[Tables]] = [pool.submit(_work, job) for job in jobs]
        for number, future in enumerate(waiting):
            yield future.result()
            waiting[number] = Future()  # let go of the result
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for child in set(multiprocessing.active_children()) - before:
            child.terminate()
        raise
    pool.shutdown()


_luggage: tuple[list[Agent], Rules, int] | None = None


def _start_worker(luggage: bytes) -> None:
    global _luggage
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends its workers
    _luggage = pickle.loads(luggage)


def _work(job: Job) -> Tables:
    assert _luggage is not None
    agents, rules, seed = _luggage
    first_match, seating = job
    with one_torch_thread():
        return play_chunk(agents, rules, seed, first_match, seating)


@contextmanager
def one_torch_thread() -> Iterator[None]:
    """Networks run on one thread: the sums of a matrix product depend on how it is split."""
    torch = sys.modules.get("torch")
    if torch is None:
        yield
        return
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
