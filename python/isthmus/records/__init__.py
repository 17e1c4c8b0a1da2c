"""The records: what the tools print and what the JSON files hold (units in the names)."""

from isthmus.records.advising import *
from isthmus.records.base import *
from isthmus.records.calibration import *
from isthmus.records.explained import *
from isthmus.records.hpcc import *
from isthmus.records.listings import *
from isthmus.records.papers import *
from isthmus.records.probe import *
from isthmus.records.recording import *
from isthmus.records.run import *
from isthmus.records.swept import *
