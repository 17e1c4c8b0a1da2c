"""Decisions: what limits a run, which change relieves it, how a buffer is kept coherent, which row wins."""
