"""A platform of one's own: the template, the fit, the file it is written into, and a device that is really probed."""

import json
import tomllib
from collections import defaultdict
from collections.abc import Mapping
from functools import reduce
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.python.conftest import Isthmus

from isthmus.base.errors import IsthmusError
from isthmus.base.sizes import format_size
from isthmus.calibration.curves import interpolated
from isthmus.calibration.device_curves import Curves
from isthmus.calibration.edit import FileNumber, replace_number
from isthmus.calibration.fit import fit
from isthmus.calibration.limits import limits_of_keys
from isthmus.running.tools import tool_path

SIZES = [64 << power for power in range(0, 17, 2)]


@pytest.fixture
def real(isthmus: Isthmus) -> Isthmus:
    """The command with the real tools."""
    isthmus.environment["ISTHMUS_BIN"] = str(tool_path("isthmus-probe").parent)
    return isthmus


def straight(points: Curves, values: Mapping[str, float]) -> Curves:
    """A device with two costs of a call, which always come together, and a rate in GB/s for each of two probes."""
    start = values["call"] + values["wake"]
    return {probe: {size: start + size / (values[probe] * 1e9) for size in curve} for probe, curve in points.items()}


def test_the_fit_finds_what_the_times_were_made_of() -> None:
    truth = {"call": 20e-6, "wake": 5e-6, "there": 7.0, "back": 3.0, "unused": 1.0}
    points = straight({"there": dict.fromkeys(SIZES, 0.0), "back": dict.fromkeys(SIZES, 0.0)}, truth)
    found = fit(points, {**truth, "call": 60e-6, "there": 30.0, "back": 30.0}, straight)
    assert found.values["call"] == pytest.approx(20e-6, rel=1e-2)
    assert found.values["there"] == pytest.approx(7, rel=1e-2)
    assert found.values["back"] == pytest.approx(3, rel=1e-2)
    assert found.silent == ["unused"]


def test_keys_whose_effects_come_together_are_named_and_one_is_changed() -> None:
    truth = {"call": 10e-6, "wake": 10e-6, "there": 5.0}
    points = straight({"there": dict.fromkeys(SIZES, 0.0)}, truth)
    found = fit(points, {"call": 5e-6, "wake": 5e-6, "there": 5.0}, straight)
    assert [set(group) for group in found.together] == [{"call", "wake"}]
    assert len({"call", "wake"} & set(found.values)) == 1
    assert sum({"call": 5e-6, "wake": 5e-6, **found.values}[key] for key in ("call", "wake")) == pytest.approx(
        20e-6, rel=1e-2
    )


def test_a_key_stays_in_its_range_and_is_said_to_be_at_its_end() -> None:
    truth = {"call": 20e-6, "wake": 0.1e-6, "there": 7.0, "back": 3.0}
    points = straight({"there": dict.fromkeys(SIZES, 0.0), "back": dict.fromkeys(SIZES, 0.0)}, truth)
    start = {**truth, "call": 60e-6, "there": 2.0, "back": 2.0}
    found = fit(points, start, straight, {"there": (0.1, 5.0), "back": (0.1, 1000.0)})
    assert found.values["there"] == pytest.approx(5.0)
    assert found.values["back"] == pytest.approx(3, rel=1e-2), "the others are found as well as without it"
    assert found.at_end == {"there": "most"}
    assert fit(points, start, straight).at_end == {}


def test_a_key_that_another_one_holds_does_not_stop_the_search() -> None:
    def refusing(points: Curves, values: Mapping[str, float]) -> Curves:
        if values["there"] > 5:
            raise IsthmusError("--set: key 'there': expected there <= here")
        return straight(points, values)

    truth = {"call": 20e-6, "wake": 0.1e-6, "there": 7.0, "back": 3.0}
    points = straight({"there": dict.fromkeys(SIZES, 0.0), "back": dict.fromkeys(SIZES, 0.0)}, truth)
    found = fit(points, {**truth, "call": 60e-6, "there": 4.0, "back": 30.0}, refusing)
    assert found.values["back"] == pytest.approx(3, rel=0.02)
    assert found.values["there"] == pytest.approx(5, rel=0.1)
    assert found.at_end == {"there": "most"}


def test_a_time_that_falls_to_nothing_is_at_its_end_and_stays_there() -> None:
    truth = {"call": 20e-6, "wake": 0.0, "there": 7.0}

    def apart(points: Curves, values: Mapping[str, float]) -> Curves:
        late = {probe: values["wake"] * number for number, probe in enumerate(points)}
        times = straight(points, {**values, "wake": 0.0})
        return {probe: {size: time + late[probe] for size, time in curve.items()} for probe, curve in times.items()}

    points = apart({"there": dict.fromkeys(SIZES, 0.0), "back": dict.fromkeys(SIZES, 0.0)}, {**truth, "back": 3.0})
    found = fit(points, {"call": 20e-6, "wake": 50e-6, "there": 7.0, "back": 3.0}, apart)
    assert found.values["wake"] < 1e-6
    assert found.at_end == {"wake": "least"}
    assert found.silent == []


def test_a_rate_that_rises_until_it_costs_nothing_is_at_its_end_and_stays_there() -> None:
    def with_copy(points: Curves, values: Mapping[str, float]) -> Curves:
        times = straight(points, {"call": values["call"], "wake": 0.0, "there": values["there"]})
        return {
            probe: {size: time + size / (values["copy"] * 1e9) for size, time in curve.items()}
            for probe, curve in times.items()
        }

    points = straight({"there": dict.fromkeys(SIZES, 0.0)}, {"call": 20e-6, "wake": 0.0, "there": 7.0})
    start = {"call": 20e-6, "there": 7.0, "copy": 3.0}
    found = fit(points, start, with_copy)
    assert found.values["copy"] > 100 * start["copy"]
    assert found.at_end == {"copy": "most"}
    assert found.silent == []
    again = fit(points, {**start, **found.values}, with_copy)
    assert again.silent == ["copy"]


def test_a_curve_of_another_shape_does_not_bend_the_others() -> None:
    truth = {"call": 20e-6, "wake": 0.1e-6, "there": 7.0, "back": 3.0}
    points = straight({"there": dict.fromkeys(SIZES, 0.0), "back": dict.fromkeys(SIZES[:3], 0.0)}, truth)
    points["back"] = {size: 5 * time for size, time in points["back"].items()}
    found = fit(points, truth, straight)
    assert found.values["call"] == pytest.approx(20e-6, rel=0.05)


def test_between_and_beyond_the_grid_times_lie_on_straight_lines() -> None:
    assert interpolated({10: 1.0, 20: 3.0, 40: 4.0}, 15) == 2.0
    assert interpolated({10: 1.0, 20: 3.0, 40: 4.0}, 20) == 3.0
    assert interpolated({10: 1.0, 20: 3.0, 40: 4.0}, 80) == 6.0
    assert interpolated({64: 1.0}, 80) == 1.0


@given(
    value=st.floats(min_value=1e-9, max_value=1e9),
    source=st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1),
    comment=st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"], exclude_characters="\x85")),
)
def test_a_changed_number_leaves_all_else_as_it_was(value: float, source: str, comment: str) -> None:
    before = f'# {comment}\n[a.b]\nx = {{ value = 1, source = "}} {{", role = "assumed" }} # {comment}\ny = 2\n'
    changed = replace_number(
        before, "a.b.x", FileNumber(value, source, "calibrated", "GB/s", date="2020-02-02"), "f.toml"
    )
    assert [line for at, line in enumerate(changed.split("\n")) if at != 2] == [
        line for at, line in enumerate(before.split("\n")) if at != 2
    ]
    assert changed.split("\n")[2].endswith(f" # {comment}")
    assert tomllib.loads(changed)["a"]["b"]["x"] == {
        "value": pytest.approx(value),
        "unit": "GB/s",
        "source": source,
        "role": "calibrated",
        "date": "2020-02-02",
    }


def test_a_number_that_cannot_be_found_is_one_line() -> None:
    with pytest.raises(IsthmusError, match=r"f\.toml:2: key 'a\.x': expected .* to be changed"):
        replace_number("[a]\nx = 5\n", "a.x", FileNumber(1.0, "ours", "calibrated"), "f.toml")


@pytest.mark.parametrize("like", ["model:aws-f1", "model:alpha-data-7v3"])
def test_a_new_platform_has_comments_loads_and_is_its_model(real: Isthmus, like: str) -> None:
    name = 'Board "7" of <b>mine</b>'
    assert real("platform", "new", name, "--like", like, "-q").stdout == "board-7-of-b-mine-b.toml\n"
    text = (real.folder / "board-7-of-b-mine-b.toml").read_text()
    lines = text.partition("\nname = ")[2].splitlines()
    numbers = [line for line in lines if " = {" in line]
    above = ["", *lines]
    comments = sum(
        line.startswith("# ") and not before.startswith("# ") for before, line in zip(above, lines, strict=False)
    )
    assert len(numbers) == comments, "a comment above each number"
    shown = real.json("platform", "show", "board-7-of-b-mine-b.toml")["platform"]
    assert shown["name"] == name
    assert {item["role"] for item in shown["inputs"]} == {"assumed"}
    board, mine = (
        real.json("probe", target, "h2d", "--sizes", "4KiB")["records"][0]["value"]
        for target in (like, "board-7-of-b-mine-b.toml")
    )
    assert mine == board
    assert real.refusal("platform", "new", name).startswith("board-7-of-b-mine-b.toml: is there already")
    told = real.refusal("platform", "new", "lab.toml")
    assert told == "NAME: expected what the board is called, got 'lab.toml'; help: --out names the file."


def test_every_key_of_a_new_platform_takes_what_the_schema_allows(real: Isthmus) -> None:
    assert real("platform", "new", "mine", "-q").returncode == 0
    path = real.folder / "mine.toml"
    text = path.read_text()
    tables = tomllib.loads(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ISTHMUS_BIN", real.environment["ISTHMUS_BIN"])
        limits = limits_of_keys("model:aws-f1")
    for key, limit in limits.items():
        number = reduce(lambda table, part: table.get(part, {}), key.split("."), tables)
        if isinstance(number.get("value", True), bool | str):
            continue  # a switch, a text of several, or a key that may be left out
        unit = number.get("unit", "")
        ends = limit.within(unit)
        assert number["range"] == list(ends)
        for value in ends:
            path.write_text(replace_number(text, key, FileNumber(value, "ours", "assumed", unit, ends, "x"), "f"))
            done = real("platform", "show", "mine.toml", key, "-q")
            # What one key allows another may not: it is then named.
            assert done.returncode == 0 or " <= " in done.stderr, f"{key} = {value}: {done.stderr}"
    path.write_text(text.replace("lanes = { value = 16", "lanes = { value = 8"))
    (lanes,) = real.json("platform", "show", "mine.toml", "link.pcie.lanes")["platform"]["inputs"]
    assert lanes["value"] == 8


def test_a_number_at_an_end_of_its_range_is_not_called_calibrated(real: Isthmus) -> None:
    words = ("--sizes", "1MiB,4MiB", "--json", "records.json", "-q")
    assert real("probe", "model:alpha-data-7v3", "h2d-pinned", *words, "--set", "dma.rate=1").returncode == 0
    assert real("platform", "new", "mine", "--like", "model:alpha-data-7v3", "-q").returncode == 0
    path = real.folder / "mine.toml"
    path.write_text(
        replace_number(
            path.read_text(), "dma.rate", FileNumber(5.2, "ours", "assumed", "GB/s", (4, 8), "of the data sheet"), "f"
        )
    )
    done = real("calibrate", "mine.toml", "--from", "records.json", "--keys", "dma.rate", "--json", "done.json")
    assert done.returncode == 1
    assert "error: mine.toml: the model is off by" in done.stderr
    assert "0 numbers calibrated, dma.rate at the end of its range" in done.stdout
    (key,) = real.read("done.json")["keys"]
    assert (key["new"], key["at_end"]) == (4, "least")
    (rate,) = real.json("platform", "show", "mine.toml", "dma.rate")["platform"]["inputs"]
    assert (rate["value"], rate["role"], rate["range"]) == (4, "assumed", [4, 8])
    assert "at an end of its range" in rate["why"]


def test_the_rates_of_a_modelled_board_are_found_from_its_records(real: Isthmus) -> None:
    words = ("--sizes", "64B..4MiB:x16", "--json", "records.json", "-q")
    assert real("probe", "model:alpha-data-7v3", "h2d", "h2d-pinned", "h2d-alloc", *words).returncode == 0
    keys = ("host.copy.rate", "host.alloc.rate", "host.call.transfer", "dma.rate")
    flags = [word for key in keys for word in ("--keys", key)]
    result = real.json("calibrate", "found.toml", "--from", "records.json", "--leave-out", "1KiB,256KiB", *flags)
    found = {key["key"]: key["new"] for key in result["keys"]}
    assert found["host.copy.rate"] == pytest.approx(5.62, rel=0.03)
    assert found["host.alloc.rate"] == pytest.approx(3.93, rel=0.10)
    assert found["dma.rate"] == pytest.approx(5.2, rel=0.05)
    assert result["median_left_out"] < 0.02
    inputs = {item["key"]: item for item in real.json("platform", "show", "found.toml")["platform"]["inputs"]}
    assert {inputs[key]["role"] for key in keys} == {"calibrated"}
    assert all(inputs[key]["date"] == result["context"]["start"][:10] for key in keys)
    assert inputs["link.pcie.lanes"]["role"] == "assumed"


def test_a_second_fit_to_the_same_records_changes_nothing(real: Isthmus) -> None:
    words = ("--sizes", "4KiB,256KiB,4MiB", "--json", "records.json", "-q")
    assert real("probe", "model:alpha-data-7v3", "h2d-pinned", *words).returncode == 0
    keys = ("--keys", "dma.rate", "--keys", "host.call.enqueue", "--keys", "host.call.transfer")
    first = real.json("calibrate", "mine.toml", "--from", "records.json", *keys)
    assert "dma.rate" in {key["key"] for key in first["keys"]}
    text = (real.folder / "mine.toml").read_text()
    second = real("calibrate", "mine.toml", "--from", "records.json", *keys, "--json", "second.json")
    assert real.read("second.json")["keys"] == []
    assert "mine.toml: 0 numbers calibrated" in second.stdout
    assert "found as they were: " in second.stdout
    assert "changed" not in second.stdout
    assert "role" not in second.stdout, "no table of nothing"
    assert (real.folder / "mine.toml").read_text() == text


def test_the_errors_that_are_told_are_those_of_the_file_that_was_written(real: Isthmus) -> None:
    # How near a model comes depends on the machine and on what else it does; what is said of it must be so anywhere.
    words = ("h2d", "h2d-pinned", "--sizes", "64B..4MiB:x4", "-q")
    runs = [f"run{number}.json" for number in range(3)]
    for run in runs:
        assert real("probe", "opencl:0", *words, "--repeat", "5", "--json", run).returncode == 0
    left_out = [256, 4 << 10, 64 << 10, 1 << 20]
    done = real(
        *("calibrate", "device.toml", "--leave-out", ",".join(map(format_size, left_out)), "-q", "--json", "-"),
        *(word for key in ("host.call.transfer", "host.copy.rate") for word in ("--keys", key)),
        *(word for run in runs for word in ("--from", run)),
    )
    result = json.loads(done.stdout)

    measured = defaultdict(list)
    for run in runs:
        for record in real.read(run)["records"]:
            measured[record["name"], record["parameters"]["size"]].append(record["time_s"])
    errors = defaultdict(list)
    for record in real.json("probe", "device.toml", *words, "--fine")["records"]:
        size = record["parameters"]["size"]
        truth = median(measured[record["name"], size])
        errors[record["name"], "left out" if size in left_out else "fitted"].append(abs(record["time_s"] / truth - 1))
    told = {(curve["name"], curve["which"]): (curve["median"], curve["largest"]) for curve in result["curves"]}
    assert told == {
        curve: (pytest.approx(median(found), abs=2e-3), pytest.approx(max(found), abs=2e-3))
        for curve, found in errors.items()
    }
    assert done.returncode == (1 if any(middle > 0.25 for middle, _ in told.values()) else 0), done.stderr


def test_several_runs_count_by_their_medians(tmp_path: Path, tree: Path) -> None:
    from isthmus.calibration.device_curves import read_measured

    record = json.loads((tree / "docs" / "measurements" / "h200" / "records.jsonl").read_text().splitlines()[0])
    paths = [tmp_path / f"{number}.json" for number in range(3)]
    for path, time_s in zip(paths, (1.0, 4.0, 2.0), strict=True):
        path.write_text(json.dumps({**record, "name": "h2d", "time_s": time_s}))
    measured = read_measured(paths)
    assert measured.curves == {"h2d": {record["parameters"]["size"]: 2.0}}
    assert measured.differ == (4.0 - 1.0) / 2 / 2.0
    assert read_measured(paths[:1]).differ is None


def test_what_was_measured_in_several_ways_is_no_several_runs(tmp_path: Path, tree: Path) -> None:
    from isthmus.calibration.device_curves import read_measured

    lines = (tree / "docs" / "measurements" / "h200" / "records.jsonl").read_text().splitlines()
    ways = [record["name"] for record in map(json.loads, lines) if record["parameters"]["size"] == 1 << 20]
    assert max(ways.count(name) for name in ("steps", "device-read")) > 1
    (tmp_path / "records.jsonl").write_text("\n".join(lines))
    assert read_measured([tmp_path / "records.jsonl"]).differ is None


def test_records_that_spread_are_named(real: Isthmus, tree: Path) -> None:
    lines = (tree / "docs" / "measurements" / "h200" / "records.jsonl").read_text().splitlines()
    records = [record for record in map(json.loads, lines) if record["name"] == "h2d-pinned"][:3]
    for record, spread in zip(records, (0.4, 0.01, 0.06), strict=True):
        record["spread"] = spread
    (real.folder / "r.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    done = real("calibrate", "device.toml", "--from", "r.jsonl", "--keys", "host.call.transfer")
    size = format_size(records[0]["parameters"]["size"])
    assert f"warning: 2 of 3 records spread by more than 5% (h2d-pinned at {size}: 40%); close" in done.stderr


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "expected records of one device, got none"),
        ("{", "expected JSON that isthmus wrote"),
        ('{"records": [{"name": "h2d"}]}', "record 1: key 'quantity': expected, and missing"),
        ("[1]", "record 1: expected a valid dictionary"),
    ],
)
def test_what_are_no_records_is_one_line(isthmus: Isthmus, text: str, complaint: str) -> None:
    (isthmus.folder / "records.json").write_text(text)
    told = isthmus.refusal("calibrate", "mine.toml", "--from", "records.json")
    assert told.startswith("records.json: ")
    assert complaint in told
    assert not (isthmus.folder / "mine.toml").exists()


def test_records_of_two_devices_are_refused(isthmus: Isthmus) -> None:
    records: list[dict[str, Any]] = [
        {**record, "device": device}
        for device in ("one", "two")
        for record in isthmus.json("probe", "opencl:0", "h2d", "--sizes", "4KiB")["records"]
    ]
    (isthmus.folder / "two.json").write_text("".join(json.dumps(record) + "\n" for record in records))
    told = isthmus.refusal("calibrate", "mine.toml", "--from", "two.json")
    assert told == "two.json: expected records of one device, got one, two"


def test_a_file_that_is_made_and_not_fitted_does_not_stay(isthmus: Isthmus) -> None:
    isthmus("probe", "opencl:0", "h2d", "--sizes", "4KiB,64KiB", "--json", "records.json", "-q")
    assert isthmus.refusal("calibrate", "mine.toml", "--from", "records.json", "--keys", "dma.rat")
    assert not (isthmus.folder / "mine.toml").exists()


def test_a_curve_of_records_is_its_median_times(isthmus: Isthmus) -> None:
    from isthmus.calibration.device_curves import read_measured

    isthmus("probe", "opencl:0", "h2d", "d2h", "--sizes", "4KiB,64KiB", "--json", "records.json", "-q")
    path = Path(isthmus.folder / "records.json")
    measured = read_measured([path])
    records = json.loads(path.read_text())["records"]
    for record in records:
        assert measured.curves[record["name"]][record["parameters"]["size"]] == record["time_s"]
    assert measured.only([4096], True) == {"h2d": {4096: records[0]["time_s"]}, "d2h": {4096: records[2]["time_s"]}}
    assert set(measured.only([4096], False)["h2d"]) == {65536}


def test_the_committed_model_of_the_h200_is_as_near_to_its_records_as_it_says(real: Isthmus, tree: Path) -> None:
    from isthmus.calibration.curves import exactly
    from isthmus.calibration.device_curves import read_measured
    from isthmus.calibration.fit import errors
    from isthmus.running.probes import fitted_probes

    folder = tree / "docs" / "measurements" / "h200"
    said = json.loads((folder / "calibration.json").read_text())
    assert said["median_left_out"] < 0.1
    left_out = [64 << power for power in range(0, 16, 2)]
    curves = read_measured([folder / "records.jsonl"]).only(left_out, True)
    points = {probe: curve for probe, curve in curves.items() if probe in fitted_probes()}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ISTHMUS_BIN", real.environment["ISTHMUS_BIN"])
        found = errors(points, exactly(str(folder / "h200.toml"), points))
    assert median([error for each in found.values() for error in each]) < said["median_left_out"] + 0.05
