"""The page as people read it, its size, and the run's part in its places."""

from __future__ import annotations

import json

import pytest

from assay.reporting.page.whole import page_bytes, with_run
from tests.builders import facts
from tests.unit.history_lines import line, share
from tests.unit.reporting.page.pages import REPORTS, large, matrix, notes, page, section
from tests.unit.reporting.page.test_listing import mixed
from tests.unit.reporting.page.tree import Element, tree_of
from tests.unit.reporting.reports import (
    TIMING,
    controlled,
    failing,
    good,
    passing,
    report_of,
    undecided,
)

VERDICT = """\
Memories from conversations
FAIL extraction v1
FAIL extraction v1: p: max_drop.recall: recall 0.6667 (n=3) against 1.0000 (n=3): 33.33 pp worse, at most 3.0 pp worse allowed
mode replay
3 synthetic cases
Where the numbers come from
p (gated): replies made from the expectations for m, 2026-11-30 (oracle-aligned). A perfect score proves the plumbing, not the model.
Nothing here rests on a calibrated threshold.
Checks that were not kept
✕ broken max_drop.recall p
recall 0.6667 (n=3) against 1.0000 (n=3): 33.33 pp worse, at most 3.0 pp worse allowed"""  # noqa: E501  # lines of the page
METRICS = """\
Metrics
this run 95 % interval baseline gate line; in the shaded part the gate fires axis 0 to 1 unless its ends are written under it
p subject gated (ci)
2 of 3 checks kept; compared with the baseline of 2026-11-30: 1 metric, 3 cases.
Gated metrics of p
metric | value | over | 95 % interval | change | where it stands
recall ↑ higher is better | 0.6667 | 2/3 | 0.200-0.930 | ▼ -33.33 pp worse
1 note
recall: power undefined: it is no ratio of counts"""
CONTROLS = """\
Controls and checks
A number counts only if the check behind it can fail. Controls are providers whose result is known beforehand.
By recall; one axis for all, 0 to 1
provider | role | value | over | 95 % interval | where it stands | must be
p | subject | 0.9000 | 9/10 | 0.600-0.980
keyword | positive | 0.4000 | 4/10 | 0.170-0.690 | | at least 0.5
hashes | negative | 0.1000 | 1/10 | 0.020-0.400 | | at most 0.2500, by luck
constant | trivial | undefined | no queries | behind every subject by more than 3 pp
All checks: 1 broken, 1 could-not-run, 9 kept"""
CASES = """\
Cases
p
2 of 3 right. 3 compared with the baseline.
▼ Got worse (1): c2
Not right: p
All cases that are not right: 1.
c2 wrong worse 0.5000
expectedpredicted
expected
[ { "id": "c2-m1", "content": "The user lives in Lyon.", "categories": [ "factual" ] } ]
≠
predicted
(empty)
Differences
missing: The user lives in Lyon.
What would have matched
One edit would make this case right: to say what is missing: The user lives in Lyon."""
DUELS = """\
Head to head
p against keyword recall
1 won 1 tied 1 lost
p against keyword by recall over 3 of 4 cases: 1 won, 1 lost (c3), 1 tied; mean difference +0.1667 [-1.126 to 1.459]. \
Left out: c4 (kept as a guard)"""
LIMITS = """\
What these numbers do not prove
Live quality: the replies of p were made from the expectations; no model was asked.
Customer traffic: the gold set is synthetic; real users write otherwise.
Latency, cost and capacity: a replay measures none of them.
Wording: the kind's own limit.
This run
run | 20261130T120000Z-extraction-abc123
started | 2026-11-30T12:00:00+00:00
took | 1.51 s, engine offline
recording of p | 3 days old
baseline of p | 3 days old
2 stages
How the stages went
stage | of | result | seconds | rows
load | | cached | 0.012 | 3
score | p | computed | 1.500 | 3"""
NO_MATRIX = """\
Would this check have noticed?
No kill matrix has been made for these inputs. assay sabotage extraction makes one: it runs the suite again and again, each \
time with one deliberate defect, and shows which check notices."""
MATRIX = """\
Would this check have noticed?
extraction v1: NOT AS DECLARED: 2 of 4 (50.0%, 6.8% to 93.2%) killed by the right check; 1 undeclared; 1 declared in vain; \
1 inverted control moved
Survivors: defects that the right check did not notice, or that are declared in vain
defect | layer | fate | declared? | why
empty text | system | killed by another | ✕ undeclared | noticed by a, b
rank off by one | scorer | killed | ✕ declared in vain | noticed by self_test
constant scores | system | survived | declared | scores are not gated
Defects by layer, with the share killed by the right check and its exact 95 % interval
layer | killed | by another | survived | no evidence | crashed | n/a | share killed | interval | 0 to 100 %
gold | 1 | 0 | 0 | 0 | 0 | 0 | 1 of 1 (100.0%) | 2.5% to 100.0%
contract | 0 | 0 | 0 | 0 | 0 | 1 | nothing applies
cassette | 0 | 0 | 0 | 0 | 0 | 0 | nothing applies
system | 0 | 1 | 1 | 0 | 0 | 0 | 0 of 2 (0.0%) | 0.0% to 84.2%
scorer | 1 | 0 | 0 | 0 | 0 | 0 | 1 of 1 (100.0%) | 2.5% to 100.0%
gate | 0 | 0 | 0 | 0 | 0 | 0 | nothing applies
report | 0 | 0 | 0 | 0 | 0 | 0 | nothing applies
all | 2 | 1 | 1 | 0 | 0 | 1 | 2 of 4 (50.0%) | 6.8% to 93.2%
Inverted controls, changes that must not matter: 1 holds, 1 moved something.
✕ moved key order
verdict: PASS -> FAIL
Not applicable: shards (no shards).
All defects: 5
Every defect and what became of it
layer | defect | fate | how
gold | cases dropped | killed | noticed by cases; from one case on
system | constant scores | survived
system | empty text | killed by another | noticed by a, b
contract | prompt edited | not applicable | the suite sends no prompt
scorer | rank off by one | killed | noticed by self_test"""
NO_HISTORY = """\
History
No run of this suite has left a line in the history yet."""
ORDER = ["verdict", "metrics", "controls", "sabotage", "duels", "cases", "history", "limits"]


@pytest.mark.parametrize(
    ("report", "name", "text"),
    [
        (failing, "verdict", VERDICT),
        (failing, "metrics", METRICS),
        (failing, "cases", CASES),
        (failing, "limits", LIMITS),
        (failing, "sabotage", NO_MATRIX),
        (failing, "history", NO_HISTORY),
        (controlled, "duels", DUELS),
    ],
)
def test_the_whole_text_of_a_section(report: object, name: str, text: str) -> None:
    assert section(page(report()), name) == text  # type: ignore[operator]


def test_controls_stand_beside_the_subject() -> None:
    assert section(page(controlled()), "controls").startswith(CONTROLS + "\n")


def test_a_control_without_numbers_stands_there_without_any() -> None:
    report = controlled()
    silent = report.providers["keyword"].model_copy(update={"metrics": {}, "skipped": "no key"})
    shown = section(page(report.model_copy(update={"providers": {**report.providers, "keyword": silent}})), "controls")

    assert "\nkeyword | positive | no numbers | no key | at least 0.5\n" in shown


def test_a_count_of_one_is_told_in_the_singular() -> None:
    report = report_of({"p": good()}, None, facts("recall", cases=1, synthetic=False))
    found = page(report, notes(stages=TIMING["stages"][:1], ages_days={"p.recording": 1}, stale=["p.recording"]))

    assert "\n1 case\n" in section(found, "verdict")
    assert "recording of p (1 day)" in section(found, "verdict")
    assert "\n1 stage\n" in section(found, "limits")


def test_one_case_more_than_the_page_shows_is_told_in_the_singular() -> None:
    told = section(page(large(51, wrong_each=1)), "cases")
    assert "50 of 51 cases that are not right; 1 more stands in report.json, and as far as there is room" in told


def test_the_whole_text_of_a_kill_matrix() -> None:
    assert section(page(failing(), notes(found=matrix())), "sabotage") == MATRIX


def test_a_case_is_a_link_only_where_its_details_stand_in_the_page() -> None:
    found = page(mixed())
    worse, better, new = (found.one(class_=f"changed {way}") for way in ("worse", "better", "new"))

    assert [one.attributes for one in worse.every("a")] == [{"href": "#case-0-1"}]
    assert [one.attributes for one in (*better.every("span"), *new.every("span"))] == [
        {"data-case": "case-0-2"},
        {"data-case": "case-0-4"},
    ]
    assert not better.every("a")
    assert not new.every("a")


@pytest.mark.parametrize("name", REPORTS)
def test_every_link_of_the_page_leads_somewhere(name: str) -> None:
    found = page(REPORTS[name]())
    places = {one.attributes["id"] for one in found.inside() if "id" in one.attributes}

    assert {one.attributes["href"].removeprefix("#") for one in found.every("a")} <= places


def test_the_sections_stand_in_their_order() -> None:
    main = page(passing()).one("main")
    ids = [child.attributes["id"] for child in main.children if isinstance(child, Element)]

    assert ids == ORDER
    assert [link.attributes["href"] for link in page(passing()).one("nav").every("a")] == [f"#{name}" for name in ORDER]


def test_a_pass_says_that_all_checks_were_kept_and_who_was_not_asked() -> None:
    told = section(page(passing()), "verdict")

    assert "q (manual, never gated): other-model; no recording, no numbers." in told
    assert "could-not-run recording q, decides nothing" in told


def test_every_deviation_of_the_run_is_marked() -> None:
    report = report_of({"p": good()}, None, facts("recall", mode="live", sample=20, overrides=("--set top_k=3",)))
    marks = page(report).one(class_="marks")

    assert marks.text == "mode live\n3 synthetic cases\nsample of 20\n--set top_k=3"
    assert [one.text for one in marks.every(class_="odd")] == ["sample of 20", "--set top_k=3"]


def test_what_is_stale_stands_on_top_and_at_the_end() -> None:
    found = page(failing(), notes(ages_days={"p.recording": 120, "p.baseline": 3}, stale=["p.recording"]))

    assert "Stale, over 90 days old: recording of p (120 days).\nmode replay" in section(found, "verdict")
    assert "recording of p | 120 days old: stale, over 90\nbaseline of p | 3 days old" in section(found, "limits")


def test_a_foreign_suite_needs_its_folder_named() -> None:
    report = report_of({"p": good()}, None, facts("recall", is_foreign=True))
    assert "assay sabotage extraction --goldset DIR makes one" in section(page(report), "sabotage")


def test_undefined_is_never_drawn_nor_a_number() -> None:
    (row,) = page(undecided()).one(id="metrics").every("tr", class_="undefined")

    assert row.text == "precision ↑ higher is better | undefined | no memories predicted"
    assert not row.every("svg")


def test_a_metric_is_drawn_where_its_numbers_are() -> None:
    (plot,) = page(failing()).one(id="metrics").every("svg", class_="plot")

    assert plot.one(class_="now").attributes == {"class": "now", "cx": "210.0", "cy": "14", "r": "5"}
    assert plot.one(class_="interval").attributes["x"] == "70.0"
    assert plot.one(class_="interval").attributes["width"] == "219.0"
    assert plot.one(class_="baseline").attributes["x1"] == plot.one(class_="baseline").attributes["x2"] == "310.0"
    assert plot.one(class_="line").attributes["x1"] == plot.one(class_="line").attributes["x2"] == "301.0"
    assert (plot.one(class_="fires").attributes["x"], plot.one(class_="fires").attributes["width"]) == ("10.0", "291.0")


@pytest.mark.parametrize("name", REPORTS)
def test_the_same_report_gives_the_same_bytes(name: str) -> None:
    first, second = page_bytes(REPORTS[name]()), page_bytes(REPORTS[name]())

    assert first == second
    assert with_run(first, notes()) == with_run(second, notes())


def test_ten_thousand_cases_stay_under_a_megabyte_and_what_is_left_out_is_said() -> None:
    report = large(10_000, wrong_each=4)
    made = with_run(page_bytes(report), notes(line(1), found=matrix()))
    found = tree_of(made)
    data = json.loads(found.one(id="cases-data").raw)
    views = len(data["subjects"][0]["views"])

    assert len(made) < 1_000_000
    assert len(data["ids"]) == 10_000
    assert 0 < views < 2_500
    told = section(found, "cases")
    assert "7500 of 10000 right. 10000 compared with the baseline." in told
    assert "50 of 2500 cases that are not right; 2450 more stand in report.json" in told
    assert f"The details of {2500 - views} of 2500 cases that are not right do not fit into the list; report.json has" in told
    assert len(found.every("details", class_="case")) == 50


def test_a_long_history_of_many_metrics_leaves_the_page_under_a_megabyte() -> None:
    names = [f"precision_of_the_class_{number}" for number in range(19)]
    days = [f"2026-{month:02d}-{day:02d}T10:00:00+00:00" for month in range(1, 4) for day in range(1, 23)]
    lines = [
        line(1, dict.fromkeys(names, share(90 + n % 5)), at=day, provider=provider, model=f"{provider} of {day}")
        for n, day in enumerate(days)
        for provider in ("openai", "smollm2", "vllm")
    ]
    made = with_run(page_bytes(large(10_000, wrong_each=4)), notes(*lines, found=matrix()))

    assert len(tree_of(made).one(id="history").every("figure")) == 57
    assert 850_000 < len(made) < 1_000_000


def test_what_all_fits_is_not_said_to_be_left_out() -> None:
    assert "report.json" not in section(page(failing()), "cases")


def test_only_a_filled_page_names_its_run() -> None:
    bare = page_bytes(failing())

    assert TIMING["run_id"].encode() not in bare
    assert with_run(bare, notes()).count(TIMING["run_id"].encode()) == 1


def test_filling_a_page_again_gives_the_same_page_as_filling_it_once() -> None:
    bare = page_bytes(failing())
    run = notes(line(1), found=matrix())

    assert with_run(with_run(bare, run), run) == with_run(bare, run)
    assert with_run(with_run(bare, notes(run_id="another")), run) == with_run(bare, run)


@pytest.mark.parametrize("bad", [b"", b"<p>a page without a place</p>", b"<!--run stale-->"])
def test_a_page_without_a_place_is_refused(bad: bytes) -> None:
    with pytest.raises(ValueError, match="no place for what a run knows"):
        with_run(bad, notes())


def test_a_page_with_a_place_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="or several: stale"):
        with_run(page_bytes(passing()) + b"<!--run stale--><!--end stale-->", notes())
