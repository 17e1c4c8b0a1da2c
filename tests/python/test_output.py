import csv
import io
import json
import math

import pytest
from rich.console import Console

from isthmus.base.texts import to_csv, to_json
from isthmus.records.listings import ConfigurationEntry, Device, DevicesFile
from isthmus.show.output import Result, Table, print_tables, to_markdown

DEVICE = Device(
    target="opencl:0",
    name='a, "b"\nc',
    platform="p",
    driver="d",
    type="CPU",
    compute_units=2,
    global_memory_bytes=1,
    max_allocation_bytes=1,
)


def test_csv_quotes_what_must_be_quoted() -> None:
    (line,) = csv.DictReader(io.StringIO(to_csv([DEVICE])))
    assert line["name"] == DEVICE.name
    assert line["compute_units"] == "2"


def test_markdown_keeps_markup_in_names_as_text() -> None:
    table = Table(("name", "n"), [("<b>|*x*`", "1")], numbers=frozenset({"n"}), title="T")
    text = to_markdown(Result(DEVICE, [], verdict=["v"], tables=[table], detail=["d"]))
    assert text == ("v\n\n**T**\n\n| name | n |\n| --- | ---: |\n| \\<b\\>\\|\\*x\\*\\` | 1 |\n\n- d\n")


def test_json_has_no_number_that_json_does_not_have() -> None:
    setting = ConfigurationEntry.model_construct(name="a", value=math.inf, origin="")
    with pytest.raises(ValueError, match="not JSON compliant"):
        to_json(setting)


def test_json_calls_the_schema_by_its_name() -> None:
    context = {"argv": [], "host": "h", "version": "1", "start": "s", "elapsed": 0.0}
    file = DevicesFile.model_validate({"context": context, "devices": [DEVICE]})
    assert json.loads(to_json(file))["schema"] == "isthmus.devices/1"


@pytest.mark.parametrize(("width", "last"), [(200, "a   1   " + "x" * 70), (80, "a 1: " + "x" * 70)])
def test_on_a_narrow_terminal_the_longest_column_goes_below(width: int, last: str) -> None:
    table = Table(("name", "n", "note"), [("a", "1", "x" * 70)], below="note")
    text = io.StringIO()
    print_tables(Result(DEVICE, [], tables=[table]), Console(file=text, width=width))
    assert [cell.strip() for cell in text.getvalue().splitlines()[-1].split()] == last.split()


def test_what_goes_below_is_wrapped_and_a_line_of_its_own_stays_one() -> None:
    table = Table(("name", "n", "note"), [("a", "1", f"{'word ' * 40}\nsecond")], below="note")
    text = io.StringIO()
    print_tables(Result(DEVICE, [], tables=[table]), Console(file=text, width=130))
    below = text.getvalue()[text.getvalue().index("a 1:") :].splitlines()
    assert max(map(len, below)) <= 120
    assert " ".join(below[0].split()[2:] + below[1].split()) == " ".join(["word"] * 40)
    assert below[2:] == ["  second"]


def test_in_a_pipe_a_sentence_stays_one_line() -> None:
    text = io.StringIO()
    print_tables(Result(DEVICE, [], verdict=["word " * 60], detail=["more " * 60]), Console(file=text, width=100))
    assert [line.split() for line in text.getvalue().splitlines() if line] == [["word"] * 60, ["more"] * 60]
