#!/usr/bin/env python3
"""check_names [ROOT]: prints each class name that two rooms, of the C++ or of python/, define without a reason.

A class of C++ is a class, struct or enumeration at the beginning of a line, in a header or in a source.

The reasons are in scripts/shared_names.toml.

Names that stand there and are shared no more are printed as well.
"""

import re
import sys
import tomllib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOM = re.compile(r"(?:src|include/isthmus)/([a-z_]+)")
CLASS = re.compile(
    r"^(?:class|struct|union|enum|enum class) (?:(?:alignas\(\d+\)|\[\[.*?\]\]) )*"
    r"([A-Z]\w+)(?: final)?(?: :[^;{]*)? \{",
    re.MULTILINE,
)
PYTHON_ROOM = re.compile(r"python/isthmus/([a-z_]+)/")
PYTHON_CLASS = re.compile(r"^class ([A-Z]\w+)", re.MULTILINE)

Pattern = re.Pattern[str]


def shared(root: Path, files: Sequence[str], room_of: Pattern, classes: Pattern) -> Mapping[str, set[str]]:
    """The rooms of each name that more than one of them defines."""
    found = defaultdict(set)
    for pattern in files:
        for file in root.glob(pattern):
            room = room_of.match(file.relative_to(root).as_posix())
            for name in classes.findall(file.read_text()) if room else ():
                found[name].add(room[1] if room else "")
    return {name: rooms for name, rooms in found.items() if len(rooms) > 1}


def differences(names: Mapping[str, set[str]], reasons: Mapping[str, str], table: str) -> list[str]:
    """Names that are shared without a reason, and reasons of names that are not."""
    new, old = sorted(names.keys() - reasons.keys()), sorted(reasons.keys() - names.keys())
    return [
        *(f"class {name}: defined in {', '.join(sorted(names[name]))}" for name in new),
        *(f"scripts/shared_names.toml: {table}: {name} is shared no more" for name in old),
    ]


def main(root: str = ".") -> int:
    """1 if the list and the tree differ."""
    reasons = tomllib.loads((Path(root) / "scripts" / "shared_names.toml").read_text())
    tree = Path(root)
    names = {
        "cpp": shared(tree, ("src/**/*.[ch]pp", "include/**/*.hpp"), ROOM, CLASS),
        "python": shared(tree, ("python/isthmus/**/*.py",), PYTHON_ROOM, PYTHON_CLASS),
    }
    lines = [line for table in names for line in differences(names[table], reasons.get(table, {}), table)]
    print("".join(f"{line}\n" for line in lines), end="")
    return int(bool(lines))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
