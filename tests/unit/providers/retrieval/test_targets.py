"""The retrievers as targets: one corpus, one query per case, over recorded vectors or none at all."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from assay.errors import InputError, Unrecorded
from assay.model.embedding import EmbedderIdentity, Vector
from assay.model.target import RecordableTarget, Target, TargetContext
from assay.providers.retrieval import targets
from assay.providers.retrieval.corpus import Corpus
from assay.providers.retrieval.keyword import Keyword
from assay.providers.retrieval.semantic import Semantic
from assay.providers.retrieval.targets import EmbeddedTarget, Gathering, RetrievalTarget, corpus_of, queries_of
from assay.stores.vectors import read_vectors, text_sha256, vector_facts, vectors_bytes
from assay.suites.retrieval.cases import load
from assay.suites.retrieval.options import STANDARD
from tests.builders import json_lines, provider
from tests.unit.providers.retrieval.small_corpus import Table, document

IDENTITY = EmbedderIdentity(model="table", dimension=2)
TEXTS = {"d1": "A house on Harrow Lane.", "d2": "The nut allergy was found.", "d3": "Long walks along the river at dusk."}
VECTORS: dict[str, Vector] = {
    TEXTS["d1"]: (1.0, 0.0),
    TEXTS["d2"]: (0.0, 1.0),
    TEXTS["d3"]: (0.6000000238418579, 0.800000011920929),
    "Where is the house?": (1.0, 0.0),
    "What about nuts?": (0.0, 1.0),
}
WITHOUT_SEARCH = ("constant_answer", "abstain", "longest_first", "whole_corpus")
WITH_SEARCH = ("semantic", "keyword", "bm25", "deterministic")


def recording(texts: Mapping[str, Vector] = VECTORS) -> bytes:
    return vectors_bytes({text_sha256(text): vector for text, vector in texts.items()}, IDENTITY)


def rows(texts: Mapping[str, str] = TEXTS) -> bytes:
    found = [document(name, text, day=day) for day, (name, text) in enumerate(texts.items(), start=1)]
    return json_lines(*[one.model_dump() for one in found])


def context(body: bytes | None = None, texts: Mapping[str, str] = TEXTS, **options: Any) -> TargetContext:
    queries = json_lines(
        {"id": "q1", "query": "Where is the house?", "relevant": ["d1"]},
        {"id": "q2", "query": "What about nuts?", "relevant": ["d2"]},
    )
    documents = ("documents.jsonl", rows(texts))
    cases = load({"documents": documents, "queries": ("queries.jsonl", queries)})
    return TargetContext(
        cases=cases, provider=provider(model="table"), files={"documents": documents}, options=options, recording=body
    )


def made(name: str, given: TargetContext) -> Target:
    factory: Callable[[TargetContext], Target] = getattr(targets, name)
    return factory(given)


def answered(target: Target, number: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(target.answer(context().cases[number]))
    return found


def ids(answer: Mapping[str, Any]) -> list[str]:
    return [name for name, _ in answer["ranking"]]


def test_the_whole_ranking_comes_back_with_its_scores_and_the_size_of_the_corpus() -> None:
    assert answered(made("semantic", context(recording()))) == {
        "ranking": [["d1", 1.0], ["d3", 0.6], ["d2", 0.0]],
        "is_cut": False,
        "documents": 3,
    }


@pytest.mark.parametrize(("depth", "is_cut"), [(1, True), (2, True), (3, False), (9, False)])
def test_a_ranking_is_cut_at_the_depth_and_says_so(depth: int, is_cut: bool) -> None:
    found = answered(made("semantic", context(recording(), depth=depth)))
    assert (len(found["ranking"]), found["is_cut"]) == (min(depth, 3), is_cut)


def test_equal_answers_are_equal_texts() -> None:
    one, other = (made("semantic", context(recording())).answer(context().cases[0]) for _ in range(2))
    assert one == other


def test_recorded_vectors_answer_without_any_model() -> None:
    target = made("semantic", context(recording()))
    assert [ids(answered(target, number))[0] for number in (0, 1)] == ["d1", "d2"]
    assert not isinstance(target, RecordableTarget)


def without(text: str) -> bytes:
    return recording({name: vector for name, vector in VECTORS.items() if name != text})


@pytest.mark.parametrize("text", ["Where is the house?", TEXTS["d3"]])
def test_a_query_or_document_that_was_never_recorded_is_unrecorded_and_named(text: str) -> None:
    target = made("semantic", context(without(text)))
    with pytest.raises(Unrecorded) as caught:
        target.answer(context().cases[0])
    assert str(caught.value) == f"recording of table: no vector for a text, got {text!r}. Record it with `assay record`."


def test_of_many_unrecorded_texts_the_first_is_named_and_the_others_counted() -> None:
    target = made("semantic", context(recording({TEXTS["d1"]: (1.0, 0.0)})))
    with pytest.raises(Unrecorded, match=r"\(and 3 more\)$"):
        target.answer(context().cases[0])


def test_the_check_of_the_corpus_is_unrecorded_too() -> None:
    with pytest.raises(Unrecorded):
        made("semantic", context(without(TEXTS["d3"]))).checks()


def test_without_a_recording_replay_says_how_to_make_one() -> None:
    with pytest.raises(InputError) as caught:
        made("semantic", context(None))
    assert str(caught.value) == "recording of table: is not there. Make it with `assay record`."


@pytest.mark.parametrize("body", [b"", b"no vectors"])
def test_a_recording_that_holds_no_vectors_is_refused_by_its_name(body: bytes) -> None:
    with pytest.raises(InputError, match=r"^recording of table"):
        made("semantic", context(body))


@pytest.mark.parametrize("name", WITH_SEARCH)
def test_a_search_shows_that_it_sees_the_whole_corpus(name: str) -> None:
    (check,) = made(name, context(recording())).checks()
    assert (check.name, check.status) == ("visible_corpus", "kept"), check.message
    assert check.message == "3 rows by SQL, 3 in a full ranking, 0 unreadable, probe d3 at rank 1"


@pytest.mark.parametrize("name", WITH_SEARCH)
def test_an_unreadable_row_breaks_the_check_of_the_corpus(name: str) -> None:
    (check,) = made(name, context(recording(), {**TEXTS, "d4": " "})).checks()
    assert check.status == "broken"
    assert "1 unreadable" in check.message


class Hiding:
    """A retriever that sees every other document."""

    ranks_all = True

    def __init__(self, inner: Semantic) -> None:
        self._inner = inner

    def search(self, query: str | None, content_type: str | None = None) -> tuple[tuple[str, float], ...]:
        return self._inner.search(query, content_type)[::2]


def test_half_of_the_corpus_hidden_breaks_the_check() -> None:
    given = context(recording())
    corpus = corpus_of(given)
    (check,) = RetrievalTarget(given, corpus, Hiding(Semantic(corpus, Table(VECTORS)))).checks()
    assert (check.status, check.message) == ("broken", "3 rows by SQL, 2 in a full ranking, 0 unreadable, probe d3 at rank 1")


@pytest.mark.parametrize("name", WITHOUT_SEARCH)
def test_a_strategy_that_looks_at_no_query_has_no_corpus_to_see(name: str) -> None:
    target = made(name, context())
    assert target.checks() == []
    assert answered(target, 0) == answered(target, 1)


@pytest.mark.parametrize(
    ("name", "order"),
    [
        ("constant_answer", ["d3", "d2", "d1"]),
        ("abstain", []),
        ("longest_first", ["d3", "d2", "d1"]),
        ("whole_corpus", ["d1", "d2", "d3"]),
    ],
)
def test_each_trivial_strategy_has_its_own_order(name: str, order: list[str]) -> None:
    assert ids(answered(made(name, context()))) == order


@pytest.mark.parametrize("name", ["keyword", "bm25", "deterministic", *WITHOUT_SEARCH])
def test_what_rests_on_code_alone_needs_no_recording(name: str) -> None:
    assert answered(made(name, context()))["documents"] == 3


def test_the_old_search_keeps_its_constant_score() -> None:
    given = context()
    corpus = corpus_of(given)
    found = answered(made("keyword", given))
    assert {score for _, score in found["ranking"]} <= {0.5}
    assert [tuple(pair) for pair in found["ranking"]] == list(Keyword(corpus).search("Where is the house?"))


def test_what_a_live_model_was_asked_is_recorded_whole_and_replays_the_same() -> None:
    given = context()
    embedder = Table(VECTORS)
    live = EmbeddedTarget(given, corpus_of(given), Gathering(embedder))
    texts = [live.answer(case) for case in given.cases]
    assert [check.status for check in live.checks()] == ["kept"]
    made_of = live.recording()
    assert isinstance(live, RecordableTarget)
    assert (made_of.rows, made_of.model_served, made_of.identity) == (5, "table", {"model": "table", "dimension": 2})
    assert set(read_vectors(made_of.body, "r")) == {text_sha256(text) for text in VECTORS}
    assert vector_facts(made_of.body, "r").embedder == IDENTITY
    replayed = made("semantic", context(made_of.body))
    assert [replayed.answer(case) for case in given.cases] == texts
    assert [check.status for check in replayed.checks()] == ["kept"]


def test_a_model_is_asked_once_for_all_documents_and_queries() -> None:
    given = context()
    embedder = Table(VECTORS)
    live = EmbeddedTarget(given, corpus_of(given), Gathering(embedder))
    for case in given.cases:
        live.answer(case)
    assert [sorted(asked) for asked in embedder.asked] == [sorted(VECTORS)]


def test_queries_and_corpus_are_those_of_the_context() -> None:
    assert list(queries_of(context())) == ["Where is the house?", "What about nuts?"]
    corpus: Corpus = corpus_of(context())
    names: Sequence[str] = [one.id for one in corpus.documents()]
    assert sorted(names) == sorted(TEXTS)


def test_a_faulty_corpus_is_told_by_its_file() -> None:
    given = context()
    broken = TargetContext(cases=given.cases, provider=given.provider, files={"documents": ("documents.jsonl", b"{")})
    with pytest.raises(InputError, match=r"^documents\.jsonl:1"):
        made("keyword", broken)


def test_the_measures_of_a_suite_do_not_change_an_answer() -> None:
    one, other = (answered(made("bm25", context(measures=list(names)))) for names in (STANDARD, ["mrr"]))
    assert one == other
