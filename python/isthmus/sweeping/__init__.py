"""A study at many values of keys and parameters at once."""
