"""Text that turns its direction moves nothing beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser.chromium import Tab
from tests.browser.written import written
from tests.builders import baseline_of, evidence, facts
from tests.unit.reporting.page.test_listing import WRONG_HERE
from tests.unit.reporting.reports import RIGHT, WRONG, controlled, hostile, ratio, report_of

TURNING = "\u202b\u2067\u05d0"
"""Two signs that make what follows run from right to left, never closed, and a letter that does."""
UNISOLATED = f"""
[...document.querySelectorAll("body *")].filter((one) => {{
  const says = [...one.childNodes].some((node) => node.nodeType === 3 && node.data.includes("{TURNING}"));
  return says && !one.closest("script, svg") && !getComputedStyle(one).unicodeBidi.startsWith("isolate");
}}).map((one) => `${{one.tagName}} ${{one.className}}`)
"""
IN_ORDER = """
(() => {
  const line = document.querySelector(".changed.worse");
  const before = line.querySelector("strong").getBoundingClientRect();
  const names = [...line.querySelectorAll("a")].map((one) => one.getBoundingClientRect());
  return [before, ...names].every((box, at, all) => at === 0 || all[at - 1].right <= box.left);
})()
"""


@pytest.mark.parametrize("report", [hostile, controlled])
def test_text_that_turns_its_direction_is_isolated_wherever_it_stands(tab: Tab, folder: Path, report: object) -> None:
    tab.open(written(folder, "turning", report(TURNING)))  # type: ignore[operator]
    tab.evaluate("document.querySelectorAll('.open').forEach((one) => one.click())")

    assert TURNING in tab.evaluate("document.body.textContent")
    assert tab.evaluate(UNISOLATED) == []


@pytest.mark.parametrize("turning", [TURNING, "\u2069\u202b\u05d0", "\u2069\u2067\u05d0", "\u202ec"])
def test_a_name_that_turns_its_direction_leaves_its_neighbours_where_they_are(tab: Tab, folder: Path, turning: str) -> None:
    cases = {f"c{number}{turning}": RIGHT for number in range(3)}
    lost = dict.fromkeys(cases, WRONG_HERE)
    metrics = {"recall": ratio(3, 5, 0.2, 0.9)}
    after = evidence(metrics, cases=dict.fromkeys(cases, WRONG), failed=lost)
    tab.open(written(folder, "names", report_of({"p": after}, baseline_of(evidence(metrics, cases=cases)), facts("recall"))))

    assert tab.evaluate("document.querySelectorAll('.changed.worse a').length") == 3
    assert tab.evaluate(IN_ORDER) is True
