"""The probes that `isthmus-probe` offers, in its order."""

PROBES = {
    "h2d": "host to device, pageable memory, no allocation",
    "d2h": "device to host, pageable memory, no allocation",
    "h2d-pinned": "host to device, pinned memory",
    "d2h-pinned": "device to host, pinned memory",
    "h2d-alloc": "host to device, pageable memory, allocation of the buffer included",
    "duplex": "both directions at once, their sum, pinned memory",
    "latency": "a 64-byte copy to the device, from call to return",
    "mmio-store": "stores of 4, 8 and 64 bytes to registers, with and without write combining",
    "mmio-load": "loads of 4, 8 and 64 bytes from registers",
    "device-read": "a kernel reads device memory",
    "device-write": "a kernel writes device memory",
    "device-latency": "the device reads and writes host memory by itself, "
    "one access at a time and as many as the link's tags allow",
    "launch": "an empty kernel, from enqueue to the return of the wait for it",
    "steps": "the five steps of choi2019 figure 5, from advertised to end to end, host to device",
}
MODELS_ALONE = frozenset({"mmio-store", "mmio-load", "device-latency"})
REPEAT = 20  # samples of a size on a real device at most; a model gives the same again, but for a refresh of its memory

# Those that look at sizes of their own, in bytes; every other takes any.
SIZES: dict[str, tuple[int, ...] | range] = {
    "latency": (64,),
    "launch": (0,),
    "mmio-store": (4, 8, 64),
    "mmio-load": (4, 8, 64),
    "device-latency": range(64, 4097, 64),
}
LATENCIES = frozenset({"latency", "launch", "mmio-load", "device-latency"})  # whose value is no bandwidth
