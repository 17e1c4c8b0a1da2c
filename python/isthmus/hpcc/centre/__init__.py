"""The tools of an HPC centre around the benchmarks: job scripts, tests for ReFrame, acceptance of nodes."""

from pathlib import Path

SHIPPED = Path(__file__).parent / "shipped"
"""The files that are written out as they are, or filled in."""
