"""`junit.xml`, read as text and by an XML parser."""

from __future__ import annotations

from typing import Any
from xml.etree.ElementTree import Element, fromstring

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from assay.model.report import Report
from assay.model.suite import Enforcement
from assay.model.verdict import Check
from assay.reporting.junit import junit_bytes
from tests.builders import baseline_of, evidence, facts
from tests.unit.reporting.reports import CONTROL, HOSTILE, failing, good, hostile, passing, report_of, undecided

PASSED = """\
<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="assay extraction v1">
  <testsuite name="suite.checks" failures="0" errors="0" skipped="0" tests="1">
    <testcase classname="suite.checks" name="providers" />
  </testsuite>
  <testsuite name="p.checks" failures="0" errors="0" skipped="0" tests="4">
    <testcase classname="p.checks" name="results" />
    <testcase classname="p.checks" name="cases" />
    <testcase classname="p.checks" name="max_drop.recall" />
    <testcase classname="p.checks" name="max_drop.precision_macro" />
  </testsuite>
  <testsuite name="p.cases" failures="0" errors="0" skipped="0" tests="3">
    <testcase classname="p.cases" name="c1" />
    <testcase classname="p.cases" name="c2" />
    <testcase classname="p.cases" name="c3" />
  </testsuite>
  <testsuite name="q.checks" failures="0" errors="0" skipped="1" tests="1">
    <testcase classname="q.checks" name="recording">
      <skipped message="provider q has no recording">provider q has no recording</skipped>
    </testcase>
  </testsuite>
</testsuites>
"""
DROP = "recall 0.6667 (n=3) against 1.0000 (n=3): 33.33 pp worse, at most 3.0 pp worse allowed"
FAILED = f"""\
<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="assay extraction v1">
  <testsuite name="suite.checks" failures="0" errors="0" skipped="0" tests="1">
    <testcase classname="suite.checks" name="providers" />
  </testsuite>
  <testsuite name="p.checks" failures="1" errors="0" skipped="0" tests="3">
    <testcase classname="p.checks" name="results" />
    <testcase classname="p.checks" name="cases" />
    <testcase classname="p.checks" name="max_drop.recall">
      <failure message="{DROP}">{DROP}</failure>
    </testcase>
  </testsuite>
  <testsuite name="p.cases" failures="1" errors="0" skipped="0" tests="3">
    <testcase classname="p.cases" name="c1" />
    <testcase classname="p.cases" name="c3" />
    <testcase classname="p.cases" name="c2">
      <failure message="worse than the baseline: scored">expected:
[
  {{
    "categories": [
      "factual"
    ],
    "content": "The user lives in Lyon.",
    "id": "c2-m1"
  }}
]

actual:
[]

difference:
[
  "missing: The user lives in Lyon."
]
</failure>
    </testcase>
  </testsuite>
</testsuites>
"""
BASELINE_MISSING = (
    "no baseline yet. Publish this run with `assay baseline update extraction --provider p --from latest --reason {0}...{0}`."
)
UNDECIDED = f"""\
<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="assay extraction v1">
  <testsuite name="suite.checks" failures="0" errors="0" skipped="0" tests="1">
    <testcase classname="suite.checks" name="providers" />
  </testsuite>
  <testsuite name="p.checks" failures="0" errors="2" skipped="0" tests="3">
    <testcase classname="p.checks" name="results" />
    <testcase classname="p.checks" name="defined.precision">
      <error message="precision is undefined: no memories predicted">precision is undefined: no memories predicted</error>
    </testcase>
    <testcase classname="p.checks" name="baseline">
      <error message="{BASELINE_MISSING.format("&quot;")}">{BASELINE_MISSING.format('"')}</error>
    </testcase>
  </testsuite>
  <testsuite name="p.cases" failures="0" errors="0" skipped="0" tests="3">
    <testcase classname="p.cases" name="c1" />
    <testcase classname="p.cases" name="c2" />
    <testcase classname="p.cases" name="c3" />
  </testsuite>
</testsuites>
"""


def parsed(report: Report) -> Element:
    return fromstring(junit_bytes(report))  # noqa: S314  # our own file; nothing is expanded


def structure(report: Report) -> list[tuple[str, list[str]]]:
    """Every element with the names of its attributes, in order."""
    return [(element.tag, list(element.attrib)) for element in parsed(report).iter()]


def results(report: Report, suite: str) -> dict[str | None, list[str]]:
    """What each test case of a suite came to: no tag is a success."""
    cases = parsed(report).iterfind(f"testsuite[@name='{suite}']/testcase")
    return {case.get("name"): [child.tag for child in case] for case in cases}


def with_three_kinds_of_check(enforcement: Enforcement) -> Report:
    proof = (
        Check(name="one", status="kept", message="well"),
        Check(name="two", status="broken", message="first line\nsecond line"),
        Check(name="three", status="could-not-run", message="no key"),
    )
    return report_of({"p": evidence({}, enforcement=enforcement, proof=proof)}, None, facts("recall"))


def manual_copy(report: Report) -> Report:
    provider = report.providers["p"].model_copy(update={"enforcement": "manual"})
    return report.model_copy(update={"providers": {"p": provider}})


@pytest.mark.parametrize(
    ("report", "text"),
    [(passing(), PASSED), (failing(), FAILED), (undecided(), UNDECIDED)],
    ids=["pass", "fail", "no verdict"],
)
def test_the_file_reads(report: Report, text: str) -> None:
    assert junit_bytes(report).decode() == text


def test_broken_is_a_failure_and_could_not_run_an_error() -> None:
    found = results(with_three_kinds_of_check("ci"), "p.checks")
    assert found == {"one": [], "two": ["failure"], "three": ["error"]}


def test_what_a_manual_provider_came_to_is_only_ever_skipped() -> None:
    found = results(with_three_kinds_of_check("manual"), "p.checks")
    assert found == {"one": [], "two": ["skipped"], "three": ["skipped"]}


def test_a_manual_providers_worse_case_is_skipped_with_its_reason() -> None:
    report = manual_copy(failing())
    assert results(report, "p.cases")["c2"] == ["skipped"]
    skipped = parsed(report).find(".//testcase[@name='c2']/skipped")
    assert skipped is not None
    assert skipped.get("message") == "worse than the baseline: scored"


def test_a_failing_case_shows_expected_actual_and_difference_in_this_order() -> None:
    failure = parsed(failing()).find(".//testcase[@name='c2']/failure")
    assert failure is not None
    text = failure.text or ""
    titles = [line for line in text.splitlines() if line in {"expected:", "actual:", "difference:"}]
    assert titles == ["expected:", "actual:", "difference:"]


def test_a_wrong_case_that_is_no_worse_than_the_baseline_is_skipped() -> None:
    report = failing()
    provider = report.providers["p"]
    known = provider.model_copy(update={"compared": provider.compared.model_copy(update={"worse": ()})})
    assert results(report.model_copy(update={"providers": {"p": known}}), "p.cases")["c2"] == ["skipped"]


def test_a_wrong_case_of_a_gate_that_passes_is_skipped() -> None:
    wrong: dict[str, Any] = {"failed": failing().providers["p"].failed}
    found = good().model_copy(update=wrong)
    report = report_of({"p": found}, baseline_of(found), facts("recall", "precision_macro"))
    assert report.verdict == "PASS"
    assert results(report, "p.cases") == {"c1": [], "c2": ["skipped"], "c3": []}


def test_a_message_of_many_lines_is_whole_in_the_body_and_short_in_the_attribute() -> None:
    failure = parsed(with_three_kinds_of_check("ci")).find(".//testcase[@name='two']/failure")
    assert failure is not None
    assert (failure.get("message"), failure.text) == ("first line", "first line\nsecond line")


def test_counts_are_those_of_the_elements() -> None:
    for report in (passing(), failing(), undecided(), hostile(), with_three_kinds_of_check("ci")):
        for suite in parsed(report):
            counted = {tag: len(suite.findall(f"testcase/{tag}")) for tag in ("failure", "error", "skipped")}
            told = {tag: int(suite.get({"failure": "failures", "error": "errors"}.get(tag, tag), -1)) for tag in counted}
            assert told == counted
            assert int(suite.get("tests", -1)) == len(suite.findall("testcase"))


@settings(deadline=None, max_examples=60)
@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), min_size=1))
@example(HOSTILE)
@example(CONTROL)
@example("]]></failure><testcase name='forged'/>")
@example('" message="forged')
@example("<!DOCTYPE x [<!ENTITY e SYSTEM 'file:///etc/passwd'>]>&e;")
def test_any_text_parses_and_adds_no_element_or_attribute(text: str) -> None:
    assert structure(hostile(text)) == structure(hostile("tame"))


def test_a_name_that_xml_can_hold_comes_back_as_it_was() -> None:
    assert HOSTILE in results(hostile(), "p.cases")


def test_what_xml_cannot_hold_is_replaced_by_the_replacement_character() -> None:
    name = "bell \ufffd escape \ufffd[31m null \ufffd not-a-character \ufffd"
    assert name in results(hostile(CONTROL), "p.cases")
