"""Isthmus: how data crosses between a CPU and an FPGA, seen, modelled, compared and chosen.

The package decides, compares and draws; the C++ tools that it starts do all the running and measuring.
"""
