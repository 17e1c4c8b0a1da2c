"""`isthmus probe TARGET [PROBE...]`: micro-benchmarks of how data crosses."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from isthmus.asking.applications import next_run
from isthmus.base.configuration import resolve
from isthmus.base.errors import AnswerIsNoError, IsthmusError
from isthmus.base.flows import FLOWS
from isthmus.base.grain import DEFAULT, chosen
from isthmus.base.names import select
from isthmus.base.sizes import format_size, parse_size, parse_sizes
from isthmus.cli.command import PORTS, Coarse, DryRun, Fine, List, Sets, argument, configured, given, plain
from isthmus.cli.noise import loads_of, warn_if_noisy
from isthmus.running.probes import all_probes
from isthmus.running.probing import Probing, run_probing, served_by
from isthmus.running.targets import check_grain, system
from isthmus.show.events import Listener
from isthmus.show.output import Result
from isthmus.show.session import Session

if TYPE_CHECKING:
    from isthmus.records.probe import ProbeRecord

EXAMPLES = [
    "isthmus probe model:aws-f1",
    "isthmus probe opencl:0 h2d --sizes 4KiB..64MiB:x2 --repeat 20",
    "isthmus probe model:aws-f1 'h2d*' --set link.pcie.lanes=8 --json -",
    "isthmus probe system.toml h2d-pinned --sizes 1MiB",
    "isthmus probe model:zynq-ultrascale port-tx --port hpc,acp --sizes 4KiB..32MiB:x2",
    "isthmus probe model:zynq-ultrascale maintenance --buffers 1,16 --load 0,8 --sizes 64KiB,1MiB",
]


@dataclass(frozen=True)
class ModelOptions:
    """The options that choose among the records of a probe of a model."""

    channel: str | None = given(plain("--channel NAME", "Link to probe, if a board has several. [default: each]"))
    start: str | None = given(
        plain(
            "--start STARTS",
            "State of the caches before a shared-memory probe: cold, warm, flushed. [default: flushed if it has it]",
        )
    )
    port: str | None = given(
        plain(
            "--port PORTS",
            f"Ports from a SoC's FPGA to its memory: {PORTS}. [default: all]",
        )
    )
    state: str | None = given(
        plain(
            "--state STATES",
            "What a core did to the buffer before: written, read, flushed, streamed. [default: all but streamed]",
        )
    )
    op: str | None = given(plain("--op OPERATIONS", "Cache maintenance to probe: flush, invalidate. [default: both]"))
    buffers: str | None = given(
        plain("--buffers N", "Number of buffers (or several numbers) that a maintained size is cut into. [default: 1]")
    )
    load: str | None = given(
        plain("--load N", "Accesses in flight on each other core during cache maintenance, 0..8. [default: 0]")
    )


def probe(
    session: Session,
    target: Annotated[
        str | None,
        argument("TARGET", "model:NAME, FILE.toml, opencl:N or opencl:NAME; 'isthmus run --list' names them."),
    ] = None,
    probes: Annotated[
        list[str] | None, argument("PROBE", "Names or globs of probes, as --list shows them. [default: all]")
    ] = None,
    sizes: Annotated[
        str | None, configured("--sizes SIZES", "Bytes to transfer: sizes and ranges, as in 64B,4KiB..1MiB:x2.")
    ] = None,
    burst: Annotated[
        str | None, plain("--burst SIZES", "Bytes of one access to device memory. [default: each size at once]")
    ] = None,
    offset: Annotated[
        str | None,
        plain("--offset SIZE", "Offset in the page at which device-latency and port-* begin. [default: 0]"),
    ] = None,
    repeat: Annotated[
        str | None, configured("--repeat N", "Samples of each size, at most. [default: 20; a model gives 1]")
    ] = None,
    *,
    of_model: ModelOptions,
    sets: Sets = None,
    fine: Fine = False,
    coarse: Coarse = False,
    list_: List = False,
    dry_run: DryRun = False,
) -> None:
    """Measure how fast data crosses between host and device, by size.

    The table shows the median of the samples and their spread, (p75 - p25) / median; the JSON file has every sample. A
    real device is sampled in passes over all sizes in random order, until the 95 % interval of a size's median lies
    within 5 % of it.
    Registers (mmio-*) are probed on models only. A probe is left out if the board lacks the parts for it, unless it is
    named. All boards of a system file copy at once, and the table names what limits them. On a board with shared
    memory, --start says what the caches hold before: cold (the FPGA's cache is empty, the host's cache holds what a
    core has written), warm (both hold what was accessed before) or flushed (both are empty). On a SoC whose FPGA
    reaches memory by ports, --state says what a core did to the buffer before: written (in an order that its caches
    keep), streamed (written in sequence, of which the caches keep little), read or flushed (out of the caches).
    """
    if list_:
        return session.lines([f"{name}  {probe.meaning}" for name, probe in all_probes().items()])
    if target is None:
        raise IsthmusError("TARGET: expected a target", hint="'isthmus run --list' names them.")
    asked = chosen(fine, coarse)
    check_grain(asked, target)
    chosen_sizes = resolve("sizes", sizes)
    probing = Probing(
        target,
        _chosen(target, probes or [], sets or [], dry_run),
        parse_sizes(chosen_sizes.value),
        resolve("repeat", repeat).value,
        parse_sizes(burst) if burst else (),
        sets or (),
        parse_size(offset) if offset else 0,
        grain=asked or DEFAULT,
        whole_lines=chosen_sizes.origin == "default",
        **vars(of_model),
    )
    if dry_run:
        shown = ", ".join(map(format_size, probing.sizes))
        plan = f"{' '.join(probing.probes)} on {target}: {len(probing.sizes)} sizes ({shown})"
        return session.lines([f"{plan}, --repeat {probing.repeat()}"])
    return _measure(session, probing)


def _chosen(target: str, wanted: list[str], sets: list[str], by_name: bool) -> list[str]:
    """The probes that are named, and those of the globs that the target serves; none where the tool is to choose.

    `by_name`: there is to be the name of each.
    """
    if not by_name and all(word in all_probes() for word in wanted):
        return wanted
    names = select("probe", wanted, list(all_probes()))
    served = served_by(target, sets)
    return [name for name in names if name in served or name in wanted] or names


def _measure(session: Session, probing: Probing) -> None:
    from isthmus.show.probe_tables import wrong_lines

    records: list[ProbeRecord] = []

    def keep(record: "ProbeRecord") -> None:
        records.append(record)
        session.stream(record)

    with Listener(session) as listener:
        try:
            run_probing(probing, keep, listener)
        except (KeyboardInterrupt, IsthmusError):
            # What was measured before a Ctrl-C, or before the device vanished or had no room left, stays.
            if records:
                _show(session, records, complete=False)
            raise
    if not records:
        raise IsthmusError("isthmus-probe printed no record")
    _show(session, records, complete=True)
    wrong = wrong_lines(records)
    if wrong:
        raise AnswerIsNoError(wrong[0])
    session.next(_next(probing))


def _next(probing: Probing) -> str:
    """A run on the target, if it is one board that can; a system, which nothing runs on, is shown."""
    several = system(probing.target, probing.sets) is not None
    run = None if several else next_run(probing.target, FLOWS[0])
    return run or f"isthmus platform show {probing.target}"


def _show(session: Session, records: "list[ProbeRecord]", complete: bool) -> None:
    from isthmus.records.probe import ProbeFile
    from isthmus.show.probe_tables import headline, probe_tables, spreads, wrong_lines

    file = ProbeFile(context=session.context(complete=complete), records=records)
    session.emit(
        Result(file, records, verdict=[*wrong_lines(records), headline(records)], tables=probe_tables(records))
    )
    measured = [record for record in records if record.kind == "measured"]  # a model's spread is its finding
    warn_if_noisy(session, spreads(measured), loads_of(records))
