"""The display of results and progress: tables, JSON and CSV, and one invocation's session."""
