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
from isthmus.base.caches import read_cached, write_cached
from isthmus.base.errors import IsthmusError
from isthmus.base.files import data_folder, user_folder, write_atomically
from isthmus.descriptions.application import is_chip
from isthmus.running.application import DESCRIBED_TOOL
from isthmus.running.integration import is_calibrated
from isthmus.running.methods import METHODS
from isthmus.running.parallel import OnCount, run_in_parallel
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


def curves_of(target: str, sets: Sequence[str] = (), progress: OnCount | None = None) -> BoardCurves:
    """The curves of a modelled board: kept ones, else measured now, and kept."""
    board = platform(target, sets)
    usual = platform(target) if sets else board
    kept = _kept(board["sha256"], recipe_of(target, sets))
    if kept is None:
        kept = measure(target, sets, progress)
        _keep(board["sha256"], kept)
    return _read(target, kept, is_calibrated(item["role"] for item in usual["inputs"]))


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


def measure(target: str, sets: Sequence[str] = (), progress: OnCount | None = None, draws: int = DRAWS) -> Any:
    """The document of a board's curves, nominal ones and those of draws, on all cores."""
    flows = flows_of_board(target, sets)
    board = platform(target, sets)
    boards = Boards(target, sets, SEED)
    done: dict[int, Draw] = {}

    def one(number: int, _on_event: Callable[[Event], None]) -> Draw:
        if number == 0:
            return Draw({}, _measured(target, tuple(sets), flows, board))
        return fresh(boards, number, flows)

    def keep(number: int, draw: Draw) -> None:
        done[number] = draw
        if progress is not None:
            progress(len(done), draws + 1)

    if flows:
        run_in_parallel(dict(enumerate(range(draws + 1))), lambda _number, _event: None, keep, one)
    return {
        "recipe": recipe_of(target, sets),
        "sha256": board["sha256"],
        "name": board.get("name"),
        "flows": flows,
        "draws": [_written(done[number]) for number in sorted(done)],
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


def _read(target: str, document: Any, calibrated: bool) -> BoardCurves:
    draws = tuple(
        Draw(one["inputs"], {name: [(x, y) for x, y in points] for name, points in one["curves"].items()})
        for one in document["draws"]
    )
    nominal = draws[0] if draws else Draw({}, {})
    return BoardCurves(target, tuple(document["flows"]), nominal, draws[1:], calibrated)


def _kept(sha256: str, recipe: int) -> Any:
    for folder in (_own_folder(), data_folder("curves")):
        document = read_cached(folder / f"{sha256[:16]}.json")
        if document is not None and document.get("sha256") == sha256 and document.get("recipe") == recipe:
            return document
    return None


def _keep(sha256: str, document: Any) -> None:
    write_cached(_own_folder() / f"{sha256[:16]}.json", _text(document))


def _text(document: Any) -> str:
    return json.dumps(document, separators=(",", ":"), sort_keys=True) + "\n"


def _own_folder() -> Path:
    return user_folder("cache") / "curves"


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
