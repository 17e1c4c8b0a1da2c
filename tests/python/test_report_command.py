import json
from pathlib import Path

import pytest
from tests.python.conftest import Isthmus
from tests.python.report_records import write_records


def test_without_files_the_report_is_of_everything_beside_the_latest_study(isthmus: Isthmus) -> None:
    write_records(isthmus)
    done = isthmus.well("report")
    page = (isthmus.folder / "report.html").read_text()
    for heading in ("Study image-filter", "Bandwidth against payload", "Against the papers"):
        assert heading in page
    assert done.stdout.startswith("written: report.html, of out/image-filter/study.json, ")
    assert done.stderr == "next: xdg-open report.html\n"


def test_a_report_may_be_of_any_mix_of_files_and_of_json_lines(isthmus: Isthmus) -> None:
    isthmus("run", "image-filter", "--on", "model:aws-f1", "--jsonl", "run.jsonl", "-q")
    isthmus("probe", "opencl:0", "h2d", "--sizes", "4KiB,64KiB", "--jsonl", "probe.jsonl", "-q")
    isthmus("probe", "model:aws-f1", "h2d", "--sizes", "4KiB,64KiB", "--json", "model.json", "-q")
    isthmus.well("report", "run.jsonl", "probe.jsonl", "model.json", "-o", "all.html", "--title", "Two targets")
    page = (isthmus.folder / "all.html").read_text()
    for text in ("<h1>Two targets</h1>", "model:aws-f1, Fake, model: ", "opencl:0, Fake, measured: "):
        assert text in page


def test_a_study_shows_records_that_are_given_and_does_not_probe_their_targets_again(
    isthmus: Isthmus, study_file: Path
) -> None:
    isthmus("probe", "opencl:0", "h2d", "--sizes", "4KiB,64KiB", "--json", "mine.json", "-q")
    assert isthmus("study", "image-filter.toml", "--with", "mine.json").returncode == 0
    folder = isthmus.folder / "out" / "image-filter"
    probed = {record["target"] for record in json.loads((folder / "probes.json").read_text())["records"]}
    assert probed == {"model:alpha-data-7v3", "model:aws-f1"}
    assert "opencl:0, Fake, measured: " in (folder / "report.html").read_text()


def test_a_study_without_probes_has_no_curves(isthmus: Isthmus, study_file: Path) -> None:
    assert isthmus("study", "image-filter.toml", "--no-probes").returncode == 0
    folder = isthmus.folder / "out" / "image-filter"
    assert not (folder / "probes.json").exists()
    assert "Bandwidth against payload" not in (folder / "report.html").read_text()


def test_a_target_that_vanishes_before_it_is_probed_costs_the_study_its_curves_alone(
    isthmus: Isthmus, study_file: Path
) -> None:
    done = isthmus.well("study", "image-filter.toml", FAKE_PROBE="vanish")
    assert "warning: no curves of opencl:0 in the report: clFinish on 'Fake CPU'" in done.stderr
    assert (isthmus.folder / "out" / "image-filter" / "report.html").exists()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (None, "cannot read: No such file"),
        (" \n", " expected records that isthmus wrote, the file is empty"),
        ("[", "1: expected JSON that isthmus wrote: "),
        ('{"a": 1}', "1: expected a record of isthmus run, study, probe or hpcc"),
        ("3", "1: expected a record of isthmus run, study, probe or hpcc"),
        ('{"schema": "isthmus.devices/1"}', " key 'schema': expected isthmus.run, isthmus.study, "),
        ('{"schema": "isthmus.study/1", "context": {}, "rows": [], "verdict": null}', " key 'context.argv': "),
        ('{"samples": [1], "name": "h2d"}', "1: key 'quantity': expected, and missing"),
    ],
)
def test_a_file_that_is_no_record_is_one_line_with_its_place(
    isthmus: Isthmus, text: str | None, complaint: str
) -> None:
    if text is not None:
        (isthmus.folder / "a.json").write_text(text)
    told = isthmus.refusal("report", "a.json")
    assert told.startswith("a.json:")
    assert complaint in told
    assert not (isthmus.folder / "report.html").exists()


def test_a_size_that_is_no_number_is_one_line(isthmus: Isthmus) -> None:
    isthmus("probe", "opencl:0", "h2d", "--sizes", "4KiB", "--json", "a.json", "-q")
    file = isthmus.read("a.json")
    file["records"][0]["parameters"]["size"] = "large"
    (isthmus.folder / "a.json").write_text(json.dumps(file))
    assert isthmus("report", "a.json").stderr == ("error: a.json: key 'parameters.size' of h2d: expected whole bytes\n")


def test_without_a_study_the_command_asks_for_files(isthmus: Isthmus) -> None:
    assert isthmus.refusal("report").startswith("FILE: expected files of records, there is no study in out; help: ")
