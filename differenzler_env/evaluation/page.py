"""Evaluation: what the pages of reports are built from. Text that comes from outside is escaped."""

import html
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .. import __version__
from ..rule_text import rules_text
from ..rules import Rules
from .statistics import Estimate

STYLE = """
:root { --ink: #1d2a26; --soft: #5d6b66; --line: #d9dfdc; --green: #1b6b4a; --paper: #f6f7f4; }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
main { max-width: 1180px; margin: 0 auto; padding: 32px 24px 64px; }
h1 { font-size: 28px; margin: 0 0 4px; overflow-wrap: anywhere; }
h2 { font-size: 17px; margin: 0 0 4px; }
p { margin: 0 0 8px; color: var(--soft); }
.figures { display: grid; gap: 16px; margin: 24px 0;
  grid-template-columns: repeat(auto-fit, minmax(140px, 1fr)); }
.figure, .card { background: #fff; border: 1px solid var(--line); border-radius: 10px; }
.figure { padding: 14px 16px; }
.figure b { display: block; font-size: 24px; line-height: 1.25; color: var(--green); }
.figure span { color: var(--soft); font-size: 14px; display: block; }
.cards { display: grid; gap: 20px; grid-template-columns: repeat(auto-fit, minmax(480px, 1fr)); }
.card { padding: 18px 20px; min-width: 0; overflow-x: auto; }
.card svg { width: 100%; height: auto; display: block; }
.wide { grid-column: 1 / -1; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: 5px 10px; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 600; font-size: 14px; }
td { white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
.fault { color: #a3261b; }
footer { margin-top: 32px; color: var(--soft); font-size: 14px; }
@media (max-width: 560px) { .cards { grid-template-columns: 1fr; } }
"""


def whole_page(title: str, body: Iterable[str], rules: Rules) -> str:
    """An HTML page that stands alone: no other file, no script, nothing from the net.

    Args:
        title: plain text.
        body: lines of HTML.
        rules: of the games, for the foot of the page.
    """
    footer = (
        "<footer>Intervals hold 95 % and are over deals, matches won over matches. Rules: "
        f"{text(rules_text(rules))}. differenzler-env {__version__}.</footer>"
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{text(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join([*body, footer])
        + "\n</main>\n</body>\n</html>\n"
    )


def text(plain: str) -> str:
    """Plain text as HTML."""
    return html.escape(plain)


def minus(number: str) -> str:
    """A number with a minus sign in place of the hyphen."""
    return number.replace("-", "−")


def interval(estimate: Estimate, form: str = ".2f") -> str:
    """An interval as text; empty where there is none."""
    if estimate.ci95 is None:
        return ""
    low, high = estimate.ci95
    return minus(f"{low:{form}} … {high:{form}}")


def fault_notes(faults: Mapping[str, str]) -> list[str]:
    """A paragraph for each agent that forfeited games."""
    return [
        f'<p class="fault">{text(name)} forfeited games: it {text(reason)}</p>'
        for name, reason in faults.items()
    ]


def card(title: str, content: str, meaning: str = "", wide: bool = False) -> str:
    """A card with a title, what it means if that is to be said, and HTML."""
    kind = "card wide" if wide else "card"
    said = f"<p>{meaning}</p>" if meaning else ""
    return f'<section class="{kind}"><h2>{title}</h2>{said}{content}</section>'


def table_card(
    title: str, rows: Sequence[Sequence[Any]], meaning: str = "", wide: bool = False
) -> str:
    """A card with a table; the first row is its head."""
    head, *body = rows
    cells = "".join(f"<th>{text(str(cell))}</th>" for cell in head)
    lines = "".join(
        "<tr>" + "".join(f"<td>{text(str(cell))}</td>" for cell in row) + "</tr>" for row in body
    )
    table = f"<table><thead><tr>{cells}</tr></thead><tbody>{lines}</tbody></table>"
    return card(title, table, meaning, wide)
