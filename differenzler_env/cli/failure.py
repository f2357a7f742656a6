"""Command line: a failure that is told in one line."""


class CommandError(Exception):
    """All that could be done is done, and it is a failure all the same: exit status 1."""
