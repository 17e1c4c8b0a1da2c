"""HPC Challenge on Intel's OpenCL runtime for processors: another compiler, other limits, and half precision."""

from importlib.metadata import files
from pathlib import Path

import pytest
from tests.python.conftest import Isthmus

from isthmus.hpcc.benchmarks import BENCHMARKS

# By name: where the runtime is installed for the whole machine too, the numbers of devices are others.
INTEL = "opencl:Intel(R) OpenCL"


@pytest.fixture
def intel(real: Isthmus) -> Isthmus:
    """The command where the loader finds Intel's runtime beside PoCL."""
    vendors = real.folder / "vendors"
    vendors.mkdir()
    (library,) = [file for file in files("intel-opencl-rt") or [] if file.name == "libintelocl.so"]
    (vendors / "intel.icd").write_text(f"{Path(str(library.locate())).resolve()}\n")
    for driver in Path("/etc/OpenCL/vendors").glob("pocl*.icd"):
        (vendors / driver.name).write_text(driver.read_text())
    return Isthmus(real.folder, {**real.environment, "OCL_ICD_VENDORS": str(vendors)})


def test_the_device_is_listed_beside_that_of_pocl(intel: Isthmus) -> None:
    platforms = [device["platform"] for device in intel.json("devices")["devices"]]
    assert platforms[0] == "Portable Computing Language"
    assert any("Intel" in platform for platform in platforms[1:])


@pytest.mark.parametrize("variant", ["single", "ndrange"])
@pytest.mark.parametrize("benchmark", list(BENCHMARKS))
def test_every_benchmark_is_right(intel: Isthmus, benchmark: str, variant: str) -> None:
    words = ("--on", INTEL, "--variant", variant, "--size", "small", "--repeat", "2")
    for record in intel.json("hpcc", benchmark, *words)["records"]:
        assert record["validated"] is True
        assert record["variant"] == variant
        assert "Intel" in record["device_info"]["platform"]


@pytest.mark.parametrize("variant", ["single", "ndrange"])
@pytest.mark.parametrize("benchmark", ["stream", "gemm"])
def test_half_precision_is_right(intel: Isthmus, benchmark: str, variant: str) -> None:
    words = ("--on", INTEL, "--variant", variant, "--size", "small", "--repeat", "2", "--set", "DATA_TYPE=half")
    for record in intel.json("hpcc", benchmark, *words)["records"]:
        assert record["validated"] is True
        assert record["parameters"]["DATA_TYPE"] == "half"
        assert record["error_limit"] < 2


def test_double_precision_of_ptrans_and_hpl_is_right(intel: Isthmus) -> None:
    for benchmark in ("ptrans", "hpl"):
        words = ("--on", INTEL, "--size", "small", "--repeat", "2", "--set", "DATA_TYPE=double")
        found = intel.json("hpcc", benchmark, *words)["records"]
        assert {record["validated"] for record in found} == {True}


def test_a_binary_of_one_driver_is_not_run_by_the_other(intel: Isthmus) -> None:
    binary = intel.json("hpcc", "build", "stream", "--for", "opencl", "--on", INTEL)["build"]["binary"]
    words = ("hpcc", "stream", "--binary", binary, "--size", "small", "--repeat", "1", "--set", "ARRAY_SIZE=262144")
    assert all(record["validated"] for record in intel.json(*words, "--on", INTEL)["records"])
    assert "the binary is for the" in intel.refusal(*words, "--on", "opencl:Portable", "-q")


def test_ranks_on_two_devices_name_both(intel: Isthmus) -> None:
    words = ("stream", "-n", "2", "--on", f"opencl:Portable,{INTEL}", "--size", "small", "--repeat", "1")
    done = intel("hpcc", *words, "--json", "two.json")
    places = intel.read("two.json")["records"][0]["places"]
    first, second = [place["device"] for place in places]
    assert f"measured on {first} and {second}\n" in done.stdout
