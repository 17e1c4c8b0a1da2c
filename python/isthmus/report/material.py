"""What a report is made of: rows, probe records and comparisons with papers, from one study or from many files."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from isthmus.errors import IsthmusError
from isthmus.files import read_text
from isthmus.limits import Limit, of_records
from isthmus.parsing import from_json
from isthmus.records import (
    FILES,
    Context,
    HeldOut,
    HpccRecord,
    PaperRow,
    PaperScore,
    ProbeRecord,
    RecordFile,
    Row,
    ScaleRow,
    Verdict,
)
from isthmus.verdict import decide

TOLD = ("study", "run", "probe", "reproduce", "hpcc", "hpcc-scale", "record")


@dataclass(frozen=True)
class Source:
    """A file of records and how it came to be."""

    name: str
    context: Context


@dataclass
class Material:
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
    held_out: list[HeldOut] = field(default_factory=list)
    recordings: list[RecordFile] = field(default_factory=list)
    sources: list[Source] = field(default_factory=list)

    def add(self, name: str, file: Any) -> None:
        """Adds the records of a file of one of the commands in TOLD."""
        self.sources.append(Source(name, file.context))
        kind = file.schema_.partition("/")[0].removeprefix("isthmus.")
        if kind in ("study", "run"):
            self.rows += file.rows
            self.verdicts = _verdicts(self.rows)
        elif kind == "probe":
            self.probes += file.records
        elif kind == "hpcc":
            self.hpcc += file.records
        elif kind == "hpcc-scale":
            self.scale += file.rows
            self.scaled += file.records
        elif kind == "record":
            self.recordings.append(file)
        else:
            self.papers += file.rows
            self.score.update(file.score)
            self.held_out += file.held_out

    def ranked(self) -> list[Row]:
        """The rows, the fastest of each application first, wrong ones last."""
        return sorted(self.rows, key=lambda row: (row.application, not row.verified, -row.value))

    def unit(self) -> str:
        """What the rates count: images/s, messages/s, or both where rows of both are here."""
        return " or ".join(dict.fromkeys(row.unit for row in self.rows))

    def limits(self) -> list[Limit]:
        """What the models do not know that touches what is shown."""
        return of_records(self.rows, self.probes)

    def described(self) -> list[Row]:
        """A row for each description that a model was built from."""
        return list({row.platform.sha256: row for row in self.rows if row.platform is not None}.values())


def gather(paths: Sequence[Path], title: str) -> Material:
    """The records of these files; an IsthmusError that names the file and what was expected."""
    material = Material(title)
    for path in paths:
        _add(material, path)
    return material


def _add(material: Material, path: Path) -> None:
    text = read_text(path)
    try:
        whole = from_json(text)
    except ValueError:
        return _add_lines(material, path, text)
    kind = str(whole.get("schema") if isinstance(whole, dict) else None).partition("/")[0].removeprefix("isthmus.")
    if kind in TOLD:
        return material.add(path.name, _checked(FILES[kind], whole, str(path)))
    if kind != "None":
        raise IsthmusError(f"{path}: key 'schema': expected isthmus.{', isthmus.'.join(TOLD)}, got '{kind}'")
    return _add_lines(material, path, text)


def _add_lines(material: Material, path: Path, text: str) -> None:
    """Rows and records, one a line, as --jsonl and the tools write them."""
    for number, line in enumerate(text.splitlines(), start=1):
        place = f"{path}:{number}"
        if not line.strip():
            continue
        try:
            plain = from_json(line)
        except ValueError as error:
            raise IsthmusError(f"{place}: expected JSON that isthmus wrote: {error}") from error
        if not isinstance(plain, dict) or not {"flow", "samples"} & set(plain):
            raise IsthmusError(f"{place}: expected a row of isthmus run or study, or a record of isthmus probe or hpcc")
        plain.pop("event", None)
        if "benchmark" in plain:
            material.hpcc.append(_checked(HpccRecord, plain, place))
        elif "samples" in plain:
            material.probes.append(_checked(ProbeRecord, plain, place))
        else:
            material.rows.append(_checked(Row, plain, place))
    if not text.strip():
        raise IsthmusError(f"{path}: expected records that isthmus wrote, the file is empty")
    material.verdicts = _verdicts(material.rows)


def _checked(model: type[BaseModel], plain: Any, place: str) -> Any:
    try:
        checked = model.model_validate(plain)
        for record in [checked, *getattr(checked, "records", [])]:
            if isinstance(record, ProbeRecord):
                _check_parameters(record, place)
        return checked
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"]))
        raise IsthmusError(f"{place}: key '{key}': {first['msg']}") from error


def _check_parameters(record: ProbeRecord, place: str) -> None:
    if not isinstance(record.parameters.get("size"), int):
        raise IsthmusError(f"{place}: key 'parameters.size' of {record.name}: expected whole bytes")
    for name in ("burst", "step"):
        if not isinstance(record.parameters.get(name, 0), int):
            raise IsthmusError(f"{place}: key 'parameters.{name}' of {record.name}: expected a whole number")


def _verdicts(rows: Iterable[Row]) -> list[Verdict]:
    """The fastest of each application: rates of different work are not compared."""
    by_application: dict[str, list[Row]] = {}
    for row in rows:
        by_application.setdefault(row.application, []).append(row)
    found = [decide(group) for group in by_application.values()]
    return [verdict for verdict in found if verdict is not None]
