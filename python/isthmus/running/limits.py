"""The list of what no part of the models knows.

`python -m isthmus.running.limits FILE` writes docs/model-limits.md from it (a test keeps them equal), and commands that
show a modelled number name the entries that touch it.
"""

import sys
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from isthmus.base.files import write_atomically
from isthmus.base.flows import FLOWS, OFFLOAD, OVERLAP, SHARED, STREAM
from isthmus.running.probes import COPIES, LAUNCHES, SHARED_MEMORY, STAGED, STREAMS, all_probes

if TYPE_CHECKING:
    from isthmus.records import ModelLimit, ProbeRecord, Row

DRIVEN = (OFFLOAD, OVERLAP)  # through a runtime's transfers and kernels
OVER_PCIE = (*DRIVEN, STREAM)
REGISTERS, HOST_MEMORY = "registers", "host memory"  # what probes cross
PORTS = "processor's memory"  # likewise
WIDTH = 118


@dataclass(frozen=True)
class Limit:
    """Something that a machine has and no model does.

    `error` is the direction in which a modelled time or rate errs; `matters` names the questions that this affects.
    `flows`, and the probes that cross one of `crossed`, are those whose numbers it touches; `keys` are patterns of the
    nearest numbers of a platform file (a calibrated value there may hold a part of it).
    """

    id: str
    what: str
    error: Literal["model too fast", "model too slow", "either"]
    why: str
    matters: str
    flows: tuple[str, ...] = ()
    crossed: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()


LIMITS = (
    Limit(
        "ddio",
        "Writes of devices into the host's last-level cache (DDIO), unless host.llc is on; accesses of host software "
        "to that cache",
        "either",
        "a host finds in its cache what the device has just written, sooner than in DRAM, and a device finds what the "
        "host has just written; host.llc knows the lines that devices have written and what replaces them, but no "
        "access of the host",
        "latency of small messages; pools of buffers of a few MiB",
        (STREAM,),
        (*COPIES, STREAMS, HOST_MEMORY),
        ("host.llc.*", "host.memory.*", "link.pcie.round_trip", "host.copy.rate"),
    ),
    Limit(
        "host-dram",
        "Banks, rows and refresh of the host's DRAM on boards with PCIe links; its channels one by one, unless "
        "host.memory.interleave is given",
        "model too fast",
        "without host.memory.interleave each access takes the rate of all channels, wherever it lies; with it, that of "
        "the channels that it lies on, and while the queue of one of these is full all behind it wait, which a "
        "machine's other channels do not; a row that is opened and a refresh take nothing of that rate, and a core "
        "that copies asks for bytes without an address, which lie on all channels alike and have no row",
        "hosts with few or slow channels; scattered accesses; memory that cores use meanwhile",
        OVER_PCIE,
        (*COPIES, STREAMS, HOST_MEMORY),
        ("host.memory.*", "host.copy.rate"),
    ),
    Limit(
        "numa",
        "A second socket, unless host.numa is on; the placement of threads",
        "model too fast",
        "memory of the other socket is reached over the sockets' link, some 60 ns later and at that link's rate; "
        "host.numa models this for devices; a thread on another socket than its memory or its board is slower too",
        "machines with two or more sockets; placement of threads",
        OVER_PCIE,
        (*COPIES, STREAMS, REGISTERS, HOST_MEMORY),
        ("host.numa.*", "host.memory.*", "host.cores.core_to_core", "link.pcie.round_trip"),
    ),
    Limit(
        "iommu",
        "Translation of the device's addresses (IOMMU), unless host.iommu is on; ATS",
        "model too fast",
        "an access that misses the IOMMU's TLB waits until the IOMMU has walked tables in host memory; pages of 4 KiB "
        "miss often. With host.iommu a walk takes its latency and none of the memory's rate, no entry is ever "
        "invalidated, and devices keep no translations of their own",
        "virtual machines and hosts with the IOMMU on; many small buffers",
        OVER_PCIE,
        (*COPIES, STREAMS, HOST_MEMORY),
        ("host.iommu.*", "link.pcie.round_trip", "dma.descriptor_payload", "hypervisor.*"),
    ),
    Limit(
        "chunked-staging",
        "Staging in pieces, unless host.runtime.staging is chunked: a runtime copies a piece while the DMA engine "
        "moves the piece before",
        "model too slow",
        "without it, copy and DMA of one transfer follow each other, as Choi et al. (TRETS 2019, 3.2.1) found; later "
        "runtimes overlap them; with it, a transfer has pinned memory for only two pieces",
        "pageable transfers of some MiB; runtimes later than SDAccel 2017",
        DRIVEN,
        (STAGED,),
        ("host.runtime.*", "host.copy.*", "host.alloc.*"),
    ),
    Limit(
        "copy-rates",
        "The dependence of a copy's rate on its size: caches (unless host.copy.cached_rate and host.copy.cached_size "
        "are given), huge pages, non-temporal stores",
        "either",
        "a copy within the caches is faster than one through DRAM, and a copy of fresh pages is slower; the model has "
        "one rate, or two with a size between them",
        "pageable transfers far smaller or larger than those that the rate was measured with",
        DRIVEN,
        (STAGED,),
        ("host.copy.*", "host.alloc.rate"),
    ),
    Limit(
        "replays",
        "Errors of the link, unless --faults asks for them: replays of packets, and drops of width or speed",
        "model too fast",
        "a link with errors sends packets again, and may train to fewer lanes",
        "boards on risers or long cables; a measured link rate below the model's",
        OVER_PCIE,
        (*COPIES, STREAMS, REGISTERS, HOST_MEMORY),
        ("link.pcie.*",),
    ),
    Limit(
        "switches",
        "Switches between root complex and board, other devices on the same link, and what root ports share beside "
        "memory",
        "model too fast",
        "each switch adds its latency, and the traffic of other devices takes its share; boards of one host share its "
        "memory, and the socket link and the cache if these are on, but no fabric between their root ports, no IOMMU "
        "and no cores",
        "servers with several boards, behind one root port or several",
        OVER_PCIE,
        (*COPIES, STREAMS, REGISTERS, HOST_MEMORY),
        ("link.pcie.*",),
    ),
    Limit(
        "dma-channels",
        "Several DMA channels of one direction at a link: in the model, transfers of one direction follow each other",
        "model too slow",
        "an engine with several channels takes turns between transfers of different queues, so that one's latency "
        "hides behind another's data; a single transfer uses one channel there too",
        "several queues that copy small buffers in one direction at once",
        DRIVEN,
        COPIES,
        ("dma.*",),
    ),
    Limit(
        "scheduler",
        "The operating system: threads that are preempted, changes of the cores' frequency, other devices' interrupts",
        "model too fast",
        "a thread of the model always runs when it can",
        "tail latencies; hosts with more threads than cores",
        FLOWS,
        (*COPIES, STREAMS, REGISTERS, LAUNCHES),
        ("host.call.*", "stream.library_call", "stream.porter_period"),
    ),
    Limit(
        "host-work",
        "The application's own computation on the host between calls",
        "model too fast",
        "filling and checking frames and messages takes no time, so that a run shows the platform alone",
        "applications whose host threads are busy",
        FLOWS,
        (),
        ("host.call.*", "stream.library_call"),
    ),
    Limit(
        "coherent-traffic",
        "Other traffic between a coherent cache, the home and memory: channels and rows of the host's DRAM, the cores' "
        "own caches, other sockets and their snoops",
        "model too fast",
        "the home moves a line each way in a cycle of cache.clock, memory always answers in host.memory.latency, and a "
        "core reaches the last-level cache at once",
        "host software that works on memory while circuits do; links faster than a channel of DRAM",
        (SHARED,),
        (SHARED_MEMORY,),
        ("link.qpi.*", "link.capi.*", "cache.*", "host.memory.*", "host.llc.*"),
    ),
    Limit(
        "processor-ports",
        "Other traffic between the FPGA's ports and a processor's memory: first-level caches, priorities of the DRAM "
        "controller, other masters, and lines that pass between caches without the interconnect",
        "either",
        "if a first-level cache has modified a line, the second-level cache asks it before it answers, which costs "
        "cycles; first-level caches hold lines beside those of the second level; ports and caches share the controller "
        "in the order of arrival; a core holds no more lines than it has read ahead",
        "buffers of a few KiB, which first-level caches hold; boards whose other ports are busy",
        (),
        (PORTS,),
        ("port.hp.*", "port.hpc.*", "port.acp.*", "interconnect.*", "cpu.clock", "cpu.l2.*"),
    ),
    Limit(
        "network",
        "A network's effect on packets: switches between the ends, their queues, and how soon a sender is held back",
        "model too fast",
        "a line has one latency and loses nothing; a receiver without room holds the sender back at once; on a real "
        "network the frames that ask for a pause travel as long as others, or packets are dropped",
        "percentiles of latency at high load; more than one sender",
        (),
        (),
        ("network.*",),
    ),
    Limit(
        "storage",
        "The inside of a drive: its channels and dies, its cache, other work of its firmware; the file system in front "
        "of it; writes",
        "model too fast",
        "reads in sequence take one latency each and leave at one rate, in order; the data that the host reads use no "
        "link of the drive and none of the memory's bandwidth; the board's reads use no link that others use",
        "reads at random places; drives that are nearly full, or that erase; hosts whose memory is the limit",
        (),
        (),
        ("storage.*",),
    ),
    Limit(
        "dram-policy",
        "The vendor's memory controller: its address mapping, reordering, ECC and calibration",
        "either",
        "masters of a direction take turns, each in its order, with rows opened ahead; ECC has no read-modify-write",
        "scattered access to device memory; writes of less than a burst",
        DRIVEN,
        ("device memory",),
        ("device.dram.*",),
    ),
    Limit(
        "reconfiguration",
        "The time to configure the FPGA, whole or in part: in the model all kernels are there when a run begins",
        "model too fast",
        "loading a kernel takes from milliseconds to seconds, and a program that swaps kernels pays for each; several "
        "kernels that are there together, each with its own ports, share the memory's channels in the model too",
        "programs that change kernels while they run",
        DRIVEN,
        (LAUNCHES,),
        ("kernel.*",),
    ),
    Limit(
        "timing-closure",
        "The limits of a circuit's size and clock: whether it fits, and whether it reaches its clock",
        "model too fast",
        "kernel.clock holds for any kernel; a large kernel reaches less",
        "designs that fill the FPGA",
        FLOWS,
        (),
        ("kernel.clock", "device.axi.clock", "device.onchip.*"),
    ),
)


def of_keys(keys: Iterable[str]) -> list[Limit]:
    """Limits that touch one of a platform's numbers, each named KIND.KEY: the last two words of a pattern."""
    known = list(keys)
    usual = {limit.id: [".".join(pattern.split(".")[-2:]) for pattern in limit.keys] for limit in LIMITS}
    return [limit for limit in LIMITS if any(fnmatchcase(key, each) for key in known for each in usual[limit.id])]


def of_records(rows: "Iterable[Row]", probed: "Iterable[ProbeRecord]" = ()) -> list[Limit]:
    """Limits that touch the modelled ones of these rows and records."""
    flows = {row.flow for row in rows if row.kind == "modelled"}
    names = {record.name for record in probed if record.kind == "modelled"}
    crossed = {probe.crosses for name, probe in all_probes().items() if name in names} if names else set()
    return [limit for limit in LIMITS if not flows.isdisjoint(limit.flows) or not crossed.isdisjoint(limit.crossed)]


def as_records(limits: Sequence[Limit]) -> "list[ModelLimit]":
    """These limits as records of JSON files."""
    from isthmus.records import ModelLimit

    return [ModelLimit(id=one.id, what=one.what, error=one.error, why=one.why, matters=one.matters) for one in limits]


def named(limits: Sequence[Limit]) -> str:
    """Names the limits in one line, and says where they are described."""
    return f"not modelled: {', '.join(limit.id for limit in limits)} ('limits' of --json - says what and how it errs)"


def document() -> str:
    """The text of docs/model-limits.md."""
    return HEAD + "".join(map(_entry, LIMITS))


HEAD = """\
# What the models do not know

Each entry names something that a machine has and the models leave out. It says in which direction a modelled number
errs, for which questions that matters, and which flows, probes and keys it touches. A calibrated number may hold a part
of it, because the measured machine had it. No factor makes up for any entry. `isthmus platform show`, reports and
studies name the entries that touch what they show. `python -m isthmus.running.limits docs/model-limits.md` writes this
page from the list `python/isthmus/running/limits.py`.
"""


def _entry(limit: Limit) -> str:
    touched = [name for name, probe in all_probes().items() if probe.crosses in limit.crossed]
    lines = [
        f"The models leave out {limit.what[0].lower()}{limit.what[1:]}.",
        f"- **Error:** {limit.error}: {limit.why}.",
        f"- **Matters for:** {limit.matters}.",
        f"- **Touches:** {_touched('flows', limit.flows)}{_touched('probes', touched)}"
        f"{_touched('keys', limit.keys)}".rstrip("; ")
        + ".",
    ]
    wrap = partial(textwrap.fill, width=WIDTH, break_long_words=False, break_on_hyphens=False)
    wrapped = [wrap(line, subsequent_indent="  " * line.startswith("-")) for line in lines]
    return f"\n## {limit.id}\n" + "\n".join(wrapped) + "\n"


def _touched(kind: str, names: Sequence[str]) -> str:
    return f"{kind} {', '.join(f'`{name}`' for name in names)}; " if names else ""


if __name__ == "__main__":
    write_atomically(Path(sys.argv[1]), document())
