from typing import Any

import pytest

from isthmus.judging.verdict import limit_of
from isthmus.records.run import Row
from isthmus.show.verdict import decide, heading, reason, said_of, time_shares
from isthmus.show.wrong import wrong_lines


def row(**changes: Any) -> Row:
    """A measured row of three stages."""
    values: dict[str, Any] = {
        "target": "opencl:0",
        "device": "a device",
        "flow": "offload",
        "kind": "measured",
        "application": "image-filter",
        "count": 10,
        "counted": "images",
        "bytes_each": 8294400,
        "width": 1920,
        "height": 1080,
        "elapsed_s": 1.0,
        "setup_s": 0.0,
        "value": 10.0,
        "unit": "images/s",
        "gb_per_s": 2.0,
        "verified": True,
        "stages": [
            {"name": "copy in", "time_s": 0.2, "share": 0.2},
            {"name": "kernel", "time_s": 0.5, "share": 0.5},
            {"name": "copy out", "time_s": 0.25, "share": 0.25},
        ],
    }
    return Row.model_validate({**values, **changes})


def test_a_real_device_is_judged_by_its_longest_stage_and_the_next() -> None:
    limit = limit_of(row())
    assert limit is not None
    assert (limit.part, limit.next, limit.would_need) == ("kernel", "copy out", 2.0)


def test_the_reason_names_the_part_and_the_next_one() -> None:
    assert heading(row()) == "longest stage, measured"
    assert reason(row()) == "kernel, 50 % busy; then copy out (25 % busy)"


def test_the_bottleneck_that_a_model_names_is_kept() -> None:
    named = row(
        bottleneck={
            "part": "PCIe write",
            "busy_share": 0.96,
            "next": "DRAM",
            "next_busy_share": 0.74,
            "would_need": 1.3,
        }
    )
    assert reason(named) == "PCIe write, 96 % busy; then DRAM (74 % busy)"


def test_where_steps_wait_for_each_other_the_reason_says_what_the_part_holds_of_their_chain() -> None:
    named = row(
        bottleneck={
            "part": "allocation",
            "busy_share": 0.4,
            "path_share": 0.41,
            "next": "DMA",
            "next_busy_share": 0.28,
            "next_path_share": 0.3,
            "would_need": 1.37,
        }
    )
    assert reason(named) == (
        "allocation, 40 % busy, 41 % of the chain of steps that wait for each other; "
        "then DMA (28 % busy, 30 % of the chain)"
    )


def test_a_part_without_a_rival_says_so() -> None:
    assert (
        reason(row(stages=[{"name": "kernel", "time_s": 1, "share": 1}]))
        == "kernel, 100 % busy; its parts were not timed separately"
    )
    assert reason(row(stages=[])) == "nothing says where the time goes"


def test_the_stages_are_told_in_the_order_of_the_flow() -> None:
    assert time_shares(row()) == "copy in 20 %, kernel 50 %, copy out 25 %"


def test_the_fastest_right_row_wins() -> None:
    verdict = decide([row(value=5.0), row(flow="overlap", value=9.0), row(value=99.0, verified=False)])
    assert verdict is not None
    assert (verdict.flow, verdict.value, len(verdict.reasons)) == ("overlap", 9.0, 2)
    assert verdict.reasons[1].startswith(
        "opencl:0 offload: 5.00 images/s, measured, 1.80x slower: longest stage, measured: kernel, "
    )
    assert verdict.reasons[0].startswith("longest stage, measured: kernel"), "the title says what and how fast"


@pytest.mark.parametrize("rows", [[], [row(verified=False)]])
def test_without_a_right_row_there_is_no_verdict(rows: list[Row]) -> None:
    assert decide(rows) is None


def test_rows_within_the_spread_of_the_fastest_are_not_ranked() -> None:
    best = row(value=9.0, samples=[8.0, 9.0, 9.5])
    near = row(flow="overlap", value=8.5, samples=[8.4, 8.5, 8.6])
    far = row(target="native", flow="stream", value=5.0, samples=[4.0, 5.0, 7.9])
    verdict = decide([far, near, best])
    assert verdict is not None
    assert (verdict.flow, verdict.judged, verdict.within_spread) == ("offload", False, ["opencl:0 overlap"])
    assert said_of(verdict) == (
        "not to be judged: opencl:0, offload: 9.00 images/s, measured, and opencl:0 overlap "
        "lie within each other's spread; raise --repeat"
    )
    assert "8.50 images/s, measured, not to be judged: " in verdict.reasons[1]
    assert "5.00 images/s, measured, 1.80x slower" in verdict.reasons[2]
    judged = decide([far, best])
    assert judged is not None
    assert judged.judged
    assert said_of(judged) == "fastest: opencl:0, offload: 9.00 images/s, measured"


def test_rows_of_one_target_and_flow_are_told_apart_by_their_parameters() -> None:
    rows = [
        row(value=rate, parameters={"handover": name, "window": "4MiB"})
        for name, rate in (("none", 5.0), ("mmio", 9.0))
    ]
    verdict = decide(rows)
    assert verdict is not None
    assert verdict.parameters == {"handover": "mmio"}
    assert said_of(verdict) == "fastest: opencl:0, offload, handover mmio: 9.00 images/s, measured"
    assert verdict.reasons[1].startswith("opencl:0 offload, handover none: 5.00 images/s, measured, 1.80x slower: ")
    alone = decide([rows[0], row(target="native", parameters={"handover": "mmio"})])
    assert alone is not None
    assert alone.parameters == {}, "their places tell them apart"


def test_a_wrong_row_says_where_it_differs_and_how_much() -> None:
    found = {"message": 3, "offset": 17, "expected": 2.5, "got": 0, "elements": 4096, "of_elements": 204800}
    messages = {"count": 200, "counted": "messages", "bytes_each": 4096, "value": 9.0, "unit": "messages/s"}
    wrong = row(verified=False, difference={**found, "messages": 7, "of_messages": 200}, **messages)
    assert wrong_lines([row(), wrong]) == [
        "WRONG, opencl:0 offload: message 3 differs first at offset 17: expected 2.5, got 0; "
        "4,096 of 204,800 values in 7 of 200 messages differ"
    ]
    pixel = {**found, "messages": 1, "of_messages": 1, "column": 4, "row": 0, "channel": 1}
    (line,) = wrong_lines([row(verified=False, difference=pixel)])
    assert "image 3 differs first at offset 17 (column 4, row 0, channel 1): expected 2.5, got 0" in line
    assert line.endswith("4,096 of 204,800 bytes in 1 of 1 image differ")
