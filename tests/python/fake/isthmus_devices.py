"""Stands in for isthmus-devices; FAKE_DEVICES=none is a machine without OpenCL."""

import os

from model import say

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
