"""`isthmus explain TARGET --measured 'PROBE SIZE VALUE UNIT'`: why a number is so low."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from isthmus.base.errors import IsthmusError
from isthmus.cli.command import List, Sets, plain
from isthmus.show.session import Session

if TYPE_CHECKING:
    from isthmus.explaining.measurement import Measurement
    from isthmus.records import Platform
    from isthmus.running.predictions import Predictions

EXAMPLES = [
    "isthmus explain model:aws-f1 --measured 'd2h 64MiB 1.7 GB/s'",
    "isthmus explain model:aws-f1 --measured 'h2d 64MiB 1.2 GB/s' --measured 'h2d 4KiB 20 MB/s' --symptom cpu=80%",
    "isthmus explain model:zynq-ultrascale --measured 'port-tx 64KiB 0.8 GB/s' --port hpc --state flushed",
    "isthmus explain model:aws-f1 --list",
]


def explain(
    session: Session,
    target: Annotated[str | None, typer.Argument(metavar="TARGET", help="The model of the board.")] = None,
    measured: Annotated[
        list[str] | None, plain("--measured NUMBER", "A number: PROBE SIZE VALUE UNIT; several make it surer.")
    ] = None,
    symptom: Annotated[
        list[str] | None, plain("--symptom NAME=VALUE", "What else was seen: cpu=80%, the host's busy share.")
    ] = None,
    channel: Annotated[str | None, plain("--channel NAME", "The link of a board with several.")] = None,
    start: Annotated[str | None, plain("--start START", "As probe takes it, of shared memory.")] = None,
    port: Annotated[str | None, plain("--port PORT", "As probe takes it: the port that was used.")] = None,
    state: Annotated[str | None, plain("--state STATE", "As probe takes it: what was done to the buffer.")] = None,
    sets: Sets = None,
    list_: List = False,
) -> None:
    """Why a measured number is so low: causes, by how well models with them give it.

    Numbers are those of probes ('isthmus probe --list'). The way from the advertised rate to the measured one comes
    first, then the causes. Each is a change of the model at several severities; its error is the largest
    |ln(model / measured)| over the numbers. Causes that agree within 5 % at every number share a place, and what tells
    them apart is asked for. Ruled out is what misses a number by over 25 % at every severity. Two causes together are
    tried where none alone comes within 10 %. --list names the causes that a board may have. What models gave is kept,
    so that the next question about the board is answered at once.
    """
    from isthmus.explaining.measurement import read_all, read_symptoms
    from isthmus.records import Platform
    from isthmus.running.predictions import Predictions
    from isthmus.running.targets import check_target, is_model, platform, system

    if target is None:
        raise IsthmusError("TARGET: expected a model", hint="'isthmus platform list' names them.")
    check_target(target)
    if not is_model(target):
        raise IsthmusError(f"TARGET: '{target}' is a real device; expected model:NAME or FILE.toml, as it should be")
    if system(target, sets or []) is not None:
        raise IsthmusError(f"TARGET: '{target}' is a system of boards; expected one board")
    options = {"channel": channel, "start": start, "port": port, "state": state}
    chosen = tuple(sorted((name, value) for name, value in options.items() if value is not None))
    board = Platform.model_validate(platform(target, sets or []))
    if list_:
        return session.lines(_causes(board))
    numbers = read_all(measured or [], chosen)
    busy = read_symptoms(symptom or [])
    _check_room(numbers, board)
    return _explain(session, _Request(target, tuple(sets or ()), numbers, busy, board), Predictions(target, sets or ()))


@dataclass(frozen=True)
class _Request:
    """What is to be explained."""

    target: str
    sets: tuple[str, ...]
    numbers: "list[Measurement]"
    busy: float | None
    board: "Platform"


def _causes(board: "Platform") -> list[str]:
    from isthmus.explaining.causes import causes_of

    return [
        f"{cause.name}  {'; '.join(' '.join(change.told) for change in cause.changes)}" for cause in causes_of(board)
    ]


def _check_room(numbers: "list[Measurement]", board: "Platform") -> None:
    """A copy that the device has no room for was not measured there."""
    from isthmus.base.sizes import format_size
    from isthmus.base.units import BYTES

    key = next((f"{part.name}.capacity" for part in board.parts if part.kind == "dram" and "device" in part.name), None)
    held = next((item for item in board.inputs if item.key == key), None)
    if held is None or not isinstance(held.value, int | float):
        return
    room = int(held.value * BYTES.get(held.unit or "B", 1))
    for one in numbers:
        if one.size > room:
            raise IsthmusError(
                f"--measured '{one.text}': {board.name} holds {format_size(room)}, expected a size of at most that"
            )


def _explain(session: Session, asked: _Request, predictions: "Predictions") -> None:
    from isthmus.explaining.asking import next_measurement
    from isthmus.explaining.explain import explain as find
    from isthmus.explaining.tables import (
        ask_of,
        asked_lines,
        causes_table,
        quantity,
        rows_of,
        verdict_of,
        waterfall_of,
        waterfall_table,
    )
    from isthmus.explaining.waterfall import steps_to
    from isthmus.records import ExplainFile
    from isthmus.running.targets import devices
    from isthmus.show.output import Result

    with session.progress() as progress:
        found = find(
            asked.board,
            predictions,
            asked.numbers,
            asked.busy,
            lambda done, total: progress.update("models of causes", done, total),
        )
        falls = [
            waterfall_of(one, steps_to(one, at, found, asked.board, predictions))
            for at, one in enumerate(asked.numbers)
        ]
        ask = ask_of(next_measurement(found, predictions, asked.target, asked.sets), found)
    rows = rows_of(found)
    for row in rows:
        session.stream(row)
    verdict = verdict_of(found)
    file = ExplainFile(
        context=session.context(),
        target=asked.target,
        measured=[quantity(one, one.seconds) for one in asked.numbers],
        cpu=asked.busy,
        rows=rows,
        waterfall=[step for steps in falls for step in steps],
        ask=ask,
        verdict=verdict,
    )
    tables = [*map(waterfall_table, falls), causes_table(rows, asked.numbers)]
    session.emit(Result(file, rows, verdict=[verdict.says], tables=tables, detail=asked_lines(ask)))
    if ask is not None and ask.command is not None and devices():
        session.next(ask.command)
