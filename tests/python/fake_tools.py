"""Stands in for the C++ tools: `fake_tools.py TOOL REQUEST` prints records as the tool would, from simple arithmetic.

FAKE_RUN makes isthmus-run fail in one of the ways that the real one can; FAKE_LOG is a file that is told when it begins
and ends; FAKE_DEVICES=none is a machine without OpenCL. Tests start it thousands of times: what few of its uses need is
imported there.
"""

import functools
import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any, NoReturn

BYTES_PER_IMAGE = 1920 * 1080 * 4
FOLDER = Path(__file__).parents[2] / "platforms"
READ = Path(__file__).with_name("platforms.json")  # what inputs_of gives, where a session of tests has written it
NAMES = ("alpha-data-7v3", "aws-f1")
FLOWS = ("offload", "overlap", "stream")

Inputs = dict[str, dict[str, Any]]
Request = dict[str, Any]


def say(**event: Any) -> None:
    """Prints a record."""
    print(json.dumps(event), flush=True)


def note(line: str) -> None:
    """Adds a line to the file FAKE_LOG, if there is one."""
    if file := os.environ.get("FAKE_LOG"):
        with Path(file).open("a") as log:
            log.write(f"{line}\n")


def fail(message: str) -> NoReturn:
    """Ends as a tool that could not run."""
    print(f"error: {message}", file=sys.stderr)
    sys.exit(2)


@functools.cache
def inputs_of(name: str) -> Inputs:
    """The numbers of a description of the repository, by dotted key."""
    if READ.exists():
        return dict(json.loads(READ.read_text())[name])
    import tomllib

    found: Inputs = {}

    def walk(table: dict[str, Any], prefix: str) -> None:
        for key, value in table.items():
            if isinstance(value, dict) and "value" in value:
                found[prefix + key] = value
            elif isinstance(value, dict):
                walk(value, f"{prefix}{key}.")

    walk(tomllib.loads((FOLDER / f"{name}.toml").read_text()), "")
    return found


def platform(target: str, sets: Request) -> tuple[str, Inputs]:
    """The name and numbers of a target with the replacements."""
    name = target.removeprefix("model:").rsplit("/", 1)[-1].removesuffix(".toml")
    if name not in NAMES:
        fail(f"unknown target '{target}': expected one of {', '.join(NAMES)}")
    inputs = dict(inputs_of(name))
    for key, given in sets.items():
        if key not in inputs:
            fail(f"--set {key}={given}: key '{key}': unknown")
        value = json.loads(given.rstrip(" BGHKMTisuz/")) if isinstance(given, str) else given
        if value is not False and value <= 0 and key in ("link.pcie.round_trip", "device.dram.idle_latency"):
            fail(f"--set: key '{key}': expected more than 0")
        if key == "link.pcie.max_payload" and value not in (128, 256, 512, 1024, 2048, 4096):
            fail(f"--set: key '{key}': expected a power of two in 128 B..4 KiB, got {value}")
        inputs[key] = {**inputs[key], "value": value, "role": "set"}
    for step in ("host.copy", "host.alloc"):
        if inputs[f"{step}.enabled"]["value"] and f"{step}.rate" not in inputs:
            fail(f"{name}.toml:1: key '{step}.rate': expected a rate, got nothing")
    return name, inputs


def description(name: str, inputs: Inputs) -> dict[str, Any]:
    """The platform as a record holds it."""
    import hashlib

    listed = [{"key": key, "unit": "", **item, "line": line} for line, (key, item) in enumerate(inputs.items(), 1)]
    return {
        "file": f"platforms/{name}.toml",
        "name": name,
        "sha256": hashlib.sha256(repr(listed).encode()).hexdigest(),
        "parts": [
            {"name": section, "kind": section.rpartition(".")[2]}
            for section in dict.fromkeys(key.rpartition(".")[0] for key in inputs)
        ],
        "inputs": listed,
    }


def link_rate(inputs: Inputs) -> float:
    """GB/s of the link, below which a request too small for its round trip stays."""
    value = {key: item["value"] for key, item in inputs.items()}
    wire = value["link.pcie.lanes"] * 128 / 130 * value["link.pcie.max_payload"] / (value["link.pcie.max_payload"] + 44)
    under_way = value["stream.request_size"] * value["stream.requests_in_flight"]
    return float(min(wire, under_way / (value["link.pcie.round_trip"] * 1e3)))


def transfer_rate(inputs: Inputs) -> float:
    """GB/s of a copy: allocation, copy and link one after the other."""
    rate = 1 / min(link_rate(inputs), float(inputs["dma.rate"]["value"]))
    for step in ("host.copy", "host.alloc"):
        if inputs[f"{step}.enabled"]["value"]:
            rate += 1 / inputs[f"{step}.rate"]["value"]
    return 1 / rate


def stages(target: str, flow: str, images: float, sets: Request) -> dict[str, float]:
    """Seconds of each stage, in the order of the flow."""
    if target.startswith("opencl:"):
        return {"host to device copy": 1e-3 * images, "kernel": 6e-3 * images, "device to host copy": 1e-3 * images}
    if target == "native":
        return {"producer, filter and consumer at once": 7e-3 * images}
    _, inputs = platform(target, sets)
    size = BYTES_PER_IMAGE * images
    kernel = size / 4 / 16 / (inputs["kernel.clock"]["value"] * 1e6)
    if flow == "stream":
        link = size / (link_rate(inputs) * 1e9)
        return {"PCIe read": link, "kernel": kernel, "PCIe write": link * 0.9}
    copy = size / (transfer_rate(inputs) * 1e9)
    return {"host to device copy": copy, "kernel": kernel * 1.5, "device to host copy": copy * 0.95}


def images_of(times: dict[str, float], flow: str, images: int) -> list[dict[str, Any]]:
    """The first images, one after the other, or a stage apart where they overlap."""
    each = {name: span / images for name, span in times.items()}
    apart = sum(each.values()) if flow == "offload" else max(each.values())
    told = []
    for image in range(min(images, 8)):
        now, steps = image * apart, []
        for name, span in each.items():
            steps.append({"name": name, "begin_s": now, "end_s": now + span})
            now += span
        told.append({"image": image, "steps": steps})
    return told


def workers_of(request: Request) -> list[dict[str, Any]]:
    """Two threads, the first of them pinned, and the actors that `map` gives them."""
    placed = request.get("map", {}).items()
    return [
        {"core": core, "actors": [actor for actor, worker in placed if worker == number]}
        for number, core in enumerate([0, None])
    ]


def grain_of(request: Request, modelled: bool) -> dict[str, str]:
    """The grain of a model, as it was asked for; of real devices none."""
    return {"grain": request.get("grain", "fine")} if modelled else {}


APPLICATIONS: dict[str, dict[str, Any]] = {
    "image-filter": {
        "summary": "a stencil",
        "counted": "images",
        "count": 200,
        "bytes_each": BYTES_PER_IMAGE,
        "parameters": [{"name": "input", "kind": "folder", "help": "Photographs."}],
    },
    "suffix-sum": {
        "summary": "running sums",
        "counted": "messages",
        "count": 200,
        "bytes_each": 4 * 1024,
        "parameters": [
            {"name": "values", "kind": "integer", "min": 16, "max": 65536, "default": 1024, "help": "Of a message."}
        ],
    },
}


def parameters_of(request: Request) -> dict[str, Any]:
    """The parameters of the application that run, by name."""
    declared = APPLICATIONS[request["APP"]]["parameters"]
    found = {one["name"]: request.get(one["name"], one.get("default")) for one in declared}
    return {name: value for name, value in found.items() if value is not None}


def work_of(request: Request) -> dict[str, Any]:
    """How much of what runs."""
    count, name = request["count"], request["APP"]
    counted, parameters = APPLICATIONS[name]["counted"], parameters_of(request)
    each = 4 * parameters["values"] if name == "suffix-sum" else BYTES_PER_IMAGE
    shape = {"taps": 9, "width": 1920, "height": 1080} if name == "image-filter" else {}
    work = {"application": name, "count": count, "counted": counted, "bytes_each": each, "parameters": parameters}
    return {**work, counted: count, f"bytes_per_{counted[:-1]}": each, **shape}


def latency_of(elapsed: float, count: int) -> dict[str, float]:
    """As if each took as long as the last but the slowest, which took twice as long."""
    each = elapsed / count
    return {"p50_s": each, "p99_s": each, "p999_s": each, "max_s": 2 * each}


def row_of(request: Request) -> dict[str, Any]:
    """The row of one run."""
    target, flow, work = request["on"], request["flow"], work_of(request)
    count, bytes_each = work["count"], work["bytes_each"]
    platform_sets = request.get("set", {})
    times = stages(target, flow, count * bytes_each / BYTES_PER_IMAGE, platform_sets)
    elapsed = sum(times.values()) if flow == "offload" else max(times.values())
    order = sorted(times, key=times.__getitem__, reverse=True)
    modelled = target != "native" and not target.startswith("opencl:")
    return grain_of(request, modelled) | {
        "target": target,
        "device": "Fake CPU" if not modelled else f"Fake {target}",
        "flow": flow,
        "kind": "modelled" if modelled else "measured",
        **work,
        "elapsed_s": elapsed,
        "setup_s": 0.5,
        "value": count / elapsed,
        "unit": f"{work['counted']}/s",
        **({"images_per_s": count / elapsed} if work["counted"] == "images" else {}),
        "gb_per_s": bytes_each * count / elapsed / 1e9,
        "latency": latency_of(elapsed, count),
        "verified": os.environ.get("FAKE_RUN") != "wrong",
        "stages": [{"name": name, "time_s": span, "share": span / elapsed} for name, span in times.items()],
        "first_images": images_of(times, flow, count),
        "parts": [
            {
                "name": name,
                "busy_s": span,
                "starved_s": elapsed - span,
                "blocked_s": 0.0,
                "lifetime_s": elapsed,
                "keys": ["kernel.clock" if name == "kernel" else "link.pcie.lanes"],
                "window": None,
            }
            for name, span in times.items()
        ]
        if modelled
        else [],
        "workers": workers_of(request) if target == "native" else [],
        "bottleneck": {
            "part": order[0],
            "busy_share": times[order[0]] / elapsed,
            "next": order[1],
            "next_busy_share": times[order[1]] / elapsed,
            "would_need": times[order[0]] / times[order[1]],
        }
        if modelled
        else None,
        "platform": description(*platform(target, platform_sets)) if modelled else None,
        "seed": request.get("seed", 1),
        "version": "0.1.0",
    }


def flows_of(target: str) -> list[str]:
    """What a target offers; FAKE_FLOWS names more flows, which each has."""
    own = {"native": FLOWS[2:], "opencl": FLOWS[:2]}.get(target.partition(":")[0], FLOWS)
    return [*own, *os.environ.get("FAKE_FLOWS", "").split()]


def list_application(request: Request) -> None:
    """The application that is named, with the flows of the target."""
    name = request["APP"]
    say(event="application", name=name, flows=flows_of(request.get("on", "model:")), **APPLICATIONS[name])


def run(request: Request) -> None:
    """isthmus-run."""
    if request.get("list"):
        list_application(request)
        return
    trouble, target = os.environ.get("FAKE_RUN"), request["on"]
    note(f"begin {target}")
    say(event="progress", what=APPLICATIONS[request["APP"]]["counted"], done=1, total=request["count"])
    if trouble == "error" or (trouble == "one fails" and request["flow"] == "overlap"):
        fail("photograph a.jpg: expected an image, got 0 bytes")
    if trouble == "gone" and target.startswith("opencl:"):
        fail("no OpenCL device: expected a driver such as the Debian package pocl-opencl-icd to be installed")
    if trouble == "garbage":
        print("not a record")
    if trouble == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if trouble == "slow" or (trouble == "slow device" and target.startswith("opencl:")):
        signal.signal(signal.SIGINT, lambda *_: sys.exit(130))
        say(event="note", text="waiting")
        time.sleep(60)
    if trouble == "stubborn":
        signal.signal(signal.SIGINT, lambda *_: say(event="note", text="not yet"))
        say(event="note", text="waiting")
        while True:
            signal.pause()
    note(f"end {target}")
    say(event="row", **row_of(request))
    if trouble == "wrong":
        sys.exit(1)


def devices(_request: Request) -> None:
    """isthmus-devices."""
    if os.environ.get("FAKE_DEVICES") != "none":
        say(
            event="device",
            target="opencl:0",
            name="Fake CPU",
            platform="Portable Computing Language",
            driver="3.1",
            type="CPU",
            compute_units=2,
            global_memory_bytes=1 << 33,
            max_allocation_bytes=1 << 31,
        )


def show_platform(request: Request) -> None:
    """isthmus-platform."""
    if request.get("keys"):
        for key, item in {**inputs_of(NAMES[0]), **inputs_of(NAMES[1])}.items():
            units = {item["unit"]: 1} if "unit" in item else {}
            say(event="key", key=key, meaning="a number", low=0, high=1e9, units=units)
        return
    name, inputs = platform(request["TARGET"], request.get("set", {}))
    if not request.get("steps"):
        say(event="platform", **description(name, inputs))
        return
    for key in ("kernel.clock", "link.pcie.lanes"):
        say(event="steps", key=key, faster=[inputs[key]["value"] * 2], slower=[inputs[key]["value"] / 2])


STEPS = ("advertised", "packets", "DMA", "copy", "end to end")


def real_probe(argument: str) -> dict[str, Any]:
    """The answer of the real tool."""
    import importlib.util
    import subprocess

    package = importlib.util.find_spec("isthmus")
    tool = Path(str(package and package.origin)).parent / "bin" / "isthmus-probe"
    return dict(json.loads(subprocess.run([tool, argument], check=True, stdout=subprocess.PIPE).stdout))


def more_probes() -> list[dict[str, Any]]:
    """Records of more probes, which each target serves: FAKE_MORE_PROBES."""
    return list(json.loads(os.environ.get("FAKE_MORE_PROBES", "[]")))


def probe(request: Request) -> None:
    """isthmus-probe: a rate that rises with the size.

    FAKE_PROBE=vanish is a device that is gone after two records, =endless a second record that never comes.
    """
    target, names = request["TARGET"], request.get("PROBE")
    if request.get("list") or names is None:
        found = real_probe(json.dumps({"TARGET": target, "list": True}))
        names = found["names"]
    if request.get("list"):
        say(**found | {"names": [*found["names"], *(one["name"] for one in more_probes())]})
        return
    real = target.startswith("opencl:")
    rate = 4.0 if real else transfer_rate(platform(target, request.get("set", {}))[1])
    for number, name in enumerate(names):
        if number == 2 and os.environ.get("FAKE_PROBE") == "vanish":
            fail("clFinish on 'Fake CPU': CL_DEVICE_NOT_AVAILABLE (-2)")
        for size in request["sizes"]:
            value = rate * size / (size + 65536)
            if name == "steps":
                for step, what in list(enumerate(STEPS, 1))[2 if real else 0 :]:
                    parameters = {"size": size, "step": step, "what": what}
                    say_record(name, value * (6 - step), parameters, target, request)
            else:
                say_record(name, value, {"size": size}, target, request)
            while os.environ.get("FAKE_PROBE") == "endless":  # until nobody listens
                say(event="progress", what="sizes", done=1, total=2)
                time.sleep(0.01)


def say_record(name: str, value: float, parameters: dict[str, Any], target: str, request: Request) -> None:
    """Prints what a probe found."""
    real = target.startswith("opencl:")
    timed = name in ("latency", "launch")
    say(
        event="record",
        name=name,
        quantity="latency" if timed else "bandwidth",
        unit="us" if timed else "GB/s",
        value=value,
        samples=[value * (1 + 0.001 * index) for index in range(request["repeat"])],
        spread=0.2 if real else 0.0,
        percentiles=dict.fromkeys(("p0", "p5", "p25", "p50", "p75", "p95", "p99", "p100"), value),
        time_s=parameters["size"] / value * 1e-9,
        kind="measured" if real else "modelled",
        target=target,
        device="Fake",
        parameters=parameters,
        version="0.1.0",
        **grain_of(request, not real),
    )


def describe(tool: str) -> dict[str, Any]:
    """What a tool offers."""
    if tool == "run":
        return {"applications": [{"name": name, "flows": FLOWS, **told} for name, told in APPLICATIONS.items()]}
    if tool == "platform":
        return {"platforms": {f"model:{name}": description(name, inputs_of(name)) for name in NAMES}}
    return {"probes": [*real_probe("--describe")["probes"], *more_probes()]}


if __name__ == "__main__":
    if sys.argv[2] == "--describe":
        say(event="description", **describe(sys.argv[1]))
    else:
        tools = {"run": run, "devices": devices, "platform": show_platform, "probe": probe}
        tools[sys.argv[1]](json.loads(sys.argv[2]))
