"""The pages of the documentation, and the code blocks in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted(
    path
    for pattern in ("README.md", "CONTRIBUTING.md", "docs/*.md", "models/*.md")
    for path in ROOT.glob(pattern)
)

FENCE = re.compile(r"^( *)```(.*)$")
NOT_RUN = re.compile(r"# not run by the tests: \S.*")
"""The first line of a block that is only to be read: it tells a reader so, and why."""
FILE = re.compile(r"# (\w+\.py)")
"""The first line of a block that is a file of the reader's own."""


@dataclass(frozen=True)
class Block:
    """A fenced block: what is written behind the fence, and its text."""

    page: str
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"

    @property
    def first(self) -> str:
        return self.text.partition("\n")[0]

    @property
    def not_run(self) -> bool:
        return NOT_RUN.fullmatch(self.first) is not None

    @property
    def file(self) -> str | None:
        found = FILE.fullmatch(self.first)
        return found[1] if found else None

    def commands(self) -> Iterator[str]:
        """The commands of a block of commands, without comments; a line that ends in a backslash
        goes on."""
        for line in self.text.replace("\\\n", " ").splitlines():
            command = re.sub(r"(^|\s+)#.*", "", line).strip()
            if command:
                yield command


def blocks(page: Path) -> list[Block]:
    """All fenced blocks of a page, those inside lists too."""
    found: list[Block] = []
    opened: tuple[int, str, str] | None = None
    inside: list[str] = []
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), start=1):
        fence = FENCE.match(line)
        if fence and opened is None:
            opened, inside = (number, fence[1], fence[2].strip()), []
        elif fence and opened is not None:
            start, _, language = opened
            name = page.relative_to(ROOT).as_posix()
            found.append(Block(name, start, language, "\n".join(inside)))
            opened = None
        elif opened is not None:
            inside.append(line.removeprefix(opened[1]))
    assert opened is None, f"{page}: the block of line {opened and opened[0]} has no end"
    return found
