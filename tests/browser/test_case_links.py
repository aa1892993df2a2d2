"""Links and addresses lead to a case, by the list where that has it, else by what stands in the page."""

from __future__ import annotations

import json
from pathlib import Path

from assay.model.report import Report
from tests.browser.chromium import Tab
from tests.browser.written import written
from tests.unit.reporting.page.test_listing import mixed

OPENED = "document.querySelector('.explored .open[aria-expanded=true]').textContent"
FOLLOWED = """
new Promise((done) => {
  addEventListener("hashchange", () => done(document.activeElement.textContent));
  document.querySelector(".changed.worse a").click();
})
"""


def test_a_link_to_a_case_opens_it(tab: Tab, one_wrong: Path) -> None:
    tab.open(one_wrong)

    assert tab.evaluate(FOLLOWED) == "c2"
    assert tab.evaluate(OPENED) == "c2"


def test_names_without_details_become_links_where_the_list_has_them(tab: Tab, folder: Path) -> None:
    tab.open(written(folder, "mixed", mixed()))
    names = "[...document.querySelectorAll('.changed.better a')].map((one) => [one.getAttribute('href'), one.textContent])"
    assert tab.evaluate(names) == [["#case-0-2", "c3"]]

    assert tab.evaluate(FOLLOWED.replace("worse", "better")) == "c3"
    assert tab.evaluate(OPENED) == "c3"


def test_names_that_the_list_does_not_have_stay_names(tab: Tab, folder: Path) -> None:
    tab.open(without_script_data(folder, "unlisted", mixed(), "c3"))

    assert tab.evaluate("document.querySelectorAll('.changed.better a').length") == 0
    assert tab.evaluate("document.querySelector('.changed.better').textContent").endswith("(1): c3")


def test_a_link_to_a_case_that_is_not_in_the_list_opens_what_stands_in_the_page(tab: Tab, folder: Path) -> None:
    tab.open(without_script_data(folder, "unlisted-wrong", mixed(), "c2"))
    followed = tab.evaluate(FOLLOWED)

    assert followed.startswith("c2 ")
    assert tab.evaluate("document.getElementById('case-0-1').open") is True
    assert tab.evaluate("document.getElementById('case-0-1').checkVisibility()") is True


def test_details_that_are_not_given_to_the_script_are_taken_from_the_page(tab: Tab, folder: Path) -> None:
    tab.open(without_script_data(folder, "unpacked", mixed(), ""), "#case-0-1")

    assert tab.evaluate("document.querySelector('.explored .body .reason').textContent") == "no JSON"
    assert "only in report.json" not in tab.evaluate("document.querySelector('.explored .body').textContent")


def without_script_data(folder: Path, name: str, report: Report, case: str) -> Path:
    """The page as a file, whose script is given no details and not this case, as where there is no room for them."""
    path = written(folder, name, report)
    before, begin, rest = path.read_text().partition('id="cases-data">')
    data, end, after = rest.partition("</script>")
    given = json.loads(data)
    place = given["ids"].index(case) if case else None
    for subject in given["subjects"]:
        subject["views"] = {}
        if place is not None:
            subject["states"] = f"{subject['states'][:place]} {subject['states'][place + 1 :]}"
    path.write_text(before + begin + json.dumps(given) + end + after)
    return path


def test_the_address_of_a_case_opens_it(tab: Tab, one_wrong: Path) -> None:
    tab.open(one_wrong, "#case-0-2")

    assert tab.evaluate(OPENED) == "c2"
