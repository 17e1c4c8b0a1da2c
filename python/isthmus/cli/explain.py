"""`isthmus explain TARGET --measured 'PROBE SIZE VALUE UNIT'`: why a number is so low."""

from typing import TYPE_CHECKING, Annotated

from isthmus.base.errors import IsthmusError
from isthmus.base.sizes import format_size
from isthmus.base.units import BYTES
from isthmus.cli.command import PORTS, List, Sets, argument, plain
from isthmus.running.targets import devices, is_native, is_opencl, read_platform, system
from isthmus.show.output import Result
from isthmus.show.session import Session

if TYPE_CHECKING:
    from isthmus.asking.predictions import Predictions
    from isthmus.explaining.measurement import Measurement
    from isthmus.records.run import Platform

EXAMPLES = [
    "isthmus explain model:aws-f1 --measured 'd2h 64MiB 1.7 GB/s'",
    "isthmus explain model:aws-f1 --measured 'h2d 64MiB 1.2 GB/s' --symptom cpu=80%",
    "isthmus explain model:zynq-ultrascale --measured 'port-tx 4KiB 1 GB/s' --port hpc --state flushed",
    "isthmus explain model:aws-f1 --list",
]


def explain(
    session: Session,
    target: Annotated[str | None, argument("TARGET", "Model of the board: model:NAME or FILE.toml.")] = None,
    measured: Annotated[
        list[str] | None,
        plain("--measured NUMBER", "What you measured: PROBE SIZE VALUE UNIT. More numbers make the answer surer."),
    ] = None,
    symptom: Annotated[
        list[str] | None, plain("--symptom NAME=VALUE", "What else you saw: cpu=80% is the busy share of the host.")
    ] = None,
    channel: Annotated[str | None, plain("--channel NAME", "Link that was used, if the board has several.")] = None,
    start: Annotated[
        str | None, plain("--start START", "State of the caches before (shared memory): cold, warm or flushed.")
    ] = None,
    port: Annotated[str | None, plain("--port PORT", f"Port that was used: {PORTS}.")] = None,
    state: Annotated[
        str | None, plain("--state STATE", "What a core did to the buffer: written, read, flushed or streamed.")
    ] = None,
    sets: Sets = None,
    list_: List = False,
) -> None:
    """Find why a measured rate is low: rank causes by how well a model with them fits.

    A measured number is one of a probe ('isthmus probe --list'). The output shows the steps from the advertised rate
    to the measured one, then the causes. A cause is a change of the model, tried at several severities; its error is
    the largest |ln(model / measured)| over the numbers. Causes that agree within 5 % at every number share a place,
    and the output asks for the measurement that distinguishes them. A cause that misses a number by over 25 % at every
    severity is ruled out. If no cause alone comes within 10 %, pairs of causes are tried. --list names the causes that
    a board may have. The models' results are kept, so that the next question about the board is answered at once.
    """
    from isthmus.asking.predictions import Predictions
    from isthmus.explaining.measurement import over_coherent_link, read_all, read_symptoms

    if target is None:
        raise IsthmusError("TARGET: expected a model", hint="'isthmus platform list' names them.")
    if is_opencl(target) or is_native(target):
        raise IsthmusError(f"TARGET: '{target}' is a real device; expected model:NAME or FILE.toml, as it should be")
    if system(target, sets or []) is not None:
        raise IsthmusError(f"TARGET: '{target}' is a system of boards; expected one board")
    options = {"channel": channel, "start": start, "port": port, "state": state}
    chosen = tuple(sorted((name, value) for name, value in options.items() if value is not None))
    board = read_platform(target, sets or [])
    if list_:
        return session.lines(_causes(board))
    numbers = over_coherent_link(read_all(measured or [], chosen), board)
    busy = read_symptoms(symptom or [])
    _check_room(numbers, board)
    return _explain(session, board, numbers, busy, Predictions(target, sets or ()))


def _causes(board: "Platform") -> list[str]:
    from isthmus.explaining.causes import causes_of

    return [
        f"{cause.name}  {'; '.join(' '.join(change.told) for change in cause.changes)}" for cause in causes_of(board)
    ]


def _check_room(numbers: "list[Measurement]", board: "Platform") -> None:
    """A number of more bytes than the board has room for was not measured there."""
    from isthmus.running.probes import SHARED_MEMORY, all_probes

    device = next((part.name for part in board.parts if part.kind == "dram" and "device" in part.name), None)
    capacity = None if device is None else _bytes(board, f"{device}.capacity")
    for one in numbers:
        room = _shared_room(board) if all_probes()[one.probe].crosses == SHARED_MEMORY else capacity
        if room is not None and one.size > room:
            raise IsthmusError(
                f"--measured '{one.text}': {board.name} holds {format_size(room)}, expected a size of at most that"
            )


def _shared_room(board: "Platform") -> int | None:
    """The bytes of the pages for which the board's translation has entries; None if it translates nothing."""
    entries, page = board.number("translation.entries"), _bytes(board, "translation.page")
    return None if entries is None or page is None else int(entries) * page


def _bytes(board: "Platform", key: str) -> int | None:
    """A number of the board in bytes."""
    held = next((item for item in board.inputs if item.key == key), None)
    if held is None or not isinstance(held.value, int | float):
        return None
    return int(held.value * BYTES.get(held.unit or "B", 1))


def _explain(
    session: Session, board: "Platform", numbers: "list[Measurement]", busy: float | None, predictions: "Predictions"
) -> None:
    from isthmus.explaining.asking import next_measurement
    from isthmus.explaining.explain import explain as find
    from isthmus.explaining.tables import (
        ask_of,
        asked_lines,
        causes_table,
        quantity,
        rows_of,
        verdict_of,
        waterfall_table,
    )
    from isthmus.explaining.waterfall import steps_to
    from isthmus.records.explained import ExplainFile

    with session.progress() as progress:
        found = find(
            board, predictions, numbers, busy, lambda done, total: progress.update("models of causes", done, total)
        )
        falls = [steps_to(one, at, found, board, predictions) for at, one in enumerate(numbers)]
        ask = ask_of(next_measurement(found, predictions), found)
    rows = rows_of(found)
    for row in rows:
        session.stream(row)
    verdict = verdict_of(found)
    file = ExplainFile(
        context=session.context(),
        target=predictions.target,
        measured=[quantity(one, one.seconds) for one in numbers],
        cpu=busy,
        rows=rows,
        waterfall=[step for steps in falls for step in steps],
        ask=ask,
        verdict=verdict,
    )
    tables = [*map(waterfall_table, falls), causes_table(rows, numbers)]
    session.emit(Result(file, rows, verdict=[verdict.says], tables=tables, detail=asked_lines(ask)))
    if ask is not None and ask.command is not None and devices():
        session.next(ask.command)
