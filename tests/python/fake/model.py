"""A small stand-in for the modelled boards: stage times follow from a few numbers that --set can replace."""

import json
import sys

BYTES_PER_IMAGE = 1920 * 1080 * 4
PLATFORMS = {
    "alpha-data-7v3": {"link.rate": 6.8, "host.copy.rate": 5.62, "kernel.clock": 200.0},
    "aws-f1": {"link.rate": 13.0, "host.copy.rate": 2.6, "kernel.clock": 250.0},
}
UNITS = {"link.rate": "GB/s", "host.copy.rate": "GB/s", "kernel.clock": "MHz"}
ROLES = {"link.rate": "datasheet", "host.copy.rate": "calibrated", "kernel.clock": "assumed"}


def say(**event):
    print(json.dumps(event), flush=True)


def fail(message):
    print(f"error: {message}", file=sys.stderr)
    sys.exit(2)


def options(words, repeated=("--set",)):
    """The values of `--name value` words, and the words that stand alone."""
    values, alone, index = {name: [] for name in repeated}, [], 0
    while index < len(words):
        if words[index].startswith("--") and words[index] != "--list":
            if words[index] in repeated:
                values[words[index]].append(words[index + 1])
            else:
                values[words[index]] = words[index + 1]
            index += 2
        else:
            alone.append(words[index])
            index += 1
    return values, alone


def platform(target, sets):
    """The numbers of a target with the replacements."""
    name = target.removeprefix("model:").rsplit("/", 1)[-1].removesuffix(".toml")
    if name not in PLATFORMS:
        fail(f"platform '{name}': expected one of {', '.join(PLATFORMS)}")
    numbers = dict(PLATFORMS[name])
    for assignment in sets:
        key, _, value = assignment.partition("=")
        if key not in numbers:
            fail(f"--set {assignment}: key '{key}': unknown")
        numbers[key] = float(value)
    return name, numbers


def description(name, numbers):
    """The platform as a record holds it."""
    inputs = [
        {
            "key": key,
            "value": value,
            "unit": UNITS[key],
            "source": "stacc table V",
            "role": ROLES[key],
            "range": [value * 0.5, value * 2] if ROLES[key] == "assumed" else None,
            "why": "the paper leaves it open" if ROLES[key] == "assumed" else None,
            "line": line,
        }
        for line, (key, value) in enumerate(numbers.items(), start=3)
    ]
    return {"file": f"platforms/{name}.toml", "name": name, "sha256": "0" * 64, "inputs": inputs}
