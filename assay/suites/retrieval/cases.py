"""load: queries with the documents that answer them, and the corpus they are asked of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from assay.errors import Problem, nearest
from assay.model.base import Frozen
from assay.model.gold import GoldCase
from assay.reading import raise_all, records

REQUIRED_FILES = ("documents", "queries")
TARGET_FILES = ("documents",)
Grade = Literal["live", "known_failure", "no_answer", "retired"]
"""`live` queries make the means. A known failure is kept to be seen, a retired query as a guard, each outside the means.
One that nothing answers is judged by its top score."""
Style = Literal["paraphrase", "ordinary"]


def _zoned(text: str) -> str:
    if datetime.fromisoformat(text).tzinfo is None:
        raise ValueError("the time has no zone")
    return text


class Document(Frozen):
    """One row of the corpus. Its text may be blank or broken, as in production: a corpus counts such rows as unreadable."""

    id: str = Field(min_length=1)
    content_type: str = Field(min_length=1)
    text: str
    created_at: Annotated[str, AfterValidator(_zoned)]
    """ISO 8601 with its zone."""


class Query(Frozen):
    """One question to the corpus, and what answers it."""

    id: str = Field(min_length=1)
    query: str = Field(pattern=r"\S")
    grade: Grade = "live"
    style: Style = "ordinary"
    relevant: tuple[str, ...]
    note: str = ""
    """Why these documents answer it and others do not."""


def load(files: Mapping[str, tuple[str, bytes]]) -> list[GoldCase]:
    """One case per query. Raises InputError with every fault of both files.

    A document id that the corpus lacks is no fault here: the calibration knows whether the corpus is the one that was
    measured.
    """
    documents, queries = parse(files)
    found = faults(documents, queries, files["documents"][0], files["queries"][0])
    raise_all(found, files["queries"][0])
    return [
        GoldCase(
            id=query.id,
            input={"query": query.query, "grade": query.grade, "style": query.style},
            expected={"relevant": list(query.relevant)},
            strata=(query.grade, query.style),
        )
        for query in queries
    ]


def parse(files: Mapping[str, tuple[str, bytes]]) -> tuple[list[Document], list[Query]]:
    """Both files, each row valid by itself. Raises InputError."""
    documents, queries = files["documents"], files["queries"]
    return records(documents[1], documents[0], Document), records(queries[1], queries[0], Query)


def faults(documents: Sequence[Document], queries: Sequence[Query], corpus: str, shown: str) -> list[Problem]:
    """What is wrong between rows: an empty corpus, ids that stand twice, a query whose grade and answers disagree."""
    found = [] if documents else [Problem(corpus, "holds no document", expected="at least one")]
    for where, ids in ((corpus, [d.id for d in documents]), (shown, [q.id for q in queries])):
        found += [Problem(where, "the id stands twice", name) for name, times in Counter(ids).items() if times > 1]
    for query in queries:
        where = f"{shown}: {query.id}"
        if len(set(query.relevant)) != len(query.relevant):
            found.append(Problem(where, "names a document twice", list(query.relevant), "each relevant id once"))
        if query.grade == "no_answer" and query.relevant:
            found.append(
                Problem(where, "is a no_answer query with relevant documents", expected="an empty list, or another grade")
            )
        elif query.grade != "no_answer" and not query.relevant:
            found.append(Problem(where, "expects nothing", expected="relevant ids, or the grade no_answer"))
    return found


def unknown_ids(documents: Sequence[Document], cases: Sequence[GoldCase], shown: str, corpus: str) -> list[Problem]:
    """The relevant ids that stand in no row of the corpus."""
    known = {document.id for document in documents}
    return [
        Problem(
            f"{shown}: {case.id}", "unknown document id", name, f"one of the {len(known)} ids in {corpus}", nearest(name, known)
        )
        for case in cases
        for name in relevant_of(case)
        if name not in known
    ]


def relevant_of(case: GoldCase) -> list[str]:
    """The ids that answer the query."""
    relevant = case.expected["relevant"]
    return [str(name) for name in relevant] if isinstance(relevant, list) else []
