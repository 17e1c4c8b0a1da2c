"""The text of `isthmus` without arguments. It needs no command, so it loads none."""

WELCOME = """\
isthmus: what a CPU-FPGA platform delivers, on boards you need not have and on the OpenCL device you do.

  isthmus devices                                                     the devices of this machine
  isthmus run image-filter --on model:aws-f1 --flow stream            an application on a modelled board
  isthmus study image-filter                                          boards and flows compared, one verdict

also: new, probe, advise, hpcc, calibrate, reproduce, platform, report, compare, history, config, doctor.
'isthmus COMMAND -h' shows examples, 'isthmus --help' everything.
"""
