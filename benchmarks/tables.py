"""tables.py [--check]: writes the tables of README.md from figures.toml, or says whether they are those."""

import re
import sys
import tomllib
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
README = HERE / "README.md"
MADE = "<!-- made by benchmarks/tables.py from figures.toml -->"
END = "<!-- end -->"


def table(heading: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = ["".join(f"| {cell} " if cell else "| " for cell in row) + "|\n" for row in (heading, *rows)]
    return "".join((lines[0], "|---" * len(heading) + "|\n", *lines[1:]))


def names(entry: dict[str, Any]) -> str:
    where = f" ({entry['where']})" if "where" in entry else ""
    return ", ".join(f"`{name}`" for name in entry["names"]) + where


def document(text: str, figures: dict[str, Any]) -> str:
    """The text with its two tables made anew."""
    tables = [
        table(
            ("figure", "what", "must", "aim"),
            [(names(one), one["what"], one.get("must", ""), one.get("aim", "")) for one in figures["figure"]],
        ),
        table(
            ("figure", "median", "least", "greatest"),
            [(names(one), one["median"], one.get("least", ""), one.get("greatest", "")) for one in figures["measured"]],
        ),
    ]
    made = re.compile(f"{re.escape(MADE)}\n.*?{re.escape(END)}\n", re.DOTALL)
    return made.sub(lambda _: f"{MADE}\n\n{tables.pop(0)}\n{END}\n", text)


def main() -> int:
    text = README.read_text(encoding="utf-8")
    made = document(text, tomllib.loads((HERE / "figures.toml").read_text(encoding="utf-8")))
    if "--check" in sys.argv:
        if made != text:
            print("error: benchmarks/README.md: expected the tables of figures.toml; run python benchmarks/tables.py")
        return int(made != text)
    README.write_text(made, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
