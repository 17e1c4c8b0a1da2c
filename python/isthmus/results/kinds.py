"""The kinds of JSON files that isthmus writes, a row each.

Session, journal, store, compare, frames, report, schemas and help derive their treatment of a file from it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

from isthmus.base.names import listed

if TYPE_CHECKING:
    from isthmus.records.base import File, Record

Document = Mapping[str, Any]


@dataclass(frozen=True)
class Kind:
    """Files of a kind; its name is that of the schema, isthmus.NAME/1, and begins with the command that writes them.

    `file` and `record` are MODULE.CLASS in isthmus.records, named and not imported: help shall not wait for them.
    `shown` are the lists of ReportContents for the file's keys, "" being the file itself; without
    them its records are among the others.
    """

    file: str
    record: str = ""  # a line of --jsonl and of journals
    lists: tuple[str, ...] = ()  # where a file has its records: the first of these that has any
    kept: bool = False  # in the results store
    compared: bool = False
    reported: bool = False
    shown: Mapping[str, str] = field(default_factory=dict)

    @property
    def file_class(self) -> "type[File]":
        """The class that reads a file of this kind."""
        found: type[File] = _class(self.file)
        return found

    @property
    def record_class(self) -> "type[Record]":
        """The class that reads a line of --jsonl."""
        found: type[Record] = _class(self.record)
        return found

    def records_in(self, document: Document) -> list[Any]:
        """The records of a file; none of a kind that has none."""
        return next((records for name in self.lists if (records := document.get(name))), [])


def _measured(file: str, record: str, lists: tuple[str, ...], shown: Mapping[str, str]) -> Kind:
    """A kind of file with the records of runs."""
    return Kind(file, record, lists, kept=True, compared=True, reported=True, shown=shown)


KINDS = {
    "run": _measured("run.RunFile", "run.Row", ("rows",), {"rows": "rows"}),
    "study": _measured("run.StudyFile", "run.Row", ("rows",), {"rows": "rows"}),
    "probe": _measured("probe.ProbeFile", "probe.ProbeRecord", ("records",), {"records": "probes"}),
    "hpcc": _measured("hpcc.HpccFile", "hpcc.HpccRecord", ("records",), {"records": "hpcc"}),
    "hpcc-scale": _measured(
        "hpcc.HpccScaleFile", "hpcc.HpccRecord", ("records",), {"rows": "scale", "records": "scaled"}
    ),
    "reproduce": Kind(
        "papers.ReproduceFile",
        lists=("rows", "held_out"),
        kept=True,
        reported=True,
        shown={"rows": "papers", "score": "score", "held_out": "held_out", "figures": "figures"},
    ),
    "sweep": Kind("swept.SweepFile", "swept.SweepRow", ("rows",)),
    "explain": Kind("explained.ExplainFile", "explained.ExplainRow", ("rows",)),
    "advise": Kind("advising.AdviseFile", "advising.AdviseRow", ("rows",), reported=True, shown={"": "advices"}),
    "record": Kind("recording.RecordFile", lists=("records",), reported=True, shown={"": "recordings"}),
    "hpcc-build": Kind("hpcc.HpccBuildFile"),
    "hpcc-tune": Kind("hpcc.HpccTuneFile"),
    "acceptance": Kind("hpcc.AcceptanceFile"),
    "devices": Kind("listings.DevicesFile"),
    "platform": Kind("listings.PlatformFile"),
    "platforms": Kind("listings.PlatformsFile"),
    "system": Kind("listings.SystemFile"),
    "doctor": Kind("listings.DoctorFile"),
    "config": Kind("listings.ConfigFile"),
    "compare": Kind("listings.CompareFile"),
    "history": Kind("listings.HistoryFile"),
    "regressions": Kind("listings.RegressionsFile"),
    "calibrate": Kind("calibration.CalibrateFile"),
}


def schema_of(name: str) -> str:
    """The value of the key `schema` in files of the kind of that name."""
    return f"isthmus.{name}/1"


def name_of(document: object) -> str:
    """The name of the kind that a file says it is of; empty where it says nothing."""
    schema = document.get("schema") if isinstance(document, dict) else None
    return str(schema or "").partition("/")[0].removeprefix("isthmus.")


def kind_of(document: object) -> Kind | None:
    """The kind of a file; None if no kind has the name that the file gives."""
    return KINDS.get(name_of(document))


def journalled(record: object) -> str | None:
    """The kind of a journal of such records; None if they are not kept."""
    return next((name for name, kind in KINDS.items() if kind.kept and _name_of_class(record, kind.record)), None)


def is_kept(file: object) -> bool:
    """Tells whether runs that write such a file are kept in the results store."""
    return any(kind.kept and _name_of_class(file, kind.file) for kind in KINDS.values())


def names(chosen: Callable[[Kind], object]) -> list[str]:
    """The names of the kinds that are chosen."""
    return [name for name, kind in KINDS.items() if chosen(kind)]


def commands(chosen: Callable[[Kind], object], last: str) -> str:
    """The commands that write the kinds that are chosen, for people: `run, study and probe` where `last` is `and`."""
    return listed(dict.fromkeys(name.partition("-")[0] for name in names(chosen)), last)


def _name_of_class(instance: object, place: str) -> bool:
    return type(instance).__name__ == place.rpartition(".")[2]


def _class(place: str) -> Any:
    module, _, name = place.rpartition(".")
    return getattr(import_module(f"isthmus.records.{module}"), name)
