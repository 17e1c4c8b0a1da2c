"""How results and progress are shown: tables, JSON and CSV, and one invocation's session."""
