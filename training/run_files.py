"""Training: the folder of a run. Checkpoints to resume from, policies to play with, figures.

====================================== ===========================================================
``config.yaml``                        the settings
``policy.safetensors``                 the newest policy, for any agent spec
``best.safetensors``                   the policy that was best at the frozen tables
``past/past-NUMBER.safetensors``       past selves in the pool, after that many updates
``training-NUMBER.safetensors``        all that resuming needs, after that many updates
``progress.jsonl``                     the figures of every update, one line each
``tensorboard/``                       the same for TensorBoard
====================================== ===========================================================
"""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from differenzler_env.checkpoint import (
    FORMAT,
    CheckpointError,
    Tensors,
    load,
    policy_document,
    read,
    save,
)
from differenzler_env.files import replacing
from differenzler_env.observation import OBSERVATION_VERSION

from .config import ConfigError, RunConfig
from .self_play import SelfPlayLearner


class RunFiles:
    """The files of one run.

    Args:
        config: the settings; its ``run_folder`` is the place.
    """

    def __init__(self, config: RunConfig) -> None:
        self.config = config
        self.folder = config.run_folder
        self._written: set[int] = set()
        self._claim: int | None = None

    def check(self, resume: bool) -> None:
        """Whether there is something to go on with, or nothing in the way; nothing is written.

        Raises:
            ConfigError: if a run lies there and is not to be resumed, or the other way round.
        """
        try:
            there = bool(self.checkpoints())
        except OSError as error:
            raise ConfigError(f"{str(self.folder)!r} cannot be read: {error.strerror}") from None
        if resume and not there:
            raise ConfigError(f"there is no run to resume in {str(self.folder)!r}")
        if there and not resume:
            raise ConfigError(
                f"{str(self.folder)!r} holds a run already: give --resume to go on with it, or "
                "another --name"
            )

    def begin(self, resume: bool) -> None:
        """Make the folder; keep other processes out until :meth:`end`, or until this process is
        gone.

        Raises:
            ConfigError: as :meth:`check` does, and if another process trains there.
        """
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._claim_folder()
            self.check(resume)
            for leftover in self.folder.glob(".*.tmp"):  # of a process that was killed
                leftover.unlink(missing_ok=True)
            text = yaml.safe_dump(self.config.to_dict(), sort_keys=False)
            with replacing(self.folder / "config.yaml") as temporary:
                temporary.write_text(text, encoding="utf-8")
            if not resume:
                self.progress_path.unlink(missing_ok=True)
        except OSError as error:
            raise ConfigError(f"{str(self.folder)!r} cannot be written: {error.strerror}") from None

    def _claim_folder(self) -> None:
        try:
            import fcntl
        except ImportError:  # Windows
            return
        self._claim = os.open(self.folder, os.O_RDONLY)
        try:
            fcntl.flock(self._claim, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.end()
            raise ConfigError(f"another process trains in {str(self.folder)!r}") from None
        except OSError:  # a file system without locks
            self.end()

    def end(self) -> None:
        """Let other processes into the folder."""
        if self._claim is not None:
            os.close(self._claim)
            self._claim = None

    @property
    def progress_path(self) -> Path:
        """Where the figures are."""
        return self.folder / "progress.jsonl"

    @property
    def policy_path(self) -> Path:
        """Where the newest policy is."""
        return self.folder / "policy.safetensors"

    @property
    def best_path(self) -> Path:
        """Where the policy is that was best at the frozen tables."""
        return self.folder / "best.safetensors"

    def past_path(self, updates: int) -> Path:
        """Where a past self is."""
        return self.folder / "past" / f"past-{updates:07d}.safetensors"

    def checkpoints(self) -> list[Path]:
        """The files to resume from, oldest first."""
        return sorted(self.folder.glob("training-*.safetensors"))

    def save(self, learner: SelfPlayLearner) -> None:
        """Write the policy and what resuming needs, past selves first; older checkpoints beyond
        ``keep`` go, and the past selves that only they needed.

        Raises:
            CheckpointError: if it cannot be written; older files stay.
        """
        pool = learner.pool
        for updates in pool.past:
            if updates not in self._written:
                training = {"config": self.config.to_dict(), "updates": updates}
                made = policy_document(learner.rules, learner.policy.shape, training)
                save(self.past_path(updates), pool.tensors(updates), made)
                self._written.add(updates)
        progress = learner.progress.to_dict()
        document = {
            "format": FORMAT,
            "kind": "training",
            "observation": OBSERVATION_VERSION,
            "progress": progress,
            "past": list(pool.past),
            "config": self.config.to_dict(),
        }
        path = self.folder / f"training-{learner.progress.updates:07d}.safetensors"
        save(path, learner.tensors(), document)
        save_policy(self.policy_path, learner)
        kept = self.checkpoints()
        for old in kept[: -self.config.keep]:
            old.unlink(missing_ok=True)
        oldest = int(kept[-self.config.keep :][0].stem.rpartition("-")[2])
        # One taken after as many updates plays from the next update on only.
        before = [number for number in self._past() if number < oldest]
        for number in before[: -self.config.past_kept]:
            self.past_path(number).unlink(missing_ok=True)

    def _past(self) -> list[int]:
        """The past selves that lie in the folder, oldest first."""
        found = self.past_path(0).parent.glob("past-*.safetensors")
        return sorted(int(path.stem.rpartition("-")[2]) for path in found)

    def save_best(self, learner: SelfPlayLearner, strength: dict[str, Any]) -> None:
        """Write the policy as the best one, with what was measured.

        Raises:
            CheckpointError: if it cannot be written.
        """
        save_policy(self.best_path, learner, strength)

    def best_strength(self) -> dict[str, Any]:
        """What was measured of the best policy; nothing where there is none that can be read."""
        try:
            strength = read(self.best_path)[1].get("strength")
        except CheckpointError:
            return {}
        return strength if isinstance(strength, dict) else {}

    def restore(self, learner: SelfPlayLearner, say: Callable[[str], None]) -> None:
        """Put the learner where the newest readable checkpoint left it.

        Raises:
            CheckpointError: if none can be read, or the newest is of other networks.
        """
        error: CheckpointError | None = None
        for path in reversed(self.checkpoints()):
            try:
                tensors, document = read(path)
                past = self._read_past(learner, document)
            except CheckpointError as problem:
                error = error or problem
                say(f"{problem}; going on from the one before")
                continue
            self._put_back(path, learner, tensors, document)
            learner.pool.forget()
            for updates, (weights, shape) in past.items():
                learner.pool.remember(updates, weights, shape)
            self._written = set(learner.pool.past)
            return
        raise error or CheckpointError(f"there is no checkpoint in {str(self.folder)!r}")

    def _read_past(
        self, learner: SelfPlayLearner, document: dict[str, Any]
    ) -> dict[int, tuple[Tensors, dict[str, Any]]]:
        """Weights and shapes of the past selves that a checkpoint speaks of, if they play."""
        if not learner.pool.wants_past:
            return {}
        found = {}
        for updates in document.get("past", ()):
            weights, made = load(self.past_path(updates), learner.rules)
            found[updates] = weights, made["network"]
        return found

    def cut(self, updates: int) -> None:
        """Drop what comes from updates that were lost and will be done again."""
        for number in self._past():
            if number > updates:
                self.past_path(number).unlink(missing_ok=True)
        self._cut_progress(updates)

    def _put_back(
        self, path: Path, learner: SelfPlayLearner, tensors: Tensors, document: dict[str, Any]
    ) -> None:
        # Checkpoints of before this was written down have the weights' shapes to go by.
        version = document.get("observation", OBSERVATION_VERSION)
        if version != OBSERVATION_VERSION:
            raise CheckpointError(
                f"{str(path)!r} is for observation version {version}; this version of the package "
                f"observes in version {OBSERVATION_VERSION}"
            )
        try:
            learner.restore(tensors, document["progress"])
        except (KeyError, TypeError, ValueError) as problem:
            reason = " ".join(str(problem).split())
            raise CheckpointError(f"{str(path)!r} does not fit these settings: {reason}") from None

    def log(self, figures: dict[str, float]) -> None:
        """Append the figures of an update.

        Raises:
            CheckpointError: if they cannot be written.
        """
        try:
            with self.progress_path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(figures) + "\n")
        except OSError as error:
            raise CheckpointError(
                f"{str(self.progress_path)!r} could not be written: {error.strerror}"
            ) from None

    def _cut_progress(self, updates: int) -> None:
        """Drop the figures of updates that were lost and will be done again."""
        if not self.progress_path.exists():
            return
        kept = [line for line in read_progress(self.progress_path) if line["update"] <= updates]
        with replacing(self.progress_path) as temporary:
            text = "".join(json.dumps(line) + "\n" for line in kept)
            temporary.write_text(text, encoding="utf-8")


def save_policy(
    path: Path, learner: SelfPlayLearner, strength: dict[str, Any] | None = None
) -> None:
    """Write the learner's averaged policy as a checkpoint that agents load."""
    weights = {name: tensor.cpu().numpy() for name, tensor in learner.average.items()}
    config = learner.config
    made = {"method": config.method, "config": config.to_dict(), **learner.progress.to_dict()}
    if learner.began_as:
        made["start"] = learner.began_as
    save(path, weights, policy_document(learner.rules, learner.policy.shape, made, strength))


def read_progress(path: Path) -> list[dict[str, float]]:
    """The figures of a run, oldest first; lines that hold none, half written say, are skipped."""
    lines = []
    for text in path.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            line = json.loads(text)
        except ValueError:
            continue
        if isinstance(line, dict) and "update" in line:
            lines.append(line)
    return lines
