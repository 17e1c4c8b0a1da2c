"""The folder in which a command leaves its files, for itself while it runs; files of an earlier run are kept."""

import fcntl
import os
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path

from isthmus.base.errors import saying
from isthmus.base.files import write_atomically

EARLIER = "earlier"  # the folder, inside that of the newest run, of those before


class OutFolder:
    """A folder that holds the files `names` of one run.

    It is taken with the first file that is written, until the end of the block. Where another run that still goes on
    writes to it, the first free one of NAME-2, NAME-3 and so on is taken. Files of an earlier run move to earlier/TIME
    inside it, TIME being when the last of them was written. `say` gets a line about either.
    """

    def __init__(self, wanted: Path, names: Iterable[str], say: Callable[[str], None]) -> None:
        self._wanted = wanted
        self._names = tuple(names)
        self._say = say
        self._taken: Path | None = None
        self._lock: int | None = None

    def __enter__(self) -> "OutFolder":
        return self

    def __exit__(self, *exception: object) -> None:
        if self._lock is not None:
            os.close(self._lock)

    @property
    def path(self) -> Path:
        """The folder, once it is taken; before that the one that is wanted."""
        return self._taken or self._wanted

    def write(self, name: str, text: str) -> Path:
        """Writes one of the files, whole or not at all."""
        if self._taken is None:
            self._taken = self._take()
        write_atomically(self._taken / name, text)
        return self._taken / name

    def _take(self) -> Path:
        number = 1
        while not self._lock_of(folder := self._numbered(number)):
            number += 1
        if number > 1:
            self._say(f"another run is writing to {self._wanted}; this one writes to {folder}")
        self._keep_earlier(folder)
        return folder

    def _numbered(self, number: int) -> Path:
        return self._wanted if number == 1 else self._wanted.with_name(f"{self._wanted.name}-{number}")

    def _lock_of(self, folder: Path) -> bool:
        """Takes the folder's lock, which a process that is killed gives back too; False where another one has it."""
        with saying(f"{folder}: cannot write"):
            folder.mkdir(parents=True, exist_ok=True)
            handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(handle)
            return False
        except OSError:
            pass  # a file system without locks
        self._lock = handle
        return True

    def _keep_earlier(self, folder: Path) -> None:
        old = [file for name in self._names if (file := folder / name).is_file()]
        if not old:
            return
        written = datetime.fromtimestamp(max(file.stat().st_mtime for file in old), UTC)
        kept = folder / EARLIER / written.strftime("%Y-%m-%dT%H-%M-%SZ")
        while kept.exists():
            kept = kept.with_name(f"{kept.name}+")
        with saying(f"{kept}: cannot keep the earlier run"):
            kept.mkdir(parents=True)
            for file in old:
                file.rename(kept / file.name)
        self._say(f"{folder} held an earlier run, which is in {kept} now")
