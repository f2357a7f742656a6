"""Training: a run from its settings to its last checkpoint, resumed and interrupted as need be."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from types import FrameType
from typing import Any

import torch
from torch import distributed as dist

from differenzler_env.checkpoint import CheckpointError

from .config import ConfigError, RunConfig
from .frozen_tables import FrozenTables
from .ppo_learner import PPOLearner
from .progress import Display
from .run_files import RunFiles
from .self_play import SelfPlayLearner

AfterUpdate = Callable[[Any, dict[str, float]], None]

INTERRUPTED = 130
"""Exit status after Ctrl-C, as shells have it."""

SAME_SIGNAL = 2.0
"""Seconds within which two signals are one: under ``torchrun`` Ctrl-C reaches a process from the
terminal and once more from ``torchrun``."""


class Interruption:
    """Notices Ctrl-C and a request to terminate; the run ends after the update at hand. Another
    one later than :data:`SAME_SIGNAL` ends it at once."""

    def __init__(self) -> None:
        self.noticed = False
        self._first = 0.0
        self._before: dict[int, Any] = {}

    def __enter__(self) -> "Interruption":
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._notice)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _notice(self, number: int, frame: FrameType | None) -> None:
        if not self.noticed:
            self.noticed, self._first = True, time.monotonic()
        elif time.monotonic() - self._first > SAME_SIGNAL:
            raise KeyboardInterrupt


def start_processes(config: RunConfig) -> tuple[int, int]:
    """Join the other processes that ``torchrun`` started, if it did: own number, number of all.

    Raises:
        ConfigError: if the games do not divide among them, or are too few for the minibatches.
    """
    processes = int(os.environ.get("WORLD_SIZE", "1"))
    if config.games % processes:
        raise ConfigError(
            f"games is {config.games}, which does not divide among {processes} processes"
        )
    if config.games // processes < config.minibatches:
        raise ConfigError(
            f"minibatches is {config.minibatches}; allowed: up to the number of games of a "
            f"process, {config.games // processes}"
        )
    if processes == 1:
        return 0, 1
    if config.device == "cuda":
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl" if config.device.startswith("cuda") else "gloo")
    return dist.get_rank(), processes


def train(
    config: RunConfig,
    resume: bool = False,
    after_update: AfterUpdate | None = None,
    kind: type[SelfPlayLearner] = PPOLearner,
    resumable: bool = True,
) -> int:
    """Run, or go on with, a training run.

    Args:
        config: the settings.
        resume: go on from the newest checkpoint in the run's folder.
        after_update: called with the learner and the figures of each update.
        kind: what learns.
        resumable: whether to say after Ctrl-C how to go on.

    Returns:
        The exit status: 0 when the run is done, 130 when it was interrupted.

    Raises:
        ConfigError: if the settings do not fit the folder or the machine.
        CheckpointError: if a checkpoint cannot be read or written.
    """
    if config.device.startswith("cuda"):
        number, count = int(config.device.partition(":")[2] or 0), torch.cuda.device_count()
        if number >= count:
            raise ConfigError(f"device is {config.device!r}; CUDA devices here: {count}")
    if config.threads:
        torch.set_num_threads(config.threads)
    rank, processes = start_processes(config)
    status = _train(config, resume, after_update, kind, resumable, rank, processes)
    if processes > 1:
        dist.destroy_process_group()
    return status


def _train(
    config: RunConfig,
    resume: bool,
    after_update: AfterUpdate | None,
    kind: type[SelfPlayLearner],
    resumable: bool,
    rank: int,
    processes: int,
) -> int:
    """One process of a run; the first of them writes and shows."""
    first = rank == 0
    files = RunFiles(config)
    files.check(resume)
    started = time.monotonic()
    with Interruption() as interruption, ExitStack() as at_end:
        # Before the folder is touched, so that settings that cannot be leave it as it is.
        learner = kind(config, rank, processes)
        tables = FrozenTables(config, learner.rules)
        if first:
            files.begin(resume)
            at_end.callback(files.end)
        notes: list[str] = []
        if resume:
            tables.recall(files.best_strength())
            if processes > 1:
                dist.barrier()
            files.restore(learner, notes.append)
            if first:
                files.cut(learner.progress.updates)
        logs = files.folder / "tensorboard" if config.tensorboard else None
        with Display(config.deals, learner.progress.deals, logs, quiet=not first) as display:
            for note in notes:
                display.say(note)
            if resume:
                display.say(f"resumed after update {learner.progress.updates}")
            saved = time.monotonic()
            stop = False
            while not stop and learner.progress.deals < config.deals:
                figures = learner.update()
                figures |= {
                    "update": learner.progress.updates,
                    "deals": learner.progress.deals,
                    "seconds": learner.progress.seconds,
                }
                done = learner.progress.deals >= config.deals
                if first:
                    if tables.due(learner.progress.updates, done):
                        figures |= _measure(learner, tables, files, display)
                    with _tolerated(display):
                        files.log(figures)
                    display.show(figures)
                if after_update is not None:
                    after_update(learner, figures)
                late = bool(config.minutes) and time.monotonic() - started > 60 * config.minutes
                stop = _any_process(interruption.noticed or late, processes)
                due = time.monotonic() - saved >= config.save_every
                if first and due and not (stop or done):
                    with _tolerated(display):
                        files.save(learner)
                    saved = time.monotonic()
            if first:
                files.save(learner)
            advice = "; go on with --resume" if resumable else ""
            if interruption.noticed:
                display.say(
                    f"interrupted: saved after update {learner.progress.updates} in "
                    f"{files.folder}{advice}"
                )
                return INTERRUPTED
            if learner.progress.deals < config.deals:
                display.say(
                    f"time is up (minutes {config.minutes:g}): {learner.progress.deals:,} of "
                    f"{config.deals:,} deals{advice}"
                )
            display.say(f"policy saved as {files.policy_path}")
    return 0


@contextmanager
def _tolerated(display: Display) -> Iterator[None]:
    """What cannot be written costs no training: it is said, and the next time there may be room."""
    try:
        yield
    except CheckpointError as error:
        display.say(f"{error}; training goes on")


def _measure(
    learner: SelfPlayLearner, tables: FrozenTables, files: RunFiles, display: Display
) -> dict[str, float]:
    """Play at the frozen tables and keep the policy if none was better; the figures."""
    measured = tables.measure(learner)
    note = f"update {learner.progress.updates}: penalty {measured}"
    if tables.is_best(measured):
        note += "; the best so far"
        with _tolerated(display):
            files.save_best(learner, tables.strength(measured))
            tables.best = measured.score
    display.say(note)
    return measured.figures()


def _any_process(flag: bool, processes: int) -> bool:
    """Whether any process says so."""
    if processes == 1:
        return flag
    flags = torch.tensor([float(flag)])
    if dist.get_backend() == "nccl":
        flags = flags.cuda()
    dist.all_reduce(flags)
    return bool(flags.item() > 0)
