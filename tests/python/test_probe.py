import json

import pytest
from tests.python.conftest import Isthmus

from isthmus.base.numbers import figure
from isthmus.running.probes import all_probes
from isthmus.running.probing import served_by
from isthmus.running.tools import collect


def test_there_is_a_record_for_each_probe_and_size(isthmus: Isthmus) -> None:
    words = ("--sizes", "64B,4KiB..16KiB:x2", "--repeat", "3")
    records = isthmus.json("probe", "model:aws-f1", "?2?", *words)["records"]
    places = [(record["name"], record["parameters"]["size"]) for record in records]
    assert places == [(name, size) for name in ("h2d", "d2h") for size in (64, 4096, 8192, 16384)]
    assert all(len(record["samples"]) == 3 for record in records)


def test_headings_say_direction_unit_and_kind(isthmus: Isthmus) -> None:
    done = isthmus("probe", "model:aws-f1", "h2d", "--sizes", "4KiB")
    assert "host to device (h2d), GB/s, model" in done.stdout
    assert "device to host" not in done.stdout


def test_the_steps_to_a_rate_stand_side_by_side_a_row_a_size(isthmus: Isthmus) -> None:
    words = ("probe", "model:aws-f1", "steps", "--sizes", "4KiB,64MiB")
    rows = [line.split() for line in isthmus(*words).stdout.splitlines() if "MiB" in line or "KiB" in line]
    records = isthmus.json(*words)["records"]
    assert rows[-2:] == [
        [size, *(figure(record["value"]) for record in records if record["parameters"]["size"] == bytes_)]
        for size, bytes_ in (("4KiB", 4096), ("64MiB", 64 << 20))
    ]
    assert len(rows[-1]) == 6


def test_a_noisy_run_gets_one_warning_that_says_what_to_do(isthmus: Isthmus) -> None:
    done = isthmus("probe", "opencl:0", "h2d", "-q", "--sizes", "4KiB..512KiB")
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("warning: 8 of 8 records spread by more than 5%")
    assert "raise --repeat" in done.stderr


def test_set_reaches_the_model(isthmus: Isthmus) -> None:
    only_copy = ("--set", "host.copy.rate=1", "--set", "host.copy.rate=2")
    slow, fast = (
        isthmus.json("probe", "model:aws-f1", "h2d", "--sizes", "64MiB", *only_copy[at : at + 2])["records"]
        for at in (0, 2)
    )
    assert slow[0]["value"] < fast[0]["value"] < 2


def test_records_are_streamed_as_lines(isthmus: Isthmus) -> None:
    done = isthmus("probe", "model:aws-f1", "h2d", "--sizes", "4KiB,8KiB", "--jsonl", "-")
    assert [json.loads(line)["parameters"]["size"] for line in done.stdout.splitlines()] == [4096, 8192]


def test_unknown_probes_and_targets_are_one_line(isthmus: Isthmus) -> None:
    assert isthmus("probe", "model:aws-f1", "h2e").stderr == "error: unknown probe 'h2e'; help: did you mean 'h2d'?\n"
    assert isthmus("probe", "modl:aws-f1").returncode == 2
    assert isthmus("probe").stderr.startswith("error: TARGET: expected a target")


def test_a_dry_run_says_what_would_be_measured(isthmus: Isthmus) -> None:
    done = isthmus("probe", "model:aws-f1", "h2d", "--sizes", "4KiB,64MiB", "--dry-run")
    assert done.stdout == "h2d on model:aws-f1: 2 sizes (4KiB, 64MiB), --repeat 1\n"
    assert isthmus("probe", "opencl:0", "h2d", "--sizes", "4KiB", "--dry-run").stdout.endswith("--repeat 20\n")


def test_registers_are_probed_on_models_alone(isthmus: Isthmus, real: Isthmus) -> None:
    everything = isthmus("probe", "opencl:0", "--dry-run").stdout
    assert "mmio" not in everything and "device-latency" not in everything
    assert "launch" in everything
    assert "mmio-store mmio-load" in isthmus("probe", "model:aws-f1", "--dry-run").stdout
    told = real.refusal("probe", "opencl:0", "mmio-load")
    assert told == "probe 'mmio-load': 'opencl:0' is a real device, and only a model can tell"
    told = real.refusal("probe", "opencl:0", "--set", "a=1")
    assert told == "--set a=1: target 'opencl:0' is a real device, only models have settings"


def test_what_was_measured_before_a_device_vanished_is_kept(isthmus: Isthmus) -> None:
    words = ("h2d", "d2h", "duplex", "--sizes", "4KiB,64KiB", "--repeat", "2", "-q", "--json", "kept.json")
    done = isthmus("probe", "opencl:0", *words, FAKE_PROBE="vanish")
    assert done.returncode == 2
    assert [line for line in done.stderr.splitlines() if not line.startswith("warning:")] == [
        "error: clFinish on 'Fake CPU': CL_DEVICE_NOT_AVAILABLE (-2)"
    ]
    kept = isthmus.read("kept.json")
    assert kept["context"]["complete"] is False
    assert [(record["name"], record["parameters"]["size"]) for record in kept["records"]] == [
        (name, size) for name in ("h2d", "d2h") for size in (4096, 65536)
    ]


def test_a_curve_has_one_value_at_each_size_that_is_asked_for() -> None:
    sizes = [4096, 65536]
    served = {board: served_by(f"model:{board}") for board in ("aws-f1", "xeon-fpga-v1", "zynq-ultrascale")}
    for name, probe in all_probes().items():
        board = next(board for board, names in served.items() if name in names)
        records = collect(
            "isthmus-probe", {"TARGET": f"model:{board}", "PROBE": name, "sizes": sizes, "repeat": 1}, "record"
        )
        series: dict[object, list[int]] = {}
        for record in records:
            told = record["parameters"]
            series.setdefault(
                (*map(told.get, ("started_by", "structure", "walks", "port", "state", "from", "to", "op")),), []
            ).append(told["size"])
        assert probe.curve == all(told == sizes for told in series.values()), name


def test_models_are_calibrated_with_times_of_what_real_devices_have() -> None:
    for name, probe in all_probes().items():
        assert not probe.fitted or (probe.compared and not probe.on_models_alone), name
        if probe.compared:
            request = {"TARGET": "model:aws-f1", "PROBE": name, "sizes": 4096, "repeat": 1}
            (record,) = collect("isthmus-probe", request, "record")
            assert record["time_s"] > 0


def test_a_board_with_shared_memory_tells_each_phase_of_an_access(real: Isthmus) -> None:
    shown = real.json("probe", "model:xeon-fpga-v1", "cache-hit", "cache-miss")
    found = {
        (one["name"], one["parameters"]["access"], one["parameters"]["phase"]): one["value"] for one in shown["records"]
    }
    assert found["cache-hit", "read", "all"] == 70  # choi2019 table 3
    assert found["cache-hit", "write", "all"] == 60
    assert found["cache-miss", "read", "all"] == 355
    phases = ("translation", "access", "reordering")
    for name in ("cache-hit", "cache-miss"):
        for access in ("read", "write"):
            assert sum(found[name, access, phase] for phase in phases) == found[name, access, "all"]
    assert {one["unit"] for one in shown["records"]} == {"ns"}
    assert {one["parameters"]["start"] for one in shown["records"]} == {"warm", "flushed"}
    assert (
        "best: cache-hit over vl0, warm, 60.0 ns at 64B, model\n"
        in real("probe", "model:xeon-fpga-v1", "cache-hit").stdout
    )


def test_starts_of_shared_memory_stand_beside_each_other(real: Isthmus) -> None:
    words = ("shared-read", "--sizes", "64KiB", "--start", "flushed,warm")
    rates = {
        one["parameters"]["start"]: one["value"] for one in real.json("probe", "model:xeon-fpga-v1", *words)["records"]
    }
    assert rates["warm"] > 1.5 * rates["flushed"]
    told = " ".join(real("probe", "model:xeon-fpga-v1", *words).stdout.split())
    assert "over vl0, warm" in told


def test_a_circuit_walks_what_the_cpu_has_built(real: Isthmus) -> None:
    words = ("probe", "model:xeon-fpga-v1", "pointer-walk", "--sizes", "4KiB")
    shown = real.json(*words, "--start", "flushed,warm")
    lists = {
        (told["start"], told["walks"]): one
        for one in shown["records"]
        if (told := one["parameters"])["structure"] == "list"
    }
    for start, latency in (("flushed", 355), ("warm", 70)):  # choi2019 table 3
        record = lists[start, 1]
        assert (record["value"], record["unit"], len(record["samples"])) == (latency, "ns", 64)
        assert record["percentiles"]["p50"] == record["percentiles"]["p99"] == latency
    assert lists["flushed", 64]["percentiles"]["p99"] >= lists["flushed", 64]["percentiles"]["p50"] > 355
    done = real(*words, "--start", "flushed,warm")
    assert done.stderr.count("warning") == 0
    rows = [line.split() for line in done.stdout.splitlines()]
    assert ["4KiB", "list", "vl0", "flushed", "1", "355", "355"] in rows
    assert ["4KiB", "hash-table", "vl0", "warm", "1", "70.0", "70.0"] in rows


@pytest.mark.parametrize(
    ("target", "words", "expected"),
    [
        ("model:xeon-fpga-v1", ("--sizes", "4GiB"), "shared memory: expected at most 2147483072 B"),
        ("model:xeon-fpga-v1", ("--sizes", "100B"), "expected multiples of a line of 64 B"),
        ("model:aws-f1", (), "expected a board with coherent-link"),
    ],
)
def test_walks_that_cannot_be_are_one_line(real: Isthmus, target: str, words: tuple[str, ...], expected: str) -> None:
    assert expected in real.refusal("probe", target, "pointer-walk", *words)


def test_a_circuit_may_leave_the_channel_to_the_board(real: Isthmus) -> None:
    words = ("model:xeon-fpga-v2", "shared-read", "pointer-walk", "--sizes", "4KiB", "--channel", "vl0,va")
    told = {(one["name"], one["parameters"]["channel"]) for one in real.json("probe", *words)["records"]}
    assert told == {(name, channel) for name in ("shared-read", "pointer-walk") for channel in ("vl0", "va")}


def test_sizes_that_nobody_asked_for_are_whole_lines(real: Isthmus) -> None:
    request = {"TARGET": "model:ibm-capi", "PROBE": "shared-read", "repeat": 1, "sizes": [64, 128]}
    (record,) = collect("isthmus-probe", {**request, "whole-lines": True}, "record")
    assert record["parameters"]["size"] == 128
    told = real.refusal("probe", "model:ibm-capi", "shared-read", "--sizes", "64B,128B")
    assert "expected multiples of a line of 128 B (cache.line), got 64 B" in told


PORTS = ("probe", "model:zynq-ultrascale")


def test_ports_have_a_record_for_each_port_state_and_size(real: Isthmus) -> None:
    words = ("port-tx", "port-rx", "--port", "hp,acp", "--state", "written,flushed", "--sizes", "4KiB,8KiB")
    records = real.json(*PORTS, *words)["records"]
    told = [(record["name"], *(record["parameters"][name] for name in ("port", "state", "size"))) for record in records]
    assert told == [
        (probe, port, state, size)
        for probe in ("port-tx", "port-rx")
        for port in ("hp", "acp")
        for state in ("written", "flushed")
        for size in (4096, 8192)
    ]
    assert all(record["verified"] is True and record["kind"] == "modelled" for record in records)


def test_copies_of_a_core_have_a_record_for_each_pair_of_memory_types_and_size(real: Isthmus) -> None:
    records = real.json(*PORTS, "memcpy", "--sizes", "4KiB,8KiB")["records"]
    told = [tuple(record["parameters"][name] for name in ("from", "to", "size")) for record in records]
    types = ("cacheable", "noncacheable")
    assert told == [(start, end, size) for start in types for end in types for size in (4096, 8192)]
    assert all(record["verified"] is True and record["unit"] == "GB/s" for record in records)
    kept = real.json(*PORTS, "maintenance", "--sizes", "4KiB,8KiB", "--buffers", "1,4", "--load", "0,1")["records"]
    told = [tuple(record["parameters"][name] for name in ("op", "buffers", "load", "size")) for record in kept]
    assert told == [(op, buffers, load, size) for op in ("flush", "invalidate") for buffers in (1, 4)
                    for load in (0, 1) for size in (4096, 8192)]  # fmt: skip
    heads = real(*PORTS, "memcpy", "--sizes", "4KiB").stdout
    assert "memcpy from cacheable to noncacheable memory" in " ".join(heads.split())


def test_bytes_that_do_not_arrive_are_told_first_and_end_with_1(real: Isthmus) -> None:
    stale = ("port-tx", "--port", "hpc", "--state", "written", "--sizes", "64KiB", "--set", "port.hpc.snoop=false")
    done = real(*PORTS, *stale)
    assert done.returncode == 1
    wrong = "WRONG, port-tx over hpc, written at 64KiB: expected the bytes that were sent, got older ones"
    assert done.stdout.splitlines()[0] == wrong
    assert done.stderr == f"error: {wrong}\n"
    right = real(*PORTS, *stale[:-2])
    assert right.returncode == 0 and "WRONG" not in right.stdout
    unflushed = ("port-rx", "--port", "hp", "--state", "read", "--sizes", "64KiB")
    assert real(*PORTS, *unflushed, "--set", "cpu.maintenance.enabled=false").returncode == 1


def test_probes_that_take_none_of_the_sizes_are_left_out_with_a_note_if_no_probe_is_named(real: Isthmus) -> None:
    done = real.well("probe", "model:aws-f1", "--sizes", "64KiB")
    assert "device-latency: left out 64KiB; it takes multiples of 64 B" in done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            (*PORTS, "port-tx", "--port", "hpx"),
            "--port: unknown port 'hpx': expected hp, hpc or acp; did you mean 'hp'?",
        ),
        ((*PORTS, "port-tx", "--state", "dirty"), "--state: unknown state 'dirty': expected written, read, flushed or"),
        ((*PORTS, "port-tx", "--sizes", "8GiB"), "--sizes: expected at most the 4294967296 B of a channel of the DRAM"),
        ((*PORTS, "port-tx", "--sizes", "100B"), "--sizes: expected multiples of a line of 64 B (cpu.l2.line), got"),
        ((*PORTS, "port-tx", "--sizes", "0x5"), "size '0x5': expected a whole number and B, KiB"),
        ((*PORTS, "port-tx", "--offset", "8B"), "--offset: expected a multiple of a line of 64 B (cpu.l2.line), got 8"),
        ((*PORTS, "maintenance", "--op", "clean"), "--op: unknown operation 'clean'"),
        ((*PORTS, "maintenance", "--buffers", "3", "--sizes", "64B"), "--buffers 3: expected sizes that cut into so"),
        ((*PORTS, "maintenance", "--load", "9", "--sizes", "64B"), "--load: expected 0..8 accesses of each other"),
        ((*PORTS, "transpose", "--sizes", "8KiB"), "--sizes 8KiB: nothing to tell of transpose, expected squares of"),
        (
            (*PORTS, "port-tx", "--set", "dram.channels=2", "--set", "dram.kernel_channels=2"),
            "key 'dram.channels': expected 1 on a board whose FPGA reaches a processor's memory by ports, got 2",
        ),
        (("probe", "model:aws-f1", "maintenance"), "probe 'maintenance': expected a board with cpu and l2"),
        (("probe", "model:aws-f1", "h2d", "--op", "flush"), "--op: expected a board with cpu and l2"),
        ((*PORTS, "memcpy", "--sizes", "3GiB"), "--sizes: expected at most the 2147483648 B of a channel of the DRAM"),
        (("probe", "model:aws-f1", "memcpy"), "probe 'memcpy': expected a board with cpu and l2"),
        (("probe", "model:aws-f1", "port-tx"), "probe 'port-tx': expected a board with cpu and l2"),
        (("probe", "model:aws-f1", "h2d", "--port", "hp"), "--port: expected a board with cpu and l2"),
        (("probe", "model:aws-f1", "h2d", "--state", "read"), "--state: expected a board with cpu and l2"),
        (
            ("probe", "opencl:0", "h2d", "--port", "hp"),
            "--port: expected a model with parts for port-tx, port-rx, got 'opencl:0'",
        ),
        (("run", "image-filter", "--on", "model:zynq-ultrascale", "--flow", "stream"), "expected a board with"),
    ],
)
def test_what_ports_cannot_do_is_one_line(real: Isthmus, words: tuple[str, ...], message: str) -> None:
    assert message in real.refusal(*words)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("xeon-fpga-v1", "shared-read", "--sizes", "64B", "--burst", "256B"),
            "--sizes 64B: nothing to tell of shared-read, expected sizes of at least one of --burst",
        ),
        (
            ("xeon-fpga-v1", "loopback", "--start", "nonsense"),
            "--start: expected a probe that takes it (cache-hit, cache-miss, pointer-walk, shared-read, shared-write), "
            "got loopback",
        ),
        (("aws-f1", "latency", "--start", "nonsense"), "--start: expected a board with "),
        (("xeon-fpga-v1", "loopback", "--burst", "100B"), "--burst: expected a probe that takes it"),
        (("xeon-fpga-v1", "cache-hit", "--burst", "100B"), "--burst: expected a probe that takes it"),
        (("aws-f1", "h2d", "--offset", "64B"), "--offset: expected a probe that takes it"),
        (("zynq-ultrascale", "memcpy", "--op", "flush"), "--op: expected a probe that takes it (maintenance), got"),
        (("xeon-fpga-v2", "cache-miss", "loopback", "--start", "nonsense"), "--start: unknown start 'nonsense'"),
        (
            ("xeon-fpga-v2", "cache-hit", "--channel", "vh0"),
            "--channel vh0: expected vl0 of cache-hit, because a PCIe channel never looks into the FPGA's cache",
        ),
    ],
)
def test_an_option_that_changes_nothing_is_refused(real: Isthmus, words: tuple[str, ...], message: str) -> None:
    board, *rest = words
    assert message in real.refusal("probe", f"model:{board}", *rest)


def test_sizes_below_every_request_are_told_as_left_out(real: Isthmus) -> None:
    done = real.well("probe", "model:xeon-fpga-v1", "shared-read", "--sizes", "64B,4KiB", "--burst", "256B")
    assert "shared-read: left out 64B; it takes sizes of at least one of --burst" in done.stdout + done.stderr
