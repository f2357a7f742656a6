"""Adapters: the environments in the forms of other libraries. Each is imported on demand."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def needed(extra: str) -> Iterator[None]:
    """Around the imports of a library: where it is missing, the error says on one line what to
    install.

    Args:
        extra: the extra of this package that brings the library.

    Raises:
        ModuleNotFoundError: if an import fails.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        library = str(error.name).partition(".")[0]
        raise ModuleNotFoundError(
            f"this adapter needs {library}: pip install 'differenzler-env[{extra}]'", name=library
        ) from None
