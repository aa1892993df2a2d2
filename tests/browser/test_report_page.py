"""The page in a browser: no text of it ever runs, its list is paged and filtered, and it reads well by any means."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser.chromium import Tab
from tests.browser.written import written
from tests.unit.reporting.page.pages import large
from tests.unit.reporting.reports import HOSTILE, controlled, failing, hostile

BREAKOUT = (
    "</script><script>window.ran = 1</script><img src=x onerror='window.ran = 1'><svg onload='window.ran = 1'>"
    "<!--<script>\u2028window.ran = 1//'\";window.ran = 1;//"
)
CASES = 10_000
WRONG_CASES = 2_500


@pytest.fixture(scope="module")
def ten_thousand(folder: Path) -> Path:
    return written(folder, "large", large(CASES, wrong_each=CASES // WRONG_CASES))


@pytest.fixture(scope="module")
def few_wrong(folder: Path) -> Path:
    return written(folder, "few", large(12, wrong_each=4))


@pytest.mark.parametrize("text", [HOSTILE, BREAKOUT])
def test_no_text_from_outside_runs_or_fetches(tab: Tab, folder: Path, text: str) -> None:
    page = written(folder, "hostile", hostile(text))
    tab.open(page)
    tab.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    tab.evaluate("document.querySelectorAll('.open').forEach((one) => one.click())")

    assert text[:20] in tab.evaluate("document.getElementById('explorer').textContent")
    assert tab.evaluate("typeof window.ran") == "undefined"
    assert tab.evaluate("window.violations") == []
    assert tab.requests == [page.as_uri()]
    assert (tab.dialogs, tab.messages) == ([], [])


def test_the_policy_stops_what_is_written_into_the_page_by_hand(tab: Tab, one_wrong: Path, folder: Path) -> None:
    page = folder / "written.html"
    page.write_bytes(one_wrong.read_bytes().replace(b"</main>", b"<script>window.ran = 1</script></main>"))
    tab.open(page)

    assert tab.evaluate("typeof window.ran") == "undefined"
    assert tab.evaluate("window.violations") == ["script-src-elem"]


def test_ten_thousand_cases_are_listed_a_page_at_a_time(tab: Tab, ten_thousand: Path) -> None:
    assert ten_thousand.stat().st_size < 1_000_000
    tab.open(ten_thousand)

    assert tab.evaluate("document.getElementById('count').textContent") == "2,500 of 10,000 rows"
    assert tab.evaluate("document.querySelectorAll('.explored .open').length") == 50
    assert tab.evaluate("document.getElementById('where').textContent") == "page 1 of 50"
    tab.evaluate("[...document.querySelectorAll('.pager button')][1].click()")
    assert tab.evaluate("document.getElementById('where').textContent") == "page 2 of 50"
    assert tab.evaluate("document.querySelector('.explored .open').textContent") == "case-00200"
    assert tab.evaluate("document.getElementById('static-cases').checkVisibility()") is False


def test_the_filter_finds_cases_by_text_and_state(tab: Tab, ten_thousand: Path) -> None:
    tab.open(ten_thousand)
    tab.evaluate("document.getElementById('filter').focus()")
    tab.write("CASE-0012")

    assert tab.evaluate("document.getElementById('count').textContent") == "3 of 10,000 rows"
    assert tab.evaluate("[...document.querySelectorAll('.explored .open')].map((one) => one.textContent)") == [
        "case-00120",
        "case-00124",
        "case-00128",
    ]
    tab.evaluate(_chosen("right"))
    assert tab.evaluate("document.getElementById('count').textContent") == "7 of 10,000 rows"
    tab.evaluate(_chosen("worse"))
    assert tab.evaluate("document.getElementById('count').textContent") == "0 of 10,000 rows"


def test_every_case_is_in_the_list(tab: Tab, ten_thousand: Path) -> None:
    tab.open(ten_thousand)
    tab.evaluate(_chosen(""))

    assert tab.evaluate("document.getElementById('count').textContent") == "10,000 of 10,000 rows"


SPOKEN = 'She said "yes",\nand left.'


@pytest.mark.parametrize(
    ("words", "count"),
    [
        ("alone", 0),
        ("differs", 0),
        ("no match", 0),
        ("0.97", 3),
        ('SAID "yes", and left', 3),
        ("categories behavioral", 3),
        ("missing", 3),
        ("case-00004 categories: expected ['factual']", 0),
        ("case-00004-m1 categories: expected ['factual']", 1),
        ("  ", 12),
    ],
)
def test_the_filter_finds_what_can_be_read_and_nothing_else(tab: Tab, folder: Path, words: str, count: int) -> None:
    tab.open(written(folder, "spoken", large(12, wrong_each=4, content=SPOKEN)))
    tab.evaluate(_chosen(""))
    tab.evaluate("document.getElementById('filter').focus()")
    tab.write(words)

    assert tab.evaluate("document.getElementById('count').textContent") == f"{count} of 12 rows"


def _chosen(state: str) -> str:
    select = "[...document.querySelectorAll('select')][1]"
    return f"{select}.value = '{state}'; {select}.dispatchEvent(new Event('input'))"


def test_a_case_is_found_and_opened_by_keyboard_alone(tab: Tab, few_wrong: Path) -> None:
    tab.open(few_wrong)
    walked = []
    for _ in range(40):
        tab.press("Tab")
        walked.append(tab.evaluate("document.activeElement.id || document.activeElement.className"))
        if walked[-1] == "open":
            break

    assert walked[0] == "skip"
    assert "filter" in walked
    assert walked[-1] == "open"
    assert tab.evaluate("document.activeElement.matches(':focus-visible')")
    tab.press("Enter")
    opened = tab.evaluate("document.getElementById(document.activeElement.getAttribute('aria-controls')).innerText")
    assert tab.evaluate("document.activeElement.getAttribute('aria-expanded')") == "true"
    assert "0.97" in opened
    assert "The user has a dog." in opened
    tab.press("Enter")
    assert tab.evaluate("document.querySelectorAll('.explored .body').length") == 0


def test_what_the_script_draws_reads_as_what_stands_in_the_page(tab: Tab, few_wrong: Path) -> None:
    tab.open(few_wrong)
    tab.evaluate("document.querySelector('.explored .open').click()")
    words = "(one) => one.textContent.split(/\\s+/).join('')"
    drawn = tab.evaluate(f"({words})(document.querySelector('.explored .body td'))")
    static = tab.evaluate(f"[...document.querySelector('#static-cases details').children].slice(1).map({words}).join('')")

    assert drawn == static
    assert "Thehas" not in drawn
    assert "Theuserhasadog." in drawn


def test_dark_and_light_follow_the_reader(tab: Tab, one_wrong: Path) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    tab.open(one_wrong)
    light = tab.evaluate(ground)
    tab.media(prefers_color_scheme="dark")

    assert (light, tab.evaluate(ground)) == ("rgb(251, 250, 248)", "rgb(18, 20, 23)")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("report", [failing, controlled])
def test_all_text_stands_out_from_its_ground(tab: Tab, folder: Path, scheme: str, report: object) -> None:
    tab.media(prefers_color_scheme=scheme)
    tab.open(written(folder, "contrast", report()))  # type: ignore[operator]

    assert tab.evaluate(CONTRAST) == []


CONTRAST = """
(() => {
  const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = (colour) => {
    const parts = numbers(colour).slice(0, 3).map((part) => part / 255);
    const [r, g, b] = parts.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (one) => {
    const own = getComputedStyle(one).backgroundColor;
    return numbers(own)[3] === 0 ? ground(one.parentElement) : own;
  };
  const says = (one) => [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  const texts = [...document.querySelectorAll("body *")].filter(
    (one) => says(one) && one.checkVisibility() && !one.closest("svg, :disabled"),
  );
  const weak = texts.filter((one) => {
    const [a, b] = [light(getComputedStyle(one).color), light(ground(one))].sort((x, y) => y - x);
    return (a + 0.05) / (b + 0.05) < 4.5;
  });
  return weak.map((one) => `${one.tagName} ${one.className}: ${one.textContent.slice(0, 40)}`);
})()
"""


@pytest.mark.parametrize("name", ["large", "hostile"])
def test_a_phone_never_scrolls_sideways(tab: Tab, folder: Path, name: str) -> None:
    report = {"large": lambda: large(60, wrong_each=3), "hostile": lambda: hostile("x" * 200)}[name]()
    tab.viewport(360, 740)
    tab.open(written(folder, f"narrow-{name}", report))
    tab.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    tab.evaluate("document.querySelector('.open').click()")

    assert tab.evaluate("document.documentElement.scrollWidth") <= 360


def test_every_box_that_scrolls_is_reached_by_keyboard_and_has_a_name(tab: Tab, few_wrong: Path) -> None:
    tab.open(few_wrong)
    boxes = "[...document.querySelectorAll('.scroll')]"
    told = tab.evaluate(f"{boxes}.map((one) => [one.tabIndex, one.getAttribute('role'), Boolean(one.ariaLabel)])")

    assert len(told) > 3
    assert [one for one in told if one != [0, "group", True]] == []
    assert tab.evaluate("document.querySelector('#explorer .scroll').ariaLabel") == "All cases"


def test_in_print_the_first_cases_stand_open(tab: Tab, few_wrong: Path) -> None:
    tab.open(few_wrong)
    tab.media("print")

    assert tab.evaluate("document.getElementById('explorer').checkVisibility()") is False
    shown = "document.querySelector('#static-cases details .pairs').checkVisibility({contentVisibilityAuto: true})"
    assert tab.evaluate(shown) is True
    assert tab.evaluate("document.querySelector('#static-cases details .pairs').getBoundingClientRect().height") > 20


def test_without_scripts_the_wrong_cases_are_there(tab: Tab, ten_thousand: Path) -> None:
    tab.scripts(are_on=False)
    tab.open(ten_thousand)

    assert tab.evaluate("document.querySelectorAll('#static-cases details').length") == 50
    assert tab.evaluate("document.querySelector('#static-cases details summary').checkVisibility()") is True
    assert "2450 more stand in report.json" in tab.evaluate("document.getElementById('cases').innerText")
    assert tab.evaluate("document.getElementById('explorer').checkVisibility()") is False
