"""The work of `isthmus record`: run a program with the OpenCL layer, and make a record of its journals."""
