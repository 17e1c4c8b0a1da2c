"""Documents that are made and not kept in git: the schemas of results, the pages on parts, model limits and coverage.

`python scripts/generated.py` writes their hashes to docs/generated.sha256, where a review sees that one has changed.
With --check it names those whose hash is another, and leaves with 1 if there is any.
"""

import hashlib
import sys
from pathlib import Path

from isthmus.base.files import write_atomically
from isthmus.reproduction import coverage
from isthmus.results.schemas import schema_texts
from isthmus.running import limits, parts

HASHES = Path(__file__).resolve().parents[1] / "docs" / "generated.sha256"


def generated_texts() -> dict[str, str]:
    """The text of each by its path below docs/."""
    schemas = {f"schemas/{name}": text for name, text in sorted(schema_texts().items())}
    pages = {"coverage.md": coverage, "model-limits.md": limits, "parts.md": parts}
    return schemas | {name: page.document() for name, page in pages.items()}


def main() -> int:
    """1 if --check finds a difference."""
    lines = [f"{hashlib.sha256(text.encode()).hexdigest()}  {name}" for name, text in generated_texts().items()]
    if sys.argv[1:] != ["--check"]:
        write_atomically(HASHES, "\n".join(lines) + "\n")
        return 0
    changed = set(lines) ^ set(HASHES.read_text(encoding="utf-8").splitlines())
    if changed:
        names = sorted({line.split()[1] for line in changed})
        print(f"docs/generated.sha256: {', '.join(names)} changed, run: python scripts/generated.py")
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main())
