"""The plot of what circuits of private and of shared memory get (choi2019 fig. 4)."""

import pytest

from isthmus.records.probe import ProbeRecord
from isthmus.report.curves import HEIGHT, effective_panel


def record(target: str, name: str, size: int, value: float, **parameters: str) -> ProbeRecord:
    return ProbeRecord(
        name=name,
        quantity="bandwidth",
        unit="GB/s",
        value=value,
        samples=[value],
        spread=0,
        kind="modelled",
        target=target,
        device=target,
        parameters={"size": size, **parameters},
    )


PRIVATE = [record("model:a", "h2d", size, 1e-3 * size) for size in (64, 1024)]
SHARED = [record("model:b", "shared-read", size, 1e-2 * size, channel="vl0", start="flushed") for size in (64, 1024)]


@pytest.mark.parametrize("records", [PRIVATE, SHARED, [PRIVATE[0], SHARED[0]], []])
def test_there_is_none_without_both_at_several_sizes(records: list[ProbeRecord]) -> None:
    assert effective_panel(records) is None


def test_each_probe_of_each_target_is_a_line_on_the_same_axes() -> None:
    panel = effective_panel([*PRIVATE, *SHARED, record("model:a", "d2h", 64, 1.0), record("model:a", "latency", 64, 9)])
    assert panel is not None
    assert [line.label for line in panel.lines] == [
        "h2d, model:a, model",
        "shared-read over vl0, flushed, model:b, model",
    ]
    assert len({line.style for line in panel.lines}) == 2
    slow, fast = (line.points for line in panel.lines)
    assert [point.x for point in slow] == [point.x for point in fast] == [0, 100]
    assert all(0 <= high.y < low.y <= HEIGHT for low, high in zip(slow, fast, strict=True))
    assert panel.table.rows[0][1:] == ["0.0640", "0.640"]
