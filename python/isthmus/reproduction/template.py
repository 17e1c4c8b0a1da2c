"""A paper of one's own, to begin with."""

PAPER = """\
# A paper of one's own: its numbers beside those of a model. 'isthmus reproduce {file}' compares them.
#
# Each [[row]] is one published number. BOARD is an installed one ('isthmus platform list') or a platform file, as you
# would type it: 'isthmus platform new' begins one. What gives our value is the row's `experiment`, in the row's unit:
#   input:BOARD:KEY                  what the platform says for KEY
#   run:BOARD:FLOW:FIELD             of the image filter, 200 images: images_per_s, elapsed_s, stage:NAME
#   probe:BOARD:PROBE:SIZE           bandwidth of a probe ('isthmus probe --list'); probe-time:... the time of one pass
#   ratio:A / B                      of two rows by their ids, or of two experiments; row:ID that row's value
# A probe may set keys: probe:BOARD:h2d:64MiB@host.copy.enabled=false, and name the link of a board with several:
# probe:BOARD:h2d:64MiB@channel=vh0. A row without an experiment is not computed.
#
# kind: input (known or taken as given), output (measured), claim (said to be true), check (the paper's own arithmetic),
# outside (no performance model gives it: say the `reason`). A `note` is printed with the row.
title = "Title of the paper"
authors = "Its authors"
published = "Where and when"

[[row]]
id = "LINK"
place = ["table 1"]  # where the paper says so
platform = "AWS F1"
quantity = "lanes of the link"
value = 16
kind = "input"
experiment = "input:aws-f1:link.pcie.lanes"

[[row]]
id = "COPY"
place = ["section 3", "fig. 2"]
platform = "AWS F1"
quantity = "host to device, 1 MiB, without the copy into pinned memory"
unit = "GB/s"
value = 9.0  # put the number of your paper
kind = "output"
experiment = "probe:aws-f1:h2d:1MiB@host.copy.enabled=false"

[[row]]
id = "GAIN"
place = ["section 3"]
platform = "AWS F1"
quantity = "the same over a copy with it"
unit = "x"
value = 4.0
kind = "output"
experiment = "ratio:COPY / probe:aws-f1:h2d:1MiB"
"""


def template(file: str) -> str:
    """The text of a paper file that can be used as it is."""
    return PAPER.format(file=file)
