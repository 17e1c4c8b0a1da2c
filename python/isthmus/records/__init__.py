"""The records: what the tools print and what the JSON files hold (units in the names)."""
