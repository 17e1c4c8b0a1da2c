"""The use of records: their files, the store of runs, comparisons and verdicts."""
