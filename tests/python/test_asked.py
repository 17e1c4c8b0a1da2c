import json

import pytest
from tests.python.conftest import Isthmus

from isthmus.records.run import RunFile
from isthmus.running.application import Parameter

SUM = ("run", "suffix-sum", "--on", "model:aws-f1", "--flow", "stream")
FILTER = ("run", "image-filter", "--on", "model:aws-f1", "--flow", "stream")


def test_what_is_counted_is_another_name_of_count(isthmus: Isthmus) -> None:
    for words in (("--count", "7"), ("--messages", "7"), ("--messages=7",)):
        (row,) = isthmus.json(*SUM, *words)["rows"]
        assert (row["count"], row["counted"], row["unit"]) == (7, "messages", "messages/s")
    (row,) = isthmus.json(*FILTER, "--images", "3")["rows"]
    assert (row["count"], row["counted"], row["images"], row["unit"]) == (3, "images", 3, "images/s")


def test_a_count_that_nobody_gives_is_set_or_the_applications_own(isthmus: Isthmus) -> None:
    assert isthmus.json(*SUM)["rows"][0]["count"] == 200
    assert isthmus.json(*SUM, ISTHMUS_MESSAGES="9")["rows"][0]["count"] == 9
    assert isthmus.json(*FILTER, ISTHMUS_MESSAGES="9")["rows"][0]["count"] == 200
    assert isthmus.json(*SUM, ISTHMUS_COUNT="8", ISTHMUS_MESSAGES="9")["rows"][0]["count"] == 8
    assert isthmus.json(*SUM, "--count", "5", ISTHMUS_COUNT="8")["rows"][0]["count"] == 5


def test_a_parameter_is_an_option_or_set_without_a_dot_and_the_row_has_it(isthmus: Isthmus) -> None:
    for words in (("--values", "64"), ("--values=64",), ("--set", "values=64"), ("--set", "values = 64")):
        (row,) = isthmus.json(*SUM, *words)["rows"]
        assert row["parameters"] == {"values": 64}
        assert row["bytes_each"] == 4 * 64
    assert isthmus.json(*SUM)["rows"][0]["parameters"] == {"values": 1024}
    assert isthmus.json(*FILTER)["rows"][0]["parameters"] == {}
    assert isthmus.json(*FILTER, ISTHMUS_INPUT="photos")["rows"][0]["parameters"] == {"input": "photos"}


@pytest.mark.parametrize("option", ["--values {}", "--set values={}", "--messages {}"])
def test_the_last_of_an_option_given_twice_holds_and_a_note_says_so(isthmus: Isthmus, option: str) -> None:
    words = [word for value in (32, 64) for word in option.format(value).split()]
    done = isthmus(*SUM, *words, "--json", "-")
    (row,) = json.loads(done.stdout)["rows"]
    assert (row["parameters"]["values"], row["count"]) == ((1024, 64) if "messages" in option else (64, 200))
    assert f"note: {option.rpartition(' ')[0]}" in done.stderr
    assert done.stderr.count("given more than once, 64 holds") == 1


def test_parameters_and_numbers_of_the_platform_are_told_apart_by_the_dot(isthmus: Isthmus) -> None:
    slow, fast = (
        isthmus.json(*SUM, "--set", "values=64", "--set", f"kernel.clock={clock}")["rows"][0] for clock in (1, 250)
    )
    assert slow["parameters"] == fast["parameters"] == {"values": 64}
    assert slow["value"] < fast["value"]


def test_the_help_of_an_application_lists_its_parameters(isthmus: Isthmus) -> None:
    shown = isthmus("run", "suffix-sum", "--help").stdout
    assert "Parameters of the application:\n  --values N" in shown
    assert "(a whole number from 16 to 65536). [default: 1024]" in " ".join(shown.split())
    assert "--input DIR" in isthmus("run", "image-filter", "--help").stdout
    assert "--messages N number of messages, as --count N. [default: 200]" in " ".join(shown.split())
    assert "Parameters of the application" not in isthmus("run", "--help").stdout


@pytest.mark.parametrize(("name", "counted", "count"), [("merkle-tree", "blocks", 30), ("task-graph", "graphs", 4)])
def test_help_has_the_count_of_each_application(real: Isthmus, name: str, counted: str, count: int) -> None:
    shown = " ".join(real("run", name, "--help").stdout.split())
    assert f"--{counted} N number of {counted}, as --count N. [default: {count}]" in shown
    assert "[default: 200]" not in shown


def test_the_next_command_and_the_plan_keep_the_parameters(isthmus: Isthmus) -> None:
    (again,) = (line for line in isthmus(*SUM, "--values", "64").stderr.splitlines() if line.startswith("next: "))
    assert "--count 200 --values 64 --set " in again
    assert "200 messages --set values=64" in isthmus(*SUM, "--values", "64", "--dry-run").stdout


def test_the_latency_is_shown_beside_the_rate(isthmus: Isthmus) -> None:
    done = isthmus(*SUM, "--json", "run.json")
    (row,) = RunFile.model_validate_json((isthmus.folder / "run.json").read_text()).rows
    assert row.latency is not None
    assert row.latency.max_s == pytest.approx(2 * row.latency.p50_s)
    assert "latency: p50 " in done.stdout


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ((*SUM, "--valus", "64"), "unknown option '--valus'; help: did you mean '--values'?"),
        ((*SUM, "--set", "valus=64"), "--set valus: no application here has the parameter 'valus'; help: did you mean"),
        ((*SUM, "--set", "values"), "--set: expected KEY=VALUE of a platform or NAME=VALUE, got 'values'"),
        ((*SUM, "--values"), "--values: expected a whole number from 16 to 65536"),
        ((*SUM, "--values", "64", "--set", "values=32"), "--set values: is given as --values too"),
        ((*SUM, "--count", "3", "--messages", "4"), "--messages: is given as --count too"),
        ((*SUM, "--messages", "0"), "--messages: expected a whole number from 1 to 2147483647, got '0'"),
        ((*SUM, "--count", "0"), "--count: expected a whole number from 1 to 2147483647, got '0'"),
        ((*SUM, "--images", "3"), "unknown option '--images'"),
        ((*FILTER, "--values", "3"), "unknown option '--values'"),
    ],
)
def test_what_an_application_does_not_take_is_one_line(
    isthmus: Isthmus, arguments: tuple[str, ...], complaint: str
) -> None:
    assert isthmus.refusal(*arguments).startswith(complaint)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ((*SUM, "--values", "8"), "--values: expected an integer of 16..16777216, got '8'"),
        ((*SUM, "--set", "values=6.5"), "--set values: expected an integer of 16..16777216, got '6.5'"),
        ((*FILTER, "--input", "nowhere"), "--input: expected a folder, got 'nowhere': No such file"),
    ],
)
def test_a_value_that_a_parameter_cannot_have_is_refused_as_it_was_typed(
    real: Isthmus, arguments: tuple[str, ...], complaint: str
) -> None:
    assert real.refusal(*arguments).startswith(complaint)


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        ({"kind": "integer", "min": 1, "max": 8}, "a whole number from 1 to 8"),
        ({"kind": "number", "min": 0.5}, "a number of 0.5 or more"),
        ({"kind": "number", "max": 2, "unit": "us"}, "a number of 2 or less us"),
        ({"kind": "choice", "choices": ("uniform", "zipf")}, "uniform or zipf"),
        ({"kind": "folder"}, "a folder"),
        ({"kind": "text"}, "text"),
    ],
)
def test_a_parameter_says_what_is_expected(declared: dict[str, object], expected: str) -> None:
    assert Parameter(name="x", help="x", **declared).expected == expected  # type: ignore[arg-type]
