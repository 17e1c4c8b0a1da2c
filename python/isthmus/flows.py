"""The flows: the ways in which an application's data cross. Which of them a target offers, its tool says."""

OFFLOAD, OVERLAP, STREAM = "offload", "overlap", "stream"

FLOWS = (OFFLOAD, OVERLAP, STREAM)
