"""The ground of every room: errors, names, numbers, sizes, files, settings; one idea a module."""
