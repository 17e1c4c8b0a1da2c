"""Stands in for isthmus-run; FAKE_RUN makes it fail in one of the ways that the real one can."""

import os
import signal
import sys
import time

from model import BYTES_PER_IMAGE, description, fail, options, platform, say


def stages(target, flow, images, sets):
    """Seconds of each stage, in the order of the flow."""
    if target.startswith("opencl:"):
        return {"host to device copy": 1e-3 * images, "kernel": 6e-3 * images, "device to host copy": 1e-3 * images}
    _, numbers = platform(target, sets)
    size = BYTES_PER_IMAGE * images
    kernel = size / 4 / 16 / (numbers["kernel.clock"] * 1e6)
    if flow == "stream":
        link = size / (numbers["link.rate"] * 1e9)
        return {"PCIe read": link, "kernel": kernel, "PCIe write": link * 0.9}
    copy = size / (numbers["host.copy.rate"] * 1e9)
    return {"host to device copy": copy, "kernel": kernel, "device to host copy": copy * 0.95}


def row(values):
    target, flow, images = values["--on"], values["--flow"], int(values["--images"])
    times = stages(target, flow, images, values["--set"])
    elapsed = sum(times.values()) if flow == "offload" else max(times.values())
    order = sorted(times, key=times.get, reverse=True)
    modelled = not target.startswith("opencl:")
    say(
        event="row",
        target=target,
        device="Fake CPU" if not modelled else f"Fake {target}",
        flow=flow,
        kind="modelled" if modelled else "measured",
        application="image-filter",
        images=images,
        width=1920,
        height=1080,
        bytes_per_image=BYTES_PER_IMAGE,
        elapsed_s=elapsed,
        setup_s=0.5,
        images_per_s=images / elapsed,
        gb_per_s=BYTES_PER_IMAGE * images / elapsed / 1e9,
        verified=os.environ.get("FAKE_RUN") != "wrong",
        stages=[{"name": name, "time_s": span, "share": span / elapsed} for name, span in times.items()],
        parts=[
            {
                "name": name,
                "busy_s": span,
                "starved_s": elapsed - span,
                "blocked_s": 0.0,
                "lifetime_s": elapsed,
                "resource": "a part",
            }
            for name, span in times.items()
        ]
        if modelled
        else [],
        bottleneck={
            "part": order[0],
            "busy_share": times[order[0]] / elapsed,
            "next": order[1],
            "next_busy_share": times[order[1]] / elapsed,
            "would_need": times[order[0]] / times[order[1]],
        }
        if modelled
        else None,
        platform=description(*platform(target, values["--set"])) if modelled else None,
        seed=int(values.get("--seed", 1)),
        version="0.1.0",
    )


def main():
    values, alone = options(sys.argv[1:])
    if "--list" in alone:
        say(event="application", name="image-filter")
        return
    trouble = os.environ.get("FAKE_RUN")
    say(event="progress", what="images", done=1, total=int(values["--images"]))
    if trouble == "error":
        fail("photograph a.jpg: expected an image, got 0 bytes")
    if trouble == "garbage":
        print("not a record")
    if trouble == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if trouble == "slow" and values["--flow"] != "offload":
        signal.signal(signal.SIGINT, lambda *_: sys.exit(130))
        say(event="note", text="waiting")
        time.sleep(60)
    row(values)
    if trouble == "wrong":
        sys.exit(1)


main()
