"""Training: how a script ends. A mistake is one line on standard error and an exit status."""

import sys
from collections.abc import Callable


def ended(script: str, work: Callable[[], int]) -> int:
    """Do the work of a script, whose name stands before what it says.

    Returns:
        What the work returns; 2 for a setting that cannot be, 1 for a checkpoint or a library that
        is not as it should be, 130 after a second Ctrl-C.
    """
    from differenzler_env.checkpoint import CheckpointError

    from .config import ConfigError

    try:
        return work()
    except ModuleNotFoundError as error:
        needed = f"training needs {error.name}: pip install 'differenzler-env[train]'"
        status, said = 1, needed
    except ConfigError as error:
        status, said = 2, str(error)
    except CheckpointError as error:
        status, said = 1, str(error)
    except KeyboardInterrupt:
        status, said = 130, "stopped at once; the newest checkpoint stands"
    print(f"{script}: {said}", file=sys.stderr)
    return status
