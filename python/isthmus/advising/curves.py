"""Curves of what boards deliver, measured on the model once and kept by the hash of the platform's description.

`python -m isthmus.advising.curves FOLDER` writes those of our boards, which come with the package. A file has nominal
curves and those of joint draws of a board's uncertain numbers (isthmus.advising.draws).
"""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isthmus.advising.chip_probes import ChipProbes
from isthmus.advising.curve_probes import SHARED_SIZES, STREAM_SIZES, CurveProbes, Points
from isthmus.advising.draws import Boards
from isthmus.asking.answers import Answers, OnEvent, ask_all, counting, key_of
from isthmus.base.caches import read_cached
from isthmus.base.errors import IsthmusError
from isthmus.base.files import data_folder, write_atomically
from isthmus.running.application import DESCRIBED_TOOL
from isthmus.running.boards import is_chip
from isthmus.running.integration import is_calibrated
from isthmus.running.methods import METHODS
from isthmus.running.parallel import OnCount
from isthmus.running.targets import platform, platforms
from isthmus.running.tools import Event, as_sets, assignments, collect, request_of

DRAWS = 64
RECIPE = 2  # how curves are measured, sizes too: a file of another is measured anew
CHIP_RECIPE = 3  # the same of chips
SEED = 1
DIGITS = 5
ATTEMPTS = 200  # draws of boards that run, until there is one that does


@dataclass(frozen=True)
class Draw:
    """A board as it may be: the numbers that were drawn, and its curves."""

    inputs: Mapping[str, float]
    curves: Mapping[str, Points]


@dataclass(frozen=True)
class BoardCurves:
    """The curves of a board; `flows` are those that it has for applications that are described."""

    target: str
    flows: tuple[str, ...]
    nominal: Draw
    draws: tuple[Draw, ...]
    calibrated: bool = True  # whether any number of it is calibrated by a measurement of the board

    @property
    def methods(self) -> tuple[str | None, ...]:
        """The methods that keep buffers coherent, of a chip; of any other board only that there is none to choose."""
        return tuple(one for one in METHODS if any(name.startswith(f"{one}/") for name in self.nominal.curves)) or (
            None,
        )


def curves_of(targets: Mapping[str, Sequence[str]], on_count: OnCount = lambda done, total: None) -> list[BoardCurves]:
    """The curves of modelled boards, each with changes: kept ones; the others are measured now, and kept."""
    asked = [Boards(target, sets, SEED) for target, sets in targets.items()]
    documents = {boards.target: _kept(boards) for boards in asked}

    def keep(boards: Boards, document: Any) -> None:
        documents[boards.target] = document
        Answers().write({_key(boards): document})

    _measure([boards for boards in asked if documents[boards.target] is None], keep, on_count)
    return [_read(boards, documents[boards.target]) for boards in asked]


def recipe_of(target: str, sets: Sequence[str] = ()) -> int:
    """The recipe of a board's curves."""
    return CHIP_RECIPE if is_chip(target, sets) else RECIPE


def flows_of_board(target: str, sets: Sequence[str] = ()) -> list[str]:
    """The flows in which a board runs any description at all."""
    found: list[str] = []
    for in_place in ("no", "yes", "ports"):
        request = request_of({"list": True, "on": target, "in_place": in_place, "set": as_sets(sets)})
        (told,) = collect(DESCRIBED_TOOL, request, "application")
        found += [flow for flow in told["flows"] if flow not in found]
    return found


def measure(target: str) -> Any:
    """The document of the curves of a board as it is, nominal ones and those of draws."""
    found: list[Any] = []
    _measure([Boards(target, (), SEED)], lambda _boards, document: found.append(document))
    return found[0]


def _measure(
    asked: Sequence[Boards], keep: Callable[[Boards, Any], None], on_count: OnCount = lambda done, total: None
) -> None:
    """Asks all draws of all boards at once; `keep` takes the document of a board as soon as it is complete."""
    flows = {boards.target: flows_of_board(boards.target, boards.sets) for boards in asked}
    draws = [(boards, number) for boards in asked if flows[boards.target] for number in range(DRAWS + 1)]
    found: dict[str, dict[int, Draw]] = {boards.target: {} for boards in asked}
    count = counting(on_count, len(draws))

    def draw(one: tuple[Boards, int], _on_event: OnEvent) -> Draw:
        boards, number = one
        of_board = flows[boards.target]
        if number > 0:
            return fresh(boards, number, of_board)
        return Draw({}, _measured(boards.target, boards.sets, of_board, boards.usual))

    def take(at: int, drawn: Draw) -> None:
        boards, number = draws[at]
        found[boards.target][number] = drawn
        count(at, drawn)
        if len(found[boards.target]) == DRAWS + 1:
            finish(boards)

    def finish(boards: Boards) -> None:
        keep(boards, _document(boards, flows[boards.target], found[boards.target]))

    for boards in (one for one in asked if not flows[one.target]):
        finish(boards)
    ask_all(draws, draw, take)


def _document(boards: Boards, flows: Sequence[str], draws: Mapping[int, Draw]) -> Any:
    return {
        "recipe": recipe_of(boards.target, boards.sets),
        "sha256": boards.usual["sha256"],
        "name": boards.usual.get("name"),
        "flows": flows,
        "draws": [_written(draws[number]) for number in sorted(draws)],
    }


def fresh(boards: Boards, number: int, flows: Sequence[str]) -> Draw:
    """The draw of a number: of those that a board takes the first that runs."""
    attempt = 0
    while attempt < ATTEMPTS:
        inputs = boards.draw(number, attempt)
        sets = (*boards.sets, *assignments(inputs))
        try:
            return Draw(inputs, _measured(boards.target, sets, flows, platform(boards.target, sets)))
        except IsthmusError as error:
            key = boards.learn(error)
            learned = key in inputs and boards.draw(number, attempt)[str(key)] != inputs[str(key)]
            attempt += 0 if learned else 1
    raise IsthmusError(f"'{boards.target}': no draw of its assumed numbers ran in {ATTEMPTS} tries")


def _measured(target: str, sets: tuple[str, ...], flows: Sequence[str], board: Event) -> dict[str, Points]:
    if is_chip(target, sets):
        chip = ChipProbes(target, sets, board)
        chip.measure()
        return chip.curves
    bench = CurveProbes(target, sets, board)
    if "offload" in flows:
        bench.copies()
        bench.memory()
    if "stream" in flows:
        bench.passing("stream", STREAM_SIZES)
    if "shared" in flows:
        bench.passing("shared", SHARED_SIZES)
        bench.again()
    return bench.curves


def _written(draw: Draw) -> dict[str, Any]:
    def rounded(value: float) -> float:
        return float(f"{value:.{DIGITS}g}")

    curves = {name: [[rounded(x), rounded(y)] for x, y in points] for name, points in draw.curves.items()}
    return {"inputs": {key: rounded(value) for key, value in draw.inputs.items()}, "curves": curves}


def _read(boards: Boards, document: Any) -> BoardCurves:
    draws = tuple(
        Draw(one["inputs"], {name: [(x, y) for x, y in points] for name, points in one["curves"].items()})
        for one in document["draws"]
    )
    nominal = draws[0] if draws else Draw({}, {})
    unchanged = platform(boards.target) if boards.sets else boards.usual
    calibrated = is_calibrated(item["role"] for item in unchanged["inputs"])
    return BoardCurves(boards.target, tuple(document["flows"]), nominal, draws[1:], calibrated)


def _kept(boards: Boards) -> Any:
    """The document that came with the package, or that a former command kept; None without one."""
    sha256 = boards.usual["sha256"]
    ours = read_cached(data_folder("curves") / f"{sha256[:16]}.json") or {}
    if (ours.get("sha256"), ours.get("recipe")) == (sha256, recipe_of(boards.target, boards.sets)):
        return ours
    return Answers().read([_key(boards)]).get(_key(boards))


def _key(boards: Boards) -> str:
    return key_of(DESCRIBED_TOOL, "curves", recipe_of(boards.target, boards.sets), boards.usual["sha256"])


def _text(document: Any) -> str:
    return json.dumps(document, separators=(",", ":"), sort_keys=True) + "\n"


def _write_ours(folder: Path) -> None:
    for target in platforms():
        sha256 = platform(target)["sha256"]
        found = read_cached(folder / f"{sha256[:16]}.json")
        if found is None or found.get("recipe") != recipe_of(target):
            print(target, file=sys.stderr)
            write_atomically(folder / f"{sha256[:16]}.json", _text(measure(target)))
    known = {f"{platform(target)['sha256'][:16]}.json" for target in platforms()}
    for file in folder.glob("*.json"):
        if file.name not in known:
            file.unlink()


if __name__ == "__main__":
    _write_ours(Path(sys.argv[1]))
