"""audit: facets on trial. One that the question gives away, that many records hold, or that cuts a word proves nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from assay.metrics.distinctness import alike_pairs, effective_number
from assay.model.audit import Audit, Finding, Pair
from assay.model.ports import EVERY_OTHER
from assay.suites.facets.cases import BundledScenario, case_id, parse
from assay.suites.facets.finding import cut_words, is_found
from assay.suites.facets.options import AuditOptions, options_of
from assay.suites.facets.scenario import Scenario, Task

FILES = (EVERY_OTHER,)


def audit(files: Mapping[str, tuple[str, bytes]], options: Mapping[str, Any]) -> Audit:
    """The gold set on trial. Raises InputError for files that cannot be read.

    Faults: worthless facets, questions alike over the limit, numbers of tasks other than those declared. The scenarios of a
    package are named here and not held, so they are counted only.
    """
    limits = options_of(options).audit
    scenarios, bundled = parse(files)
    return audit_scenarios(scenarios, limits, bundled)


def audit_scenarios(scenarios: Sequence[Scenario], limits: AuditOptions, bundled: Sequence[BundledScenario] = ()) -> Audit:
    """The same for scenarios that are at hand, wherever they came from."""
    questions = {case_id(s.name, s.task_id(at)): task.question for s in scenarios for at, task in enumerate(s.tasks)}
    alike = [
        Pair(a=a, b=b, similarity=s) for a, b, s in alike_pairs(questions, min(limits.review_band, limits.near_duplicate_limit))
    ]
    twins = tuple(pair for pair in alike if pair.similarity >= limits.near_duplicate_limit)
    counted = {s.name: len(s.tasks) for s in scenarios} | {s.name: len(s.tasks) for s in bundled}
    return Audit(
        suite="",
        version="",
        cases=sum(counted.values()),
        effective_cases=round(effective_number(questions, limits.review_band), 1),
        counts={
            "tasks": {"all": sum(counted.values()), **counted},
            "records": {scenario.name: len(scenario.knowledge) for scenario in scenarios},
            "tasks of this kind": _kinds(scenarios),
        },
        near_duplicates=twins,
        review_band=tuple(pair for pair in alike if pair not in twins),
        faults=(
            *(fault for scenario in scenarios for fault in worthless(scenario, limits)),
            *(f"{pair.a} and {pair.b} are near-duplicates ({pair.similarity:.2f})" for pair in twins),
            *_declared(counted, limits),
        ),
        findings=(*map(_holders, scenarios), *_unaudited(bundled)),
    )


def worthless(scenario: Scenario, limits: AuditOptions) -> Iterator[str]:
    """Each facet that a hit, or the absence of one, says nothing about, and why."""
    texts = [item.text for item in scenario.knowledge]
    for at, task in enumerate(scenario.tasks):
        name = case_id(scenario.name, scenario.task_id(at))
        for facet in (*task.expected_facets, *task.forbidden_facets):
            yield from (f"{name}: facet {facet!r} {why}" for why in _faults(facet, task, texts, limits))


def _faults(facet: str, task: Task, texts: Sequence[str], limits: AuditOptions) -> Iterator[str]:
    holders = [text for text in texts if is_found(facet, [text])]
    if is_found(facet, [task.question]):
        yield "occurs in the question itself"
    if not holders:
        yield "is in no record, so it cannot be found"
    if len(holders) > limits.common_limit * len(texts):
        yield f"is in {len(holders)} of {len(texts)} records, more than {limits.common_limit:.0%}"
    cut = Counter(word for text in holders for word in cut_words(facet, text))
    if cut:
        yield f"occurs inside another word ({', '.join(cut)})"


def _kinds(scenarios: Sequence[Scenario]) -> dict[str, int]:
    tasks = [task for scenario in scenarios for task in scenario.tasks]
    return {
        "with expected facets": sum(bool(task.expected_facets) for task in tasks),
        "with forbidden facets": sum(bool(task.forbidden_facets) for task in tasks),
        "without an answer": sum(not task.expected_facets for task in tasks),
        "with expected events": sum(bool(task.expected_events) for task in tasks),
    }


def _declared(counted: Mapping[str, int], limits: AuditOptions) -> Iterator[str]:
    for name, wanted in limits.scenarios.items():
        if counted.get(name, 0) != wanted:
            yield f"{name} has {counted.get(name, 0)} tasks; the suite declares {wanted}"


def _holders(scenario: Scenario) -> Finding:
    """Which records hold each facet, for a person who wants to see what would have to be retrieved."""
    lines = []
    for at, task in enumerate(scenario.tasks):
        for mark, facets in (("", task.expected_facets), ("not ", task.forbidden_facets)):
            for facet in facets:
                held = ", ".join(item.id for item in scenario.knowledge if is_found(facet, [item.text])) or "no record"
                lines.append(f"{scenario.task_id(at)}: {mark}{facet!r} in {held}")
    return Finding(title=f"{scenario.name}: where its facets stand", lines=tuple(lines))


def _unaudited(bundled: Sequence[BundledScenario]) -> Iterator[Finding]:
    if bundled:
        lines = tuple(f"assay eval {scenario.name} --audit" for scenario in bundled)
        yield Finding(title="Scenarios of a package, whose records are not held here", lines=lines)
