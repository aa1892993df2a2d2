"""audit: counts, near-duplicates, dangling ids, and whether paraphrases and distractors are what they are called."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from assay.metrics.distinctness import alike_pairs, effective_number
from assay.metrics.text import normalise
from assay.model.audit import Audit, Finding, Pair
from assay.suites.retrieval.cases import Document, Query, faults, load, parse, unknown_ids
from assay.suites.retrieval.options import AuditOptions, options_of

FILES = ("documents", "queries")
_WORDS = """
a about after all also an and any are as at be been but by can could did do does for from get give had has have he her
him his how i if in into is it its just like may me might more most much must my no nor not now of off on one or our out
over own per she should so some such than that the their them then there these they this those to too up us very was we
were what when where which while who whom whose why will with would you your yours
"""
STOP = frozenset(_WORDS.split())
"""Words that carry no topic."""
MIN_LENGTH = 3
ENDINGS = ("ing", "ed", "s")


def significant(text: str) -> frozenset[str]:
    """Runs of letters and digits, normalised, of at least three characters, without stop words and one plain ending."""
    words = re.findall(r"[^\W_]+", normalise(text))
    return frozenset(_without_ending(word) for word in words if len(word) >= MIN_LENGTH and word not in STOP)


def audit(files: Mapping[str, tuple[str, bytes]], options: Mapping[str, Any]) -> Audit:
    """The gold set on trial.

    Faults: ids that stand twice, dangling ids, documents alike over the limit, a live paraphrase that shares a significant
    token with an answer, an ordinary live query that shares none, counts other than those declared.
    """
    limits = options_of(options).audit
    documents, queries = parse(files)
    corpus, shown = files["documents"][0], files["queries"][0]
    wrong = faults(documents, queries, corpus, shown)
    if not wrong:
        wrong = unknown_ids(documents, load(files), shown, corpus)
    texts = {document.id: document.text for document in documents}
    alike = [
        Pair(a=a, b=b, similarity=s) for a, b, s in alike_pairs(texts, min(limits.review_band, limits.near_duplicate_limit))
    ]
    twins = tuple(pair for pair in alike if pair.similarity >= limits.near_duplicate_limit)
    return Audit(
        suite="",
        version="",
        cases=len(queries),
        effective_cases=round(effective_number({query.id: query.query for query in queries}, limits.review_band), 1),
        counts=_counts(documents, queries),
        near_duplicates=twins,
        review_band=tuple(pair for pair in alike if pair not in twins),
        faults=(
            *map(str, wrong),
            *(f"{p.a} and {p.b} are near-duplicates ({p.similarity:.2f})" for p in twins),
            *_overlaps(documents, queries, limits),
            *_declared(documents, queries, limits),
        ),
        findings=(_distractors(documents, queries),),
    )


def _without_ending(word: str) -> str:
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= MIN_LENGTH:
            return word.removesuffix(ending)
    return word


def _counts(documents: Sequence[Document], queries: Sequence[Query]) -> dict[str, dict[str, int]]:
    return {
        "documents": {"all": len(documents), **dict(sorted(Counter(d.content_type for d in documents).items()))},
        "queries": {"all": len(queries), **dict(sorted(Counter(q.grade for q in queries).items()))},
        "live queries": dict(sorted(Counter(q.style for q in queries if q.grade == "live").items())),
        "relevant documents": {str(n): times for n, times in sorted(Counter(len(q.relevant) for q in queries).items())},
    }


def _overlaps(documents: Sequence[Document], queries: Sequence[Query], limits: AuditOptions) -> Iterable[str]:
    """Queries that are not of the style that they are said to be; only where the gold set says how many paraphrases it has."""
    if limits.paraphrases is None:
        return
    tokens = {document.id: significant(document.text) for document in documents}
    for query in queries:
        asked = significant(query.query)
        shared = {name: sorted(asked & tokens.get(name, frozenset())) for name in query.relevant}
        overlap = {name: words for name, words in shared.items() if words}
        if query.style == "paraphrase" and overlap:
            name, words = next(iter(overlap.items()))
            yield f"{query.id} is no paraphrase: it shares {', '.join(words)} with {name}"
        elif query.grade == "live" and query.style == "ordinary" and not overlap:
            yield f"{query.id} is called ordinary and shares no significant token with any answer"


def _declared(documents: Sequence[Document], queries: Sequence[Query], limits: AuditOptions) -> Iterable[str]:
    counted = Counter(query.grade for query in queries)
    for grade, wanted in limits.grades.items():
        found = sum(times for name, times in counted.items() if name == grade)
        if found != wanted:
            yield f"{found} queries of grade {grade}; the suite declares {wanted}"
    paraphrases = sum(query.grade == "live" and query.style == "paraphrase" for query in queries)
    if limits.paraphrases and not limits.paraphrases[0] <= paraphrases <= limits.paraphrases[1]:
        yield f"{paraphrases} live paraphrases; the suite declares {limits.paraphrases[0]} to {limits.paraphrases[1]}"
    if limits.documents is not None and len(documents) != limits.documents:
        yield f"{len(documents)} documents; the suite declares {limits.documents}"


def _distractors(documents: Sequence[Document], queries: Sequence[Query]) -> Finding:
    """Documents that answer nothing, each with a query whose words it shares."""
    answers = {name for query in queries for name in query.relevant}
    asked = {query.id: significant(query.query) for query in queries}
    lines = []
    for document in documents:
        if document.id not in answers:
            tokens = significant(document.text)
            shared = [f"{name}: {', '.join(sorted(words & tokens))}" for name, words in asked.items() if words & tokens]
            lines.append(f"{document.id} shares {'; '.join(shared) or 'nothing with any query'}")
    return Finding(title=f"Documents that answer no query ({len(lines)})", lines=tuple(lines))
