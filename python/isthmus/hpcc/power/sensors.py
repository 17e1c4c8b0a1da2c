"""Clocks, temperatures and memory errors of the devices of this host."""

import platform
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from isthmus.base.errors import IsthmusError
from isthmus.hpcc.power import nvidia_smi
from isthmus.records.hpcc import HpccPlace, HpccSensors

SYS = Path("/sys")
# Temperature sensors that sit in a processor, by the name of their driver.
_PROCESSORS = ("coretemp", "k10temp", "zenpower")

_GPU_FIELDS = {
    "driver": "driver_version",
    "clock_mhz": "clocks.sm",
    "memory_clock_mhz": "clocks.mem",
    "temperature_c": "temperature.gpu",
    "memory_temperature_c": "temperature.memory",
    "ecc_corrected": "ecc.errors.corrected.volatile.total",
    "ecc_uncorrected": "ecc.errors.uncorrected.volatile.total",
    "slowdowns": "clocks_event_reasons.active",
}
# Bits of the clocks' event reasons (nvml.h, nvmlClocksEventReason...).
_REASONS = {
    0x1: "idle",
    0x2: "application clocks",
    0x4: "software power cap",
    0x8: "hardware slowdown",
    0x10: "sync boost",
    0x20: "software thermal slowdown",
    0x40: "hardware thermal slowdown",
    0x80: "hardware power brake",
    0x100: "display clocks",
}


def read_sensors(places: Sequence[HpccPlace], sys: Path = SYS) -> list[HpccSensors]:
    """Reads the sensors of each device of this host that ranks run on; what is not known is None."""
    host = platform.node()
    here = [place for place in places if place.host == host]
    found = [_processor(host, sys)] if any(place.type == "cpu" for place in here) else []
    gpus = list(dict.fromkeys(nvidia_smi.pci_of(place.pci) for place in here if place.pci))
    rows: dict[str, nvidia_smi.Row] = {}
    if gpus:
        with suppress(IsthmusError):
            rows = nvidia_smi.query(list(_GPU_FIELDS.values()))
    return found + [_gpu(gpu, host, rows.get(gpu, {})) for gpu in gpus]


def _gpu(gpu: str, host: str, row: nvidia_smi.Row) -> HpccSensors:
    fields = {name: row.get(field) for name, field in _GPU_FIELDS.items()}
    reasons = fields.pop("slowdowns")
    slowdowns = None if reasons is None else [name for bit, name in _REASONS.items() if int(reasons, 16) & bit]
    return HpccSensors.model_validate({"device": gpu, "host": host, "slowdowns": slowdowns, **fields})


def _processor(host: str, sys: Path) -> HpccSensors:
    clocks = _numbers(sys, "devices/system/cpu/cpu[0-9]*/cpufreq/scaling_cur_freq")
    sensors = [folder.name for folder in sys.glob("class/hwmon/hwmon*") if _text(folder / "name") in _PROCESSORS]
    temperatures = [value for name in sensors for value in _numbers(sys, f"class/hwmon/{name}/temp*_input")]
    corrected = _numbers(sys, "devices/system/edac/mc/mc*/ce_count")
    uncorrected = _numbers(sys, "devices/system/edac/mc/mc*/ue_count")
    return HpccSensors(
        device="cpu",
        host=host,
        clock_mhz=sum(clocks) / len(clocks) / 1000 if clocks else None,  # kHz
        temperature_c=max(temperatures) / 1000 if temperatures else None,  # thousandths
        ecc_corrected=sum(corrected) if corrected else None,
        ecc_uncorrected=sum(uncorrected) if uncorrected else None,
    )


def _numbers(root: Path, pattern: str) -> list[int]:
    return [int(text) for path in root.glob(pattern) if (text := _text(path)).lstrip("-").isdigit()]


def _text(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""
