"""The flows: the ways in which an application's data cross. Which of them a target offers, its tool says."""

OFFLOAD, OVERLAP, STREAM, SHARED = "offload", "overlap", "stream", "shared"

FLOWS = (OFFLOAD, OVERLAP, STREAM, SHARED)
