"""Ranking measures as values: they print, parse, give one row per query and one mean over the rows.

Written as in ir_measures: `R@5`, `P@5`, `RR`, `RR@10`, `nDCG@10`, `AP`, `AP(rel=2)@100`, `Success@5`; `separation` is added.
Judgements and scores come in per query; each row goes out with its value or the reason why it has none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal, get_args

from assay.metrics import ranking
from assay.metrics.ranking import Ties
from assay.metrics.ranking_means import MISSING, Mean, QueryValue, mean_of

Name = Literal["R", "P", "RR", "nDCG", "AP", "Success", "separation"]
NAMES: tuple[Name, ...] = get_args(Name)
NEEDS_CUTOFF = frozenset({"R", "P", "Success"})
SPELLINGS: Mapping[str, Name] = {
    **{name.casefold(): name for name in NAMES},
    "recall": "R",
    "precision": "P",
    "mrr": "RR",
    "map": "AP",
}
"""How a measure's name may be written, in lower case; any case is read."""
TREC_EVAL: Mapping[str, Name] = {
    "recall_": "R",
    "P_": "P",
    "recip_rank": "RR",
    "ndcg": "nDCG",
    "ndcg_cut_": "nDCG",
    "map": "AP",
    "map_cut_": "AP",
    "success_": "Success",
}
"""What trec_eval calls them; the cutoff follows where a name ends in `_`."""
UNJUDGED = "not judged"
_WRITTEN = re.compile(r"([A-Za-z]+)(?:\(rel=([0-9]+)\))?(?:@([0-9]+))?")
_TREC_EVAL = re.compile(r"([A-Za-z_]+)([0-9]*)")


@dataclass(frozen=True)
class Formulas:
    """The functions that give one query's value, so that a self-test can put a wrong one in the place of any."""

    recall: Callable[[Sequence[str], Collection[str], int], float | None] = ranking.recall_at
    precision: Callable[[Sequence[str], Collection[str], int], float | None] = ranking.precision_at
    success: Callable[[Sequence[str], Collection[str], int], float | None] = ranking.success_at
    reciprocal_rank: Callable[[Sequence[str], Collection[str], int | None], float | None] = ranking.reciprocal_rank
    average_precision: Callable[[Sequence[str], Collection[str], int | None], float | None] = ranking.average_precision
    ndcg: Callable[[Sequence[str], Mapping[str, int | float], int | None], float | None] = ranking.ndcg_at
    separation: Callable[[Mapping[str, float], Collection[str]], float | None] = ranking.separation
    ranked: Callable[[Mapping[str, float], Ties], tuple[str, ...]] = ranking.ranked_by_score


STANDARD = Formulas()


@dataclass(frozen=True)
class RankingMeasure:
    """Which number: the name, down to which rank, and from which judgement on a document is relevant.

    Raises ValueError for a name, cutoff or judgement that does not go together.
    """

    name: Name
    k: int | None = None
    rel: int = 1

    def __post_init__(self) -> None:
        if self.name not in NAMES:
            raise ValueError(f"unknown measure {self.name!r}; expected one of {', '.join(NAMES)}")
        if self.k is None and self.name in NEEDS_CUTOFF:
            raise ValueError(f"{self.name} has no cutoff; expected one such as {self.name}@5")
        if self.k is not None and (self.name == "separation" or self.k < 1):
            wanted = "none: it looks at the full ranking" if self.name == "separation" else "1 or more"
            raise ValueError(f"{self.name} has the cutoff {self.k}; expected {wanted}")
        if self.rel < 1 or (self.rel > 1 and self.name == "nDCG"):
            raise ValueError(f"{self.name} with rel={self.rel}; expected 1 or more, and for nDCG, which takes every gain, none")

    def __str__(self) -> str:
        rel = f"(rel={self.rel})" if self.rel > 1 else ""
        return f"{self.name}{rel}" + (f"@{self.k}" if self.k else "")

    @classmethod
    def parse(cls, text: str) -> RankingMeasure:
        """The measure that `text` names, as `str` prints it or in plain words: `recall@5`, `mrr`, `map`.

        Raises ValueError with the known names, and the nearest, where there is no such measure.
        """
        found = _WRITTEN.fullmatch(text.strip())
        word, rel, k = found.groups() if found else (re.split(r"[(@]", text.strip())[0], None, None)
        if not found or word.casefold() not in SPELLINGS:
            raise ValueError(_unknown(text, word))
        return cls(SPELLINGS[word.casefold()], int(k) if k else None, int(rel) if rel else 1)

    @classmethod
    def from_trec_eval(cls, text: str, rel: int = 1) -> RankingMeasure | None:
        """The measure that trec_eval prints as `text`, such as `ndcg_cut_10`; None where it is none of ours."""
        found = _TREC_EVAL.fullmatch(text)
        if not found or found[1] not in TREC_EVAL or found[1].endswith("_") != bool(found[2]):
            return None
        name = TREC_EVAL[found[1]]
        return cls(name, int(found[2]) if found[2] else None, 1 if name == "nDCG" else rel)

    def row(
        self,
        query: str,
        gains: Mapping[str, int] | None,
        scores: Mapping[str, float] | None,
        *,
        ranked: Sequence[str] | None = None,
        formulas: Formulas = STANDARD,
    ) -> QueryValue:
        """What the measure makes of one query.

        Args:
            query: its id.
            gains: the judgement of each judged document; None where the query was not judged.
            scores: the score of each returned document; None where the run does not hold the query, which then counts 0.
            ranked: the ids of `scores` in order, where they are ordered already.
            formulas: the functions to use.
        """
        judged, answered = gains or {}, scores or {}
        order = formulas.ranked(answered, "id-ascending") if ranked is None else ranked
        value = self._value(judged, answered, order, formulas)
        if value is None:
            return QueryValue(query, None, self.why_undefined(gains, scores))
        return QueryValue(query, value, MISSING if scores is None else None)

    def relevant(self, gains: Mapping[str, int]) -> frozenset[str]:
        """The documents that this measure takes for relevant."""
        return frozenset(document for document, gain in gains.items() if gain >= self.rel)

    def why_undefined(self, gains: Mapping[str, int] | None, scores: Mapping[str, float] | None) -> str:
        """Why a query with these judgements and scores, None where there are none of it, has no value."""
        if gains is None:
            return UNJUDGED
        relevant = self.relevant(gains)
        if not relevant:
            return "no relevant document" if self.rel == 1 else f"no document is judged {self.rel} or more"
        if scores is None:
            return MISSING
        if self.name == "separation":
            return "no relevant document has a score" if relevant.isdisjoint(scores) else "every scored document is relevant"
        return "undefined"

    def aggregate(self, rows: Iterable[QueryValue]) -> Mean:
        """The mean of the rows that have a value, the same whatever their order."""
        return mean_of(rows)

    def _value(
        self, gains: Mapping[str, int], scores: Mapping[str, float], ranked: Sequence[str], formulas: Formulas
    ) -> float | None:
        if self.name == "nDCG":
            return formulas.ndcg(ranked, gains, self.k)
        relevant = self.relevant(gains)
        if self.name == "separation":
            return formulas.separation(scores, relevant)
        if self.name == "RR":
            return formulas.reciprocal_rank(ranked, relevant, self.k)
        if self.name == "AP":
            return formulas.average_precision(ranked, relevant, self.k)
        at_cutoff = {"R": formulas.recall, "P": formulas.precision, "Success": formulas.success}[self.name]
        return at_cutoff(ranked, relevant, self.k or 0)


def rows_of(
    measures: Iterable[RankingMeasure],
    qrels: Mapping[str, Mapping[str, int]],
    run: Mapping[str, Mapping[str, float]],
    *,
    ties: Ties = "id-ascending",
    formulas: Formulas = STANDARD,
) -> dict[RankingMeasure, tuple[QueryValue, ...]]:
    """Each measure's rows, one per query of `qrels` or `run`, in order of their ids; each query is ranked once.

    Raises ValueError for a score that is NaN or infinite. `assay.metrics.ranking_batch.evaluate` gives the same with numpy.
    """
    wanted = tuple(dict.fromkeys(measures))
    rows: dict[RankingMeasure, list[QueryValue]] = {measure: [] for measure in wanted}
    for query in sorted({*qrels, *run}):
        gains, scores = qrels.get(query), run.get(query)
        ranked = formulas.ranked(scores or {}, ties)
        for measure in wanted:
            rows[measure].append(measure.row(query, gains, scores, ranked=ranked, formulas=formulas))
    return {measure: tuple(found) for measure, found in rows.items()}


def _unknown(text: str, word: str) -> str:
    known = ", ".join(f"{name}@5" if name in NEEDS_CUTOFF else name for name in NAMES)
    also = "in plain words recall@5, precision@5, mrr, map; RR, nDCG and AP take a cutoff too, such as nDCG@10"
    close = get_close_matches(word.casefold(), SPELLINGS, n=1)
    remedy = f" Did you mean {close[0] + text.strip()[len(word) :]!r}?" if close else ""
    return f"unknown measure {text!r}; expected one of {known}, {also}.{remedy}"
