#!/usr/bin/env python3
"""check_rooms [ROOT]: prints each #include that climbs.

That is one of a room above the file's own, or of what only the engine and the native back end may see. A path with a
component that is empty, . or .. hides its room, so it is printed too.

The order of the rooms is ISTHMUS_ROOMS of cmake/Options.cmake, the one list that the build reads too.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

DETAIL = "isthmus/engine/detail/"  # what ports and graphs are made of; back ends work on it, users do not
SEE_DETAIL = ("engine", "native")
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')
PATH = re.compile(r"(?:isthmus/)?([a-z_]+)[/.]")
ROOM = re.compile(r"(?:src|include/isthmus)/([a-z_]+)")


def rooms(root: Path) -> list[str]:
    """Lowest first."""
    found = re.search(r"set\(ISTHMUS_ROOMS ([a-z \n]+)", (root / "cmake" / "Options.cmake").read_text())
    if found is None:
        raise SystemExit("error: cmake/Options.cmake: expected set(ISTHMUS_ROOMS ...)")
    return found[1].split()


def reasons(path: str, room: str, order: list[str]) -> Iterator[str]:
    """What is wrong with an include of `path` in a file of `room`."""
    of = PATH.match(path)
    if {"", ".", ".."} & set(path.split("/")):
        yield "expected a path from the root, without . and .."
    if of and of[1] in order and order.index(of[1]) > order.index(room):
        yield f"is of room {of[1]}, above {room}"
    if path.startswith(DETAIL) and room not in SEE_DETAIL:
        yield f"is for {' and '.join(SEE_DETAIL)} alone"


def climbing(root: Path) -> Iterator[str]:
    """`FILE:LINE: reason` for each."""
    order = rooms(root)
    for file in sorted([*root.glob("src/**/*.[ch]pp"), *root.glob("include/**/*.hpp")]):
        name = file.relative_to(root).as_posix()
        room = ROOM.match(name)
        if room is None or room[1] not in order:
            yield f"{name}:1: expected a file of a room: {', '.join(order)}"
            continue
        for number, line in enumerate(file.read_text().splitlines(), 1):
            for path in INCLUDE.findall(line):
                yield from (f"{name}:{number}: {path} {reason}" for reason in reasons(path, room[1], order))


def main(root: str = ".") -> int:
    """1 if any include climbs."""
    found = list(climbing(Path(root)))
    for line in found:
        print(line)
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
