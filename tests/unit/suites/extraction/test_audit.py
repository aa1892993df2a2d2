"""The rules of the audit: planted faults are found, counts are right, and doubtful labels come first."""

from __future__ import annotations

from typing import Any

import pytest

from assay.errors import InputError
from assay.model.audit import Audit
from assay.suites.extraction.audit import audit
from tests.builders import conversation, json_lines, memory

Rows = list[dict[str, Any]]
LIMITS = {"audit": {"near_duplicate_limit": 0.8, "review_band": 0.65}}
TALK = {
    "c1": "Ayrshire has milk fever, calcium is in, the vet comes at four.",
    "c2": "Kayleigh hier, 19, Lehrling in einer Bäckerei!",
    "c3": "pls shorten: «quarterly numbers went up»",
}


def said(name: str, *texts: str, **changes: Any) -> dict[str, Any]:
    return conversation(name, turns=[{"role": "user", "content": text} for text in texts], **changes)


def audited(conversations: Rows, memories: Rows, options: dict[str, Any] | None = None) -> Audit:
    files = {
        "conversations": ("conversations.jsonl", json_lines(*conversations)),
        "expected": ("expected_memories.jsonl", json_lines(*memories)),
    }
    return audit(files, LIMITS if options is None else options)


def sound() -> tuple[Rows, Rows]:
    """Three conversations unlike one another, with four memories."""
    conversations = [
        said("c1", TALK["c1"], tags=["hostile", "relative_dates"]),
        said("c2", TALK["c2"], languages=["de"]),
        said("c3", TALK["c3"], expects_nothing=True),
    ]
    memories = [
        memory("m1", "c1", content="A cow of the user's has milk fever.", categories=["episodic", "factual"]),
        memory("m2", "c1", content="Calcium goes under the skin.", categories=["procedural"]),
        memory("m3", "c2", content="Die Nutzerin heißt Kayleigh."),
        memory("m4", "c2", content="Ofen 220 °C!", temporal_kind="supersession", supersedes="m3"),
    ]
    return conversations, memories


def test_sound_set_has_no_faults_and_is_worth_its_number() -> None:
    found = audited(*sound())
    assert (found.faults, found.near_duplicates, found.review_band) == ((), (), ())
    assert (found.cases, found.effective_cases) == (3, 3.0)


def test_counts_by_group_category_and_kind() -> None:
    assert audited(*sound()).counts == {
        "conversations": {"all": 3, "expects nothing": 1, "hostile": 1, "not English or mixed": 1, "relative dates": 1},
        "memories": {"all": 4, "several categories": 1},
        "category": {"factual": 3, "procedural": 1, "preference": 0, "behavioral": 0, "episodic": 1},
        "temporal kind": {"indefinite": 3, "supersession": 1},
    }


def test_mixed_languages_count_as_not_english_only() -> None:
    counts = audited([said("c1", "hola friend", languages=["en", "es"], expects_nothing=True)], []).counts
    assert counts["conversations"]["not English or mixed"] == 1


def test_empty_set_is_audited_without_a_fault() -> None:
    found = audited([], [])
    assert (found.cases, found.effective_cases, found.faults) == (0, 0.0, ())
    assert found.counts["memories"] == {"all": 0, "several categories": 0}


def test_planted_duplicate_ids_are_found() -> None:
    conversations, memories = sound()
    found = audited([*conversations, said("c2", "Something else altogether, long ago.")], [*memories, memories[0]])
    assert "conversations.jsonl: the id 'c2' stands 2 times; expected each id once." in found.faults
    assert "expected_memories.jsonl: the id 'm1' stands 2 times; expected each id once." in found.faults


def test_planted_dangling_references_are_found() -> None:
    conversations, memories = sound()
    lost = memory("m5", "c9", content="Nobody said so, and nowhere.")
    astray = memory("m6", "c1", content="Zwölf Ziegen.", temporal_kind="supersession", supersedes="m3")
    assert audited(conversations, [*memories, lost, astray]).faults == (
        "expected_memories.jsonl: m5: unknown conversation, got 'c9'; expected an id of conversations.jsonl.",
        "expected_memories.jsonl: m6: supersedes no earlier memory, got 'm3'; expected another id of the same conversation.",
    )


def test_planted_conversation_without_expectation_is_found() -> None:
    conversations, memories = sound()
    (fault,) = audited([*conversations, said("c4", "Zzz?! 12 xylophones.")], memories).faults
    assert fault.startswith("conversations.jsonl: c4: has no expectation")


def test_planted_near_duplicate_conversation_is_found_and_shares_one_case() -> None:
    # The twin differs in 4 of 62 characters; the pair is worth little more than one case.
    conversations, memories = sound()
    twin = said("c4", TALK["c1"].replace("four", "nine"), expects_nothing=True)
    found = audited([*conversations, twin], memories)
    (pair,) = found.near_duplicates
    assert (pair.a, pair.b) == ("c1", "c4")
    assert pair.similarity >= 0.9
    assert found.faults == (f"c1 and c4 are near-duplicates ({pair.similarity:.2f})",)
    assert 3.0 < found.effective_cases < 3.3


def test_memory_written_twice_is_found_whatever_its_form() -> None:
    conversations, memories = sound()
    found = audited(conversations, [*memories, memory("m5", "c2", content="CALCIUM goes under  the skin.")])
    assert [(pair.a, pair.b) for pair in found.near_duplicates] == [("m2", "m5")]
    assert found.faults == ("m2 and m5 are near-duplicates (1.00)",)


def test_memories_that_are_merely_near_are_for_review() -> None:
    conversations, memories = sound()
    found = audited(conversations, [*memories, memory("m5", "c2", content="Calcium goes under the shin.")])
    assert [(pair.a, pair.b) for pair in found.review_band] == [("m2", "m5")]
    assert found.faults == ()


def test_memory_near_the_one_that_it_replaces_is_not_for_review() -> None:
    conversations, memories = sound()
    new = memory("m5", "c1", content="Calcium goes under the shin.", temporal_kind="supersession", supersedes="m2")
    assert audited(conversations, [*memories, new]).review_band == ()


def test_what_only_the_assistant_says_makes_no_duplicate() -> None:
    answer = {"role": "assistant", "content": "Certainly, here is a long answer that is the same each time. " * 3}
    turns = [[{"role": "user", "content": TALK[name]}, answer] for name in ("c1", "c2")]
    rows = [conversation(f"c{i}", turns=pair, expects_nothing=True) for i, pair in enumerate(turns)]
    assert audited(rows, []).near_duplicates == ()


def test_likeness_between_band_and_limit_is_for_review_and_no_fault() -> None:
    # 14 of 20 characters are shared: 28/40 = 0.7.
    rows = [said("c1", "a" * 14 + "b" * 6, expects_nothing=True), said("c2", "a" * 14 + "c" * 6, expects_nothing=True)]
    found = audited(rows, [])
    assert [(pair.a, pair.b, pair.similarity) for pair in found.review_band] == [("c1", "c2", 0.7)]
    assert (found.near_duplicates, found.faults) == ((), ())


@pytest.mark.parametrize(("limit", "is_fault"), [(0.75, True), (0.8, True), (0.81, False)])
def test_declared_limit_decides_what_is_a_fault(limit: float, *, is_fault: bool) -> None:
    # 16 of 20 characters are shared: 32/40 = 0.8.
    rows = [said("c1", "a" * 16 + "b" * 4, expects_nothing=True), said("c2", "a" * 16 + "c" * 4, expects_nothing=True)]
    found = audited(rows, [], {"audit": {"near_duplicate_limit": limit, "review_band": 0.5}})
    assert bool(found.faults) == is_fault


def test_review_band_above_the_limit_hides_no_duplicate() -> None:
    rows = [said("c1", "a" * 16 + "b" * 4, expects_nothing=True), said("c2", "a" * 16 + "c" * 4, expects_nothing=True)]
    try:
        found = audited(rows, [], {"audit": {"near_duplicate_limit": 0.7, "review_band": 0.9}})
    except InputError as refused:
        assert "review_band" in str(refused)  # noqa: PT017  # refusing such options hides nothing either
    else:
        assert len(found.faults) == 1


def test_review_band_of_one_is_refused_or_works() -> None:
    try:
        found = audited(*sound(), {"audit": {"near_duplicate_limit": 1.0, "review_band": 1.0}})
    except InputError as refused:
        assert "review_band" in str(refused)  # noqa: PT017  # either is honest; a ZeroDivisionError is not
    else:
        assert found.effective_cases == 3.0


@pytest.mark.parametrize("options", [{"audit": {"limit": 1}}, {"audits": {}}, {"audit": {"review_band": 0}}])
def test_unknown_or_senseless_options_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"suite\.yaml: options"):
        audited(*sound(), options)


def test_distinct_sentences_are_counted_over_the_memories() -> None:
    # Three copies are worth one, the fourth is unlike them.
    memories = [memory(f"m{i}", content="like cheese") for i in range(3)] + [memory("m9", content="qqqqqqqq")]
    lines = {finding.title: finding.lines for finding in audited([conversation()], memories).findings}
    assert lines["Distinct sentences"] == ("4 memories are worth 2.0 different sentences",)


def test_label_balance_is_one_for_an_even_spread_and_zero_for_one_label() -> None:
    labels = ("factual", "procedural", "preference", "behavioral", "episodic")
    even = [memory(f"m{i}", content=chr(97 + i) * 9, categories=[label]) for i, label in enumerate(labels)]
    shares = ", ".join(f"{label} 20%" for label in labels)
    assert audited([conversation()], even).findings[0].lines == (f"1.00 of an even spread: {shares}",)
    assert audited([conversation()], [memory()]).findings[0].lines == ("0.00 of an even spread: factual 100%",)


def test_labels_farthest_from_their_conversation_come_first() -> None:
    # abcdefgh has the 4-grams abcd bcde cdef defg efgh; the user wrote the first two of them: 2/5.
    row = said("c1", "ABCDE  and I like cheese")
    memories = [
        memory("m1", content="like cheese"),
        memory("m2", content="qqqqqqqq"),
        memory("m3", content="abcdefgh"),
    ]
    finding = audited([row], memories).findings[-1]
    assert finding.title == "Labels farthest from their conversation (share of 4-grams found there)"
    assert finding.lines == ("0.00 m2: qqqqqqqq", "0.40 m3: abcdefgh", "1.00 m1: like cheese")
