"""What a pull request's text acknowledges: by name and place, with a reason, and never more than it says."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.acknowledgements import Told, lines_to_paste, settled
from assay.tampering import NAMES, Finding

TOLERANCE = Finding("raised max_drop_pp", "extraction", "3 -> 5")
FLOOR = Finding("lowered floor", "retrieval", "0.7 -> 0.6", detail="recall@5")
MANUAL = Finding("manual enforcement", "extraction", "ci -> manual", "openai")
CASES = tuple(Finding("removed case", "extraction", "gone", detail=f"ext-{n}") for n in (1, 2, 3))
ORACLE = Finding("oracle policy", "extraction", "prompt.md changed", "openai")
ALL = (TOLERANCE, FLOOR, MANUAL, *CASES, ORACLE)
LINE = "ASSAY_ACK: raised max_drop_pp extraction because the corpus grew"


def names(text: str) -> list[str]:
    """The subjects that the text settles."""
    return [one.subject for one, _ in settled(ALL, text).acknowledged]


def unused(text: str) -> list[str]:
    return [told.why for told in settled(ALL, text).unused]


def malformed(text: str) -> list[str]:
    return [told.why for told in settled(ALL, text).malformed]


def test_nothing_is_settled_by_a_text_that_says_nothing() -> None:
    result = settled(ALL, "We raise max_drop_pp, because the corpus grew. See ASSAY_ACK in the guide.")
    assert (result.acknowledged, result.open, result.unused, result.malformed) == ((), ALL, (), ())


def test_a_line_settles_the_finding_of_its_name_and_place_and_gives_its_reason() -> None:
    result = settled(ALL, LINE)
    assert result.acknowledged == ((TOLERANCE, "the corpus grew"),)
    assert result.open == ALL[1:]
    assert (result.unused, result.malformed) == ((), ())


@pytest.mark.parametrize("one", ALL, ids=lambda one: one.subject)
def test_the_line_to_paste_settles_its_finding_once_a_reason_stands_in_it(one: Finding) -> None:
    assert settled(ALL, one.acknowledgement).acknowledged == ()
    assert settled(ALL, one.acknowledgement.replace("...", "we said so")).acknowledged == ((one, "we said so"),)


@pytest.mark.parametrize(
    "text",
    [
        f"- {LINE}",
        f"  * {LINE}",
        f"1. {LINE}",
        f"> {LINE}",
        f"> - [x] {LINE}",
        f"`{LINE}`",
        f"**{LINE}**",
        f"As agreed. {LINE}",
        f"one\r\n{LINE}\r\ntwo",
        "assay_ack: raised max_drop_pp extraction because the corpus grew",
        "ASSAY_ACK :  raised   max_drop_pp\textraction   BECAUSE  the corpus grew",
        "ASSAY_ACK: `raised max_drop_pp extraction` because the corpus grew",
        "ASSAY_ACK: raised max_drop_pp extraction because: the corpus grew",
        f"<details>\n{LINE}\n</details>",
    ],
)
def test_it_may_stand_anywhere_with_any_white_space(text: str) -> None:
    assert settled(ALL, text).acknowledged == ((TOLERANCE, "the corpus grew"),)


@pytest.mark.parametrize(
    "subject",
    [
        "raised max_drop_pp",
        "raised max_drop_pp retrieval",
        "raised max_drop_pp extraction/openai",
        "lowered max_drop_pp extraction",
        "Raised max_drop_pp extraction",
        "max_drop_pp",
        "everything",
        "removed case extraction",
        "removed case extraction/*",
        "removed case extraction/all",
    ],
)
def test_another_name_or_place_settles_nothing_and_is_told_as_unused(subject: str) -> None:
    line = f"ASSAY_ACK: {subject} because we say so"
    result = settled(ALL, line)
    assert (result.acknowledged, result.open) == ((), ALL)
    assert [told.line for told in result.unused] == [line]
    assert f"there is no finding {subject!r}" in result.unused[0].why


def test_an_unused_line_names_the_finding_that_it_may_mean() -> None:
    assert unused("ASSAY_ACK: raised max_drop_pp extractoin because of a typo") == [
        "there is no finding 'raised max_drop_pp extractoin'. Did you mean 'raised max_drop_pp extraction'?"
    ]


@pytest.mark.parametrize("reason", ["", " ", " ...", " …", " <reason>", " <why>.", " `...`", " -"])
def test_a_line_without_a_reason_settles_nothing_and_is_told(reason: str) -> None:
    result = settled(ALL, f"ASSAY_ACK: raised max_drop_pp extraction because{reason}")
    assert result.acknowledged == ()
    assert [told.why for told in result.malformed] == ["gives no reason after `because`"]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("ASSAY_ACK: raised max_drop_pp extraction", "gives no reason after `because`"),
        ("ASSAY_ACK: raised max_drop_pp extraction, the corpus grew", "gives no reason after `because`"),
        ("ASSAY_ACK: because the corpus grew", "names no finding"),
        ("ASSAY_ACK:", "names no finding"),
        ("ASSAY_ACK raised max_drop_pp extraction because the corpus grew", "has no colon after the keyword"),
    ],
)
def test_what_is_no_whole_acknowledgement_is_told(line: str, why: str) -> None:
    assert settled(ALL, line).malformed == (Told(line, why),)


def test_a_place_may_hold_the_word_because() -> None:
    odd = Finding("removed case", "extraction", "gone", detail="because-1")
    assert settled([odd], odd.acknowledgement.replace("...", "x because y")).acknowledged == ((odd, "x because y"),)


@pytest.mark.parametrize(
    ("opening", "closing"), [("```", "```"), ("~~~", "~~~"), ("````text", "````"), ("```", ""), ("> ```", "")]
)
def test_a_code_fence_is_an_example_and_the_line_in_it_is_told(opening: str, closing: str) -> None:
    text = f"{opening}\n{LINE}\n{closing}"
    assert names(text) == []
    assert malformed(text) == ["stands in a code fence, which counts as an example; write it as plain text"]


@pytest.mark.parametrize(
    "text", [f"<!-- {LINE} -->", f"<!--\n{LINE}\n-->", f"<!-- {LINE}", f"before <!-- x --> <!-- {LINE} -->"]
)
def test_an_html_comment_is_a_template_and_the_line_in_it_is_told(text: str) -> None:
    assert names(text) == []
    assert malformed(text) == ["stands in an HTML comment, which counts as an example; write it as plain text"]


def test_a_template_that_would_settle_nothing_is_no_matter() -> None:
    text = (
        "<!-- ASSAY_ACK: <finding> <suite> because <reason> -->\n```\nASSAY_ACK: removed case suite/case because <reason>\n```"
    )
    assert (unused(text), malformed(text)) == ([], [])


def test_a_line_beside_its_example_settles_and_nothing_more_is_told() -> None:
    result = settled(ALL, f"```\n{LINE}\n```\n<!-- {LINE} -->\n{LINE}")
    assert result.acknowledged == ((TOLERANCE, "the corpus grew"),)
    assert (result.unused, result.malformed) == ((), ())


def test_what_follows_a_closed_fence_or_comment_counts() -> None:
    assert names(f"```\nx\n```\n{LINE}") == names(f"<!-- x --> {LINE}") == names(f"<!--\nx\n-->{LINE}") == [TOLERANCE.subject]


def test_cases_are_settled_one_by_one_and_those_not_named_stay_open() -> None:
    result = settled(ALL, "ASSAY_ACK: removed case extraction/ext-1, ext-3 because they were wrong")
    assert [one.detail for one, _ in result.acknowledged] == ["ext-1", "ext-3"]
    assert CASES[1] in result.open
    assert result.unused == ()


def test_a_list_that_names_what_is_no_finding_settles_the_rest_and_is_told() -> None:
    text = "ASSAY_ACK: removed case extraction/ext-1, ext-9 because they were wrong"
    assert names(text) == ["removed case extraction/ext-1"]
    assert "there is no finding 'removed case extraction/ext-9'" in unused(text)[0]


def test_all_of_one_name_and_suite_are_settled_by_their_exact_number() -> None:
    assert names("ASSAY_ACK: removed case extraction/all 3 because they were wrong") == [one.subject for one in CASES]


@pytest.mark.parametrize("number", [0, 2, 4, 30])
def test_another_number_settles_none_and_both_numbers_are_told(number: int) -> None:
    text = f"ASSAY_ACK: removed case extraction/all {number} because they were wrong"
    assert names(text) == []
    assert unused(text) == [f"says {number}, and there are 3"]


def test_all_0_of_what_is_no_finding_is_told() -> None:
    assert unused("ASSAY_ACK: edited case extraction/all 0 because of nothing") == ["there is no such finding"]


def test_the_number_counts_one_suite_and_one_name_alone() -> None:
    mixed = (
        *CASES,
        Finding("removed case", "retrieval", "gone", detail="q1"),
        Finding("edited case", "extraction", "x", detail="e"),
    )
    result = settled(mixed, "ASSAY_ACK: removed case extraction/all 3 because they were wrong")
    assert result.open == mixed[3:]


def test_two_reasons_for_one_finding_are_both_given() -> None:
    text = f"{LINE}\n{LINE}\nASSAY_ACK: raised max_drop_pp extraction because of noise"
    assert settled(ALL, text).acknowledged == ((TOLERANCE, "the corpus grew; of noise"),)


def test_two_acknowledgements_may_stand_on_one_line() -> None:
    text = f"{LINE} ASSAY_ACK: manual enforcement extraction/openai because the key is gone"
    assert settled(ALL, text).acknowledged == ((TOLERANCE, "the corpus grew"), (MANUAL, "the key is gone"))


@pytest.mark.parametrize(
    "text", ["EXTRACTION_EVAL_ORACLE_OK=1", "- `EXTRACTION_EVAL_ORACLE_OK=1`.", "(EXTRACTION_EVAL_ORACLE_OK=1)"]
)
def test_the_old_spelling_acknowledges_the_oracle_policy_of_its_suite(text: str) -> None:
    assert settled(ALL, text).acknowledged == ((ORACLE, "EXTRACTION_EVAL_ORACLE_OK=1"),)


def test_the_old_spelling_covers_every_provider_of_its_suite_and_no_other_finding() -> None:
    both = (ORACLE, Finding("oracle policy", "extraction", "x", "vllm"), Finding("oracle policy", "two-words", "x", "p"))
    assert settled((*both, FLOOR), "EXTRACTION_EVAL_ORACLE_OK=1").open == (both[2], FLOOR)
    assert settled(both, "TWO_WORDS_EVAL_ORACLE_OK=1").open == both[:2]


@pytest.mark.parametrize(
    "text",
    [
        "EXTRACTION_EVAL_ORACLE_OK=0",
        "EXTRACTION_EVAL_ORACLE_OK=10",
        "X=EXTRACTION_EVAL_ORACLE_OK=1",
        "extraction_eval_oracle_ok=1",
    ],
)
def test_nothing_but_the_exact_old_spelling_is_one(text: str) -> None:
    result = settled(ALL, text)
    assert (result.acknowledged, result.unused) == ((), ())


def test_an_old_spelling_that_nothing_needs_is_told_as_unused() -> None:
    assert unused("RETRIEVAL_EVAL_ORACLE_OK=1") == ["no oracle-aligned recording of that suite needs it"]
    assert malformed("```\nEXTRACTION_EVAL_ORACLE_OK=1\n```") != []


def test_a_reason_is_printed_without_what_a_terminal_would_obey() -> None:
    ((_, reason),) = settled(ALL, f"{LINE}\x1b[31m \u202e now").acknowledged
    assert reason == "the corpus grew [31m now"


def test_few_findings_get_a_line_each_and_many_one_with_their_number() -> None:
    many = tuple(Finding("edited case", "extraction", "x", detail=f"e{n}") for n in range(6))
    assert lines_to_paste(settled((TOLERANCE, *CASES[:2], *many), "")) == [
        "ASSAY_ACK: raised max_drop_pp extraction because ...",
        "ASSAY_ACK: removed case extraction/ext-1 because ...",
        "ASSAY_ACK: removed case extraction/ext-2 because ...",
        "ASSAY_ACK: edited case extraction/all 6 because ...",
    ]


def test_one_edit_of_shared_code_is_settled_everywhere_by_one_line_that_names_the_module() -> None:
    gate = [Finding("changed gate", suite, "x", detail="assay.gate") for suite in ("extraction", "facets")]
    other = Finding("changed gate", "facets", "x", detail="assay.drops")
    assert lines_to_paste(settled((*gate, other), "")) == [
        "ASSAY_ACK: changed gate everywhere/assay.gate because ...",
        "ASSAY_ACK: changed gate facets/assay.drops because ...",
    ]
    result = settled((*gate, other), "ASSAY_ACK: changed gate everywhere/assay.gate because it rounds now")
    assert [finding for finding, _ in result.acknowledged] == gate
    assert result.open == (other,)
    assert settled((other,), "ASSAY_ACK: changed gate everywhere/assay.gate because x").unused


def test_only_shared_code_is_settled_everywhere() -> None:
    found = [Finding("lowered floor", suite, "x", detail="recall") for suite in ("a", "b")]
    assert settled(found, "ASSAY_ACK: lowered floor everywhere/recall because x").open == tuple(found)


def test_many_that_are_left_of_more_are_named() -> None:
    many = tuple(Finding("edited case", "extraction", "x", detail=f"e{n}") for n in range(7))
    result = settled(many, many[0].acknowledgement.replace("...", "wrong"))
    (line,) = lines_to_paste(result)
    assert line == "ASSAY_ACK: edited case extraction/e1, e2, e3, e4, e5, e6 because ..."
    assert settled(many, f"{many[0].acknowledgement}x\n{line.replace('...', 'wrong')}").open == ()


words = st.from_regex(r"[a-z][a-z0-9_-]{0,6}", fullmatch=True)
found = st.builds(
    Finding,
    name=st.sampled_from(NAMES),
    suite=words,
    what=st.just("x"),
    provider=st.none() | words,
    detail=st.none() | st.text(min_size=1, max_size=12),
)


@settings(deadline=None, max_examples=80)
@given(st.lists(found, min_size=1, max_size=14, unique_by=lambda one: one.subject), st.text(max_size=30))
def test_the_lines_to_paste_settle_all_and_nothing_else_does(findings: list[Finding], noise: str) -> None:
    clean = noise.replace("<!--", "").replace("```", "").replace("~~~", "")
    before = settled(findings, noise)
    lines = [line.replace("...", "it is so") for line in lines_to_paste(before)]
    after = settled(findings, "\n".join([clean, *lines]))
    assert before.open == tuple(findings)
    assert after.open == ()
    assert after.unused == ()
