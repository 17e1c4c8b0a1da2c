"""The published numbers beside ours."""
