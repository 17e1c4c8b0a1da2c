"""The parameters that `isthmus hpcc tune` found best, in one file for each device and driver."""

import fcntl
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from isthmus.base.errors import IsthmusError
from isthmus.base.files import data_folder, read_text, user_folder, write_atomically
from isthmus.base.parsing import from_json
from isthmus.hpcc.side_file import hash_of
from isthmus.hpcc.tuning.search import Candidate

SCHEMA = "isthmus.tuned/1"


@dataclass(frozen=True)
class Task:
    """The task that parameters are best for; a run with any other value here is another task."""

    benchmark: str
    size: str
    variant: str
    shape: str
    run: str  # base or optimized
    ranks: int
    grid: str | None
    scheme: str | None
    fixed: tuple[str, ...]  # NAME=VALUE that were set by hand, sorted
    kernels: str  # hash of the kernels' sources


@dataclass(frozen=True)
class Best:
    """The best candidate of a task, as records and files call its fields, and the rate that it gave."""

    settings: Candidate
    value: float
    default_value: float | None
    unit: str


def hash_of_kernels() -> str:
    """The hash of all sources in kernels/hpcc, because other kernels want other parameters."""
    folder = data_folder("kernels") / "hpcc"
    return hash_of("".join(read_text(path) for path in sorted(folder.glob("*.*")) if path.suffix in (".cl", ".h")))


def tuned_folder() -> Path:
    """The folder next to the results store: isthmus/tuned in the user's data folder."""
    return user_folder("data") / "tuned"


def file_of(device: str, driver: str) -> Path:
    """The file of a device; its name is readable, and other for each device and driver."""
    readable = re.sub(r"[^A-Za-z0-9.]+", "-", f"{device} {driver}").strip("-")[:80]
    return tuned_folder() / f"{readable}-{hash_of(f'{device}/{driver}')[:8]}.json"


def best_for(path: Path, task: Task) -> Best | None:
    """The parameters of a task in a file; None if the file has none."""
    wanted = _plain(task)
    for entry in _entries(path):
        if entry.get("task") == wanted:
            try:
                return Best(entry["settings"], entry["value"], entry["default_value"], entry["unit"])
            except KeyError as error:
                raise IsthmusError(f"{path}: expected {error.args[0]} with each task") from error
    return None


def keep(path: Path, task: Task, best: Best) -> None:
    """Puts what is best for a task into a file, in the place of what was there; other tuners wait."""
    with locked(path.with_suffix(".lock")):
        others = [entry for entry in _entries(path) if entry.get("task") != _plain(task)]
        entries = [*others, {"task": _plain(task), **asdict(best)}]
        write_atomically(path, json.dumps({"schema": SCHEMA, "entries": entries}, indent=2) + "\n")


@contextmanager
def locked(path: Path, wait: bool = True) -> Iterator[None]:
    """Holds a lock file; an IsthmusError if it cannot be had without waiting and that is not wanted."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a") as file:
            fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            yield
    except BlockingIOError as error:
        raise IsthmusError(f"{path}: another run of 'isthmus hpcc tune' is at this task") from error
    except OSError as error:
        raise IsthmusError(f"{path}: cannot keep what was tuned: {error.strerror}") from error


def _plain(task: Task) -> dict[str, Any]:
    return {**asdict(task), "fixed": list(task.fixed)}


def _entries(path: Path) -> list[dict[str, Any]]:
    if not path.exists():
        return []
    try:
        content = from_json(read_text(path))
        if content["schema"] != SCHEMA:
            raise ValueError(f"its schema is {content['schema']}")
        return [dict(entry) for entry in content["entries"]]
    except (ValueError, KeyError, TypeError) as error:
        raise IsthmusError(
            f"{path}: not a file of tuned parameters: {error}", hint="remove it, or tune again."
        ) from error
