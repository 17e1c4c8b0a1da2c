"""The command `isthmus`: `main` runs it, one module a command, imports of weight inside the commands."""

from isthmus.cli.main import main

__all__ = ["main"]
