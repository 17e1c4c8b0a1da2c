"""The power of devices and hosts while a benchmark runs."""
