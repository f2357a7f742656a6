"""Command line: options that several commands have, each with the words that explain it."""

from pathlib import Path
from typing import Annotated

from tyro.conf import arg

RulesText = Annotated[
    str,
    arg(help="rule set: swisslos, table, television, mini; settings as in table?players=5"),
]
"""For :func:`.rule_text.get_rules`."""
PlaySeed = Annotated[int, arg(help="of the deals and of the agents' draws")]
Workers = Annotated[
    int | None,
    arg(help="processes; by default as many as pay off. The results do not depend on it"),
]
UntilCi = Annotated[
    float | None,
    arg(
        help="go on after that many deals until the 95 % intervals are no wider than this, end to "
        "end"
    ),
]
Resume = Annotated[
    Path | None,
    arg(help="file that keeps what has been played; an interrupted run goes on from it"),
]
ResultFile = Annotated[
    Path | None, arg(help="file for the result; one that is there is replaced at the end")
]
Language = Annotated[str | None, arg(help="en or de; that of the terminal where not given")]
Cards = Annotated[
    str, arg(help="french or german: the suits of the cards, ♣♦♥♠ or acorns, bells, roses, shields")
]
JUDGE = "search?worlds=200&exact=4"
"""Who judges where nobody is named: the last four tricks are solved with open cards."""
