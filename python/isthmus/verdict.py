"""What sets the pace of a row, and which row of a study is the fastest that is right."""

from collections.abc import Sequence

from isthmus.numbers import figure, grouped, percent
from isthmus.records import Bottleneck, Row, Verdict
from isthmus.sizes import format_size

KIND_WORDS = {"modelled": "model", "measured": "measured"}


def limit_of(row: Row) -> Bottleneck | None:
    """The bottleneck that the run names, else (a real device shows no parts) its longest stage and the next."""
    if row.bottleneck is not None or not row.stages:
        return row.bottleneck
    first, *others = sorted(row.stages, key=lambda stage: stage.share, reverse=True)
    second = others[0] if others else None
    return Bottleneck(
        part=first.name,
        busy_share=first.share,
        next=second.name if second else None,
        next_busy_share=second.share if second else None,
        would_need=first.time_s / second.time_s if second and second.time_s > 0 else None,
    )


def reason(row: Row) -> str:
    """One sentence: the part that sets the pace, its busy share, and the rate at which the next would set it.

    The rate of a part is the input payload of the run over the time that the part is busy.
    """
    limit = limit_of(row)
    if limit is None:
        return "nothing says where the time goes"
    text = f"{limit.part}, {_held(limit.busy_share, limit.path_share, 'the chain of steps that wait for each other')}"
    if limit.next is None or limit.would_need is None or limit.busy_share <= 0:
        alone = "no other part is near" if row.parts else "nothing tells its parts apart"
        return f"{text}; {alone}"
    rate = row.gb_per_s / limit.busy_share
    next_held = _held(limit.next_busy_share, limit.next_path_share, "the chain")
    return (
        f"{text}; it would need {figure(limit.would_need)}x its rate "
        f"({figure(rate)} to {figure(rate * limit.would_need)} GB/s of input) "
        f"for the next, {limit.next} ({next_held}), to be the limit"
    )


def _held(busy_share: float | None, path_share: float | None, chain: str) -> str:
    """What a part holds of a run: where steps wait for each other, none of them is busy all the time."""
    busy = f"{percent(busy_share)} busy"
    return busy if path_share is None else f"{busy}, {percent(path_share)} of {chain}"


def where(row: Row) -> str:
    """Where the time goes, in the order of the flow: `host to device copy 44 %, kernel 15 %`."""
    return ", ".join(f"{stage.name} {percent(stage.share)}" for stage in row.stages) or "-"


def kind_of(row: Row | Verdict) -> str:
    """`model` or `measured`: never left out beside a number."""
    return KIND_WORDS[row.kind]


def pace(row: Row) -> str:
    """The rate with its unit and kind: `1,370 images/s, model`."""
    return f"{grouped(row.value)} {row.unit}, {kind_of(row)}"


def work(row: Row) -> str:
    """What went through in the run: `200 images of 1920x1080`, `200 messages of 64 KiB`."""
    if row.images is not None:
        return f"{row.images} images of {row.width}x{row.height}"
    return f"{row.messages} messages of {format_size(row.bytes_per_message or 0)}"


def decide(rows: Sequence[Row]) -> Verdict | None:
    """The fastest row whose output is right, with a reason for it and for each row that it beats; None if none is."""
    right = sorted((row for row in rows if row.verified), key=lambda row: row.value, reverse=True)
    if not right:
        return None
    best = right[0]
    reasons = [f"{best.target} {best.flow}: {pace(best)}: {reason(best)}"]
    for row in right[1:]:
        behind = f"{figure(best.value / row.value)}x slower"
        reasons.append(f"{row.target} {row.flow}: {pace(row)}, {behind}: {reason(row)}")
    return Verdict(
        target=best.target, flow=best.flow, kind=best.kind, value=best.value, unit=best.unit, reasons=reasons
    )
