"""Study files: an application, the targets and flows to compare; read, checked and spread into runs."""

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from isthmus.errors import IsthmusError
from isthmus.experiments import Experiment, applications
from isthmus.files import read_text
from isthmus.names import unknown
from isthmus.settings import resolve
from isthmus.targets import check_target, flows_of, is_model, platform
from isthmus.toml_lines import line_of, line_of_error, line_of_item


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Application(_Table):
    """What runs; each description says what a wrong value should have been."""

    name: str = Field(description="the name of an application")
    images: int | None = Field(default=None, ge=1, description="a whole number of at least 1")
    input: str | None = Field(default=None, min_length=1, description="a folder of photographs")
    seed: int | None = Field(default=None, ge=0, description="a whole number of at least 0")


class Choice(_Table):
    """Where it runs."""

    targets: list[str] = Field(min_length=1, description="a list of at least one target")
    flows: list[Literal["offload", "overlap", "stream"]] = Field(
        default=["offload", "overlap", "stream"], min_length=1, description="a list of offload, overlap and stream"
    )


class StudyDescription(_Table):
    """A study file as it is written."""

    application: Application = Field(description="a table [application]")
    study: Choice = Field(description="a table [study]")


_TABLES: dict[str, type[_Table]] = {"application": Application, "study": Choice}


def find_study(name: str) -> Path:
    """The study file at the path `name`, or of that name in the folder examples; an IsthmusError with the nearest."""
    places = [Path(name), Path("examples") / f"{name}.toml"]
    for place in places:
        if place.is_file():
            return place
    known = study_files()
    raise unknown("study", name, known) if known else IsthmusError(f"study '{name}': no such file")


def study_files() -> list[str]:
    """The study files here and in the folder examples."""
    found = [*Path().glob("*.toml"), *Path("examples").glob("*.toml")]
    return sorted(str(path) for path in found if "[study]" in path.read_text(encoding="utf-8", errors="replace"))


def read_study(path: Path) -> StudyDescription:
    """The study of a file; anything wrong in it is an IsthmusError with file, line, key and what was expected."""
    text = read_text(path)
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise IsthmusError(f"{path}:{line_of_error(error, text)}: not TOML: {error}") from error
    try:
        return StudyDescription.model_validate(document)
    except ValidationError as error:
        unknown_first = sorted(error.errors(), key=lambda details: details["type"] != "extra_forbidden")
        raise _complaint(unknown_first[0], path, text) from error


def experiments_of(
    study: StudyDescription, path: Path, sets: Sequence[str], images: str | None, photographs: str | None
) -> list[Experiment]:
    """Every run of the study that its targets allow; names that do not exist are refused here, before anything runs.

    `sets`, `images` and `photographs` come from the command line and win.
    """
    text = read_text(path)
    known = applications()
    if study.application.name not in known:
        place = f"{path}:{line_of(text, 'application.name')}"
        raise unknown("application", study.application.name, known, place)
    runs = []
    for target in dict.fromkeys(study.study.targets):
        check_target(target, f"{path}:{line_of_item(text, 'study.targets', target)}")
        if is_model(target):
            platform(target, sets)
        for flow in flows_of(target, list(dict.fromkeys(study.study.flows))):
            runs.append(_experiment(study.application, path, target, flow, sets, images, photographs))
    if not runs:
        raise IsthmusError(
            f"{path}:{line_of(text, 'study.flows')}: key 'study.flows': no target has any of these flows"
        )
    return runs


def _experiment(
    application: Application,
    path: Path,
    target: str,
    flow: str,
    sets: Sequence[str],
    images: str | None,
    photographs: str | None,
) -> Experiment:
    from_file = application.images if images is None else None
    folder = str(path.parent / application.input) if application.input is not None else None
    return Experiment(
        application=application.name,
        target=target,
        flow=flow,
        images=from_file if from_file is not None else resolve("images", images).value,
        input=photographs or folder or resolve("input").value,
        seed=application.seed if application.seed is not None else resolve("seed").value,
        sets=tuple(sets),
    )


def _complaint(details: ErrorDetails, path: Path, text: str) -> IsthmusError:
    *tables, name = [str(part) for part in details["loc"] if isinstance(part, str)]
    key = ".".join([*tables, name])
    fields = (_TABLES[tables[0]] if tables else StudyDescription).model_fields
    if details["type"] == "extra_forbidden":
        known = [".".join([*tables, field]) for field in fields]
        return unknown("key", key, known, f"{path}:{line_of(text, key)}")
    expected = fields[name].description
    if details["type"] == "missing":
        line = line_of(text, ".".join(tables)) if tables else 1
        return IsthmusError(f"{path}:{line}: key '{key}': missing, expected {expected}")
    got = details["input"]
    line = line_of_item(text, key, got) if isinstance(got, str) else line_of(text, key)
    return IsthmusError(f"{path}:{line}: key '{key}': expected {expected}, got {_short(got)}")


def _short(value: object) -> str:
    text = repr(value) if not isinstance(value, bool) else str(value).lower()
    return text if len(text) <= 60 else f"{text[:57]}..."
