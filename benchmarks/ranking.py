"""Recall@5, precision@5 and MRR of 10,000 queries with 100 documents each, beside libraries: `python benchmarks/ranking.py`.

The same dictionaries go to each library, the same arrays to numpy. One pass runs each once; the least of the passes counts.
Libraries that are not installed are named: `pip install pytrec-eval-terrier ir-measures ranx`.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import os
import random
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

sys.path.append(str(Path(__file__).resolve().parent.parent))

from assay.metrics.ranking_batch import Evaluation, evaluate, evaluate_arrays
from assay.metrics.ranking_measures import RankingMeasure

MEASURES = tuple(map(RankingMeasure.parse, ("R@5", "P@5", "RR")))
RETURNED, RELEVANT = 100, 4
"""Per query; one more relevant document is never returned, and five others are judged 0."""
DENSE = 0.3
"""The share of relevant documents in the second pair of arrays."""
TOLERANCE = 1e-6
PEERS = {"pytrec_eval": "pytrec_eval-terrier", "ir_measures": "ir-measures", "ranx": "ranx"}

Means = tuple[float, float, float]
Qrels = Mapping[str, Mapping[str, int]]
Run = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True)
class Contender:
    """What is timed, and with whom it must agree."""

    name: str
    group: str
    work: Callable[[], Means]


def main() -> int:
    """Print the table; 1 where a contender comes to other numbers."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--passes", type=int, default=7)
    options.add_argument("--queries", type=int, default=10_000)
    chosen = options.parse_args()
    contenders, missing = _contenders(chosen.queries)
    found = {each.name: each.work() for each in contenders}
    least = {each.name: (float("inf"), float("inf")) for each in contenders}
    for number in range(chosen.passes):
        first = number % len(contenders)
        for each in contenders[first:] + contenders[:first]:
            start, cpu = time.perf_counter(), time.process_time()
            each.work()
            wall, cpu = time.perf_counter() - start, time.process_time() - cpu
            least[each.name] = (min(least[each.name][0], wall), min(least[each.name][1], cpu))
    _show(contenders, found, least)
    for name in missing:
        print(f"{name}: not installed, not measured; pip install {PEERS[name]}")
    versions = [f"{PEERS[name]} {importlib.metadata.version(PEERS[name])}" for name in PEERS if name not in missing]
    print(f"{', '.join([*versions, f'numpy {np.__version__}'])}; Python {sys.version.split()[0]}")
    load = " ".join(f"{value:.2f}" for value in os.getloadavg())
    print(f"{chosen.passes} passes, {chosen.queries:,} queries; load average {load} on {os.cpu_count()} CPUs")
    return _disagreements(contenders, found)


def _contenders(queries: int) -> tuple[list[Contender], list[str]]:
    qrels, run = dictionaries(queries)
    missing = [name for name in PEERS if importlib.util.find_spec(name) is None]
    contenders = [Contender("assay", "dictionaries", lambda: _means(evaluate(MEASURES, qrels, run)))]
    for name, peers in {"pytrec_eval": _pytrec_eval, "ir_measures": _ir_measures, "ranx": _ranx}.items():
        if name not in missing:
            contenders += peers(qrels, run)
    for group, share in (("arrays, 5 % relevant", 0.05), ("arrays, 30 % relevant", DENSE)):
        scores, relevance = arrays(queries, share)
        contenders += _array_contenders(group, scores, relevance)
    return contenders, missing


def _array_contenders(group: str, scores: NDArray[np.float64], relevance: NDArray[np.int64]) -> list[Contender]:
    return [
        Contender(f"assay, {group}", group, lambda: _array_means(scores, relevance)),
        Contender(f"numpy, one expression, {group}", group, lambda: bare_expression(scores, relevance)),
        Contender(f"numpy, a loop over queries, {group}", group, lambda: bare_loop(scores, relevance)),
    ]


def dictionaries(queries: int) -> tuple[Qrels, Run]:
    """Judgements and a run; scores are distinct within a query and exact in 32 bits, so that nobody sees a tie."""
    chance = random.Random(0)  # noqa: S311  # test data, not a secret
    ids = [f"doc-{number:07d}" for number in range(RETURNED * 20)]
    scores = [number / 128 for number in range(RETURNED)]
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for number in range(queries):
        drawn = chance.sample(ids, RETURNED + 1)
        judged = chance.sample(drawn[:-1], RELEVANT + 5)
        gains = dict.fromkeys(judged[:RELEVANT], 1) | dict.fromkeys(judged[RELEVANT:], 0) | {drawn[-1]: 1}
        qrels[f"q{number}"] = gains
        run[f"q{number}"] = dict(zip(drawn[:-1], chance.sample(scores, RETURNED), strict=True))
    return qrels, run


def arrays(queries: int, share: float) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Scores, distinct within a row, and judgements of 0 or 1; every query has a relevant document."""
    chance = np.random.default_rng(0)
    scores = chance.permuted(np.tile(np.arange(RETURNED) / 128, (queries, 1)), axis=1)
    relevance = (chance.random((queries, RETURNED)) < share).astype(np.int64)
    relevance[:, 0] = 1
    return scores, relevance


def bare_expression(scores: NDArray[np.float64], relevance: NDArray[np.int64]) -> Means:
    """The shortest way in numpy, without rules for ties, missing or undefined."""
    ranked = np.take_along_axis(relevance, np.argsort(-scores, axis=1), axis=1) > 0
    hits = ranked[:, :5].sum(axis=1)
    recall, precision = hits / ranked.sum(axis=1), hits / 5
    return float(recall.mean()), float(precision.mean()), float((1 / (ranked.argmax(axis=1) + 1)).mean())


def bare_loop(scores: NDArray[np.float64], relevance: NDArray[np.int64]) -> Means:
    """The same, query by query."""
    rows = []
    for row, judged in zip(scores, relevance, strict=True):
        ranked = judged[np.argsort(-row)] > 0
        hits = ranked[:5].sum()
        rows.append((hits / ranked.sum(), hits / 5, 1 / (ranked.argmax() + 1)))
    recall, precision, rank = np.mean(rows, axis=0).tolist()
    return recall, precision, rank


def _means(found: Evaluation) -> Means:
    recall, precision, rank = (found.mean(measure).value or 0.0 for measure in MEASURES)
    return recall, precision, rank


def _array_means(scores: NDArray[np.float64], relevance: NDArray[np.int64]) -> Means:
    columns = evaluate_arrays(MEASURES, scores=scores, relevance=relevance)
    recall, precision, rank = (float(np.nanmean(columns[measure])) for measure in MEASURES)
    return recall, precision, rank


def _pytrec_eval(qrels: Qrels, run: Run) -> list[Contender]:
    import pytrec_eval

    names = ("recall_5", "P_5", "recip_rank")

    def built() -> object:
        return pytrec_eval.RelevanceEvaluator(qrels, {"recall.5", "P.5", "recip_rank"})

    def means(evaluator: object) -> Means:
        rows = evaluator.evaluate(run)  # type: ignore[attr-defined]  # ships no types
        recall, precision, rank = (sum(row[name] for row in rows.values()) / len(rows) for name in names)
        return recall, precision, rank

    ready = built()
    return [
        Contender("pytrec_eval", "dictionaries", lambda: means(built())),
        Contender("pytrec_eval, evaluator built before", "dictionaries", lambda: means(ready)),
    ]


def _ir_measures(qrels: Qrels, run: Run) -> list[Contender]:
    import ir_measures

    wanted = [ir_measures.parse_measure(str(measure)) for measure in MEASURES]

    def means() -> Means:
        found = ir_measures.calc_aggregate(wanted, qrels, run)
        recall, precision, rank = (found[measure] for measure in wanted)
        return recall, precision, rank

    return [Contender("ir_measures", "dictionaries", means)]


def _ranx(qrels: Qrels, run: Run) -> list[Contender]:
    import ranx

    names = ["recall@5", "precision@5", "mrr"]

    def means(judged: object, answered: object) -> Means:
        found = ranx.evaluate(judged, answered, names)
        return found["recall@5"], found["precision@5"], found["mrr"]

    ready = ranx.Qrels(qrels), ranx.Run(run)
    return [
        Contender("ranx", "dictionaries", lambda: means(ranx.Qrels(qrels), ranx.Run(run))),
        Contender("ranx, its objects built before", "dictionaries", lambda: means(*ready)),
    ]


def _show(contenders: Sequence[Contender], found: Mapping[str, Means], least: Mapping[str, tuple[float, float]]) -> None:
    own = {each.group: least[each.name] for each in reversed(contenders) if each.name.startswith("assay")}
    print(f"{'':46}{'wall ms':>9}{'CPU ms':>9}{'wall/ours':>11}{'CPU/ours':>10}   recall@5 precision@5      MRR")
    for each in contenders:
        (wall, cpu), (own_wall, own_cpu) = least[each.name], own[each.group]
        times = f"{wall * 1e3:9.1f}{cpu * 1e3:9.1f}{wall / own_wall:11.2f}{cpu / own_cpu:10.2f}"
        recall, precision, rank = found[each.name]
        print(f"{each.name:46}{times}   {recall:8.6f} {precision:11.6f} {rank:8.6f}")


def _disagreements(contenders: Sequence[Contender], found: Mapping[str, Means]) -> int:
    """1 where a contender comes to other numbers than the first of its group."""
    first = {each.group: found[each.name] for each in reversed(contenders)}
    wrong = [each.name for each in contenders if not np.allclose(found[each.name], first[each.group], rtol=0, atol=TOLERANCE)]
    for name in wrong:
        print(f"{name}: other numbers than assay")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
