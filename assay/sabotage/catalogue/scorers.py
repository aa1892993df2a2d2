"""Scorers that are wrong: each kind's own with one formula changed. The kind's self-test must notice every one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from pydantic import JsonValue

from assay.metrics.ranking_measures import STANDARD as RANKING
from assay.metrics.ranking_measures import Formulas as Ranked
from assay.model.exchange import Outcome
from assay.model.gold import GoldCase
from assay.model.score import CaseScore
from assay.model.transcript import Transcript
from assay.sabotage.defect import Defect, InParts
from assay.sabotage.parts import Parts, ScoreCase
from assay.suites.facets import scoring as facets
from assay.suites.facets import selftest as facets_paper
from assay.suites.orchestration import scoring as orchestration
from assay.suites.orchestration import selftest as orchestration_paper
from assay.suites.orchestration.rule_check import CouldNotRun, Judgement, Kept, judge
from assay.suites.orchestration.rule_file import rules_of
from assay.suites.orchestration.rules import Rule
from assay.suites.retrieval import scoring as retrieval
from assay.suites.retrieval import selftest as retrieval_paper
from assay.suites.retrieval.measures import named
from assay.suites.retrieval.options import options_of

SELF_TEST = ("self_test",)
Files = Mapping[str, tuple[str, bytes]]
Options = Mapping[str, JsonValue]
Names = Sequence[str]


def _as(value: float) -> Callable[[Callable[..., float | None]], Callable[..., float | None]]:
    """A formula with this number for what is undefined."""
    return lambda formula: lambda *given: value if (found := formula(*given)) is None else found


def _any_hit(ranked: Names, relevant: Collection[str], k: int) -> float | None:
    return float(bool(set(ranked[:k]) & set(relevant))) if relevant else None


def _over_returned(ranked: Names, relevant: Collection[str], k: int) -> float | None:
    top = ranked[:k]
    return len(set(top) & set(relevant)) / len(top) if top and relevant else None


def _from_zero(ranked: Names, relevant: Collection[str], k: int | None) -> float | None:
    """Ranks counted from 0, and the first one taken for 1."""
    places = [place for place, name in enumerate(ranked[:k] if k else ranked) if name in relevant]
    return None if not relevant else 1 / max(places[0], 1) if places else 0.0


def _beyond_cutoff(ranked: Names, relevant: Collection[str], k: int) -> float | None:
    return RANKING.recall(ranked, relevant, k + 1)


def _by_id_descending(scores: Mapping[str, float], ties: Any) -> tuple[str, ...]:  # noqa: ANN401  # how ties are broken
    return tuple(sorted(scores, key=lambda name: (scores[name], name), reverse=True))


RETRIEVAL: Mapping[str, Ranked] = {
    "recall of any hit is 1": replace(RANKING, recall=_any_hit),
    "recall one rank too deep": replace(RANKING, recall=_beyond_cutoff),
    "precision over what was returned": replace(RANKING, precision=_over_returned),
    "reciprocal rank off by one": replace(RANKING, reciprocal_rank=_from_zero),
    "undefined recall as 0": replace(RANKING, recall=_as(0.0)(RANKING.recall)),
    "undefined recall as 1": replace(RANKING, recall=_as(1.0)(RANKING.recall)),
    "undefined separation as 0": replace(RANKING, separation=_as(0.0)(RANKING.separation)),
    "separation turned round": replace(
        RANKING, separation=lambda scores, relevant: _minus(RANKING.separation(scores, relevant))
    ),
    "ties in favour of the last": replace(RANKING, ranked=_by_id_descending),
    "gains without discount": replace(RANKING, ndcg=lambda ranked, gains, k: RANKING.recall(ranked, set(gains), k or 9)),
}


def _minus(value: float | None) -> float | None:
    return None if value is None else -value


def _retrieval(name: str, formulas: Ranked) -> Defect:
    def scorer(files: Files, options: Options) -> ScoreCase:
        chosen = options_of(options)
        return partial(retrieval.score_case, named=named(chosen), top_k=chosen.top_k, formulas=formulas)

    return _defect(name, "retrieval", scorer, lambda: retrieval_paper.selftest(formulas))


def _always_found(wanted: Names, texts: Iterable[str]) -> list[str]:
    return list(wanted)


def _any_word(wanted: Names, texts: Iterable[str]) -> list[str]:
    """A facet is found where one of its words is."""
    told = " ".join(texts).casefold()
    return [facet for facet in wanted if any(word in told for word in facet.casefold().split())]


FACETS: Mapping[str, facets.Formulas] = {
    "every facet found": replace(facets.STANDARD, found=_always_found),
    "facet found by one word": replace(facets.STANDARD, found=_any_word),
    "recall of any facet is 1": replace(facets.STANDARD, recall=lambda wanted, got: float(bool(got)) if wanted else None),
    "undefined facet recall as 1": replace(facets.STANDARD, recall=_as(1.0)(facets.STANDARD.recall)),
    "undefined facet recall as 0": replace(facets.STANDARD, recall=_as(0.0)(facets.STANDARD.recall)),
    "forbidden facets overlooked": replace(facets.STANDARD, absent=lambda wanted, got: 1.0 if wanted else None),
    "events overlooked": replace(facets.STANDARD, events=lambda answer: []),
    "errors are no events": replace(
        facets.STANDARD, events=lambda answer: [told for told in facets.STANDARD.events(answer) if "error" not in told]
    ),
}


def _facets(name: str, formulas: facets.Formulas) -> Defect:
    def scorer(files: Files, options: Options) -> ScoreCase:
        return partial(facets.score_case, formulas=formulas)

    return _defect(name, "facets", scorer, lambda: facets_paper.selftest(formulas))


Judged = Callable[[Sequence[Rule], Transcript], tuple[Judgement, ...]]


def _kept(rules: Sequence[Rule], run: Transcript) -> tuple[Judgement, ...]:
    return tuple(Kept(rule=rule.name, vacuous=False) for rule in rules)


def _doubt_is_kept(rules: Sequence[Rule], run: Transcript) -> tuple[Judgement, ...]:
    found = judge(rules, run)
    return tuple(Kept(rule=one.rule, vacuous=False) if isinstance(one, CouldNotRun) else one for one in found)


def _first_half(rules: Sequence[Rule], run: Transcript) -> tuple[Judgement, ...]:
    return judge(rules, run.model_copy(update={"events": run.events[: len(run.events) // 2]}))


def _without_refusals(rules: Sequence[Rule], run: Transcript) -> tuple[Judgement, ...]:
    kept = tuple(event for event in run.events if event.kind != "refused")
    return judge(rules, run.model_copy(update={"events": kept}))


def _last_rule_alone(rules: Sequence[Rule], run: Transcript) -> tuple[Judgement, ...]:
    return judge(rules[-1:], run)


RULES: Mapping[str, Judged] = {
    "every rule kept": _kept,
    "a rule that could not run is kept": _doubt_is_kept,
    "half of every run looked at": _first_half,
    "refusals overlooked": _without_refusals,
    "only the last rule looked at": _last_rule_alone,
}


def _orchestration(name: str, judged: Judged) -> Defect:
    def scorer(files: Files, options: Options) -> ScoreCase:
        where, data = files["rules"]
        return partial(orchestration.score_case, common=rules_of(data, where), judged=judged)

    return _defect(name, "orchestration", scorer, lambda: orchestration_paper.selftest(judged))


def _defect(name: str, kind: str, scorer: Callable[[Files, Options], ScoreCase], paper: Callable[[], Sequence[Any]]) -> Defect:
    def changed(parts: Parts) -> Parts:
        return replace(parts, scorer=scorer, selftest=paper)

    return Defect(name, "scorer", InParts(changed), SELF_TEST, frozenset({kind}))


def rescored(score: ScoreCase, change: Callable[[CaseScore, Sequence[Outcome]], CaseScore]) -> ScoreCase:
    """A rule for one case with its row changed."""

    def scored(case: GoldCase, outcomes: Sequence[Outcome]) -> CaseScore:
        return change(score(case, outcomes), outcomes)

    return scored


DEFECTS: tuple[Defect, ...] = (
    *(_retrieval(name, formulas) for name, formulas in RETRIEVAL.items()),
    *(_facets(name, formulas) for name, formulas in FACETS.items()),
    *(_orchestration(name, judged) for name, judged in RULES.items()),
)
