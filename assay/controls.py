"""controls: what must come out a known way before any number counts. Judges numbers only.

A positive control reaches its floor, a negative control stays under what luck explains, a trivial strategy stays behind every
subject that claims something. What cannot be told apart is could-not-run, never kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal

from assay.drops import drop_pp
from assay.luck import ceiling_of
from assay.model.baseline import Baseline
from assay.model.report import Evidence, RunFacts
from assay.model.suite import Control
from assay.model.verdict import Check, Metric, Status

NO_ANSWER = frozenset({"unanswered", "missing", "crashed", "malformed"})


def control_checks(evidence: Mapping[str, Evidence], baseline: Baseline | None, facts: RunFacts) -> Iterable[Check]:
    """One check per control of the run, and one per floor that luck alone would reach."""
    subjects = {name: item for name, item in evidence.items() if item.role == "subject" and item.enforcement == "ci"}
    for name, item in evidence.items():
        if item.control is None:
            continue
        metric = item.metrics.get(item.control.metric)
        if metric is None or metric.value is None:
            why = metric.reason if metric else "it has no numbers"
            yield _check(name, "could-not-run", f"{item.control.metric} of the {_role(item)} is unknown: {why}")
        elif silent := _silent(item):
            yield _check(name, "could-not-run", silent)
        elif item.role == "positive_control":
            yield _positive(name, item.control, metric, item)
        elif item.role == "negative_control":
            yield _negative(name, item.control, metric, subjects, baseline, facts)
        else:
            yield _trivial(name, item.control, metric, subjects, facts)
    yield from _saturated(evidence, facts)


def _silent(item: Evidence) -> str | None:
    """Why a control that has to come out low shows nothing: cases that it never answered count 0."""
    lost = [case for case, failed in item.failed.items() if failed.status in NO_ANSWER]
    if item.role == "positive_control" or not lost:
        return None
    first = item.failed[lost[0]].reason or "no reason"
    return f"the {_role(item)} answered {len(item.cases) - len(lost)} of {len(item.cases)} cases ({first.splitlines()[-1]})"


def _positive(name: str, control: Control, metric: Metric, item: Evidence) -> Check:
    value, floor = metric.value or 0.0, control.floor or 0.0
    lost = [failed.reason for failed in item.failed.values() if failed.status in NO_ANSWER and failed.reason]
    why = f" ({len(lost)} cases without an answer: {lost[0].splitlines()[-1]})" if lost else ""
    told = f"{control.metric} of the positive control is {value:.4f} (n={metric.n}){why}"
    if value < floor:
        return _check(
            name, "broken", f"{told}, under its floor of {floor:g}: what it rests on is dead, so no win over it counts"
        )
    return _check(name, "kept", f"{told}, at least {floor:g}")


def _negative(
    name: str,
    control: Control,
    metric: Metric,
    subjects: Mapping[str, Evidence],
    baseline: Baseline | None,
    facts: RunFacts,
) -> Check:
    chance = facts.chance.get(name)
    if chance is None:
        return _check(name, "could-not-run", f"nothing tells what {control.metric} comes to by luck")
    value, ceiling = metric.value or 0.0, ceiling_of(chance, facts.measures[control.metric])
    told = (
        f"{control.metric} of the negative control is {value:.4f} (n={metric.n}); luck gives {chance.mean:.4f}, and at most "
        f"{ceiling:.4f} passes for it ({chance.how})"
    )
    if value > ceiling:
        return _check(name, "broken", f"{told}: something carries meaning that must not")
    for subject, item in subjects.items():
        floor = _floor(subject, item, control.metric, baseline, facts)
        if item.claims is None and floor is not None and ceiling >= floor:
            return _check(
                name, "could-not-run", f"{told}, which tops the floor of {subject} ({floor:.4f}): it proves nothing here"
            )
    return _check(name, "kept", told)


def _floor(name: str, item: Evidence, metric: str, baseline: Baseline | None, facts: RunFacts) -> float | None:
    """What the subject must reach: its declared floor, else the baseline less the tolerance."""
    block = baseline.providers.get(name) if baseline else None
    before = (block.metrics or {}).get(metric) if block else None
    known = [facts.rule.floors[metric]] if metric in facts.rule.floors and item.claims is None else []
    if metric in facts.rule.metrics and before is not None and before.value is not None:
        known.append(before.value - facts.rule.max_drop_pp / 100)
    return max(known, default=None)


def _trivial(name: str, control: Control, metric: Metric, subjects: Mapping[str, Evidence], facts: RunFacts) -> Check:
    value, tolerance = metric.value or 0.0, Decimal(repr(facts.rule.max_drop_pp))
    behind, near, excused, unknown = list[str](), list[str](), list[str](), list[str]()
    for subject, item in subjects.items():
        own = item.metrics.get(control.metric)
        if not item.metrics:
            continue
        if own is None or own.value is None:
            (excused if item.claims == "none" else unknown).append(f"{subject} (undefined)")
            continue
        ahead = drop_pp(value, own.value, facts.measures[control.metric].direction)
        told = f"{subject} {own.value:.4f}"
        (behind if ahead > tolerance else excused if item.claims == "none" else near).append(told)
    told = f"{control.metric} of the trivial strategy is {value:.4f} (n={metric.n})"
    if near:
        return _check(
            name, "broken", f"{told}, within {tolerance:f} pp of {', '.join(near)}: the suite would take it for the subject"
        )
    if unknown:
        return _check(name, "could-not-run", f"{told}; it cannot be told from {', '.join(unknown)}")
    if not behind and not excused:
        return _check(name, "could-not-run", f"{told}; no gated subject has numbers beside it")
    apart = f"; more than {tolerance:f} pp behind {', '.join(behind)}" if behind else ""
    claimed = f"; not behind {', '.join(excused)}, of which nothing is claimed" if excused else ""
    return _check(name, "kept", f"{told}{apart}{claimed}")


def _saturated(evidence: Mapping[str, Evidence], facts: RunFacts) -> Iterable[Check]:
    """A floor that luck reaches cannot be missed, so keeping it says nothing."""
    known = {
        item.control.metric: ceiling_of(facts.chance[name], facts.measures[item.control.metric])
        for name, item in evidence.items()
        if item.control and name in facts.chance
    }
    for metric, floor in facts.rule.floors.items():
        if metric in known and known[metric] >= floor:
            told = f"the floor of {floor:g} cannot be missed: luck alone reaches {known[metric]:.4f}"
            yield Check(name=f"saturated.{metric}", status="could-not-run", message=told)


def _role(item: Evidence) -> str:
    return item.role.replace("_", " ")


def _check(name: str, status: Status, message: str) -> Check:
    return Check(name=f"control.{name}", status=status, message=message)
