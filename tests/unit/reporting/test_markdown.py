"""`report.md`, read as text; and text from outside stays text."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from assay.reporting.markdown import code, markdown_text, plain
from tests.builders import calibration
from tests.unit.reporting.reports import CONTROL, HOSTILE, controlled, failing, hostile, passing, undecided

LIMITS = """
### What these numbers do not prove
- Live quality: the replies of p were made from the expectations; no model was asked.
- Customer traffic: the gold set is synthetic; real users write otherwise.
- Latency, cost and capacity: a replay measures none of them.
- Wording: the kind's own limit.
"""
PROVENANCE = """
- p (gated): replies made from the expectations for m, 2026-11-30 (oracle-aligned). A perfect score proves the plumbing, not the model.
"""  # noqa: E501  # one line of the report
PASSED = f"""\
## PASS · extraction v1

PASS extraction v1: 5 checks kept; 2 metrics and 3 cases compared with the baseline
{PROVENANCE}\
- q (manual, never gated): other-model; no recording, no numbers.
- 3 synthetic cases, mode replay. Nothing here rests on a calibrated threshold.

### p · subject · ci

| gated metric | value | rows | 95 % interval | change |
|---|---:|---:|---|---:|
| recall | 1.0000 | 3/3 | 0.440-1.000 | 0 |
| precision_macro | 1.0000 | mean of 5 | 0.900-1.000 | 0 |

Compared with the baseline of 2026-11-30: 2 metrics, 3 cases; 0 worse, 0 better, 0 new.

**Notes**

- precision\\_macro, recall: power undefined: it is no ratio of counts

### q · subject · manual

**Checks that were not kept**

- could-not-run `recording`: provider q has no recording
{LIMITS}"""
FAILED = f"""\
## FAIL · extraction v1

FAIL extraction v1: p: max\\_drop.recall: recall 0.6667 (n=3) against 1.0000 (n=3): 33.33 pp worse, at most 3.0 pp worse allowed
{PROVENANCE}\
- 3 synthetic cases, mode replay. Nothing here rests on a calibrated threshold.

### p · subject · ci

**Checks that were not kept**

- broken `max_drop.recall`: recall 0.6667 (n=3) against 1.0000 (n=3): 33.33 pp worse, at most 3.0 pp worse allowed

| gated metric | value | rows | 95 % interval | change |
|---|---:|---:|---|---:|
| recall | 0.6667 | 2/3 | 0.200-0.930 | -33.33 pp |

Compared with the baseline of 2026-11-30: 1 metric, 3 cases; 1 worse, 0 better, 0 new.

**Got worse**

- `c2`

**Notes**

- recall: power undefined: it is no ratio of counts

<details><summary>1 of 3 cases are not right</summary>

- `c2` scored: missing: The user lives in Lyon.

</details>
{LIMITS}"""
UNDECIDED = f"""\
## NO VERDICT · extraction v1

NO VERDICT extraction v1: p: defined.precision: precision is undefined: no memories predicted (and 1 more)
{PROVENANCE}\
- 3 synthetic cases, mode replay. Nothing here rests on a calibrated threshold.

### p · subject · ci

**Checks that were not kept**

- could-not-run `defined.precision`: precision is undefined: no memories predicted
- could-not-run `baseline`: no baseline yet. Publish this run with \
\\`assay baseline update extraction --provider p --from latest --reason "..."\\`.

| gated metric | value | rows | 95 % interval | change |
|---|---:|---:|---|---:|
| recall | 1.0000 | 3/3 | 0.440-1.000 |  |
| precision | undefined | no memories predicted |  |  |

Compared with nothing.

**Notes**

- recall: power undefined: it is no ratio of counts
{LIMITS}"""
CONTROLLED = f"""\
## FAIL · extraction v1

FAIL extraction v1: control.keyword: recall of the positive control is 0.4000 (n=10), under its floor of 0.5: \
what it rests on is dead, so no win over it counts
{PROVENANCE}\
- controls, computed in this run by code: constant (trivial strategy), hashes (negative control), keyword (positive control).
- 4 synthetic cases, mode replay. Nothing here rests on a calibrated threshold.

### Controls

| provider | role | recall | mrr |
|---|---|---:|---:|
| constant | trivial | undefined |  |
| hashes | negative | 0.1000 |  |
| keyword | positive | 0.4000 | 0.3000 |
| p | subject | 0.9000 | 0.8000 |

- could-not-run `control.constant`: recall of the trivial strategy is unknown: no queries
- kept `control.hashes`: recall of the negative control is 0.1000 (n=10); luck gives 0.1000, and at most 0.2500 \
passes for it (drawn)
- broken `control.keyword`: recall of the positive control is 0.4000 (n=10), under its floor of 0.5: \
what it rests on is dead, so no win over it counts

**Head to head**

- p against keyword by recall over 3 of 4 cases: 1 won, 1 lost (c3), 1 tied; mean difference +0.1667 \\[-1.126 to 1.459\\]. \
Left out: c4 (kept as a guard)

### p · subject · ci

| gated metric | value | rows | 95 % interval | change |
|---|---:|---:|---|---:|
| recall | 0.9000 | 9/10 | 0.600-0.980 | 0 |
| mrr | 0.8000 | 8/10 | 0.490-0.940 | 0 |

Compared with the baseline of 2026-11-30: 2 metrics, 4 cases; 0 worse, 0 better, 0 new.

**Notes**

- mrr, recall: power undefined: its rows are values in \\[0, 1\\], not right or wrong; \
counted are rows that fall to the worst value
{LIMITS}"""

READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
SIGNS = st.text(alphabet="ab1 .\n\t\r\\`*_[]<>|#~&;-+=!()\"'/:\u2028", min_size=1).filter(lambda text: bool(text.split()))


def tokens(text: str) -> Iterator[Token]:
    """The blocks and inline parts of a Markdown text, in order."""
    for token in READER.parse(text):
        yield token
        yield from token.children or ()


def structure(text: str) -> list[tuple[str, str]]:
    return [(token.type, token.tag) for token in tokens(text)]


def shown(text: str) -> str:
    """What a reader of one paragraph sees."""
    return "".join(token.content for token in tokens(text) if token.type != "inline")


def test_a_pass_reads() -> None:
    assert markdown_text(passing()) == PASSED


def test_a_failure_with_its_worse_case_reads() -> None:
    assert markdown_text(failing()) == FAILED


def test_no_verdict_reads() -> None:
    assert markdown_text(undecided()) == UNDECIDED


def test_controls_beside_the_subject_and_head_to_head_read() -> None:
    assert markdown_text(controlled()) == CONTROLLED


def test_a_report_without_controls_has_no_section_for_them() -> None:
    assert "Controls" not in markdown_text(passing())


@pytest.mark.parametrize("text", [HOSTILE, "`", "a\n\n<b>", "a\n\n| a |\n|---|", "**a\\"])
def test_hostile_text_of_a_case_adds_no_structure_to_the_head_to_head(text: str) -> None:
    assert structure(markdown_text(controlled(text, text))) == structure(markdown_text(controlled("c3", "tame")))


def test_the_calibration_is_told_in_its_own_sentence_and_with_how_texts_are_compared() -> None:
    report = passing()
    for normaliser, told in (
        (None, "mode replay. 0.9 \\*measured\\*."),
        ("NFKC/1", "measured\\*. Text compared after NFKC/1."),
    ):
        changes = {"calibration": calibration(summary="0.9 *measured*."), "text_normaliser": normaliser}
        text = markdown_text(report.model_copy(update={"facts": report.facts.model_copy(update=changes)}))
        assert told in text


@pytest.mark.parametrize("text", [HOSTILE, CONTROL, "`", "a\n\n<b>", "a\n\n# b", "a\n\n| a |\n|---|", "**a\\", "</details>"])
def test_hostile_text_adds_no_structure_to_the_report(text: str) -> None:
    assert structure(markdown_text(hostile(text))) == structure(markdown_text(hostile("tame")))


@settings(deadline=None, max_examples=60)
@given(SIGNS)
def test_no_text_adds_structure_to_the_report(text: str) -> None:
    assert structure(markdown_text(hostile(text))) == structure(markdown_text(hostile("tame")))


@given(SIGNS)
@example("R&amp;D")
@example("&#42;")
def test_plain_text_is_shown_as_it_is_on_one_line(text: str) -> None:
    assert shown(f"a {plain(text)} z") == f"a {' '.join(text.split())} z"


@given(SIGNS)
def test_a_name_is_one_code_span_on_one_line(text: str) -> None:
    found = [token.type for token in tokens(f"a {code(text)} z")]
    assert found == ["paragraph_open", "inline", "text", "code_inline", "text", "paragraph_close"]


def test_only_the_first_cases_are_listed_and_the_rest_counted() -> None:
    report = failing()
    provider = report.providers["p"]
    failed = {f"c{number}": provider.failed["c2"] for number in range(7)}
    worse = tuple(f"c{number}" for number in range(12))
    changes = {"failed": failed, "compared": provider.compared.model_copy(update={"worse": worse})}
    text = markdown_text(report.model_copy(update={"providers": {"p": provider.model_copy(update=changes)}}))
    assert "12 worse" in text
    assert text.count("\n- `c") == 10 + 5
    assert "- and 2 more, in report.json and junit.xml" in text
    assert "- `c9`\n- and 2 more, in report.json\n" in text


def test_notes_do_not_stand_among_the_cases_that_got_worse() -> None:
    text = markdown_text(hostile("tame"))
    between = text[text.index("- `c2`") : text.index("- 1 recorded cases")].splitlines()[1:]
    assert [line for line in between if line and not line.startswith("- ")], "the note continues the list of cases"


def test_a_deviation_from_the_committed_suite_is_marked_above_the_numbers() -> None:
    text = markdown_text(hostile("tame"))
    assert text.index("- **--set a=tame**") < text.index("### p")
