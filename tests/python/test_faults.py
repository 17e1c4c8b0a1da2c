"""Faults as the command and studies take them, what the rows tell of them, and what is refused."""

import pytest
from tests.python.conftest import Isthmus
from tests.python.test_schemas import check

FEW = ("--count", "10")
MODEL = ("run", "suffix-sum", "--on", "model:aws-f1", "--flow", "stream", *FEW)
PACKETS = ("run", "packet-encryption", "--on", "model:stratix-v", "--flow", "stream", "--count", "2000")
STUDY = '[application]\nname = "suffix-sum"\ncount = 10\n[study]\ntargets = ["model:aws-f1"]\nflows = ["stream"]\n'


def test_a_lost_or_doubled_packet_costs_time_and_no_data_and_the_row_counts_it(real: Isthmus) -> None:
    file = real.json(*MODEL, "--faults", "drop=0.01,duplicate=0.01")
    check("run", file)
    (row,) = file["rows"]
    (clean,) = real.json(*MODEL)["rows"]
    assert row["verified"] is True
    assert row["elapsed_s"] > clean["elapsed_s"]
    assert "faults" not in clean
    faults = row["faults"]
    assert faults["replayed"] >= faults["dropped"] > 0
    assert faults["duplicated"] > 0
    assert faults["stalled"] == faults["corrupted"] == 0
    shown = real(*MODEL, "--faults", "drop=0.01,duplicate=0.01").stdout
    assert f"{faults['dropped']} dropped, {faults['duplicated']} duplicated, {faults['replayed']} replayed" in shown


@pytest.mark.parametrize(
    "arguments",
    [
        (*MODEL, "--faults", "stall=0.01,drop=0.01,duplicate=0.01,corrupt=0.01"),
        (*PACKETS, "--faults", "stall=0.01,corrupt=0.05"),
    ],
)
def test_equal_seeds_give_equal_records_with_faults_too(real: Isthmus, arguments: tuple[str, ...]) -> None:
    first, second, other = (real.json(*arguments, "--seed", seed)["rows"] for seed in ("3", "3", "4"))
    assert first == second
    assert first[0]["faults"] != other[0]["faults"]


@pytest.mark.parametrize("on", [("model:aws-f1", "--flow", "stream"), ("native",)])
def test_a_dead_consumer_is_one_line_and_exit_code_2(real: Isthmus, on: tuple[str, ...]) -> None:
    told = real.refusal("run", "suffix-sum", *FEW, "--faults", "die=3", "--json", "row.json", "--on", *on)
    assert "a dead consumer, its thread ended after 3 messages" in told
    assert not (real.folder / "row.json").exists()


def test_corrupted_packets_are_lost_and_the_run_is_right(real: Isthmus) -> None:
    (row,) = real.json(*PACKETS, "--faults", "corrupt=0.05")["rows"]
    assert row["lost"] == row["faults"]["corrupted"] > 0
    assert row["reordered"] == 0
    assert row["verified"] is True


@pytest.mark.parametrize("application", ["hash-lookup", "table-select", "image-filter"])
def test_each_applications_output_is_right_under_faults_which_cost_time(real: Isthmus, application: str) -> None:
    arguments = ("run", application, "--on", "model:aws-f1", "--flow", "stream", "--count", "4")
    (clean,) = real.json(*arguments)["rows"]
    (row,) = real.json(*arguments, "--faults", "stall=0.2,drop=0.02,duplicate=0.02")["rows"]
    assert clean["verified"] is row["verified"] is True
    assert row["faults"]["dropped"] > 0
    assert row["elapsed_s"] > clean["elapsed_s"]


def test_a_target_refuses_what_nothing_there_could_act_on(real: Isthmus) -> None:
    for on, taken in ((("native",), "stall, die"), (("model:aws-f1", "--flow", "offload"), "no faults")):
        told = real.refusal("run", "suffix-sum", *FEW, "--faults", "drop=0.1", "--on", *on)
        assert told.startswith("--faults drop: ")
        assert told.endswith(f"takes {taken}")


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        (
            "drip=0.1",
            ": unknown fault 'drip': expected stall, drop, duplicate, corrupt or die; did you mean 'drop'?",
        ),
        ("drop=1.5", " drop: expected a probability 0..1, got '1.5'"),
        ("stall=0.1,corrupt=nan", " corrupt: expected a probability 0..1, got 'nan'"),
        ("die=-1", " die: expected a number of messages, 0 or more, got '-1'"),
        ("stall", ": expected NAME=VALUE,..., got 'stall'"),
    ],
)
def test_a_wrong_fault_is_refused_where_it_was_written(real: Isthmus, given: str, complaint: str) -> None:
    assert real.refusal(*MODEL, "--faults", given) == f"--faults{complaint}"
    (real.folder / "wrong.toml").write_text(f'{STUDY}faults = "{given}"\n')
    assert real.refusal("study", "wrong.toml") == f"wrong.toml:7: key 'study.faults'{complaint}"


def test_a_study_runs_with_the_faults_of_its_table(real: Isthmus) -> None:
    (real.folder / "faulty.toml").write_text(f'{STUDY}faults = "drop=0.01"\n')
    (row,) = real.json("study", "faulty.toml", "--no-probes")["rows"]
    assert row["faults"]["dropped"] > 0
