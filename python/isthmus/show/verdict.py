"""The limit of a row, and the fastest row of a study that is right, in words."""

from collections.abc import Iterable, Mapping, Sequence

from isthmus.base.groups import grouped_by
from isthmus.base.numbers import counted, figure, grouped, percent, seconds
from isthmus.base.sizes import format_size
from isthmus.judging.verdict import fastest_of_targets, limit_of, ranked, tied
from isthmus.records.base import KIND_WORDS, Value
from isthmus.records.run import Bottleneck, Effect, Part, Row, Verdict

# A smaller change of a rate is not printed.
_UNSEEN = 0.005


def heading(row: Row) -> str:
    """The heading of `reason`, with `model` or `measured`: only a limit that reruns found is called a bottleneck."""
    limit = limit_of(row)
    if limit is None:
        what = "limit"
    elif limit.effects:
        what = "bottleneck" if limit.part else "no single bottleneck"
    else:
        what = "busiest part" if row.parts else "longest stage"
    return f"{what}, {kind_of(row)}"


def limit_in_short(row: Row) -> str:
    """The name of the part that holds the row, for a chart."""
    limit = limit_of(row)
    if limit is None:
        return "unknown"
    return limit.part or "no single part"


def reason(row: Row) -> str:
    """One sentence: the part that sets the rate, its busy share, the rerun that shows it, and the next limit."""
    limit = limit_of(row)
    if limit is None:
        return "nothing says where the time goes"
    if limit.part is None:
        return f"no number alone holds it; {_most_effect(limit)}"
    part = next((part for part in row.parts if part.name == limit.part), None)
    if part is not None and part.window is not None:
        held = _full(part)
    else:
        held = _held(limit.busy_share, limit.path_share, "the chain of steps that wait for each other")
    shown = next((_effect(effect) for effect in limit.effects if effect.change == limit.relief), "")
    return "; ".join(text for text in (f"{limit.part}, {held}", shown, _next(row, limit)) if text)


def _most_effect(limit: Bottleneck) -> str:
    """The two changes with most effect."""
    if not limit.effects:
        return "no key stands behind its parts"
    return "most effect: " + ", ".join(f"{_effect(effect)} ({effect.part})" for effect in limit.effects[:2])


def _effect(effect: Effect) -> str:
    """`link.pcie.generation=4 raises the rate by 34 %`."""
    if abs(effect.raises) < _UNSEEN:
        return f"{effect.change} changes the rate by less than {percent(_UNSEEN)}"
    return f"{effect.change} {'raises' if effect.raises > 0 else 'lowers'} the rate by {percent(abs(effect.raises))}"


def _full(part: Part) -> str:
    """Little's law: the rate of a window is its size over the time for which each entry is held."""
    assert part.window is not None
    window = part.window
    of_bytes = window.unit == "bytes"
    size = format_size(window.size) if of_bytes else f"{window.size} {window.unit}"
    full = percent(part.busy_share)
    text = f"all {size} under way {full} of the time"
    if not window.round_trip_s:
        return text
    each = seconds(window.round_trip_s)
    rate = window.size / window.round_trip_s
    most = f"{figure(rate * 1e-9)} GB/s" if of_bytes else f"{grouped(rate)} {window.unit}/s"
    return f"{text}, each for {each}: at most {size} / {each} = {most}"


def _next(row: Row, limit: Bottleneck) -> str:
    if limit.next is None or limit.would_need is None or not limit.busy_share:
        if limit.effects:
            return ""
        return "no other part is near" if row.parts else "its parts were not timed separately"
    return f"then {limit.next} ({_held(limit.next_busy_share, limit.next_path_share, 'the chain')})"


def _held(busy_share: float | None, path_share: float | None, chain: str) -> str:
    """The share of a run that a part takes: where steps wait for each other, none of them is busy all the time."""
    busy = f"{percent(busy_share)} busy"
    return busy if path_share is None else f"{busy}, {percent(path_share)} of {chain}"


def place_of(row: Row | Verdict) -> str:
    """The target, its link where there are several, and the method that kept its buffers coherent."""
    over = f" over {row.channel}" if row.channel is not None else ""
    by = f" by {row.method}" if row.method is not None else ""
    changes = (row.rewrite, f"delay {row.delay}" if row.delay else None)  # of the row's program
    return f"{row.target}{over}{by}{''.join(f', {change}' for change in changes if change)}"


def differing(rows: Sequence[Row]) -> list[str]:
    """The parameters in which rows of one application on one target in one flow differ."""
    names = dict.fromkeys(name for row in rows for name in row.parameters)
    places = [(row.application, place_of(row), row.flow) for row in rows]
    if len(set(places)) == len(places):
        return []
    return [name for name in names if len({row.parameters.get(name) for row in rows}) > 1]


def differing_values(row: Row, rows: Sequence[Row]) -> dict[str, Value]:
    """The row's values of the parameters in which the rows of its application differ."""
    return {name: row.parameters[name] for name in differing(rows) if name in row.parameters}


def flow_with(flow: str, parameters: Mapping[str, Value]) -> str:
    """The flow, or another name of rows, with parameters: `shared, handover mmio`."""
    return ", ".join([flow, *(f"{name} {value}" for name, value in parameters.items())])


def time_shares(row: Row) -> str:
    """The share of each stage in the time, in the order of the flow: `host to device copy 44 %, kernel 15 %`."""
    return ", ".join(f"{stage.name} {percent(stage.share)}" for stage in row.stages) or "-"


def kind_of(row: Row | Verdict) -> str:
    """`model` or `measured`: never left out next to a number."""
    return KIND_WORDS[row.kind]


def rate_text(row: Row) -> str:
    """The rate with its unit and kind: `1,370 images/s, model`."""
    return f"{grouped(row.value)} {row.unit}, {kind_of(row)}"


def work(row: Row) -> str:
    """The messages of the run: `200 images of 1920x1080`, `200 messages of 64 KiB`."""
    each = format_size(row.bytes_each) if row.width is None else f"{row.width}x{row.height}"
    return f"{row.count} {row.counted} of {each}"


def latency(row: Row) -> str:
    """The latency from acquire or enqueue to the output: `p50 1.2 ms, p99 2 ms, p99.9 2 ms, most 3 ms`."""
    found = row.latency
    if found is None:
        return "-"
    shown = (("p50", found.p50_s), ("p99", found.p99_s), ("p99.9", found.p999_s), ("most", found.max_s))
    return ", ".join(f"{name} {seconds(value)}" for name, value in shown)


def decide_each(rows: Iterable[Row]) -> dict[str, Verdict | None]:
    """A verdict for each application, because rates of different work are not compared; None if no row is right."""
    return {name: decide(of_one) for name, of_one in grouped_by(lambda row: row.application, rows).items()}


def decide(rows: Sequence[Row]) -> Verdict | None:
    """The fastest row whose output is right, with reasons for it and for each row that it beats; None if there is none.

    Rows whose samples overlap with those of the fastest are not ranked below it: the verdict is not judged.
    """
    right = ranked(rows)
    if not right:
        return None
    best, *others = right
    reasons = [f"{heading(best)}: {reason(best)}"]
    alike = tied(best, others)
    names = {id(row): flow_with(row.flow, differing_values(row, rows)) for row in right}
    for row in others:
        behind = "not to be judged" if row in alike else f"{figure(best.value / row.value)}x slower"
        reasons.append(f"{place_of(row)} {names[id(row)]}: {rate_text(row)}, {behind}: {heading(row)}: {reason(row)}")
    return Verdict(
        application=best.application,
        target=best.target,
        flow=best.flow,
        channel=best.channel,
        method=best.method,
        rewrite=best.rewrite,
        delay=best.delay,
        parameters=differing_values(best, rows),
        kind=best.kind,
        value=best.value,
        unit=best.unit,
        judged=not alike,
        within_spread=[f"{place_of(row)} {names[id(row)]}" for row in alike],
        reasons=reasons,
    )


def said_with_reason(verdict: Verdict, applications: int) -> list[str]:
    """The verdict and the limit of the fastest, with the application's name where there are several."""
    return [f"{_whose(verdict, applications)}{said_of(verdict)}", *verdict.reasons[:1]]


def said_of_others(verdict: Verdict, rows: Sequence[Row], of_each: bool, applications: int) -> list[str]:
    """Why the other `rows` of the application are slower, with its name where there are several.

    Without `of_each`, slower models on a target that has a faster one are only counted: nobody looked for their limit.
    """
    fastest = [id(row) for row in fastest_of_targets(rows)]
    others = list(zip(ranked(rows), verdict.reasons, strict=True))[1:]
    said = [why for row, why in others if of_each or row.kind == "measured" or id(row) in fastest]
    if left := len(others) - len(said):
        said.append(f"slower on these targets: {counted(left, 'more model')}; --reasons all finds what limits each")
    return [f"{_whose(verdict, applications)}{text}" for text in said]


def _whose(verdict: Verdict, applications: int) -> str:
    return f"{verdict.application}: " if applications > 1 else ""


def said_of(verdict: Verdict) -> str:
    """The verdict's first sentence."""
    rate = f"{grouped(verdict.value)} {verdict.unit}, {KIND_WORDS[verdict.kind]}"
    first = f"{place_of(verdict)}, {flow_with(verdict.flow, verdict.parameters)}: {rate}"
    if verdict.judged:
        return f"fastest: {first}"
    others = " and ".join(verdict.within_spread)
    return f"not to be judged: {first}, and {others} lie within each other's spread; raise --repeat"
