"""Stands in for isthmus-probe: a rate that rises with the size."""

import sys

from model import options, platform, say

values, alone = options(sys.argv[1:])
target, *names = alone
rate = platform(target, values["--set"])[1]["link.rate"] if not target.startswith("opencl:") else 4.0
for name in names or ["h2d", "d2h"]:
    for text in values["--sizes"].split(","):
        size = int(text.removesuffix("B"))
        value = rate * size / (size + 65536)
        samples = [value * (1 + 0.001 * index) for index in range(int(values["--repeat"]))]
        say(
            event="record",
            name=name,
            quantity="bandwidth",
            unit="GB/s",
            value=value,
            samples=samples,
            spread=0.2 if target.startswith("opencl:") else 0.0,
            kind="measured" if target.startswith("opencl:") else "modelled",
            target=target,
            device="Fake",
            parameters={"size": size},
            version="0.1.0",
        )
