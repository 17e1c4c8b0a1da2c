import os
import select
import signal
import subprocess
from pathlib import Path
from typing import Any, cast
from unittest import mock

import pytest
from tests.python.conftest import TREE, Isthmus

from isthmus.running.tools import Launch, end_unless_over

ECHO = str(TREE / "build" / "release" / "tests" / "program" / "echo_messages")


class Process:
    """A tool that ends after some seconds by a clock of its own, or by a signal; and what it was sent when."""

    pid = 4711

    def __init__(self, ends: float, on: signal.Signals) -> None:
        self._ends = ends
        self._on = on
        self._now = 0.0
        self.sent: list[tuple[float, signal.Signals]] = []

    def poll(self) -> int | None:
        return 0 if self._now >= self._ends else None

    def wait(self, timeout: float) -> None:
        if self._ends > self._now + timeout:
            self._now += timeout
            raise subprocess.TimeoutExpired("tool", timeout)
        self._now = max(self._now, self._ends)

    def terminate(self) -> None:
        self.killed(self.pid, signal.SIGTERM)

    def killed(self, pid: int, number: signal.Signals) -> None:
        assert pid == self.pid
        self.sent.append((self._now, number))
        if number == self._on:
            self._ends = self._now


NEVER = float("inf")
RANKS = Launch(("mpirun", "-n", "2"))


@pytest.mark.parametrize(
    ("launch", "ends", "on", "sent"),
    [
        (Launch(), 1.9, signal.SIGKILL, []),
        (Launch(), NEVER, signal.SIGKILL, [(2.0, signal.SIGKILL)]),
        (Launch(grace_s=60.0), NEVER, signal.SIGKILL, [(60.0, signal.SIGKILL)]),
        (RANKS, 1.9, signal.SIGKILL, []),
        (RANKS, NEVER, signal.SIGTERM, [(2.0, signal.SIGTERM)]),
        (RANKS, NEVER, signal.SIGKILL, [(2.0, signal.SIGTERM), (3.0, signal.SIGKILL)]),
    ],
)
def test_a_tool_is_ended_when_its_time_is_over_and_a_launcher_asked_to_end_its_ranks(
    launch: Launch, ends: float, on: signal.Signals, sent: list[tuple[float, signal.Signals]]
) -> None:
    process = Process(ends, on)
    with mock.patch("os.killpg", process.killed):
        end_unless_over(cast(Any, process), launch)
    assert process.sent == sent


def test_an_actor_that_spins_on_threads_is_ended(real: Isthmus, tmp_path: Path) -> None:
    said = tmp_path / "spins"
    os.mkfifo(said)
    with os.fdopen(os.open(said, os.O_RDONLY | os.O_NONBLOCK), encoding="utf-8") as spins:
        process = real.start("run", ECHO, "--on", "native", ECHO_SPINS=str(said))
        assert process.stderr is not None
        select.select([spins, process.stderr], [], [])
        assert spins.readline() == "spins\n"
        process.send_signal(signal.SIGINT)
        _, complaint = process.communicate()
    assert process.returncode == 130
    assert complaint.splitlines()[-1] == "error: interrupted; no record was complete"
