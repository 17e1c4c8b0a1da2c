"""The kinds of parts that platform files may name, as a page: what the schema says of them.

docs/parts.md is written from it (`python -m isthmus.running.parts docs/parts.md`, a test keeps them equal).
"""

import sys
from pathlib import Path

from isthmus.base.files import write_atomically
from isthmus.running.tools import Event, run_tool

HEAD = """\
# The parts of boards

A section of a platform file describes a part of the board. Its kind is the last word of its name, or `kind = "..."` if
a board has several of a kind. A board has the parts that its file names, and no others.

    [link.vh0]
    kind = "pcie"
    channel = "left"    # what `--channel` calls this link; else it is the last word, vh0
    lanes = { value = 8, source = "data sheet table 1", role = "datasheet" }

A part needs all of its keys, except those that may be left out. The README of platforms/ explains values,
sources and roles. The kinds follow, each with the section that a board's only part of this kind has.
`python -m isthmus.running.parts docs/parts.md` writes this page from the tables of src/platform/kinds.

## Boards of several links
Each link has its own end in the host and, with a part `dma`, an engine of its own in front of the device's memory.
They share the host's memory and the device's.

- **Transfers** (flows offload and overlap, programs on `offload::Device`) go over all links. A transfer that may start
  goes to the link that would finish it first, by the link's rate and the bytes of the transfers that are under way in
  its direction. If several links would finish it at the same time, it goes to the one with less under way in the other
  direction, then to the first of the file. It goes only to links at which its host thread has no transfer under way. So
  a thread has as many transfers under way as there are links, if it enqueued them on as many queues. A transfer is not
  split, and a single transfer is no faster than on the fastest link.
- **Kernels** start over the first link.
- **Streams** go over one link: the first.
- **Probes** measure one link each: `isthmus probe` measures every link by itself.
- `--channel NAME` uses only that link, in any flow and probe; in a study `channel` of a target does the same.

If the board has several links, reports name the parts of a link after it: `vh1/PCIe tags`.
"""


def document() -> str:
    """docs/parts.md."""
    kinds: list[tuple[Event, list[Event]]] = []

    def keep(event: Event) -> None:
        if event["event"] == "kind":
            kinds.append((event, []))
        else:
            kinds[-1][1].append(event)

    run_tool("isthmus-platform", ["--keys"], keep)
    return HEAD + "".join(_entry(kind, keys) for kind, keys in kinds)


def _entry(kind: Event, keys: list[Event]) -> str:
    several = " A board may have several, each with its channel." if kind["several"] else ""
    rows = "".join(f"| `{key['key'].rpartition('.')[2]}` | {_expected(key)} | {key['meaning']} |\n" for key in keys)
    holds = "".join(f"- `{relation}`\n" for relation in kind["relations"])
    relations = f"\nWhere a board has both:\n\n{holds}" if holds else ""
    return (
        f"\n## {kind['kind']}\n`[{kind['section']}]`: {kind['meaning']}.{several}\n\n"
        f"| key | what it may be | meaning |\n|---|---|---|\n{rows}{relations}"
    )


def _expected(key: Event) -> str:
    may_be = str(key["expected"])
    if key["when"]:
        return f"{may_be}; needed if `{key['when']}`"
    return f"{may_be}; may be left out" if key["may_be_left_out"] else may_be


if __name__ == "__main__":
    write_atomically(Path(sys.argv[1]), document())
