"""score: each run's transcript against the rules of its case and of every case."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import Field, JsonValue, TypeAdapter, ValidationError

from assay.errors import InputError
from assay.metrics.passk import first_violation, pass_k
from assay.model.base import Frozen
from assay.model.exchange import Failure, Outcome
from assay.model.gold import GoldCase
from assay.model.score import CaseScore, CaseStatus, Measure, Ratio
from assay.model.transcript import Event, Transcript
from assay.reading import json_value, validated
from assay.suites.orchestration.rule_check import Broken, CouldNotRun, Judgement, Kept, judge
from assay.suites.orchestration.rule_file import own_rules, rules_of
from assay.suites.orchestration.rules import Rule

FILES = ("rules",)
TEXT_NORMALISER = None
EVENTS: TypeAdapter[tuple[Event, ...]] = TypeAdapter(tuple[Event, ...])
JUDGED = Callable[[Sequence[Rule], Transcript], tuple[Judgement, ...]]


class Options(Frozen):
    """`options` of an orchestration suite."""

    repeats: int = Field(1, ge=1, le=100, strict=True)
    """How often every case is run."""


def measures(options: Mapping[str, JsonValue]) -> Mapping[str, Measure]:
    """Cases passed, rules kept, where the first violation lies, and pass^k for every k up to the number of repeats."""
    repeats = validated(dict(options), "suite.yaml: options", Options).repeats
    return {
        "cases_passed": _share("passed", "cases", "cases"),
        "rules_kept": _share("rules_kept", "rules", "rules put to a run"),
        "rules_vacuous": _share("rules_vacuous", "rules", "rules put to a run", direction="lower"),
        "first_violation_position": Measure(
            ratios=(Ratio(numerator="violation", denominator="violations", of="runs that break a rule", values="reals"),),
            fixed_n=False,
        ),
        **{
            f"pass^{k}": Measure(ratios=(Ratio(numerator=f"pass^{k}", denominator="cases", of="cases", values="shares"),))
            for k in range(1, repeats + 1)
        },
    }


def scorer(
    files: Mapping[str, tuple[str, bytes]], options: Mapping[str, JsonValue]
) -> Callable[[GoldCase, Sequence[Outcome]], CaseScore]:
    """The kind's rule for one case, with the rules of every case built in."""
    where, data = files["rules"]
    common = rules_of(data, where)

    def scored(case: GoldCase, outcomes: Sequence[Outcome]) -> CaseScore:
        return score_case(case, outcomes, common)

    return scored


def score_case(case: GoldCase, outcomes: Sequence[Outcome], common: Sequence[Rule], judged: JUDGED = judge) -> CaseScore:
    """One case's row over all its repeats.

    A repeat passes when every rule is kept; a rule that could not run is not kept. A repeat without a readable transcript keeps
    no rule. The case passes when every repeat does. `score` is the share of rules kept.
    """
    rules = (*common, *own_rules(case.expected["rules"], f"case {case.id}: expect.rules"))
    read = [_read(outcome, f"{case.id}#{n}") for n, outcome in enumerate(outcomes)] or [("missing", "no recorded run")]
    runs = [judged(rules, found) if isinstance(found, Transcript) else None for found in read]
    passes = [run is not None and all(isinstance(found, Kept) for found in run) for run in runs]
    counts: dict[str, int | float] = {"cases": 1, "passed": int(all(passes)), "rules": len(rules) * len(runs)}
    counts["rules_kept"] = sum(isinstance(found, Kept) for run in runs for found in run or ())
    counts["rules_vacuous"] = sum(isinstance(found, Kept) and found.vacuous for run in runs for found in run or ())
    places = [first_violation(f.at if isinstance(f, Broken) else None for f in run) for run in runs if run]
    broken = [float(place) for place in places if place is not None]
    if broken:
        counts |= {"violations": len(broken), "violation": sum(broken), "violation_squared": sum(place**2 for place in broken)}
    counts |= {f"pass^{k}": pass_k(sum(passes), len(passes), k) for k in range(1, len(passes) + 1)}
    faults = [found for found in read if not isinstance(found, Transcript)]
    unkept = [found for run in runs for found in run or () if not isinstance(found, Kept)]
    return CaseScore(
        case_id=case.id,
        status=faults[0][0] if faults else "scored",
        passed=all(passes),
        score=round(counts["rules_kept"] / counts["rules"], 12) if rules else 0.0,
        counts=counts,
        reason="; ".join(reason for _, reason in faults) or None,
        detail=_detail(case, rules, unkept, read),
    )


def _share(numerator: str, denominator: str, of: str, direction: Any = "higher") -> Measure:  # noqa: ANN401  # a Direction
    return Measure(ratios=(Ratio(numerator=numerator, denominator=denominator, of=of),), direction=direction)


def _read(outcome: Outcome, name: str) -> Transcript | tuple[CaseStatus, str]:
    """The run's transcript, or how it failed and why."""
    if isinstance(outcome, Failure):
        return "unanswered", outcome.reason
    try:
        value = json_value(outcome.text, name)
        if isinstance(value, list):
            return Transcript(id=name, events=EVENTS.validate_python(value))
        return Transcript.model_validate(value)
    except ValidationError as error:
        fault = error.errors(include_url=False, include_context=False, include_input=False)[0]
        return "malformed", ": ".join(filter(None, (".".join(map(str, fault["loc"])), fault["msg"])))
    except InputError as error:
        return "malformed", str(error)


def _detail(
    case: GoldCase, rules: Sequence[Rule], unkept: Sequence[Broken | CouldNotRun], read: Sequence[object]
) -> dict[str, Any]:
    events = [[f"{event.kind} {event.name}" for event in found.events] for found in read if isinstance(found, Transcript)]
    return {
        "expected": {"user": case.expected["user"], "rules": [rule.name for rule in rules]},
        "predicted": events[0] if len(events) == 1 else events,
        "difference": [_told(found) for found in unkept],
        "violations": [found.model_dump(mode="json") for found in unkept],
    }


def _told(found: Broken | CouldNotRun) -> str:
    if isinstance(found, CouldNotRun):
        return f"{found.rule} could not run: {found.reason} (event {found.at})"
    place = f"event {found.at}, {found.event.kind} {found.event.name}" if found.event else "at the end"
    return f"{found.rule} is broken: {found.reason} ({place})"
