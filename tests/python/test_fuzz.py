"""What people write - studies, records, papers, platforms - mutated: a reader gives a result or an error of one line.

ISTHMUS_FUZZ_EXAMPLES is how many inputs each reader is tried with; a failure names ISTHMUS_FUZZ_SEED, which repeats it.
"""

import json
import os
import random
import secrets
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from tests.python.conftest import TREE

from isthmus.asking.study_file import read_study
from isthmus.base.errors import IsthmusError
from isthmus.base.sizes import parse_sizes
from isthmus.calibration.device_curves import read_measured
from isthmus.reproduction.published import read_numbers

SEED = int(os.environ.get("ISTHMUS_FUZZ_SEED") or secrets.randbits(32))
EXAMPLES = int(os.environ.get("ISTHMUS_FUZZ_EXAMPLES", "150"))

STUDY = (TREE / "examples" / "image-filter.toml").read_text()
PAPER = "".join((TREE / "papers" / "stacc.toml").read_text().partition("[[row]]")[0:2]) + "\n".join(
    (TREE / "papers" / "stacc.toml").read_text().split("[[row]]")[1].splitlines()
)
RECORDS = "\n".join((TREE / "docs" / "measurements" / "h200" / "records.jsonl").read_text().splitlines()[:3])

TOKENS = [
    *('"', "'", "[", "]", "{", "}", ",", ":", "=", "\n", "#", "\\", "..", "-", "0", "-1", "1e999", "NaN", "Infinity"),
    *("null", "true", "inf", "nan", "9" * 5000, "[" * 3000, '{"a":' * 3000, "\x00", "\ufeff", "\u2028", "1979-05-27"),
    *("[[row]]\n", "row = [{}]\n", '"size": 1e400', '"size": []', '"parameters": null', "application = 1\n"),
]


def mutated(text: str) -> st.SearchStrategy[str]:
    """The text with some stretches cut, doubled, moved or replaced by what readers stumble over."""

    def mutate(number: int) -> str:
        draw = random.Random(number)
        result = text
        for _ in range(draw.randrange(1, 6)):
            at = draw.randrange(len(result) + 1)
            end = min(len(result), at + draw.choice([0, 1, 3, 10, 40, 300]))
            replacement = draw.choice([draw.choice(TOKENS), "", result[at:end] * 2, chr(draw.randrange(1, 0xD7FF))])
            result = result[:at] + replacement + result[end:]
        return result

    return st.one_of(st.integers(0, 2**32).map(mutate), st.text(max_size=80))


def try_reader(read: Callable[[], object], text: str) -> None:
    """Any input gives a result or an error of one line."""
    try:
        read()
    except IsthmusError as error:
        assert str(error).strip(), f"ISTHMUS_FUZZ_SEED={SEED}"
        assert "\n" not in str(error), f"ISTHMUS_FUZZ_SEED={SEED}: {error!r} of {text[:200]!r}"
    except Exception as error:
        pytest.fail(f"ISTHMUS_FUZZ_SEED={SEED}: {type(error).__name__}: {error} of {text[:300]!r}")


def fuzz(text: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Runs a test with mutations of `text`."""

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        given_text = given(mutation=mutated(text))(test)
        limits = settings(
            max_examples=EXAMPLES,
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        return seed(SEED)(limits(given_text))

    return decorate


def written(folder: Path, name: str, text: str) -> Path:
    """A file that holds the text, as bytes that need not be UTF-8."""
    path = folder / name
    path.write_bytes(text.encode("utf-8", errors="surrogatepass"))
    return path


@fuzz(STUDY)
def test_a_study_is_read_or_refused_in_one_line(tmp_path: Path, mutation: str) -> None:
    try_reader(lambda: read_study(written(tmp_path, "study.toml", mutation)), mutation)


@fuzz(PAPER)
def test_a_paper_is_read_or_refused_in_one_line(tmp_path: Path, mutation: str) -> None:
    try_reader(lambda: read_numbers(written(tmp_path, "paper.toml", mutation)), mutation)


@fuzz(RECORDS)
def test_records_as_json_lines_are_read_or_refused_in_one_line(tmp_path: Path, mutation: str) -> None:
    try_reader(lambda: read_measured([written(tmp_path, "records.jsonl", mutation)]), mutation)


@fuzz(json.dumps({"records": [json.loads(line) for line in RECORDS.splitlines()]}))
def test_a_file_of_records_is_read_or_refused_in_one_line(tmp_path: Path, mutation: str) -> None:
    try_reader(lambda: read_measured([written(tmp_path, "records.json", mutation)]), mutation)


@fuzz("64B,4KiB..1MiB:x2,3GiB")
def test_sizes_are_read_or_refused_in_one_line(mutation: str) -> None:
    try_reader(lambda: parse_sizes(mutation), mutation)
