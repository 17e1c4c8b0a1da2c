"""Study files: an application, the targets and flows to compare; read, checked and spread into runs."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from isthmus.applications import check_application, is_program
from isthmus.errors import IsthmusError
from isthmus.experiments import Experiment
from isthmus.files import data_folder, read_text
from isthmus.flows import FLOWS
from isthmus.grain import DEFAULT, Grain
from isthmus.names import listed, meant, unknown
from isthmus.parsing import toml
from isthmus.records.base import Flow
from isthmus.settings import COUNT, MOST, MOST_SEED, SEED, resolve
from isthmus.targets import check_target, flows_of, is_model, platform
from isthmus.toml_lines import line_of, line_of_item


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Application(_Table):
    """What runs: an application of Isthmus by name, or a program; each description says what a value should be."""

    name: str | None = Field(default=None, min_length=1, description="the name of an application")
    program: str | None = Field(
        default=None, min_length=1, description="the path of a program, from this file's folder"
    )
    messages: int | None = Field(default=None, ge=1, le=MOST, description=COUNT)
    images: int | None = Field(default=None, ge=1, le=MOST, description=COUNT)
    input: str | None = Field(default=None, min_length=1, description="a folder of photographs")
    seed: int | None = Field(default=None, ge=0, le=MOST_SEED, description=SEED)


class Place(_Table):
    """A target, and the link of a board with several that runs go over."""

    target: str = Field(description="a target")
    channel: str | None = Field(default=None, min_length=1, description="the name of a link of the target's board")


def _in_a_table(entry: object) -> object:
    return {"target": entry} if isinstance(entry, str) else entry


class Choice(_Table):
    """Where it runs."""

    targets: list[Annotated[Place, BeforeValidator(_in_a_table)]] = Field(
        min_length=1, description="a list of at least one target"
    )
    flows: list[Flow] = Field(default=list(FLOWS), min_length=1, description=f"a list of {listed(FLOWS, 'and')}")
    grain: Grain | None = Field(default=None, description="fine or coarse")


class StudyDescription(_Table):
    """A study file as it is written."""

    application: Application = Field(description="a table [application]")
    study: Choice = Field(description="a table [study]")


_TABLES: dict[str, type[_Table]] = {"application": Application, "study": Choice, "study.targets": Place}


@dataclass(frozen=True)
class Flags:
    """What the command line says in place of the study file."""

    images: str | None = None
    messages: str | None = None
    photographs: str | None = None
    repeat: str | None = None
    warmup: str | None = None
    grain: Grain | None = None


def find_study(name: str) -> Path:
    """The study file at the path `name`, or the known one of that name; an IsthmusError with the nearest."""
    if Path(name).is_file():
        return Path(name)
    known = _studies()
    if name not in known:
        raise unknown("study", name, study_files())
    return known[name]


def study_files() -> list[str]:
    """What can be typed for a study: files here and in the folder examples, names of those that come with Isthmus."""
    shipped = data_folder("examples")
    return [name if path.parent == shipped else str(path) for name, path in _studies().items()]


def _studies() -> dict[str, Path]:
    """Studies by name: of the folder that a person is in, of its folder examples, and of the package, in this order."""
    folders = (Path(), Path("examples"), data_folder("examples"))
    found: dict[str, Path] = {}
    for path in (path for folder in folders for path in sorted(folder.glob("*.toml"))):
        if path.stem not in found and "[study]" in path.read_text(encoding="utf-8", errors="replace"):
            found[path.stem] = path
    return found


def read_study(path: Path) -> StudyDescription:
    """The study of a file; anything wrong in it is an IsthmusError with file, line, key and what was expected."""
    text = read_text(path)
    document = toml(text, path)
    try:
        return StudyDescription.model_validate(document)
    except ValidationError as error:
        unknown_first = sorted(error.errors(), key=lambda details: details["type"] != "extra_forbidden")
        raise _complaint(unknown_first[0], path, text) from error


def experiments_of(study: StudyDescription, path: Path, sets: Sequence[str], flags: Flags) -> list[Experiment]:
    """Every run of the study that its targets allow; names that do not exist are refused here, before anything runs.

    `sets` and `flags` come from the command line and win.
    """
    text = read_text(path)
    application = _application(study.application, path, text)
    flows = list(dict.fromkeys(study.study.flows))
    runs = []
    for target, channel in dict.fromkeys((place.target, place.channel) for place in study.study.targets):
        check_target(target, f"{path}:{line_of_item(text, 'study.targets', target)}")
        links = _links(target, sets) if is_model(target) else None
        if channel is not None:
            _check_channel(channel, links, f"{path}:{line_of_item(text, 'study.targets', channel)}", target)
        run = replace(_experiment(application, study.application, path, flags), target=target, channel=channel)
        offered = flows_of(application, target, sets)
        runs += [replace(run, flow=flow) for flow in flows if flow in offered]
    if not runs:
        raise IsthmusError(
            f"{path}:{line_of(text, 'study.flows')}: key 'study.flows': no target has any of these flows"
        )
    repeat, warmup = resolve("repeat", flags.repeat).value, resolve("warmup", flags.warmup).value
    grain = flags.grain or study.study.grain or DEFAULT
    return [replace(run, sets=tuple(sets), repeat=repeat, warmup=warmup, grain=grain) for run in runs]


def _links(target: str, sets: Sequence[str]) -> list[str]:
    """What the links of a modelled board are called."""
    return [part["channel"] for part in platform(target, sets)["parts"] if part.get("channel") is not None]


def _check_channel(channel: str, links: list[str] | None, place: str, target: str) -> None:
    """Refuses a link that the target's board has not; `links` are None of what is no model."""
    key = f"{place}: key 'study.targets.channel'"
    if links is None:
        raise IsthmusError(f"{key}: '{target}' is no model, and only models have links to choose")
    if channel not in links:
        known = " or ".join(links) or f"none, '{target}' has no link"
        raise IsthmusError(f"{key}: expected {known}, got '{channel}'")


def _application(application: Application, path: Path, text: str) -> str:
    """The name, or the path of the program, once it is sure that there is one and that the other keys fit to it."""
    own = application.program is not None
    if own == (application.name is not None):
        line = line_of(text, "application.program" if own else "application")
        what = "not both" if own else "or 'application.program', the path of a program"
        raise IsthmusError(f"{path}:{line}: key 'application.name': expected the name of an application, {what}")
    for key in ("images", "input", "seed") if own else ("messages",):
        if getattr(application, key) is not None:
            line = line_of(text, f"application.{key}")
            whose = "the applications of Isthmus" if own else "programs"
            raise IsthmusError(f"{path}:{line}: key 'application.{key}': is of {whose}")
    found = application.name or _beside(path, str(application.program))
    check_application(found, f"{path}:{line_of(text, 'application.program' if own else 'application.name')}")
    return found


def _beside(path: Path, program: str) -> str:
    found = str(path.parent / program)
    return found if is_program(found) else f"./{found}"


def _experiment(name: str, application: Application, path: Path, flags: Flags) -> Experiment:
    """An experiment with the application, without target and flow."""
    if is_program(name):
        return Experiment(name, "", "", _count("messages", flags.messages, application.messages))
    folder = str(path.parent / application.input) if application.input is not None else None
    return Experiment(
        application=name,
        target="",
        flow="",
        count=_count("images", flags.images, application.images),
        input=flags.photographs or folder or resolve("input").value,
        seed=application.seed if application.seed is not None else resolve("seed").value,
    )


def _count(setting: str, flag: str | None, from_file: int | None) -> int:
    count: int = from_file if flag is None and from_file is not None else resolve(setting, flag).value
    return count


def _complaint(details: ErrorDetails, path: Path, text: str) -> IsthmusError:
    *tables, name = [str(part) for part in details["loc"] if isinstance(part, str)]
    key = ".".join([*tables, name])
    before = takewhile(lambda part: isinstance(part, str), details["loc"])
    written = ".".join(str(part) for part in before)  # of a list's entry, the list
    fields = (_TABLES[".".join(tables)] if tables else StudyDescription).model_fields
    if details["type"] == "extra_forbidden":
        known = [".".join([*tables, field]) for field in fields]
        return unknown("key", key, known, f"{path}:{line_of(text, written)}")
    expected = fields[name].description
    if details["type"] == "missing":
        line = line_of(text, ".".join(tables)) if tables else 1
        return IsthmusError(f"{path}:{line}: key '{key}': missing, expected {expected}")
    got = details["input"]
    line = line_of_item(text, written, got) if isinstance(got, str) else line_of(text, written)
    hint = meant(got, FLOWS) if key == "study.flows" and isinstance(got, str) else None
    return IsthmusError(f"{path}:{line}: key '{key}': expected {expected}, got {_short(got)}", hint=hint)


def _short(value: object) -> str:
    text = repr(value) if not isinstance(value, bool) else str(value).lower()
    return text if len(text) <= 60 else f"{text[:57]}..."
