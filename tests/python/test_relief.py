from typing import Any

import pytest
from tests.python.conftest import fake_tools

from isthmus.records import Row
from isthmus.relief import relief


def row(*keys: str) -> Row:
    """A modelled row whose bottleneck names `keys`."""
    values: dict[str, Any] = fake_tools.row_of(
        {"--on": "model:aws-f1", "--flow": "overlap", "--images": 4, "--set": []}
    )
    for part in values["parts"]:
        part["keys"] = list(keys) if part["name"] == values["bottleneck"]["part"] else ["link.pcie.lanes"]
    return Row.model_validate(values)


@pytest.mark.parametrize(
    ("keys", "change"),
    [
        (["host.copy.rate"], "host.copy.rate=6.62"),
        (["link.pcie.lanes", "link.pcie.generation"], "link.pcie.lanes=32"),
        (["host.call.transfer"], "host.call.transfer=63.5"),
        (["host.copy.enabled", "host.copy.rate"], "host.copy.rate=6.62"),
        ([], None),
        (["host.copy.rates"], None),
    ],
)
def test_the_limiting_part_is_made_twice_as_fast_by_the_first_number_behind_it(
    keys: list[str], change: str | None
) -> None:
    assert relief(row(*keys)) == change


@pytest.mark.parametrize(("would_need", "rate"), [(None, "6.62"), (1.5, "6.62"), (1.7, "13.24"), (3.3, "26.48")])
def test_the_limit_is_relieved_surely_beyond_what_it_would_need(would_need: float | None, rate: str) -> None:
    limited = row("host.copy.rate")
    assert limited.bottleneck is not None
    bottleneck = limited.bottleneck.model_copy(update={"would_need": would_need})
    assert relief(limited.model_copy(update={"bottleneck": bottleneck})) == f"host.copy.rate={rate}"


def test_without_parts_there_is_nothing_to_change() -> None:
    assert relief(row("host.copy.rate").model_copy(update={"parts": []})) is None
