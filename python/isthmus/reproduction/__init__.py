"""Compares the published numbers with ours."""
