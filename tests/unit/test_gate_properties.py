"""Rules of the gate that hold for every run."""

from __future__ import annotations

from random import Random
from typing import Any, TypeVar

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from assay.gate import judge
from assay.model.report import Evidence, FailedCase, RunFacts
from assay.model.score import Measure
from assay.model.suite import GateRule
from assay.model.verdict import CaseOutcome
from tests.builders import baseline_of, evidence, facts, metric

T = TypeVar("T")
NAMES = ("a", "b", "c")
fractions = st.floats(0, 1)
tolerances = st.sampled_from([0.0, 0.5, 1.0, 3.0, 7.25, 20.0])
outcomes = st.builds(CaseOutcome, passed=st.booleans(), score=fractions)
case_sets = st.dictionaries(st.sampled_from([f"c{i}" for i in range(12)]), outcomes, min_size=1)
directions = st.tuples(*[st.builds(Measure, direction=st.sampled_from(["higher", "lower"]), fixed_n=st.booleans())] * 3)


@st.composite
def runs(draw: st.DrawFn, values: st.SearchStrategy[float | None] = fractions) -> tuple[Evidence, RunFacts]:
    """A complete run whose metrics are all gated, with its facts."""
    cases = draw(case_sets)
    metrics = {name: metric(draw(values), n=draw(st.integers(1, 500))) for name in NAMES}
    rule = GateRule(metrics=NAMES, max_drop_pp=draw(tolerances))
    measures = dict(zip(NAMES, draw(directions), strict=True))
    failed = {c: FailedCase(status="malformed", reason="r", detail={}) for c, outcome in cases.items() if not outcome.passed}
    return evidence(metrics, cases=cases, failed=failed), facts(rule=rule, measures=measures, cases=len(cases))


@given(runs())
def test_a_run_against_itself_passes_and_compares_everything(run: tuple[Evidence, RunFacts]) -> None:
    found, about = run
    judgement = judge({"p": found}, baseline_of(found), about, declared={"p": "ci"})
    compared = judgement.providers["p"].compared
    assert judgement.verdict == "PASS"
    assert (compared.metrics, compared.cases) == (3, len(found.cases))
    assert compared.worse == compared.better == compared.new == ()


@given(runs(st.none() | fractions))
def test_a_run_against_itself_never_fails_and_passes_only_when_defined(run: tuple[Evidence, RunFacts]) -> None:
    found, about = run
    defined = all(m.value is not None for m in found.metrics.values())
    judgement = judge({"p": found}, baseline_of(found), about, declared={"p": "ci"})
    assert judgement.verdict == ("PASS" if defined else "NO VERDICT")


@given(runs(), st.sampled_from(NAMES), st.data())
def test_any_gated_metric_worse_by_more_than_the_tolerance_fails(
    run: tuple[Evidence, RunFacts], name: str, data: st.DataObject
) -> None:
    found, about = run
    allowed, sign = about.rule.max_drop_pp / 100, 1 if about.measures[name].direction == "higher" else -1
    drop = data.draw(st.floats(allowed + 1e-6, 1))
    before = data.draw(st.floats(drop, 1)) if sign > 0 else data.draw(st.floats(0, 1 - drop))
    now = min(1.0, max(0.0, before - sign * drop))
    base = baseline_of(with_value(found, name, before))
    judgement = judge({"p": with_value(found, name, now)}, base, about, declared={"p": "ci"})
    assert judgement.verdict == "FAIL"
    broken = [check.name for check in judgement.providers["p"].checks if check.status == "broken"]
    assert broken == [f"max_drop.{name}"]


@given(runs(), st.sampled_from(NAMES), st.data())
def test_a_better_metric_never_fails(run: tuple[Evidence, RunFacts], name: str, data: st.DataObject) -> None:
    found, about = run
    low, high = sorted((data.draw(fractions), data.draw(fractions)))
    before, now = (low, high) if about.measures[name].direction == "higher" else (high, low)
    base = baseline_of(with_value(found, name, before))
    assert judge({"p": with_value(found, name, now)}, base, about, declared={"p": "ci"}).verdict == "PASS"


def with_value(found: Evidence, name: str, value: float) -> Evidence:
    changed = found.metrics[name].model_copy(update={"value": value})
    return found.model_copy(update={"metrics": {**found.metrics, name: changed}})


@settings(max_examples=40, phases=(Phase.reuse, Phase.generate, Phase.shrink))
@given(runs(), runs(), st.randoms(use_true_random=False))
def test_order_of_providers_and_cases_changes_nothing(
    one: tuple[Evidence, RunFacts], other: tuple[Evidence, RunFacts], random: Random
) -> None:
    gone = {case: FailedCase(status="missing", reason=case, detail={}) for case in one[0].cases}
    run = {"p": one[0].model_copy(update={"failed": gone}), "q": other[0], "r": other[0]}
    base = baseline_of(one[0]).model_copy(update={"providers": {n: baseline_of(e).providers["p"] for n, e in run.items()}})
    declared = dict.fromkeys(run, "ci")

    def mixed(items: dict[str, T]) -> dict[str, T]:
        return dict(random.sample(list(items.items()), len(items)))

    def mixed_evidence(found: Evidence) -> Evidence:
        fields: dict[str, Any] = {name: mixed(getattr(found, name)) for name in ("cases", "failed", "metrics")}
        return found.model_copy(update=fields)

    shuffled = mixed({name: mixed_evidence(found) for name, found in run.items()})
    base_mixed = base.model_copy(update={"providers": mixed(base.providers)})
    assert judge(shuffled, base_mixed, one[1], declared=mixed(declared)) == judge(run, base, one[1], declared=declared)
