"""score: every check over every output, and whether it came out as expected."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from assay.evaluators.guard import could_not_run
from assay.evaluators.metric import EvalMetric
from assay.model.exchange import Failure, Outcome
from assay.model.gold import GoldCase
from assay.model.score import CaseScore, CaseStatus, Measure, Ratio
from assay.suites.checks.cases import Row, row_of
from assay.suites.checks.options import options_of
from assay.suites.checks.planning import Applied, Files, Plans, at_path, imports_of

FILES = ("*",)
"""Every file of the suite that the kind does not know may belong to an evaluator's resource."""
TEXT_NORMALISER = None
SHOWN = 2_000
"""How much of an output stands in a failed case's detail, in characters."""


def measures(options: Mapping[str, JsonValue]) -> Mapping[str, Measure]:
    """Cases that came out as expected, the same by check, planted faults noticed, checks that could not run, mean scores."""
    found = {
        "cases_passed": _share("passed", "cases", "cases"),
        "planted_noticed": _share("planted_noticed", "planted", "planted faults"),
        "could_not_run": Measure(
            ratios=(Ratio(numerator="errors", denominator="checked", of="deciding checks over outputs"),), direction="lower"
        ),
    }
    chosen = options_of(options)
    for check in chosen.checks:
        is_advisory = chosen.is_advisory(check)
        of = "outputs that it could judge" if is_advisory else "outputs that it looked at"
        found[check.name] = _share(check.name, f"{check.name} of", of, fixed_n=not is_advisory)
        ratio = Ratio(
            numerator=f"{check.name} score", denominator=f"{check.name} scored", of="outputs that it scored", values="reals"
        )
        found[f"{check.name}_score"] = Measure(ratios=(ratio,), fixed_n=False)
    return found


def advisory(options: Mapping[str, JsonValue]) -> frozenset[str]:
    """The measures that may not be gated: those of judges that nobody has calibrated."""
    chosen = options_of(options)
    names = [check.name for check in chosen.checks if chosen.is_advisory(check)]
    return frozenset(measure for name in names for measure in (name, f"{name}_score"))


def advisory_files(options: Mapping[str, JsonValue]) -> frozenset[str]:
    """The files, by role, on which no answer and no gated measure depends: those of judges."""
    return options_of(options).judge_files


def imports(options: Mapping[str, JsonValue]) -> tuple[str, ...]:
    """The import strings of code that scoring runs besides this kind's own."""
    return imports_of(options_of(options))


def scorer(files: Files, options: Mapping[str, JsonValue]) -> Callable[[GoldCase, Sequence[Outcome]], CaseScore]:
    """The kind's rule for one case, with evaluators and resources made."""
    chosen = options_of(options)
    plans = Plans(chosen, files)

    def scored(case: GoldCase, outcomes: Sequence[Outcome]) -> CaseScore:
        return score_case(case, outcomes, plans.of(case), chosen.planted, reads=chosen.reads)

    return scored


@dataclass(frozen=True)
class Judged:
    """One check over one output."""

    name: str
    metric: EvalMetric
    as_expected: bool
    is_planted: bool
    """Whether it is the one that must notice the planted fault."""
    is_advisory: bool
    wanted: str
    """What it had to say, for people."""


def score_case(
    case: GoldCase, outcomes: Sequence[Outcome], applied: Sequence[Applied], planted: Mapping[str, str], *, reads: str = "json"
) -> CaseScore:
    """One case's row, over all repeats of its output.

    A check comes out as expected when it passes; for an output with a planted fault, when the one check that must notice it
    fails, for that reason alone where one is named, and all others pass. A check that could not run never comes out as
    expected, and nothing does without an output; a planted fault that no check of the case must notice is not noticed.
    `score` is the share of checks that did. Advisory checks decide nothing, and count where they ran; a case with no others
    is in no measure of cases.
    """
    row = row_of(case)
    status, reason, outputs = _read(outcomes, reads)
    judged = [_judged(one, output, row, planted) for output in outputs for one in applied] if outputs else []
    deciding = [one for one in judged if not one.is_advisory]
    is_looked_for = row.planted is None or any(one.is_planted for one in deciding)
    is_right = bool(deciding) and is_looked_for and all(one.as_expected for one in deciding)
    times, decides = len(outcomes) or 1, sum(not one.is_advisory for one in applied)
    counts: dict[str, int | float] = {"cases": int(decides > 0), "passed": int(is_right), "checked": decides * times}
    counts["errors"] = sum(one.metric.error is not None for one in deciding) if judged else decides * times
    if row.planted is not None and decides:
        counts |= {"planted": 1, "planted_noticed": int(is_right)}
    for one in applied:
        name = one.entry.name
        own = [found for found in judged if found.name == name]
        scores = [found.metric.score for found in own if found.metric.error is None]
        counts[f"{name} of"] = len(scores) if one.is_advisory else times
        counts[name] = sum(found.as_expected for found in own)
        counts |= {f"{name} scored": len(scores), f"{name} score": sum(scores)} if scores else {}
        counts |= {f"{name} score_squared": sum(score**2 for score in scores)} if scores else {}
    return CaseScore(
        case_id=case.id,
        status=status,
        passed=is_right,
        score=round(sum(one.as_expected for one in deciding) / len(deciding), 12) if deciding else 0.0,
        counts=counts,
        reason=reason,
        detail={
            "expected": {"expected": row.expected, "planted": row.planted, "checks": {one.name: one.wanted for one in judged}},
            "predicted": _short(outputs[0]) if outputs else None,
            "difference": [
                *([f"no check of this case must notice the planted {row.planted!r}"] if judged and not is_looked_for else []),
                *(_told(one) for one in judged if not one.as_expected),
            ],
        },
    )


def _judged(one: Applied, output: object, row: Row, planted: Mapping[str, str]) -> Judged:
    name = one.entry.name
    is_there, actual = at_path(output, one.entry.path)
    expects, expected = at_path(row.expected, one.entry.expected)
    if not is_there:
        metric = could_not_run(f"actual: the output has nothing at {one.entry.path!r}")
    elif not expects:
        metric = could_not_run(f"expected: the case has nothing at {one.entry.expected!r}")
    else:
        metric = one.plan.metric(actual, expected)
    must_fail, _, why = planted.get(row.planted or "", "").partition(".")
    is_planted = must_fail == name
    if metric.error is not None:
        is_expected, wanted = False, "to run"
    elif is_planted:
        reasons = metric.meta.get("reasons")
        found = sorted(reasons) if isinstance(reasons, Mapping) else []
        is_expected, wanted = not metric.passed and (not why or found == [why]), f"to fail{f' for {why}' if why else ''}"
    else:
        is_expected, wanted = metric.passed, "to pass"
    return Judged(name, metric, is_expected, is_planted=is_planted, is_advisory=one.is_advisory, wanted=wanted)


def _read(outcomes: Sequence[Outcome], reads: str) -> tuple[CaseStatus, str | None, list[object]]:
    """How the case fared, why if not plainly, and its outputs; none of them where one is missing or cannot be read."""
    if not outcomes:
        return "missing", "no recorded output", []
    outputs: list[object] = []
    for outcome in outcomes:
        if isinstance(outcome, Failure):
            return "unanswered", f"no answer: {outcome.reason}", []
        try:
            outputs.append(outcome.text if reads == "text" else json.loads(outcome.text))
        except ValueError as error:
            return "malformed", f"is not JSON ({error})", []
    return "scored", None, outputs


def _told(one: Judged) -> str:
    if one.metric.error is not None:
        return f"{one.name} could not run: {one.metric.error}"
    said = "passed" if one.metric.passed else "failed"
    reasons = one.metric.meta.get("reasons") or one.metric.meta.get("reason")
    return f"{one.name} had {one.wanted} and {said} (score {one.metric.score:g}{f'; {reasons}' if reasons else ''})"


def _short(output: object) -> object:
    text = output if isinstance(output, str) else json.dumps(output, ensure_ascii=False)
    return output if len(text) <= SHOWN else text[:SHOWN] + "…"


def _share(numerator: str, denominator: str, of: str, *, fixed_n: bool = True) -> Measure:
    return Measure(ratios=(Ratio(numerator=numerator, denominator=denominator, of=of),), fixed_n=fixed_n)
