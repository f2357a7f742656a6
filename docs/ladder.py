"""Documentation: the ladder of agents. Writes docs/ladder.md.

    python docs/ladder.py            # what ``make ladder`` runs

All agents play the same deals at mixed tables. The same files give the same digits, on any number
of processors. An interrupted run goes on from ladder.npz, which is removed in the end.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

# Run from a checkout: beside the other generator.
sys.path.insert(0, str(Path(__file__).resolve().parent))

from generate import table

from differenzler_env.cli.common import progress_bar
from differenzler_env.evaluation.tournament import Standing, tournament
from differenzler_env.files import replacing

FOLDER = Path(__file__).resolve().parent
AGENTS = (
    "random",
    "constant?bid=35",
    "thumb",
    "heuristic",
    "search?worlds=20",
    "search",
    "models/swisslos-1.safetensors",
    "models/swisslos.safetensors",
)
DEALS, SEED = 200, 1


def name(standing: Standing, agent: int) -> str:
    """An agent's spec without what goes without saying."""
    return standing.agents[agent].removesuffix("?deterministic=true")


def ladder(standing: Standing) -> str:
    """The agents from worst to best, each with what it pays less than the one before."""
    rows = []
    below = None
    for agent in reversed(standing.ranking()):
        less = "" if below is None else f"{standing.cross(agent, below):+.2f}"
        rows.append(
            [
                f"`{name(standing, agent)}`",
                f"{standing.penalty(agent):.2f}",
                less,
                f"{standing.win_share(agent).mean:.1%}",
                f"{standing.rating(agent):+.0f}",
                f"{standing.exact_share(agent):.1%}",
            ]
        )
        below = agent
    head = ["agent", "penalty", "against the one above", "matches won", "rating", "exact bids"]
    return table(head, rows)


def cross_table(standing: Standing) -> str:
    """Mean penalty of the row's agent at the tables where the column's sits too, and below it what
    it pays more there than the column's."""
    ranking = standing.ranking()[::-1]
    rows = []
    for number, row in enumerate(ranking, 1):
        cells = [
            "·"
            if row == column
            else f"{standing.beside(row, column).mean:.2f}<br>{standing.cross(row, column):+.2f}"
            for column in ranking
        ]
        rows.append([f"{number} `{name(standing, row)}`", *cells])
    return table(["", *map(str, range(1, len(ranking) + 1))], rows)


def page(standing: Standing) -> str:
    """The whole page."""
    names = [name(standing, agent) for agent in range(len(standing.agents))]
    agents = " ".join(f'"{each}"' if "?" in each else each for each in names)
    return f"""# The ladder

{standing.deals} deals, seed {standing.seed}, each played by different agents at many tables, by all
of them equally often and in every seat: {standing.games:,} games. Penalty a deal, the lower the
better; intervals hold 95 % and are over deals. `make ladder` writes this page.

{ladder(standing)}

"Against the one above" is the agent's penalty less that of the agent in the line above where both
sit at a table, paired by deal. A fair share of matches won is 25 %.

## Who pays what beside whom

Mean penalty of the row's agent at the tables where the column's agent sits too; below it what it
pays more than that agent at those tables.

{cross_table(standing)}

With more figures: `differenzler tournament {agents} --deals {standing.deals}`.

The field `@v1` is taken from the upper half, one agent of each family: see [Agents](agents.md).
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Play, and write the page; the exit status."""
    parser = argparse.ArgumentParser(description="Write the ladder of agents.")
    parser.add_argument("--agents", nargs="+", default=AGENTS, help="agent specs")
    parser.add_argument("--deals", type=int, default=DEALS, help="distinct deals")
    parser.add_argument("--workers", type=int, help="processes")
    parser.add_argument("--out", type=Path, default=FOLDER / "ladder.md", help="the page")
    options = parser.parse_args(arguments)
    kept = options.out.with_suffix(".npz")
    try:
        with progress_bar("matches") as progress:
            standing = tournament(
                options.agents,
                deals=options.deals,
                seed=SEED,
                workers=options.workers,
                progress=progress,
                resume=kept,
            )
    except ValueError as error:
        print(f"ladder.py: {error}", file=sys.stderr)
        return 2
    with replacing(options.out) as temporary:
        temporary.write_text(page(standing), encoding="utf-8")
    kept.unlink(missing_ok=True)
    print(ladder(standing))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
