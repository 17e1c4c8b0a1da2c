"""Tutorials as programs: the files and commands of a Markdown document, and what it says the commands print.

A block that begins with ```LANGUAGE title="FILE" is written to FILE; in one that begins with ```console the lines after
`$ ` are commands, the others what they print. There `...` stands for any text in a line, and for any lines by itself.
Numbers of a model have to agree within 10 %, those that were measured are not compared.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_FENCE = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)
_NUMBER = re.compile(r"(?<![\w.])\d+(?:,\d{3})*(?:\.\d+)?")
_SPREAD = r"(?:\s*±\d+%)?"
# What a busy machine says besides: how far it is after a minute, and that other programs used the cores.
_BUSY = re.compile(
    r"[\w -]+: \d+ of \d+(?:, \d+ (?:s|min) left)?$|warning: (?:other programs used|\d+ of \d+ \w+ spread)"
)
TOLERANCE = 0.1


@dataclass(frozen=True)
class File:
    """A file that the reader writes."""

    name: str
    text: str


@dataclass(frozen=True)
class Excerpt:
    """Code that is shown: some file holds it."""

    text: str


@dataclass(frozen=True)
class Command:
    """A command and the lines that it prints, errors and hints among them."""

    words: str
    output: list[str] = field(default_factory=list)


def steps(document: str) -> Iterator[File | Excerpt | Command]:
    """What a reader does, from the top to the bottom."""
    for language, title, text in _FENCE.findall(document):
        if language == "console":
            yield from _commands(text)
        elif title:
            yield File(title, text)
        else:
            yield Excerpt(text)


def _commands(text: str) -> list[Command]:
    found: list[Command] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append(Command(line[2:]))
        elif line.strip():
            found[-1].output.append(line)
    return found


def differences(command: Command, printed: str) -> str | None:
    """None where the command printed what the document says, else the line that is missing or too much."""
    modelled = "model:" in command.words and not re.search(r"native|opencl", command.words)
    lines = iter([line for line in printed.splitlines() if line.strip() and not _BUSY.match(line)])
    skipping = False
    for expected in command.output:
        if expected.strip() == "...":
            skipping = True
            continue
        for line in lines:
            if agrees(expected, line, modelled):
                break
            if not skipping:
                return f"expected {expected!r}, got {line!r}"
        else:
            return f"missing: {expected!r}"
        skipping = False
    rest = next(lines, None)
    return f"not in the document: {rest!r}" if rest is not None and not skipping else None


def agrees(expected: str, line: str, modelled: bool) -> bool:
    """Tells whether a line is the expected one, its numbers compared if they are a model's."""
    found = re.fullmatch(_pattern(expected), line.strip())
    if found is None:
        return False
    if not modelled and not re.search(r"\bmodel\b", line):
        return True
    wanted = [float(number.replace(",", "")) for number in _NUMBER.findall(expected)]
    got = [float(number.replace(",", "")) for number in found.groups()]
    return all(abs(ours - theirs) <= TOLERANCE * abs(theirs) for ours, theirs in zip(got, wanted, strict=True))


def _pattern(expected: str) -> str:
    pattern, last = "", 0
    text = expected.strip()
    for number in _NUMBER.finditer(text):
        pattern += _words(text[last : number.start()]) + r"(\d+(?:,\d{3})*(?:\.\d+)?)" + _SPREAD
        last = number.end()
    return pattern + _words(text[last:])


def _words(text: str) -> str:
    parts = [
        r"\s+".join(re.escape(word) for word in re.split(r"\s+", part)) for part in re.split(r"\s*\.\.\.\s*", text)
    ]
    return ".*".join(parts)
