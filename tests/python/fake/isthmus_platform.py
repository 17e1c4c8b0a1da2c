"""Stands in for isthmus-platform."""

import sys

from model import PLATFORMS, description, options, platform, say

values, alone = options(sys.argv[1:])
if "--list" in alone:
    for name, numbers in PLATFORMS.items():
        say(event="platform", **description(name, numbers))
else:
    say(event="platform", **description(*platform(alone[0], values["--set"])))
