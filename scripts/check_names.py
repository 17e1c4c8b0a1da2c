#!/usr/bin/env python3
"""check_names [ROOT]: prints each class name that headers of two rooms define without a reason.

The reasons are in scripts/shared_names.toml.

Names that stand there and are shared no more are printed as well.
"""

import re
import sys
import tomllib
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

ROOM = re.compile(r"(?:src|include/isthmus)/([a-z_]+)")
CLASS = re.compile(r"^(?:class|struct) (?:alignas\(\d+\) )?([A-Z]\w+)(?: final)?(?: :[^;{]*)? \{", re.MULTILINE)


def shared(root: Path) -> Mapping[str, set[str]]:
    """The rooms of each name that more than one of them defines."""
    found = defaultdict(set)
    for header in [*root.glob("src/**/*.hpp"), *root.glob("include/**/*.hpp")]:
        room = ROOM.match(header.relative_to(root).as_posix())
        for name in CLASS.findall(header.read_text()) if room else ():
            found[name].add(room[1] if room else "")
    return {name: rooms for name, rooms in found.items() if len(rooms) > 1}


def main(root: str = ".") -> int:
    """1 if the list and the headers differ."""
    reasons = tomllib.loads((Path(root) / "scripts" / "shared_names.toml").read_text())
    names = shared(Path(root))
    lines = [
        *(
            f"class {name}: defined in {', '.join(sorted(names[name]))}"
            for name in sorted(names.keys() - reasons.keys())
        ),
        *(f"scripts/shared_names.toml: {name} is shared no more" for name in sorted(reasons.keys() - names.keys())),
    ]
    print("".join(f"{line}\n" for line in lines), end="")
    return int(bool(lines))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
