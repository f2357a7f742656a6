"""Documentation: writes the tables of docs/environments.md from the code.

    python docs/generate.py

What stands between a block's two marks is made anew; all else on the page is left as it is.
"""

import inspect
import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

from differenzler_env import Game, Rules, agents, differenzler_v0, observation
from differenzler_env.actions import NUM_ACTIONS, NUM_BIDS, action_name
from differenzler_env.cards import RANKS, SUITS
from differenzler_env.envs.match import forfeit_reward
from differenzler_env.envs.single import DifferenzlerEnv
from differenzler_env.envs.vector import DifferenzlerVectorEnv
from differenzler_env.rules import RULE_SETS

PAGE = Path(__file__).resolve().parent / "environments.md"
SEED = 7
RULES = Rules.swisslos().replace(deals=1)


def table(heads: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """A Markdown table."""
    lines = [list(heads)]
    lines += [["---"] * len(lines[0])]
    lines += [[str(cell).replace("|", "\\|") for cell in row] for row in rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


# Arguments ---------------------------------------------------------------------------------


def meanings(documented: Callable[..., Any]) -> dict[str, str]:
    """What a docstring says of each argument, in Markdown."""
    section = (inspect.getdoc(documented) or "").partition("Args:\n")[2].partition("\n\n")[0]
    said = {}
    for entry in re.split(r"\n(?= {4}\w)", section):
        name, _, meaning = entry.strip().partition(": ")
        plain = re.sub(r":\w+:(?=`)", "", " ".join(meaning.split())).removesuffix(".")
        said[name] = plain.replace("``", "`")
    return said


def arguments(make: Callable[..., Any], known: Iterable[str] = ()) -> list[tuple[str, str, str]]:
    """Name, default and meaning of each argument of a callable but those known already."""
    said = meanings(make)
    rows = []
    for name, parameter in inspect.signature(make).parameters.items():
        default = parameter.default
        shown = json.dumps(default) if isinstance(default, str) else str(default)
        if name not in known:
            rows.append((name, f"`{shown}`", said[name]))
    return rows


def of_pettingzoo() -> str:
    """The arguments of ``differenzler_v0.env()`` and its relatives."""
    rows = [(f"`{name}`", *rest) for name, *rest in arguments(differenzler_v0.env)]
    return table(["argument", "default", "meaning"], rows)


def of_gymnasium() -> str:
    """The arguments of ``gymnasium.make``, and what ``make_vec`` takes besides."""
    one = arguments(DifferenzlerEnv)
    more = arguments(DifferenzlerVectorEnv, known=[name for name, *_ in one])
    rows = [(f"`{name}`", *rest) for name, *rest in one]
    rows += [(f"`{name}` (`make_vec`)", *rest) for name, *rest in more]
    return table(["argument", "default", "meaning"], rows)


# Spaces ------------------------------------------------------------------------------------


def actions() -> str:
    """The action space: bids, then cards by suit."""
    rows: list[tuple[object, object]] = [(f"0 … {NUM_BIDS - 1}", "bid that many card points")]
    for suit, letter in enumerate(SUITS):
        first = NUM_BIDS + len(RANKS) * suit
        names = ", ".join(action_name(first + rank) for rank in range(len(RANKS)))
        rows.append(
            (f"{first} … {first + len(RANKS) - 1}", f"play a card of suit {letter}: {names}")
        )
    total = f"`Discrete({NUM_ACTIONS})`, the same under all rules.\n\n"
    return total + table(["action", "meaning"], rows)


def fields(layout: Iterable[observation.Field], start: int) -> str:
    """Where each field of a vector stands and what it says."""
    rows = []
    for field in layout:
        end = start + field.size
        place = str(start) if field.size == 1 else f"{start} … {end - 1}"
        shape = " × ".join(map(str, field.shape))
        rows.append((place, f"`{field.name}`", shape, f"{field.low} … {field.high}", field.meaning))
        start = end
    return table(["values", "field", "shape", "range", "meaning"], rows)


def layout() -> str:
    """The observation, field by field."""
    head = (
        f"float32, {observation.OBSERVATION_SIZE} values, "
        f"version `{observation.OBSERVATION_VERSION}`.\n\n"
    )
    return head + fields(observation.LAYOUT, 0)


def state() -> str:
    """What the state has besides."""
    head = f"float32, {observation.STATE_SIZE} values: the observation, then\n\n"
    return head + fields(observation.STATE_FIELDS, observation.OBSERVATION_SIZE)


def forfeits() -> str:
    """What an illegal move costs under each named rule set."""
    rows = []
    for name, make in RULE_SETS.items():
        rules = make()
        cost = forfeit_reward(rules.replace(deals=1), "penalty", 0)
        first = forfeit_reward(rules, "penalty", 0)
        rows.append((f"`{name}`", rules.deals, rules.worst_penalty, f"{cost:g}", f"{first:g}"))
    heads = ["rules", "deals", "worst penalty of a deal", "a deal", "in the first deal of a match"]
    return table(heads, rows)


# The life of a deal ------------------------------------------------------------------------


def seat_by_seat() -> str:
    """A deal through PettingZoo's loop."""
    thumb = agents.load("thumb", RULES)
    env = differenzler_v0.raw_env(RULES)
    env.reset(seed=SEED)
    hands = [" ".join(hand) for hand in env.game.hands]
    head = f"Trump is {env.game.trump}, player_{env.game.dealer} deals.\n\n" + table(
        ["seat", "hand"], [(f"player_{seat}", hand) for seat, hand in enumerate(hands)]
    )
    turns, ends, said = [], [], []
    for step, agent in enumerate(env.agent_iter()):
        seen, reward, over, _, info = env.last()
        if over:
            told = ", ".join(f"{key} {value}" for key, value in info["deal"].items())
            ends.append((step, agent, int(seen["action_mask"].sum()), "True", f"{reward:g}", told))
            env.step(None)
        else:
            seat = int(agent.removeprefix("player_"))
            action = thumb.act(env.game.view(seat), np.random.default_rng(0))
            legal = int(seen["action_mask"].sum())
            said.append(f"{agent}: {action_name(action)} (action {action}, of {legal})")
            env.step(action)
            if len(said) == RULES.players:
                turns.append((f"{step - 3} … {step}", "; ".join(said), won(env.game)))
                said = []
    heads = ["step", "agent", "legal actions", "termination", "reward", '`info["deal"]`']
    return "\n\n".join(
        [
            head,
            table(["steps", "actions, with the number of legal ones", "then"], turns),
            "Then each seat has its dead turn, in which `last()` tells it its reward:",
            table(heads, ends),
        ]
    )


def won(game: Game) -> str:
    """What the last round of actions brought."""
    if not game.tricks:
        leader = f"player_{game.current_seat}"
        return f"all have bid; {leader} leads. Rewards 0"
    trick = game.tricks[-1]
    rest = "the deal is settled" if game.is_over else "rewards 0"
    return f"player_{trick['winner']} takes {trick['points']} points; {rest}"


def one_seat() -> str:
    """The same deal through Gymnasium: one seat's ten steps."""
    thumb = agents.load("thumb", RULES)
    env = gymnasium.make("differenzler_env:DifferenzlerDeal-v0", seat=0, opponents="thumb")
    _, info = env.reset(seed=SEED)
    inner: Any = env.unwrapped
    game: Game = inner.game
    rows = [("reset", "", opened(game), int(info["action_mask"].sum()), "", "", "")]
    over, step = False, 0
    while not over:
        game = inner.game
        action = thumb.act(game.view(0), np.random.default_rng(0))
        _, reward, over, _, info = env.step(action)
        game = inner.game
        told = ", ".join(f"{key} {value}" for key, value in info.get("deal", {}).items())
        lies = "the match is over" if over else opened(game)
        legal = int(info["action_mask"].sum())
        rows.append((step, action_name(action), lies, legal, f"{reward:g}", str(over), told))
        step += 1
    heads = ["step", "action", "then on the table", "ones in the mask", "reward", "terminated"]
    return table([*heads, '`info["deal"]`'], rows)


def opened(game: Game) -> str:
    """What the learner finds on the table."""
    if game.phase == "bid":
        return "it is to bid"
    cards = ", ".join(f"{card} of player_{seat}" for seat, card in game.trick)
    return cards or "nothing: it leads"


# The page ----------------------------------------------------------------------------------

BLOCKS: dict[str, Callable[[], str]] = {
    "pettingzoo": of_pettingzoo,
    "gymnasium": of_gymnasium,
    "actions": actions,
    "observation": layout,
    "state": state,
    "forfeits": forfeits,
    "deal": seat_by_seat,
    "seat": one_seat,
}


def page(text: str) -> str:
    """The page with all blocks made anew.

    Raises:
        ValueError: if a block's marks are not there exactly once.
    """
    for name, make in BLOCKS.items():
        text = filled(text, name, "docs/generate.py", make())
    return text


def filled(text: str, name: str, maker: str, content: str) -> str:
    """A page with one block made anew, between its two marks.

    Raises:
        ValueError: if the block's marks are not there exactly once.
    """
    start = f"<!-- {name}: made by {maker}; do not edit -->"
    end = f"<!-- end of {name} -->"
    if text.count(start) != 1 or text.count(end) != 1:
        raise ValueError(f"the page has not one block {name!r}")
    before, rest = text.split(start)
    return f"{before}{start}\n\n{content}\n\n{end}{rest.split(end)[1]}"


def main() -> None:
    """Write the page anew."""
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
