"""Applications and studies: what a person asks for, and the runs of models that answer it."""
