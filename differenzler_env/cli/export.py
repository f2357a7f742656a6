"""Command line: ``differenzler export``, a policy as an ONNX file."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

NEEDED = ("torch", "safetensors", "onnx", "onnxscript", "onnxruntime")


@dataclass
class Export:
    """Write a policy as an ONNX file: masked logits from observation and action mask."""

    model: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="MODEL")]
    """a checkpoint file, such as models/swisslos.safetensors"""
    out: Annotated[tyro.conf.Positional[Path], tyro.conf.arg(metavar="OUT")]
    """the ONNX file; one that is there is replaced"""
    rules: str | None = None
    """refuse a model for other rules than these: swisslos, table, television, mini; settings as in
    table?players=5"""

    def run(self) -> None:
        """Does what the command says."""
        import importlib.util

        from ..agents.registry import find_file
        from ..files import replacing
        from ..rule_text import game_text, get_rules
        from .common import check_output

        for library in NEEDED:
            if importlib.util.find_spec(library) is None:
                raise ValueError(f"export needs {library}: pip install 'differenzler-env[onnx]'")
        rules = None if self.rules is None else get_rules(self.rules)
        check_output(self.out)
        path = find_file(self.model)
        if self.out.resolve() == path.resolve():
            raise ValueError(f"{str(self.out)!r} is the model itself; name another file")
        from rich.console import Console

        with Console(stderr=True).status("exporting …"):
            from ..adapters.onnx import exported  # torch takes seconds to load

            model, played, apart = exported(path, rules)
            with replacing(self.out) as temporary:
                temporary.write_bytes(model)
        print(f"{self.out}: {len(model) / 1e6:.1f} MB, for the rules {game_text(played)}")
        print(f"ONNX Runtime and torch choose alike; their logits differ by a share of {apart:.0e}")
