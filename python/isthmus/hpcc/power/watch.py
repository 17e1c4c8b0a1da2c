"""The watch of a run: it samples the power of the devices and reads their sensors."""

import platform
import subprocess
import time

from isthmus.base.errors import IsthmusError
from isthmus.base.numbers import as_number
from isthmus.hpcc.power.nvidia_smi import NvidiaSmi
from isthmus.hpcc.power.rapl import rapl
from isthmus.hpcc.power.samples import Polling, Sample, Sampler, Span, no_power, per_watt, power_of
from isthmus.hpcc.power.sensors import read_sensors
from isthmus.records.hpcc import HpccPlace, HpccPower, HpccRecord, HpccSensors, HpccSensorsAround
from isthmus.running.tools import Event

LEFT_OUT = "left out by --no-power"


def watts_of(command: str) -> float:
    """The watts that a person's command prints; an IsthmusError if it fails or prints something else."""
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    watts = as_number(done.stdout)
    if done.returncode != 0 or watts is None or not 0 <= watts < float("inf"):
        said = (done.stdout.strip() or done.stderr.strip())[:60]
        raise IsthmusError(f"--power-command '{command}': expected watts, got '{said}', exit code {done.returncode}")
    return watts


class Watch:
    """Power and sensors from the event `places` of a run on, until its first record."""

    def __init__(self, power_command: str | None = None, wanted: bool = True) -> None:
        """A command of the user's is tried once: an IsthmusError if it prints no watts."""
        self._command = power_command
        self._wanted = wanted
        if power_command is not None:
            watts_of(power_command)
        self._places: list[HpccPlace] = []
        self._before: list[HpccSensors] = []
        self._after: list[HpccSensors] = []
        self._sampler: Sampler | None = None
        self._repetitions: list[Span] = []
        self._power = no_power("no repetition was measured")
        self._open = False

    def take(self, event: Event) -> None:
        """Takes an event of the benchmark: the ranks have their places, or a repetition is over."""
        if event["event"] == "places":
            self._begin([HpccPlace.model_validate(place) for place in event["places"]])
        elif event["event"] == "progress" and "begin_s" in event:
            self._repetitions.append(Span(float(event["begin_s"]), float(event["end_s"])))
            if event["done"] == event["total"]:
                self._after = read_sensors(self._places)  # before the device cools down over the validation

    def _begin(self, places: list[HpccPlace]) -> None:
        self._places = places
        self._before = read_sensors(self._places)
        self._open = True
        try:
            self._sampler = self._source() if self._wanted else None
            self._power = no_power(LEFT_OUT)
            if self._sampler is not None:
                self._sampler.start()
        except (IsthmusError, OSError) as error:
            self._sampler, self._power = None, no_power(str(error))

    def told(self, record: HpccRecord) -> HpccRecord:
        """The record with what was seen."""
        self.end()
        self._after = self._after or read_sensors(self._places)
        sensors = HpccSensorsAround(before=self._before, after=self._after)
        return record.model_copy(update={"power": per_watt(self._power, record), "sensors": sensors})

    def end(self) -> None:
        """Takes no more samples; may be called twice."""
        if self._open and self._sampler is not None:
            self._power = self._summary(self._sampler)
        self._open = False

    def _summary(self, sampler: Sampler) -> HpccPower:
        try:
            return power_of(sampler.source, sampler.stop(), self._repetitions)
        except (IsthmusError, OSError, ValueError) as error:
            return no_power(str(error))

    def _source(self) -> Sampler:
        if self._command is not None:
            command = self._command
            return Polling(command, lambda: Sample(time.monotonic(), {"command": watts_of(command)}))
        elsewhere = sorted({place.host for place in self._places} - {platform.node()})
        if elsewhere:
            raise IsthmusError(f"ranks run on {', '.join(elsewhere)}, and power is read on {platform.node()} alone")
        if all(place.type == "cpu" for place in self._places):
            return rapl()
        gpus = list(dict.fromkeys(place.pci for place in self._places if place.pci))
        if not gpus or any(place.pci is None for place in self._places):
            raise IsthmusError(f"no source of the power of '{self._places[0].device}': see --power-command")
        return NvidiaSmi(gpus)
