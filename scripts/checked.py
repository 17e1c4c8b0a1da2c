"""What was checked and found right, in the user's cache folder: what has the same bytes need not be checked again."""

import hashlib
import os
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

FOLDER = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "isthmus" / "checked"
PACKAGES = Path("/var/lib/dpkg/status")  # Debian's list of what is installed: compilers, headers of libraries, devices


@cache
def warn(text: str) -> None:
    """One warning line, once."""
    print(f"warning: {text}", file=sys.stderr)


def digest(parts: Iterable[bytes | str]) -> str:
    """A hash of texts that tells where each ends."""
    made = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        made.update(len(data).to_bytes(8, "little") + data)
    return made.hexdigest()


@cache
def digest_of(file: Path) -> str:
    """The hash of a file, which may be absent."""
    return digest([file.read_bytes()] if file.is_file() else [])


def was_right(key: str) -> bool:
    """Whether what has this key was right before."""
    try:
        return (FOLDER / key).is_file()
    except OSError as error:
        warn(f"{FOLDER}: cannot be read, so all is checked: {error}")
        return False


def keep(key: str) -> None:
    """Remembers that what has this key is right."""
    try:
        FOLDER.mkdir(parents=True, exist_ok=True)
        (FOLDER / key).touch()
    except OSError as error:
        warn(f"{FOLDER}: cannot be written, so all is checked again next time: {error}")
