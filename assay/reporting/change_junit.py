"""One `junit.xml` for a change: what is asked of the change itself, then every suite's own."""

from __future__ import annotations

import re
from collections.abc import Iterable
from xml.etree.ElementTree import Element, SubElement, fromstring, indent, tostring

from assay.change import ChangeOutcome, SuiteChange
from assay.errors import UserError
from assay.model.report import Report
from assay.model.verdict import Check
from assay.reporting.comment import EASIER
from assay.reporting.junit import junit_bytes
from assay.reporting.run_report import report_of

CHANGE = "change"
_TAGS = {"broken": "failure", "could-not-run": "error"}
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot hold, not even escaped."""


def change_junit(outcome: ChangeOutcome) -> bytes:
    """The file. Its first testsuite, `change`, holds what is asked beside the runs; the others bear their suite's name.

    An open finding is a failure, an acknowledged one passes.
    """
    root = Element("testsuites", name="assay pr")
    own = SubElement(root, "testsuite", name=CHANGE)
    for name, change in outcome.suites.items():
        _add_change(own, name, change)
    _add_checks(own, CHANGE, outcome.loose)
    for finding in outcome.settled.open:
        _add(own, f"{CHANGE}.{finding.suite}", finding.subject, "failure", f"{finding.what}\n{finding.acknowledgement}")
    for finding, _ in outcome.settled.acknowledged:
        _add(own, f"{CHANGE}.{finding.suite}", finding.subject, None, "")
    _count(own)
    for name, change in outcome.suites.items():
        report = report_of(change)
        root.extend(_of_run(name, report) if report else ())
    indent(root)
    body: bytes = tostring(root, encoding="utf-8")
    return b'<?xml version="1.0" encoding="UTF-8"?>\n' + body + b"\n"


def _add_change(parent: Element, name: str, change: SuiteChange) -> None:
    _add_checks(parent, f"{CHANGE}.{name}", change.checks)
    if isinstance(change.result, UserError):
        told = "\n".join(map(str, change.result.problems))
        _add(parent, f"{CHANGE}.{name}", "run", "error", told)
    elif change.result is None:
        _add(parent, f"{CHANGE}.{name}", "run", "skipped", "not run: the change cannot touch it")


def _add_checks(parent: Element, place: str, checks: Iterable[Check]) -> None:
    """Checks but for findings, of which several may bear one name."""
    for check in checks:
        if check.name.startswith(EASIER):
            continue
        _add(parent, place, check.name, _TAGS.get(check.status), check.message)


def _add(parent: Element, place: str, name: str, tag: str | None, message: str) -> None:
    case = SubElement(parent, "testcase", classname=_clean(place), name=_clean(name))
    if tag is not None:
        told = _clean(message)
        SubElement(case, tag, message=told.splitlines()[0] if told else "").text = told


def _count(suite: Element) -> None:
    for count, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(count, str(len(suite.findall(f"testcase/{tag}"))))
    suite.set("tests", str(len(suite.findall("testcase"))))


def _of_run(name: str, report: Report) -> list[Element]:
    """The testsuites of a run's own file, told apart by the suite's name."""
    found = list(fromstring(junit_bytes(report)))  # noqa: S314  # bytes that this process has just made
    for element in found:
        element.set("name", f"{name}.{element.get('name')}")
        for case in element:
            case.set("classname", f"{name}.{case.get('classname')}")
    return found


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("\ufffd", text)
