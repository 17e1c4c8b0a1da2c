"""Applications that are described and not written (docs/advise.md)."""
