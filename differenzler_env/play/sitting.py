"""Play: a match that people sit down to: saved after every action, and kept as a record.

A save file is JSON, and going on replays its record: nothing in it is executed.
"""

import json
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ..agents import Agent, SpecError, choose_action, load_field
from ..agents.registry import BUILT_IN
from ..agents.table import illegal_choice
from ..checks import MAX_SEED
from ..errors import RecordError, where_raised
from ..files import replacing
from ..game import Game
from ..record import parse_line, write_records
from ..rules import Rules
from ..specs import split_spec
from .steps import DEAL, SETTLED, Step, play_step

FORMAT = 1
KEYS = ("format", "seed", "seat", "record")
HUMAN = "human"
"""Who a record says sat in the person's seat."""


def human_seat(seats: Sequence[str]) -> int | None:
    """The person's seat at a recorded table; ``None`` where it tells of none, or of several."""
    return seats.index(HUMAN) if seats.count(HUMAN) == 1 else None


def matches_folder() -> Path:
    """Where matches are kept unless a folder is named: ``$XDG_DATA_HOME/differenzler``, else
    ``~/.local/share/differenzler``."""
    data = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(data) / "differenzler"


def new_match_file(folder: Path) -> Path:
    """A new match's file, named by the time of the day. It is made here, empty, so that no other
    program takes its name.

    Raises:
        ValueError: if the folder or the file cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ValueError(f"folder {str(folder)!r} cannot be made: {error.strerror}") from None
    name, number = time.strftime("%Y-%m-%d-%H%M%S"), 1
    file = folder / f"{name}.json"
    while not _reserved(file):
        number += 1
        file = folder / f"{name}-{number}.json"
    return file


def _reserved(file: Path) -> bool:
    """Make an empty save file; whether nobody had it, nor its record.

    Raises:
        ValueError: if it cannot be made.
    """
    try:
        file.touch(exist_ok=False)
    except FileExistsError:
        return False
    except OSError as error:
        raise ValueError(f"{str(file)!r} cannot be made: {error.strerror}") from None
    # Asked after the file is made: a match that ends writes its record, then removes its file.
    if file.with_suffix(".jsonl").exists():
        file.unlink()
        return False
    return True


def last_match_file(folder: Path) -> Path:
    """The unfinished match that was played last.

    Raises:
        ValueError: if there is none.
    """
    files = sorted(folder.glob("*.json"), key=lambda file: file.stat().st_mtime)
    if not files:
        raise ValueError(f"no unfinished match is kept in {str(folder)!r}")
    return files[-1]


class Sitting:
    """A match with agents in some seats and a person in at most one.

    Args:
        game: the match.
        agents: the agents by seat; the seat without one is a person's.
        seed: of the deals, so that a match that goes on later has the same ones.
        file: saved to after every action; ``None`` saves nothing.
        record_file: where the record goes; beside ``file`` where not given.
    """

    def __init__(
        self,
        game: Game,
        agents: dict[int, Agent],
        seed: int,
        file: Path | None = None,
        record_file: Path | None = None,
    ) -> None:
        self.game, self.agents, self.seed = game, agents, seed
        self.file = file
        self.record_file = record_file or (file.with_suffix(".jsonl") if file else None)

    def keep_in(self, folder: Path) -> None:
        """Save to a new file in a folder from now on.

        Raises:
            ValueError: if it cannot be made.
        """
        self.file = new_match_file(folder)
        self.record_file = self.record_file or self.file.with_suffix(".jsonl")

    @property
    def seat(self) -> int | None:
        """The person's seat."""
        seats = [seat for seat in range(self.game.rules.players) if seat not in self.agents]
        return seats[0] if seats else None

    @property
    def specs(self) -> list[str]:
        """Who sits where, for the record."""
        seats = range(self.game.rules.players)
        return [self.agents[seat].spec if seat in self.agents else HUMAN for seat in seats]

    def choose(self) -> int:
        """The action of the agent whose turn it is.

        Raises:
            SpecError: if it raises. What it chose may still be illegal.
        """
        seat = self.game.current_seat
        assert seat is not None
        agent = self.agents[seat]
        try:
            return choose_action(self.game, agent)
        except (Exception, SystemExit) as error:
            reason = " ".join(str(error).split()) + where_raised(error)
            raise SpecError(f"{agent.spec} cannot continue: {reason}") from error

    def play(self, action: int) -> Step:
        """Play an action, and save the match.

        Raises:
            IllegalActionError: for a person's action that is not legal.
            SpecError: for an agent's; it does not tell what would have been legal, which shows the
                agent's hand.
        """
        seat = self.game.current_seat
        if seat in self.agents and action not in self.game.legal_actions():
            spec = self.agents[seat].spec
            raise SpecError(f"{spec} cannot continue: it {illegal_choice(action)}")
        step = play_step(self.game, action)
        self.save()
        return step

    def record(self) -> dict[str, Any]:
        """The match as a game record."""
        return self.game.to_record(self.specs)

    def save(self) -> None:
        """Write the save file, or the record once the match is over.

        Raises:
            OSError: if it cannot be written.
        """
        if self.game.is_over:
            self.write_record()
        elif self.file is not None:
            document = {
                "format": FORMAT,
                "seed": self.seed,
                "seat": self.seat,
                "record": self.record(),
            }
            with replacing(self.file) as temporary:
                temporary.write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")

    def write_record(self) -> None:
        """Write the record as it stands; that of a match that is over takes the save file's place.

        Raises:
            OSError: if it cannot be written.
        """
        if self.record_file is not None:
            write_records(self.record_file, [self.record()])
        if self.file is not None and self.game.is_over:
            self.file.unlink(missing_ok=True)


def live_steps(sitting: Sitting) -> Iterator[Step]:
    """The steps of a match that agents play, from where it stands; each is played when asked for.

    Raises:
        SpecError: for an agent that fails.
    """
    game = sitting.game
    yield Step(DEAL, game.copy())
    while not game.is_over:
        step = sitting.play(sitting.choose())
        yield step
        if step.kind == SETTLED and not game.is_over:
            yield Step(DEAL, game.copy())


def read_save(file: Path, record_file: Path | None = None, opponents: str | None = None) -> Sitting:
    """The match of a save file, as it stood.

    Args:
        file: the save file.
        record_file: as of :class:`Sitting`.
        opponents: other agents than those saved, as for ``load_field``.

    Raises:
        RecordError: for a file that is not a saved match, in one line.
        SpecError: for agents that cannot be loaded, such as a checkpoint that is gone.
        OSError: if it cannot be read.
    """
    try:
        document = parse_line(file.read_bytes())
        if not isinstance(document, dict) or set(document) != set(KEYS):
            raise RecordError(f"it should have the keys {', '.join(KEYS)}")
        if document["format"] != FORMAT:
            raise RecordError(f"its format is {document['format']!r}; this version reads {FORMAT}")
        seed, seat = (_whole(document, name) for name in ("seed", "seat"))
        if not 0 <= seed <= MAX_SEED:
            raise RecordError(f"its seed is {seed}; allowed: 0 to 2**128 - 1")
        game = Game.from_record(document["record"], seed)
        if not 0 <= seat < game.rules.players:
            raise RecordError(f"its seat is {seat}; allowed: 0 to {game.rules.players - 1}")
    except RecordError as error:
        raise RecordError(f"{str(file)!r} is not a saved match: {error}") from None
    specs = document["record"]["seats"]
    if opponents is None:
        saved = [specs[(seat + 1 + place) % len(specs)] for place in range(len(specs) - 1)]
        for spec in saved:
            name = split_spec(spec)[0]
            if name not in BUILT_IN and not name.endswith(".safetensors"):
                # Loading it would run the code that a file names.
                raise SpecError(f"{spec!r} is code of your own: give --opponents to go on with it")
        agents = seat_field(saved, seat, game.rules)
    else:
        agents = seat_field(opponents, seat, game.rules)
    return Sitting(game, agents, seed, file, record_file)


def _whole(document: dict[str, Any], name: str) -> int:
    value = document[name]
    if isinstance(value, bool) or not isinstance(value, int):
        raise RecordError(f"its {name} is {value!r}, not a whole number")
    return value


def seat_field(field: str | list[str], seat: int, rules: Rules) -> dict[int, Agent]:
    """The agents of a field by seat, from the right-hand neighbour of ``seat`` onward.

    Raises:
        SpecError: as ``load_field``.
    """
    agents = load_field(field, rules)
    return {(seat + 1 + place) % rules.players: agent for place, agent in enumerate(agents)}
