"""The list of what no part of the models knows.

The page docs/model-limits.md of the site is made of it, and commands that show a modelled number name the entries that
touch it.
"""

import textwrap
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from functools import cache, partial
from typing import TYPE_CHECKING

from isthmus.base.files import data_folder
from isthmus.base.toml_files import read_toml
from isthmus.running.probes import all_probes

if TYPE_CHECKING:
    from isthmus.records.limits import Limit
    from isthmus.records.probe import ProbeRecord
    from isthmus.records.run import ModelLimit, Row

WIDTH = 118


@cache
def limits() -> "tuple[Limit, ...]":
    """All of them, in their order; an IsthmusError where the file holds anything else."""
    from isthmus.records.limits import LimitsTable

    return read_toml(LimitsTable, data_folder("platforms") / "about" / "limits.toml").limit


def of_keys(keys: Iterable[str]) -> "list[Limit]":
    """Limits that touch one of a platform's numbers, each named KIND.KEY: the last two words of a pattern."""
    known = list(keys)
    usual = {limit.id: [".".join(pattern.split(".")[-2:]) for pattern in limit.keys] for limit in limits()}
    return [limit for limit in limits() if any(fnmatchcase(key, each) for key in known for each in usual[limit.id])]


def of_records(rows: "Iterable[Row]", probed: "Iterable[ProbeRecord]" = ()) -> "list[Limit]":
    """Limits that touch the modelled ones of these rows and records."""
    flows = {row.flow for row in rows if row.kind == "modelled"}
    names = {record.name for record in probed if record.kind == "modelled"}
    crossed = {probe.crosses for name, probe in all_probes().items() if name in names} if names else set()
    return [limit for limit in limits() if not flows.isdisjoint(limit.flows) or not crossed.isdisjoint(limit.crossed)]


def as_records(found: "Sequence[Limit]") -> "list[ModelLimit]":
    """These limits as records of JSON files."""
    from isthmus.records.run import ModelLimit

    return [ModelLimit(**one.model_dump(include=set(ModelLimit.model_fields))) for one in found]


def named(found: "Sequence[Limit]") -> str:
    """Names the limits in one line, and says where they are described."""
    return f"not modelled: {', '.join(limit.id for limit in found)} ('limits' of --json - says what and how it errs)"


def document() -> str:
    """The page, in Markdown."""
    return HEAD + "".join(map(_entry, limits()))


HEAD = """\
# What the models do not know

Each entry names something that a machine has and the models leave out. It says in which direction a modelled number
errs, for which questions that matters, and which flows, probes and keys it touches. A calibrated number may hold a part
of it, because the measured machine had it. No factor makes up for any entry. `isthmus platform show`, reports and
studies name the entries that touch what they show. This page is made of `platforms/about/limits.toml`.
"""


def _entry(limit: "Limit") -> str:
    touched = [name for name, probe in all_probes().items() if probe.crosses in limit.crossed]
    lines = [
        f"The models leave out {limit.what[0].lower()}{limit.what[1:]}.",
        f"- **Error:** {limit.error}: {limit.why}.",
        f"- **Matters for:** {limit.matters}.",
        f"- **Touches:** {_touched('flows', limit.flows)}{_touched('probes', touched)}"
        f"{_touched('keys', limit.keys)}".rstrip("; ")
        + ".",
    ]
    wrap = partial(textwrap.fill, width=WIDTH, break_long_words=False, break_on_hyphens=False)
    wrapped = [wrap(line, subsequent_indent="  " * line.startswith("-")) for line in lines]
    return f"\n## {limit.id}\n" + "\n".join(wrapped) + "\n"


def _touched(kind: str, names: Sequence[str]) -> str:
    return f"{kind} {', '.join(f'`{name}`' for name in names)}; " if names else ""
