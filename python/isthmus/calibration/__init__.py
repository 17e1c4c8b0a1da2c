"""A platform file of one's own: a template of it, and fitting its numbers to records of the board itself."""
