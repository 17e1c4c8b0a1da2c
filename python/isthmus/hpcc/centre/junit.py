"""Acceptance in the form that test harnesses read: JUnit's XML, a suite for each node."""

import re
from collections.abc import Sequence
from xml.etree import ElementTree

from isthmus.records.hpcc import AcceptanceCheck

_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(checks: Sequence[AcceptanceCheck]) -> str:
    """The checks as XML; what could not run is an error, what missed its expectation a failure."""
    root = ElementTree.Element("testsuites", _counts(checks))
    for node in dict.fromkeys(check.node for check in checks):
        own = [check for check in checks if check.node == node]
        suite = ElementTree.SubElement(root, "testsuite", {"name": _text(node), **_counts(own)})
        for check in own:
            suite.append(_case(check))
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _case(check: AcceptanceCheck) -> ElementTree.Element:
    case = ElementTree.Element("testcase", {"classname": _text(check.benchmark), "name": _text(check.name)})
    if not check.passed:
        kind = "failure" if check.record is not None else "error"
        ElementTree.SubElement(case, kind, {"message": _text(check.reason)})
    said = [] if check.value is None else [f"{check.value:.6g} {check.unit}"]
    said += [f"outlier: the median of all nodes is {check.fleet_median:.6g}"] if check.outlier else []
    if said:
        ElementTree.SubElement(case, "system-out").text = _text("; ".join(said))
    return case


def _counts(checks: Sequence[AcceptanceCheck]) -> dict[str, str]:
    errors = sum(not check.passed and check.record is None for check in checks)
    failures = sum(not check.passed for check in checks) - errors
    return {"tests": str(len(checks)), "failures": str(failures), "errors": str(errors)}


def _text(text: str) -> str:
    return _NOT_IN_XML.sub("?", text)
