"""gate: evidence against a baseline, check by check. Pure; it neither reads nor prints.

Replayed numbers are exact, so the rule is an absolute change in percentage points; live ones are judged in `live_gate`.
Whatever is empty, missing, unmatched or undefined is broken or could-not-run, never kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal

from assay.controls import control_checks
from assay.drops import drop_pp, worse_text
from assay.errors import NotComparable, Problem
from assay.head_to_head import head_to_heads
from assay.live_gate import live_checks, restricted
from assay.model.baseline import Baseline, Block, Calibration
from assay.model.report import Comparison, Evidence, Judgement, ProviderReport, RunFacts
from assay.model.run import plural
from assay.model.suite import SUBJECT, GateRule
from assay.model.verdict import CaseOutcome, Check, Metric, Status, outcome_of
from assay.power import power_checks, power_of

SHOWN = 5


def judge(
    evidence: Mapping[str, Evidence],
    baseline: Baseline | None,
    facts: RunFacts,
    suite_checks: Sequence[Check] = (),
    *,
    declared: Mapping[str, str],
) -> Judgement:
    """The verdict on a run.

    Args:
        evidence: what each provider of this run came to.
        baseline: the committed baseline, or None when there is none yet.
        facts: the run: suite, version, rule, sample and overrides.
        suite_checks: checks already made for the suite as a whole.
        declared: every subject that the suite declares, with its enforcement.

    Raises NotComparable when the baseline belongs to another gold-set version.
    """
    if baseline is not None and (baseline.suite, baseline.gold_version) != (facts.suite, facts.version):
        raise NotComparable(
            Problem(
                "baseline.json",
                "belongs to another gold set",
                f"{baseline.suite} {baseline.gold_version}",
                f"{facts.suite} {facts.version}",
                "Numbers of different gold-set versions are never compared; make a baseline for this version.",
            )
        )
    is_calibrated = facts.sample is None and all(c.status == "kept" for c in suite_checks if c.name == "calibration")
    found = facts if is_calibrated else facts.model_copy(update={"rule": _unbounded(facts.rule)})
    providers = {
        name: _judged(name, item, baseline.providers.get(name) if baseline else None, found, missing=baseline is None)
        for name, item in sorted(evidence.items())
    }
    subjects = {name: item for name, item in evidence.items() if item.role == SUBJECT and item.skipped is None}
    skipped = {name: item.skipped for name, item in sorted(evidence.items()) if item.skipped is not None}
    in_order = dict(sorted(evidence.items()))
    nobody = bool(skipped) and not subjects
    controls = list(control_checks(in_order, baseline, facts)) if facts.sample is None and not nobody else []
    checks = (
        *suite_checks,
        *_constants_moved(baseline, facts),
        *_bounds_of_nobody(subjects, facts),
        *(controls if is_calibrated else _outside(controls)),
        *_run_checks(facts),
        *_provider_set(subjects, skipped, baseline, declared),
    )
    gated = [check for report in providers.values() if report.decides for check in report.checks]
    return Judgement(
        verdict=outcome_of([*checks, *gated]),
        checks=checks,
        providers=providers,
        head_to_head=tuple(head_to_heads(in_order, facts)),
    )


def _constants_moved(baseline: Baseline | None, facts: RunFacts) -> Iterable[Check]:
    """Numbers made with other constants than the baseline's are other measures."""
    before = baseline.calibration if baseline else None
    if before is None or facts.calibration is None or before.constants == facts.calibration.constants:
        return
    told = f"the baseline's numbers were made with {_constants(before)}, these with {_constants(facts.calibration)}"
    yield _could_not("baseline.calibration", f"{told}. Publish a run anew with `assay baseline update {facts.suite}`.")


def _bounds_of_nobody(subjects: Mapping[str, Evidence], facts: RunFacts) -> Iterable[Check]:
    """Floors and ceilings that no gated subject of the run is held to."""
    gated = [name for name, item in subjects.items() if item.enforcement == "ci"]
    if (facts.rule.floors or facts.rule.ceilings) and gated and all(subjects[name].claims == "none" for name in gated):
        told = f"the suite's floors and ceilings hold for nobody: nothing is claimed of {', '.join(sorted(gated))}"
        yield _could_not("bounds", told)


def _constants(calibration: Calibration) -> str:
    return ", ".join(f"{name} {value:g}" for name, value in calibration.constants.items()) or "no constant"


def _outside(checks: Iterable[Check]) -> Iterable[Check]:
    """What controls say outside the calibration: nothing, for or against. Of a sample they are not even asked."""
    for check in checks:
        told = f"outside the calibration this decides nothing: {check.message}"
        yield check.model_copy(update={"status": "could-not-run", "message": told}) if check.status == "broken" else check


def _unbounded(rule: GateRule) -> GateRule:
    """The rule without its absolute bounds, which mean nothing at inputs that they were not measured at."""
    return rule.model_copy(update={"floors": {}, "ceilings": {}})


def _run_checks(facts: RunFacts) -> Iterable[Check]:
    if facts.sample is not None:
        yield _could_not("sample", f"a smoke run over {facts.cases} sampled cases judges nothing")
    for override in facts.overrides:
        yield _could_not("override", f"{override}: not the committed suite")


def _provider_set(
    evidence: Mapping[str, Evidence], skipped: Mapping[str, str], baseline: Baseline | None, declared: Mapping[str, str]
) -> Iterable[Check]:
    gated = sorted(name for name, enforcement in declared.items() if enforcement == "ci")
    run = sorted(name for name, item in evidence.items() if item.enforcement == "ci")
    left_out = sorted(set(gated) - set(run) - set(skipped))
    told = "; ".join(f"{name} skipped ({why})" for name, why in skipped.items())
    if not gated:
        yield _broken("providers", "the suite declares no provider with enforcement ci, so nothing can fail")
    elif not evidence and skipped:
        yield _could_not("providers", f"every provider was skipped: {told}")
    elif not evidence:
        yield _broken("providers", "no provider is part of this run")
    elif not run:
        also = f"; {told}" if told else ""
        yield _could_not("providers", f"none of the gated providers ({', '.join(gated)}) is part of this run{also}")
    else:
        parts = [f"gated: {', '.join(run)}", f"left out: {', '.join(left_out)}" if left_out else "", told]
        yield _kept("providers", "; ".join(filter(None, parts)))
    if baseline is None:
        return
    unmatched = sorted(set(run) - {name for name, block in baseline.providers.items() if block is not None})
    strangers = sorted(set(baseline.providers) - set(declared))
    for name, block in sorted(baseline.providers.items()):
        if block is not None and name in declared and block.enforcement != declared[name]:
            told = f"the baseline says {block.enforcement} for {name}, the suite {declared[name]}"
            yield _broken("baseline.enforcement", told)
    if unmatched:
        yield _broken("baseline.providers", _unmatched(unmatched, baseline))
    if strangers:
        yield _broken("baseline.providers", f"blocks of undeclared providers: {', '.join(strangers)}")


def _unmatched(names: Sequence[str], baseline: Baseline) -> str:
    """What is wrong with the blocks of these gated providers: some are not there, some are there and null."""
    absent = [name for name in names if name not in baseline.providers]
    null = [name for name in names if name in baseline.providers]
    held = ", ".join(sorted(name for name, block in baseline.providers.items() if block is not None))
    parts = [
        f"no block for gated {', '.join(absent)}" if absent else "",
        f"null block for gated {', '.join(null)}" if null else "",
    ]
    return f"{'; '.join(filter(None, parts))}; the baseline holds {held or 'no provider at all'}"


def _judged(name: str, evidence: Evidence, block: Block | None, facts: RunFacts, *, missing: bool) -> ProviderReport:
    checks = [*evidence.proof]
    compared, against = Comparison(cases=0, metrics=0), None
    if evidence.metrics and evidence.role != SUBJECT:
        checks.append(_results(evidence, facts))
    elif evidence.metrics:
        checks.append(_results(evidence, facts))
        checks += filter(None, [_defined(metric, evidence.metrics.get(metric)) for metric in facts.rule.metrics])
        checks += _bounds(evidence, facts) if evidence.cut is None else ()
        problem = _baseline_problem(name, evidence, block, facts, missing=missing)
        if problem:
            checks.append(problem)
            lost = _same_cases(evidence, block) if block and facts.sample is None else None
            checks += [lost] if lost and lost.status == "broken" else []
        elif block is not None and block.metrics is not None and block.cases is not None and facts.sample is None:
            against = restricted(block, evidence.cases, facts.measures) if evidence.cut else block
            compared = _comparison(evidence, against, facts)
            checks.append(_same_cases(evidence, against))
            rule = live_checks if facts.mode == "live" else _metric_checks
            checks += [*rule(evidence, against, facts), *power_checks(evidence, against, facts)]
    elif all(check.status == "kept" for check in checks):
        checks.append(_could_not("results", "the run has no numbers for this provider"))
    return ProviderReport(
        **{field: getattr(evidence, field) for field in Evidence.model_fields},
        checks=tuple(checks),
        compared=compared,
        baseline=(against.metrics if against else None) or {},
        baseline_refreshed=block.last_refreshed if block else None,
        power=power_of(evidence, against, facts) if _has_power(evidence, facts) else {},
    )


def _has_power(evidence: Evidence, facts: RunFacts) -> bool:
    return bool(evidence.metrics) and evidence.role == SUBJECT and facts.sample is None


def _results(evidence: Evidence, facts: RunFacts) -> Check:
    lost = sorted(case for case, failed in evidence.failed.items() if failed.status in {"missing", "crashed"})
    if evidence.cut is not None and not lost:
        return _could_not("results", f"{evidence.cut}. A part of the cases can show a drop, and never that there is none")
    if lost or len(evidence.cases) != facts.cases:
        answered = len(evidence.cases) - len(lost)
        first = "".join(f"; {case}: {evidence.failed[case].reason}" for case in lost[:1])
        return _broken("results", f"{answered} of {facts.cases} cases have a result; without one: {_some(lost)}{first}")
    told = f"{facts.cases} of {facts.cases} cases have a result"
    silent = sorted(case for case, failed in evidence.failed.items() if failed.status == "unanswered")
    if not silent:
        return _kept("results", told)
    reason = (evidence.failed[silent[0]].reason or "no reason").splitlines()[-1]
    if len(silent) == len(evidence.cases) and evidence.role == SUBJECT and facts.sample is None:
        return _broken("results", f"no case got an answer; {silent[0]}: {reason}")
    return _kept("results", f"{told}; for {len(silent)} of them it is that no answer came ({silent[0]}: {reason})")


def _defined(name: str, metric: Metric | None) -> Check | None:
    if metric is None:
        return _broken(f"defined.{name}", "the gate asks for a metric that this kind does not measure")
    if metric.value is None:
        return _could_not(f"defined.{name}", f"{name} is undefined: {metric.reason}")
    return None


def _bounds(evidence: Evidence, facts: RunFacts) -> Iterable[Check]:
    """Floors and ceilings, which hold whatever the baseline says. A subject of which nothing is claimed has none."""
    bounds = [("floor", facts.rule.floors, -1), ("ceiling", facts.rule.ceilings, 1)]
    for word, limits, sign in bounds if evidence.claims is None else ():
        for name, limit in limits.items():
            metric = evidence.metrics.get(name)
            if metric is None or metric.value is None:
                why = metric.reason if metric else "this kind does not measure it"
                yield _could_not(f"{word}.{name}", f"{name} is undefined: {why}")
                continue
            over = drop_pp(limit, metric.value, "higher") * sign
            told = f"{name} {metric.value:.4f} (n={metric.n}), {word} {limit:g}"
            yield _broken(f"{word}.{name}", told) if over > 0 else _kept(f"{word}.{name}", told)


def _baseline_problem(name: str, evidence: Evidence, block: Block | None, facts: RunFacts, *, missing: bool) -> Check | None:
    """Why this provider cannot be compared, or None when it can."""
    where = " --goldset DIR" if facts.is_foreign else ""
    command = f'`assay baseline update {facts.suite} --provider {name} --from latest --reason "..."{where}`'
    if block is None:
        told = "no baseline yet" if missing else "the baseline holds no block for this provider"
        return _could_not("baseline", f"{told}. Publish this run with {command}.")
    if not block.metrics or not block.cases or block.source is None:
        return _could_not("baseline", f"its baseline block has no numbers. Publish a run with {command}.")
    if evidence.recording is None:
        return _could_not("baseline", "the run has no recording to compare by")
    same = [
        ("cassette_kind", "kind of recording"),
        ("gold_sha256", "content of the gold set"),
        ("cassette_sha256", "recording"),
    ]
    for field, told in same[:2] if facts.mode == "live" else same:
        before, after = getattr(block.source, field), getattr(evidence.recording, field)
        if before != after:
            return _could_not(
                "baseline",
                f"made from another {told} ({before[:40]}, now {after[:40]}). Publish this run with {command}.",
            )
    return None


def _same_cases(evidence: Evidence, block: Block) -> Check:
    lost = sorted(set(block.cases or {}) - set(evidence.cases))
    if lost:
        are = "is" if len(lost) == 1 else "are"
        return _broken("cases", f"{plural(len(lost), 'case')} of the baseline {are} gone: {_some(lost)}")
    return _kept("cases", f"{len(evidence.cases)} cases, {len(block.cases or {})} in the baseline")


def _metric_checks(evidence: Evidence, block: Block, facts: RunFacts) -> Iterable[Check]:
    baseline = block.metrics or {}
    for name in facts.rule.metrics:
        now, before = evidence.metrics.get(name), baseline.get(name)
        if now is None or now.value is None:
            continue  # said by defined.<name>
        if before is None or before.value is None:
            yield _could_not(f"max_drop.{name}", f"{name} {now.value:.4f} (n={now.n}); the baseline has no value for it")
        elif facts.measures[name].fixed_n and now.n < before.n:
            yield _could_not(
                f"max_drop.{name}",
                f"{name} averages over n={now.n}, the baseline over n={before.n}: not the same measure",
            )
        else:
            yield _drop_check(name, now, before, facts)


def _drop_check(name: str, now: Metric, before: Metric, facts: RunFacts) -> Check:
    value, base = now.value or 0.0, before.value or 0.0
    drop = drop_pp(value, base, facts.measures[name].direction)
    allowed = Decimal(repr(facts.rule.max_drop_pp))
    message = (
        f"{name} {value:.4f} (n={now.n}) against {base:.4f} (n={before.n}): "
        f"{worse_text(drop, allowed)}, at most {allowed:f} pp worse allowed"
    )
    return Check(name=f"max_drop.{name}", status="broken" if drop > allowed else "kept", message=message)


def _comparison(evidence: Evidence, block: Block, facts: RunFacts) -> Comparison:
    before = block.cases or {}
    common = sorted(set(before) & set(evidence.cases))
    both = [name for name in facts.rule.metrics if _has_value(block.metrics or {}, name) and _has_value(evidence.metrics, name)]
    return Comparison(
        cases=len(common),
        metrics=len(both),
        worse=tuple(c for c in common if _rank(evidence.cases[c]) < _rank(before[c])),
        better=tuple(c for c in common if _rank(evidence.cases[c]) > _rank(before[c])),
        new=tuple(sorted(set(evidence.cases) - set(before))),
    )


def _has_value(metrics: Mapping[str, Metric], name: str) -> bool:
    return name in metrics and metrics[name].value is not None


def _rank(outcome: CaseOutcome) -> tuple[bool, float]:
    return outcome.passed, outcome.score


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")


def _make(name: str, status: Status, message: str) -> Check:
    return Check(name=name, status=status, message=message)


def _kept(name: str, message: str) -> Check:
    return _make(name, "kept", message)


def _broken(name: str, message: str) -> Check:
    return _make(name, "broken", message)


def _could_not(name: str, message: str) -> Check:
    return _make(name, "could-not-run", message)
