import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
DEFINED = re.compile(r"^\w*TEST\w*\(\s*(\w+),\s*(\w+)", re.MULTILINE)


def test_each_long_test_is_one_that_the_c_plus_plus_tests_define() -> None:
    defined = {".".join(names) for file in TESTS.glob("*/*.cpp") for names in DEFINED.findall(file.read_text())}
    listed = (TESTS / "long.txt").read_text().split()
    assert listed == sorted(set(listed))
    assert not [name for name in listed if name.rpartition("/")[2] not in defined]
