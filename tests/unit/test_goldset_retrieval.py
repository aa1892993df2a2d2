"""The numbers that the committed gold set of retrieval v1 must keep."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

from assay.model.exchange import TargetManifest
from assay.model.ports import Setting
from assay.reading import record
from assay.stores.cassettes import read_recording
from assay.stores.goldsets import Source, open_suite
from assay.stores.vectors import read_vectors, text_sha256
from assay.suites.retrieval import calibration
from assay.suites.retrieval.audit import audit, significant
from assay.suites.retrieval.cases import Document, Query, load, parse
from assay.suites.retrieval.luck import luck_of

ROOT = Path(__file__).resolve().parents[2]


@cache
def source() -> Source:
    return open_suite(ROOT, "retrieval", "v1")


@cache
def gold() -> tuple[list[Document], list[Query]]:
    return parse(source().files)


def setting() -> Setting:
    found = source()
    return Setting(
        suite="retrieval",
        version="v1",
        cases=load(found.files),
        files=found.files,
        options=found.suite.options,
        subjects=found.suite.subjects,
        constants=found.suite.constants,
    )


def test_there_are_34_documents_and_17_queries_of_which_14_are_live() -> None:
    documents, queries = gold()
    assert (len(documents), len(queries)) == (34, 17)
    assert Counter(query.grade for query in queries) == {"live": 14, "known_failure": 1, "no_answer": 1, "retired": 1}


def test_seven_to_nine_live_queries_share_no_significant_token_with_an_answer_and_the_others_do() -> None:
    documents, queries = gold()
    tokens = {document.id: significant(document.text) for document in documents}
    live = [query for query in queries if query.grade == "live"]
    apart = {query.id for query in live if not any(significant(query.query) & tokens[name] for name in query.relevant)}
    assert apart == {query.id for query in live if query.style == "paraphrase"}
    assert 7 <= len(apart) <= 9


def test_distractors_share_tokens_with_queries_and_answer_nothing() -> None:
    documents, queries = gold()
    answers = {name for query in queries for name in query.relevant}
    asked = [significant(query.query) for query in queries]
    distractors = [document for document in documents if document.id not in answers]
    assert distractors
    assert any(words & significant(document.text) for document in distractors for words in asked)


def test_the_retired_query_is_a_bag_of_keywords() -> None:
    (retired,) = [query for query in gold()[1] if query.grade == "retired"]
    assert not set("?.!") & set(retired.query)


def test_every_query_says_why_its_documents_answer_it() -> None:
    assert [query.id for query in gold()[1] if not query.note] == []


def test_audit_finds_no_fault_and_its_limits_are_not_loosened() -> None:
    found = audit(source().files, source().suite.options)
    assert found.faults == ()
    assert source().suite.options["audit"] == {
        "documents": 34,
        "grades": {"live": 14, "known_failure": 1, "no_answer": 1, "retired": 1},
        "paraphrases": [7, 9],
    }


def test_the_calibration_belongs_to_the_gold_set_and_its_constants() -> None:
    (found,) = calibration.check(setting())
    assert found.status == "kept", found.message


def test_no_floor_is_one_that_luck_reaches() -> None:
    floors = source().suite.gate.floors
    lucks = {name: luck_of(name, load(source().files), 34) for name in floors}
    assert {name for name, luck in lucks.items() if luck} == {"recall@5"}
    assert all(luck.quantile < floors[name] for name, luck in lucks.items() if luck)


def test_the_floor_of_the_keyword_search_is_that_of_the_specification() -> None:
    control = source().suite.providers["keyword"].control
    assert control is not None
    assert (control.metric, control.floor) == ("recall@5", 0.15)


def test_every_text_has_its_recorded_vector_and_nothing_else_is_recorded() -> None:
    found = read_recording(source().place("semantic"))
    assert found is not None
    manifest = record(found[0], "manifest", TargetManifest)
    documents, queries = gold()
    texts = {text_sha256(text) for text in [*(one.text for one in documents), *(one.query for one in queries)]}
    vectors = read_vectors(found[1], "vectors")
    assert set(vectors) == texts
    assert {len(vector) for vector in vectors.values()} == {manifest.identity["dimension"]} == {384}
    assert manifest.model_asked == source().suite.providers["semantic"].model
