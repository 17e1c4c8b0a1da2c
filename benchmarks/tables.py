"""tables.py [--check]: writes the tables of README.md from figures.toml, or says whether they are those."""

import re
import sys
import tomllib
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
README = HERE / "README.md"
MADE = re.compile(r"(<!-- made by benchmarks/tables.py from figures.toml: (\w+) -->\n).*?(<!-- end -->\n)", re.DOTALL)
HEADING = ("figure", "what it measures", "must", "aim", "measured", "on")


def table(rows: list[tuple[str, ...]]) -> str:
    lines = ["".join(f"| {cell} " if cell else "| " for cell in row) + "|\n" for row in (HEADING, *rows)]
    return "".join((lines[0], "|---" * len(HEADING) + "|\n", *lines[1:]))


def rows_of(figure: dict[str, Any]) -> list[tuple[str, ...]]:
    """A row for each machine on which the figure was measured; the first says what it is."""
    names = ", ".join(f"`{name}`" for name in figure["names"])
    first = (names, figure["what"], figure.get("must", ""), figure.get("aim", ""))
    measured = [(one["value"], one["on"]) for one in figure.get("measured", [])] or [("", "")]
    return [(*words, *value) for words, value in zip([first, *[("",) * 4] * len(measured)], measured, strict=False)]


def document(text: str, figures: list[dict[str, Any]]) -> str:
    """The text with the table of each group made anew."""

    def made(found: re.Match[str]) -> str:
        rows = [row for figure in figures if figure["group"] == found[2] for row in rows_of(figure)]
        return f"{found[1]}\n{table(rows)}\n{found[3]}"

    return MADE.sub(made, text)


def main() -> int:
    text = README.read_text(encoding="utf-8")
    made = document(text, tomllib.loads((HERE / "figures.toml").read_text(encoding="utf-8"))["figure"])
    if "--check" in sys.argv:
        if made != text:
            print("error: benchmarks/README.md: expected the tables of figures.toml; run python benchmarks/tables.py")
        return int(made != text)
    README.write_text(made, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
