"""audit: cases that nothing looks at, checks that nothing can fail, objectives that anything meets."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic import JsonValue

from assay.digest import canonical
from assay.errors import InputError, UserError
from assay.evaluators.metric import EvalMetric
from assay.evaluators.objectives import Objective
from assay.metrics.distinctness import alike_pairs, effective_number
from assay.model.audit import Audit, Finding, Pair
from assay.model.base import Frozen
from assay.model.gold import GoldCase
from assay.reading import json_value, records
from assay.suites.checks.cases import load, row_of
from assay.suites.checks.options import Options, options_of
from assay.suites.checks.planning import Applied, Files, Plans, at_path

FILES = ("cases", "*")
ALIKE = 0.95
MOMENTS = ("0001-01-02T00:00:00+00:00", "9999-12-30T00:00:00+00:00", "0001-01-02", "9999-12-30")
PROVOCATIONS: tuple[object, ...] = ("", "\u2205", 0, -1e300, 1e300, [], {}, "lorem ipsum dolor sit amet", *MOMENTS)
"""Values that no sensible check lets pass all of."""
STAND_INS: tuple[object, ...] = ("x", 1, {"x": 1})
"""Expectations that a check may be given in place of none."""
OTHERS = 20
"""How many other cases' expectations a check is provoked with."""


class Output(Frozen):
    """One line of a file of recorded outputs."""

    id: str
    output: JsonValue


def audit(files: Files, options: Mapping[str, Any]) -> Audit:
    """The gold set on trial.

    Faults: ids that stand twice, a case without a check or without the expectation that its check compares with, options that
    mean nothing, a check that passes whatever it is given, an objective that every score meets, a planted fault that no check
    is named for.
    """
    chosen = options_of(options)
    cases = load({"cases": files["cases"]})
    plans = Plans(chosen, files)
    applied, wrong = _applied(cases, plans)
    inputs = {case.id: json.dumps(case.input, sort_keys=True, ensure_ascii=False) for case in cases if case.input}
    alike = tuple(Pair(a=a, b=b, similarity=s) for a, b, s in alike_pairs(inputs, ALIKE))
    same = tuple(pair for pair in alike if inputs[pair.a] == inputs[pair.b])
    return Audit(
        suite="",
        version="",
        cases=len(cases),
        effective_cases=round(effective_number(inputs, ALIKE), 1) if inputs else float(len(cases)),
        counts=_counts(cases, applied),
        near_duplicates=same,
        review_band=tuple(pair for pair in alike if pair not in same),
        faults=(
            *wrong,
            *(f"{pair.a} and {pair.b} have the same input" for pair in same),
            *_unplanned(cases, chosen, applied),
            *_without_expectation(cases, applied),
            *_unfailable(cases, applied, chosen),
            *_idle_objectives(applied),
        ),
        findings=(_unproven(cases, chosen), _skipped(files, cases, applied, chosen)),
    )


def _applied(cases: Sequence[GoldCase], plans: Plans) -> tuple[dict[str, tuple[Applied, ...]], list[str]]:
    """The checks of each case, and what is wrong with those that cannot be made."""
    found, wrong = {}, []
    for case in cases:
        try:
            found[case.id] = plans.of(case)
        except UserError as error:
            wrong += [str(problem) for problem in error.problems]
    return found, wrong


def _counts(cases: Sequence[GoldCase], applied: Mapping[str, Sequence[Applied]]) -> dict[str, dict[str, int]]:
    rows = [row_of(case) for case in cases]
    strata = [name for case in cases for name in case.strata if name != case.expected["planted"]]
    return {
        "cases": {"all": len(rows), **dict(sorted(Counter(strata).items()))},
        "planted": dict(sorted(Counter(row.planted or "none" for row in rows).items())),
        "looked at by": dict(sorted(Counter(one.entry.name for found in applied.values() for one in found).items())),
    }


def _unplanned(cases: Sequence[GoldCase], chosen: Options, applied: Mapping[str, Sequence[Applied]]) -> Iterable[str]:
    for case in cases:
        planted = row_of(case).planted
        if planted is not None and planted not in chosen.planted:
            yield f"{case.id}: no check is named for the planted fault {planted!r} (options.planted)"
        elif planted is not None:
            name = chosen.planted[planted].partition(".")[0]
            if case.id in applied and name not in [one.entry.name for one in applied[case.id]]:
                yield f"{case.id}: {name} is to notice the planted fault {planted!r} and does not look at the case"


def _without_expectation(cases: Sequence[GoldCase], applied: Mapping[str, Sequence[Applied]]) -> Iterable[str]:
    for case in cases:
        expected = row_of(case).expected
        for one in applied.get(case.id, ()):
            if one.entry.expected and not at_path(expected, one.entry.expected)[0]:
                yield f"{case.id}: {one.entry.name} compares with expected.{one.entry.expected}, which is not there"
            elif not one.is_advisory and _lacks_expectation(one, at_path(expected, one.entry.expected)[1]):
                yield f"{case.id}: {one.entry.name} needs an expectation, and the case has none"


def _lacks_expectation(one: Applied, expected: object) -> bool:
    """Whether the check can run on nothing for want of an expectation."""

    def runs(stand_in: object) -> bool:
        return any(one.plan.metric(value, stand_in).error is None for value in PROVOCATIONS)

    return expected is None and not runs(None) and any(map(runs, STAND_INS))


def _unfailable(cases: Sequence[GoldCase], applied: Mapping[str, Sequence[Applied]], chosen: Options) -> Iterable[str]:
    """Checks that pass on every provocation that they can run on, and on what other cases expect."""
    provocations = [value for value in PROVOCATIONS if isinstance(value, str) or chosen.reads == "json"]
    for check in chosen.checks:
        plans = [(case, one) for case in cases for one in applied.get(case.id, ()) if one.entry.name == check.name]
        if not any(_ran(one, provocations, case) for case, one in plans):
            continue
        others = [at_path(row_of(case).expected, check.expected)[1] for case in cases[:OTHERS]]
        if all(metric.passed for case, one in plans for metric in _ran(one, [*provocations, *others], case)):
            yield f"{check.name} passes whatever it is given, on every case"


def _ran(one: Applied, values: Iterable[object], case: GoldCase) -> list[EvalMetric]:
    """What the check says of those values that it can say anything of."""
    is_there, expected = at_path(row_of(case).expected, one.entry.expected)
    metrics = [one.plan.metric(value, expected) for value in (*values, expected)] if is_there else []
    return [metric for metric in metrics if metric.error is None]


def _idle_objectives(applied: Mapping[str, Sequence[Applied]]) -> Iterable[str]:
    told = {
        f"{one.entry.name}: every score in [0, 1] meets its objective ({one.plan.objective})"
        for found in applied.values()
        for one in found
        if one.plan.objective and _is_idle(one.plan.objective)
    }
    return sorted(told)


def _is_idle(objective: Objective) -> bool:
    if objective.threshold is None:
        return False
    return objective.threshold <= 0 if objective.direction == "maximize" else objective.threshold >= 1


def _unproven(cases: Sequence[GoldCase], chosen: Options) -> Finding:
    """Checks of which no planted fault shows that they can fail."""
    shown = {chosen.planted[planted].partition(".")[0] for c in cases if (planted := row_of(c).planted) in chosen.planted}
    lines = tuple(check.name for check in chosen.checks if check.name not in shown)
    return Finding(title=f"Checks that no planted fault breaks ({len(lines)})", lines=lines)


def _read(output: JsonValue, reads: str) -> object:
    """A recorded output as scoring reads it; None where it cannot."""
    if reads == "text":
        return output if isinstance(output, str) else canonical(output).decode()
    try:
        return json_value(output, "output") if isinstance(output, str) else output
    except InputError:
        return None


def _skipped(files: Files, cases: Sequence[GoldCase], applied: Mapping[str, Sequence[Applied]], chosen: Options) -> Finding:
    """What evaluators say that they left out, on the recorded outputs."""
    if "outputs" not in files:
        return Finding(title="Parts that evaluators leave out: unknown without an `outputs` file", lines=())
    shown, data = files["outputs"]
    outputs = {row.id: _read(row.output, chosen.reads) for row in records(data, shown, Output)}
    left: Counter[str] = Counter()
    for case in cases:
        for one in applied.get(case.id, ()):
            is_there, value = at_path(outputs.get(case.id), one.entry.path)
            _, expected = at_path(row_of(case).expected, one.entry.expected)
            skipped = one.plan.metric(value, expected).meta.get("skipped") if is_there else None
            if isinstance(skipped, list | tuple):
                left.update(f"{one.entry.name}: {part}" for part in skipped)
    lines = tuple(f"{part} on {times} cases" for part, times in left.items())
    return Finding(title=f"Parts that evaluators leave out ({len(left)})", lines=lines)
