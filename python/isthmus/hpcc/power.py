"""What devices draw while they are measured: samples every 100 ms, of which those in a repetition count."""

import threading
import time
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from isthmus.records import HpccPower, HpccPowerOf, HpccRecord

INTERVAL_S = 0.1  # meyer2024 3.3.4

Clock = Callable[[], float]


@dataclass(frozen=True)
class Span:
    """From begin to end, in seconds of the host's monotonic clock."""

    begin: float
    end: float


@dataclass(frozen=True)
class Sample:
    """The watts of each device at one time, or the mean over a span whose middle that is."""

    at: float
    watts: Mapping[str, float]


class Sampler(Protocol):
    """Takes samples from `start` until `stop`, which hands them over."""

    source: str

    def start(self) -> None:
        """Begins to take samples."""

    def stop(self) -> list[Sample]:
        """Ends it; an IsthmusError where the source failed meanwhile."""


class Polling:
    """A sampler that asks `read` every 100 ms, in a thread of its own."""

    def __init__(self, source: str, read: Callable[[], Sample | None]) -> None:
        """`read` gives None where it has nothing to tell yet."""
        self.source = source
        self._read = read
        self._samples: list[Sample] = []
        self._error: Exception | None = None
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)

    def start(self) -> None:
        """Begins to ask."""
        self._thread.start()

    def stop(self) -> list[Sample]:
        """The samples; raises what the last `read` raised."""
        self._done.set()
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._samples

    def _work(self) -> None:
        next_time = time.monotonic()
        try:
            while not self._done.is_set():
                sample = self._read()
                if sample is not None:
                    self._samples.append(sample)
                next_time = max(next_time + INTERVAL_S, time.monotonic())
                self._done.wait(next_time - time.monotonic())
        except Exception as error:
            self._error = error


def power_of(source: str, samples: Sequence[Sample], repetitions: Sequence[Span]) -> HpccPower:
    """Average, peak and energy of all devices together in the repetitions."""
    seconds = sum(span.end - span.begin for span in repetitions)
    begins = [span.begin for span in repetitions]  # one after the other
    kept = [sample for sample in samples if _within(sample.at, begins, repetitions)]
    if not kept:
        return no_power(f"no sample of {source} fell into the repetitions, {seconds:.3g} s together: --repeat more")
    together = [sum(sample.watts.values()) for sample in kept]
    average = sum(together) / len(together)
    return HpccPower(
        source=source,
        average_w=average,
        peak_w=max(together),
        energy_j=average * seconds,
        seconds=seconds,
        samples=len(kept),
        interval_s=INTERVAL_S,
        devices=_by_device(kept),
    )


def _within(at: float, begins: Sequence[float], spans: Sequence[Span]) -> bool:
    place = bisect_right(begins, at)
    return place > 0 and at <= spans[place - 1].end


def no_power(reason: str) -> HpccPower:
    """No number, and why."""
    return HpccPower(source=None, interval_s=INTERVAL_S, reason=reason)


def per_watt(power: HpccPower, record: HpccRecord) -> HpccPower:
    """Adds the performance per watt of a record: that of all ranks together over the peak (meyer2024 3.3.4).

    The thesis divides by the peak, not by the average: the devices idle while buffers are copied.
    """
    if not power.peak_w or record.quantity == "latency":
        return power
    performance = record.value * (record.ranks if record.across == "average" else 1)
    return power.model_copy(
        update={"per_watt": performance / power.peak_w, "per_watt_unit": f"{record.unit}/W"},
    )


def _by_device(samples: Sequence[Sample]) -> list[HpccPowerOf]:
    found = []
    for device in dict.fromkeys(device for sample in samples for device in sample.watts):
        watts = [sample.watts[device] for sample in samples if device in sample.watts]
        found.append(HpccPowerOf(device=device, average_w=sum(watts) / len(watts), peak_w=max(watts)))
    return found
