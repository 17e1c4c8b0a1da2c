"""What no part of the models knows, in one list.

docs/model-limits.md is written from it (`python -m isthmus.running.limits FILE`, a test keeps them equal), and whoever
shows a modelled number names the entries that touch it.
"""

import sys
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from isthmus.base.files import write_atomically
from isthmus.base.flows import FLOWS, OFFLOAD, OVERLAP, SHARED, STREAM
from isthmus.running.probes import COPIES, LAUNCHES, STAGED, STREAMS, all_probes

if TYPE_CHECKING:
    from isthmus.records import ModelLimit, ProbeRecord, Row

DRIVEN = (OFFLOAD, OVERLAP)  # through a runtime's transfers and kernels
OVER_PCIE = (*DRIVEN, STREAM)
REGISTERS, HOST_MEMORY, SHARED_MEMORY = "registers", "host memory", "shared memory"  # what probes cross
PORTS = "processor's memory"  # likewise
WIDTH = 118


@dataclass(frozen=True)
class Limit:
    """Something that a machine has and no model does.

    `error` is the sign of what that does to a modelled time or rate; `matters` says for which questions. `flows`, and
    the probes that cross what is `crossed`, are those whose numbers it touches, `keys` the numbers of a platform file
    that stand nearest to it (patterns; a calibrated value there may hold a part of it).
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
        "The device's writes into the host's last-level cache (DDIO), unless host.llc is switched on, and what host "
        "software finds or leaves there",
        "either",
        "a host that reads what the device has just written finds it in its cache, sooner than from DRAM, and a device "
        "what the host has just written; host.llc knows the lines that devices have written and what makes way for "
        "them, and no access of the host's",
        "latency of small messages; pools of buffers of a few MiB",
        (STREAM,),
        (*COPIES, STREAMS, HOST_MEMORY),
        ("host.llc.*", "host.memory.*", "link.pcie.round_trip", "host.copy.rate"),
    ),
    Limit(
        "numa",
        "A second socket, unless host.numa is switched on, and where threads lie",
        "model too fast",
        "memory behind the other socket is reached over the sockets' link, some 60 ns later and at its rate: host.numa "
        "has that for devices; a thread of another socket than its memory or its board is slower too",
        "machines of two and more sockets; placement of threads",
        OVER_PCIE,
        (*COPIES, STREAMS, REGISTERS, HOST_MEMORY),
        ("host.numa.*", "host.memory.*", "host.cores.core_to_core", "link.pcie.round_trip"),
    ),
    Limit(
        "iommu",
        "Translation of the device's addresses (IOMMU), unless host.iommu is switched on, and ATS",
        "model too fast",
        "a miss of the IOMMU's TLB walks tables in host memory before the access; pages of 4 KiB miss often. With "
        "host.iommu a walk takes its latency and nothing of the memory's rate, no entry is ever invalidated, and "
        "devices keep no translations of their own",
        "virtual machines and hosts with the IOMMU on; many small buffers",
        OVER_PCIE,
        (*COPIES, STREAMS, HOST_MEMORY),
        ("host.iommu.*", "link.pcie.round_trip", "dma.descriptor_payload", "hypervisor.*"),
    ),
    Limit(
        "chunked-staging",
        "Staging in pieces, unless host.runtime.staging is chunked: a runtime copies one piece while the DMA engine "
        "moves the piece before",
        "model too slow",
        "with none, copy and DMA of one transfer follow each other, as Choi et al. (TRETS 2019, 3.2.1) found; later "
        "runtimes overlap them; chunked, a transfer has pinned memory for two pieces and no more",
        "pageable transfers of some MiB; runtimes later than SDAccel 2017",
        DRIVEN,
        (STAGED,),
        ("host.runtime.*", "host.copy.*", "host.alloc.*"),
    ),
    Limit(
        "copy-rates",
        "A copy's rate by its size: caches, unless host.copy.cached_rate and host.copy.cached_size are given, huge "
        "pages, non-temporal stores",
        "either",
        "a copy within the caches is faster than one through DRAM, one of fresh pages slower; the model has one rate, "
        "or two with a size between them",
        "pageable transfers far smaller or larger than those that the rate was measured with",
        DRIVEN,
        (STAGED,),
        ("host.copy.*", "host.alloc.rate"),
    ),
    Limit(
        "replays",
        "Errors of the link that nobody asked for by --faults: replays of packets, and drops of width or speed",
        "model too fast",
        "a link with errors sends packets again and may train to fewer lanes",
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
        "memory, and the socket link and the cache that are switched on, but no fabric between their root ports, no "
        "IOMMU and no cores",
        "servers with several boards, behind one root port or several",
        OVER_PCIE,
        (*COPIES, STREAMS, REGISTERS, HOST_MEMORY),
        ("link.pcie.*",),
    ),
    Limit(
        "dma-channels",
        "Several DMA engines of one direction at a link: transfers of one direction follow each other there",
        "model too slow",
        "an engine with several channels takes turns between transfers of different queues, so that one's latency "
        "hides behind another's data; a transfer by itself has one channel there too",
        "several queues that copy small buffers in one direction at once",
        DRIVEN,
        COPIES,
        ("dma.*",),
    ),
    Limit(
        "scheduler",
        "The operating system: threads that are preempted, frequency of the cores, interrupts of others",
        "model too fast",
        "a thread of the model always runs when it can",
        "tail latencies; hosts with more threads than cores",
        FLOWS,
        (*COPIES, STREAMS, REGISTERS, LAUNCHES),
        ("host.call.*", "stream.library_call", "stream.porter_period"),
    ),
    Limit(
        "host-work",
        "What the application itself computes on the host between calls",
        "model too fast",
        "frames and messages are filled and checked in no time, so that the platform alone is seen",
        "applications whose host threads are busy",
        FLOWS,
        (),
        ("host.call.*", "stream.library_call"),
    ),
    Limit(
        "coherent-traffic",
        "What else meets on the way between a coherent cache, the home and memory: channels and rows of the host's "
        "DRAM, the cores' own caches, other sockets and what they snoop",
        "model too fast",
        "the home moves a line each way in a cycle of cache.clock, memory answers in host.memory.latency whatever is "
        "asked of it, and a core reaches the last-level cache at once",
        "host software that works on memory while circuits do; links faster than a channel of DRAM",
        (SHARED,),
        (SHARED_MEMORY,),
        ("link.qpi.*", "link.capi.*", "cache.*", "host.memory.*", "host.llc.*"),
    ),
    Limit(
        "processor-ports",
        "What else meets between the FPGA's ports and a processor's memory: first caches of the cores, priorities of "
        "the DRAM's controller, other masters, and lines that pass between caches without the interconnect",
        "either",
        "a line that a first cache has modified is asked for there before the second cache answers, which costs "
        "cycles, and the first caches hold lines beside those of the second; ports and caches share the controller in "
        "the order of arrival; a core holds no more lines than it has read ahead",
        "buffers of a few KiB, which the first caches hold; boards whose other ports are busy",
        (),
        (PORTS,),
        ("port.hp.*", "port.hpc.*", "port.acp.*", "interconnect.*", "cpu.clock", "cpu.l2.*"),
    ),
    Limit(
        "network",
        "What a network does to packets: switches between the ends, their queues, and how soon a sender is held back",
        "model too fast",
        "a line has one latency and loses nothing; a receiver without room holds the sender back at once, where frames "
        "that ask for a pause travel as long as others do, or packets are dropped",
        "percentiles of latency at high load; more senders than one",
        (),
        (),
        ("network.*",),
    ),
    Limit(
        "storage",
        "What is inside a drive: its channels and dies, its cache, what its firmware does besides; the file system in "
        "front of it; writes",
        "model too fast",
        "reads in sequence take one latency each and leave at one rate, in their order; the data that the host reads "
        "pass no link of the drive and take none of the memory's bandwidth; the board's reads pass no link that others "
        "use",
        "reads at random places; drives that are nearly full, or that erase; hosts whose memory limits",
        (),
        (),
        ("storage.*",),
    ),
    Limit(
        "dram-policy",
        "The vendor's memory controller: its address mapping, reordering, ECC and calibration",
        "either",
        "requests of a direction are served as they arrive, with rows opened ahead; no read-modify-write of ECC",
        "scattered access to device memory, writes of less than a burst",
        DRIVEN,
        ("device memory",),
        ("device.dram.*",),
    ),
    Limit(
        "reconfiguration",
        "The time in which the FPGA is configured, whole or in part: all kernels are there when a run begins",
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
        "Whether a circuit fits and reaches its clock",
        "model too fast",
        "kernel.clock holds for any kernel; a large one closes at less",
        "designs that fill the FPGA",
        FLOWS,
        (),
        ("kernel.clock", "device.axi.clock", "device.onchip.*"),
    ),
)


def of_flow(flow: str) -> list[Limit]:
    """Limits that touch a modelled row of that flow."""
    return [limit for limit in LIMITS if flow in limit.flows]


def of_probe(name: str) -> list[Limit]:
    """Limits that touch a modelled record of that probe."""
    probe = all_probes().get(name)
    return [limit for limit in LIMITS if probe and probe.crosses in limit.crossed]


def of_keys(keys: Iterable[str]) -> list[Limit]:
    """Limits that touch one of a platform's numbers, each named KIND.KEY: the last two words of a pattern."""
    known = list(keys)
    return [limit for limit in LIMITS if any(fnmatchcase(key, _usual(each)) for key in known for each in limit.keys)]


def _usual(pattern: str) -> str:
    return ".".join(pattern.split(".")[-2:])


def together(found: Iterable[Sequence[Limit]]) -> list[Limit]:
    """Each once, in the order of the list."""
    kept = {limit.id for group in found for limit in group}
    return [limit for limit in LIMITS if limit.id in kept]


def of_records(rows: "Iterable[Row]", probed: "Iterable[ProbeRecord]" = ()) -> list[Limit]:
    """Limits that touch what is modelled in these rows and records."""
    flows = {row.flow for row in rows if row.kind == "modelled"}
    names = {record.name for record in probed if record.kind == "modelled"}
    return together([*map(of_flow, sorted(flows)), *map(of_probe, sorted(names))])


def as_records(limits: Sequence[Limit]) -> "list[ModelLimit]":
    """As JSON files tell of them."""
    from isthmus.records import ModelLimit

    return [ModelLimit(id=one.id, what=one.what, error=one.error, why=one.why, matters=one.matters) for one in limits]


def named(limits: Sequence[Limit]) -> str:
    """One line that names them and where they are described."""
    return f"not modelled: {', '.join(limit.id for limit in limits)} ('limits' of --json - says what and how it errs)"


def document() -> str:
    """docs/model-limits.md."""
    return HEAD + "".join(map(_entry, LIMITS))


HEAD = """\
# What the models do not know

Each entry says what a machine has and no part of the models does, which way a modelled number errs for it, for which
questions that matters, and what it touches. A calibrated number may hold a part of it: what was measured had it all.
No factor stands in for any of them. `isthmus platform show`, reports and studies name the entries that touch what they
show. The list is `python/isthmus/running/limits.py`; `python -m isthmus.running.limits docs/model-limits.md` writes
this page.
"""


def _entry(limit: Limit) -> str:
    touched = [name for name, probe in all_probes().items() if probe.crosses in limit.crossed]
    lines = [
        f"{limit.what}.",
        f"- **Error:** {limit.error}: {limit.why}.",
        f"- **Matters for:** {limit.matters}.",
        f"- **Touches:** {_touched('flows', limit.flows)}{_touched('probes', touched)}"
        f"{_touched('keys', limit.keys)}".rstrip("; ")
        + ".",
    ]
    wrapped = [
        textwrap.fill(
            line, WIDTH, subsequent_indent="  " * line.startswith("-"), break_long_words=False, break_on_hyphens=False
        )
        for line in lines
    ]
    return f"\n## {limit.id}\n" + "\n".join(wrapped) + "\n"


def _touched(kind: str, names: Sequence[str]) -> str:
    return f"{kind} {', '.join(f'`{name}`' for name in names)}; " if names else ""


if __name__ == "__main__":
    write_atomically(Path(sys.argv[1]), document())
