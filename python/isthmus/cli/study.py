"""`isthmus study FILE`: applications on several targets in several flows, and a verdict for each."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from isthmus.asking.application_options import ApplicationOptions, TypedOptions
from isthmus.asking.experiments import Experiment, refuse_wrong, run_experiment
from isthmus.base.configuration import resolve
from isthmus.base.errors import AnswerIsNoError, IsthmusError
from isthmus.base.files import check_folder
from isthmus.base.grain import chosen
from isthmus.base.groups import grouped_by
from isthmus.base.texts import to_json, to_json_line
from isthmus.cli.command import Coarse, DryRun, Fine, List, argument, configured, plain
from isthmus.cli.plan import show_plan
from isthmus.cli.reasons import Reasons, with_limits
from isthmus.cli.run import Count, Repeat, Sets, Warmup
from isthmus.results.out_folder import OutFolder
from isthmus.running.limits import as_records, named, of_records
from isthmus.running.parallel import run_in_parallel
from isthmus.running.probing import Probing, probe_for_study
from isthmus.running.targets import is_model, is_native
from isthmus.running.tools import Event
from isthmus.show.events import Listener, Tally
from isthmus.show.output import Result
from isthmus.show.session import Session

if TYPE_CHECKING:
    from isthmus.records.probe import ProbeFile, ProbeRecord
    from isthmus.records.run import Row, StudyFile
    from isthmus.report.contents import ReportContents

EXAMPLES = [
    "isthmus study image-filter",
    "isthmus study image-filter --count 20 --dry-run",
    "isthmus study image-filter --set link.pcie.lanes=8",
]

FILES = ("study.jsonl", "study.json", "probes.json", "report.html", "chart.svg")  # that a study writes

With = Annotated[
    list[str] | None, plain("--with FILE", "JSON file of probe, run or reproduce to show in the report as well.")
]
NoProbes = Annotated[bool, plain("--no-probes", "Do not probe the targets for the curves of the report.")]
Out = Annotated[str | None, configured("--out DIR", "Folder of the results.")]


def study(
    session: Session,
    typed: TypedOptions,
    file: Annotated[str | None, argument("FILE", "The study file, or the name of one that --list shows.")] = None,
    count: Count = None,
    sets: Sets = None,
    fine: Fine = False,
    coarse: Coarse = False,
    repeat: Repeat = None,
    warmup: Warmup = None,
    beside: With = None,
    no_probes: NoProbes = False,
    reasons: Reasons = None,
    out: Out = None,
    list_: List = False,
    dry_run: DryRun = False,
) -> None:
    """Applications on several targets in several flows, and a verdict for each.

    A study file names applications: those of Isthmus, or programs of your own ('isthmus new' writes one with its
    study). --NAME VALUE sets a parameter of the applications that have it. Models run in parallel on all cores; a real
    device runs alone and several times, and a row within the spread of the fastest is not ranked below it. Short runs
    with one number of the model changed find the bottleneck of the fastest model of each target; of the other models
    the report names the busiest part, unless --reasons is all. Then each target is probed for some seconds, for the
    curves of the report, unless a file of --with has probes of it. --set changes the models. An OpenCL device has no
    flow 'stream'.
    The study writes study.json, probes.json, report.html and chart.svg to DIR/NAME; NAME is the stem of FILE. Each row
    is in DIR/NAME/study.jsonl as soon as it is complete. Files of an earlier run move to DIR/NAME/earlier/TIME. While
    another run still writes to DIR/NAME, this one writes to DIR/NAME-2.

    A target in FILE is a name, or a table that also names the link to use on a board with several links:
    targets = ["model:aws-f1", {target = "mine.toml", channel = "vh1"}].
    """
    from isthmus.asking.studies import Flags, experiments_of
    from isthmus.asking.study_file import find_study, read_study, study_files
    from isthmus.judging.coherence import kept_coherent
    from isthmus.report import gather

    if list_:
        return session.lines(study_files())
    if file is None:
        raise IsthmusError("FILE: expected a study file", hint="'isthmus study --list' finds some.")
    path = find_study(file)
    flags = Flags(ApplicationOptions(count, typed, tuple(sets or ())), repeat, warmup, chosen(fine, coarse))
    experiments = [kept_coherent(run) for run in experiments_of(read_study(path), path, flags)]
    if dry_run:
        return show_plan(session, experiments)
    contents = gather([Path(name) for name in beside or []], f"Study {path.stem}")
    explained = resolve("reasons", reasons).value
    wanted = Path(resolve("out", out).value) / path.stem
    check_folder(wanted, "--out")
    known = {record.target for record in contents.probes}
    unknown = [] if no_probes else [run for run in experiments if run.target not in known]
    with OutFolder(wanted, FILES, session.note) as folder:
        rows = _run_all(session, experiments, folder, explained)
        records = _probe_all(session, list({run.target: run for run in unknown}.values()))
        return _conclude(session, rows, records, contents, folder, explained == "all")


def _run_all(session: Session, experiments: Sequence[Experiment], folder: OutFolder, reasons: str) -> "list[Row]":
    """Runs models in parallel, then each real device by itself, so that nothing disturbs the measurement."""
    kept = _Rows(session, folder)
    models = {number: run for number, run in enumerate(experiments) if is_model(run.target)}
    with Listener(session, f"{len(models)} models side by side: ") as listener:
        try:
            _run_models(models, listener, kept, reasons)
        finally:
            kept.stream()
    for number, experiment in enumerate(experiments):
        if number not in models:
            prefix = f"run {number + 1} of {len(experiments)}, {experiment.target} {experiment.flow}: "
            with Listener(session, prefix) as listener:
                kept.keep(number, run_experiment(experiment, listener))
            kept.stream()
    return kept.in_order()


def _run_models(models: Mapping[int, Experiment], listener: Listener, kept: "_Rows", reasons: str) -> None:
    """Runs them, and those that `reasons` chooses again for what limits them."""
    totals: Counter[str] = Counter()
    for run in models.values():
        totals[run.counted] += run.count
    run_in_parallel(models, Tally(listener, totals), kept.keep, run_experiment)
    for number, row in zip(models, with_limits(models.values(), kept.in_order(), reasons, listener), strict=True):
        kept.keep(number, row)


def _probe_all(session: Session, experiments: Sequence[Experiment]) -> "list[ProbeRecord]":
    """The probes of a study's report, one run for each target; one that cannot be probed is left out with a warning."""
    found: dict[int, list[ProbeRecord]] = {}

    def probe(run: Experiment, on_event: Callable[[Event], None]) -> "list[ProbeRecord]":
        sets = run.sets if is_model(run.target) else ()
        try:
            return probe_for_study(Probing(run.target, sets=sets, grain=run.grain), on_event)
        except IsthmusError as error:
            session.warn(f"no curves of {run.target} in the report: {error}")
            return []

    models = {number: run for number, run in enumerate(experiments) if is_model(run.target)}
    with Listener(session, "probes: ") as listener:
        run_in_parallel(models, lambda _, event: listener(event), found.__setitem__, probe)
        for number, run in enumerate(experiments):
            if number not in models and not is_native(run.target):
                found[number] = probe(run, listener)
    return [record for number in sorted(found) for record in found[number]]


class _Rows:
    """Rows as they are completed, in the order of the study."""

    def __init__(self, session: Session, folder: OutFolder) -> None:
        self._session = session
        self._folder = folder
        self._rows: dict[int, Row] = {}
        self._streamed = 0

    def keep(self, number: int, row: "Row") -> None:
        """Writes all rows that ran to the file."""
        self._rows[number] = row
        lines = "".join(to_json_line(row) for row in self.in_order())
        self._session.kept_in(self._folder.write("study.jsonl", lines))

    def stream(self) -> None:
        """Streams the rows that are complete, as far as those before them are."""
        while self._streamed in self._rows:
            self._session.stream(self._rows[self._streamed])
            self._streamed += 1

    def in_order(self) -> "list[Row]":
        return [self._rows[number] for number in sorted(self._rows)]


def _conclude(
    session: Session,
    rows: "list[Row]",
    records: "list[ProbeRecord]",
    contents: "ReportContents",
    folder: OutFolder,
    every_reason: bool,
) -> None:
    from isthmus.cli.noise import warn_of_rows
    from isthmus.records.probe import ProbeFile
    from isthmus.records.run import StudyFile
    from isthmus.show.tables import rows_table
    from isthmus.show.verdict import decide_each, said_of_others, said_with_reason, work
    from isthmus.show.wrong import wrong_lines

    verdicts = decide_each(rows)
    limits = of_records(rows)
    file = StudyFile(
        context=session.context(rows[0].seed),
        rows=rows,
        verdict=next(iter(verdicts.values())) if len(verdicts) == 1 else None,
        verdicts=[verdict for verdict in verdicts.values() if verdict is not None],
        limits=as_records(limits),
    )
    probes = ProbeFile(context=session.context(), records=records) if records else None
    written = _write(folder, file, probes, contents)
    if probes is not None:
        session.keep(probes)
    by_application = grouped_by(lambda row: row.application, rows)
    of_each = list(by_application.values())
    session.emit(
        Result(
            file=file,
            records=rows,
            verdict=[
                *wrong_lines(rows),
                *(line for one in file.verdicts for line in said_with_reason(one, len(of_each))),
            ],
            tables=[rows_table(of_one, titled=len(of_each) > 1) for of_one in of_each],
            detail=[
                *(
                    line
                    for one in file.verdicts
                    for line in said_of_others(one, by_application[one.application], every_reason, len(verdicts))
                ),
                *(f"{work(of_one[0])} in each run" for of_one in of_each),
                *([named(limits)] if limits else []),
                f"written: {', '.join(map(str, written))}",
            ],
        )
    )
    warn_of_rows(session, rows)
    refuse_wrong(rows)
    for name, verdict in verdicts.items():
        if verdict is None:
            raise AnswerIsNoError(f"no target gave the right output of {name}")
    session.next(f"xdg-open {folder.path / 'report.html'}")


def _write(folder: OutFolder, study: "StudyFile", probes: "ProbeFile | None", contents: "ReportContents") -> list[Path]:
    """Writes the files of a study and its report; their names."""
    from isthmus.report import render_chart, render_report

    texts = {"study.json": to_json(study)}
    contents.add("study.json", study)
    if probes is not None:
        texts["probes.json"] = to_json(probes)
        contents.add("probes.json", probes)
    texts |= {"report.html": render_report(contents), "chart.svg": render_chart(study)}
    return [folder.write(name, text) for name, text in texts.items()]
