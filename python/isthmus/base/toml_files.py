"""TOML files that people write: read as a model, or refused in one line.

The line says the file, the line, the key, what was expected there and, of a name, the nearest one that is known.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, Union, get_args, get_origin

from isthmus.base.errors import IsthmusError
from isthmus.base.files import read_text
from isthmus.base.names import meant, unknown
from isthmus.base.parsing import OURS, Location, said_of, shown, toml
from isthmus.base.toml_lines import line_of, line_of_item

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic_core import PydanticCustomError

Model = TypeVar("Model", bound="BaseModel")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_QUOTED = re.compile(r"'([^']*)'")


@dataclass(frozen=True)
class TomlFile:
    """A file and where its keys stand; without `text` it is a document of another file, which has no lines."""

    path: Path | str
    text: str | None = None

    @classmethod
    def at(cls, path: Path) -> "TomlFile":
        """The file at a path."""
        return cls(path, read_text(path))

    def document(self) -> dict[str, Any]:
        """Its content; an IsthmusError where it is no TOML."""
        return toml(self.text or "", Path(self.path))

    def read(self, model: "type[Model]", document: object) -> "Model":
        """A document of the file as a model; an IsthmusError with the first key that is wrong, unknown ones first."""
        from pydantic import ValidationError

        try:
            return model.model_validate(document)
        except ValidationError as error:
            first = min(error.errors(), key=lambda one: one["type"] != "extra_forbidden")
            raise self._complaint(first, _Key.of(model, first["loc"])) from error

    def place(self, *key: str, entry: int = 0, item: object = None) -> str:
        """FILE:LINE of a key, or of the nearest table around it that is written; of a text in its list, the text's."""
        if self.text is None:
            return str(self.path)
        if isinstance(item, str):
            return f"{self.path}:{line_of_item(self.text, key, item)}"
        lines = (line_of(self.text, key[:length], entry) for length in range(len(key), 0, -1))
        return f"{self.path}:{next((line for line in lines if line > 1), 1)}"

    def of_key(self, *key: str, entry: int = 0, item: object = None) -> str:
        """What an error of a key begins with: its place and its name."""
        place = self.place(*key, entry=entry, item=item)
        return f"{place}: key '{dotted(key)}'" if key else place

    def _complaint(self, error: Any, key: "_Key") -> IsthmusError:
        if error["type"] == "extra_forbidden":
            beside = [dotted((*key.names[:-1], name)) for name in key.known]
            return unknown("key", dotted(key.names), beside, self.place(*key.names, entry=key.entry))
        if error["type"] == OURS or not key.expected:
            said = said_of(error)
        elif error["type"] == "missing":
            said = f"missing, expected {key.expected}"
        else:
            said = f"expected {key.expected}, got {shown(error['input'])}"
        begin = self.of_key(*key.names, entry=key.entry, item=error["input"] if key.in_list else None)
        return IsthmusError(f"{begin}: {said}", hint=_hint(error))


def read_toml(model: "type[Model]", path: Path) -> "Model":
    """The model of a whole file."""
    file = TomlFile.at(path)
    return file.read(model, file.document())


def refused(expected: str, got: str, name: str = "", known: Collection[str] = ()) -> "PydanticCustomError":
    """The error of a value in a validator; the hint is the nearest to `name` of those that are known."""
    from pydantic_core import PydanticCustomError

    context = {"expected": expected, "got": got, "known": [*known], "name": name}
    return PydanticCustomError(OURS, "expected {expected}, got {got}", context)


def dotted(key: Collection[str]) -> str:
    """A key as it is written: parts that are no bare words in quotes."""
    return ".".join(part if _BARE.fullmatch(part) else f'"{part}"' for part in key)


@dataclass(frozen=True)
class _Key:
    """A key that is wrong, as far as the model knows it, and what its table may hold."""

    names: tuple[str, ...]
    entry: int  # of the array of tables that it begins with
    in_list: bool
    known: tuple[str, ...]
    expected: str | None  # as the nearest field around it is described

    @classmethod
    def of(cls, model: "type[BaseModel]", place: Location) -> "_Key":
        steps = list(_steps(model, place)) or [(0, (), None)]
        names = tuple(str(part) for part, _, _ in steps if isinstance(part, str))
        entry = place[1] if len(place) > 1 and isinstance(place[1], int) else 0
        expected = next((said for _, _, said in reversed(steps) if said), None)
        return cls(names, entry, isinstance(steps[-1][0], int), steps[-1][1], expected)


def _steps(model: object, place: Location) -> Iterator[tuple[int | str, tuple[str, ...], str | None]]:
    """Each part of a place that is one of a key, the names beside it, and its description.

    What follows them are words of pydantic for what it has tried.
    """
    within: object = model
    for part in place:
        fields = {field.alias or name: field for name, field in getattr(within, "model_fields", {}).items()}
        if isinstance(part, str) and part in fields:
            field = fields[part]
            reads = (one for one in field.metadata if hasattr(one, "model_fields"))  # a table in place of a value
            within, said = next(reads, field.annotation), field.description
        elif "__pydantic_extra__" in getattr(within, "__annotations__", {}):
            within, said = get_args(within.__annotations__["__pydantic_extra__"])[1], None
        elif fields:
            yield part, tuple(fields), None
            return
        elif get_origin(within) in (dict, list, tuple):
            within, said = get_args(within)[1 if get_origin(within) is dict else 0], None
        else:
            return
        within, inner = _bare(within)
        yield part, tuple(fields), inner or said


def _bare(annotation: Any) -> tuple[Any, str | None]:
    """A type without None and annotations, and what these say of it."""
    if get_origin(annotation) is Annotated:
        inner, *metadata = get_args(annotation)
        return _bare(inner)[0], next((said for one in metadata if (said := getattr(one, "description", None))), None)
    if get_origin(annotation) in (Union, UnionType):
        others = [one for one in get_args(annotation) if one is not type(None)]
        return _bare(others[0]) if len(others) == 1 else (annotation, None)
    return annotation, None


def _hint(error: Any) -> str | None:
    """The nearest of the names that a value may be."""
    context = error.get("ctx", {})
    known = context.get("known") or _QUOTED.findall(str(context.get("expected", "")))
    name = context.get("name", error["input"])
    return meant(name, known) if isinstance(name, str) else None
