"""What computes our values of the numbers of NAME.toml: `isthmus reproduce NAME.py` runs this file and compares them.

A board is an installed one (`isthmus platform list`) or a platform file (`isthmus platform new` begins one). Probes
are those of `isthmus probe --list`. A row of NAME.toml without a line in ROWS is not computed.
"""

from isthmus.reproduction.counterparts import Claim, Counterpart, Formula, Given, Probed, ratio
from isthmus.reproduction.model_runs import ModelRuns
from isthmus.reproduction.units import Amount

F1 = "aws-f1"
COPY = Probed(F1, "h2d", "1MiB")


def lane_rate(models: ModelRuns, board: str) -> Amount:
    """The rate of the link, 8 GT/s a lane, before encoding (table 1)."""
    return Amount(models.number(board, "pcie.lanes") * 8 / 8, "GB/s")


def larger_is_faster(models: ModelRuns, board: str, copy: Counterpart) -> bool:
    """A copy of 16 MiB is faster than one of 1 MiB (section 4)."""
    return models.number_of(Probed(board, "h2d", "16MiB")) > models.number_of(copy)


ROWS: dict[str, Counterpart] = {
    "LINK": Given(F1, "link.pcie.lanes"),
    "PEAK": Formula(lane_rate, F1),
    "COPY": Probed(F1, "h2d", "1MiB", "host.copy.enabled=false"),
    "GAIN": ratio("COPY", COPY),
    "SIZE": Claim(larger_is_faster, F1, COPY),
}
