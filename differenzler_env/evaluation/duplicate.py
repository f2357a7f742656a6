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
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from ..agents import Agent, SpecError
from ..batch import Batch
from ..rules import Rules
from .referee import Referee
from .tables import Integers, Tables

CHUNK = 32
"""Matches played side by side (each in all its seatings)."""

WORTH_PROCESSES = 10.0
"""Seconds of play left above which starting processes pays."""


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
    deals = rules.deals
    rows = np.repeat(np.arange(matches), seatings)
    # Only agents asked one by one can look back at settled deals.
    remember = not all(agent.batched for agent in agents)
    batch = Batch(matches, rules, seed=seed, first_row=first_match, remember=remember).select(rows)
    referee = Referee(batch, agents, seating.reshape(-1, players))
    shape = (matches * seatings, deals, players)
    bids, points, penalties = (np.zeros(shape, np.int16) for _ in range(3))
    forfeits, out_of_reach = np.zeros(shape, np.bool_), np.zeros(shape, np.int8)
    totals = np.array([rules.total_points(suit) for suit in range(4)], np.int64)
    lost = np.zeros((len(rows), players), np.int8)
    dealers = np.zeros(shape[:2], np.int8)
    while (batch.current_seat >= 0).any():
        actions = referee.actions()
        deal, dealer = batch.deal_number, batch.state_records["dealer"].copy()
        _, deal_over, _ = batch.step(actions, check=False)
        note_lost_bids(batch.state_records, players, totals, lost)
        (ended,) = np.nonzero(deal_over)
        if ended.size:
            at = (ended, deal[ended])
            bids[at] = batch.settled.bids[ended]
            points[at] = batch.settled.points[ended]
            forfeits[at] = referee.forfeits[ended]
            penalties[at] = np.where(
                forfeits[at], rules.worst_penalty, batch.settled.penalties[ended]
            )
            missed = (lost[ended] == 0) & (bids[at] != points[at])
            out_of_reach[at] = np.where(missed, rules.tricks, lost[ended])
            lost[ended] = 0
            dealers[at] = dealer[ended]
            referee.deal_over(ended)
    full = (matches, seatings, deals, players)
    return Tables(
        seating=seating.astype(np.int16),
        dealers=dealers.reshape(full[:3])[:, 0],
        bids=bids.reshape(full),
        points=points.reshape(full),
        penalties=penalties.reshape(full),
        out_of_reach=out_of_reach.reshape(full),
        forfeits=forfeits.reshape(full),
        faults=referee.faults,
    )


def note_lost_bids(
    records: npt.NDArray[Any], players: int, totals: Integers, lost: Integers
) -> None:
    """Where a trick has just ended within a deal: the seats whose bids have come out of reach.

    Args:
        records: STATE ``[B]``.
        players: P.
        totals: card points of a deal by trump suit, ``[4]``.
        lost: int8 ``[B, P]``: number of the trick, 0 while a bid is within reach; written on.
    """
    played = records["num_played"]
    (rows,) = np.nonzero((played > 0) & (played % players == 0) & (records["current_seat"] >= 0))
    if not rows.size:
        return
    points = records["points"][rows, :players].astype(np.int64)
    bids = records["bids"][rows, :players]
    left = totals[records["trump"][rows]] - points.sum(axis=1)
    gone = (bids < points) | (bids > points + left[:, None])
    tricks = (played[rows] // players)[:, None]
    lost[rows] = np.where(gone & (lost[rows] == 0), tricks, lost[rows])


def play_matches(
    agents: Sequence[Agent],
    rules: Rules,
    seed: int,
    seating: Integers,
    *,
    first_match: int = 0,
    workers: int | None = 1,
) -> Iterator[Tables]:
    """Plays matches in chunks, over processes if asked to, and gives the chunks in order.

    Args:
        agents: the players; for other processes one that was not loaded from a spec must pickle.
        rules: rules of all matches.
        seed: with the number of a match, the key of its deals.
        seating: int ``[M, S, P]``: number of the agent in each seat, M ≥ 1.
        first_match: number of the first match.
        workers: processes; 1 plays in this one, None starts as many as there are processors if
            there is enough to do. The numbers are the same.

    Raises:
        SpecError: if an agent cannot be carried to another process.
    """
    starts = range(0, len(seating), CHUNK)
    jobs = [(first_match + start, seating[start : start + CHUNK]) for start in starts]
    if workers is None:
        yield from _in_this_process(agents, rules, seed, jobs[:1])
        # Compilation must not count: the second chunk is timed.
        begun = time.perf_counter()
        yield from _in_this_process(agents, rules, seed, jobs[1:2])
        jobs = jobs[2:]
        left = (time.perf_counter() - begun) * len(jobs)
        workers = processors() if left > WORTH_PROCESSES else 1
    workers = min(workers, len(jobs))
    if workers > 1:
        yield from _in_processes(agents, rules, seed, jobs, workers)
    else:
        yield from _in_this_process(agents, rules, seed, jobs)


def processors() -> int:
    """Processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


Job = tuple[int, Integers]


def _in_this_process(
    agents: Sequence[Agent], rules: Rules, seed: int, jobs: Sequence[Job]
) -> Iterator[Tables]:
    with one_torch_thread():
        for first_match, seating in jobs:
            yield play_chunk(agents, rules, seed, first_match, seating)


def _in_processes(
    agents: Sequence[Agent], rules: Rules, seed: int, jobs: Sequence[Job], workers: int
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
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _luggage = pickle.loads(luggage)


def _end_with_parent() -> None:
    """End this process when its parent does, even by a signal that leaves it no time."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _work(job: Job) -> Tables:
    assert _luggage is not None
    agents, rules, seed = _luggage
    first_match, seating = job
    with one_torch_thread():
        return play_chunk(agents, rules, seed, first_match, seating)


@contextmanager
def one_torch_thread() -> Iterator[None]:
    """Players that use torch run on one thread: the sums of a matrix product depend on how it is
    split."""
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
