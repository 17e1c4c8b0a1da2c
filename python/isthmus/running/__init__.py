"""The runs: targets, applications, experiments, studies and probes, and the tools that run them."""
