"""Command line: ``differenzler``, one module a command."""

from .main import main

__all__ = ["main"]
