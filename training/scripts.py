"""Training: how a script ends. A mistake is one line on standard error and an exit status."""

import sys
from collections.abc import Callable

from .config import ConfigError


def ended(
    script: str,
    work: Callable[[], int],
    *,
    extra: str = "train",
    mistake: type[Exception] = ConfigError,
    stopped: str = "stopped at once; the newest checkpoint stands",
) -> int:
    """Do the work of a script.

    Args:
        script: its name, which stands before what it says.
        work: returns the exit status.
        extra: the extra of the package that brings the libraries it needs.
        mistake: the error that bad input raises.
        stopped: what is said after a Ctrl-C that ended the work.

    Returns:
        What the work returns; 2 for bad input; 1 for a checkpoint or a library that is not as it
        should be, or for what was not there or did not come in time; 130 after Ctrl-C.
    """
    from differenzler_env.checkpoint import CheckpointError

    try:
        return work()
    except ModuleNotFoundError as error:
        status = 1
        said = f"training needs {error.name}: pip install 'differenzler-env[{extra}]'"
    except (CheckpointError, ConnectionError, TimeoutError) as error:
        status, said = 1, str(error)
    except mistake as error:
        status, said = 2, str(error)
    except KeyboardInterrupt:
        status, said = 130, stopped
    print(f"{script}: {said}", file=sys.stderr)
    return status
