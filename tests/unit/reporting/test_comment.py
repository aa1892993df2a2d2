"""The pull request's comment, read as text; and text from outside stays text, calls nobody and closes no fold."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from assay.acknowledgements import settled
from assay.change import ChangeOutcome, SuiteChange, finding_check
from assay.model.verdict import Check
from assay.reporting.comment import LINES, MARKER, SIZE, comment_text
from assay.reporting.quoted import quiet, quiet_code, short
from assay.stores.goldsets import open_suite, suites_in
from assay.tampering import NAMES, Finding
from tests.builders import baseline_of, evidence, facts, metric
from tests.unit.reporting.changes import (
    acknowledged,
    broken,
    changed,
    hostile_change,
    outcome,
    regressed,
    unjudged,
    violated,
)
from tests.unit.reporting.reports import CONTROL, HOSTILE, outcome_of, passing, report_of

ROOT = Path(__file__).resolve().parents[3]
PROVENANCE = """\
- `extraction`: p (gated): replies made from the expectations for m, 2026-11-30 (oracle-aligned). A perfect score proves \
the plumbing, not the model."""
TABLE = """
| suite | verdict | touched by | first reason |
|---|---|---|---|
"""
NUMBERS = """
<details><summary>Numbers: what is gated, over what, and how it moved</summary>

| subject | gated metrics: value (what it averages over), change over unchanged cases | against the merge base | cases | \
age of baseline |
|---|---|---|---|---|
"""
LIMITS = """
<details><summary>What these numbers do not prove</summary>

- `extraction`: Live quality: the replies of p were made from the expectations; no model was asked. Customer traffic: the \
gold set is synthetic; real users write otherwise. Latency, cost and capacity: a replay measures none of them. Wording: \
the kind's own limit.

</details>
"""
ACKNOWLEDGED = f"""\
<!-- assay -->
## PASS · change since `0123456789ab`

PASS: 1 suite touched, 1 unchanged since 0123456789ab

{PROVENANCE} q (manual, never gated): other-model; no recording, no numbers.
{TABLE}\
| `extraction` | PASS | prompt, schema, suite.yaml and 1 more; 1 new case, gated on the baseline of this change |  |
| `retrieval` | UNCHANGED | nothing: unchanged, not run; contract and policy checked |  |

**Acknowledgements in the pull request**
- **raised max_drop_pp** `extraction`: the largest drop that is kept: 3.0 -&gt; 5.0 pp<br>because three cases are few
- **edited case** `extraction/c1`, `extraction/c2`, `extraction/c3` and 4 more: case c1 changed; case c2 changed; case c3 \
changed<br>because the dates were wrong
- settles nothing: `ASSAY_ACK: removed case extraction/c9 because it was there twice`: there is no finding 'removed case \
extraction/c9'. Did you mean 'edited case extraction/c7'?
- not understood: `ASSAY_ACK: edited case extraction/c1 because ...`: gives no reason after \\`because\\`

**Notes**
- `extraction`: not compared: another measure
{NUMBERS}\
| `extraction/p` | recall 1.0000 (n=3), 0 against its own baseline<br>precision\\_macro 1.0000 (n=5), 0 against \
its own baseline | not compared | 3 | 3 days |

</details>
{LIMITS}"""
REGRESSED = f"""\
<!-- assay -->
## FAIL · change since `0123456789ab`

FAIL: 1 suite touched, 1 unchanged since 0123456789ab: extraction: easier.dropped\\_metric: recall 0.5000 (n=2) against \
1.0000 (n=2) at the merge base over 2 unchanged cases: 50 pp worse, at most 3.0 pp allowed

{PROVENANCE}
{TABLE}\
| `extraction` | FAIL | prompt, schema, suite.yaml and 1 more; 1 new case, gated on the baseline of this change | \
1 finding is not acknowledged |
| `retrieval` | UNCHANGED | nothing: unchanged, not run; contract and policy checked |  |

**To be undone, or acknowledged in the pull request's text**
- **dropped metric** `extraction/p/recall`: recall 0.5000 (n=2) against 1.0000 (n=2) at the merge base over 2 unchanged \
cases: 50 pp worse, at most 3.0 pp allowed<br>`ASSAY_ACK: dropped metric extraction/p/recall because ...`

**By case**
- `extraction/p` since the merge base: 1 got worse (`c1`)
{NUMBERS}\
| `extraction/p` | recall 0.5000 (n=4 queries, 2/4), -50.00 pp | 1 held, 1 worse | 4 | 3 days |

</details>
{LIMITS}"""
VIOLATED = f"""\
<!-- assay -->
## FAIL · change since `0123456789ab`

FAIL: 1 suite touched, 1 unchanged since 0123456789ab: extraction: easier.oracle\\_policy: \
goldsets/extraction/v1/prompt.md changed, and nobody has seen an answer

{PROVENANCE} q (manual, never gated): other-model; no recording, no numbers.
{TABLE}\
| `extraction` | FAIL | prompt, schema, suite.yaml and 1 more | 1 finding is not acknowledged |
| `retrieval` | UNCHANGED | nothing: unchanged, not run; contract and policy checked |  |

**To be undone, or acknowledged in the pull request's text**
- **oracle policy** `extraction/p`: goldsets/extraction/v1/prompt.md changed, and nobody has seen an \
answer<br>`ASSAY_ACK: oracle policy extraction/p because ...`
{NUMBERS}\
| `extraction/p` | recall 1.0000 (n=3), 0 against its own baseline<br>precision\\_macro 1.0000 (n=5), 0 against \
its own baseline | not compared | 3 | 3 days |

</details>
{LIMITS}"""
UNJUDGED = f"""\
<!-- assay -->
## NO VERDICT · change since `0123456789ab`

NO VERDICT: 1 suite touched, 1 unchanged since 0123456789ab: NO VERDICT extraction v1: p: defined.precision: precision is \
undefined: no memories predicted (and 1 more)

{PROVENANCE}
{TABLE}\
| `extraction` | NO VERDICT | prompt, schema, suite.yaml and 1 more | p: defined.precision: precision is \
undefined: no memories predicted (and 1 more) |
| `retrieval` | UNCHANGED | nothing: unchanged, not run; contract and policy checked |  |

**Not kept**
- could-not-run `extraction` `p: defined.precision`: precision is undefined: no memories predicted
- could-not-run `extraction` `p: baseline`: no baseline yet. Publish this run with \\`assay baseline update extraction \
--provider p --from latest --reason "..."\\`.
{NUMBERS}\
| `extraction/p` | recall 1.0000 (n=3), compared with nothing<br>precision undefined (n=0: no memories \
predicted), compared with nothing | not compared | 3 | none |

</details>
{LIMITS}"""
BROKEN = f"""\
<!-- assay -->
## FAIL · change since `0123456789ab`

FAIL: 2 suites touched, 0 unchanged since 0123456789ab: easier.removed\\_suite: facets v1 with 43 cases -&gt; gone

{PROVENANCE} q (manual, never gated): other-model; no recording, no numbers.
{TABLE}\
| `decisions` | ERROR | unreadable | goldsets/decisions/v1/suite.yaml:3: unknown key, got 'metricz'; expected one \
of metrics. |
| `extraction` | PASS | a new suite, gated on its own baseline |  |
| `facets` | | removed by this change | |

**To be undone, or acknowledged in the pull request's text**
- **removed suite** `facets`: facets v1 with 43 cases -&gt; gone<br>`ASSAY_ACK: removed suite facets because ...`

**Not kept**
- ERROR `decisions`: goldsets/decisions/v1/suite.yaml:3: unknown key, got 'metricz'; expected one of metrics.
{NUMBERS}\
| `extraction/p` | recall 1.0000 (n=3), 0 against its own baseline<br>precision\\_macro 1.0000 (n=5), 0 against \
its own baseline | not compared | 3 | 3 days |

</details>
{LIMITS}"""

READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
SIGNS = st.text(alphabet="ab1 .\n\t\r\\`*_[]<>|#~&;-+=!()\"'/:@$\u2028", min_size=1).filter(lambda text: bool(text.split()))


def tokens(text: str) -> Iterator[Token]:
    for token in READER.parse(text):
        yield token
        yield from token.children or ()


def structure(text: str) -> list[tuple[str, str]]:
    """Blocks and inline parts; HTML with what it says, since only ours may be there."""
    return [(token.type, token.content if token.type.startswith("html") else token.tag) for token in tokens(text)]


def notifying(text: str) -> list[str]:
    """Mentions, references and addresses in what a forge looks at: all text but code."""
    words = " ".join(token.content for token in tokens(text) if token.type == "text")
    return re.findall(r"@\w+|#\d+|\bgh-\d+|://|\bwww\.", words, re.IGNORECASE)


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (acknowledged, ACKNOWLEDGED),
        (regressed, REGRESSED),
        (violated, VIOLATED),
        (unjudged, UNJUDGED),
        (broken, BROKEN),
    ],
    ids=["pass", "regression", "oracle violation", "no verdict", "error, removed and new suites"],
)
def test_the_comment_reads(made: Callable[[], ChangeOutcome], text: str) -> None:
    assert comment_text(made()) == text


def test_it_begins_with_the_marker_by_which_it_is_found_again() -> None:
    assert comment_text(violated()).startswith(f"{MARKER}\n## FAIL")


def test_a_report_that_is_not_at_hand_is_read_from_the_run() -> None:
    change = changed(passing()).suites["extraction"]
    assert change.result is not None
    stored = replace(change, result=outcome_of(passing()))
    assert comment_text(outcome({"extraction": stored})) == comment_text(outcome({"extraction": change}))


@pytest.mark.parametrize(
    "text",
    [
        HOSTILE,
        CONTROL,
        "`",
        "a\n\n<b>",
        "a\n\n| a |\n|---|",
        "**a\\",
        "</details>",
        "<!-- assay -->",
        "``` x",
        "|",
        "&lt;b&gt;",
    ],
)
def test_hostile_text_adds_no_structure_and_closes_no_fold(text: str) -> None:
    told = comment_text(hostile_change(text))
    assert structure(told) == structure(comment_text(hostile_change("tame")))
    assert [line for line in told.splitlines() if line.startswith("<!--")] == [MARKER]


@settings(deadline=None, max_examples=60)
@given(SIGNS)
def test_no_text_adds_structure(text: str) -> None:
    assert structure(comment_text(hostile_change(text))) == structure(comment_text(hostile_change("tame")))


@pytest.mark.parametrize(
    "text", ["@everyone", "me@example.org", "see #12", "GH-7", "https://e.example/x", "WWW.e.example", "o/r#1"]
)
def test_nobody_is_called_and_nothing_is_linked(text: str) -> None:
    assert notifying(text), "the test cannot see it"
    assert notifying(comment_text(hostile_change(text))) == []
    assert notifying(quiet(text)) == []


def test_no_foreign_text_begins_a_line() -> None:
    """A runner takes lines of its log that begin with two colons as commands."""
    assert not any(line.lstrip().startswith("::") for line in comment_text(hostile_change("::add-mask::x")).splitlines())


def test_what_cannot_be_seen_or_is_too_long_is_not_printed() -> None:
    assert short("a\u202eb\x07c", 9) == "a\ufffdb\ufffdc"
    assert (len(short("x" * 999)), quiet_code("a`b\n c")) == (300, "`a'b c`")


def every_suite() -> ChangeOutcome:
    """All suites of this project as they are declared, each with everything that a comment can tell of."""
    suites, found = {}, list[Finding]()
    for name in suites_in(ROOT):
        suite = open_suite(ROOT, name).suite
        subjects = {
            subject: evidence({one: metric(0.5) for one in suite.gate.metrics}, enforcement=declared.enforcement)
            for subject, declared in suite.subjects.items()
        }
        report = report_of(
            subjects, baseline_of(next(iter(subjects.values())), suite=name), facts(*suite.gate.metrics, suite=name)
        )
        mine = [Finding(one, name, "3 -> 4", detail=f"d{number}") for one in NAMES for number in range(3)]
        checks = [finding_check(one) for one in mine] + [
            Check(name=f"c{n}", status="could-not-run", message="unknown") for n in range(20)
        ]
        result = replace(outcome_of(report), parsed=report)
        suites[name] = SuiteChange(name, ("a", "b", "c", "d"), result, tuple(checks), notes=("a note",))
        found += mine
    return outcome(suites, settled(found[::2], "\n".join(f"ASSAY_ACK: x{n} because y" for n in range(30))))


def test_it_has_less_than_sixty_lines_for_all_suites_of_this_project_whatever_happens() -> None:
    told = comment_text(every_suite())
    assert len(every_suite().suites) > 4
    assert told.count("\n") <= LINES < 60
    assert len(told) <= SIZE + 1


def test_what_does_not_fit_into_a_list_is_told_in_its_last_line() -> None:
    findings = [Finding("edited case", "extraction", f"case c{n} changed", detail=f"c{n}") for n in range(50)]
    others = [Finding(name, "extraction", f"{name} moved") for name in NAMES]
    told = comment_text(changed(passing(), *findings, *others))
    assert "`ASSAY_ACK: edited case extraction/all 51 because ...`" in told
    assert all(f"**{name}**" in told for name in NAMES)
    assert told.count("\n") <= LINES


def test_numbers_that_are_too_many_are_left_to_the_reports_and_the_rest_stays() -> None:
    names = [f"a_metric_with_a_long_name_{number:04}" for number in range(1200)]
    report = report_of({"p": evidence({name: metric(0.5) for name in names})}, None, facts(*names))
    told = comment_text(changed(report))
    assert "The numbers are too many for a comment; they stand in each suite's report." in told
    assert "What these numbers do not prove" in told
    assert len(told) < SIZE
