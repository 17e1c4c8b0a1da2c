"""The flows: the paths of an application's data. A target's tool says which it offers."""

OFFLOAD, OVERLAP, STREAM, SHARED = "offload", "overlap", "stream", "shared"

FLOWS = (OFFLOAD, OVERLAP, STREAM, SHARED)
