"""HPC Challenge for accelerators: starting ranks, and results in the forms that people know."""
