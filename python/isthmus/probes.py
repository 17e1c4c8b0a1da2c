"""The probes that `isthmus-probe` offers."""

PROBES = {
    "h2d": "host to device, from pageable memory, no allocation",
    "d2h": "device to host, to pageable memory, no allocation",
}
