"""A gold set on trial: each planted fault is found, and a sound set has none."""

from __future__ import annotations

from typing import Any

import pytest

from assay.model.audit import Audit
from assay.suites.retrieval.audit import audit, significant
from tests.unit.suites.retrieval.small import QUERIES, TEXTS, document, files, query

DECLARED: dict[str, Any] = {
    "documents": 6,
    "grades": {"live": 2, "known_failure": 1, "no_answer": 1, "retired": 1},
    "paraphrases": [1, 2],
}
TWIN = "The family moved on to Harrow Lane."


def audited(documents: list[dict[str, Any]] | None = None, queries: list[dict[str, Any]] | None = None, **limits: Any) -> Audit:
    return audit(files(documents, queries), {"audit": {**DECLARED, **limits}})


def replaced(name: str, **changes: Any) -> list[dict[str, Any]]:
    """All rows, one of them changed."""
    if name in TEXTS:
        return [document(one, **(changes if one == name else {})) for one in TEXTS]
    return [query(one, **(changes if one == name else {})) for one in QUERIES]


def test_a_sound_set_has_no_fault_and_is_counted() -> None:
    found = audited()
    assert found.faults == ()
    assert found.counts == {
        "documents": {"all": 6, "fact": 6},
        "queries": {"all": 5, "known_failure": 1, "live": 2, "no_answer": 1, "retired": 1},
        "live queries": {"ordinary": 1, "paraphrase": 1},
        "relevant documents": {"0": 1, "1": 2, "2": 2},
    }
    assert (found.cases, found.near_duplicates, found.review_band) == (5, (), ())
    assert 4.5 <= found.effective_cases <= 5


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({"documents": [*map(document, TEXTS), document("a")]}, "documents.jsonl: the id stands twice, got 'a'."),
        ({"queries": [*map(query, QUERIES), query("q1")]}, "queries.jsonl: the id stands twice, got 'q1'."),
        (
            {"queries": replaced("q1", relevant=[])},
            "queries.jsonl: q1: expects nothing; expected relevant ids, or the grade no_answer.",
        ),
        (
            {"queries": replaced("q3", relevant=["g"])},
            "queries.jsonl: q3: unknown document id, got 'g'; expected one of the 6 ids in documents.jsonl.",
        ),
        ({"queries": replaced("q2", query="Which allergy is dangerous?")}, "q2 is no paraphrase: it shares allergy with a"),
        ({"queries": replaced("q2", query="Is milk served with walnut?")}, "q2 is no paraphrase: it shares walnut with a"),
        (
            {"queries": replaced("q1", query="At which address is our house?")},
            "q1 is called ordinary and shares no significant token with any answer",
        ),
        ({"queries": [query(name) for name in QUERIES if name != "q5"]}, "0 queries of grade retired; the suite declares 1"),
        (
            {"queries": [*map(query, QUERIES), query("q6", query="Is there an allergy?")]},
            "3 queries of grade live; the suite declares 2",
        ),
        ({"documents": [*map(document, TEXTS), document("g", text="Ship.")]}, "7 documents; the suite declares 6"),
        (
            {"queries": replaced("q2", style="ordinary", query="Which allergy?")},
            "0 live paraphrases; the suite declares 1 to 2",
        ),
        ({"paraphrases": [2, 3]}, "1 live paraphrases; the suite declares 2 to 3"),
    ],
)  # fmt: skip
def test_a_planted_fault_is_found(changed: dict[str, Any], fault: str) -> None:
    assert fault in audited(**changed).faults


def test_documents_that_are_alike_are_a_fault_and_those_nearly_so_are_to_be_read() -> None:
    found = audited(replaced("c", text=TWIN), near_duplicate_limit=0.9, review_band=0.5)
    assert [(pair.a, pair.b) for pair in found.near_duplicates] == [("b", "c")]
    assert [fault for fault in found.faults if "near-duplicates" in fault] == [
        f"b and c are near-duplicates ({found.near_duplicates[0].similarity:.2f})"
    ]
    milder = audited(replaced("c", text=TWIN), near_duplicate_limit=1.0, review_band=0.5)
    assert milder.near_duplicates == ()
    assert ("b", "c") in [(pair.a, pair.b) for pair in milder.review_band]


def test_only_an_answer_of_its_own_makes_a_query_no_paraphrase() -> None:
    assert audited(queries=replaced("q2", query="Which bicycle is dangerous?")).faults == ()


def test_queries_outside_the_means_are_held_to_no_style() -> None:
    assert audited(queries=replaced("q3", query="Nothing that is written there?")).faults == ()


def test_a_set_that_says_nothing_of_itself_is_held_to_nothing() -> None:
    queries = replaced("q1", query="At which address is our house?")
    assert audit(files(queries=queries), {}).faults == ()


def test_every_fault_is_told_at_once() -> None:
    found = audited([*map(document, TEXTS), document("a")], [query("q1", relevant=[])])
    assert len(found.faults) >= 4


def test_documents_that_answer_nothing_are_told_with_the_queries_whose_words_they_share() -> None:
    (finding,) = audited().findings
    assert finding.title == "Documents that answer no query (1)"
    assert finding.lines == ("c shares nothing with any query",)
    shared = audited(replaced("c", text="The election was on a Tuesday; the family voted.")).findings[0].lines
    assert shared == ("c shares q1: family; q4: election; q5: family",)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("The dogs barked, barking!", {"dog", "bark"}),
        ("What is it that you have?", set()),
        ("An ox at no. 7", set()),
        ("CAFÉ cafe\u0301", {"café"}),
        ("snake_case words", {"snake", "case", "word"}),
        ("bed ring used gas", {"bed", "ring", "used", "gas"}),
        ("", set()),
    ],
)
def test_significant_tokens_are_words_with_a_topic(text: str, tokens: set[str]) -> None:
    assert significant(text) == tokens
