"""Command line: ``differenzler``, one module a command."""

from .program import main

__all__ = ["main"]
