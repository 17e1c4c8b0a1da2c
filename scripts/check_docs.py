"""Checks that every relative link of the tracked Markdown files leads to something; prints those that do not.

What docs/generated.sha256 names is on the site, not in the tree.
"""

import re
import subprocess
import sys
from pathlib import Path

LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)[^)]*\)")
GENERATED = {Path("docs", line.split()[1]).resolve() for line in Path("docs/generated.sha256").read_text().splitlines()}


def dead_links(document: Path) -> list[str]:
    """`FILE:LINE: target` for each link of the document whose target does not exist."""
    dead, code = [], False
    for number, line in enumerate(document.read_text(encoding="utf-8").splitlines(), 1):
        code ^= line.startswith("```")
        for target in () if code else LINK.findall(line):
            place = document.parent / target
            if "://" not in target and not place.exists() and place.resolve() not in GENERATED:
                dead.append(f"{document}:{number}: {target}")
    return dead


def main() -> int:
    """1 if any link is dead."""
    listed = subprocess.run(["git", "ls-files", "*.md"], capture_output=True, text=True, check=True).stdout
    dead = [entry for document in listed.splitlines() for entry in dead_links(Path(document))]
    print("\n".join(dead) if dead else "every link leads somewhere")
    return 1 if dead else 0


if __name__ == "__main__":
    sys.exit(main())
