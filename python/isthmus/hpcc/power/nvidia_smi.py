"""Readings of NVIDIA's nvidia-smi: one of some fields, or samples of the power."""

import re
import shutil
import subprocess
import threading
import time
from collections.abc import Sequence
from datetime import datetime
from typing import IO

from isthmus.base.errors import IsthmusError
from isthmus.hpcc.power.samples import INTERVAL_S, Sample

# The draw at this instant, where the driver gives it; `power.draw` is a mean over a second on newer GPUs.
POWER_FIELDS = ("power.draw.instant", "power.draw")
# Older drivers know them by the second name.
_OLDER = {"clocks_event_reasons.active": "clocks_throttle_reasons.active"}
_REFUSED = re.compile(r'Field "([^"]+)" is not a valid field')
_FORMAT = "--format=csv,noheader,nounits"

Row = dict[str, str | None]


def pci_of(text: str) -> str:
    """A PCI id in one spelling: 0000:41:00.0 of 00000000:41:00.0."""
    domain, _, rest = text.strip().lower().partition(":")
    return f"{int(domain, 16):04x}:{rest}"


def query(fields: Sequence[str]) -> dict[str, Row]:
    """The fields of each GPU by PCI id; None for a field that the GPU or the driver does not know.

    An IsthmusError says why nothing could be read.
    """
    asked = {field: field for field in fields}
    while True:
        known = ["pci.bus_id", *dict.fromkeys(name for name in asked.values() if name)]
        command = [_program(), f"--query-gpu={','.join(known)}", _FORMAT]
        done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
        refused = _REFUSED.search(done.stdout + done.stderr)
        field = next((field for field, name in asked.items() if refused and name == refused[1]), None)
        if field is None:
            break
        asked[field] = _OLDER.get(asked[field], "")
    if done.returncode != 0:
        raise IsthmusError(f"nvidia-smi: {(done.stderr or done.stdout).strip() or f'exit code {done.returncode}'}")
    rows = [dict(zip(known, map(_value, line.split(",")), strict=True)) for line in done.stdout.splitlines() if line]
    return {pci_of(str(row["pci.bus_id"])): {field: row.get(name) for field, name in asked.items()} for row in rows}


class NvidiaSmi:
    """Samples of the power of some GPUs, by PCI id, from one nvidia-smi that prints every 100 ms."""

    source = "nvidia-smi"

    def __init__(self, gpus: Sequence[str]) -> None:
        """Looks the GPUs up; an IsthmusError where one is unknown or gives no power."""
        found = query(["uuid", *POWER_FIELDS])
        missing = [gpu for gpu in gpus if pci_of(gpu) not in found]
        if missing:
            raise IsthmusError(f"nvidia-smi knows no GPU {', '.join(missing)}")
        rows = [found[pci_of(gpu)] for gpu in gpus]
        field = next((field for field in POWER_FIELDS if all(row[field] is not None for row in rows)), None)
        if field is None:
            raise IsthmusError("nvidia-smi gives no power of these GPUs")
        self._field = field
        self._gpus = [str(row["uuid"]) for row in rows]
        self._lines: list[str] = []
        # nvidia-smi stamps its lines with the time of day.
        self._day = time.time() - time.monotonic()

    def start(self) -> None:
        """Starts nvidia-smi."""
        fields = f"timestamp,pci.bus_id,{self._field}"
        command = [
            _program(),
            f"--query-gpu={fields}",
            _FORMAT,
            "-i",
            ",".join(self._gpus),
            "-lms",
            f"{INTERVAL_S * 1e3:.0f}",
        ]
        self._process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, text=True
        )
        self._thread = threading.Thread(target=self._listen, args=(self._process.stdout,), daemon=True)
        self._thread.start()

    def stop(self) -> list[Sample]:
        """Ends nvidia-smi; GPUs that were asked in one round are one sample."""
        self._process.terminate()
        self._process.wait()
        self._thread.join()
        by_gpu: dict[str, list[tuple[float, float]]] = {}
        for line in self._lines:
            stamp, gpu, watts = [_value(cell) for cell in line.split(",")]
            if stamp is not None and gpu is not None and watts is not None:
                at = datetime.strptime(stamp, "%Y/%m/%d %H:%M:%S.%f").timestamp() - self._day
                by_gpu.setdefault(pci_of(gpu), []).append((at, float(watts)))
        if len(by_gpu) < len(self._gpus):
            return []
        rounds = zip(*by_gpu.values(), strict=False)
        return [Sample(one[0][0], {gpu: watts for gpu, (_, watts) in zip(by_gpu, one, strict=True)}) for one in rounds]

    def _listen(self, stream: IO[str]) -> None:
        for line in stream:
            if line.count(",") == 2 and line.endswith("\n"):
                self._lines.append(line)


def _program() -> str:
    program = shutil.which("nvidia-smi")
    if program is None:
        raise IsthmusError("nvidia-smi not found")
    return program


def _value(cell: str) -> str | None:
    text = cell.strip()
    return None if text.strip("[]") in ("N/A", "Not Supported", "Unknown Error", "GPU requires reset", "") else text
