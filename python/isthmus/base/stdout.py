"""The standard output: results, at once, or a word on why not."""

import os
import sys

from isthmus.base.errors import IsthmusError


def write_out(text: str) -> None:
    """Writes to the standard output at once; a full disk is an IsthmusError, a closed pipe a BrokenPipeError."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        # What is left in the interpreter's buffer goes nowhere, or it would be tried, and fail, once more at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            raise
        raise IsthmusError(f"standard output: cannot write: {error.strerror}") from error
