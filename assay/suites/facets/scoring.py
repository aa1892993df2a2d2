"""score: the facets of a task against its answer, and what that counts for."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import JsonValue, ValidationError

from assay.model.exchange import Failure, Outcome, Reply
from assay.model.gold import GoldCase
from assay.model.score import CaseScore, CaseStatus, Measure, Ratio
from assay.suites.facets.answers import TaskAnswer
from assay.suites.facets.cases import texts_of
from assay.suites.facets.finding import NORMALISER, found_among

FILES: tuple[str, ...] = ()
TEXT_NORMALISER = NORMALISER
GROUPS = {
    "live": ("", "tasks"),
    "bundled": ("bundled_", "bundled tasks"),
    "degraded": ("degraded_", "tasks with disturbed providers"),
}
"""By group: how the names of its measures begin, and what they average over."""
AVERAGED = {
    "facet_recall": "with expected facets",
    "mean_weighted_score": "with a J",
    "constraints_met_rate": "that tell of constraints",
    "throttle_events": "with an answer",
    "forbidden_facets_absent": "with forbidden facets",
    "events_as_expected": "",
}
"""By measure: which tasks of a group it averages over."""
OF_ANY_SYSTEM = frozenset({"facet_recall", "mean_weighted_score", "constraints_met_rate", "throttle_events"})
"""What a package's own evaluation measures; its scenarios expect nothing else."""
REALS = frozenset({"mean_weighted_score", "throttle_events"})
"""What may be any number; the rest are shares."""
SHOWN = 400
LEFT_OUT = {
    "bundled": "a task of the package's own scenarios, whose means stand apart",
    "degraded": "a task with disturbed providers, whose means stand apart",
}


def _share(facets: Sequence[str], found: Sequence[str]) -> float | None:
    return len(found) / len(facets) if facets else None


def _absent(forbidden: Sequence[str], found: Sequence[str]) -> float | None:
    return 1 - len(found) / len(forbidden) if forbidden else None


def _events(answer: TaskAnswer) -> list[str]:
    return [event.told for event in answer.events]


@dataclass(frozen=True)
class Formulas:
    """The functions that give one task's values, so that a self-test can put a wrong one in the place of any."""

    found: Callable[[Sequence[str], Iterable[str]], list[str]] = found_among
    """(facets, texts) -> those that are found."""
    recall: Callable[[Sequence[str], Sequence[str]], float | None] = _share
    """(facets, those found) -> a share; None without facets."""
    absent: Callable[[Sequence[str], Sequence[str]], float | None] = _absent
    """(forbidden facets, those found) -> a share; None without forbidden facets."""
    events: Callable[[TaskAnswer], list[str]] = _events
    """The throttle and error events, as `<provider>: <kinds>`."""


STANDARD = Formulas()


def measures(options: Mapping[str, JsonValue]) -> Mapping[str, Measure]:
    """Every measure, over each group of tasks."""
    found: dict[str, Measure] = {}
    for group, (prefix, tasks) in GROUPS.items():
        found |= {
            f"{prefix}{name}": _measure(f"{prefix}{name}", f"{tasks} {of}".strip())
            for name, of in AVERAGED.items()
            if group != "bundled" or name in OF_ANY_SYSTEM
        }
    return found


def scorer(
    files: Mapping[str, tuple[str, bytes]], options: Mapping[str, JsonValue]
) -> Callable[[GoldCase, Sequence[Outcome]], CaseScore]:
    """The kind's rule for one task."""
    return score_case


def score_case(case: GoldCase, outcomes: Sequence[Outcome], formulas: Formulas = STANDARD) -> CaseScore:
    """One task's row, whatever came back for it.

    No answer, or one that cannot be read, counts 0 for facets and events; its J, constraints and events are unknown and leave
    their means, which then have a smaller n. `score` is the recall, of a task without expected facets the share of forbidden
    ones that are absent.
    """
    status, reason, answer = _read(outcomes)
    facets, forbidden, expected = (texts_of(case, key) for key in ("facets", "forbidden_facets", "events"))
    group = str(case.input["group"])
    texts = answer.texts if answer else ()
    found, wrong = formulas.found(facets, texts), formulas.found(forbidden, texts)
    recall, absent = formulas.recall(facets, found), formulas.absent(forbidden, wrong) if answer else _failed(forbidden)
    events = formulas.events(answer) if answer else []
    is_as_expected = answer is not None and events == expected
    values = {
        "facet_recall": recall,
        "forbidden_facets_absent": absent,
        "events_as_expected": int(is_as_expected),
        "mean_weighted_score": answer.weighted_score if answer else None,
        "constraints_met_rate": int(answer.constraints_met) if answer and answer.constraints_met is not None else None,
        "throttle_events": float(len(events)) if answer else None,
    }
    score = recall if recall is not None else absent
    return CaseScore(
        case_id=case.id,
        status=status,
        passed=answer is not None and recall in {None, 1.0} and absent in {None, 1.0} and is_as_expected,
        score=round(score or 0.0, 12),
        counts=_counts(GROUPS[group][0], values),
        reason=reason,
        detail=_detail(case, answer, found, wrong, events),
        left_out=LEFT_OUT.get(group),
    )


def _measure(name: str, of: str) -> Measure:
    kind = next(kind for kind in AVERAGED if name.endswith(kind))
    values: Literal["shares", "reals"] = "reals" if kind in REALS else "shares"
    ratio = Ratio(numerator=name, denominator=f"{name} of", of=of, values=values)
    return Measure(ratios=(ratio,), direction="lower" if kind == "throttle_events" else "higher")


def _failed(forbidden: Sequence[str]) -> float | None:
    return 0.0 if forbidden else None


def _counts(prefix: str, values: Mapping[str, float | None]) -> dict[str, int | float]:
    counts: dict[str, int | float] = {}
    for name, value in values.items():
        if value is not None:
            counts |= {f"{prefix}{name}": value, f"{prefix}{name} of": 1}
            counts |= {f"{prefix}{name}_squared": value**2} if name in REALS else {}
    return counts


def _read(outcomes: Sequence[Outcome]) -> tuple[CaseStatus, str | None, TaskAnswer | None]:
    """How the task fared, why if not plainly, and the answer."""
    if not outcomes:
        return "missing", "no answer", None
    outcome = outcomes[0]
    if isinstance(outcome, Failure):
        return "unanswered", f"no answer: {outcome.reason}", None
    return _parsed(outcome)


def _parsed(reply: Reply) -> tuple[CaseStatus, str | None, TaskAnswer | None]:
    try:
        return "scored", None, TaskAnswer.model_validate(json.loads(reply.text))
    except ValidationError as error:
        fault = error.errors(include_url=False, include_context=False, include_input=False)[0]
        return "malformed", f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}", None
    except ValueError as error:
        return "malformed", f"is not JSON ({error})", None


def _detail(
    case: GoldCase, answer: TaskAnswer | None, found: Sequence[str], wrong: Sequence[str], events: Sequence[str]
) -> dict[str, Any]:
    missing = [facet for facet in texts_of(case, "facets") if facet not in found]
    expected = texts_of(case, "events")
    told = [f"{facet!r} is in neither the answer nor any response" for facet in missing]
    told += [f"{facet!r} is forbidden and found" for facet in wrong]
    if list(events) != expected:
        told.append(f"events {list(events)} instead of {expected}")
    return {"expected": dict(case.expected), "predicted": answer.answer[:SHOWN] if answer else None, "difference": told}
