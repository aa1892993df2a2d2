"""What a person sees, as text: in a file with every line whole, in a terminal at its width."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from assay.model.audit import Audit, Finding, Pair
from assay.model.report import FailedCase, Report
from assay.model.run import StageRun
from assay.model.verdict import Check
from assay.reporting.console import print_audit, print_checks, print_report, stage_line
from tests.builders import baseline_of, evidence, facts
from tests.unit.reporting.reports import (
    HOSTILE,
    RIGHT,
    WRONG,
    controlled,
    failing,
    hostile,
    outcome_of,
    passing,
    ratio,
    report_of,
    undecided,
    undefined,
)

LIMITS = """
What these numbers do not prove
  - Live quality: the replies of p were made from the expectations; no model was asked.
  - Customer traffic: the gold set is synthetic; real users write otherwise.
  - Latency, cost and capacity: a replay measures none of them.
  - Wording: the kind's own limit.

Report: /runs/r1/report.html
"""
ORACLE = """\
  p (gated): replies made from the expectations for m, 2026-11-30 (oracle-aligned). \
A perfect score proves the plumbing, not the model.
"""
AGES = "  age of p: baseline 3 days; recording 3 days\n"
PASSED = f"""
PASS extraction v1: 5 checks kept; 2 metrics and 3 cases compared with the baseline
{ORACLE}\
  q (manual, never gated): other-model; no recording, no numbers.
{AGES}
p subject, enforcement ci
metric            value       rows  95 % interval  change
recall           1.0000        3/3  0.440-1.000         0
precision_macro  1.0000  mean of 5  0.900-1.000         0
  4 of 4 checks kept; compared with the baseline of 2026-11-30: 2 metrics, 3 cases
  note: precision_macro, recall: power undefined: it is no ratio of counts

q subject, enforcement manual
  could-not-run recording: provider q has no recording
{LIMITS}"""
FAILED = f"""
FAIL extraction v1: p: max_drop.recall: recall 0.6667 (n=3) against 1.0000 (n=3): 33.33 pp worse, \
at most 3.0 pp worse allowed
{ORACLE}{AGES}
p subject, enforcement ci
  broken        max_drop.recall: recall 0.6667 (n=3) against 1.0000 (n=3): 33.33 pp worse, at most 3.0 pp worse allowed
metric   value  rows  95 % interval     change
recall  0.6667   2/3  0.200-0.930    -33.33 pp
  2 of 3 checks kept; compared with the baseline of 2026-11-30: 1 metric, 3 cases
  worse: c2
  c2: missing: The user lives in Lyon.
  note: recall: power undefined: it is no ratio of counts
{LIMITS}"""
UNDECIDED = f"""
NO VERDICT extraction v1: p: defined.precision: precision is undefined: no memories predicted (and 1 more)
{ORACLE}{AGES}
p subject, enforcement ci
  could-not-run defined.precision: precision is undefined: no memories predicted
  could-not-run baseline: no baseline yet. Publish this run with \
`assay baseline update extraction --provider p --from latest --reason "..."`.
metric         value                   rows  95 % interval  change
recall        1.0000                    3/3  0.440-1.000
precision  undefined  no memories predicted
  1 of 3 checks kept; compared with nothing
  note: recall: power undefined: it is no ratio of counts
{LIMITS}"""
CONTROLLED = f"""
FAIL extraction v1: control.keyword: recall of the positive control is 0.4000 (n=10), under its floor of 0.5: \
what it rests on is dead, so no win over it counts
{ORACLE}\
  controls, computed in this run by code: constant (trivial strategy), hashes (negative control), \
keyword (positive control).
{AGES}
Controls
provider  role         recall     mrr
constant  trivial   undefined
hashes    negative     0.1000
keyword   positive     0.4000  0.3000
p         subject      0.9000  0.8000
  could-not-run control.constant: recall of the trivial strategy is unknown: no queries
  kept          control.hashes: recall of the negative control is 0.1000 (n=10); luck gives 0.1000, and at most 0.2500 \
passes for it (drawn)
  broken        control.keyword: recall of the positive control is 0.4000 (n=10), under its floor of 0.5: \
what it rests on is dead, so no win over it counts
  p against keyword by recall over 3 of 4 cases: 1 won, 1 lost (c3), 1 tied; mean difference +0.1667 [-1.126 to 1.459]. \
Left out: c4 (kept as a guard)

p subject, enforcement ci
metric   value  rows  95 % interval  change
recall  0.9000  9/10  0.600-0.980         0
mrr     0.8000  8/10  0.490-0.940         0
  4 of 4 checks kept; compared with the baseline of 2026-11-30: 2 metrics, 4 cases
  note: mrr, recall: power undefined: its rows are values in [0, 1], not right or wrong; \
counted are rows that fall to the worst value
{LIMITS}"""
CONTROLS = "".join(map(chr, [*range(9), 11, 12, *range(14, 32), 127, *range(128, 160)]))


@pytest.fixture(autouse=True)
def plain_text(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "40")


def printed(capsys: pytest.CaptureFixture[str]) -> str:
    """The standard output without the blanks that pad table rows."""
    return "\n".join(line.rstrip(" ") for line in capsys.readouterr().out.split("\n"))


def audit(text: str = "c1") -> Audit:
    return Audit(
        suite="extraction",
        version="v1",
        cases=160,
        effective_cases=158.5,
        counts={"categories": {"factual": 60, text: 40}},
        near_duplicates=(Pair(a=text, b="c2", similarity=0.81),),
        review_band=(Pair(a=text, b="c3", similarity=0.66),),
        faults=(f"near-duplicates: {text}",),
        findings=(Finding(title=f"overlap of {text}", lines=(f"0.10 {text}",)),),
    )


def test_a_computed_stage_says_so_with_seconds_and_rows() -> None:
    stage = StageRun("replay", "openai", cached=False, seconds=1.234, rows=160)
    assert stage_line(stage) == "replay openai           computed     1.23 s     160 rows"


def test_a_cached_stage_says_so_in_the_same_columns() -> None:
    assert stage_line(StageRun("load", None, cached=True, seconds=0.0612, rows=160)) == (
        "load                    cached       0.06 s     160 rows"
    )


@pytest.mark.parametrize(
    ("report", "text"),
    [(passing(), PASSED), (failing(), FAILED), (undecided(), UNDECIDED), (controlled(), CONTROLLED)],
    ids=["pass", "fail", "no verdict", "controls"],
)
def test_the_report_reads(report: Report, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    print_report(outcome_of(report))
    assert printed(capsys) == text


def test_a_narrow_terminal_breaks_lines_and_cells_between_words_alone() -> None:
    console = Console(width=60, record=True, highlight=False, force_terminal=False, file=StringIO())
    wide = {"category_assignment_accuracy": ratio(2, 3, 0.2, 0.93), "recall": undefined("no memories predicted")}
    print_report(outcome_of(report_of({"p": evidence(wide)}, None, facts(*wide))), console)
    lines = [line.rstrip() for line in console.export_text(styles=False).splitlines()]
    start = lines.index("p subject, enforcement ci")
    assert lines[start + 3 : start + 9] == [
        "                                                    95 %",
        "metric                            value       rows  interval     change",
        "category_assignment_accuracy     0.6667        2/3  0.200-0.930",
        "recall                        undefined         no",
        "                                          memories",
        "                                         predicted",
    ]
    assert all(len(line) <= 60 for line in lines[:start] if "could-not-run" not in line)


def test_cases_beyond_the_first_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    names = [f"c{number:02}" for number in range(1, 15)]
    before = evidence({"recall": ratio(14, 14, 0.8, 1.0)}, cases=dict.fromkeys(names, RIGHT))
    lines = ["missing: a", "missing: b", "missing: c"]
    failed = {name: FailedCase(status="scored", reason=None, detail={"difference": lines}) for name in names}
    after = evidence({"recall": ratio(0, 14, 0.0, 0.2)}, cases=dict.fromkeys(names, WRONG), failed=failed)
    print_report(outcome_of(report_of({"p": after}, baseline_of(before), facts("recall"))))
    shown = printed(capsys).splitlines()
    start = shown.index("  worse: c01, c02, c03, c04, c05, c06, c07, c08, c09, c10 and 4 more")
    assert shown[start + 1 : start + 5] == [
        "  c01: missing: a; missing: b; and 1 more",
        "  c02: missing: a; missing: b; and 1 more",
        "  c03: missing: a; missing: b; and 1 more",
        "  and 11 more cases are not right, in report.json and junit.xml",
    ]


def test_the_audit_reads(capsys: pytest.CaptureFixture[str]) -> None:
    print_audit(audit())
    assert printed(capsys) == (
        "extraction v1: 160 cases, worth 158.5 distinct ones\n"
        "  categories: factual 60, c1 40\n"
        "  near-duplicates over the limit: 1; to be read by a person: 1\n"
        "    0.66 c1 / c3\n"
        "  overlap of c1\n"
        "    0.10 c1\n"
        "  fault near-duplicates: c1\n"
        "1 fault\n"
    )


def test_kept_checks_are_shown_only_when_every_check_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    checks = [
        Check(name="one", status="kept", message="well"),
        Check(name="two", status="broken", message="badly"),
        Check(name="three", status="could-not-run", message="no key"),
    ]
    print_checks(checks)
    assert printed(capsys) == "  broken        two: badly\n  could-not-run three: no key\n"
    print_checks(checks, every=True)
    assert printed(capsys) == "  kept          one: well\n  broken        two: badly\n  could-not-run three: no key\n"


@pytest.mark.parametrize("text", ["[red]cell[/red]", "[/]", "[link=http://e.example]here[/link]", "a\\[b]", HOSTILE])
def test_brackets_are_text_not_markup(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    first, *rest = text.splitlines()
    print_report(outcome_of(hostile(text)))
    shown = printed(capsys)
    for line in (f"broken        calibration: {first}", f"worse: {first}", f"asked for: {first}", f"--set a={first}"):
        assert line in shown
    assert all(line in shown for line in rest)


def test_brackets_of_a_case_in_the_head_to_head_are_text_not_markup(capsys: pytest.CaptureFixture[str]) -> None:
    print_report(outcome_of(controlled("[red]c3[/red]", "[bold]why[/bold]")))
    assert "1 lost ([red]c3[/red])" in (text := printed(capsys))
    assert "Left out: c4 ([bold]why[/bold])" in text


def test_no_control_character_of_the_head_to_head_reaches_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    print_report(outcome_of(controlled(f"a{CONTROLS}b", f"a{CONTROLS}b")))
    assert not set(CONTROLS) & set(capsys.readouterr().out)


def test_the_folder_of_the_report_is_text_not_markup(capsys: pytest.CaptureFixture[str]) -> None:
    print_report(outcome_of(passing(), folder="/runs/[red]x[/red]"))
    assert "Report: /runs/[red]x[/red]/report.html\n" in printed(capsys)


def test_brackets_of_an_audited_case_are_text_not_markup(capsys: pytest.CaptureFixture[str]) -> None:
    print_audit(audit("[red]c1[/red]"))
    assert printed(capsys).count("[red]c1[/red]") == 5


def test_no_control_character_of_a_report_reaches_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    print_report(outcome_of(hostile(f"a{CONTROLS}b")))
    assert not set(CONTROLS) & set(capsys.readouterr().out)


def test_no_control_character_of_an_audited_case_reaches_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    print_audit(audit(f"a{CONTROLS}b"))
    assert not set(CONTROLS) & set(capsys.readouterr().out)


def test_no_control_character_of_a_check_reaches_the_terminal() -> None:
    console = Console(record=True, width=100, highlight=False, force_terminal=False)
    print_checks([Check(name=f"a{CONTROLS}b", status="broken", message=f"a{CONTROLS}b")], console)
    assert not set(CONTROLS) & set(console.export_text(styles=False))
