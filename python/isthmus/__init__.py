"""Isthmus: how data crosses between a CPU and an FPGA, seen, modelled, compared and chosen.

The package decides, compares and draws; the C++ tools that it starts do all the running and measuring.

- `frame` gives the records of files and of earlier runs as a data frame, `history` the list of earlier runs.
- `cmake_prefix` is where CMake's find_package(Isthmus) finds headers and libraries.
- `IsthmusError` is what a function raises when it could not do what it was asked for.
- `__version__` is the version of the package.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from isthmus.base.errors import IsthmusError

if TYPE_CHECKING:
    from isthmus.results.frames import frame, history

    __version__: str

__all__ = ["IsthmusError", "__version__", "cmake_prefix", "frame", "history"]


def cmake_prefix() -> Path:
    """The folder for CMAKE_PREFIX_PATH; an IsthmusError where the package is used from its sources."""
    folder = Path(__file__).resolve().parent
    if not (folder / "lib" / "cmake" / "Isthmus" / "IsthmusConfig.cmake").is_file():
        raise IsthmusError(f"{folder}: no CMake package here", hint="install Isthmus with pip; its sources have none.")
    return folder


def __getattr__(name: str) -> Any:
    # Loaded when they are asked for: the command imports this package too, and must start at once.
    if name in ("frame", "history"):
        from isthmus.results import frames

        return getattr(frames, name)
    if name == "__version__":
        from isthmus.base.build_info import build_info

        return build_info().version
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
