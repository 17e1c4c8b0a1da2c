"""What each step of a transfer costs, told only where noise does not hide it."""

import random

import pytest

from isthmus.records.probe import ProbeRecord
from isthmus.report.waterfall import waterfalls

STEPS = ("advertised", "packets", "DMA", "copy", "end to end")
SEED = random.randrange(1 << 32)


def record(step: int, samples: list[float]) -> ProbeRecord:
    ordered = sorted(samples)
    return ProbeRecord.model_validate(
        {
            "name": "steps",
            "quantity": "bandwidth",
            "unit": "GB/s",
            "value": ordered[len(ordered) // 2],
            "samples": samples,
            "spread": 0.1,
            "percentiles": dict.fromkeys(("p0", "p5", "p25", "p50", "p75", "p95", "p99", "p100"), ordered[0]),
            "kind": "measured",
            "target": "opencl:0",
            "device": "a device",
            "parameters": {"size": 4096, "step": step, "what": STEPS[step - 1]},
            "version": "1",
        }
    )


def test_noise_is_never_a_negative_loss() -> None:
    print(f"seed {SEED}")
    chance = random.Random(SEED)
    for _ in range(200):
        records = [
            record(step, [chance.gauss(10, 1) for _ in range(chance.choice((1, 6, 21)))])
            for step in range(1, len(STEPS) + 1)
        ]
        (waterfall,) = waterfalls(records)
        assert len(waterfall.falls) == len(STEPS)
        assert [fall.lost for fall in waterfall.falls if fall.lost is not None and fall.lost <= 0] == []


def test_a_loss_is_told_where_the_samples_lie_apart_and_in_no_other_case() -> None:
    quiet, noisy = [10.0, 10.1, 9.9] * 7, [10.0, 14.0, 6.0] * 7
    half = [each / 2 for each in quiet]
    faster = [each * 2 for each in quiet]

    def lost(before: list[float], after: list[float]) -> float | None:
        (waterfall,) = waterfalls([record(3, before), record(4, after)])
        return waterfall.falls[1].lost

    assert lost(quiet, half) == pytest.approx(0.5)
    assert lost(quiet, faster) is None, "a device that does the later step without the earlier"
    assert lost(noisy, [each * 0.9 for each in noisy]) is None, "within the spread"
