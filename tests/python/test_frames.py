"""Records as data frames, against the JSON that they come from."""

import json
import os
import sys
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from tests.python.conftest import Isthmus

import isthmus as package
from isthmus import IsthmusError, frame

MODEL = ("run", "image-filter", "--on", "model:aws-f1", "--images", "4")


def look_up(record: dict[str, Any], column: str) -> Any:
    """What a column stands for in a record."""
    value: Any = record
    for key in column.split("."):
        value = value.get(key) if value is not None else None
    return value


def check(made: Any, records: list[dict[str, Any]]) -> None:
    """Every row of the frame holds what its record holds."""
    assert len(made) == len(records)
    for row, record in zip(made.to_dict("records"), records, strict=True):
        for column in set(row) - {"source"}:
            expected = look_up(record, column)
            if isinstance(expected, list):
                assert row[column] == expected
            elif expected is not None:
                assert (
                    row[column] == pytest.approx(expected) if isinstance(expected, float) else row[column] == expected
                )


@pytest.mark.parametrize(
    ("command", "list_name"),
    [
        (MODEL, "rows"),
        (("probe", "opencl:0", "h2d", "d2h", "--sizes", "4KiB..1MiB:x4"), "records"),
        (("study", "image-filter.toml"), "rows"),
    ],
)
def test_a_frame_holds_what_the_json_holds(
    isthmus: Isthmus, study_file: Path, command: tuple[str, ...], list_name: str
) -> None:
    records = isthmus.json(*command)[list_name]
    assert isthmus(*command, "--json", "file.json").returncode == 0
    path = isthmus.folder / "file.json"
    made = frame(path)
    check(made, json.loads(path.read_text())[list_name])
    assert set(made["target"]) == {record["target"] for record in records}
    assert set(made["source"]) == {str(path)}


def test_json_lines_and_several_files_stand_below_each_other(isthmus: Isthmus, study_file: Path) -> None:
    isthmus("study", "image-filter.toml", "--json", "study.json")
    lines = isthmus.folder / "out" / "image-filter" / "study.jsonl"
    whole = isthmus.folder / "study.json"
    made = frame(lines, whole)
    rows = json.loads(whole.read_text())["rows"]
    check(made, rows + rows)
    assert list(made["source"].unique()) == [str(lines), str(whole)]


def test_a_list_inside_the_records_gets_a_row_for_each_item(isthmus: Isthmus) -> None:
    isthmus(*MODEL, "--json", "file.json")
    path = isthmus.folder / "file.json"
    (row,) = json.loads(path.read_text())["rows"]
    parts = frame(path, of="parts")
    assert list(parts["parts.name"]) == [part["name"] for part in row["parts"]]
    assert list(parts["parts.busy_s"]) == [part["busy_s"] for part in row["parts"]]
    assert set(parts["flow"]) == {row["flow"]}
    inputs = frame(path, of="platform.inputs")
    assert set(inputs["platform.inputs.key"]) == {item["key"] for item in row["platform"]["inputs"]}
    with pytest.raises(IsthmusError, match=r"of: expected one of .*parts, .*stages.*, got 'steps'"):
        frame(path, of="steps")


def test_earlier_runs_are_read_from_the_store(isthmus: Isthmus) -> None:
    store = str(isthmus.folder / "store.sqlite")
    for images in ("3", "4"):
        done = isthmus(
            "run", "image-filter", "--on", "opencl:0", "--images", images, "--save", "new", ISTHMUS_STORE=store
        )
        assert done.returncode == 0
    with mock.patch.dict(os.environ, {"ISTHMUS_STORE": store}):
        kept = package.history()
        assert list(kept["id"]) == [2, 1]
        assert list(kept["name"]) == ["new", "new"]
        assert list(frame("1")["images"]) == [3]
        assert list(frame("new", "1")["images"]) == [4, 3]
        with pytest.raises(IsthmusError, match="unknown run 'newer'; help: did you mean 'new'"):
            frame("newer")


def test_what_is_no_file_of_records_is_refused_with_its_name(tmp_path: Path) -> None:
    for name, text, complaint in [
        ("a.json", "{", "expected JSON"),
        ("b.json", "[]", "got list"),
        ("c.json", "{}", "found none"),
        ("d.jsonl", "1\n", "got int"),
    ]:
        (tmp_path / name).write_text(text)
        with pytest.raises(IsthmusError, match=f"{name}.*{complaint}"):
            frame(tmp_path / name)
    with pytest.raises(IsthmusError, match=r"missing\.json: cannot read"):
        frame(tmp_path / "missing.json")


def test_without_pandas_the_error_says_what_to_install(tmp_path: Path) -> None:
    with mock.patch.dict(sys.modules, {"pandas": None}), pytest.raises(IsthmusError, match=r"help: pip install pandas"):
        frame(tmp_path / "a.json")


def test_each_public_name_is_there_and_typed() -> None:
    assert all(getattr(package, name) is not None for name in package.__all__)
    assert (Path(package.__file__).parent / "py.typed").is_file()
    with pytest.raises(AttributeError, match="has no attribute 'farme'"):
        _ = package.farme
