"""A project of one's own: what `isthmus new` writes, and where CMake finds the installed package."""
