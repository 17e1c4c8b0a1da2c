"""What each way of keeping caches coherent costs a transfer on a modelled processor with an FPGA (min2019 V-B):
bytes over raw bandwidth, and the cost of software.
"""

from collections.abc import Mapping

from isthmus.advising.description import Transfer
from isthmus.tools import collect

LINE = 64
MOST = 32 * 2**20  # bytes beyond which every curve of min2019 is flat
_STATES: Mapping[str, tuple[str, str, str]] = {  # port, and what lies in the caches when the FPGA reads and writes
    "hp-nc": ("hp", "flushed", "flushed"),
    "hpc": ("hpc", "written", "read"),
    "acp": ("acp", "written", "read"),
}


def costs_s(target: str, transfer: Transfer, cpu: str) -> dict[str, float]:
    """Seconds of one transfer by method, the cores' own cost included: what their access to memory that is not cached
    takes more. HP with maintenance is left out: no probe tells its cost here.
    """
    size = max(LINE, min(round(transfer.bytes.value / LINE) * LINE, MOST))
    scale = transfer.bytes.value / size
    probe = "port-tx" if transfer.to_device else "port-rx"
    words = [target, probe, "memcpy", "--sizes", f"{size}B", "--repeat", "1"]
    words += ["--port", "hp,hpc,acp", "--state", "written,read,flushed"]
    raw, copied = {}, {}
    for record in collect("isthmus-probe", words, "record"):
        told, took = record["parameters"], size / record["value"] * 1e-9
        if record["name"] == "memcpy":
            copied[told["from"], told["to"]] = took
        else:
            raw[told["port"], told["state"]] = took
    usual = copied["cacheable", "cacheable"]
    uncached = copied["cacheable", "noncacheable"] if cpu == "writes" else copied["noncacheable", "cacheable"]
    software = {"hp-nc": max(uncached - usual, 0.0)}
    return {
        method: scale * (raw[port, sent if transfer.to_device else fetched] + software.get(method, 0.0))
        for method, (port, sent, fetched) in _STATES.items()
    }
