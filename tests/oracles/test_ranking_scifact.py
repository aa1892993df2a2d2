"""SciFact, 300 queries over 5,183 documents, ranked by a plain BM25: each number against a second implementation.

The second implementation is written from the definitions, another way round than the product: over positions of a sorted list,
without numpy. Where pytrec_eval is installed it is the third. The figures beside the data bound what BM25 comes to.
"""

from __future__ import annotations

import gzip
import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import chain
from pathlib import Path

import numpy as np
import pytest

from assay.metrics.ranking_batch import evaluate
from assay.metrics.ranking_measures import RankingMeasure, rows_of
from assay.stores.trec import read_qrels

DATA = Path(__file__).parents[2].parent / "shared" / "data" / "scifact"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="SciFact is not beside the project (../shared/data)")

MEASURES = [RankingMeasure.parse(text) for text in ("R@5", "R@10", "R@100", "P@5", "RR", "nDCG@10", "nDCG", "AP", "Success@5")]
DEPTH = 100
"""How many documents of each query the run holds."""
K1, B = 0.9, 0.4
WORD = re.compile(r"\w+")
STOP_WORDS = (
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was "
    "will with"
)
SKIPPED = frozenset(STOP_WORDS.split())
Run = dict[str, dict[str, float]]
Qrels = dict[str, dict[str, int]]


@cache
def qrels() -> Qrels:
    return read_qrels(DATA / "qrels" / "test.tsv", "test.tsv")


@cache
def corpus() -> dict[str, str]:
    return dict(texts(gzip.decompress((DATA / "corpus.jsonl.gz").read_bytes()).decode()))


@cache
def claims() -> dict[str, str]:
    return dict(texts((DATA / "queries.jsonl").read_text(encoding="utf-8")))


@cache
def run() -> Run:
    """The first documents of each query by BM25 (S. Robertson, H. Zaragoza, 2009); scores fit in trec_eval's 32 bits."""
    queries = {query: words(claims()[query]) for query in qrels()}
    asked = frozenset(chain.from_iterable(queries.values()))
    ids = list(corpus())
    lengths = np.zeros(len(ids))
    postings: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for place, text in enumerate(corpus().values()):
        said = words(text)
        lengths[place] = len(said)
        for word, often in Counter(word for word in said if word in asked).items():
            postings[word].append((place, often))
    found: Run = {}
    for query, wanted in queries.items():
        scores = np.zeros(len(ids))
        for word in wanted:
            if word in postings:
                places, often = np.array(postings[word]).T
                weight = math.log(1 + (len(ids) - len(places) + 0.5) / (len(places) + 0.5))
                scores[places] += weight * often / (often + K1 * (1 - B + B * lengths[places] / lengths.mean()))
        best = np.argsort(-scores)[:DEPTH].tolist()
        found[query] = {ids[place]: float(np.float32(scores[place])) for place in best}
    return found


def texts(lines: str) -> Iterator[tuple[str, str]]:
    for line in lines.splitlines():
        row = json.loads(line)
        yield row["_id"], f"{row.get('title', '')} {row['text']}"


def words(text: str) -> list[str]:
    return [word for word in WORD.findall(text.lower()) if word not in SKIPPED]


def second(judged: Mapping[str, int], scores: Mapping[str, float]) -> dict[str, float]:
    """All measures of one query, from the places of the relevant documents in the sorted list, counted from 0."""
    ids = [document for _, document in sorted((-score, document) for document, score in scores.items())]
    wanted = [document for document, gain in judged.items() if gain == 1]
    places = sorted(ids.index(document) for document in wanted if document in ids)

    def dcg(at: list[int]) -> float:
        return sum(math.log(2) / math.log(place + 2) for place in at)

    def upto(k: int) -> list[int]:
        return [place for place in places if place < k]

    best = list(range(len(wanted)))
    return {
        **{f"R@{k}": len(upto(k)) / len(wanted) for k in (5, 10, 100)},
        "P@5": len(upto(5)) / 5,
        "RR": 1 / (1 + places[0]) if places else 0.0,
        "nDCG@10": dcg(upto(10)) / dcg(best[:10]),
        "nDCG": dcg(places) / dcg(best),
        "AP": sum((n + 1) / (place + 1) for n, place in enumerate(places)) / len(wanted),
        "Success@5": 1.0 if upto(5) else 0.0,
    }


def test_every_query_has_the_value_of_the_second_implementation() -> None:
    rows = rows_of(MEASURES, qrels(), run())
    oracle = {query: second(judged, run()[query]) for query, judged in qrels().items()}
    for measure in MEASURES:
        found = {row.query: row.value for row in rows[measure]}
        assert found == pytest.approx({query: values[str(measure)] for query, values in oracle.items()}, abs=1e-12)
    assert len(oracle) == 300


def test_every_mean_has_the_value_of_the_second_implementation() -> None:
    found = evaluate(MEASURES, qrels(), run())
    oracle = [second(judged, run()[query]) for query, judged in qrels().items()]
    means = {str(measure): found.mean(measure) for measure in MEASURES}
    assert {mean.n for mean in means.values()} == {300}
    assert {name: mean.value for name, mean in means.items()} == pytest.approx(
        {name: sum(row[name] for row in oracle) / len(oracle) for name in means}, abs=1e-12
    )


def test_batch_gives_the_rows_of_the_plain_functions() -> None:
    found = evaluate(MEASURES, qrels(), run())
    assert {measure: found.rows(measure) for measure in MEASURES} == rows_of(MEASURES, qrels(), run())


def test_every_query_has_the_value_of_pytrec_eval() -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval", reason="pytrec_eval is not installed (pytrec-eval-terrier)")
    names = {"recall.5,10,100", "P.5", "recip_rank", "ndcg_cut.10", "ndcg", "map", "success.5"}
    oracle = pytrec_eval.RelevanceEvaluator(qrels(), names).evaluate(run())
    found = evaluate(MEASURES, qrels(), run(), ties="trec_eval")
    theirs = {RankingMeasure.from_trec_eval(name): name for name in next(iter(oracle.values()))}
    for measure in MEASURES:
        values = {row.query: row.value for row in found.rows(measure)}
        assert values == pytest.approx({query: row[theirs[measure]] for query, row in oracle.items()}, abs=1e-9)


def test_bm25_without_a_stemmer_comes_near_the_figures_beside_the_data() -> None:
    found = evaluate(MEASURES, qrels(), run())
    for text, stemmed in figures("bm25s").items():
        value = found.mean(RankingMeasure.parse(text)).value
        assert value is not None
        # A stemmer is worth one to five points here; this BM25 has none.
        assert 0 < stemmed - value < 0.05


def test_bm25s_with_a_stemmer_comes_to_the_figures_beside_the_data() -> None:
    bm25s = pytest.importorskip("bm25s", reason="bm25s is not installed")
    stemmer = pytest.importorskip("Stemmer", reason="PyStemmer is not installed").Stemmer("porter")
    options = {"stopwords": STOP_WORDS.split(), "stemmer": stemmer, "token_pattern": WORD.pattern, "show_progress": False}
    index = bm25s.BM25(method="lucene", k1=K1, b=B)
    index.index(bm25s.tokenize(list(corpus().values()), **options), show_progress=False)
    asked = bm25s.tokenize([claims()[query] for query in qrels()], **options)
    places, scores = index.retrieve(asked, k=DEPTH, show_progress=False)
    ids = list(corpus())
    answers = {
        query: {ids[place]: float(score) for place, score in zip(*answer, strict=True)}
        for query, *answer in zip(qrels(), places, scores, strict=True)
    }
    found = evaluate(MEASURES, qrels(), answers)
    means = {text: found.mean(RankingMeasure.parse(text)).value for text in figures("bm25s")}
    assert {text: round(value or 0.0, 4) for text, value in means.items()} == figures("bm25s")


def figures(model: str) -> dict[str, float]:
    """What stands beside the data for a model, by the names of our measures."""
    measured = json.loads((DATA / "expected.json").read_text())["measured_here"]
    (row,) = (row for name, row in measured.items() if name.startswith(model))
    return {str(RankingMeasure.parse(name)): value for name, value in row.items()}
