"""Starting the C++ tools with a request, and reading the JSON lines that they print."""

import json
import math
import os
import re
import shlex
import signal
import subprocess
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, ClassVar

from isthmus.base.errors import IsthmusError, saying

Event = dict[str, Any]
Request = dict[str, Any]  # what a tool is asked for: options by name, values in base units
NAMES = ("isthmus-run", "isthmus-devices", "isthmus-platform", "isthmus-probe", "isthmus-hpcc", "isthmus-described")

SIGNALLED = 128  # what a shell and mpirun add to the signal that ended a program

_RUNNING: "dict[subprocess.Popen[str], Launch]" = {}
_ENDING_S = 1.0  # that a launcher has to end its ranks
_STARTING = threading.RLock()  # held while a process comes into _RUNNING, so that none misses a Ctrl-C
_PACKAGE_BIN = Path(__file__).resolve().parents[1] / "bin"


def tool_path(name: str) -> Path:
    """The path of the tool: in the folder ISTHMUS_BIN if that is set, else in the installed package.

    A name with a slash is a path.
    """
    if "/" in name:
        return Path(name)
    place = Path(os.environ.get("ISTHMUS_BIN") or _PACKAGE_BIN)
    if os.access(place / name, os.X_OK) and (place / name).is_file():
        return place / name
    raise IsthmusError(
        f"tool '{name}' not found in {place}", hint="run 'make build', or set ISTHMUS_BIN to the folder of the tools."
    )


class NoReasonError(IsthmusError):
    """A tool failed and did not say why: another rank of its job may have."""


@dataclass(frozen=True)
class Launch:
    """The way to start a tool: words before its own, such as those of mpirun, and additions to the environment.

    `quoted`: a shell reads the words once more, as ssh's does on the other side.
    """

    words: Sequence[str] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    quoted: bool = False
    grace_s: float = 2.0  # that it has after a Ctrl-C to complete what it is at

    @property
    def interrupt(self) -> signal.Signals:
        """The signal that tells the tool of a Ctrl-C. Launchers of ranks end them on theirs, and hand this one on."""
        ranks = bool(self.words) and Path(self.words[0]).name in ("mpirun", "mpiexec", "srun")
        return signal.SIGUSR2 if ranks else signal.SIGINT

    def command(self, words: Sequence[str]) -> list[str]:
        """The whole command line of a tool with these words."""
        return [*self.words, *(map(shlex.quote, words) if self.quoted else words)]


def as_options(options: Mapping[str, object]) -> list[str]:
    """The words --NAME VALUE of each option, once for each of several values; None and False leave it out, True is a
    switch.
    """
    words: list[str] = []
    for name, value in options.items():
        if isinstance(value, bool | None):
            words += [f"--{name}"] if value else []
        else:
            words += [
                word
                for one in (value if isinstance(value, list | tuple) else [value])
                for word in (f"--{name}", str(one))
            ]
    return words


def request_of(options: Mapping[str, object]) -> Request:
    """The request of these options; None, False and what is empty leave one out."""
    return {name: value for name, value in options.items() if not (value is None or value is False or _empty(value))}


def _empty(value: object) -> bool:
    return isinstance(value, Sized) and len(value) == 0


def also(request: Request, more: Request) -> Request:
    """Both requests in one; the values under `set` of both."""
    return request_of({**request, **more, "set": {**request.get("set", {}), **more.get("set", {})}})


_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,17})(?:\.\d{1,17})?(?:[eE][+-]?\d{1,3})?", re.ASCII)


def value_of(word: str) -> int | float | str:
    """The value of a word as requests have it: a number, if the word is one."""
    number = json.loads(word) if _NUMBER.fullmatch(word) else math.nan
    return number if math.isfinite(number) else word


def assigned(words: Iterable[str], place: str, expected: str = "KEY=VALUE") -> dict[str, int | float | str]:
    """The values of KEY=VALUE by their keys, the last of a key that comes again.

    An IsthmusError names `place`, where a word was written that is none.
    """
    found = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals:
            raise IsthmusError(f"{place}: expected {expected}, got '{word}'")
        found[key.strip()] = value_of(value.strip())
    return found


def as_sets(sets: Iterable[str]) -> dict[str, int | float | str]:
    """The values of KEY=VALUE as `set` of a request has them."""
    return assigned(sets, "--set")


@contextmanager
def placed(places: Mapping[str, str]) -> Iterator[None]:
    """An error of a tool that begins with an option begins with the place where that is written, if it has one."""
    try:
        yield
    except IsthmusError as error:
        word = re.split("[: ]", str(error), maxsplit=1)[0]
        option = word if word in places else f"--{word}"  # an application that refuses a value names it without dashes
        if option not in places:
            raise
        raise IsthmusError(places[option] + str(error)[len(word) :]) from error


def assignments(values: Mapping[str, object]) -> tuple[str, ...]:
    """KEY=VALUE of each."""
    return tuple(f"{key}={value}" for key, value in values.items())


def pairs_of(assigned: Iterable[str]) -> dict[str, str]:
    """The values of KEY=VALUE by their keys."""
    return dict(one.partition("=")[::2] for one in assigned)


def ignore(event: Event) -> None:
    """Takes what a tool says that nobody asked for by itself."""


def record_of(event: Event) -> Event:
    """The record in a tool's line: the line without the word `event`, which names its kind."""
    return {key: value for key, value in event.items() if key != "event"}


def run_tool(name: str, request: Request, on_event: Callable[[Event], None], launch: Launch | None = None) -> int:
    """Runs a tool, hands each of its records to `on_event` as it arrives, and returns 0 or 1 (the answer is no).

    A tool that could not run is an IsthmusError with the tool's own line. After Ctrl-C the tool is told once, the
    records that it still completes are handed on, and KeyboardInterrupt is raised when it has ended. One that does not
    end in the time it has (an actor may spin for ever) is ended.
    """
    return _run(name, json.dumps(request), on_event, launch or Launch())


def describe_tool(name: str) -> Event:
    """What a tool says that it offers; nothing of a program that says nothing."""
    found: list[Event] = []
    _run(name, "--describe", found.append, Launch())
    return record_of(found[0]) if found else {}


def _run(name: str, argument: str, on_event: Callable[[Event], None], launch: Launch) -> int:
    command = launch.command([str(tool_path(name)), argument])
    complaints: list[str] = []
    heard = False
    with Interrupt():
        process = _start(command, launch)
        listener = threading.Thread(target=_listen, args=(process.stderr, complaints), daemon=True)
        listener.start()
        try:
            assert process.stdout is not None
            for line in process.stdout:
                heard = True
                on_event(_parse(name, line))
            status = process.wait()
        except BaseException:
            _kill(process)
            process.wait()
            raise
        finally:
            _RUNNING.pop(process, None)
        listener.join()
        if Interrupt.happened() or status == 130:
            raise KeyboardInterrupt
    # A launcher that could not start the tool says 1 too.
    if status not in (0, 1) or (status == 1 and launch.words and not heard):
        raise _failure(name, status, complaints)
    for line in complaints:
        if not line.startswith("error:"):
            on_event({"event": "note", "text": line})
    return status


def _start(command: Sequence[str], launch: Launch) -> "subprocess.Popen[str]":
    with _STARTING:
        if Interrupt.happened():
            raise KeyboardInterrupt
        with saying(f"{command[0]}: cannot start"):
            # A process group of its own: Ctrl-C reaches the tool once, from here, and not also from the terminal.
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                errors="replace",
                process_group=0,
                env={**os.environ, **launch.environment},
            )
        _RUNNING[process] = launch
        if Interrupt.happened():
            _tell(process, launch)
    return process


def _tell(process: "subprocess.Popen[str]", launch: Launch) -> None:
    """Tells a tool of a Ctrl-C, and sees to it that it ends."""
    process.send_signal(launch.interrupt)
    threading.Thread(target=end_unless_over, args=(process, launch), daemon=True).start()


def stop_running() -> None:
    """Ends every tool that other threads have started; for Ctrl-C, which reaches the main thread alone."""
    for process in list(_RUNNING):
        _kill(process)


def _kill(process: "subprocess.Popen[str]") -> None:
    """Ends a tool and what it has started at once."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def end_unless_over(process: "subprocess.Popen[str]", launch: Launch) -> None:
    """Ends a tool that goes on after a Ctrl-C, which it has been told of, when the time it has is over.

    Tools only note that they are asked to end; a launcher that is asked ends its ranks, which may be on other hosts.
    """
    if not _over(process, launch.grace_s) and launch.words:
        process.terminate()
        _over(process, _ENDING_S)
    if process.poll() is None:
        _kill(process)


def _over(process: "subprocess.Popen[str]", seconds: float) -> bool:
    """Tells whether a process ends within a number of seconds."""
    with suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
    return process.poll() is not None


class Interrupt:
    """While tools run: the first Ctrl-C is passed on to all of them and no other is started, the second ends them.

    Reading their records goes on, for as long as each tool has to end. Ctrl-C reaches the main thread alone, so
    elsewhere this does nothing.
    """

    _innermost: "ClassVar[Interrupt | None]" = None

    def __init__(self) -> None:
        self.count = 0
        self._before: Any = None
        self._outer: Interrupt | None = None

    @classmethod
    def happened(cls) -> bool:
        """Tells whether Ctrl-C was pressed while tools run, in whatever thread."""
        return cls._innermost is not None and cls._innermost.count > 0

    def __enter__(self) -> "Interrupt":
        if threading.current_thread() is threading.main_thread():
            self._outer, Interrupt._innermost = Interrupt._innermost, self
            self._before = signal.signal(signal.SIGINT, self._pass_on)
        return self

    def __exit__(self, *exception: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
            Interrupt._innermost = self._outer

    def _pass_on(self, number: int, frame: object) -> None:
        with _STARTING:
            self.count += 1
            for process, launch in list(_RUNNING.items()):
                _tell(process, launch) if self.count == 1 else _kill(process)


def collect(name: str, request: Request, kind: str, launch: Launch | None = None) -> list[Event]:
    """The records of one kind that a short run of a tool prints, without the word `event`."""
    found: list[Event] = []

    def keep(event: Event) -> None:
        if event["event"] == kind:
            found.append(record_of(event))

    run_tool(name, request, keep, launch)
    return found


def _parse(name: str, line: str) -> Event:
    try:
        event = json.loads(line, parse_constant=_refuse_constant)
    except ValueError as error:
        raise IsthmusError(f"{name} printed a line that is not JSON: {line.strip()[:120]!r}") from error
    if not isinstance(event, dict) or not isinstance(event.get("event"), str):
        raise IsthmusError(f"{name} printed a line that is no record: {line.strip()[:120]!r}")
    return event


def _refuse_constant(text: str) -> None:
    raise ValueError(f"{text} is no number of JSON")


def _listen(stream: IO[str] | None, lines: list[str]) -> None:
    assert stream is not None
    for line in stream:
        if line.strip():
            lines.append(line.strip())


def _failure(name: str, status: int, complaints: Sequence[str]) -> IsthmusError:
    for line in complaints:
        if line.startswith("error:"):
            return IsthmusError(line.removeprefix("error:").strip())
    if status < 0:
        return IsthmusError(f"{name} was ended by {signal.Signals(-status).name}")
    if status > SIGNALLED and status - SIGNALLED in set(signal.Signals):
        return IsthmusError(f"a rank of {name} was ended by {signal.Signals(status - SIGNALLED).name}")
    last = f": {complaints[-1]}" if complaints else ""
    return NoReasonError(f"{name} ended with code {status} and no reason{last}")
