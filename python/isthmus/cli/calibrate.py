"""`isthmus calibrate FILE --from RECORDS`: a platform file fitted to what was measured of a device."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from isthmus.base.errors import AnswerIsNoError, IsthmusError
from isthmus.base.files import check_writable, read_text, write_atomically
from isthmus.base.names import select
from isthmus.base.numbers import figure, percent
from isthmus.base.sizes import parse_sizes
from isthmus.base.units import BIT_RATES, RATES, TIMES
from isthmus.calibration.limits import Range, limits_of_keys
from isthmus.cli.command import argument, plain
from isthmus.cli.noise import warn_if_noisy
from isthmus.running.probes import LAUNCHES, all_probes, fitted_probes
from isthmus.running.targets import read_platform
from isthmus.show.output import Result, Table
from isthmus.show.session import Session

if TYPE_CHECKING:
    from isthmus.calibration.device_curves import Curves, DeviceCurves
    from isthmus.calibration.edit import FileNumber
    from isthmus.calibration.fit import Fit
    from isthmus.records.calibration import CalibratedKey, CurveError
    from isthmus.records.run import Input, Platform

EXAMPLES = [
    "isthmus probe opencl:0 'h2d*' 'd2h*' launch --json records.json",
    "isthmus calibrate mine.toml --from records.json",
    "isthmus calibrate mine.toml --from monday.json --from tuesday.json",
    "isthmus calibrate mine.toml --from records.json --leave-out 1KiB,64KiB,4MiB",
]
# The parts whose times and rates follow from records of copies: host, link and DMA engine.
KINDS = frozenset({"pcie", "memory", "cores", "copy", "alloc", "call", "mmio", "dma"})
FAR = 0.25  # of a probe's median error: above it the model is no model of the device
INFLEXIBLE = "the link's lanes, generation and tags, or the DMA engine's descriptor_payload"
UNITS = frozenset({*TIMES, *RATES, *BIT_RATES})  # of numbers that a fit may change


def calibrate(
    session: Session,
    file: Annotated[str, argument("FILE", "A platform file; a missing one is written first.")],
    records: Annotated[
        list[str] | None,
        plain(
            "--from RECORDS",
            "JSON of 'isthmus probe', or its JSON lines; several runs may be given, and their medians are fitted.",
        ),
    ] = None,
    keys: Annotated[list[str] | None, plain("--keys KEY", "Name or glob of the keys to fit; may be repeated.")] = None,
    leave_out: Annotated[
        str | None, plain("--leave-out SIZES", "Sizes to leave out of the fit and to compare with its result.")
    ] = None,
) -> None:
    """Fit a platform file to what was measured of a device.

    The fit changes the times and rates of host, link and DMA engine (and kernel.launch if it was probed) that no data
    sheet gives, or those that --keys names. If the records cannot tell the effects of some keys apart, the output names
    them, and only one of them is changed. Fitted numbers are written into FILE with the role calibrated and the date;
    comments and unchanged numbers stay. A number that would leave its range stops at its end and stays assumed. The
    exit code is 1 if some fitted probe is off by more than 25 % (median).
    """
    from isthmus.calibration.curves import like
    from isthmus.calibration.device_curves import curve_of, probe_of, read_measured
    from isthmus.calibration.fit import fit
    from isthmus.show.probe_tables import spreads

    if not records:
        raise IsthmusError("--from: expected a file of records, as 'isthmus probe TARGET --json FILE' writes")
    if not file.endswith(".toml"):
        raise IsthmusError(f"FILE: expected a name that ends in .toml, got '{file}'")
    check_writable(Path(file), "FILE")
    measured = read_measured([Path(each) for each in records])
    left_out = parse_sizes(leave_out) if leave_out else []
    points = {
        probe: curve for probe, curve in measured.only(left_out, False).items() if probe_of(probe) in fitted_probes()
    }
    if not points:
        raise IsthmusError(f"--leave-out {leave_out}: nothing is left to fit")
    with _there(session, file, measured):
        start = _start(file, keys, measured)
        with session.progress() as progress:
            progress.update("looking for the numbers", 0, 1)
            values = {key: float(str(item.value)) for key, item in start.items()}
            found = fit(points, values, partial(like, file), _ranges(file, start))
        if not found.values:
            raise IsthmusError(f"{', '.join(records)}: these records say nothing of {', '.join(start)}")
    warn_if_noisy(session, spreads(record for record in measured.records if curve_of(record) in points))
    names = ", ".join(Path(each).name for each in records)
    written = _write(file, start, found, f"{measured.device}, {measured.kind}: {names}")
    left = _compare(file, measured.only(left_out, True))
    return _show(session, file, found, written, _compare(file, points), left, measured.differ)


@contextmanager
def _there(session: Session, file: str, measured: "DeviceCurves") -> Iterator[None]:
    """Makes the file if it is not there; one that is not fitted then does not stay."""
    from isthmus.calibration.begin import begin

    if Path(file).exists():
        yield
        return
    write_atomically(Path(file), begin(measured, file))
    try:
        yield
    except BaseException:
        Path(file).unlink()
        raise
    session.note(f"{file} is new: a platform for {measured.device}, every other number assumed")


def _start(file: str, wanted: list[str] | None, measured: "DeviceCurves") -> "dict[str, Input]":
    board = read_platform(file)
    if len(board.links) > 1 and None in measured.channels():
        raise IsthmusError(
            f"{file}: the board has the links {', '.join(board.links)}, and the records do not say which"
        )
    inputs = {item.key: item for item in board.inputs}
    numbers = [key for key, item in inputs.items() if item.unit in UNITS]
    if wanted:
        return {key: inputs[key] for key in select("key", wanted, numbers)}
    usual = {key: board.usual(key) for key in numbers}
    fitted = {key for key in numbers if usual[key].partition(".")[0] in KINDS}
    if any(all_probes()[name].crosses == LAUNCHES for name in measured.probes()):
        fitted |= {key for key in numbers if usual[key] == "kernel.launch"}
    free = [key for key in numbers if key in fitted and inputs[key].role not in ("datasheet", "configuration")]
    off = [key for key in free if getattr(inputs.get(f"{key.rpartition('.')[0]}.enabled"), "value", True) is False]
    return {key: inputs[key] for key in free if key not in off and _may_tell(board, key, measured)}


def _may_tell(board: "Platform", key: str, measured: "DeviceCurves") -> bool:
    """Tells whether records can say anything of a key: not of a link's that none of them is of."""
    channels = {part.name: part.channel for part in board.parts if part.channel is not None}
    own = channels.get(key.rpartition(".")[0])
    return own is None or len(channels) < 2 or own in measured.channels()


def _ranges(file: str, start: "dict[str, Input]") -> dict[str, Range]:
    """The range of each number, in its unit: its own range if it has one, within that of the schema."""
    limits = limits_of_keys(file)
    found: dict[str, Range] = {}
    for key, item in start.items():
        low, high = limits[key].within(item.unit or "")
        own = item.range or [low, high]
        found[key] = (max(low, float(own[0])), min(high, float(own[1])))
    return found


def _write(file: str, start: "dict[str, Input]", found: "Fit", source: str) -> "list[CalibratedKey]":
    from isthmus.calibration.edit import replace_number
    from isthmus.records.calibration import CalibratedKey

    text, written = read_text(Path(file)), []
    ranges = _ranges(file, start)
    for key, value in found.values.items():
        unit, end = start[key].unit or "", found.at_end.get(key)
        number = _number(value, unit, source, ranges[key], end)
        old = float(str(start[key].value))
        if end is None and number.value == float(f"{old:.4g}"):
            continue
        text = replace_number(text, key, number, file)
        written.append(CalibratedKey(key=key, old=old, new=float(number.value), unit=unit, at_end=end))
    write_atomically(Path(file), text)
    return written


def _number(value: float, unit: str, source: str, within: Range, end: str | None) -> "FileNumber":
    """A number as it is written into the file: calibrated, unless an end of its range stopped it."""
    from isthmus.calibration.edit import FileNumber

    low, high = within
    rounded = min(max(float(f"{value:.4g}"), low), high)
    if end is not None:
        why = f"at an end of its range: {source} would have it {'less' if end == 'least' else 'more'}"
        return FileNumber(rounded, "ours", "assumed", unit, within, why)
    return FileNumber(rounded, source, "calibrated", unit, date=datetime.now(UTC).date().isoformat())


def _compare(file: str, points: "Curves") -> dict[str, list[float]]:
    from isthmus.calibration.curves import exactly
    from isthmus.calibration.fit import errors

    return errors(points, exactly(file, points))


def _curve_errors(found: dict[str, list[float]], which: Literal["fitted", "left out"]) -> "list[CurveError]":
    from isthmus.calibration.fit import median
    from isthmus.records.calibration import CurveError

    return [
        CurveError(name=probe, which=which, sizes=len(each), median=median(each), largest=max(map(abs, each)))
        for probe, each in found.items()
    ]


def _show(
    session: Session,
    file: str,
    found: "Fit",
    written: "list[CalibratedKey]",
    fitted: dict[str, list[float]],
    left: dict[str, list[float]],
    differ: float | None,
) -> None:
    from isthmus.calibration.device_curves import probe_of
    from isthmus.records.calibration import CalibrateFile

    keys = Table(
        ("key", "was", "is", "unit", "role"),
        [(one.key, figure(one.old, 4), figure(one.new, 4), one.unit, _role(one)) for one in written],
        numbers=frozenset({"was", "is"}),
    )
    errors = [*_curve_errors(fitted, "fitted"), *_curve_errors(left, "left out")]
    overall = [_overall(each) for each in (fitted, left)]
    kept = [key for key in found.values if key not in {one.key for one in written}]
    curves = Table(
        ("probe", "sizes", "how many", "median error, model", "largest, model"),
        [(one.name, one.which, str(one.sizes), percent(one.median), percent(one.largest)) for one in errors],
        numbers=frozenset({"how many", "median error, model", "largest, model"}),
    )
    session.emit(
        Result(
            CalibrateFile(
                context=session.context(),
                file=file,
                keys=written,
                together=found.together,
                silent=found.silent,
                curves=errors,
                median_fitted=overall[0],
                median_left_out=overall[1],
                runs_differ=differ,
            ),
            written,
            verdict=[f"{file}: {_counted(written)}; {_sentence(overall)}"],
            tables=[*([keys] if written else []), curves],
            detail=[
                *([f"the runs themselves are {percent(differ)} apart (median)"] if differ is not None else []),
                *(
                    f"these records cannot tell apart: {', '.join(group)}; {group[0]} stands for all of them"
                    for group in found.together
                ),
                *([f"these records say nothing of: {', '.join(found.silent)}"] if found.silent else []),
                *([f"found as they were: {', '.join(kept)}"] if kept else []),
            ],
        )
    )
    _judge(file, [error for error in errors if probe_of(error.name) in fitted_probes()])
    names = [probe_of(name) for name in fitted]
    session.next(f"isthmus probe {file} {next(name for name in fitted_probes() if name in names)}")


def _judge(file: str, errors: "Sequence[CurveError]") -> None:
    """AnswerIsNoError where the model is far from a probe that it was fitted to."""
    worst = max(errors, key=lambda error: error.median)
    if worst.median > FAR:
        raise AnswerIsNoError(
            f"{file}: the model is off by {percent(worst.median)} (median) for {worst.name}, sizes {worst.which}; "
            f"expected at most {percent(FAR)}; help: a number that is not fitted may cause it, such as {INFLEXIBLE}."
        )


def _role(key: "CalibratedKey") -> str:
    return "calibrated" if key.at_end is None else f"assumed: at the end of its range ({key.at_end})"


def _counted(written: "Sequence[CalibratedKey]") -> str:
    ends = [key.key for key in written if key.at_end is not None]
    pinned = f", {', '.join(ends)} at the end of its range" if ends else ""
    return f"{len(written) - len(ends)} numbers calibrated{pinned}"


def _overall(found: dict[str, list[float]]) -> float | None:
    from isthmus.calibration.device_curves import probe_of
    from isthmus.calibration.fit import median

    probes = fitted_probes()
    every = [error for curve, errors in found.items() if probe_of(curve) in probes for error in errors]
    return median(every) if every else None


def _sentence(overall: Sequence[float | None]) -> str:
    fitted, left = overall
    which, error = ("left out", left) if left is not None else ("that were fitted", fitted)
    return f"at sizes {which} the model is off by {100 * (error or 0.0):.1f} % (median)"
