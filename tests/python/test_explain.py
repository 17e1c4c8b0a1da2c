"""`isthmus explain`: what it is given, how causes are ranked, and what the command says."""

import json
import math
import random
from pathlib import Path

import pytest
from tests.python.conftest import Isthmus

from isthmus.asking.predictions import Prediction, Predictions
from isthmus.base.errors import IsthmusError
from isthmus.explaining.causes import Cause
from isthmus.explaining.changes import Access, Change
from isthmus.explaining.explain import Explanation, Suspect
from isthmus.explaining.measurement import (
    TO_DEVICE,
    Measurement,
    over_coherent_link,
    read_all,
    read_measured,
    read_symptoms,
)
from isthmus.explaining.ranking import (
    ALIKE,
    MISSED,
    SECOND,
    Trial,
    added,
    alike,
    distance,
    error_of,
    fit,
    needs_two,
    places,
)
from isthmus.explaining.tables import causes_table, rows_of, verdict_of
from isthmus.running.targets import read_platform

MIB = 1 << 20


def test_a_number_is_a_probe_a_size_a_value_and_a_unit() -> None:
    number = read_measured("d2h 64MiB 1.7 GB/s")
    assert (number.probe, number.size, number.unit) == ("d2h", 64 * MIB, "GB/s")
    assert number.seconds == pytest.approx(64 * MIB / 1.7e9)
    assert read_measured("d2h 64MiB 1.7GB/s") == number
    assert read_measured("d2h 64MiB 1700 MB/s").seconds == pytest.approx(number.seconds)
    assert read_measured("latency 300 us").seconds == pytest.approx(300e-6)
    assert read_measured("h2d 4KiB 130 us").seconds == pytest.approx(130e-6)


@pytest.mark.parametrize("unit", ["B/s", "kB/s", "MB/s", "GB/s", "KiB/s", "MiB/s", "GiB/s", "ns", "us", "ms", "s"])
def test_a_number_comes_back_in_the_unit_that_it_was_given_in(unit: str) -> None:
    number = read_measured(f"h2d 1MiB 2.5 {unit}")
    assert number.value_of(number.seconds) == pytest.approx(2.5)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("hxd 1MiB 1 GB/s", "unknown probe 'hxd'"),
        ("h2d 1MiB 1 Gb/s", "unknown unit 'Gb/s'"),
        ("h2d 1 GB/s", "expected PROBE SIZE VALUE UNIT"),
        ("h2d 1MB 1 GB/s", "expected PROBE SIZE VALUE UNIT"),
        ("h2d 1MiB 0 GB/s", "expected a number above 0, got '0'"),
        ("h2d 1MiB -1 GB/s", "expected a number above 0, got '-1'"),
        ("h2d 1MiB 1e999 GB/s", "expected a number above 0"),
        ("latency 1 GB/s", "expected a time"),
        ("latency 128B 3 us", "expected 64B of latency, got 128B"),
        ("steps 1MiB 1 GB/s", "unknown probe 'steps'"),
        ("", "expected PROBE SIZE VALUE UNIT"),
    ],
)
def test_a_number_that_cannot_be_read_says_what_was_expected(text: str, expected: str) -> None:
    with pytest.raises(IsthmusError) as error:
        read_measured(text)
    assert expected in str(error.value)
    assert "\n" not in str(error.value)


def test_a_number_given_twice_and_none_at_all_are_refused() -> None:
    with pytest.raises(IsthmusError, match="h2d 1MiB is given twice"):
        read_all(["h2d 1MiB 1 GB/s", "h2d 1MiB 2 GB/s"])
    with pytest.raises(IsthmusError, match="--measured: expected PROBE SIZE"):
        read_all([])


def test_a_symptom_is_the_hosts_busy_share() -> None:
    assert read_symptoms(["cpu=80%"]) == 0.8
    assert read_symptoms([]) is None
    with pytest.raises(IsthmusError, match="unknown symptom 'gpu'"):
        read_symptoms(["gpu=80%"])
    for wrong in ("cpu=80", "cpu=101%", "cpu=-1%", "cpu", "cpu=1.2.3%"):
        with pytest.raises(IsthmusError, match="expected 0 to 100 %"):
            read_symptoms([wrong])


def test_an_error_is_the_largest_logarithm_and_the_hosts_share_adds_to_it() -> None:
    trial = Trial(0, (1.0, 2.0), busy=0.5)
    assert distance((1.0, 2.0), (2.0, 2.0)) == pytest.approx(math.log(2))
    assert error_of(trial, (1.0, 2.2), None) == pytest.approx(math.log(1.1))
    assert error_of(trial, (1.0, 2.0), 0.8) == pytest.approx(0.3)
    assert error_of(Trial(0, (1.0, 2.0)), (1.0, 2.0), 0.8) == 0


def test_the_best_severity_counts_and_only_what_always_misses_is_ruled_out() -> None:
    trials = [Trial(0, (1.0,)), Trial(1, (2.0,)), Trial(2, (4.0,))]
    best = fit(("lanes",), trials, (2.1,), None)
    assert best.trial.number == 1
    assert not best.ruled_out
    assert fit(("lanes",), trials, (8.0,), None).ruled_out
    assert not fit(("lanes",), trials, (4.0 * math.exp(MISSED * 0.99),), None).ruled_out
    # A severity that fits the numbers is not ruled out by what the host did.
    assert not fit(("lanes",), [Trial(0, (1.0,), busy=0.0)], (1.0,), 1.0).ruled_out


def test_two_causes_pay_and_are_tried_only_where_none_alone_is_near() -> None:
    one, two = fit(("a",), [Trial(0, (1.0,))], (1.0,), None), fit(("a", "b"), [Trial(0, (1.0,))], (1.0,), None)
    assert two.error == pytest.approx(one.error + SECOND)
    assert two.together
    assert not needs_two([one])
    assert needs_two([fit(("a",), [Trial(0, (1.2,))], (1.0,), None)])


def test_places_hold_causes_that_agree_at_every_number_and_no_others() -> None:
    chance = random.Random(5)
    for _ in range(200):
        measured = (1.0, 1.0)
        fits = [
            fit((str(at),), [Trial(0, (chance.uniform(0.5, 2), chance.uniform(0.5, 2)))], measured, None)
            for at in range(8)
        ]
        found = places(fits)
        assert sorted(one.causes for place in found for one in place) == sorted(one.causes for one in fits)
        for place in found:
            assert all(alike(one.trial.seconds, place[0].trial.seconds) for one in place)
            assert len({one.ruled_out for one in place}) == 1
        heads = [(place[0].ruled_out, place[0].error) for place in found]
        assert heads == sorted(heads)
        for at, place in enumerate(found):
            for later in found[at + 1 :]:
                near = distance(place[0].trial.seconds, later[0].trial.seconds) <= ALIKE
                assert not near or place[0].ruled_out != later[0].ruled_out


def test_what_two_causes_add_is_never_less_than_either() -> None:
    assert added((1.0,), (3.0,), (2.0,)) == (4.0,)
    assert added((2.0,), (1.0,), (1.5,)) == (1.5,)


def test_a_change_in_pieces_pays_for_each_call_and_one_by_registers_for_each_access() -> None:
    number = read_measured("h2d 1MiB 1 GB/s")
    pieces = Change(piece=64 << 10).of(number)
    assert (pieces.query.size, pieces.times) == (64 << 10, 16)
    assert Change(piece=2 * MIB).of(number).times == 1
    stores = Change(access=Access("mmio-store", 8, TO_DEVICE))
    assert (stores.of(number).query.probe, stores.of(number).times, stores.of(number).working) == (
        "mmio-store",
        MIB // 8,
        True,
    )
    back = read_measured("d2h 1MiB 1 GB/s")
    assert stores.of(back).query == back.query


def test_changes_of_the_same_thing_do_not_go_together() -> None:
    lanes, fewer = Change(sets=("link.pcie.lanes=8",)), Change(sets=("link.pcie.lanes=4",))
    assert lanes.with_other(fewer) is None
    both = lanes.with_other(Change(piece=4096))
    assert both is not None
    assert both.told == ["link.pcie.lanes=8", "pieces=4KiB"]


def test_half_of_the_lanes_are_found_from_what_a_probe_of_such_a_board_says(real: Isthmus) -> None:
    words = ("--sizes", "4MiB", "--set", "link.pcie.lanes=4")
    records = real.json("probe", "model:aws-f1", "h2d-pinned", "d2h-pinned", *words)["records"]
    values = {record["name"]: record["value"] for record in records}
    given = [word for name, value in values.items() for word in ("--measured", f"{name} 4MiB {value} GB/s")]
    found = real.json("explain", "model:aws-f1", *given)
    lanes = next(row for row in found["rows"] if row["cause"] == "fewer lanes")
    assert lanes["rank"] == 1
    assert lanes["set"] == ["link.pcie.lanes=4"]
    assert lanes["error"] < 0.01
    # The same width in another way: nothing but a look tells them apart.
    assert found["ask"] is not None
    told = {one["cause"]: one["look"] for one in found["ask"]["expected"]}
    assert {"fewer lanes", "lower generation"} <= told.keys()
    assert "lspci" in told["fewer lanes"][0]


def test_the_way_from_advertised_to_measured_falls_and_ends_at_the_number(real: Isthmus) -> None:
    steps = real.json("explain", "model:alpha-data-7v3", "--measured", "h2d-alloc 1MiB 0.6 GB/s")["waterfall"]
    values = [step["value"] for step in steps]
    assert values[0] == pytest.approx(8.0)  # Gen3 x8, choi2019 section 1
    assert [step["kind"] for step in steps] == ["modelled"] * (len(steps) - 1) + ["measured"]
    modelled = [step["value"] for step in steps if not step["what"].startswith("measured")]
    assert modelled == sorted(modelled, reverse=True)
    assert values[-1] == pytest.approx(0.6)
    said = [step["what"] for step in steps]
    assert said[:4] == ["advertised", "packets and DMA engine", "driver call", "copy"]


def test_a_number_that_the_model_gives_needs_no_cause(real: Isthmus) -> None:
    value = real.json("probe", "model:stratix-v", "h2d", "--sizes", "1MiB")["records"][0]["value"]
    found = real.json("explain", "model:stratix-v", "--measured", f"h2d 1MiB {value} GB/s")
    assert found["verdict"]["as_modelled"] is True
    assert found["verdict"]["causes"] == []
    assert found["ask"] is None


def test_what_the_host_did_tells_causes_apart_that_give_the_same_number(real: Isthmus) -> None:
    """Copies in pieces keep the host at work, fewer lanes let it wait."""

    def first(*symptom: str) -> dict[str, float]:
        rows = real.json("explain", "model:aws-f1", "--measured", "d2h 64MiB 1.9 GB/s", *symptom)["rows"]
        return {row["cause"]: row["error"] for row in rows}

    idle, working = first("--symptom", "cpu=55%"), first("--symptom", "cpu=90%")
    assert idle["NUMA hop"] < idle["pieces, a call each"]
    assert working["pieces, a call each"] < working["NUMA hop"]


def test_a_second_question_about_a_board_runs_no_model(real: Isthmus, tmp_path: Path) -> None:
    words = ("model:alpha-data-7v3", "--measured", "h2d 4KiB 15 MB/s")
    first = real.json("explain", *words)
    cache = tmp_path / "home" / ".cache" / "isthmus" / "answers.sqlite"
    before = cache.stat().st_mtime_ns
    again = real.json("explain", *words)
    assert {**first, "context": 0} == {**again, "context": 0}
    assert cache.stat().st_mtime_ns == before


def test_half_a_file_of_predictions_is_one_warning_and_written_anew(real: Isthmus) -> None:
    words = ("explain", "model:alpha-data-7v3", "--measured", "h2d 4KiB 15 MB/s", "--json", "-")
    whole = real(*words).stdout
    cache = real.folder / "home" / ".cache" / "isthmus" / "answers.sqlite"
    cache.write_bytes(cache.read_bytes()[:100])
    out, err = real.start(*words).communicate()
    assert {**json.loads(out), "context": 0} == {**json.loads(whole), "context": 0}
    assert err.startswith(f"warning: {cache}: cannot be used, and is written anew: ")
    assert err.count("\n") == 1
    assert real.start(*words).communicate()[1] == ""


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["model:aws-f1"], "--measured: expected PROBE SIZE VALUE UNIT"),
        ([], "TARGET: expected a model"),
        (["native", "--measured", "h2d 1MiB 1 GB/s"], "is a real device"),
        (["model:ibm-capi", "--measured", "h2d 1MiB 1 GB/s"], "probe 'h2d': expected a board with"),
        (["model:aws-f1", "--measured", "h2d 1024GiB 1 GB/s"], "expected a size of at most that"),
        (
            ["model:xeon-fpga-v1", "--measured", "shared-read 4GiB 1 GB/s"],
            "holds 2GiB, expected a size of at most",
        ),
        (["model:aws-f1", "--measured", "h2d 1MiB 1 GB/s", "--set", "link.pcie.lane=4"], "key 'link.pcie.lane'"),
        (["model:aws-f1", "--measured", "h2d 1MiB 1 GB/s", "--symptom", "heat=3%"], "unknown symptom 'heat'"),
    ],
)
def test_what_cannot_be_explained_is_one_line_and_exit_2(real: Isthmus, words: list[str], expected: str) -> None:
    assert expected in real.refusal("explain", *words)


def test_the_list_names_the_causes_that_a_board_has_the_parts_for(real: Isthmus) -> None:
    def names(target: str) -> set[str]:
        return {line.partition("  ")[0] for line in real("explain", target, "--list").stdout.splitlines()}

    pcie = names("model:aws-f1")
    assert {"fewer lanes", "lower generation", "fewer tags", "pageable copy", "allocation"} <= pcie
    assert {"one descriptor in flight", "pieces, a call each", "stores without write combining", "loads"} <= pcie
    assert {"driver call", "hypervisor", "NUMA hop", "IOMMU walks", "smaller read request"} <= pcie
    assert "smaller payload" not in pcie  # it has the smallest
    assert names("model:zynq-ultrascale") == {"another port", "state of the buffer", "another method"}
    assert "state of the caches" in names("model:xeon-fpga-v1")


def explanation(measured: str, base: str, with_cause: str) -> Explanation:
    """The explanation of one number: the unchanged model's, and the model's with its only cause."""
    one, model, changed = (read_measured(f"h2d 1MiB {value} GB/s") for value in (measured, base, with_cause))
    best = fit(("fewer lanes",), [Trial(0, (changed.seconds,))], [one.seconds], None)
    suspect = Suspect((Cause("fewer lanes", "lspci", ()),), (Change(sets=("link.pcie.lanes=4",)),))
    return Explanation([one], [Prediction(model.seconds)], places([best]), {best.causes: suspect})


def test_a_large_error_is_told_as_the_factor_between_model_and_measured() -> None:
    said = verdict_of(explanation("1", "2.2", "2.1")).says
    assert said == "no cause here gives this: the unchanged model is 2.2x off, and no change comes near"
    assert "20 % off" in verdict_of(explanation("1", "2.2", "1.22")).says


def test_a_board_that_is_faster_than_its_model_is_told_so() -> None:
    said = verdict_of(explanation("9", "4.5", "4.4")).says
    assert said == "the board is faster than its model, 2.0x off: a cause here only makes it slower"
    assert "no cause here" in verdict_of(explanation("1", "4.5", "4.4")).says


def test_where_all_causes_are_ruled_out_no_column_names_a_change() -> None:
    def columns(found: Explanation) -> list[str]:
        table = causes_table(rows_of(found), found.numbers)
        assert all(len(row) == len(table.columns) for row in table.rows)
        return list(table.columns)

    assert "change of the model" in columns(explanation("1", "2", "1.1"))
    assert "change of the model" not in columns(explanation("1", "4", "3"))


def test_shared_memory_is_reached_over_the_coherent_link_where_none_is_named() -> None:
    numbers = read_all(["shared-read 1MiB 5 GB/s", "mmio-store 64B 100 ns"])
    shared, stored = over_coherent_link(numbers, read_platform("model:xeon-fpga-v2", []))
    assert shared.chosen == (("channel", "vl0"),)
    assert stored.chosen == ()  # registers are behind PCIe
    named = read_all(["shared-read 1MiB 5 GB/s"], (("channel", "vh1"),))
    assert over_coherent_link(named, read_platform("model:xeon-fpga-v2", [])) == named
    assert over_coherent_link(numbers, read_platform("model:xeon-fpga-v1", [])) == numbers


@pytest.mark.parametrize(("probe", "target"), [("shared-read", "xeon-fpga-v1"), ("shared-write", "ibm-capi")])
def test_a_long_pass_over_shared_memory_that_no_cache_holds_follows_from_two_short_ones(
    real: Isthmus, tmp_path: Path, probe: str, target: str
) -> None:
    ran = real.json("probe", f"model:{target}", probe, "--sizes", "16MiB", "--repeat", "1")
    of_sizes = Predictions(f"model:{target}", cache=tmp_path / "answers.sqlite")
    query = read_measured(f"{probe} 16MiB 1 GB/s").query
    answer = of_sizes.answers([query])[query]
    assert answer is not None
    assert answer.seconds == pytest.approx(ran["records"][0]["time_s"], rel=0.005)


def test_a_number_stands_for_its_probe_alone() -> None:
    number = Measurement("h2d", MIB, 1e-3, 1.0, "GB/s")
    assert number.query.probe == "h2d"
    assert number.with_seconds(2e-3).value == pytest.approx(MIB / 2e-3 * 1e-9)


def test_the_cost_of_a_driver_that_flushes_is_found_from_what_the_probes_say(real: Isthmus) -> None:
    """A program takes the time of its call: the core's flushing, then the FPGA's read over HP (min2019, IV.B)."""
    chip = "model:zynq-ultrascale"

    def took(probe: str, op: str | None, *words: str) -> float:
        records = real.json("probe", chip, probe, "--sizes", "1MiB", "--repeat", "1", *words)["records"]
        return float(next(one["time_s"] for one in records if op in (None, one["parameters"].get("op"))))

    both = took("port-tx", None, "--port", "hp", "--state", "flushed") + took("maintenance", "flush")
    found = real.json("explain", chip, "--port", "hp", "--measured", f"port-tx 1MiB {MIB / both * 1e-9:.4g} GB/s")
    first = [row for row in found["rows"] if row["rank"] == 1]
    assert any(row["cause"] == "another method" and row["set"] == ["method=hp-c"] for row in first), first
    assert all(row["error"] < 0.01 for row in first if row["cause"] == "another method")
    copied = real.json("probe", chip, "memcpy", "--sizes", "1MiB", "--repeat", "1")["records"]
    slow = next(one for one in copied if one["parameters"]["from"] == "noncacheable")
    told = real.json("explain", chip, "--measured", f"memcpy 1MiB {slow['value']:.4g} GB/s")["rows"]
    assert (told[0]["cause"], told[0]["set"]) == ("another method", ["method=hp-nc"])
