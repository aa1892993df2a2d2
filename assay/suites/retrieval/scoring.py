"""score: a ranking against the documents that answer the query, and what that counts for."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import Field, JsonValue, ValidationError

from assay.metrics.ranking_measures import STANDARD, Formulas, RankingMeasure
from assay.model.base import Frozen
from assay.model.exchange import Failure, Outcome, Reply
from assay.model.gold import GoldCase
from assay.model.score import CaseScore, CaseStatus, Measure, Ratio
from assay.suites.retrieval.cases import relevant_of
from assay.suites.retrieval.measures import named as named_by
from assay.suites.retrieval.options import options_of

FILES: tuple[str, ...] = ()
TEXT_NORMALISER = None
TOP_SCORE = "no_answer_top_score"
LEFT_OUT = {
    "known_failure": "a known failure, kept to be seen",
    "no_answer": "nothing answers it: judged by its top score",
    "retired": "a retired query, kept as a guard",
}
"""Why a query of this grade is in no mean."""
SHOWN = 10


class RankingReply(Frozen):
    """What a retriever answers: ids with their scores, best first."""

    ranking: tuple[tuple[str, float], ...]
    is_cut: bool = False
    """Whether the ranking goes on beyond what is here."""
    documents: int = Field(0, ge=0)


def measures(options: Mapping[str, JsonValue]) -> Mapping[str, Measure]:
    """Every measure of the suite over its live queries, and those of the queries outside the means."""
    named, found = named_by(options_of(options)), dict[str, Measure]()
    for name, measure in named.items():
        values = "reals" if measure.name == "separation" else "shares"
        found[name] = Measure(
            ratios=(Ratio(numerator=name, denominator=f"{name} of", of="live queries with a value", values=values),)
        )
    top_k = options_of(options).top_k
    found[TOP_SCORE] = Measure(
        ratios=(Ratio(numerator=TOP_SCORE, denominator=f"{TOP_SCORE} of", of="queries without an answer", values="reals"),),
        direction="lower",
    )
    for grade, of in (("known_failure", "known failures"), ("retired", "retired queries")):
        name = f"{grade}_recall@{top_k}"
        found[name] = Measure(ratios=(Ratio(numerator=name, denominator=f"{name} of", of=of, values="shares"),))
    return found


def scorer(
    files: Mapping[str, tuple[str, bytes]], options: Mapping[str, JsonValue]
) -> Callable[[GoldCase, Sequence[Outcome]], CaseScore]:
    """The kind's rule for one query."""
    chosen = options_of(options)
    named, top_k = named_by(chosen), chosen.top_k

    def scored(case: GoldCase, outcomes: Sequence[Outcome]) -> CaseScore:
        return score_case(case, outcomes, named, top_k)

    return scored


def score_case(
    case: GoldCase, outcomes: Sequence[Outcome], named: Mapping[str, RankingMeasure], top_k: int, formulas: Formulas = STANDARD
) -> CaseScore:
    """One query's row, whatever came back for it.

    No ranking at all, or one that cannot be read, counts 0 in every mean, and says so. A query outside the means (see
    `LEFT_OUT`) adds to a measure of its own. `score` is recall@k; of a query without an answer, 1 minus its top score.
    """
    status, reason, reply = _read(outcomes)
    relevant, grade = relevant_of(case), str(case.input["grade"])
    gains = dict.fromkeys(relevant, 1)
    scores = {name: -float(place) for place, (name, _) in enumerate(reply.ranking)} if reply else {}
    order = tuple(scores)
    recall = RankingMeasure("R", top_k).row(case.id, gains, scores, ranked=order, formulas=formulas).value
    top = max((score for _, score in reply.ranking), default=0.0) if reply else 0.0
    counts: dict[str, int | float] = {}
    if grade == "live":
        for name, measure in named.items():
            given = dict(reply.ranking) if reply else {}
            if measure.name == "separation" and reply and reply.is_cut:
                continue
            value = measure.row(case.id, gains, given, ranked=order, formulas=formulas).value
            if value is None and measure.name == "separation" and status != "scored":
                value = 0.0
            if value is not None:
                counts |= _counted(name, value, squared=measure.name == "separation")
    elif grade == "no_answer":
        counts = _counted(TOP_SCORE, top, squared=True) if reply else {}
    else:
        counts = _counted(f"{grade}_recall@{top_k}", recall or 0.0, squared=False)
    score = 1 - min(max(top, 0.0), 1.0) if grade == "no_answer" and reply else recall or 0.0
    return CaseScore(
        case_id=case.id,
        status=status,
        passed=reply is not None and (grade == "no_answer" or recall == 1),
        score=round(score, 12),
        counts=counts,
        reason=reason,
        detail=_detail(relevant, reply, top_k),
        left_out=LEFT_OUT.get(grade),
    )


def _counted(name: str, value: float, *, squared: bool) -> dict[str, int | float]:
    counts: dict[str, int | float] = {name: float(value), f"{name} of": 1}
    return counts | ({f"{name}_squared": float(value) ** 2} if squared else {})


def _read(outcomes: Sequence[Outcome]) -> tuple[CaseStatus, str | None, RankingReply | None]:
    """How the query fared, why if not plainly, and the ranking."""
    if not outcomes:
        return "missing", "no recorded ranking", None
    outcome = outcomes[0]
    if isinstance(outcome, Failure):
        return "unanswered", f"no answer: {outcome.reason}", None
    return _parsed(outcome)


def _parsed(reply: Reply) -> tuple[CaseStatus, str | None, RankingReply | None]:
    try:
        found = RankingReply.model_validate(json.loads(reply.text))
    except ValidationError as error:
        fault = error.errors(include_url=False, include_context=False, include_input=False)[0]
        return "malformed", f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}", None
    except ValueError as error:
        return "malformed", f"is not JSON ({error})", None
    twice = len(found.ranking) - len({name for name, _ in found.ranking})
    if twice:
        return "malformed", f"{twice} documents stand twice in the ranking", None
    return "scored", None, found


def _detail(relevant: Sequence[str], reply: RankingReply | None, top_k: int) -> dict[str, Any]:
    ranking = reply.ranking if reply else ()
    places = {name: place for place, (name, _) in enumerate(ranking, start=1)}
    missed = [name for name in relevant if places.get(name, top_k + 1) > top_k]
    return {
        "expected": list(relevant),
        "predicted": [[name, score] for name, score in ranking[:SHOWN]],
        "difference": [
            f"{name} stands at rank {places[name]}" if name in places else f"{name} is not in the ranking" for name in missed
        ],
    }
