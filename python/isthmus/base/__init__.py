"""What every room needs: errors, names, numbers, sizes, files, settings; one idea a module."""
