import json
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from referencing import Registry, Resource
from tests.python.conftest import Isthmus

from isthmus.results.kinds import KINDS
from isthmus.results.schemas import schema_texts


@cache
def schemas() -> dict[str, Any]:
    """The schema of each file, by the file's kind."""
    return {name.removesuffix(".json"): json.loads(text) for name, text in schema_texts().items()}


def validator(name: str) -> jsonschema.Draft202012Validator:
    """By the schema of a file, with those that it refers to."""
    resources = [(f"{file}.json", Resource.from_contents(schema)) for file, schema in schemas().items()]
    return jsonschema.Draft202012Validator(schemas()[name], registry=Registry().with_resources(resources))


def check(name: str, file: Any) -> None:
    """The file is what its schema says."""
    validator(name).validate(file)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("run", ("run", "image-filter", "--on", "model:aws-f1", "--flow", "stream")),
        ("run", ("run", "image-filter", "--on", "opencl:0")),
        ("study", ("study", "image-filter.toml")),
        ("probe", ("probe", "model:aws-f1", "--sizes", "4KiB")),
        ("history", ("history",)),
        ("devices", ("devices",)),
        ("platform", ("platform", "show", "model:aws-f1")),
        ("config", ("config", "show")),
    ],
)
def test_every_file_that_is_written_is_what_its_schema_says(
    isthmus: Isthmus, study_file: Path, name: str, arguments: tuple[str, ...]
) -> None:
    check(name, isthmus.json(*arguments))


def test_what_explain_writes_is_what_its_schema_says(real: Isthmus) -> None:
    words = ("explain", "model:zynq-ultrascale", "--measured", "port-tx 4KiB 0.8 GB/s")
    check("explain", json.loads(real(*words, "--json", "-").stdout))


def test_what_doctor_writes_is_what_its_schema_says(isthmus: Isthmus) -> None:
    check("doctor", json.loads(isthmus("doctor", "--json", "-").stdout))


def test_each_kind_of_file_names_its_schema() -> None:
    for name, kind in KINDS.items():
        assert kind.file_class.model_fields["schema_"].default == f"isthmus.{name}/1"


def test_what_several_files_hold_is_described_once_and_looked_up_there() -> None:
    assert [name for name, schema in schemas().items() if "HpccRecord" in schema["$defs"]] == ["hpcc"]
    place = {"rank": "first", "host": "n01", "target": "opencl:0", "device": "a GPU", "part": 0, "parts": 1}
    checked = {"node": "n01", "benchmark": "hpl", "name": "hpl", "passed": True, "record": {"places": [place]}}
    errors = validator("acceptance").iter_errors({"checks": [checked]})
    inside = [leaf.message for error in errors for leaf in error.context or []]
    assert "'first' is not of type 'integer'" in inside


def test_a_number_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="finite number"):
        KINDS["run"].file_class.model_validate({"context": {}, "rows": [{"images_per_s": float("nan")}]})
