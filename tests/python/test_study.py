import json
import signal
import subprocess
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from tests.python.conftest import TREE, Isthmus

from isthmus.base.flows import FLOWS
from isthmus.base.names import listed
from isthmus.running.parallel import cores, parallel_s

MODELS = [
    (target, flow) for target in ("model:alpha-data-7v3", "model:aws-f1") for flow in ("offload", "overlap", "stream")
]


def test_a_study_runs_every_flow_that_a_target_has(isthmus: Isthmus, study_file: Path) -> None:
    file = isthmus.json("study", "image-filter.toml")
    ran = [(row["target"], row["flow"]) for row in file["rows"]]
    assert ran == [*MODELS, ("opencl:0", "offload"), ("opencl:0", "overlap"), ("native", "stream")]
    assert {row["images"] for row in file["rows"]} == {20}


def test_the_verdict_is_the_fastest_row_and_its_reasons_name_part_share_and_rate(
    isthmus: Isthmus, study_file: Path
) -> None:
    file = isthmus.json("study", "image-filter.toml")
    fastest = max(file["rows"], key=lambda row: row["images_per_s"])
    assert (file["verdict"]["target"], file["verdict"]["flow"]) == (fastest["target"], fastest["flow"])
    assert len(file["verdict"]["reasons"]) == len(file["rows"])
    parts = {stage["name"] for row in file["rows"] for stage in row["stages"]}
    for reason in file["verdict"]["reasons"]:
        assert any(part in reason for part in parts)
        assert ("% busy" in reason) != ("no single bottleneck" in reason)
        named = "bottleneck, model" in reason and "no single" not in reason
        assert not named or "raises the rate by" in reason


def test_models_run_again_for_the_fastest_of_each_target_and_for_all_if_that_is_asked_for(
    isthmus: Isthmus, study_file: Path
) -> None:
    def tried(*words: str) -> tuple[set[tuple[str, str]], str]:
        done = isthmus("study", "image-filter.toml", "--no-probes", *words)
        rows = isthmus.read("out/image-filter/study.json")["rows"]
        return {(row["target"], row["flow"]) for row in rows if (row["bottleneck"] or {}).get("effects")}, done.stdout

    fastest, said = tried()
    assert len(fastest) == 2
    assert {target for target, _ in fastest} == {target for target, _ in MODELS}
    assert said.count("bottleneck, model: ") == 2, "of each board"
    assert said.count("longest stage, measured: ") == 3, "what was measured says where its time goes"
    assert "slower on these targets: 4 more models; --reasons all finds what limits each\n" in said
    every, said = tried("--reasons", "all")
    assert every == set(MODELS)
    assert said.count("x slower: ") == 8
    assert "--reasons" not in said
    none, said = tried("--reasons", "none")
    assert none == set()
    assert said.count("busiest part, model: ") == 2
    told = isthmus.refusal("study", "image-filter.toml", "--reasons", "al")
    assert told == "--reasons: expected one of none, fastest, all, got 'al'; help: did you mean 'all'?"


def test_removing_the_bottleneck_makes_the_part_that_was_named_next_the_bottleneck(
    isthmus: Isthmus, study_file: Path
) -> None:
    def limits(*sets: str) -> dict[tuple[str, str], dict[str, str]]:
        rows = isthmus.json("study", "image-filter.toml", *sets)["rows"]
        return {(row["target"], row["flow"]): row["bottleneck"] for row in rows if row["bottleneck"]}

    place = ("model:alpha-data-7v3", "stream")
    before = limits("--set", "kernel.clock=20")[place]
    after = limits("--set", "kernel.clock=2000")[place]
    assert before["part"] == "kernel"
    assert after["part"] == before["next"]


def test_the_results_lie_in_a_folder_named_after_the_study(isthmus: Isthmus, study_file: Path) -> None:
    done = isthmus("study", str(study_file), "--out", "results")
    folder = isthmus.folder / "results" / "image-filter"
    assert sorted(path.name for path in folder.iterdir()) == [
        "chart.svg",
        "probes.json",
        "report.html",
        "study.json",
        "study.jsonl",
    ]
    file = json.loads((folder / "study.json").read_text())
    assert [json.loads(line) for line in (folder / "study.jsonl").read_text().splitlines()] == file["rows"]
    assert done.stdout.startswith(f"fastest: {file['verdict']['target']}, {file['verdict']['flow']}: ")
    assert done.stderr == "next: xdg-open results/image-filter/report.html\n"


def test_a_wrong_output_never_wins(isthmus: Isthmus, study_file: Path) -> None:
    done = isthmus("study", "image-filter.toml", FAKE_RUN="wrong")
    assert done.returncode == 1
    assert isthmus.read("out/image-filter/study.json")["verdict"] is None
    assert "No target gave the right output" in (isthmus.folder / "out" / "image-filter" / "report.html").read_text()


def test_images_on_the_command_line_win(isthmus: Isthmus, study_file: Path) -> None:
    assert {row["images"] for row in isthmus.json("study", "image-filter.toml", "--images", "3")["rows"]} == {3}


def test_a_dry_run_lists_each_run(isthmus: Isthmus, study_file: Path) -> None:
    done = isthmus.well("study", "image-filter.toml", "--dry-run", FAKE_RUN="crash")
    assert len(done.stdout.splitlines()) == 10
    assert not (isthmus.folder / "out").exists()


@pytest.mark.parametrize("alone", [[], [3.0], [4.0, 1.0, 1.0], [1.0] * 7])
def test_side_by_side_lasts_as_long_as_the_longest_and_as_the_cores_share_the_sum(alone: list[float]) -> None:
    together = parallel_s(alone)
    assert together <= sum(alone)
    assert all(together >= one for one in alone)
    assert together * cores() >= sum(alone)


GOOD = '[application]\nname = "image-filter"\n[study]\ntargets = ["model:aws-f1"]\nflows = ["stream"]\n'


WHOLE = "expected a whole number from 1 to 2147483647"


@pytest.mark.parametrize(
    ("right", "wrong", "complaint"),
    [
        (
            "[study]",
            "imags = 3\n[study]",
            "3: unknown key 'application.imags'; help: did you mean 'application.images'?",
        ),
        ("[study]", "images = 0\n[study]", f"3: key 'application.images': {WHOLE}, got 0"),
        ("[study]", "images = true\n[study]", f"3: key 'application.images': {WHOLE}, got true"),
        ('["model:aws-f1"]', "[]", "4: key 'study.targets': expected a list of at least one target, got []"),
        (
            'targets = ["model:aws-f1"]\n',
            "",
            "3: key 'study.targets': missing, expected a list of at least one target",
        ),
        (
            '["stream"]',
            '["streem"]',
            f"5: key 'study.flows': expected a list of {listed(FLOWS, 'and')}, got 'streem'; "
            "help: did you mean 'stream'?",
        ),
        ("image-filter", "image-filer", "2: unknown application 'image-filer'; help: did you mean 'image-filter'?"),
        ("aws-f1", "aws-f2", "4: unknown target 'model:aws-f2': expected "),
        (
            "model:aws-f1",
            "opencl:0",
            "5: key 'study.flows': no target has any of these flows of 'image-filter'; "
            "opencl:0 has offload and overlap",
        ),
        ("[study]", "[studies]", "3: unknown key 'studies'; help: did you mean 'study'?"),
        (GOOD, f"[study]\n{GOOD}", "4: not TOML: "),
        (GOOD, "", "1: key 'application': missing, expected a table [application]"),
    ],
)
def test_a_wrong_study_is_one_line_with_its_place(isthmus: Isthmus, right: str, wrong: str, complaint: str) -> None:
    (isthmus.folder / "wrong.toml").write_text(GOOD.replace(right, wrong))
    assert isthmus.refusal("study", "wrong.toml").startswith(f"wrong.toml:{complaint}")
    assert not (isthmus.folder / "out").exists()


def test_a_system_is_no_target_of_a_study(real: Isthmus) -> None:
    system = TREE / "tests" / "systems" / "four-boards.toml"
    (real.folder / "wrong.toml").write_text(GOOD.replace("model:aws-f1", str(system)))
    told = real.refusal("study", "wrong.toml")
    assert told == f"wrong.toml:4: target '{system}': expected one board, got a system of boards"


def test_an_unknown_study_gets_the_nearest(isthmus: Isthmus, study_file: Path) -> None:
    done = isthmus("study", "image-filer.toml")
    assert done.stderr == "error: unknown study 'image-filer.toml'; help: did you mean 'image-filter.toml'?\n"
    assert (
        isthmus("study", "--list").stdout
        == "image-filter.toml\ncoherence\nhash-lookup\nmatrices\npacket-encryption\nqueues\nshared-memory\n"
        "table-select\n"
    ), "it hides the example of its name"


def test_the_examples_that_come_with_it_are_found_from_anywhere(isthmus: Isthmus) -> None:
    assert (
        isthmus("study", "--list").stdout
        == "coherence\nhash-lookup\nimage-filter\nmatrices\npacket-encryption\nqueues\nshared-memory\ntable-select\n"
    )
    isthmus.well("study", "image-filter", "--images", "2", "--no-probes")
    assert (isthmus.folder / "out" / "image-filter" / "report.html").is_file()
    assert [path.name for path in isthmus.folder.iterdir() if path.name != "home"] == ["out"]


def test_the_three_lines_of_the_welcome_work_in_an_empty_folder(isthmus: Isthmus) -> None:
    lines = [line for line in isthmus().stdout.splitlines() if line.startswith("  isthmus ")]
    for line in lines:
        words = line.split("   ")[0].split()[1:]
        done = isthmus(*words)
        assert done.returncode == 0, f"{line}: {done.stderr}"


def waiting(isthmus: Isthmus, trouble: str) -> "subprocess.Popen[str]":
    """A study in a process of its own, of which a tool has begun to wait."""
    process = isthmus.start("study", "image-filter.toml", FAKE_RUN=trouble)
    assert process.stderr is not None
    assert process.stderr.readline() == "note: waiting\n"
    return process


def interrupted(process: "subprocess.Popen[str]") -> str:
    """What it says after Ctrl-C."""
    process.send_signal(signal.SIGINT)
    _, complaint = process.communicate()
    assert process.returncode == 130
    return complaint


def test_interrupting_keeps_the_complete_rows_and_writes_no_verdict(isthmus: Isthmus, study_file: Path) -> None:
    complaint = interrupted(waiting(isthmus, "slow device"))
    places = "out/image-filter/study.jsonl and the results store (isthmus history)"
    assert complaint == f"error: interrupted; {len(MODELS)} complete records are kept in {places}\n"
    folder = isthmus.folder / "out" / "image-filter"
    assert [path.name for path in folder.iterdir()] == ["study.jsonl"]
    kept = [json.loads(line) for line in (folder / "study.jsonl").read_text().splitlines()]
    assert [(row["target"], row["flow"]) for row in kept] == MODELS


def test_interrupting_models_side_by_side_ends_them_all(isthmus: Isthmus, study_file: Path) -> None:
    complaint = interrupted(waiting(isthmus, "slow"))
    assert complaint.splitlines()[-1] == "error: interrupted; no record was complete"
    assert not (isthmus.folder / "out").exists()


def test_a_tool_that_does_not_stop_is_ended_by_the_second_interrupt(isthmus: Isthmus, study_file: Path) -> None:
    process = waiting(isthmus, "stubborn")
    assert process.stderr is not None
    process.send_signal(signal.SIGINT)
    while process.stderr.readline() == "note: waiting\n":
        pass
    interrupted(process)


def test_a_tool_that_does_not_stop_is_ended_after_the_time_it_has(isthmus: Isthmus, study_file: Path) -> None:
    complaint = interrupted(waiting(isthmus, "stubborn"))
    assert complaint.splitlines()[-1] == "error: interrupted; no record was complete"


def test_what_an_earlier_study_left_is_kept(isthmus: Isthmus, study_file: Path) -> None:
    isthmus.well("study", "image-filter.toml", "--images", "4")
    folder = isthmus.folder / "out" / "image-filter"
    before = {path.name: path.read_text() for path in folder.iterdir()}
    (folder / "mine.txt").write_text("of the user")
    second = isthmus("study", "image-filter.toml", "--images", "8")
    (earlier,) = (folder / "earlier").iterdir()
    assert {path.name: path.read_text() for path in earlier.iterdir()} == before
    assert f"note: out/image-filter held an earlier run, which is in {earlier.relative_to(isthmus.folder)} now" in (
        second.stderr
    )
    assert (folder / "mine.txt").read_text() == "of the user"
    assert {row["images"] for row in json.loads((folder / "study.json").read_text())["rows"]} == {8}


def test_two_studies_at_the_same_time_write_to_folders_of_their_own(isthmus: Isthmus, study_file: Path) -> None:
    process = waiting(isthmus, "slow device")
    kept = (isthmus.folder / "out" / "image-filter" / "study.jsonl").read_text()
    second = isthmus("study", "image-filter.toml", "--images", "8")
    assert "note: another run is writing to out/image-filter; this one writes to out/image-filter-2\n" in second.stderr
    assert second.stderr.splitlines()[-1] == "next: xdg-open out/image-filter-2/report.html"
    assert (isthmus.folder / "out" / "image-filter-2" / "study.json").exists()
    assert (isthmus.folder / "out" / "image-filter" / "study.jsonl").read_text() == kept
    interrupted(process)


def test_a_model_that_fails_ends_the_others_and_is_the_reason(isthmus: Isthmus, study_file: Path) -> None:
    done = isthmus("study", "image-filter.toml", FAKE_RUN="one fails")
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == "error: photograph a.jpg: expected an image, got 0 bytes"
    assert not (isthmus.folder / "out" / "image-filter" / "study.json").exists()


def test_rows_are_in_the_order_of_the_file_whatever_order_they_end_in(isthmus: Isthmus, study_file: Path) -> None:
    def backwards(work: dict[int, Any], on_event: Any, on_result: Any, run: Any) -> None:
        for number in reversed(work):
            on_result(number, run(work[number], partial(on_event, number)))

    rows = isthmus.json("study", "image-filter.toml")["rows"]
    with mock.patch("isthmus.cli.study.run_in_parallel", backwards):
        done = isthmus("study", "image-filter.toml", "--jsonl", "-")
    assert [json.loads(line) for line in done.stdout.splitlines()] == rows
    kept = isthmus.folder / "out" / "image-filter" / "study.jsonl"
    assert [json.loads(line) for line in kept.read_text().splitlines()] == rows


def test_models_run_side_by_side_and_devices_alone(isthmus: Isthmus, study_file: Path) -> None:
    log = isthmus.folder / "log"
    isthmus.json("study", "image-filter.toml", FAKE_LOG=str(log))
    events = [line.split(maxsplit=1) for line in log.read_text().splitlines()]
    assert len(events) > 18, "models run again to find what holds them"
    assert [target for _, target in events[-6:]] == [*["opencl:0"] * 4, *["native"] * 2], "after all models"
    assert [what for what, _ in events[-6:]] == ["begin", "end"] * 3
    under_way = most = 0
    for what, _ in events:
        under_way += 1 if what == "begin" else -1
        most = max(most, under_way)
    assert 1 <= most <= cores()


def test_the_study_of_the_examples_is_well_formed(isthmus: Isthmus) -> None:
    done = isthmus.well("study", str(TREE / "examples" / "image-filter.toml"), "--dry-run")
    assert done.stdout.count("200 images") == 9


TWO = """
[[application]]
name = "image-filter"
count = 4
[[application]]
name = "suffix-sum"
parameters = {values = 64}
[study]
targets = ["model:aws-f1", "opencl:0", "native"]
"""


def test_each_application_of_a_study_has_a_verdict_of_its_own(isthmus: Isthmus) -> None:
    (isthmus.folder / "two.toml").write_text(TWO)
    done = isthmus.well("study", "two.toml", "--no-probes", "--json", "two.json")
    file = isthmus.read("two.json")
    assert file["verdict"] is None, "rates of different work are not compared"
    assert [one["application"] for one in file["verdicts"]] == ["image-filter", "suffix-sum"]
    for verdict in file["verdicts"]:
        rows = [row for row in file["rows"] if row["application"] == verdict["application"]]
        assert verdict["value"] == max(row["value"] for row in rows)
        assert {(row["target"], row["flow"]) for row in rows} >= {("model:aws-f1", "stream"), ("native", "stream")}
        assert f"{verdict['application']}: fastest: " in done.stdout
    assert {(row["count"], row["counted"]) for row in file["rows"]} == {(4, "images"), (200, "messages")}
    assert {row["parameters"]["values"] for row in file["rows"] if row["counted"] == "messages"} == {64}
    page = (isthmus.folder / "out" / "two" / "report.html").read_text()
    assert "suffix-sum, " in page
    chart = (isthmus.folder / "out" / "two" / "chart.svg").read_text()
    assert "image-filter: 4 images of 1920x1080" in chart
    assert "suffix-sum: 200 messages of 256B, messages/s" in chart
    assert chart.count('class="bar best"') == 2


def test_what_is_typed_reaches_the_applications_that_have_it(isthmus: Isthmus) -> None:
    (isthmus.folder / "two.toml").write_text(TWO)
    words = ("study", "two.toml", "--no-probes", "--values", "128", "--images", "2", "--messages", "3")
    rows = isthmus.json(*words)["rows"]
    assert {(row["count"], row["parameters"].get("values")) for row in rows} == {(2, None), (3, 128)}
    assert {row["count"] for row in isthmus.json(*words[:3], "--count", "5")["rows"]} == {5}


ON_A_BOARD = '[study]\ntargets = ["model:aws-f1"]\n'
IMAGE_FILTER = 'name = "image-filter"\n'
SUFFIX_SUM = 'name = "suffix-sum"\n'


@pytest.mark.parametrize(
    ("more", "words", "place"),
    [
        ("", (), "wrong.toml:3: key 'application.parameters.values'"),
        ("count = 1\n", (), "wrong.toml:3: key 'application.parameters.values'"),
        ("", ("--values", "33"), "values"),
    ],
)
def test_what_an_application_itself_refuses_is_one_line_with_its_place(
    real: Isthmus, more: str, words: tuple[str, ...], place: str
) -> None:
    entries = f"{SUFFIX_SUM}parameters = {{values = 17}}\n{more}"
    (real.folder / "wrong.toml").write_text(f"[application]\n{entries}{ON_A_BOARD}")
    got = words[-1] if words else "17"
    told = real.refusal("study", "wrong.toml", *words)
    assert told == f"{place}: expected a multiple of 16, which a word of 512 bit holds, got {got}"


@pytest.mark.parametrize(
    ("entries", "complaint"),
    [
        (
            f"{SUFFIX_SUM}[application.parameters]\nvalues = 8\n",
            ":4: key 'application.parameters.values': expected an integer of 16..16777216, got '8'",
        ),
        (
            f'{IMAGE_FILTER}input = "nowhere"\n',
            ":3: key 'application.input': expected a folder, got 'nowhere': No such file or directory",
        ),
    ],
)
def test_a_value_that_an_application_does_not_take_is_refused_with_its_place(
    real: Isthmus, entries: str, complaint: str
) -> None:
    (real.folder / "wrong.toml").write_text(f"[application]\n{entries}{ON_A_BOARD}")
    assert real.refusal("study", "wrong.toml") == f"wrong.toml{complaint}"


def test_a_path_among_the_parameters_is_from_the_folder_of_the_study(isthmus: Isthmus) -> None:
    for folder in ("lab/photos", "mine"):
        (isthmus.folder / folder).mkdir(parents=True)
    tail = '[study]\ntargets = ["native"]\n'
    (isthmus.folder / "lab" / "a.toml").write_text(f'[application]\nname = "image-filter"\ninput = "photos"\n{tail}')
    (row,) = isthmus.json("study", "lab/a.toml", "--no-probes")["rows"]
    assert row["parameters"] == {"input": "lab/photos"}
    (row,) = isthmus.json("study", "lab/a.toml", "--no-probes", "--input", "mine")["rows"]
    assert row["parameters"] == {"input": "mine"}


APPLICATION = f"[application]\n{SUFFIX_SUM}"
EACH = f"[[application]]\n{IMAGE_FILTER}[[application]]\n{SUFFIX_SUM}"


@pytest.mark.parametrize(
    ("entries", "complaint"),
    [
        (
            EACH.replace(IMAGE_FILTER, SUFFIX_SUM),
            ":4: key 'application.name': a second application 'suffix-sum'; expected a name each, or a study each",
        ),
        (EACH.replace("sum", "sun"), ":4: unknown application 'suffix-sun'; help: did you mean 'suffix-sum'?"),
        (f"{EACH}cuont = 3\n", ":5: unknown key 'application.cuont'; help: did you mean 'application.count'?"),
        (
            f"{EACH}images = 3\n",
            ":5: key 'application.images': 'suffix-sum' counts messages, expected 'application.count'",
        ),
        (
            f"{APPLICATION}count = 3\nmessages = 3\n",
            ":4: key 'application.messages': is another name of 'application.count'",
        ),
        (f"{APPLICATION}count = 0\n", f":3: key 'application.count': {WHOLE}, got 0"),
        (
            f"{APPLICATION}parameters = {{valus = 3}}\n",
            ":3: key 'application.parameters.valus': 'suffix-sum' has no such parameter; help: did you mean 'values'?",
        ),
        (
            f'{APPLICATION}input = "here"\n',
            ":3: key 'application.input': 'suffix-sum' has no such parameter; help: its parameters: values.",
        ),
        (
            f"{APPLICATION}parameters = {{values = [3]}}\n",
            ":3: key 'application.parameters.values': expected a number, a text, true or false, got [3]",
        ),
        ("application = 3\n", ":1: key 'application': expected a table [application], got 3"),
    ],
)
def test_a_wrong_table_of_an_application_is_one_line_with_its_place(
    isthmus: Isthmus, entries: str, complaint: str
) -> None:
    (isthmus.folder / "wrong.toml").write_text(f"{entries}{ON_A_BOARD}")
    assert isthmus.refusal("study", "wrong.toml") == f"wrong.toml{complaint}"
