"""Curves of what boards deliver, measured on the model once and kept by the hash of the platform's description.

`python -m isthmus.advising.curves FOLDER` writes those of our boards, which come with the package. A file has nominal
curves and those of joint draws of a board's uncertain numbers (isthmus.advising.draws).
"""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from isthmus.advising.chip_probes import ChipProbes
from isthmus.advising.curve_probes import SHARED_SIZES, STREAM_SIZES, CurveProbes, Points
from isthmus.advising.draws import Boards
from isthmus.asking.answers import Answers, ask_all, counting, key_of
from isthmus.base.caches import read_cached
from isthmus.base.errors import IsthmusError
from isthmus.base.files import data_folder, write_atomically
from isthmus.base.groups import grouped_by
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


def curves_of(target: str) -> BoardCurves:
    """The curves of a modelled board as it is."""
    return curves_of_boards({target: ()})[0]


def curves_of_boards(
    boards: Mapping[str, Sequence[str]], on_count: OnCount = lambda done, total: None
) -> list[BoardCurves]:
    """The curves of modelled boards, each with changes: kept ones; the others are measured now, and kept."""
    asked = [_Board(target, tuple(sets)) for target, sets in boards.items()]
    documents = {board.target: board.kept() for board in asked}
    missing = [board for board in asked if documents[board.target] is None]
    for board, document in zip(missing, _measure(missing, on_count), strict=True):
        documents[board.target] = document
        Answers().write({board.key: document})
    return [_read(board, documents[board.target]) for board in asked]


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
    return _measure([_Board(target, ())])[0]


@dataclass(frozen=True)
class _Board:
    """A board with changes, whose curves are asked for."""

    target: str
    sets: tuple[str, ...]

    @cached_property
    def made_of(self) -> Event:
        """Its description."""
        return platform(self.target, self.sets)

    @cached_property
    def flows(self) -> list[str]:
        """The flows in which it runs any description at all."""
        return flows_of_board(self.target, self.sets)

    @cached_property
    def draws(self) -> Boards:
        """The board as it may be."""
        return Boards(self.target, self.sets, SEED)

    @property
    def key(self) -> str:
        """The key of its document among kept answers."""
        return key_of(DESCRIBED_TOOL, "curves", recipe_of(self.target, self.sets), self.made_of["sha256"])

    def kept(self) -> Any:
        """The document of its curves that came with the package, or that a former command kept; None without one."""
        sha256 = self.made_of["sha256"]
        ours = read_cached(data_folder("curves") / f"{sha256[:16]}.json") or {}
        if (ours.get("sha256"), ours.get("recipe")) == (sha256, recipe_of(self.target, self.sets)):
            return ours
        return Answers().read([self.key]).get(self.key)

    def draw(self, number: int) -> Draw:
        """The nominal curves, 0, or those of a draw."""
        if number > 0:
            return fresh(self.draws, number, self.flows)
        return Draw({}, _measured(self.target, self.sets, self.flows, self.made_of))

    def document(self, draws: Sequence[Draw]) -> Any:
        """The document of these draws."""
        return {
            "recipe": recipe_of(self.target, self.sets),
            "sha256": self.made_of["sha256"],
            "name": self.made_of.get("name"),
            "flows": self.flows,
            "draws": [_written(draw) for draw in draws],
        }


def _measure(boards: Sequence[_Board], on_count: OnCount = lambda done, total: None) -> list[Any]:
    """The documents of boards, all of whose draws are asked at once; a board that refuses ends all."""
    asked = [(board, number) for board in boards if board.flows for number in range(DRAWS + 1)]
    found = ask_all(asked, lambda one, _on_event: one[0].draw(one[1]), counting(on_count, len(asked)))
    drawn = grouped_by(lambda one: one[0].target, zip((board for board, _ in asked), found, strict=True))
    return [board.document([draw for _, draw in drawn.get(board.target, [])]) for board in boards]


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


def _read(board: _Board, document: Any) -> BoardCurves:
    draws = tuple(
        Draw(one["inputs"], {name: [(x, y) for x, y in points] for name, points in one["curves"].items()})
        for one in document["draws"]
    )
    nominal = draws[0] if draws else Draw({}, {})
    usual = platform(board.target) if board.sets else board.made_of
    calibrated = is_calibrated(item["role"] for item in usual["inputs"])
    return BoardCurves(board.target, tuple(document["flows"]), nominal, draws[1:], calibrated)


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
