"""Runs of the trainer in several processes, as torchrun starts them."""

import os
import socket
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def train_in_processes(count: int, script: str, *options: str, **settings: object) -> None:
    """Train with so many processes of one thread each; an AssertionError tells what went wrong."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "torch.distributed.run", f"--nproc_per_node={count}"]
    command += [f"--master_port={port}", script, *options, *as_options(settings)]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def as_options(settings: Mapping[str, object]) -> list[str]:
    """Settings as they are typed."""
    return [
        text
        for name, value in settings.items()
        for text in ("--" + name.replace("_", "-"), str(value))
    ]
