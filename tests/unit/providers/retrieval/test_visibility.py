"""A search that does not see the corpus is told apart from one that does, whatever it finds."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from assay.providers.retrieval.bm25 import BM25
from assay.providers.retrieval.corpus import Corpus
from assay.providers.retrieval.hashing import HashEmbedder
from assay.providers.retrieval.keyword import Keyword
from assay.providers.retrieval.ranking import Ranking
from assay.providers.retrieval.retriever import Retriever
from assay.providers.retrieval.semantic import Semantic
from assay.providers.retrieval.trivial import Abstain, WholeCorpus
from assay.providers.retrieval.visibility import visible_corpus
from assay.suites.retrieval.cases import Document
from tests.unit.providers.retrieval.small_corpus import document

ROWS = [
    document(f"d{number}", f"The user owns {number} blue bicycles of kind no{number}.", day=number) for number in range(1, 9)
]
KINDS: dict[str, Callable[[Corpus], Retriever]] = {
    "semantic": lambda rows: Semantic(rows, HashEmbedder()),
    "keyword": Keyword,
    "bm25": BM25,
}


def checked(rows: list[Document], seen: Retriever) -> tuple[str, str]:
    found = visible_corpus(Corpus(rows), seen)
    assert found.name == "visible_corpus"
    return found.status, found.message


@pytest.mark.parametrize("kind", KINDS)
def test_a_search_over_the_whole_corpus_is_kept(kind: str) -> None:
    told = "8 rows by SQL, 8 in a full ranking, 0 unreadable, probe d8 at rank 1"
    assert checked(ROWS, KINDS[kind](Corpus(ROWS))) == ("kept", told)


@pytest.mark.parametrize("kind", KINDS)
def test_half_the_corpus_hidden_is_broken_also_where_the_probe_is_seen(kind: str) -> None:
    told = "8 rows by SQL, 4 in a full ranking, 0 unreadable, probe d8 at rank 1"
    assert checked(ROWS, KINDS[kind](Corpus(ROWS[4:]))) == ("broken", told)


@pytest.mark.parametrize("kind", KINDS)
def test_a_hidden_probe_is_broken(kind: str) -> None:
    status, message = checked(ROWS, KINDS[kind](Corpus(ROWS[:4])))
    assert (status, message) == ("broken", "8 rows by SQL, 4 in a full ranking, 0 unreadable, probe d8 not found")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("text", ["", "\ud800"])
def test_a_row_that_cannot_be_read_is_broken(kind: str, text: str) -> None:
    rows = [document("d0", text, day=20), *ROWS]
    told = "9 rows by SQL, 8 in a full ranking, 1 unreadable, probe d8 at rank 1"
    assert checked(rows, KINDS[kind](Corpus(rows))) == ("broken", told)


@pytest.mark.parametrize("kind", KINDS)
def test_a_probe_with_a_twin_is_no_fault(kind: str) -> None:
    rows = [document("a", ROWS[7].text, day=3), *ROWS]
    assert checked(rows, KINDS[kind](Corpus(rows)))[0] == "kept"


def test_an_empty_corpus_is_broken() -> None:
    assert checked([], BM25(Corpus([]))) == ("broken", "0 rows by SQL, 0 unreadable: there is no document to probe with")
    blank = [document("a", " ")]
    told = "1 rows by SQL, 1 unreadable: there is no document to probe with"
    assert checked(blank, BM25(Corpus(blank))) == ("broken", told)


def test_a_dead_tokenizer_is_broken() -> None:
    told = "8 rows by SQL, 8 in a full ranking, 0 unreadable, probe d8 not found"
    assert checked(ROWS, Keyword(Corpus(ROWS), lambda query: [])) == ("broken", told)


def test_rankings_that_answer_nothing_or_no_query_are_broken() -> None:
    assert checked(ROWS, Abstain())[0] == "broken"
    told = "8 rows by SQL, 8 in a full ranking, 0 unreadable, probe d8 at rank 8"
    assert checked(ROWS, WholeCorpus(Corpus(ROWS))) == ("broken", told)


def test_a_document_that_is_ranked_twice_counts_once() -> None:
    class Twice:
        ranks_all = True

        def search(self, query: str | None, content_type: str | None = None) -> Ranking:
            return tuple((name, 1.0) for name in ["d8", "d7", "d6", "d5"] * 2)

    assert checked(ROWS, Twice()) == ("broken", "8 rows by SQL, 4 in a full ranking, 0 unreadable, probe d8 at rank 1")


def test_an_unreadable_row_is_broken_also_where_a_search_ranks_it() -> None:
    rows = [*ROWS, document("blank", " ")]

    class Blind:
        ranks_all = True

        def search(self, query: str | None, content_type: str | None = None) -> Ranking:
            return tuple((row.id, 1.0) for row in [*reversed(ROWS), rows[-1]])

    assert checked(rows, Blind()) == ("broken", "9 rows by SQL, 9 in a full ranking, 1 unreadable, probe d8 at rank 1")
