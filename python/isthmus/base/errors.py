"""Errors with messages for people: each message is one line and names what was wrong."""

from collections.abc import Iterator
from contextlib import contextmanager


class IsthmusError(Exception):
    """Something could not be run: exit code 2 and one line on stderr.

    `hint` is at most one sentence that says what to do; it ends the same line.
    """

    def __init__(self, message: str, hint: str | None = None) -> None:
        text = message if hint is None else f"{message}; help: {hint}"
        super().__init__(" ".join(text.split()))


@contextmanager
def saying(what: str) -> Iterator[None]:
    """A system call that fails is an IsthmusError with `what`, such as `FILE: cannot write`, and the reason."""
    try:
        yield
    except OSError as error:
        raise IsthmusError(f"{what}: {error.strerror}") from error


class AnswerIsNoError(Exception):
    """The work is done and its answer is no (a verification failed, a threshold was missed): exit code 1."""
