"""Records of every kind that a report shows: a study and its probes by the stand-ins, and a comparison with papers."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.python.conftest import Isthmus, write_study
from tests.python.hpcc_records import CONTEXT

from isthmus.report import ReportContents, render_report
from isthmus.results.kinds import kind_of

PAPERS: dict[str, Any] = {
    "schema": "isthmus.reproduce/1",
    "context": {**CONTEXT, "argv": ["isthmus", "reproduce"]},
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
    write_study(isthmus.folder)
    isthmus.well("study", "image-filter.toml", "-q")
    folder = isthmus.folder / "out" / "image-filter"
    (folder / "reproduce.json").write_text(json.dumps(PAPERS))
    return [folder / name for name in ("study.json", "probes.json", "reproduce.json")]


def page_of(files: Mapping[str, Any], title: str = "Study image-filter") -> str:
    """The report of files, by their names."""
    contents = ReportContents(title)
    for name, file in files.items():
        kind = kind_of(file)
        assert kind is not None
        contents.add(f"{name}.json", kind.file_class.model_validate(file))
    return render_report(contents)


def write_page(folder: Path, files: Mapping[str, Any], title: str = "Study image-filter") -> Path:
    """That report as a page."""
    page = folder / "report.html"
    page.write_text(page_of(files, title))
    return page
