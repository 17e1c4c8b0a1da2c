"""Units as people write them: what each is in that of its kind without a prefix, s, B, Hz, B/s or T/s."""

TIMES = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "ps": 1e-12}
BYTES = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
CLOCKS = {"Hz": 1.0, "kHz": 1e3, "MHz": 1e6, "GHz": 1e9}
RATES = {"B/s": 1.0, "kB/s": 1e3, "MB/s": 1e6, "GB/s": 1e9}
BINARY_RATES = {f"{unit}/s": float(scale) for unit, scale in BYTES.items() if unit != "B"}
BIT_RATES = {"Mbit/s": 1e6 / 8, "Gbit/s": 1e9 / 8}
TRANSFERS = {"T/s": 1.0, "MT/s": 1e6, "GT/s": 1e9}
SCALES = {**TIMES, **BYTES, **CLOCKS, **RATES, **BINARY_RATES, **BIT_RATES, **TRANSFERS}

# How many of what has to be whole lie in one of a unit.
WHOLE = {"": 1.0, "cycles": 1.0, "bit": 0.125, **BYTES}
