"""The steps from the advertised rate of a number's path to the measured rate, each with what it pays for."""

from dataclasses import replace

from isthmus.asking.predictions import ENDS, Predictions
from isthmus.explaining.explain import Explanation, predicted
from isthmus.explaining.measurement import Measurement
from isthmus.records.base import Kind
from isthmus.records.explained import WaterfallStep
from isthmus.records.run import Platform
from isthmus.running.probes import COPIES, STAGED, all_probes

_DEVICE_MEMORY = ("device-read", "device-write")
_PORTS = ("port-tx", "port-rx")


def steps_to(
    number: Measurement, at: int, found: Explanation, board: Platform, predictions: Predictions
) -> list[WaterfallStep]:
    """The steps of the number at that place of the explanation's."""
    steps = _advertised(number, board) + _of_copy(number, predictions)
    steps.append(_as_it_is(number, found.base[at].seconds))
    if found.fitting and found.fitting[0].error < found.base_error:
        steps += _causes(number, at, found, predictions)
    return [*steps, _step(number, "measured", "what no cause here explains", number.seconds, "measured")]


def _step(number: Measurement, what: str, pays: str, seconds: float, kind: Kind = "modelled") -> WaterfallStep:
    """The rate that is left after one more cost, for a time in seconds."""
    value = number.value_of(seconds)
    return WaterfallStep(number=number.what, what=what, pays=pays, value=value, unit=number.unit, kind=kind)


def _as_it_is(number: Measurement, seconds: float) -> WaterfallStep:
    """The number of the model, which is what its last part takes away."""
    if number.direction is None or all_probes()[number.probe].crosses != STAGED:
        return _step(number, "the model as it is", "all that is in the platform file", seconds)
    if number.probe == "h2d-alloc":
        return _step(number, "allocation, the model as it is", "pinned memory of the size", seconds)
    return _step(number, "copy, the model as it is", "pageable to pinned memory, or back", seconds)


def _advertised(number: Measurement, board: Platform) -> list[WaterfallStep]:
    """The time of the bytes at the rates that data sheets promise."""

    def value(key: str) -> float:
        return board.number(key) or 0.0

    if number.probe in _DEVICE_MEMORY and (parts := board.of_kind("dram")):
        beats = value(f"{parts[0]}.transfer_rate") * 1e6 * value(f"{parts[0]}.kernel_channels")
        return _promise(number, beats * value(f"{parts[0]}.data_width") / 8, "the DRAM's transfer rate and data bus")
    if number.probe in _PORTS and (parts := board.of_kind(str(dict(number.chosen).get("port", "hp")))):
        rate = value(f"{parts[0]}.width") / 8 * value(f"{parts[0]}.clock") * 1e6
        return _promise(number, rate, "the port's width and clock")
    if number.direction is not None and (parts := board.of_kind("pcie")):
        rate = link_rate(int(value(f"{parts[0]}.generation")), int(value(f"{parts[0]}.lanes")))
        return _promise(number, rate, "lanes and transfer rate")
    return []


def link_rate(generation: int, lanes: int) -> float:
    """Bytes a second that a PCIe link is sold with: 8 GB/s of generation 3 and 8 lanes (choi2019 section 1)."""
    per_lane = {1: 0.25e9, 2: 0.5e9, 3: 1e9, 4: 2e9, 5: 4e9}[generation]
    return per_lane * lanes


def _promise(number: Measurement, rate: float, pays: str) -> list[WaterfallStep]:
    return [_step(number, "advertised", pays, number.size / rate)] if rate > 0 and number.size else []


def _of_copy(number: Measurement, predictions: Predictions) -> list[WaterfallStep]:
    """The steps of a copy: packets and engine as in a long copy, the call, then pinned, pageable, allocated memory."""
    if all_probes()[number.probe].crosses not in COPIES or number.direction is None:
        return []
    pinned = "d2h-pinned" if number.probe.startswith("d2h") else "h2d-pinned"
    query = replace(number.query, probe=pinned)
    answers = predictions.answers([query, *(replace(query, size=size) for size in ENDS)])
    long = [answers[replace(query, size=size)] for size in ENDS]
    here = answers[query]
    if here is None or long[0] is None or long[1] is None:
        return []
    each = (long[1].seconds - long[0].seconds) / (ENDS[1] - ENDS[0])
    steps = [
        _step(number, "packets and DMA engine", "headers, framing, requests, descriptors", each * number.size),
        _step(number, "driver call", "call, interrupt, wake-up, first and last packets", here.seconds),
    ]
    if number.probe == "h2d-alloc":
        staged = predictions.answers([replace(query, probe="h2d")])[replace(query, probe="h2d")]
        steps += [_step(number, "copy", "pageable to pinned memory", staged.seconds)] if staged else []
    return steps


def _causes(number: Measurement, at: int, found: Explanation, predictions: Predictions) -> list[WaterfallStep]:
    """A step for the best cause; where it takes two, one after the other."""
    best = found.fitting[0]
    steps = [_step(number, " and ".join(best.causes), " ".join(found.change_of(best).told), best.trial.seconds[at])]
    if best.together:
        first = found.suspects[(best.causes[0],)]
        both = set(found.change_of(best).told)
        alone = next(
            (one for one in first.changes if both.issuperset(one.told)), None
        )  # the severity that is part of it
        row = predicted(predictions, [alone], [number])[0][0] if alone else None
        if row is not None and alone is not None:
            steps.insert(0, _step(number, best.causes[0], " ".join(alone.told), row.seconds))
    return steps
