"""Encrypted packets, by the command with the real tools: networks, traces, what bad input gets."""

import struct
from pathlib import Path

import pytest
from tests.python.conftest import EXPLAINED, Isthmus
from tests.python.test_schemas import check

from isthmus.asking.experiments import Experiment, run_experiment
from isthmus.records.run import Row
from isthmus.show.wrong import wrong_lines

BOARD = "model:stratix-v"
ONE = ("--set", "batch=1")
RUN = ("run", "packet-encryption")
STREAM = (*RUN, "--on", BOARD, "--flow", "stream", *ONE)
# Those of S001-056: stacc, table VI.
LARGE = ("batch=256", "host_threads=3")


def through_the_host(count: int, parameters: tuple[str, ...], *sets: str) -> Row:
    """The row of such a run by itself, whose limit no reruns look for."""
    asked = Experiment("packet-encryption", BOARD, "offload", count, parameters=parameters, sets=sets)
    row = run_experiment(asked, lambda event: None, remember=False)
    assert row.verified
    return row


def write_trace(path: Path, sizes: list[int], link_type: int = 1) -> None:
    """A pcap file (little-endian, microseconds) of packets of such sizes."""
    header = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, link_type)
    packets = [
        struct.pack("<IIII", 1_700_000_000 + i, i, size, size) + bytes((i * 31 + k * 7) % 256 for k in range(size))
        for i, size in enumerate(sizes)
    ]
    path.write_bytes(header + b"".join(packets))


def test_a_network_is_the_limit_until_it_is_faster_and_then_the_kernels_clock_is(real: Isthmus) -> None:
    file = real.json(*STREAM, "--count", "4000", **EXPLAINED)
    check("run", file)
    (row,) = file["rows"]
    assert row["verified"] is True
    assert (row["lost"], row["reordered"], row["counted"], row["bytes_each"]) == (0, 0, "packets", 1500)
    assert row["bottleneck"]["relief"].startswith("network.rate=")
    (row,) = real.json(*STREAM, "--count", "4000", "--set", "network.rate=100Gbit/s", **EXPLAINED)["rows"]
    assert row["bottleneck"]["relief"].startswith("kernel.clock=")


def test_batches_leave_a_smaller_share_of_the_time_in_which_the_accelerator_does_not_compute(real: Isthmus) -> None:
    offload = (*RUN, "--on", BOARD, "--flow", "offload", "--count", "768")
    shares = []
    for batch, threads in (("1", "1"), ("64", "1"), ("64", "3")):
        (row,) = real.json(*offload, "--set", f"batch={batch}", "--set", f"host_threads={threads}")["rows"]
        assert row["verified"] is True
        shares.append(row["overhead_share"])
    assert 1 > shares[0] > shares[1] > shares[2] > 0


@pytest.mark.parametrize("threads", [1, 3])
def test_twice_the_packets_through_the_host_take_twice_the_time(threads: int) -> None:
    parameters = ("batch=64", f"host_threads={threads}")
    once, twice = (through_the_host(count, parameters).elapsed_s for count in (16384, 32768))
    assert twice / once == pytest.approx(2, rel=0.02)


def test_the_path_by_which_the_device_sends_to_the_host_limits_packets_through_it_and_is_named(real: Isthmus) -> None:
    sets = [word for parameter in LARGE for word in ("--set", parameter)]
    (row,) = real.json(*RUN, "--on", BOARD, "--flow", "offload", "--count", "16384", *sets, **EXPLAINED)["rows"]
    limit = row["bottleneck"]
    assert limit["part"] == "PCIe transmitter"
    assert limit["relief"].rpartition("=")[0] in ("link.pcie.user_width", "link.pcie.user_clock")
    assert {effect["part"] for effect in limit["effects"]} == {"PCIe transmitter"}
    # 16 B a cycle of 200 MHz carry the slot of a packet, 24 words of 64 B. Each request to read takes the place of one:
    # 512 B of a slot to the device, or two descriptors, each of 4 KiB of one direction.
    places = 1536 / 64 + 1536 / 512 + 2 * 1536 / 4096 / 2
    most = 16 * 200e6 / 64 / places
    assert row["value"] == pytest.approx(limit["busy_share"] * most, rel=0.001)
    assert row["value"] > 0.9 * most


def test_faster_lanes_behind_the_path_that_limits_packets_through_the_host_help_only_with_it() -> None:
    path, lanes = "link.pcie.user_width=256bit", "link.pcie.generation=3"
    base, wide, fast, both = (
        through_the_host(16384, LARGE, *sets).value for sets in ((), (path,), (lanes,), (path, lanes))
    )
    assert fast == pytest.approx(base, rel=0.005)
    assert wide > 1.04 * base
    # Right behind the path lie the lanes.
    assert both > 1.5 * wide


def test_packets_at_a_tenth_of_the_load_take_the_time_of_the_network_there_and_back(real: Isthmus) -> None:
    (row,) = real.json(*STREAM, "--count", "400", "--set", "load=0.1")["rows"]
    assert row["parameters"]["load"] == 0.1
    assert row["latency"]["p50_s"] == pytest.approx(23.6e-6, rel=0.01)
    assert row["value"] * 1524 * 8 == pytest.approx(0.1 * 40e9, rel=0.05)


def test_a_trace_goes_from_file_to_file_and_twice_gives_itself(real: Isthmus) -> None:
    write_trace(real.folder / "in.pcap", [60 + i * 37 % 1400 for i in range(50)])
    pcap = (*RUN, *ONE, "--on", "native")
    for source, target in (("in", "once"), ("once", "twice")):
        (row,) = real.json(*pcap, "--input", f"{source}.pcap", "--set", f"output={target}.pcap")["rows"]
        assert (row["count"], row["lost"]) == (50, 0)
    trace = (real.folder / "in.pcap").read_bytes()
    assert (real.folder / "twice.pcap").read_bytes() == trace
    assert (real.folder / "once.pcap").read_bytes() != trace
    assert sorted(path.name for path in real.folder.glob("*.p*")) == ["in.pcap", "once.pcap", "twice.pcap"]


def test_what_was_lost_is_said_where_all_that_came_was_right() -> None:
    row = Row.model_construct(
        target="native", flow="stream", verified=False, count=1000, counted="packets", lost=3, reordered=1
    )
    (line,) = wrong_lines([row])
    assert line.endswith("of 1,000 packets 3 lost, 1 out of order")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--on", "native", "--set", "packet_size=63"), "packet_size: expected an integer of 64..9000 B"),
        (("--on", "native", "--set", "packet_size=9001"), "packet_size: expected an integer of 64..9000 B"),
        (("--on", "native", "--set", "batch=0"), "batch: expected an integer of 1..4096"),
        (("--on", "native", "--set", "load=1.5"), "load: expected a number of 0.001..1"),
        (("--on", "native", "--set", "key=00"), "key: expected 64 hexadecimal digits, got '00'"),
        (("--on", "native", "--set", "colour=red"), "colour"),
        (("--on", "native", "--input", "cut.pcap"), "cut.pcap: packet 1: truncated"),
        (("--on", "native", "--input", "empty.pcap"), "empty.pcap: expected packets, got none"),
        (("--on", "native", "--input", "raw.pcap"), "raw.pcap: expected packets of Ethernet"),
        (("--on", "native", "--set", "output=no/such/out.pcap"), "no/such/out.pcap"),
        (("--on", "model:aws-f1", "--flow", "stream"), "network"),
    ],
)
def test_what_cannot_be_encrypted_is_one_line(real: Isthmus, words: tuple[str, ...], complaint: str) -> None:
    write_trace(real.folder / "whole.pcap", [100, 100])
    (real.folder / "cut.pcap").write_bytes((real.folder / "whole.pcap").read_bytes()[:-1])
    write_trace(real.folder / "empty.pcap", [])
    write_trace(real.folder / "raw.pcap", [100], link_type=101)
    assert complaint in real.refusal(*RUN, *words)
