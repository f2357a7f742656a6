"""Documentation: what the site needs beyond the pages in ``docs/``.

The contributors' page, the changes and the cards of the models are written where a reader of the
repository looks for them. Here they join the site, and links from page to page are turned to what
they are called there. The API page is made from docstrings, whose references lose their roles.
"""

import re
from pathlib import Path, PurePosixPath
from posixpath import normpath, relpath
from typing import Any

import griffe
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
START = "index.md"
"""What README.md is to the repository."""
ELSEWHERE = ("CONTRIBUTING.md", "CHANGELOG.md", "models/*.md")

LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#)([^)#\s]+)")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put a card for each shipped model into the navigation."""
    for section in config.nav or []:
        for entry in next(iter(section.values())):
            if isinstance(entry, dict) and "Shipped models" in entry:
                cards = sorted(path.name for path in (ROOT / "models").glob("*.md"))
                entry["Shipped models"] += [
                    f"models/{name}" for name in cards if name != "README.md"
                ]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that lie outside ``docs/``, under their path in the repository."""
    for pattern in ELSEWHERE:
        for path in sorted(ROOT.glob(pattern)):
            name = path.relative_to(ROOT).as_posix()
            files.append(File.generated(config, name, abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turn links in the repository to links in the site."""
    here = page.file.src_uri
    elsewhere = any(PurePosixPath(here).match(pattern) for pattern in ELSEWHERE)
    return LINK.sub(lambda link: site_link(link[1], here, elsewhere, files), markdown)


def site_link(target: str, here: str, elsewhere: bool, files: Files) -> str:
    """A link of the page ``here`` as the site has it; unchanged where the site has no such page,
    which then is a warning, and so an error."""
    folder = PurePosixPath(here if elsewhere else f"docs/{here}").parent
    name = normpath(f"{folder}/{target}").removeprefix("docs/")
    name = START if name == "README.md" else name
    if files.get_file_from_path(name) is None:
        return target
    return relpath(name, str(PurePosixPath(here).parent))


class PlainReferences(griffe.Extension):
    """References in docstrings without the roles that Markdown does not know."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Rewrite the docstring of an object."""
        if obj.docstring is not None:
            obj.docstring.value = re.sub(r":[a-z]+:`~?([^`]+)`", r"`\1`", obj.docstring.value)
