"""`--fine` and `--coarse`: which grain a model is asked for, and what its records say of it."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.python.conftest import TREE, Isthmus
from tests.python.fake_answers import FakeAnswers
from tests.python.test_judge import RUN as JUDGED
from tests.python.test_judge import judged
from tests.python.test_judge_models import ECHO

from isthmus.asking.experiments import Experiment, command
from isthmus.reproduction.model_runs import ModelRuns

RUN = ("run", "image-filter", "--on", "model:aws-f1", "--images", "5")
PROBE = ("probe", "model:aws-f1", "h2d", "--sizes", "4KiB")
STREAM = ("run", "image-filter", "--on", "model:aws-f1", "--flow", "stream")


def grains(rows: list[dict[str, Any]]) -> dict[str, str | None]:
    """What each target's rows say."""
    return {row["target"]: row.get("grain") for row in rows}


@pytest.mark.parametrize(("flags", "grain"), [((), "coarse"), (("--coarse",), "coarse"), (("--fine",), "fine")])
def test_models_are_coarse_unless_fine_is_asked_for(isthmus: Isthmus, flags: tuple[str, ...], grain: str) -> None:
    (row,) = isthmus.json(*RUN, *flags)["rows"]
    (record,) = isthmus.json(*PROBE, *flags)["records"]
    assert (row["grain"], record["grain"]) == (grain, grain)


@pytest.mark.parametrize("words", [RUN, PROBE, ("study", "image-filter.toml")])
def test_both_at_once_are_refused(isthmus: Isthmus, study_file: Path, words: tuple[str, ...]) -> None:
    assert isthmus.refusal(*words, "--fine", "--coarse") == "--fine, --coarse: expected one of the two, got both"


@pytest.mark.parametrize(("target", "flow"), [("opencl:0", "offload"), ("native", "stream")])
@pytest.mark.parametrize("flag", ["--fine", "--coarse"])
def test_a_real_device_has_no_grain(isthmus: Isthmus, target: str, flow: str, flag: str) -> None:
    told = isthmus.refusal("run", "image-filter", "--on", target, "--flow", flow, flag)
    assert told == f"{flag}: '{target}' is a real device, and only models have a grain"


def test_nor_is_one_probed_with_a_grain(isthmus: Isthmus) -> None:
    told = isthmus.refusal("probe", "opencl:0", "h2d", "--fine")
    assert told == "--fine: 'opencl:0' is a real device, and only models have a grain"


def test_a_trace_is_fine(isthmus: Isthmus) -> None:
    (row,) = isthmus.json(*RUN, "--trace", "a.trace")["rows"]
    assert row["grain"] == "fine"
    told = isthmus.refusal(*RUN, "--trace", "a.trace", "--coarse")
    assert re.fullmatch("--trace: expected --fine .* got --coarse, .*", told)


def study(isthmus: Isthmus, file: Path, *flags: str) -> dict[str, str | None]:
    """The grains of a study's rows and probes, which are the same."""
    isthmus("study", file.name, *flags)
    folder = isthmus.folder / "out" / file.stem
    of_rows = grains(json.loads((folder / "study.json").read_text())["rows"])
    of_probes = grains(json.loads((folder / "probes.json").read_text())["records"])
    assert of_probes.items() <= of_rows.items()
    return of_rows


def test_a_study_has_one_grain_for_all_of_its_models(isthmus: Isthmus, study_file: Path) -> None:
    models = ("model:alpha-data-7v3", "model:aws-f1")
    real: dict[str, str | None] = {"opencl:0": None, "native": None}
    assert study(isthmus, study_file) == dict.fromkeys(models, "coarse") | real
    assert study(isthmus, study_file, "--fine") == dict.fromkeys(models, "fine") | real
    study_file.write_text(study_file.read_text() + 'grain = "fine"\n')
    assert study(isthmus, study_file) == dict.fromkeys(models, "fine") | real
    assert study(isthmus, study_file, "--coarse") == dict.fromkeys(models, "coarse") | real


def test_a_study_file_names_a_grain_that_there_is(isthmus: Isthmus, study_file: Path) -> None:
    study_file.write_text(study_file.read_text() + 'grain = "rough"\n')
    told = isthmus.refusal("study", study_file.name)
    assert "image-filter.toml:7: key 'study.grain': expected fine or coarse, got 'rough'" in told


def test_reruns_have_the_grain_of_their_run() -> None:
    _, asked = judged(run=Experiment(JUDGED.application, JUDGED.target, "stream", 100, grain="fine"))
    assert {one.grain for one in asked} == {"fine"}


def test_reproduce_is_fine() -> None:
    bench = FakeAnswers()
    ModelRuns(bench, images=4, sweep_images=2).run("aws-f1", "stream")
    ModelRuns(bench, images=4, sweep_images=2).rate("aws-f1", "stream", "link.pcie.lanes=8")
    assert [one.grain for one in bench.runs] == ["fine", "fine"]


def test_what_is_typed_again_names_the_grain_that_is_not_usual() -> None:
    run = Experiment("image-filter", "model:aws-f1", "stream", 5)
    assert command(run) == "isthmus run image-filter --on model:aws-f1 --flow stream --count 5"
    fine = Experiment("image-filter", "model:aws-f1", "stream", 5, grain="fine")
    assert command(fine) == f"{command(run)} --fine"


def test_grains_are_compared_as_one_experiment(isthmus: Isthmus) -> None:
    isthmus(*RUN, "--fine", "--json", "old.json")
    isthmus(*RUN, "--coarse", "--json", "new.json")
    (found,) = isthmus.json("compare", "old.json", "new.json")["comparisons"]
    assert found["ratio"] == 1


def test_a_long_stream_is_coarse_and_takes_the_time_of_a_fine_one(real: Isthmus) -> None:
    (coarse,) = real.json(*STREAM, "--images", "40")["rows"]
    (fine,) = real.json(*STREAM, "--images", "40", "--fine")["rows"]
    assert (coarse["grain"], fine["grain"]) == ("coarse", "fine")
    assert coarse["verified"]
    assert coarse["elapsed_s"] == pytest.approx(fine["elapsed_s"], rel=0.01)


def test_a_short_stream_is_fine_whatever_is_asked_for(real: Isthmus) -> None:
    (row,) = real.json(*STREAM, "--images", "4", "--coarse")["rows"]
    (fine,) = real.json(*STREAM, "--images", "4", "--fine")["rows"]
    assert row["grain"] == "fine"
    assert row["elapsed_s"] == fine["elapsed_s"]


def test_a_system_is_probed_finely(real: Isthmus) -> None:
    system = str(TREE / "tests" / "systems" / "four-boards.toml")
    records = real.json("probe", system, "h2d-pinned", "--sizes", "64KiB", "--coarse")["records"]
    assert {record["grain"] for record in records} == {"fine"}


def test_a_program_of_ones_own_is_fine(real: Isthmus) -> None:
    for flags in ((), ("--fine",), ("--coarse",)):
        (row,) = real.json("run", ECHO, "--on", "model:aws-f1", "--messages", "3", *flags)["rows"]
        assert row["grain"] == "fine"
