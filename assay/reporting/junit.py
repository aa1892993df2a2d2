"""`junit.xml`: each check and each case as a test, for the places that read JUnit."""

from __future__ import annotations

import re
from collections.abc import Iterable
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from assay.model.report import FailedCase, ProviderReport, Report
from assay.model.suite import SUBJECT
from assay.model.verdict import Check, outcome_of
from assay.reporting.build import json_bytes

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot hold, not even escaped."""


def junit_bytes(report: Report) -> bytes:
    """The file. A broken check is a failure, one that could not run an error; a manual provider's are skipped.

    A case that is not right is a failure only where its gated provider fails; else it is skipped, with the reason. Cases of
    controls, which are not meant to be right, are left out.
    """
    root = Element("testsuites", name=f"assay {report.facts.suite} {report.facts.version}")
    _checks_suite(root, "suite", report.checks, gated=True)
    for name, provider in report.providers.items():
        _checks_suite(root, name, provider.checks, gated=provider.enforcement == "ci")
        if provider.cases and provider.role == SUBJECT:
            _cases_suite(root, name, provider)
    for suite in root:
        for tag, count in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            suite.set(tag, str(len(suite.findall(f"testcase/{count}"))))
        suite.set("tests", str(len(suite.findall("testcase"))))
    indent(root)
    body: bytes = tostring(root, encoding="utf-8")
    return b'<?xml version="1.0" encoding="UTF-8"?>\n' + body + b"\n"


def _checks_suite(root: Element, name: str, checks: Iterable[Check], *, gated: bool) -> None:
    suite = SubElement(root, "testsuite", name=f"{name}.checks")
    for check in checks:
        case = SubElement(suite, "testcase", classname=f"{name}.checks", name=_clean(check.name))
        if check.status != "kept":
            tag = "skipped" if not gated else "failure" if check.status == "broken" else "error"
            message = _clean(check.message)
            SubElement(case, tag, message=message.splitlines()[0] if message else "").text = message


def _cases_suite(root: Element, name: str, provider: ProviderReport) -> None:
    suite = SubElement(root, "testsuite", name=f"{name}.cases")
    fails = provider.enforcement == "ci" and outcome_of(provider.checks) == "FAIL"
    worse = set(provider.compared.worse)
    for case_id in provider.cases:
        case = SubElement(suite, "testcase", classname=f"{name}.cases", name=_clean(case_id))
        failed = provider.failed.get(case_id)
        if failed is None:
            continue
        told = "worse than the baseline" if case_id in worse else "not right"
        tag = "failure" if fails and (case_id in worse or not provider.compared.cases) else "skipped"
        SubElement(case, tag, message=_clean(f"{told}: {failed.reason or failed.status}")).text = _clean(_body(failed))


def _body(failed: FailedCase) -> str:
    """Expected, actual and difference, as text."""
    parts = []
    for title, key in (("expected", "expected"), ("actual", "predicted"), ("difference", "difference")):
        if key in failed.detail:
            parts.append(f"{title}:\n{json_bytes(failed.detail[key]).decode()}")
    return "\n".join(parts)


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("\ufffd", text)
