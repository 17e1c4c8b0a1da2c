"""The ground of every room: errors, names, numbers, sizes, files, configuration; one idea a module."""
