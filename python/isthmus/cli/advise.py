"""`isthmus advise FILE`: which board, and which flow, for an application that is described."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from isthmus.asking.answers import ask_all
from isthmus.asking.applications import describe as describe_application
from isthmus.asking.experiments import Experiment, run_experiment
from isthmus.base.errors import IsthmusError
from isthmus.base.files import write_atomically
from isthmus.base.names import unknown
from isthmus.base.stdout import write_out
from isthmus.cli.command import argument, plain, written
from isthmus.running.application import is_app_key
from isthmus.running.boards import has_key, room_of
from isthmus.running.targets import is_model, platforms
from isthmus.running.tools import Event
from isthmus.show.events import Listener
from isthmus.show.output import Result
from isthmus.show.session import Session

if TYPE_CHECKING:
    from isthmus.advising.advice import Advice, RunOutcome
    from isthmus.advising.choices import ChoiceValue
    from isthmus.advising.curves import BoardCurves
    from isthmus.descriptions.description import Description
    from isthmus.records.advising import AdviseBranch

EXAMPLES = [
    "isthmus advise my-app.toml",
    "isthmus advise my-app.toml --on model:aws-f1,model:xeon-fpga-v2 --set 'app.kernel.time=2 ms'",
    "isthmus advise my-app.toml --set app.need.best=latency --json -",
    "isthmus advise app.record.json --unit-of filter --set 'app.kernel.time=2 ms'",
    "isthmus advise app.record.json --describe app.toml",
]
SOC = "model:zynq-ultrascale"  # what min2019 measured
Sets = Annotated[
    list[str] | None,
    plain("--set KEY=VALUE", "Replace a number: app.KEY in the description, any other KEY in every board that has it."),
]


def advise(
    session: Session,
    file: Annotated[
        str | None,
        argument("FILE", "FILE.toml, a description of the application, or FILE.json, a record of a program."),
    ] = None,
    on: Annotated[
        str | None, plain("--on TARGETS", "Models to choose from, separated by commas. [default: every board]")
    ] = None,
    sets: Sets = None,
    tree: Annotated[
        str | None,
        plain(
            "--tree paper|measured",
            "Show only the decision tree of Min et al., FPL 2019, or also each method's cost on the model.",
        ),
    ] = None,
    unit_of: Annotated[
        str | None,
        plain(
            "--unit-of KERNEL", "Kernel whose launch is a unit of work in the record. [default: the one with most time]"
        ),
    ] = None,
    device: Annotated[
        str | None, plain("--device N", "Number of the device in the record. [default: the busiest]")
    ] = None,
    describe: Annotated[
        str | None, written("--describe FILE", "Write the description made from the record, and stop.")
    ] = None,
) -> None:
    """Choose a board and a flow for an application that a file describes.

    A closed formula over the curves of a board (rate by size) gives each board, flow and coherence method a value and
    an interval: the middle nine tenths of 64 joint draws of the numbers that the boards' files assume and of the ranges
    in the description. The best three also run on the model, and then the run counts. If the first is not the best in
    95 % of the draws, there is no clear winner, and the output names the number that decides and the probe that
    measures it. Isthmus has the curves of its own boards; those of any other are measured on the model at the first
    use, in about a minute, and kept. For a record, the time of its kernel on the FPGA is assumed to be a tenth to ten
    times the recorded time, until --set app.kernel.time gives it.
    """
    from isthmus.advising.advice import advise as judged
    from isthmus.advising.choices import without_formula

    if tree not in (None, "paper", "measured"):
        raise IsthmusError(f"--tree: expected paper or measured, got '{tree}'")
    if file is None:
        raise IsthmusError("FILE: expected a description or a record", hint="examples/my-app.toml is one.")
    own = [one for one in sets or [] if is_app_key(one)]
    of_record = {"--unit-of": unit_of, "--device": device, "--describe": describe}
    description = _recorded(session, file, own, of_record) if _is_record(file) else _read(file, own, of_record)
    if describe is not None:
        return
    sets_of = _sets_of(description, _targets(on, description), [one for one in sets or [] if one not in own])
    boards, without = _ask(session, description, sets_of)
    for line in without_formula(description, boards):
        session.note(line)
    found = judged(description, boards, lambda choices: _run(session, description, choices, sets_of), without)
    if tree == "measured":
        found = replace(found, tree=ask_all(found.tree, lambda one, _on_event: _with_costs(one, description)))
    _show(session, description, found, _is_record(file))


def _is_record(file: str) -> bool:
    return file.endswith(".json")


def _read(file: str, sets: Sequence[str], of_record: Mapping[str, str | None]) -> "Description":
    from isthmus.descriptions.description import read_description

    for option, value in of_record.items():
        if value is not None:
            raise IsthmusError(f"{option}: expected a record, FILE.json, got '{file}'")
    if not Path(file).is_file() or not file.endswith(".toml"):
        describe_application(file if file.endswith(".toml") else f"{file}.toml")  # says what is missing
    return read_description(Path(file), sets)


def _recorded(session: Session, file: str, sets: Sequence[str], of_record: Mapping[str, str | None]) -> "Description":
    """The description of a record, which is written to the file of --describe."""
    from isthmus.advising.from_record import read_record, to_toml
    from isthmus.descriptions.description import description_of

    unit_of, device, describe = of_record.values()
    if device is not None and not device.isdigit():
        raise IsthmusError(f"--device: expected a place in the record's devices, as in 0, got '{device}'")
    found = read_record(Path(file), unit_of, None if device is None else int(device))
    for note in found.notes:
        session.note(note)
    description = description_of(found.document, file, sets)
    if describe == "-":
        write_out(to_toml(found.document))
    elif describe is not None:
        write_atomically(Path(describe), to_toml(found.document))
        session.next(f"isthmus advise {describe}")
    return description


def _ask(
    session: Session, description: "Description", sets_of: Mapping[str, tuple[str, ...]]
) -> "tuple[list[BoardCurves], dict[str, str]]":
    """The curves of all boards at once; boards that hold no unit are left out, each with the reason."""
    from isthmus.advising.advice import too_large
    from isthmus.advising.curves import curves_of

    without = too_large(description, list(sets_of), lambda target: room_of(target, sets_of[target]))
    asked = {target: sets for target, sets in sets_of.items() if target not in without}
    with session.progress() as progress:
        what = "curves of boards, measured once"
        return curves_of(asked, lambda done, total: progress.update(what, done, total)), without


def _targets(on: str | None, description: "Description") -> list[str]:
    known = platforms()
    for target in description.prices:
        if target not in known and not target.endswith(".toml"):
            raise unknown("target", target, known, f"key 'price.\"{target}\"'")
    if on is None:
        return known
    targets = list(dict.fromkeys(one.strip() for one in on.split(",")))
    for target in targets:
        if not is_model(target):
            raise IsthmusError(f"--on: '{target}' is no model, and only models have curves")
    return targets


def _sets_of(description: "Description", targets: Sequence[str], sets: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The assignments for each board: those of keys that it has. A key that none has goes to all, which refuse it."""
    from isthmus.descriptions.application import background_sets

    keys = {one: one.partition("=")[0].strip() for one in sets}
    nobodys = [one for one, key in keys.items() if not any(has_key(target, key) for target in targets)]
    found = {}
    for target in targets:
        own = tuple(one for one in sets if one in nobodys or has_key(target, keys[one]))
        found[target] = (*background_sets(description, target, own, missing_is_none=True), *own)
    return found


def _with_costs(branch: "AdviseBranch", description: "Description") -> "AdviseBranch":
    """The branch with what each method costs on the model of the board that the tree was made for."""
    from isthmus.advising.coherence import Use, costs_s

    use = Use(branch.cpu, branch.order, description.background == "memory")
    costs = costs_s(SOC, description.transfers[branch.transfer], use)
    least = min(costs, key=lambda method: costs[method])
    return branch.model_copy(update={"costs_s": dict(costs), "least": least})


def _run(
    session: Session,
    description: "Description",
    choices: "Sequence[ChoiceValue]",
    sets_of: Mapping[str, tuple[str, ...]],
) -> "list[RunOutcome]":
    from isthmus.advising.choices import Goal
    from isthmus.descriptions.application import DescribedApplication

    units = Goal.of(description).units

    def one(experiment: Experiment, on_event: Callable[[Event], None]) -> "RunOutcome":
        try:
            row = run_experiment(experiment, on_event, remember=False)
        except IsthmusError as error:
            return str(error)
        if not row.verified or row.latency is None:
            return "its output is wrong"
        return row.elapsed_s * units / row.count, row.latency.p50_s

    experiments = [
        Experiment(
            application=f"{description.name}.toml",
            target=choice.choice.target,
            flow=choice.choice.flow,
            count=units,
            counted=description.units,
            sets=sets_of[choice.choice.target],
            described=DescribedApplication(description),
            method=choice.choice.method,
        )
        for choice in choices
    ]
    with Listener(session, "runs of the best: ") as listener:
        return ask_all(experiments, one, on_event=listener)


def _show(session: Session, description: "Description", found: "Advice", recorded: bool) -> None:
    """Shows the advice; that for a record begins with what no kernel's time and traffic change, which are assumed."""
    from isthmus.records.advising import AdviseFile

    verdict, first = found.verdict, found.rows[0]
    file = AdviseFile(
        context=session.context(),
        application=description.name,
        best=description.best,
        units=found.asked.units,
        rows=found.rows,
        verdict=verdict,
        tree=found.tree,
        crossing=found.crossing,
        matters_below_s=found.matters_below_s,
        left_out=dict(found.left_out),
    )
    from isthmus.advising.tables import choices_table, said_first, said_of_crossing, tree_table, way

    crossing = [said_of_crossing(found.crossing, found.matters_below_s)]
    session.emit(
        Result(
            file=file,
            records=found.rows,
            verdict=[*(crossing if recorded else []), *said_first(verdict, first)],
            tables=[choices_table(found.rows), tree_table(found.tree)],
            detail=[
                *([] if recorded else crossing),
                *(f"{row.target} {way(row)}: {'; '.join(row.reasons)}" for row in found.rows[:3]),
                *(f"left out: {target}: {reason}" for target, reason in found.left_out.items()),
                f"{found.asked.units} {description.units} each; intervals: the middle 90 % of joint draws, model",
            ],
        )
    )
