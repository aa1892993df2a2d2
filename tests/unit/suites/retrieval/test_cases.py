"""What may stand in a corpus and its queries, and what is said about what may not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from assay.errors import InputError
from assay.suites.retrieval.cases import load, parse, relevant_of, unknown_ids
from tests.unit.suites.retrieval.small import QUERIES, case, document, files, query

Rows = Sequence[dict[str, Any]] | None


def refusal(documents: Rows = None, queries: Rows = None) -> str:
    with pytest.raises(InputError) as caught:
        load(files(documents, queries))
    return str(caught.value)


def test_a_case_per_query_with_its_grade_and_answers() -> None:
    found = load(files())
    assert [case.id for case in found] == list(QUERIES)
    assert found[1].input == {"query": "Which nuts are dangerous?", "grade": "live", "style": "paraphrase"}
    assert found[1].expected == {"relevant": ["a", "e"]}
    assert found[1].strata == ("live", "paraphrase")


def test_a_query_is_live_and_ordinary_unless_it_says_otherwise() -> None:
    (found,) = load(files(queries=[{"id": "q", "query": "Where?", "relevant": ["a"]}]))
    assert found.strata == ("live", "ordinary")


def test_the_note_is_for_people_and_changes_no_case() -> None:
    assert case("q1", note="why").digest == case("q1", note="otherwise").digest


@pytest.mark.parametrize("text", ["", " \n"])
def test_a_document_may_be_blank_as_in_production(text: str) -> None:
    documents, _ = parse(files([document("a", text=text)]))
    assert documents[0].text == text


@pytest.mark.parametrize(
    ("documents", "queries", "said"),
    [
        ([], None, "documents.jsonl: holds no document; expected at least one."),
        ([document("a"), document("a")], None, "documents.jsonl: the id stands twice, got 'a'."),
        (None, [query("q1"), query("q1")], "queries.jsonl: the id stands twice, got 'q1'."),
        (
            None,
            [query("q1", relevant=["b", "b"])],
            "queries.jsonl: q1: names a document twice, got ['b', 'b']; expected each relevant id once.",
        ),
        (
            None,
            [query("q1", relevant=[])],
            "queries.jsonl: q1: expects nothing; expected relevant ids, or the grade no_answer.",
        ),
        (
            None,
            [query("q4", relevant=["a"])],
            "queries.jsonl: q4: is a no_answer query with relevant documents; expected an empty list, or another grade.",
        ),
    ],
)
def test_what_is_wrong_between_rows_is_told(documents: Rows, queries: Rows, said: str) -> None:
    assert refusal(documents, queries) == said


def test_every_fault_of_both_files_is_told_at_once() -> None:
    told = refusal([document("a"), document("a")], [query("q1", relevant=[]), query("q4", relevant=["a"])])
    assert len(told.splitlines()) == 3


@pytest.mark.parametrize(
    ("row", "where"),
    [
        (document("a", created_at="2026-03-01T12:00:00"), "documents.jsonl:1: created_at"),
        (document("a", created_at="yesterday"), "documents.jsonl:1: created_at"),
        (document("", text="x"), "documents.jsonl:1: id"),
        (document("a", content_type=""), "documents.jsonl:1: content_type"),
        (document("a", colour="red"), "documents.jsonl:1: colour"),
    ],
)
def test_a_faulty_document_is_told_by_line_and_key(row: dict[str, Any], where: str) -> None:
    assert refusal([row]).startswith(where)


@pytest.mark.parametrize(
    ("row", "where"),
    [
        (query("q1", query="  \n"), "queries.jsonl:1: query"),
        (query("q1", grade="dead"), "queries.jsonl:1: grade"),
        (query("q1", style="riddle"), "queries.jsonl:1: style"),
        (query("q1", relevant=None), "queries.jsonl:1: relevant"),
        (query(""), "queries.jsonl:1: id"),
    ],
)
def test_a_faulty_query_is_told_by_line_and_key(row: dict[str, Any], where: str) -> None:
    assert refusal(None, [row]).startswith(where)


def test_an_unknown_document_id_is_told_with_the_nearest_and_is_no_fault_of_loading() -> None:
    given = files([document("mem_01"), document("mem_02")], [query("q1", relevant=["mem_01", "men_02"])])
    (found,) = unknown_ids(parse(given)[0], load(given), "queries.jsonl", "documents.jsonl")
    assert str(found) == (
        "queries.jsonl: q1: unknown document id, got 'men_02'; expected one of the 2 ids in documents.jsonl. "
        "Did you mean 'mem_02'?"
    )


def test_relevant_ids_are_read_from_the_case() -> None:
    assert (relevant_of(case("q2")), relevant_of(case("q4"))) == (["a", "e"], [])
