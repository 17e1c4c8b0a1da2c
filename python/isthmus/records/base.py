"""The base of every record and of every file of records."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from isthmus.base.flows import FLOWS

Kind = Literal["modelled", "measured"]
KIND_WORDS = {"modelled": "model", "measured": "measured"}  # in tables
Share = Annotated[float, Field(ge=0)]
Value = bool | int | float | str


def _known(flow: str) -> str:
    if flow not in FLOWS:
        raise PydanticCustomError("flow", "Input should be one of {among}", {"among": ", ".join(FLOWS), "known": FLOWS})
    return flow


Flow = Annotated[str, AfterValidator(_known), WithJsonSchema({"enum": list(FLOWS), "type": "string"})]


def _is_none(value: object) -> bool:
    return value is None


def measured(**more: Any) -> Any:
    """A field that only some records have, such as measured ones: it is left out of the others' files."""
    return Field(default=None, exclude_if=_is_none, **more)


LOAD = "the share of the usable cores that others took while it was measured, 0 to 1"


class TomlTable(BaseModel, extra="forbid", allow_inf_nan=False, defer_build=True):
    """A table of a file that people write: a key that it has not is refused."""


class Record(BaseModel):
    """A record keeps what a newer tool adds to it; numbers are finite."""

    # Built when it is first used: a command uses few of them, and to build all takes longer than most commands.
    model_config = ConfigDict(
        extra="allow", allow_inf_nan=False, json_schema_serialization_defaults_required=True, defer_build=True
    )


class Context(Record):
    """How a file came to be; the only part of it that may differ between two equal modelled runs."""

    argv: list[str]
    host: str
    version: str
    seed: int | None = None
    start: str = Field(description="UTC, ISO 8601")
    elapsed: float = Field(description="seconds", ge=0)
    complete: bool = Field(default=True, description="false if Ctrl-C ended the work; the records are whole")


class File(Record):
    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    schema_: str = Field(default="", alias="schema")
    context: Context

    def __init_subclass__(cls, kind: str, **config: Any) -> None:
        # Before pydantic looks at the class: its schema is that of its kind alone.
        schema = f"isthmus.{kind}/1"
        cls.__annotations__["schema_"] = Literal[schema]
        cls.schema_ = Field(default=schema, alias="schema")
