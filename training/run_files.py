"""Training: the folder of a run. Checkpoints to resume from, policies to play with, figures.

====================================== ===========================================================
``config.yaml``                        the settings
``policy.safetensors``                 the newest policy, for any agent spec
``training-NUMBER.safetensors``        all that resuming needs, after that many updates
``progress.jsonl``                     the figures of every update, one line each
``tensorboard/``                       the same for TensorBoard
====================================== ===========================================================
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from differenzler_env.checkpoint import (
    FORMAT,
    CheckpointError,
    Tensors,
    policy_document,
    read,
    save,
)
from differenzler_env.files import replacing

from .config import Config, ConfigError
from .learner import Learner


class RunFiles:
    """The files of one run.

    Args:
        config: the settings; its ``run_folder`` is the place.
    """

    def __init__(self, config: Config) -> None:
        self.config = config
        self.folder = config.run_folder

    def begin(self, resume: bool) -> None:
        """Make the folder, or check that there is something to go on with.

        Raises:
            ConfigError: if a run lies there and is not to be resumed, or the other way round.
        """
        there = bool(self.checkpoints())
        if resume and not there:
            raise ConfigError(f"there is no run to resume in {str(self.folder)!r}")
        if there and not resume:
            raise ConfigError(
                f"{str(self.folder)!r} holds a run already: give --resume to go on with it, or "
                "another --name"
            )
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            for leftover in self.folder.glob(".*.tmp"):  # of a process that was killed
                leftover.unlink(missing_ok=True)
            text = yaml.safe_dump(self.config.to_dict(), sort_keys=False)
            (self.folder / "config.yaml").write_text(text, encoding="utf-8")
            if not resume:
                self.progress_path.unlink(missing_ok=True)
        except OSError as error:
            raise ConfigError(f"{str(self.folder)!r} cannot be written: {error.strerror}") from None

    @property
    def progress_path(self) -> Path:
        """Where the figures are."""
        return self.folder / "progress.jsonl"

    @property
    def policy_path(self) -> Path:
        """Where the newest policy is."""
        return self.folder / "policy.safetensors"

    def checkpoints(self) -> list[Path]:
        """The files to resume from, oldest first."""
        return sorted(self.folder.glob("training-*.safetensors"))

    def save(self, learner: Learner) -> None:
        """Write the policy and what resuming needs; older files beyond ``keep`` go.

        Raises:
            CheckpointError: if it cannot be written; older files stay.
        """
        progress = learner.progress.to_dict()
        document = {
            "format": FORMAT,
            "kind": "training",
            "progress": progress,
            "config": self.config.to_dict(),
        }
        path = self.folder / f"training-{learner.progress.updates:07d}.safetensors"
        save(path, learner.tensors(), document)
        save_policy(self.policy_path, learner)
        for old in self.checkpoints()[: -self.config.keep]:
            old.unlink(missing_ok=True)

    def restore(self, learner: Learner, say: Callable[[str], None]) -> None:
        """Put the learner where the newest readable checkpoint left it.

        Raises:
            CheckpointError: if none can be read, or the newest is of other networks.
        """
        error: CheckpointError | None = None
        for path in reversed(self.checkpoints()):
            try:
                tensors, document = read(path)
            except CheckpointError as problem:
                error = error or problem
                say(f"{problem}; going on from the one before")
                continue
            self._put_back(path, learner, tensors, document)
            self._cut_progress(learner.progress.updates)
            return
        raise error or CheckpointError(f"there is no checkpoint in {str(self.folder)!r}")

    def _put_back(
        self, path: Path, learner: Learner, tensors: Tensors, document: dict[str, Any]
    ) -> None:
        try:
            learner.restore(tensors, document["progress"])
        except (KeyError, TypeError, ValueError) as problem:
            reason = " ".join(str(problem).split())
            raise CheckpointError(f"{str(path)!r} does not fit these settings: {reason}") from None

    def log(self, figures: dict[str, float]) -> None:
        """Append the figures of an update."""
        with self.progress_path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(figures) + "\n")

    def _cut_progress(self, updates: int) -> None:
        """Drop the figures of updates that were lost and will be done again."""
        if not self.progress_path.exists():
            return
        kept = [line for line in read_progress(self.progress_path) if line["update"] <= updates]
        with replacing(self.progress_path) as temporary:
            text = "".join(json.dumps(line) + "\n" for line in kept)
            temporary.write_text(text, encoding="utf-8")


def save_policy(path: Path, learner: Learner) -> None:
    """Write the learner's averaged policy as a checkpoint that agents load."""
    weights = {name: tensor.cpu().numpy() for name, tensor in learner.average.items()}
    training = {"config": learner.config.to_dict(), **learner.progress.to_dict()}
    save(path, weights, policy_document(learner.rules, learner.policy.shape, training))


def read_progress(path: Path) -> list[dict[str, float]]:
    """The figures of a run, oldest first; a line that was left half written is skipped."""
    lines = []
    for text in path.read_text(encoding="utf-8").splitlines():
        try:
            lines.append(json.loads(text))
        except ValueError:
            continue
    return lines
