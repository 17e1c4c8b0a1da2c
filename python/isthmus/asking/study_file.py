"""Study files as they are written: found by path or name, read and checked."""

from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, Field

from isthmus.base.configuration import COUNT, MOST, MOST_SEED, SEED
from isthmus.base.files import data_folder
from isthmus.base.flows import FLOWS
from isthmus.base.grain import Grain
from isthmus.base.names import listed, unknown
from isthmus.base.toml_files import read_toml
from isthmus.records.base import Flow, TomlTable
from isthmus.running.methods import METHODS, TREE

VALUE = "a number, a text, true or false"


class StudyApplication(TomlTable, strict=True):
    """The application to run: one of Isthmus by name, a program, or a description (docs/advise.md).

    The description of each field says what a value should be.
    """

    name: str | None = Field(default=None, min_length=1, description="the name of an application")
    program: str | None = Field(
        default=None, min_length=1, description="the path of a program, from this file's folder"
    )
    description: str | None = Field(
        default=None, min_length=1, description="the path of a description, from this file's folder"
    )
    count: int | None = Field(default=None, ge=1, le=MOST, description=COUNT)
    images: int | None = Field(default=None, ge=1, le=MOST, description=COUNT)
    messages: int | None = Field(default=None, ge=1, le=MOST, description=COUNT)
    input: str | None = Field(default=None, min_length=1, description="a folder or file")
    parameters: dict[str, Annotated[int | float | str | bool, Field(description=VALUE)]] = Field(
        default={}, description="a table of NAME = VALUE"
    )
    seed: int | None = Field(default=None, ge=0, le=MOST_SEED, description=SEED)


class Place(TomlTable, strict=True):
    """A target, and the link of a board with several that runs go over."""

    target: str = Field(description="a target")
    channel: str | None = Field(default=None, min_length=1, description="the name of a link of the target's board")


_IN_A_TABLE = BeforeValidator(lambda entry: {"target": entry} if isinstance(entry, str) else entry)
_IN_A_LIST = BeforeValidator(lambda table: [table] if isinstance(table, dict) else table)


class Choice(TomlTable, strict=True):
    """The target to run on."""

    targets: list[Annotated[Place, _IN_A_TABLE]] = Field(min_length=1, description="a list of at least one target")
    flows: list[Flow] = Field(default=list(FLOWS), min_length=1, description=f"a list of {listed(FLOWS, 'and')}")
    grain: Grain | None = Field(default=None, description="fine or coarse")
    methods: list[str] = Field(
        default=[], description=f"a list of {listed((*METHODS, TREE), 'and')}, of buffers that ports of an FPGA move"
    )
    faults: str | None = Field(default=None, min_length=1, description="NAME=VALUE,... as 'isthmus run --faults' takes")


class StudyDescription(TomlTable, strict=True):
    """A study file as it is written; of [[application]] there may be several."""

    application: Annotated[list[StudyApplication], _IN_A_LIST] = Field(
        min_length=1, description="a table [application]"
    )
    study: Choice = Field(description="a table [study]")


def find_study(name: str) -> Path:
    """The study file at the path `name`, or the known one of that name; an IsthmusError with the nearest."""
    if Path(name).is_file():
        return Path(name)
    known = _studies()
    if name not in known:
        raise unknown("study", name, study_files())
    return known[name]


def study_files() -> list[str]:
    """The words that name a study: files here and in the folder examples, names of those that come with Isthmus."""
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
    return read_toml(StudyDescription, path)
