"""Records of every kind that a report shows: a study and its probes by the stand-ins, and a comparison with papers."""

import json
from pathlib import Path
from typing import Any

from tests.python.conftest import Isthmus

PAPERS: dict[str, Any] = {
    "schema": "isthmus.reproduce/1",
    "context": {
        "argv": ["isthmus", "reproduce"],
        "host": "vm",
        "version": "0.1.0",
        "start": "2026-01-01T00:00:00+00:00",
        "elapsed": 12.5,
    },
    "rows": [
        {
            "id": f"S001-00{number}",
            "paper": "stacc",
            "place": "table V",
            "quantity": "images a second",
            "unit": "images/s",
            "published": published,
            "ours": ours,
            "error": None if isinstance(ours, bool) else ours / published - 1,
            "role": role,
            "note": "a note",
        }
        for number, (published, ours, role) in enumerate(
            [(128.0, 129.4, "predicted"), (294.0, 290.0, "derived"), (True, True, "claim")]
        )
    ],
    "score": {
        "all": {
            "published": 161,
            "compared": 79,
            "duplicates": 10,
            "open": 61,
            "roles": {"predicted": {"rows": 9, "agree": 6, "mean_error": 0.135, "largest_error": 0.38}},
        }
    },
    "held_out": [
        {
            "id": "S001-087",
            "board": "aws-f1",
            "quantity": "copy rate",
            "unit": "GB/s",
            "published": 2.6,
            "calibrated": 2.59,
            "held_out": 2.4,
            "error": 2.4 / 2.6 - 1,
            "recalibrated": [],
        }
    ],
}


def write_records(isthmus: Isthmus) -> list[Path]:
    """study.json, probes.json and reproduce.json in the folder of `isthmus`."""
    (isthmus.folder / "image-filter.toml").write_text(
        '[application]\nname = "image-filter"\nimages = 20\n[study]\n'
        'targets = ["model:alpha-data-7v3", "model:aws-f1", "opencl:0", "native"]\n'
    )
    done = isthmus("study", "image-filter.toml", "-q")
    assert done.returncode == 0, done.stderr
    folder = isthmus.folder / "out" / "image-filter"
    (folder / "reproduce.json").write_text(json.dumps(PAPERS))
    return [folder / name for name in ("study.json", "probes.json", "reproduce.json")]
