"""The contents of a report: rows, probe records and comparisons with papers, from one study or from many files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from isthmus.base.errors import IsthmusError
from isthmus.base.files import read_text
from isthmus.base.names import meant
from isthmus.base.parsing import checked, from_json, our_json
from isthmus.records.advising import AdviseFile
from isthmus.records.base import Context, Value
from isthmus.records.hpcc import HpccRecord, ScaleRow
from isthmus.records.limits import Limit
from isthmus.records.papers import HeldOutNumber, PaperFigure, PaperRow, PaperScore
from isthmus.records.probe import ProbeRecord
from isthmus.records.recording import RecordFile
from isthmus.records.run import Row, Verdict
from isthmus.results.kinds import KINDS, Kind, commands, kind_of, name_of, names
from isthmus.running.limits import of_records
from isthmus.show.verdict import decide_each, differing_values, flow_with


@dataclass(frozen=True)
class Source:
    """A file of records and how it came to be."""

    name: str
    context: Context


@dataclass(frozen=True)
class ApplicationRows:
    """The rows of an application, the fastest first."""

    name: str
    rows: list[Row]

    @property
    def unit(self) -> str:
        """The unit of the rates: images/s, messages/s."""
        return self.rows[0].unit

    @property
    def fastest(self) -> float:
        """The greatest rate of a row that is right."""
        return max((row.value for row in self.rows if row.verified), default=0.0)


@dataclass
class ReportContents:
    """Everything that a report shows."""

    title: str
    rows: list[Row] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)
    probes: list[ProbeRecord] = field(default_factory=list)
    hpcc: list[HpccRecord] = field(default_factory=list)
    scale: list[ScaleRow] = field(default_factory=list)
    scaled: list[HpccRecord] = field(default_factory=list)
    papers: list[PaperRow] = field(default_factory=list)
    score: dict[str, PaperScore] = field(default_factory=dict)
    held_out: list[HeldOutNumber] = field(default_factory=list)
    figures: list[PaperFigure] = field(default_factory=list)
    recordings: list[RecordFile] = field(default_factory=list)
    advices: list[AdviseFile] = field(default_factory=list)
    others: list[BaseModel] = field(default_factory=list)
    sources: list[Source] = field(default_factory=list)

    def add(self, name: str, file: Any) -> None:
        """Adds the records of a file of a kind that is reported."""
        self.sources.append(Source(name, file.context))
        self.take(KINDS[name_of({"schema": file.schema_})], {"": [file], **vars(file)})

    def take(self, kind: Kind, found: Mapping[str, Any]) -> None:
        """Adds the records of a file that is reported."""
        for key, part in (kind.shown or {kind.lists[0]: "others"}).items():
            mine = getattr(self, part)
            (mine.update if isinstance(mine, dict) else mine.extend)(found.get(key, ()))
        self.verdicts = [one for one in decide_each(self.rows).values() if one is not None]

    def ranked(self) -> list[Row]:
        """The rows by application, as they come, the fastest of each first, wrong ones last."""
        names = list(dict.fromkeys(row.application for row in self.rows))
        return sorted(self.rows, key=lambda row: (names.index(row.application), not row.verified, -row.value))

    def works(self) -> list["ApplicationRows"]:
        """The applications: rates of different work are not compared."""
        return [
            ApplicationRows(name, list(rows)) for name, rows in groupby(self.ranked(), key=lambda row: row.application)
        ]

    def flow_of(self, row: Row) -> str:
        """The row's flow, with the parameters in which the rows of its application differ."""
        return flow_with(row.flow, self.differing_values(row))

    def differing_values(self, row: Row) -> dict[str, Value]:
        """The values that tell a row from the others of its application, beside its place and its flow."""
        return differing_values(row, [one for one in self.rows if one.application == row.application])

    def limits(self) -> list[Limit]:
        """The limits of the models that touch what the report shows."""
        return of_records(self.rows, self.probes)

    def described(self) -> list[Row]:
        """A row for each description that a model was built from."""
        return list({row.platform.sha256: row for row in self.rows if row.platform is not None}.values())


def gather(paths: Sequence[Path], title: str) -> ReportContents:
    """The records of these files; an IsthmusError that names the file and what was expected."""
    contents = ReportContents(title)
    for path in paths:
        _add(contents, path)
    return contents


def _add(contents: ReportContents, path: Path) -> None:
    text = read_text(path)
    try:
        whole = from_json(text)
    except ValueError:
        return _add_lines(contents, path, text)
    name, kind = name_of(whole), kind_of(whole)
    if kind is not None and kind.reported:
        return contents.add(path.name, _checked(kind.file_class, whole, str(path)))
    if name:
        known = [f"isthmus.{one}" for one in names(lambda one: one.reported)]
        hint = None if kind else meant(f"isthmus.{name}", known)
        raise IsthmusError(f"{path}: key 'schema': expected {', '.join(known)}, got '{name}'", hint)
    return _add_lines(contents, path, text)


def _add_lines(contents: ReportContents, path: Path, text: str) -> None:
    """Records, one a line, as --jsonl and the tools write them."""
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            _add_line(contents, our_json(line, f"{path}:{number}"), f"{path}:{number}")
    if not text.strip():
        raise IsthmusError(f"{path}: expected records that isthmus wrote, the file is empty")


def _add_line(contents: ReportContents, plain: object, place: str) -> None:
    kind = _kind_of_record(plain) if isinstance(plain, dict) else None
    if kind is None or not isinstance(plain, dict):
        raise IsthmusError(f"{place}: expected a record of isthmus {commands(_is_of_lines, 'or')}")
    plain.pop("event", None)
    contents.take(kind, {kind.lists[0]: [_checked(kind.record_class, plain, place)]})


def _is_of_lines(kind: Kind) -> bool:
    """Tells whether a report shows its records without the rest of their file."""
    return kind.reported and bool(kind.record) and (not kind.shown or kind.lists[0] in kind.shown)


def _kind_of_record(plain: Mapping[str, Any]) -> Kind | None:
    """The kind of which it has most of the fields that each record has; None if that is not shown, or under two fit."""

    def likeness(kind: Kind) -> int:
        return sum(name in plain for name, field in kind.record_class.model_fields.items() if field.is_required())

    found = max((kind for kind in KINDS.values() if kind.record), key=likeness)
    return found if likeness(found) > 1 and _is_of_lines(found) else None


def _checked(model: type[BaseModel], plain: Any, place: str) -> Any:
    found = checked(model, plain, place)
    for record in [found, *getattr(found, "records", [])]:
        if isinstance(record, ProbeRecord):
            _check_parameters(record, place)
    return found


def _check_parameters(record: ProbeRecord, place: str) -> None:
    if not isinstance(record.parameters.get("size"), int):
        raise IsthmusError(f"{place}: key 'parameters.size' of {record.name}: expected whole bytes")
    for name in ("burst", "step"):
        if not isinstance(record.parameters.get(name, 0), int):
            raise IsthmusError(f"{place}: key 'parameters.{name}' of {record.name}: expected a whole number")
