import html
import json
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from tests.python.conftest import Isthmus

from isthmus.base.flows import FLOWS
from isthmus.records.probe import ProbeRecord
from isthmus.records.run import Row
from isthmus.running import limits
from isthmus.running.probes import all_probes
from isthmus.running.targets import platforms


def test_entries_name_flows_probes_and_keys_that_there_are(real: Isthmus) -> None:
    boards = [real.json("platform", "show", board)["platform"] for board in platforms()]
    known = {one["key"] for board in boards for one in board["inputs"]}
    ids = [limit.id for limit in limits.limits()]
    assert len(set(ids)) == len(ids)
    for limit in limits.limits():
        assert set(limit.flows) <= set(FLOWS)
        assert set(limit.crossed) <= {probe.crosses for probe in all_probes().values()}
        for pattern in limit.keys:
            assert any(fnmatchcase(key, pattern) for key in known), pattern


def test_every_flow_and_probe_is_touched_by_some() -> None:
    for flow in FLOWS:
        found = limits.of_records([Row.model_construct(kind="modelled", flow=flow)])
        assert found == [limit for limit in limits.limits() if flow in limit.flows] != []
    for name, probe in all_probes().items():
        found = limits.of_records([], [ProbeRecord.model_construct(kind="modelled", name=name)])
        assert found == [limit for limit in limits.limits() if probe.crosses in limit.crossed] != []


@pytest.mark.parametrize("limit", ["ddio", "numa", "iommu", "copy-rates", "chunked-staging", "replays"])
def test_a_platform_names_what_touches_its_numbers(real: Isthmus, limit: str) -> None:
    shown = real.json("platform", "show", "model:aws-f1")
    assert limit in [one["id"] for one in shown["limits"]]
    assert limit in real("platform", "show", "model:aws-f1").stdout
    assert "model-limits.md" not in real("platform", "show", "model:aws-f1").stdout, "the page is not installed"


@pytest.mark.parametrize(
    ("limit", "switch"),
    [
        ("ddio", "host.llc.enabled"),
        ("numa", "host.numa.enabled"),
        ("iommu", "host.iommu.enabled"),
        ("chunked-staging", "host.runtime.staging"),
    ],
)
def test_what_a_switch_brings_is_missed_by_boards_that_have_it_off_and_its_key_is_told(
    real: Isthmus, limit: str, switch: str
) -> None:
    inputs = real.json("platform", "show", "model:aws-f1")["platform"]["inputs"]
    assert [one["value"] in (False, "none") for one in inputs if one["key"] == switch] == [True]
    (entry,) = (one for one in limits.limits() if one.id == limit)
    assert f"unless {switch.removesuffix('.enabled')}" in entry.what
    assert any(fnmatchcase(switch, pattern) for pattern in entry.keys)


def test_a_study_and_its_report_name_what_touches_their_rows_and_no_more(isthmus: Isthmus, study_file: Path) -> None:
    text = study_file.read_text()
    assert isthmus("study", study_file.name).returncode == 0
    folder = isthmus.folder / "out" / study_file.stem
    study = json.loads((folder / "study.json").read_text())
    flows = {row["flow"] for row in study["rows"] if row["kind"] == "modelled"}
    assert flows, text
    expected = [limit.id for limit in limits.limits() if not flows.isdisjoint(limit.flows)]
    assert [one["id"] for one in study["limits"]] == expected
    page = (folder / "report.html").read_text()
    for limit in expected:
        assert f'id="limit-{limit}"' in page
    for one in study["limits"]:
        assert html.escape(one["why"], quote=False) in page.replace("&#39;", "'").replace("&#34;", '"')
    assert "model-limits.md" not in page, "the page is not installed"


def test_what_is_measured_is_touched_by_none(isthmus: Isthmus) -> None:
    from isthmus.report import gather

    isthmus("run", "image-filter", "--on", "opencl:0", "--json", "run.json", "-q")
    assert gather([isthmus.folder / "run.json"], "measured").limits() == []
