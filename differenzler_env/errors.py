"""Foundation: the errors that users meet. All are ``ValueError``s; a refused call changes
nothing."""

import sysconfig
import traceback
from pathlib import Path

PACKAGE = Path(__file__).parent
LIBRARIES = tuple(
    {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
)


class IllegalActionError(ValueError):
    """An action that is not an action, lies outside the action space, or is not legal now."""


class GameOverError(ValueError):
    """An action was given after the last deal of the match had been settled."""


class RecordError(ValueError):
    """A game record or position text that is malformed or contradicts the rules."""


class SpecError(ValueError):
    """A spec that cannot be read, or an agent or field of agents that cannot be loaded; the message
    is one line."""


def where_raised(error: BaseException) -> str:
    """Where a user's own code raised an error, to stand behind its message: ``" (mine.py:13)"``.

    It is the innermost line outside this package, and outside the libraries where there is one;
    nothing where no such line took part.
    """
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if PACKAGE not in Path(frame.filename).parents
    ]
    own = [frame for frame in frames if not frame.filename.startswith(LIBRARIES)]
    return "".join(f" ({Path(at.filename).name}:{at.lineno})" for at in (own or frames)[-1:])
