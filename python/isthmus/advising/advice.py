"""The way from a description and the curves of boards to ranked rows, a verdict and the branches of the tree."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from isthmus.advising import metrics
from isthmus.advising.choices import ChoiceValue, Goal, after_run, drawn, ranked, valued, worth
from isthmus.advising.curves import BoardCurves
from isthmus.advising.formulas import Curves
from isthmus.advising.ruling import ALSO, EVEN, SURE, by_wins, decider, interval, middle, ratios, turn
from isthmus.base.errors import IsthmusError
from isthmus.base.numbers import figure, percent, scaled, seconds
from isthmus.descriptions.description import Description, Transfer, in_words
from isthmus.descriptions.unit import Unit
from isthmus.judging import coherence
from isthmus.records.advising import AdviseBranch, AdviseCrossing, AdviseRow, AdviseVerdict
from isthmus.running.application import APP
from isthmus.running.integration import NO_MEASUREMENT

RUN = 3  # of the best, whose runs count
SHORTEST_S, LONGEST_S = 1e-9, 1e3  # of a kernel
APART = 0.1  # between run and formula: above it both are told

RunOutcome = tuple[float, float] | str  # elapsed and latency, s, or why it could not run
Runner = Callable[[Sequence[ChoiceValue]], Sequence[RunOutcome]]


@dataclass(frozen=True)
class Advice:
    """The answer to a request for advice: flows ranked, and the verdict."""

    rows: list[AdviseRow]
    verdict: AdviseVerdict
    tree: list[AdviseBranch]
    crossing: list[AdviseCrossing]
    matters_below_s: float | None
    asked: Goal
    left_out: Mapping[str, str] = field(default_factory=dict)


def unit_of(description: Description) -> str:
    """The unit of a choice's value."""
    one = description.units.removesuffix("s")
    units = {"rate": f"{description.units}/s", "latency": "s", "cost": f"price/{one}", "energy": f"J/{one}"}
    return units[description.best]


def left_out(description: Description, boards: Sequence[BoardCurves], asked: Goal) -> dict[str, str]:
    """Targets that have no choice to offer, each with the reason."""
    found = {}
    for board in boards:
        wanted = [flow for flow in description.flows if flow in board.flows]
        if not board.flows:
            found[board.target] = "no flow of a description runs on it"
        elif not wanted:
            found[board.target] = f"it has none of the flows {', '.join(description.flows)}"
        elif asked.best in ("cost", "energy") and asked.prices_of(board.target) is None:
            key = "per_hour" if asked.best == "cost" else "watts"
            found[board.target] = f'price."{board.target}".{key} is not known'
    return found


def too_large(description: Description, targets: Sequence[str], room: Callable[[str], float | None]) -> dict[str, str]:
    """Targets whose memory holds no unit, each with the reason; `room` tells the bytes of one's memory, if it has one.

    Throws where that is so of all.
    """
    unit = Unit.of(description)
    needed = (unit.sent + unit.fetched) * unit.together
    rooms = {target: room(target) for target in targets}
    out = {
        target: f"a unit of {needed:.3g} B is larger than its memory of {most:.3g} B"
        for target, most in rooms.items()
        if most is not None and needed > most
    }
    if len(out) == len(rooms):
        raise _no_choice(description, out)
    return out


def _no_choice(description: Description, out: Mapping[str, str]) -> IsthmusError:
    reasons = "; ".join(f"{target}: {reason}" for target, reason in out.items())
    return IsthmusError(f"'{description.name}': no board has a choice to offer ({reasons})")


def advise(
    description: Description, boards: Sequence[BoardCurves], run: Runner, without: Mapping[str, str] | None = None
) -> Advice:
    """The choices, ranked: the best three run by `run`; `without`: other targets, and why they were left out before."""
    asked, unit = Goal.of(description), Unit.of(description)
    out = {**(without or {}), **left_out(description, boards, asked)}
    kept = {board.target: board for board in boards if board.target not in out}
    found = valued(description, list(kept.values()), asked)
    for target in (target for target in kept if not any(one.choice.target == target for one in found)):
        out[target] = "none of its flows suits the units"
    if not found:
        raise _no_choice(description, out)
    found, failures = _with_runs(found, asked, run)
    found, shares = map(list, zip(*by_wins(found, asked), strict=True))
    rows = [
        _row(rank, one, share, description, kept, asked, failures.get(str(one.choice)))
        for rank, (one, share) in enumerate(zip(found, shares, strict=True), start=1)
    ]
    verdict = _with_faster(_verdict(description, found, shares, asked, kept), found, asked)
    crossing = [
        AdviseCrossing(
            target=row.target,
            flow=row.flow,
            method=row.method,
            crossing_s=metrics.transfer_s(kept[row.target].nominal.curves, unit, row.flow, row.method),
        )
        for row in rows
    ]
    below = matters_below(unit, list(kept.values()), found, asked)
    return Advice(rows, verdict, branches(description), crossing, below, asked, out)


def matters_below(unit: Unit, boards: Sequence[BoardCurves], found: Sequence[ChoiceValue], asked: Goal) -> float | None:
    """The time of a unit's launches from which on the two best boards are within a tenth; None if there is none."""
    nominal = {board.target: board.nominal for board in boards}

    def apart(time_s: float) -> bool:
        best: dict[str, float] = {}
        timed = replace(unit, compute_s=time_s / unit.launches)
        for one in found:
            good = asked.goodness(worth(nominal[one.choice.target], one, timed, asked))
            best[one.choice.target] = max(best.get(one.choice.target, 0.0), good)
        first, *others = sorted(best.values(), reverse=True)
        return bool(others) and first > (1 + APART) * others[0]

    low, high = SHORTEST_S, LONGEST_S
    if apart(high):
        return None
    if not apart(low):
        return 0.0
    while high / low > 1 + APART / 10:
        middle = math.sqrt(low * high)
        low, high = (middle, high) if apart(middle) else (low, middle)
    return high


def _with_runs(found: Sequence[ChoiceValue], asked: Goal, run: Runner) -> tuple[list[ChoiceValue], dict[str, str]]:
    """Runs the best choices until each of the first three has run; returns all choices, with values of runs."""
    failures: dict[str, str] = {}
    tried: set[str] = set()
    for _ in range(2):
        wanted = [one for one in found[:RUN] if str(one.choice) not in tried]
        if not wanted:
            break
        tried |= {str(one.choice) for one in wanted}
        told = {}
        for one, came in zip(wanted, run(wanted), strict=True):
            if isinstance(came, str):
                failures[str(one.choice)] = came
            else:
                told[str(one.choice)] = after_run(one, asked, *came)
        found = ranked([told.get(str(one.choice), one) for one in found], asked)
    return list(found), failures


def _row(
    rank: int,
    one: ChoiceValue,
    share: float,
    description: Description,
    boards: Mapping[str, BoardCurves],
    asked: Goal,
    failure: str | None,
) -> AdviseRow:
    board, flow, method = boards[one.choice.target], one.choice.flow, one.choice.method
    unit = Unit.of(description)
    curves = board.nominal.curves
    low, high = interval(one)
    line = metrics.latency_s(curves, flow, method)
    transfer, computed = metrics.transfer_s(curves, unit, flow, method), metrics.computation_s(curves, unit, flow)
    own = flow in ("offload", "overlap")
    dma, device = metrics.bandwidths(curves, unit) if own else (0.0, 0.0)
    r = metrics.reuse(unit)
    shared = {target: other for target, other in boards.items() if "shared" in other.flows} if own and device else {}
    streamed = (unit.sent + unit.fetched) / transfer / metrics.GB
    rate = asked.units / one.elapsed_s
    price = description.prices.get(one.choice.target)
    return AdviseRow(
        rank=rank,
        target=one.choice.target,
        flow=flow,
        method=method,
        value=one.value,
        unit=unit_of(description),
        low=low,
        high=high,
        formula=one.formula,
        run=one.value if one.ran else None,
        r=r,
        r_threshold={
            target: metrics.threshold(dma, device, metrics.shared_gb_per_s(other.nominal.curves, unit))
            for target, other in shared.items()
            if unit.sent > 0
        },
        effective_gb_per_s=metrics.effective(r, dma, device) if own and device and r else streamed,
        dma_gb_per_s=dma if own else None,
        device_gb_per_s=device if own and device else None,
        ctc=computed / transfer,
        latency_s=one.latency_s,
        line_latency_s=line,
        cost=price.per_hour.value / 3600 / rate if price and price.per_hour else None,
        joules=price.watts.value / rate if price and price.watts else None,
        meets=one.meets,
        calibrated=board.calibrated,
        wins=share,
        reasons=[
            *_reasons(one, unit, curves, asked, line, computed / transfer, failure),
            *([] if board.calibrated else [f"{NO_MEASUREMENT} of this board: none of its numbers is calibrated"]),
        ],
    )


def _reasons(
    one: ChoiceValue, unit: Unit, curves: Curves, asked: Goal, line: float, ctc: float, failure: str | None
) -> list[str]:
    limit = one.taken.limit
    bound = "computation" if ctc > 1 else "communication"
    found = [
        f"{limit} takes longest: {seconds(one.taken.parts[limit])} a unit",
        f"bound by {bound}: CTC {figure(ctc)} (choi2019, insight 4)",
        f"latency class: {metrics.latency_class(line)} ({seconds(line)} for 64 B)",
    ]
    if one.ran and abs(one.scale - 1) > APART:
        found.append(f"run and formula differ by {percent(abs(one.scale - 1))}: formula {scaled(one.formula)}")
    if failure:
        found.append(f"not run: {failure}")
    if not one.meets:
        found.append(
            f"takes {seconds(one.latency_s)}, longer than the {seconds(asked.latency_s or 0.0)} that is needed"
        )
    if one.choice.flow == "shared" and one.choice.target.endswith("xeon-fpga-v2"):
        found.append(metrics.interface(unit, metrics.HALF_CACHE))
    return found


def _verdict(
    description: Description,
    found: Sequence[ChoiceValue],
    shares: Sequence[float],
    asked: Goal,
    boards: Mapping[str, BoardCurves],
) -> AdviseVerdict:
    first = found[0]
    clear = shares[0] >= SURE
    among = [str(one.choice) for one, share in zip(found, shares, strict=True) if one is first or share >= ALSO]
    base = AdviseVerdict(
        target=first.choice.target,
        flow=first.choice.flow,
        method=first.choice.method,
        clear=clear,
        among=[str(first.choice)] if clear else among,
        wins=shares[0],
        reasons=[],
    )
    if len(found) == 1:
        return base.model_copy(update={"reasons": ["it is the only choice"]})
    rival = found[1] if clear else max(found[1:], key=lambda one: shares[found.index(one)])
    if not clear and shares[found.index(rival)] == 0:
        rival = found[1]
    low, high = middle(ratios(first, rival, asked) if first.draws else [1.0])
    base = base.model_copy(update={"ratio_low": low, "ratio_high": high})
    if clear:
        return _clear(base, description, first, rival, asked, boards)
    numbers = drawn(description, len(first.draws))
    even = high < 1 + EVEN and low > 1 / (1 + EVEN)
    decides = None if even else decider(first, rival, asked, boards, numbers)
    if even:
        told = f"{rival.choice} is within {percent(EVEN)} of it in nearly all: take either"
    elif decides is None:
        told = f"no number that is not known decides between it and {rival.choice}"
    else:
        by = f", with isthmus probe {decides.probe}" if decides.probe else ""
        on = f" on a real {decides.target.removeprefix('model:')}" if decides.target else ""
        told = f"{decides.input} decides between it and {rival.choice}; measure it{on}{by}"
    return base.model_copy(update={"measure": decides, "reasons": [told]})


def _with_faster(verdict: AdviseVerdict, found: Sequence[ChoiceValue], asked: Goal) -> AdviseVerdict:
    """Adds a reason that names the choice that is slightly better than the first but wins fewer draws."""
    faster = ranked(found, asked)[0]
    if faster is found[0]:
        return verdict
    told = f"{faster.choice} is as good within {percent(EVEN)} but wins fewer draws, which decides between such"
    return verdict.model_copy(update={"reasons": [*verdict.reasons, told]})


def _clear(
    base: AdviseVerdict,
    description: Description,
    first: ChoiceValue,
    second: ChoiceValue,
    asked: Goal,
    boards: Mapping[str, BoardCurves],
) -> AdviseVerdict:
    told = [f"{figure(base.ratio_low)} to {figure(base.ratio_high)} times better than {second.choice}, the second"]
    moved = turn(description, first, second, asked, boards)
    if moved is None:
        told.append("no number of the description alone lets the second win")
        return base.model_copy(update={"reasons": told})
    becomes, now = (in_words(moved.key.removeprefix(APP), value) for value in (moved.becomes, moved.now))
    told.append(f"{moved.key} would have to become {becomes} from {now} for the second to win")
    return base.model_copy(update={"would_change": moved, "reasons": told})


def branches(description: Description) -> list[AdviseBranch]:
    """The result of min2019's tree for each transfer; every possible one if the cores' use of it is not known."""
    found: list[AdviseBranch] = []
    for number, transfer in enumerate(description.transfers):
        for cpu in (transfer.cpu,) if transfer.cpu else ("writes", "reads"):
            for order in (transfer.order,) if transfer.order else ("sequential", "random"):
                branch = _branch(number, transfer, cpu, order, description.background)
                if not any(one.method == branch.method and one.transfer == number for one in found):
                    found.append(branch)
    return found


def _branch(number: int, transfer: Transfer, cpu: str, order: str, background: str) -> AdviseBranch:
    decision = coherence.decide(
        coherence.SharedBuffer(
            coherence.TO_FPGA if transfer.to_device else coherence.TO_CPU,
            size=round(transfer.bytes.value),
            mostly_written=cpu == "writes",
            sequential=order == "sequential",
            can_be_sequential=False,
            read_at_once=True,
            busy_memory=background == "memory",
        )
    )
    return AdviseBranch(
        transfer=number,
        direction=transfer.direction,
        bytes=transfer.bytes.value,
        method=decision.method,
        path=list(decision.path),
        cpu=cpu,
        order=order,
    )
