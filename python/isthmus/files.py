"""Files written whole or not at all, and where the package's own data lies."""

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from isthmus.errors import IsthmusError

_PACKAGE = Path(__file__).resolve().parent


def write_atomically(path: Path, content: str | Iterable[str | bytes]) -> None:
    """Writes `content`, whole or in pieces, to `path` through a temporary file beside it: no reader sees half of it.

    Missing folders are made; a link stays a link; a device or a pipe is written to as it is. On failure (a full disk,
    no permission) nothing is left behind.
    """
    pieces: Iterable[str | bytes] = [content] if isinstance(content, str) else content
    try:
        path = path.resolve()
        if path.exists() and not path.is_file():
            with path.open("wb") as file:
                file.writelines(map(_encoded, pieces))
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        _replace(path, pieces)
    except OSError as error:
        raise IsthmusError(f"{path}: cannot write: {error.strerror}") from error


def _replace(path: Path, pieces: Iterable[str | bytes]) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.writelines(map(_encoded, pieces))
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _encoded(piece: str | bytes) -> bytes:
    return piece.encode("utf-8") if isinstance(piece, str) else piece


def read_text(path: Path) -> str:
    """The whole of a text file; an IsthmusError if it cannot be read as UTF-8."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise IsthmusError(f"{path}: cannot read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise IsthmusError(f"{path}: expected UTF-8 text, byte {error.start} is not") from error


def data_folder(name: str) -> Path:
    """A folder of data files (`papers`, `platforms`, `schemas`): in the installed package, else in a source tree."""
    tree = _PACKAGE.parent.parent
    places = [_PACKAGE / name, tree / name, tree / "docs" / name]
    for place in places:
        if place.is_dir():
            return place
    raise IsthmusError(f"folder '{name}' is not installed, looked in {_PACKAGE}", hint="install the package again.")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
