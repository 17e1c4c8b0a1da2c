"""The platform file that a calibration begins with when there is none: a board wide enough for what was measured."""

from isthmus.calibration.device_curves import DeviceCurves, probe_of
from isthmus.calibration.edit import FileNumber, Value
from isthmus.calibration.template import template
from isthmus.running.probes import COPIES, all_probes

LIKE = "model:aws-f1"
LANES = (16, 32)
LANE_GB_S = 32 / 8 * 128 / 130 * 256 / (256 + 26)  # of PCIe generation 5, 256-byte payload (PCIe Base Spec 5.0, 4.2)

# Wide and quick enough to be no limit: what limits the device is then in the keys that are fitted.
_WIDE: dict[str, tuple[Value, str]] = {
    "link.pcie.generation": (5, ""),
    "link.pcie.max_payload": (256, "B"),
    "link.pcie.tags": (512, ""),
    "link.pcie.posted_header_credits": (127, ""),
    "link.pcie.posted_data_credits": (2047, ""),
    "link.pcie.nonposted_header_credits": (127, ""),
    "link.pcie.user_width": (1024, "bit"),
    "link.pcie.user_clock": (2000, "MHz"),
    "host.memory.transfer_rate": (4800, "MT/s"),
    "host.memory.channels": (8, ""),
    "host.alloc.enabled": (True, ""),
    "host.call.enqueue": (0.5, "us"),
    "host.call.wake": (0.5, "us"),
    "dma.descriptor_payload": (1024, "KiB"),
    "device.dram.data_width": (1024, "bit"),
    "device.dram.transfer_rate": (3200, "MT/s"),
    "device.dram.CL": (22, "cycles"),
    "device.axi.data_width": (1024, "bit"),
    "device.axi.clock": (1000, "MHz"),
    "device.axi.outstanding": (64, ""),
    "device.axi.latency": (50, "ns"),
}


def begin(measured: DeviceCurves, file: str) -> str:
    """The text of a platform file for the device of some records; what the records say is its starting point."""
    why = f"wide enough to be no limit to what was measured of {measured.device}: put what you know of it"
    transfers = _transfers(measured)
    fastest = max((size / time * 1e-9 for size, time in transfers), default=1.0)  # GB/s of one direction
    shortest = min((time for _, time in transfers), default=10e-6)
    lanes = next((lanes for lanes in LANES if lanes * LANE_GB_S > fastest), LANES[-1])
    wide = {**_WIDE, "link.pcie.lanes": (lanes, "")}
    changes = {key: _assumed(value, unit, why) for key, (value, unit) in wide.items()}
    guess = f"a guess from the records of {measured.device} to begin with"
    changes["dma.rate"] = _assumed(round(fastest, 4), "GB/s", guess)
    changes["host.copy.rate"] = _assumed(round(2 * fastest, 4), "GB/s", guess)
    changes["host.alloc.rate"] = _assumed(round(fastest, 4), "GB/s", guess)
    changes["host.call.transfer"] = _assumed(round(max(shortest * 1e6, 1.5), 4), "us", guess)
    price = "what an allocation of pinned memory costs besides, bytes apart: a guess to begin with"
    changes["host.alloc.call"] = _assumed(10.0, "us", price)
    return template(measured.device, file, LIKE, changes)


def _assumed(value: Value, unit: str, why: str) -> FileNumber:
    return FileNumber(value, "ours", "assumed", unit, why=why)


def _transfers(measured: DeviceCurves) -> list[tuple[int, float]]:
    return [
        (size, time)
        for name, curve in measured.curves.items()
        if (probe := all_probes()[probe_of(name)]).fitted and probe.crosses in COPIES
        for size, time in curve.items()
    ]
