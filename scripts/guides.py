"""The numbers of the guides: each is that of a run, or of a paper's row.

docs/guides.toml names runs of the command, and texts of a page with a reference in the place of each number, such as
`{look-ups.value / 1e6:.1f}`: the field `value` of the first row that the run look-ups gives. docs/guides.json keeps the
values. Without options the pages get the values that are kept; `--run GLOB` makes these runs before. `--check` names
the pages whose numbers are others, `--again` the values that the runs of `again` do not give again; both leave with 1
if there are any.
"""

import argparse
import json
import operator
import os
import re
import shlex
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Mapping
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from isthmus.base.errors import IsthmusError
from isthmus.base.files import write_atomically

ROOT = Path(__file__).resolve().parents[1]
PLACE = re.compile(r"\{([^{}:]+)(?::([^{}]*))?\}")
NUMBER = r"(-?\d[\d.]*)"
OPERATORS: dict[str, Callable[[float, float], float]] = {
    "*": operator.mul,
    "/": operator.truediv,
    "-": operator.sub,
    "+": operator.add,
}
Values = Mapping[str, float]


def published() -> dict[str, float]:
    """The published numbers of all papers, by the ids of their rows."""
    papers = (tomllib.loads(path.read_text(encoding="utf-8")) for path in sorted((ROOT / "papers").glob("*.toml")))
    rows = [row for paper in papers for row in paper["row"]]
    return {row["id"]: row["value"] for row in rows if isinstance(row["value"], int | float)}


def is_number(word: str) -> bool:
    return bool(re.fullmatch(r"[\d.]+(e-?\d+)?", word))


def value_of(expression: str, known: Values) -> float:
    """The value of `a / b * c`, computed from left to right."""
    words = expression.split()
    numbers = [float(word) if is_number(word) else known[word] for word in words[::2]]
    result = numbers[0]
    for sign, number in zip(words[1::2], numbers[1:], strict=True):
        result = OPERATORS[sign](result, number)
    return result


def all_values(specified: dict[str, Any], kept: Values) -> dict[str, float]:
    """Those of papers, those that are kept, and those that docs/guides.toml computes of them."""
    known = {**published(), **kept}
    for name, expression in specified["value"].items():
        if all(is_number(word) or word in known for word in expression.split()[::2]):
            known[name] = value_of(expression, known)
    return known


def shown(place: re.Match[str], known: Values) -> str:
    """The number as the page has it."""
    try:
        return format(value_of(place[1], known), place[2] or "g")
    except KeyError as missing:
        raise IsthmusError(f"docs/guides.json: expected a value of {missing}: run scripts/guides.py --run") from None


def find(text: str, page: str) -> re.Match[str]:
    """Where the page has the text, whatever its numbers and its line breaks."""
    literal = [r"\s+".join(re.escape(word) for word in re.split(r"\s+", part)) for part in PLACE.split(text)[::3]]
    found = list(re.finditer(NUMBER.join(literal), page))
    if len(found) != 1:
        start = " ".join(text.split())[:60]
        raise IsthmusError(f"docs/guides.toml: expected a text that its page has once, got {len(found)} of: {start}")
    return found[0]


def with_numbers(page: str, text: str, known: Values) -> str:
    """The page with the numbers of the text replaced by those that are known."""
    found = find(text, page)
    spans = [found.span(group + 1) for group in range(len(found.groups()))]
    for (first, last), place in reversed(list(zip(spans, PLACE.finditer(text), strict=True))):
        page = page[:first] + shown(place, known) + page[last:]
    return page


def references(specified: dict[str, Any], run: str) -> Iterator[str]:
    """What texts and computed values take from the run."""
    in_texts = (place[1] for entry in specified["text"] for place in PLACE.finditer(entry["text"]))
    for expression in (*in_texts, *specified["value"].values()):
        yield from (word for word in expression.split()[::2] if word.partition(".")[0] == run)


def chosen(rows: list[dict[str, Any]], choice: str) -> dict[str, Any]:
    """The row with this id, or with these values of fields or parameters."""
    wanted = [pair.split("=") for pair in choice.split(",")] if "=" in choice else [["id", choice]]
    for row in rows:
        fields = {**row, **row.get("parameters", {})}
        if all(str(fields.get(key)) == value for key, value in wanted):
            return row
    raise IsthmusError(f"docs/guides.toml: expected a row with {choice}")


def taken(file: dict[str, Any], path: list[str]) -> float:
    """The value at the path: in the file, in the row that its first step chooses, or else in the first row."""
    rows = next(file[key] for key in ("rows", "held_out", "records") if file.get(key))
    if path[0] in file or path[0] in rows[0]:
        found: Any = file if path[0] in file else rows[0]
    else:
        found, path = chosen(rows, path[0]), path[1:]
    for step in path:
        found = entry_of(found, step) if isinstance(found, list) else found[step]
    return float(found)


def entry_of(entries: list[Any], step: str) -> Any:
    """The entry with this number or this name."""
    return entries[int(step)] if step.isdigit() else next(entry for entry in entries if entry["name"] == step)


def run(specified: dict[str, Any], name: str) -> dict[str, float]:
    """The values that the texts take from the run, made now."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "run.json"
        words = [sys.executable, "-m", "isthmus", *shlex.split(specified["run"][name]), "--quiet", "--json", str(file)]
        environment = {**os.environ, "XDG_DATA_HOME": folder}  # the store of the user stays as it is
        subprocess.run(words, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, check=True)
        written = json.loads(file.read_text(encoding="utf-8"))
    return {word: taken(written, word.split(".")[1:]) for word in references(specified, name)}


def changed_pages(docs: Path, specified: dict[str, Any], kept: Values) -> dict[Path, str]:
    """The pages whose numbers are not those of the values, with the numbers that they are to have."""
    before = {docs / entry["page"]: (docs / entry["page"]).read_text(encoding="utf-8") for entry in specified["text"]}
    pages = dict(before)
    known = all_values(specified, kept)
    for entry in specified["text"]:
        path = docs / entry["page"]
        pages[path] = with_numbers(pages[path], entry["text"], known)
    return {path: text for path, text in pages.items() if text != before[path]}


def changed_values(specified: dict[str, Any], kept: Values) -> Iterator[str]:
    """A line for each kept value that its run does not give again."""
    for name in specified["again"]:
        for reference, value in run(specified, name).items():
            if value != kept.get(reference):
                yield f"docs/guides.json: {reference}: expected {kept.get(reference)}, got {value}"


def main() -> int:
    """1 if --check or --again finds a difference."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--docs", metavar="FOLDER", type=Path, default=ROOT / "docs")
    parser.add_argument("--run", metavar="GLOB")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--again", action="store_true")
    asked = parser.parse_args()
    specified = tomllib.loads((asked.docs / "guides.toml").read_text(encoding="utf-8"))
    kept = json.loads((asked.docs / "guides.json").read_text(encoding="utf-8"))
    for name in specified["run"] if asked.run else ():
        if fnmatch(name, asked.run):
            kept |= run(specified, name)
            write_atomically(asked.docs / "guides.json", json.dumps(kept, indent=1, sort_keys=True) + "\n")
    changed = changed_pages(asked.docs, specified, kept)
    for path, text in changed.items():
        if not asked.check:
            write_atomically(path, text)
    said = [f"docs/{path.name}: its numbers are not those of docs/guides.json" for path in changed]
    said += changed_values(specified, kept) if asked.again else []
    print(*said, sep="\n", end="\n" if said else "")
    return int(bool(said) and (asked.check or asked.again))


if __name__ == "__main__":
    try:
        sys.exit(main())
    except IsthmusError as error:
        sys.exit(f"error: {error}")
