"""devices, doctor, platform: the commands that only look."""

import os
from pathlib import Path
from unittest import mock

from tests.python.conftest import Isthmus

from isthmus.asking.applications import flows_of
from isthmus.base.flows import FLOWS, SHARED
from isthmus.running.offers import offered


def test_devices_are_targets(isthmus: Isthmus) -> None:
    assert [device["target"] for device in isthmus.json("devices")["devices"]] == ["opencl:0"]
    assert "opencl:0" in isthmus("devices").stdout


def test_no_device_is_one_line_that_says_what_to_do(isthmus: Isthmus) -> None:
    told = isthmus.refusal("devices", FAKE_DEVICES="none")
    assert told == "no OpenCL device on this machine; help: 'isthmus doctor' says what to install."


def test_doctor_says_what_is_missing_and_what_to_do(isthmus: Isthmus, tmp_path: Path) -> None:
    done = isthmus("doctor", ISTHMUS_BIN=str(tmp_path / "none"))
    assert done.returncode == 1
    assert done.stdout.startswith("missing: isthmus-run, isthmus-devices, isthmus-platform, isthmus-probe")
    assert "run 'make build'" in done.stdout
    without_device = isthmus("doctor", FAKE_DEVICES="none")
    assert "OpenCL device" in without_device.stdout.splitlines()[0]
    assert "apt install pocl-opencl-icd" in without_device.stdout


def test_doctor_finds_the_tools_and_models_that_are_there(isthmus: Isthmus) -> None:
    done = isthmus("doctor", "--format", "csv")
    found = {line.split(",")[0]: line.split(",")[1] for line in done.stdout.splitlines()}
    assert found["isthmus-run"] == found["models"] == found["OpenCL device"] == found["python"] == "true"


def test_platform_show_gives_every_number_its_source_and_role(isthmus: Isthmus) -> None:
    inputs = isthmus.json("platform", "show", "model:aws-f1")["platform"]["inputs"]
    assert all(
        item["source"] and item["role"] in ("datasheet", "configuration", "calibrated", "assumed") for item in inputs
    )
    table = isthmus("platform", "show", "aws-f1").stdout
    assert all(item["key"] in table and item["role"] in table for item in inputs)


def test_platform_show_takes_replacements(isthmus: Isthmus) -> None:
    inputs = isthmus.json("platform", "show", "model:aws-f1", "--set", "link.pcie.lanes=4")["platform"]["inputs"]
    assert next(item["value"] for item in inputs if item["key"] == "link.pcie.lanes") == 4


def test_platform_show_takes_globs_of_keys(isthmus: Isthmus) -> None:
    whole = isthmus.json("platform", "show", "model:aws-f1")["platform"]["inputs"]
    chosen = isthmus.json("platform", "show", "model:aws-f1", "link.*", "host.copy.rate")["platform"]["inputs"]
    assert [item["key"] for item in chosen] == [
        item["key"] for item in whole if item["key"].startswith("link.") or item["key"] == "host.copy.rate"
    ]
    table = isthmus("platform", "show", "model:aws-f1", "link.*", "host.copy.rate").stdout
    assert f"{len(chosen)} of {len(whole)} numbers" in table
    assert "kernel.clock" not in table
    told = isthmus.refusal("platform", "show", "model:aws-f1", "link.pcie.lane")
    assert told == "unknown key 'link.pcie.lane'; help: did you mean 'link.pcie.lanes'?"


def test_platform_list_names_targets(isthmus: Isthmus) -> None:
    listed = isthmus.json("platform", "list")["platforms"]
    assert [one["target"] for one in listed] == ["model:alpha-data-7v3", "model:aws-f1"]


def test_platform_list_has_the_classes_of_table_1(real: Isthmus) -> None:
    listed = {one["target"].removeprefix("model:"): one for one in real.json("platform", "list")["platforms"]}
    assert {name: (one["integration"], one["memory"]) for name, one in listed.items()} == {
        "agilex-7": ("PCIe", "private"),
        "alpha-data-7v3": ("PCIe", "private"),
        "alveo-u250": ("PCIe", "private"),
        "alveo-u55c": ("PCIe", "private"),
        "alveo-v80": ("PCIe", "private"),
        "aws-f1": ("PCIe", "private"),
        "ibm-capi": ("PCIe", "shared"),
        "kv260": ("one chip", "shared"),
        "stratix-v": ("PCIe", "private"),
        "vck5000": ("PCIe", "private"),
        "xeon-fpga-v1": ("processor interconnect", "shared"),
        "xeon-fpga-v2": ("hybrid", "shared"),
        "zynq-ultrascale": ("one chip", "shared"),
    }
    unmeasured = {name for name, one in listed.items() if not one["calibrated"]}
    assert unmeasured == {"agilex-7", "alveo-u250", "alveo-u55c", "alveo-v80", "kv260", "vck5000"}
    assert real("platform", "list").stdout.count("no measurement yet") == len(unmeasured)
    for name, said in (("kv260", 1), ("aws-f1", 0)):
        assert real("platform", "show", f"model:{name}").stdout.count("no measurement yet") == said
    assert listed["xeon-fpga-v2"]["links"] == ["2 x PCIe Gen3 x8", "QPI"]
    assert listed["ibm-capi"]["links"] == ["CAPI over PCIe Gen3 x8"]
    assert listed["zynq-ultrascale"]["links"] == ["HP", "HPC", "ACP"]


def test_a_real_device_has_no_description(isthmus: Isthmus) -> None:
    told = isthmus.refusal("platform", "show", "opencl:0")
    assert told == "TARGET: 'opencl:0' is a real device; expected model:NAME or FILE.toml"


def test_the_flows_are_those_of_the_tool(real: Isthmus) -> None:
    with mock.patch.dict(os.environ, real.environment, clear=True):
        of_all = [described["flows"] for described in offered("isthmus-run")["applications"]]
        assert {flow for flows in of_all for flow in flows} == set(FLOWS)
        assert all(flows == [flow for flow in FLOWS if flow in flows] for flows in of_all)
        assert flows_of("image-filter", "native") == ["stream"]
        assert flows_of("image-filter", "model:aws-f1") == [flow for flow in FLOWS if flow != SHARED]
        assert flows_of("image-filter", "model:xeon-fpga-v1") == [SHARED]
