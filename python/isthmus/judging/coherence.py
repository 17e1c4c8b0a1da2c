"""The best way to keep a buffer coherent that a chip's cores and its FPGA share (min2019, V.B and figure 5)."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from isthmus.asking.applications import buffers_of, describe, described_with
from isthmus.running.methods import TREE
from isthmus.running.tools import value_of

if TYPE_CHECKING:
    from isthmus.asking.experiments import Experiment

SEQUENTIAL = "sequential"  # the rewrite of a program so that it writes its buffers in sequence
TO_FPGA, TO_CPU, WITHIN = "to-fpga", "to-cpu", "within"

LARGE = 16 << 20  # bytes, from which most of a buffer has left the caches
SMALL = 64 << 10  # bytes, up to which a buffer is still there


@dataclass(frozen=True)
class SharedBuffer:
    """The known facts of a buffer before it is moved."""

    direction: str  # TO_FPGA, TO_CPU or WITHIN the FPGA
    size: int  # bytes
    mostly_written: bool = True  # the CPU hardly reads it
    sequential: bool = True  # and writes it in sequence,
    can_be_sequential: bool = True  # or could
    read_at_once: bool = False  # by the FPGA, as soon as the CPU has written it
    reordered: int = 0  # bytes that other work goes through, which can be put before the FPGA's reads
    busy_memory: bool = False  # other programs go to memory a lot


@dataclass(frozen=True)
class Decision:
    """A method, and the answers that led to it."""

    method: str
    path: tuple[str, ...]

    @property
    def rewritten(self) -> bool:
        """Tells whether it holds for a program that is rewritten to write in sequence."""
        return "can be made sequential" in self.path


@dataclass(frozen=True)
class Answer:
    """An answer to a question of the tree, when it is given, and what follows: a method, or the next question."""

    says: str
    holds: Callable[[SharedBuffer], bool]
    then: "str | Question"


@dataclass(frozen=True)
class Question:
    """A question of the tree; the first of its answers that holds is given."""

    asks: str
    answers: tuple[Answer, ...]


def _else(_transfer: SharedBuffer) -> bool:
    return True


_BACKGROUND = Question(
    "How busy is memory with other work?",
    (Answer("busy memory", lambda one: one.busy_memory, "hpc"), Answer("idle memory", _else, "hp-c")),
)
_REORDERED = Question(
    "What can be done before the FPGA reads?",
    (
        Answer("over 16 MiB of other work before", lambda one: one.reordered > LARGE, "hpc"),
        Answer("no work to put before", _else, _BACKGROUND),
    ),
)
_CACHED = Question(  # of a buffer that stays cacheable, by what of it the caches will have
    "How large is it, and when is it read?",
    (
        Answer("over 16 MiB", lambda one: one.size > LARGE, "hpc"),
        Answer("below 64 KiB, read at once", lambda one: one.size < SMALL and one.read_at_once, "acp"),
        Answer("below 64 KiB, read later", lambda one: one.size < SMALL, _REORDERED),
        Answer("64 KiB to 16 MiB", _else, _REORDERED),
    ),
)
_WRITTEN = Question(
    "In which order does the CPU write?",
    (
        Answer("in sequence", lambda one: one.sequential, "hp-nc"),
        Answer("can be made sequential", lambda one: one.can_be_sequential, "hp-nc"),
        Answer("out of sequence", _else, _CACHED),
    ),
)
_USED = Question(
    "What does the CPU do with the buffer?",
    (
        Answer("mostly written", lambda one: one.mostly_written, _WRITTEN),
        Answer("the CPU reads it too", _else, _CACHED),
    ),
)
FIGURE_5 = Question(
    "Which way do the data go?",
    (
        Answer("within the FPGA", lambda one: one.direction == WITHIN, "hp-nc"),
        Answer("to the CPU", lambda one: one.direction == TO_CPU, "hpc"),
        Answer("to the FPGA", _else, _USED),
    ),
)


def decide(transfer: SharedBuffer) -> Decision:
    """The method for a buffer by the decision tree (min2019, figure 5)."""
    path: list[str] = []
    place: str | Question = FIGURE_5
    while isinstance(place, Question):
        answer = next(one for one in place.answers if one.holds(transfer))
        path.append(answer.says)
        place = answer.then
    return Decision(place, tuple(path))


def kept_coherent(experiment: "Experiment") -> "Experiment":
    """The experiment with the method of each buffer, if the tree chooses it, and the rewrite of its answer."""
    if experiment.method != TREE:
        return experiment
    decisions = {name: decide(transfer) for name, transfer in transfers_of(experiment).items()}
    rewritten = any(decision.rewritten for decision in decisions.values())
    return replace(
        experiment,
        methods=tuple(f"{name}={decision.method}" for name, decision in decisions.items()),
        rewrite=SEQUENTIAL if rewritten else experiment.rewrite,
    )


def transfers_of(experiment: "Experiment") -> dict[str, SharedBuffer]:
    """The buffers of an application with these parameters, by name."""
    typed, parameters = experiment.application, experiment.parameters
    each = described_with(typed, describe(typed), parameters).bytes_each if experiment.delay else 0
    delayed = value_of(experiment.delay or "0")
    later = delayed if isinstance(delayed, int) else 0  # anything else its tool refuses
    busy = experiment.described is not None and experiment.described.description.background == "memory"
    found: dict[str, SharedBuffer] = {}
    for buffer in buffers_of(experiment.application, experiment.tool_parameters):
        size = int(buffer["bytes"])
        found[str(buffer["name"])] = SharedBuffer(
            direction=str(buffer["direction"]),
            size=size,
            mostly_written=bool(buffer["mostly_written"]),
            sequential=bool(buffer["sequential"]),
            can_be_sequential=bool(buffer["can_be_sequential"]),
            read_at_once=bool(buffer["read_at_once"]) and later == 0,
            reordered=later * each,
            busy_memory=busy,
        )
    return found


def beside(experiment: "Experiment") -> "list[Experiment]":
    """The experiment; if it rewrites or delays, the same experiment without that comes before it."""
    if experiment.rewrite is None and not experiment.delay:
        return [experiment]
    return [replace(experiment, rewrite=None, delay=None), experiment]
