"""A record of a real program as a description: what counts, what is set-up, what is assumed."""

import json
import tomllib
from typing import Any

import pytest
from tests.python.conftest import Isthmus
from tests.python.recorded_calls import MS, call, worked
from tests.python.samples import sample

from isthmus.advising.from_record import RecordDescription, described, to_toml
from isthmus.base.errors import IsthmusError
from isthmus.descriptions.description import description_of
from isthmus.records.recording import RecordFile
from isthmus.running.tools import tool_path


def program(units: int = 5) -> list[dict[str, Any]]:
    """Set-up, then units of two writes, a launch, a fill and a read; every second one has a small write too."""
    calls: list[tuple[str, dict[str, Any]]] = [("write buffer", {"bytes": 1000})]
    for unit in range(units):
        calls += [("write buffer", {"bytes": 4096, "gap_host_ns": 30_000}), ("write buffer", {"bytes": 4096})]
        calls += [("unmap", {"bytes": 64})] if unit % 2 else []
        calls += [("kernel", {"name": "filter"}), ("fill buffer", {"bytes": 512})]
        calls += [("read buffer", {"bytes": 8192, "gap_host_ns": 10_000})]
    calls += [("write buffer", {"bytes": 4096, "error": -5}), ("kernel", {"name": "filter", "unfinished": True})]
    return [
        call(at, what, "kernel" if what == "kernel" else "transfer", 2 * at, **worked(2 * at, 2 * at + 1), **more)
        for at, (what, more) in enumerate(calls, start=1)
    ]


def record(calls: list[dict[str, Any]], **device: Any) -> RecordFile:
    plain = sample("record")
    plain["devices"][0] |= {"busy_s": 1.0, "transfers_s": 0.5, "kernels_s": 0.5, "name": "a GPU", **device}
    plain["devices"].append({**plain["devices"][0], "busy_s": 0.1, "name": "idle"})
    return RecordFile.model_validate({**plain, "sums": [], "records": calls})


def numbers(found: RecordDescription) -> dict[str, Any]:
    return {key: number.value for key, number in description_of(found.document, "a record").numbers()}


def test_a_unit_is_a_launch_and_counts_are_over_units() -> None:
    found = described(record(program()), "app.record.json")
    transfers = {
        (one["direction"], one["host"], one["bytes"]["value"]): one["count"]["value"]
        for one in found.document["transfer"]
    }
    assert transfers == {
        ("to-device", "pageable", 4096): 2,
        ("to-device", "pinned", 64): pytest.approx(2 / 5),
        ("to-host", "pageable", 8192): 1,
    }
    values = numbers(found)
    assert values["kernel.launches"] == 1
    assert values["kernel.time"] == pytest.approx(MS * 1e-9, rel=1e-5)
    assert values["kernel.device_read"] == round(8192 + 64 * 2 / 5)
    assert values["kernel.device_write"] == 8192 + 512
    assert values["host.time"] == pytest.approx(40e-6), "the median from launch to launch"


def test_what_is_assumed_has_its_range_and_every_number_its_source() -> None:
    found = described(record(program()), "app.record.json")
    kernel = found.document["kernel"]
    assert kernel["time"]["range"] == pytest.approx([kernel["time"]["value"] / 10, kernel["time"]["value"] * 10])
    assert kernel["device_write"]["range"] == [8192 + 512, 81920 + 512]
    written = [one for table in found.document["transfer"] for one in (table["bytes"], table["count"])]
    assert all("app.record.json" in one["source"] for one in [*written, kernel["time"], found.document["host"]["time"]])


def test_what_failed_and_what_came_before_is_told_apart() -> None:
    notes = "; ".join(described(record(program()), "app.record.json").notes)
    assert "2 commands failed or did not end" in notes
    assert "set-up, apart: 1 transfers of 1000 B" in notes
    assert "other devices of the record, left out: 1 (idle)" in notes
    assert "stream needs another program" in notes


@pytest.mark.parametrize(("at_once", "flow"), [(0.0, "offload"), (0.04, "offload"), (0.06, "overlap")])
def test_transfers_beside_kernels_are_the_flow_overlap(at_once: float, flow: str) -> None:
    found = described(record(program(), busy_s=1.0 - at_once), "app.record.json")
    assert found.document["application"]["flows"] == [flow, "shared"]


def test_sums_alone_serve_as_well() -> None:
    whole = record(program())
    from isthmus.advising.from_record import _summed

    sums = whole.model_copy(update={"sums": _summed(whole, 0), "records": []})
    one, other = numbers(described(whole, "app")), numbers(described(sums, "app"))
    assert {key: one[key] for key in one if key != "host.time"} == {
        key: other[key] for key in one if key != "host.time"
    }


def test_the_description_that_is_written_is_the_one_that_is_used() -> None:
    found = described(record(program()), 'app "x".record.json')
    assert tomllib.loads(to_toml(found.document)) == found.document


@pytest.mark.parametrize(
    ("calls", "more", "complaint"),
    [
        (program()[:1], {}, "device 0 has no launch that ended well"),
        (program(), {"kernel": "filtre"}, "unknown kernel 'filtre'; help: did you mean 'filter'?"),
        (program(), {"device": 2}, "--device: expected a place in the record's devices, 0 to 1, got 2"),
    ],
)
def test_a_record_that_says_no_unit_is_one_line(calls: Any, more: Any, complaint: str) -> None:
    with pytest.raises(IsthmusError, match="(?s)" + complaint.replace("?", r"\?")):
        described(record(calls), "app.record.json", **more)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('{"schema": "isthmus.record/1"}', "bad.json: key 'context': expected, and missing"),
        ('{"schema": "isthmus.advise/1"}', "bad.json: expected a record of 'isthmus record', got another file"),
        ("[]", "bad.json: expected a record of 'isthmus record', got another file"),
        ('{"schema": "isthmus.record/1", ', "bad.json"),
    ],
)
def test_a_file_that_is_no_whole_record_is_one_line_that_names_the_key(
    real: Isthmus, text: str, complaint: str
) -> None:
    (real.folder / "bad.json").write_text(text)
    told = real.refusal("advise", "bad.json")
    assert complaint in told
    assert "Field required" not in told


def test_the_command_takes_a_record(real: Isthmus) -> None:
    plain = [
        one for one in program() if one["what"] != "fill buffer"
    ]  # a circuit of shared memory writes outputs alone
    (real.folder / "app.record.json").write_text(record(plain).model_dump_json(by_alias=True))
    done = real.well("advise", "app.record.json", "--describe", "app.toml")
    assert "filter" in done.stderr
    words = ("--on", "model:aws-f1,model:xeon-fpga-v1", "--set", "app.kernel.time=20 us")
    file = real.json("advise", "app.toml", *words)
    again = real.json("advise", "app.record.json", *words)
    assert file["rows"] == again["rows"]
    assert {row["flow"] for row in file["rows"]} == {"offload", "shared"}
    shown = real("advise", "app.record.json", *words).stdout
    assert shown.startswith("crossing alone, a unit: "), "which no kernel changes"
    (real.folder / "other.json").write_text(json.dumps({"schema": "isthmus.run/1"}))
    assert real.refusal("advise", "other.json") == "other.json: expected a record of 'isthmus record', got another file"


def test_a_record_of_the_image_filter_runs_on_a_board_as_long_as_the_filter_itself(real: Isthmus) -> None:
    """Its kernel takes a word a cycle and touches each byte once, as that of the board does."""
    request = {"APP": "image-filter", "on": "opencl:0", "flow": "offload", "count": 4}
    program = (str(tool_path("isthmus-run")), json.dumps(request))
    real.well("record", "--json", "app.record.json", "--", *program)
    assert real("advise", "app.record.json", "--unit-of", "image_filter", "--describe", "app.toml").returncode == 0
    on = ("--on", "model:aws-f1", "--flow", "offload", "--count", "12")
    own = real.json("run", "image-filter", *on)["rows"][0]
    words, clock = own["bytes_each"] / 64, 250e6
    sets = (f"app.kernel.time={words / clock}", f"app.kernel.device_read={own['bytes_each']}")
    found = real.json("run", "app.toml", *on, *(word for one in (*sets, "app.host.time=0") for word in ("--set", one)))[
        "rows"
    ][0]
    assert found["value"] == pytest.approx(own["value"], rel=0.1)
