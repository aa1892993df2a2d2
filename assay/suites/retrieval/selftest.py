"""score: the ranking measures on trial. Every expectation is arithmetic on the ranking below, done on paper.

rank      1    2    3    4    5    6
document  a    b    c    d    e    f        relevant: b, e, f
score    .9   .8   .5   .5   .4   .1
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log2

from assay.metrics.ranking_measures import STANDARD, Formulas
from assay.model.exchange import Failure, Outcome, Reply
from assay.model.gold import GoldCase
from assay.model.selftest import SelfCheck
from assay.suites.retrieval.measures import named
from assay.suites.retrieval.options import Options
from assay.suites.retrieval.scoring import RankingReply, score_case

RANKED = ("a", "b", "c", "d", "e", "f")
SCORES = {"a": 0.9, "b": 0.8, "c": 0.5, "d": 0.5, "e": 0.4, "f": 0.1}
RELEVANT = frozenset({"b", "e", "f"})


def selftest(formulas: Formulas = STANDARD) -> Sequence[SelfCheck]:
    """What the formulas give beside what they must give."""
    f = formulas
    nothing: frozenset[str] = frozenset()
    tied = {"z": 0.5, "a": 0.5, "m": 0.5}
    ideal = 1 + 1 / log2(3) + 1 / log2(4)
    return [
        SelfCheck("recall@5 finds b and e of three", 2 / 3, f.recall(RANKED, RELEVANT, 5)),
        SelfCheck("recall@1 finds none of three", 0.0, f.recall(RANKED, RELEVANT, 1)),
        SelfCheck("recall@6 finds all", 1.0, f.recall(RANKED, RELEVANT, 6)),
        SelfCheck("recall of no relevant document is undefined", None, f.recall(RANKED, nothing, 5)),
        SelfCheck("precision@5 has two of five", 0.4, f.precision(RANKED, RELEVANT, 5)),
        SelfCheck("precision@5 of two returned, one right, divides by five", 0.2, f.precision(("a", "b"), RELEVANT, 5)),
        SelfCheck("precision@2 of the same two divides by two", 0.5, f.precision(("a", "b"), RELEVANT, 2)),
        SelfCheck("precision of no relevant document is undefined", None, f.precision(RANKED, nothing, 5)),
        SelfCheck("success@1 is not reached", 0.0, f.success(RANKED, RELEVANT, 1)),
        SelfCheck("success@2 is reached", 1.0, f.success(RANKED, RELEVANT, 2)),
        SelfCheck("success of no relevant document is undefined", None, f.success(RANKED, nothing, 5)),
        SelfCheck("the first relevant document at rank 2 is worth 1/2", 0.5, f.reciprocal_rank(RANKED, RELEVANT, None)),
        SelfCheck("at rank 1 it is worth 1", 1.0, f.reciprocal_rank(RANKED, frozenset({"a"}), None)),
        SelfCheck("beyond the cutoff it is worth 0", 0.0, f.reciprocal_rank(RANKED, frozenset({"f"}), 5)),
        SelfCheck("the reciprocal rank of no relevant document is undefined", None, f.reciprocal_rank(RANKED, nothing, None)),
        SelfCheck(
            "average precision is (1/2 + 2/5 + 3/6) / 3", (0.5 + 0.4 + 0.5) / 3, f.average_precision(RANKED, RELEVANT, None)
        ),
        SelfCheck("what is not found costs average precision", 1 / 6, f.average_precision(("a", "b"), RELEVANT, None)),
        SelfCheck("average precision of no relevant document is undefined", None, f.average_precision(RANKED, nothing, None)),
        SelfCheck(
            "nDCG@5 discounts ranks 2 and 5", (1 / log2(3) + 1 / log2(6)) / ideal, f.ndcg(RANKED, dict.fromkeys(RELEVANT, 1), 5)
        ),
        SelfCheck("nDCG of the ideal order is 1", 1.0, f.ndcg(("b", "e", "f"), dict.fromkeys(RELEVANT, 1), 5)),
        SelfCheck("nDCG without a gain is undefined", None, f.ndcg(RANKED, {}, 5)),
        SelfCheck("separation is 1.3/3 - 1.9/3", 1.3 / 3 - 1.9 / 3, f.separation(SCORES, RELEVANT)),
        SelfCheck("constant scores separate to exactly 0", 0.0, f.separation(dict.fromkeys(RANKED, 0.1), RELEVANT)),
        SelfCheck("separation of no relevant document is undefined", None, f.separation(SCORES, nothing)),
        SelfCheck("equal scores stand by id: z is third", 1 / 3, _reciprocal(f.ranked(tied, "id-ascending"), "z")),
        *_of_cases(formulas),
    ]


def _of_cases(formulas: Formulas) -> list[SelfCheck]:
    """The same through the scoring of a case: what a missing or unreadable ranking counts for."""
    found = Reply(
        text=RankingReply(ranking=tuple(SCORES.items())).model_dump_json(),
        finish_reason=None,
        model_served=None,
        usage=None,
        latency_ms=None,
    )
    broken = found.model_copy(update={"text": '{"ranking": [["a", 0.9], ["a", 0.8]]}'})
    lost = Failure(reason="gone", attempts=1)
    return [
        SelfCheck("a case's recall@5", 2 / 3, _recall([found], formulas)),
        SelfCheck("a missing query counts 0", 0.0, _recall([], formulas)),
        SelfCheck("a failed query counts 0", 0.0, _recall([lost], formulas)),
        SelfCheck("a ranking with a document twice counts 0", 0.0, _recall([broken], formulas)),
        SelfCheck("a query outside the means counts in none", None, _recall([found], formulas, grade="retired")),
    ]


def _recall(outcomes: Sequence[Outcome], formulas: Formulas, grade: str = "live") -> float | None:
    case = GoldCase(id="q", input={"query": "?", "grade": grade}, expected={"relevant": sorted(RELEVANT)})
    counts = score_case(case, outcomes, named(Options()), 5, formulas).counts
    of = counts.get("recall@5 of", 0)
    return counts["recall@5"] / of if of else None


def _reciprocal(ranked: Sequence[str], name: str) -> float | None:
    return 1 / (ranked.index(name) + 1) if name in ranked else None
