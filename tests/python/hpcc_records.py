"""Records of HPC Challenge as the tool writes them, for tests that need no device."""

from typing import Any

CONTEXT = {
    "argv": ["isthmus", "hpcc", "stream"],
    "host": "vm",
    "version": "0.1.0",
    "start": "2026-01-01T00:00:00+00:00",
    "elapsed": 12.5,
}


def place(rank: int = 0) -> dict[str, Any]:
    return {
        "rank": rank,
        "host": "vm",
        "target": "opencl:0",
        "device": "Fake",
        "type": "gpu",
        "pci": "0000:41:00.0",
        "part": 0,
        "parts": 1,
        "shared": False,
    }


def hpcc_record(name: str = "stream.copy", value: float = 40.0, ranks: int = 1, **changed: Any) -> dict[str, Any]:
    """A whole record; the benchmark is the first word of the name."""
    device = {
        "name": "Fake",
        "platform": "Fake",
        "vendor": "Fake",
        "driver": "1",
        "opencl": "3",
        "type": "gpu",
        "pci": "0000:41:00.0",
        "compute_units": 1,
        "clock_mhz": 1,
        "global_memory_bytes": 1,
        "ecc": True,
    }
    record = {
        "name": name,
        "benchmark": name.partition(".")[0],
        "quantity": "bandwidth",
        "unit": "GB/s",
        "value": value,
        "samples": [value, 0.9 * value],
        "median": 0.95 * value,
        "spread": 0.05,
        "seconds": [1.0, 1.1],
        "across": "average",
        "kind": "measured",
        "validated": True,
        "error": 0.0,
        "error_limit": 1.0,
        "error_is": "residual",
        "run": "base",
        "target": "opencl:0",
        "device": "Fake",
        "expected": 1.25 * value,
        "expected_spread": 0.01,
        "expected_from": "the probe",
        "efficiency": 0.8,
        "variant": "single",
        "kernel": "stream_single.cl",
        "size": "small",
        "parameters": {"ARRAY_SIZE": 4096, "NUM_REPLICATIONS": 1},
        "ranks": ranks,
        "grid": f"1x{ranks}",
        "scheme": "",
        "shared": False,
        "places": [place(rank) for rank in range(ranks)],
        "launches": [],
        "device_info": device,
        "version": "0.1.0",
    }
    return record | changed


def launches(ranks: int, replications: int) -> list[dict[str, Any]]:
    """Two replications at a time, each as long as the one before, as a scheduler with two slots runs them."""
    return [
        {
            "rank": rank,
            "replication": each,
            "start_s": each // 2 * 1e-3 + each % 2 * 1e-4,
            "end_s": (each // 2 + 1) * 1e-3 + each % 2 * 1e-4,
        }
        for rank in range(ranks)
        for each in range(replications)
    ]


def power(average: float = 300.0) -> dict[str, Any]:
    return {
        "source": "nvidia-smi",
        "average_w": average,
        "peak_w": 1.1 * average,
        "energy_j": average,
        "seconds": 1.0,
        "samples": 10,
        "interval_s": 0.1,
        "devices": [{"device": "0000:41:00.0", "average_w": average, "peak_w": 1.1 * average}],
        "per_watt": 0.5,
        "per_watt_unit": "GB/s/W",
        "reason": None,
    }


def sensors(clock: float) -> list[dict[str, Any]]:
    return [{"device": "0000:41:00.0", "host": "vm", "clock_mhz": clock, "temperature_c": 41, "slowdowns": ["idle"]}]


def scale_row(mode: str, ranks: int, speed_up: float, **changed: Any) -> dict[str, Any]:
    row = {
        "mode": mode,
        "name": "hpl",
        "ranks": ranks,
        "grid": f"1x{ranks}",
        "unit": "GFLOP/s",
        "value": 100 * speed_up,
        "speed_up": speed_up,
        "efficiency": speed_up / ranks,
        "predicted": None,
        "validated": True,
        "shared": False,
        "parameters": {"MATRIX_SIZE": 2048},
    }
    return row | changed


def errors_of(stderr: str) -> list[str]:
    """The lines beside warnings, such as that there are more ranks than cores."""
    return [line for line in stderr.splitlines() if not line.startswith("warning: ")]
