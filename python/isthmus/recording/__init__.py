"""What `isthmus record` does: a program is run with the OpenCL layer, and its journals become a record."""
