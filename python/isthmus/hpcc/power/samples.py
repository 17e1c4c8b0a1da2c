"""The power of devices while they are measured: samples every 100 ms, of which those in repetitions count."""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from isthmus.records.hpcc import HpccPower, HpccPowerOf, HpccRecord

INTERVAL_S = 0.1  # meyer2024 3.3.4

Clock = Callable[[], float]


@dataclass(frozen=True)
class Span:
    """A time from begin to end, in seconds of the host's monotonic clock."""

    begin: float
    end: float


@dataclass(frozen=True)
class Sample:
    """The watts of each device at one time, or their mean over the time `since` then."""

    at: float
    watts: Mapping[str, float]
    since: float | None = None

    def share(self, spans: Sequence[Span]) -> float:
        """How much of the sample lies in these spans: seconds of a mean; 1 or 0 for a reading of one time."""
        if self.since is None:
            return float(any(span.begin <= self.at <= span.end for span in spans))
        return sum(max(0.0, min(self.at, span.end) - max(self.since, span.begin)) for span in spans)


class Sampler(Protocol):
    """Takes samples from `start` until `stop`, which hands them over."""

    source: str

    def start(self) -> None:
        """Begins to take samples."""

    def stop(self) -> list[Sample]:
        """Ends it; an IsthmusError where the source failed meanwhile."""


class Polling:
    """A sampler that asks `read` at the start, every 100 ms, and at the end, in a thread of its own."""

    def __init__(self, source: str, read: Callable[[], Sample | None]) -> None:
        """`read` gives None while it has no sample."""
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
            over = False
            while not over:
                over = self._done.is_set()
                sample = self._read()
                if sample is not None:
                    self._samples.append(sample)
                next_time = max(next_time + INTERVAL_S, time.monotonic())
                self._done.wait(0 if over else next_time - time.monotonic())
        except Exception as error:
            self._error = error


def power_of(source: str, samples: Sequence[Sample], repetitions: Sequence[Span]) -> HpccPower:
    """Average, peak and energy of all devices together in the repetitions, or where no sample fell into them around."""
    if not repetitions:
        return no_power("no repetition was measured")
    seconds = sum(span.end - span.begin for span in repetitions)
    shares = [(sample, share) for sample in samples if (share := sample.share(repetitions)) > 0]
    kept = shares or [(sample, 1.0) for sample in _around(samples, repetitions)]
    if not kept:
        return no_power(f"{source} gave no sample")
    average = _mean([(sum(sample.watts.values()), share) for sample, share in kept])
    return HpccPower(
        source=source,
        average_w=average,
        peak_w=max(sum(sample.watts.values()) for sample, _ in kept),
        energy_j=average * seconds,
        seconds=seconds,
        samples=len(kept),
        around=not shares,
        interval_s=INTERVAL_S,
        devices=_by_device(kept),
    )


def _around(samples: Sequence[Sample], repetitions: Sequence[Span]) -> list[Sample]:
    """The last one before the repetitions, those between them, and the first one after."""
    before = [sample for sample in samples if sample.at < repetitions[0].begin]
    behind = [sample for sample in samples if sample.at > repetitions[-1].end]
    between = [sample for sample in samples if repetitions[0].begin <= sample.at <= repetitions[-1].end]
    return before[-1:] + between + behind[:1]


def _mean(values: Sequence[tuple[float, float]]) -> float:
    """The mean of values with their weights."""
    return sum(value * weight for value, weight in values) / sum(weight for _, weight in values)


def no_power(reason: str) -> HpccPower:
    """A power record without numbers, and the reason."""
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


def _by_device(kept: Sequence[tuple[Sample, float]]) -> list[HpccPowerOf]:
    found = []
    for device in dict.fromkeys(device for sample, _ in kept for device in sample.watts):
        watts = [(sample.watts[device], share) for sample, share in kept if device in sample.watts]
        found.append(HpccPowerOf(device=device, average_w=_mean(watts), peak_w=max(value for value, _ in watts)))
    return found
