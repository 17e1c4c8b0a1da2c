"""Files written whole or not at all, and where the package's own data lies."""

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from isthmus.base.errors import IsthmusError, saying
from isthmus.base.names import nearest

_PACKAGE = Path(__file__).resolve().parents[1]
# By the XDG base directory rules: the variable that names the folder of a kind of files, and where it is without one.
_OF_USERS = {
    "cache": ("XDG_CACHE_HOME", ".cache"),
    "config": ("XDG_CONFIG_HOME", ".config"),
    "data": ("XDG_DATA_HOME", ".local/share"),
}


def user_folder(kind: str) -> Path:
    """The folder of this user's cache, config or data of Isthmus."""
    variable, otherwise = _OF_USERS[kind]
    return Path(os.environ.get(variable) or Path.home() / otherwise) / "isthmus"


def write_atomically(path: Path, content: str | Iterable[str | bytes]) -> None:
    """Writes `content`, whole or in pieces, to `path` through a temporary file next to it: no reader sees half of it.

    Missing folders are made; a link stays a link; a device or a pipe is written to as it is. On failure (a full disk,
    no permission) nothing is left behind.
    """
    pieces: Iterable[str | bytes] = [content] if isinstance(content, str) else content
    try:
        if path.exists() and not path.is_file():  # asked of the name itself: /dev/stdout resolves to no path
            with path.open("wb") as file:
                file.writelines(map(_encoded, pieces))
            return
        path = path.resolve()
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


def check_writable(path: Path, flag: str) -> None:
    """An IsthmusError, before any work is done, where a file at `path`, which `flag` named, could not be written.

    Nothing is left behind, and no folder is made.
    """
    with saying(f"{flag}: {path}: cannot write"):
        if path.is_dir():
            raise IsthmusError(f"{flag}: {path}: cannot write: Is a directory")
        if path.exists() and not path.is_file():
            if not os.access(path, os.W_OK):
                raise IsthmusError(f"{flag}: {path}: cannot write: Permission denied")
            return
        _try_folder(path.resolve().parent, path.name)


def check_folder(path: Path, flag: str) -> None:
    """Checks that files can be written to a folder, whether it exists or not."""
    with saying(f"{flag}: {path}: cannot write"):
        _try_folder(path.resolve(), "")


def _try_folder(folder: Path, name: str) -> None:
    """Makes a file, and removes it, in the folder or in the nearest above it that is there."""
    there = next(each for each in (folder, *folder.parents) if each.exists())
    handle, temporary = tempfile.mkstemp(dir=there, prefix=f".{name}.")
    os.close(handle)
    Path(temporary).unlink()


def read_text(path: Path) -> str:
    """The whole of a text file, without its byte order mark; an IsthmusError if it cannot be read as UTF-8."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise IsthmusError(f"{path}: cannot read: {error.strerror}", hint=meant_file(path)) from error
    except UnicodeDecodeError as error:
        raise IsthmusError(f"{path}: expected UTF-8 text, byte {error.start} is not") from error


def meant_file(path: Path, pattern: str = "*") -> str | None:
    """The hint that names the file most like a missing one in its folder; None if that is there, or none is near."""
    if path.exists() or not path.parent.is_dir():
        return None
    beside = sorted(each.name for each in path.parent.glob(pattern) if each.is_file())
    # Neither the folder nor the suffix, which many files share, makes two of them alike.
    alike = {name.removesuffix(path.suffix): name for name in beside if name.endswith(path.suffix)}
    others = [name for name in beside if not name.endswith(path.suffix)]
    guess = alike.get(nearest(path.stem, alike) or "") or nearest(path.name, others)
    return f"did you mean '{path.parent / guess}'?" if guess else None


def data_folder(name: str) -> Path:
    """A folder of data files (`papers`, `platforms`, `schemas`): in the installed package, else in a source tree."""
    tree = _PACKAGE.parent.parent
    for place in (_PACKAGE / name, tree / name):
        if place.is_dir():
            return place
    raise IsthmusError(f"folder '{name}' is not installed, looked in {_PACKAGE}", hint="install the package again.")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
