"""Power and sensors beside a run: stand-ins for the benchmark, for nvidia-smi and for the kernel's trees."""

import os
import platform
from pathlib import Path
from typing import Any

import pytest
from tests.python.conftest import Isthmus, python_program
from tests.python.test_schemas import check

from isthmus.base.errors import IsthmusError
from isthmus.hpcc.power import rapl, sensors
from isthmus.hpcc.power.nvidia_smi import NvidiaSmi, pci_of, query
from isthmus.hpcc.power.samples import Sample, Span, power_of
from isthmus.records.hpcc import HpccPlace

# A benchmark whose only repetition lasts until four lines have come to the file `samples`, or there is `failed`.
BENCHMARK = """
import json, os, pathlib, sys, time
def say(**event): print(json.dumps(event), flush=True)
place = {"rank": 0, "host": os.environ.get("FAKE_HOST", THIS_HOST), "target": "opencl:0", "device": "Fake", "part": 0,
         "parts": 1, "shared": False, "type": os.environ["FAKE_TYPE"], "pci": os.environ.get("FAKE_PCI")}
say(event="places", places=[place])
samples = pathlib.Path("samples")
def taken(): return samples.read_text().count("\\n") if samples.exists() else 0
begin, before = time.monotonic(), taken()
while os.environ.get("FAKE_WAIT") != "no" and taken() < before + 4 and not pathlib.Path("failed").exists():
    time.sleep(0.01)
say(event="progress", what="gemm", done=1, total=1, begin_s=begin, end_s=time.monotonic())
device = {"name": "Fake", "platform": "Fake", "vendor": "", "driver": "1", "opencl": "3", "type": place["type"],
          "pci": place["pci"], "compute_units": 1, "clock_mhz": 1, "global_memory_bytes": 1, "ecc": False}
for name, quantity, across in (("gemm", "rate", "average"), ("ptrans", "rate", "total"), ("lag", "latency", "average")):
    say(event="record", name=name, benchmark="gemm", quantity=quantity, unit="GFLOP/s", value=600.0, samples=[600.0],
        median=600.0, spread=float(os.environ.get("FAKE_SPREAD", "0")), seconds=[1.0],
        across=across, kind="measured", validated=True, error=0.0,
        error_limit=1.0, error_is="residual", run="base", target="opencl:0", device="Fake", expected=None,
        expected_spread=None, expected_from="", efficiency=None, variant="ndrange", kernel="", size="small",
        parameters={}, ranks=2, grid="1x2", scheme="", shared=False, places=[place], launches=[], device_info=device,
        version="0")
"""
# nvidia-smi of a driver that does not know some fields; two GPUs, of which the second draws 100 W more each time.
NVIDIA_SMI = """
import datetime, pathlib, sys, time
options = dict(word.split("=", 1) for word in sys.argv[1:] if "=" in word)
fields = options["--query-gpu"].split(",")
assert options["--format"] == "csv,noheader,nounits"
for field in fields:
    if field in ("power.draw.instant", "clocks_event_reasons.active", "temperature.memory"):
        print(f'Field "{field}" is not a valid field to query.')
        sys.exit(2)
wanted = sys.argv[sys.argv.index("-i") + 1].split(",") if "-i" in sys.argv else ["GPU-a", "GPU-b"]
known = {"driver_version": "580.65.06", "clocks.sm": "1980", "clocks.mem": "3201", "temperature.gpu": "41",
         "ecc.errors.corrected.volatile.total": "0", "ecc.errors.uncorrected.volatile.total": "[N/A]",
         "clocks_throttle_reasons.active": "0x0000000000000024"}
count = 0
while True:
    for gpu, pci in (("GPU-a", "00000000:41:00.0"), ("GPU-b", "00000000:C1:00.0")):
        if gpu in wanted:
            now = datetime.datetime.now().strftime("%Y/%m/%d %H:%M:%S.%f")[:-3]
            own = {"uuid": gpu, "pci.bus_id": pci, "timestamp": now,
                   "power.draw": f"{300 if gpu == 'GPU-a' else 300 + 100 * count:.2f}"}
            print(", ".join({**known, **own}[field] for field in fields), flush=True)
    if "-lms" not in sys.argv:
        break
    count += 1
    with pathlib.Path("samples").open("a") as samples:
        samples.write("round\\n")
    time.sleep(float(sys.argv[sys.argv.index("-lms") + 1]) / 1e4)
"""


@pytest.fixture
def fake(tmp_path: Path) -> Isthmus:
    """The command with a stand-in for the benchmark."""
    tool = python_program(tmp_path / "bin" / "isthmus-hpcc", BENCHMARK.replace("THIS_HOST", repr(platform.node())))
    path = f"{tmp_path / 'smi'}:{os.environ['PATH']}"
    environment = {"PATH": path, "HOME": str(tmp_path / "home"), "ISTHMUS_BIN": str(tool.parent), "FAKE_TYPE": "gpu"}
    return Isthmus(tmp_path, environment)


def records_of(command: Isthmus, *words: str, **environment: str) -> list[dict[str, Any]]:
    file = command.json("hpcc", "gemm", *words, "-q", **environment)
    check("hpcc", file)
    return list(file["records"])


def test_a_command_of_the_user_tells_the_watts(fake: Isthmus) -> None:
    gemm, ptrans, latency = records_of(fake, "--power-command", "echo again >> samples; echo 250.5")
    power = gemm["power"]
    assert power["average_w"] == power["peak_w"] == 250.5
    assert power["samples"] >= 3
    assert power["energy_j"] == pytest.approx(250.5 * power["seconds"])
    assert power["reason"] is None
    assert (power["per_watt"], power["per_watt_unit"]) == (pytest.approx(2 * 600 / 250.5), "GFLOP/s/W")
    assert ptrans["power"]["per_watt"] == pytest.approx(600 / 250.5), "its value is that of all ranks already"
    assert latency["power"]["per_watt"] is None


@pytest.mark.parametrize("words", ["echo some", "echo -3", "echo inf", "false", "echo 3; false"])
def test_a_command_that_prints_no_watts_is_one_line_before_anything_runs(fake: Isthmus, words: str) -> None:
    told = fake.refusal("hpcc", "gemm", "--power-command", words, "-q")
    assert told.startswith(f"--power-command '{words}': expected watts, got ")


def test_a_command_that_fails_later_leaves_a_null_and_its_reason(fake: Isthmus) -> None:
    command = "test -e tried && touch failed && exit 3; touch tried; echo 250"
    power = records_of(fake, "--power-command", command)[0]["power"]
    assert power["average_w"] is None
    assert "expected watts, got '', exit code 3" in power["reason"]


def test_gpus_are_matched_by_pci_id_and_their_peak_is_the_divisor(fake: Isthmus) -> None:
    python_program(fake.folder / "smi" / "nvidia-smi", NVIDIA_SMI)
    gemm = records_of(fake, FAKE_PCI="0000:c1:00.0")[0]
    power = gemm["power"]
    assert power["source"] == "nvidia-smi"
    assert [one["device"] for one in power["devices"]] == ["0000:c1:00.0"]
    assert 300 <= power["average_w"] < power["peak_w"]
    assert power["per_watt"] == pytest.approx(1200 / power["peak_w"])
    (before,), (after,) = gemm["sensors"]["before"], gemm["sensors"]["after"]
    assert before == after
    assert (after["driver"], after["clock_mhz"], after["temperature_c"]) == ("580.65.06", 1980, 41)
    assert (after["ecc_corrected"], after["ecc_uncorrected"], after["memory_temperature_c"]) == (0, None, None)
    assert after["slowdowns"] == ["software power cap", "software thermal slowdown"]


def test_the_power_of_two_gpus_is_summed_round_by_round(fake: Isthmus, monkeypatch: pytest.MonkeyPatch) -> None:
    python_program(fake.folder / "smi" / "nvidia-smi", NVIDIA_SMI)
    monkeypatch.chdir(fake.folder)
    monkeypatch.setenv("PATH", fake.environment["PATH"])
    both = NvidiaSmi(["0000:41:00.0", "0000:C1:00.0"])
    both.start()
    while not Path("samples").exists() or Path("samples").read_text().count("\n") < 4:
        pass
    samples = both.stop()
    assert [sum(sample.watts.values()) for sample in samples] == [600 + 100 * count for count in range(len(samples))]
    whole = Span(samples[0].at, samples[-1].at)
    power = power_of("nvidia-smi", samples, [whole])
    assert power.peak_w == 600 + 100 * (len(samples) - 1)
    assert [one.average_w for one in power.devices] == [300, pytest.approx((power.average_w or 0) - 300)]


def test_a_gpu_without_nvidia_smi_has_no_power_and_a_reason(fake: Isthmus) -> None:
    environment = {"FAKE_WAIT": "no", "PATH": "/nonexistent"}
    for pci, reason in (
        ({"FAKE_PCI": "0000:c1:00.0"}, "nvidia-smi not found"),
        ({}, "no source of the power of 'Fake'"),
    ):
        power = records_of(fake, **environment, **pci)[0]["power"]
        assert power["average_w"] is None
        assert power["source"] is None
        assert reason in power["reason"]


def test_a_gpu_that_nvidia_smi_does_not_know_is_named(fake: Isthmus) -> None:
    python_program(fake.folder / "smi" / "nvidia-smi", NVIDIA_SMI)
    power = records_of(fake, FAKE_PCI="0000:99:00.0", FAKE_WAIT="no")[0]["power"]
    assert power["reason"] == "nvidia-smi knows no GPU 0000:99:00.0"


def test_ranks_on_other_hosts_have_no_power_here(fake: Isthmus) -> None:
    record = records_of(fake, FAKE_HOST="elsewhere", FAKE_WAIT="no")[0]
    assert record["power"]["reason"].startswith("ranks run on elsewhere, and power is read on ")
    assert record["sensors"] == {"before": [], "after": []}


def test_repetitions_that_no_sample_fell_into_have_the_power_around_them() -> None:
    samples = [
        Sample(at, {"gpu": watts}) for at, watts in ((0.9, 900.0), (1.0, 50.0), (1.2, 70.0), (1.4, 90.0), (2, 1))
    ]
    power = power_of("nvidia-smi", samples, [Span(1.1, 1.15), Span(1.3, 1.35)])
    assert (power.samples, power.around, power.reason) == (3, True, None)
    assert power.average_w == pytest.approx(70)
    assert power.peak_w == 90
    assert power.energy_j == pytest.approx(70 * 0.1)
    alone = power_of("nvidia-smi", samples[:2], [Span(1.1, 1.15)])
    assert (alone.samples, alone.average_w) == (1, 50)


def test_a_source_that_gave_no_sample_is_named() -> None:
    power = power_of("nvidia-smi", [], [Span(1.1, 1.15)])
    assert (power.average_w, power.energy_j) == (None, None)
    assert power.reason == "nvidia-smi gave no sample"


def test_means_since_the_sample_before_count_by_their_time_in_repetitions() -> None:
    samples = [Sample(1.0, {"package-0": 30.0}, since=0.9), Sample(1.1, {"package-0": 60.0}, since=1.0)]
    power = power_of("RAPL", samples, [Span(0.98, 1.01), Span(1.02, 1.03)])
    assert (power.samples, power.around) == (2, False)
    assert power.average_w == pytest.approx((30 * 0.02 + 60 * 0.02) / 0.04)
    assert power.devices[0].average_w == pytest.approx(power.average_w)


def test_a_run_that_is_shorter_than_the_time_between_samples_has_power(fake: Isthmus) -> None:
    power = records_of(fake, "--power-command", "echo 250", FAKE_WAIT="no")[0]["power"]
    assert power["average_w"] == power["peak_w"] == 250
    assert power["samples"] >= 1


def test_only_samples_in_repetitions_count() -> None:
    samples = [Sample(0.1 * tick, {"a": float(tick), "b": 1.0}) for tick in range(40)]
    power = power_of("RAPL", samples, [Span(0.45, 0.75), Span(1.95, 2.25)])
    assert power.samples == 6, "5, 6, 7 and 20, 21, 22"
    assert power.average_w == pytest.approx((5 + 6 + 7 + 20 + 21 + 22) / 6 + 1)
    assert power.peak_w == 23
    assert power.energy_j == pytest.approx((power.average_w or 0) * 0.6)


def test_no_power_is_sampled_where_it_is_not_wanted(fake: Isthmus) -> None:
    power = records_of(fake, "--no-power", FAKE_WAIT="no")[0]["power"]
    assert power["reason"] == "left out by --no-power"


def write_zone(folder: Path, name: str, energy: int, most: int = 1_000_000_000) -> Path:
    folder.mkdir(parents=True)
    (folder / "name").write_text(f"{name}\n")
    (folder / "energy_uj").write_text(f"{energy}\n")
    (folder / "max_energy_range_uj").write_text(f"{most}\n")
    return folder / "energy_uj"


def test_energy_counters_of_packages_and_their_memory_become_watts(tmp_path: Path) -> None:
    package = write_zone(tmp_path / "intel-rapl:0", "package-0", 5_000_000)
    memory = write_zone(tmp_path / "intel-rapl:0:1", "dram", 0)
    write_zone(tmp_path / "intel-rapl:0:0", "core", 0)
    write_zone(tmp_path / "intel-rapl:1", "psys", 0)
    write_zone(tmp_path / "intel-rapl-mmio:0", "package-0", 0)
    times = iter([10.0, 10.1, 10.3])
    counters = rapl.Counters(rapl.zones(tmp_path), clock=lambda: next(times))
    assert counters.read() is None
    package.write_text("11000000")  # 6 J in 0.1 s
    memory.write_text("500000")
    sample = counters.read()
    assert sample is not None
    assert (sample.since, sample.at) == (10.0, 10.1)
    assert sample.watts == {"package-0": pytest.approx(60), "dram-0": pytest.approx(5)}
    package.write_text("19000000")
    again = counters.read()
    assert again is not None
    assert again.watts == {"package-0": pytest.approx(40), "dram-0": 0}


def test_an_energy_counter_that_begins_again_goes_on(tmp_path: Path) -> None:
    counter = write_zone(tmp_path / "intel-rapl:0", "package-0", 990_000, most=1_000_000)
    times = iter([0.0, 1.0])
    counters = rapl.Counters(rapl.zones(tmp_path), clock=lambda: next(times))
    counters.read()
    counter.write_text("20000")
    sample = counters.read()
    assert sample is not None
    assert sample.watts["package-0"] == pytest.approx(0.03)


def test_without_energy_counters_the_reason_names_the_folder(tmp_path: Path) -> None:
    with pytest.raises(IsthmusError, match="no energy counters"):
        rapl.zones(tmp_path)
    counter = write_zone(tmp_path / "intel-rapl:0", "package-0", 0)
    counter.unlink()
    with pytest.raises(IsthmusError, match="energy_uj: No such file"):
        rapl.zones(tmp_path)


def test_sensors_of_a_processor_come_from_the_kernels_tree(tmp_path: Path) -> None:
    for core, clock in (("cpu0", "3000000"), ("cpu1", "2000000"), ("cpufreq", "1")):
        (tmp_path / "devices/system/cpu" / core / "cpufreq").mkdir(parents=True)
        (tmp_path / "devices/system/cpu" / core / "cpufreq/scaling_cur_freq").write_text(clock)
    for number, (name, temperature) in enumerate((("nvme", "90000"), ("k10temp", "61500"))):
        (tmp_path / f"class/hwmon/hwmon{number}").mkdir(parents=True)
        (tmp_path / f"class/hwmon/hwmon{number}/name").write_text(name)
        (tmp_path / f"class/hwmon/hwmon{number}/temp1_input").write_text(temperature)
    for bank, errors in (("mc0", "2"), ("mc1", "3")):
        (tmp_path / "devices/system/edac/mc" / bank).mkdir(parents=True)
        (tmp_path / "devices/system/edac/mc" / bank / "ce_count").write_text(errors)
    place = HpccPlace(rank=0, host=platform.node(), target="", device="", type="cpu", part=0, parts=1, shared=False)
    (seen,) = sensors.read_sensors([place], tmp_path)
    assert (seen.clock_mhz, seen.temperature_c, seen.ecc_corrected, seen.ecc_uncorrected) == (2500, 61.5, 5, None)
    (nothing,) = sensors.read_sensors([place], tmp_path / "nowhere")
    assert (nothing.clock_mhz, nothing.temperature_c, nothing.ecc_corrected) == (None, None, None)


def test_the_summary_has_power_and_performance_per_watt(fake: Isthmus) -> None:
    done = fake("hpcc", "gemm", "--power-command", "echo again >> samples; echo 250", "--summary", "-", "-q")
    values = dict(line.split("=", 1) for line in done.stdout.splitlines()[1:-1])
    assert (values["Power_Average_W"], values["Power_Peak_W"]) == ("250", "250")
    assert float(values["Gemm_PerWatt"]) == pytest.approx(1200 / 250)
    assert "Power_Peak_W" not in fake("hpcc", "gemm", "--no-power", "--summary", "-", "-q", FAKE_WAIT="no").stdout


def test_a_noisy_run_gets_one_warning_that_says_what_to_do(fake: Isthmus) -> None:
    done = fake("hpcc", "gemm", "--no-power", "-q", FAKE_WAIT="no", FAKE_SPREAD="0.12")
    noisy = "warning: 3 of 3 records spread by more than 5% (gemm: 12%); close other programs or raise --repeat\n"
    assert (done.returncode, done.stderr) == (0, noisy)


def test_pci_ids_have_one_spelling() -> None:
    assert {pci_of(text) for text in ("00000000:C1:00.0", "0000:c1:00.0", " 0:C1:00.0")} == {"0000:c1:00.0"}


def test_a_driver_that_fails_is_quoted(fake: Isthmus, monkeypatch: pytest.MonkeyPatch) -> None:
    python_program(fake.folder / "smi" / "nvidia-smi", "import sys\nsys.exit('driver is not loaded')\n")
    monkeypatch.setenv("PATH", fake.environment["PATH"])
    with pytest.raises(IsthmusError, match="nvidia-smi: driver is not loaded"):
        query(["uuid"])
