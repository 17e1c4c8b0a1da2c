"""The summary under HPC Challenge's names, beside a file that Debian's hpcc wrote."""

from pathlib import Path
from typing import Any

import pytest
from tests.python.conftest import Isthmus
from tests.python.hpcc_records import hpcc_record

from isthmus.hpcc.benchmarks import BENCHMARKS
from isthmus.hpcc.tables import summary_lines
from isthmus.records.hpcc import HpccRecord

DEBIAN = Path(__file__).parent / "data" / "hpccoutf.txt"


def lines_of(text: str) -> dict[str, str]:
    return dict(line.split("=", 1) for line in text.splitlines() if "=" in line and not line.startswith("#"))


def records(names: list[str], ranks: int = 1, seconds: float = 0.5, **changed: Any) -> list[HpccRecord]:
    return [
        HpccRecord.model_validate(hpcc_record(name, 8.0, ranks, seconds=[seconds, 0.6], **changed)) for name in names
    ]


def hpc_challenge(records: list[HpccRecord]) -> dict[str, str]:
    return BENCHMARKS[records[0].benchmark].keys.lines(records)


DOUBLE: dict[str, tuple[dict[str, Any], list[str]]] = {
    "stream": ({"DATA_TYPE": "double", "ARRAY_SIZE": 1000}, ["stream.write", "stream.copy", "stream.triad"]),
    "gemm": ({"DATA_TYPE": "double", "MATRIX_SIZE": 345}, ["gemm"]),
    "ptrans": ({"DATA_TYPE": "double", "MATRIX_SIZE": 300, "BLOCK_SIZE": 50}, ["ptrans", "ptrans.flops"]),
    "random_access": ({"TABLE_SIZE_LOG": 18, "ATOMIC": 1}, ["random_access"]),
}


@pytest.mark.parametrize("benchmark", list(DOUBLE))
def test_every_name_is_one_that_hpc_challenge_writes(benchmark: str) -> None:
    parameters, names = DOUBLE[benchmark]
    keys = hpc_challenge(records(names, grid="1x1", parameters=parameters))
    assert keys
    assert set(keys) <= set(lines_of(DEBIAN.read_text()))


def test_other_precisions_and_other_quantities_keep_our_names() -> None:
    for benchmark, (parameters, names) in DOUBLE.items():
        if benchmark != "random_access":
            assert hpc_challenge(records(names, grid="1x1", parameters=parameters | {"DATA_TYPE": "float"})) == {}
    assert hpc_challenge(records(["hpl"], parameters={"DATA_TYPE": "double", "MATRIX_SIZE": 600})) == {}
    assert hpc_challenge(records(["fft"], parameters={"DATA_SIZE": 65536, "LOG_FFT_SIZE": 9})) == {}
    assert hpc_challenge(records(["b_eff"], parameters={"MESSAGES": 2})) == {}


def test_one_process_alone_is_single_and_all_at_once_are_star() -> None:
    parameters, names = DOUBLE["stream"]
    assert {"StarSTREAM_Triad", "SingleSTREAM_Triad"} <= set(hpc_challenge(records(names, parameters=parameters)))
    two = hpc_challenge(records(names, 2, parameters=parameters))
    assert two["StarSTREAM_Triad"] == "8"
    assert not any(name.startswith("Single") for name in two)


def test_updates_of_all_ranks_are_words_and_seconds_as_in_the_file_of_debian() -> None:
    """N, updates, time and GUP/s hold together in both: 4 N updates, in 1e9 of them a second."""
    # Our rate is that of a rank: 4 N / ranks over the seconds.
    (record,) = records(["random_access"], 4, 0.001, grid="2x2", parameters={"TABLE_SIZE_LOG": 18})
    ours = hpc_challenge([record.model_copy(update={"value": 4 * 2**18 / 4 / 0.001 * 1e-9})])
    for lines in (ours, lines_of(DEBIAN.read_text())):
        words, updates = int(lines["MPIRandomAccess_N"]), int(lines["MPIRandomAccess_ExeUpdates"])
        assert updates == 4 * words
        rate = updates / float(lines["MPIRandomAccess_time"]) * 1e-9
        assert float(lines["MPIRandomAccess_GUPs"]) == pytest.approx(rate, rel=1e-4)


def test_the_summary_has_them_beside_ours() -> None:
    parameters, names = DOUBLE["ptrans"]
    lines = lines_of(summary_lines(records(names, 6, grid="2x3", parameters=parameters)))
    assert (lines["PTRANS_GBs"], lines["PTRANS_nprow"], lines["PTRANS_npcol"]) == ("8", "2", "3")
    assert lines["Ptrans_GBps"] == "8"


def test_wrong_results_have_no_figures_in_the_summary() -> None:
    for parameters, names in DOUBLE.values():
        right = lines_of(summary_lines(records(names, grid="1x1", parameters=parameters)))
        wrong = lines_of(summary_lines(records(names, grid="1x1", parameters=parameters, validated=False, error=3.0)))
        assert (right.pop("Success"), wrong.pop("Success")) == ("1", "0")
        assert "8" in right.values()
        assert not {"8", "0.5"} & set(wrong.values())


def test_a_run_in_double_precision_writes_them(real: Isthmus) -> None:
    words = ("--set", "DATA_TYPE=double", "--set", "ARRAY_SIZE=65536", "--set", "DEVICE_BUFFER_SIZE=1024")
    lines = lines_of(real("hpcc", "stream", "--size", "small", "--repeat", "2", *words, "--summary", "-").stdout)
    assert lines["StarSTREAM_Triad"] == lines["SingleSTREAM_Triad"] == lines["Stream_Triad_GBps"]
    assert lines["STREAM_VectorSize"] == "65536"
