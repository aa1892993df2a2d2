"""gate: the scores of all providers against the baseline."""

from __future__ import annotations

from typing import Any

from assay.gate import judge
from assay.model.baseline import Baseline
from assay.model.report import Evidence, Proof, RunFacts
from assay.model.suite import SUBJECT, Provider
from assay.model.verdict import Check
from assay.reading import record
from assay.sabotage.gate_paper import GATE_SELF_TEST, gate_checks
from assay.sabotage.paper import believed, paper_check
from assay.sabotage.parts import Judge
from assay.stores.artifacts import Body
from assay.stores.scores import metrics_in, outcomes_in, providers_in
from tasks._stage import Inputs, Params, Stage

SHOWN = 5


def run(kind: str, inputs: Inputs, params: Params, *, judge: Judge = judge) -> Body:
    """Inputs: proofs, selftest, baseline (where there is one), per group `<group>.scores` and `<group>.replies`.

    Params: facts, providers (of this run), group (provider to the group it was answered in), declared (subject to
    enforcement), notes, stability, skipped and cut by provider.
    Body: a Judgement; rows is its number of checks. `judge` is put on trial first: a gate that is wrong on paper passes nobody.
    """
    facts = RunFacts.model_validate(params["facts"])
    evidence = {name: _evidence(name, declared, inputs, params) for name, declared in params["providers"].items()}
    baseline = record(inputs["baseline"], "baseline.json", Baseline) if "baseline" in inputs else None
    suite_checks = [Check.model_validate(check) for check in (*inputs["selftest"], *inputs["proofs"]["suite"])]
    judgement = judge(evidence, baseline, facts, suite_checks, declared=params["declared"])
    judgement = believed(judgement, paper_check(GATE_SELF_TEST, gate_checks(judge)))
    rows = len(judgement.checks) + sum(len(report.checks) for report in judgement.providers.values())
    return Body("json", judgement.model_dump(mode="json"), rows)


def _evidence(name: str, declared: object, inputs: Inputs, params: Params) -> Evidence:
    provider = Provider.model_validate(declared)
    proof = Proof.model_validate(inputs["proofs"]["providers"][name])
    group = params["group"].get(name, name)
    table, bodies = inputs.get(f"{group}.scores"), inputs.get(f"{group}.replies", {"providers": {}})
    replies = bodies["providers"].get(name)
    is_scored = table is not None and name in providers_in(table)
    outcomes, failed = outcomes_in(table, name, with_detail=provider.role == SUBJECT) if is_scored else ({}, {})
    return Evidence(
        role=provider.role,
        enforcement=provider.enforcement,
        model=provider.model,
        cassette_kind=proof.recording.cassette_kind if proof.recording else None,
        recording=proof.recording,
        proof=(*proof.checks, *_replay_checks(provider, replies)),
        metrics=metrics_in(table, name) if is_scored else {},
        cases=outcomes,
        failed=failed,
        notes=(*_notes(replies["unused"] if replies else []), *params["notes"].get(name, [])),
        control=provider.control,
        claims=provider.claims,
        stability=params["stability"].get(name, {}),
        skipped=params["skipped"].get(name),
        cut=params["cut"].get(name),
    )


def _replay_checks(provider: Provider, replies: dict[str, Any] | None) -> list[Check]:
    if replies is None:
        return []
    misses, own = replies["misses"], [Check.model_validate(check) for check in replies["checks"]]
    if misses and provider.target:
        told = f"{next(iter(misses.values()))} The gold set holds something that was never recorded."
        return [*own, Check(name="replay", status="could-not-run", message=told)]
    if misses:
        told = "; ".join(f"case {case}: {why}" for case, why in list(misses.items())[:SHOWN])
        more = f"; and {len(misses) - SHOWN} more" if len(misses) > SHOWN else ""
        return [Check(name="replay", status="broken", message=f"{len(misses)} cases without a recording. {told}{more}")]
    told = f"{len(replies['replies'])} cases answered in process" if provider.target else "every request has its recording"
    return [*own, Check(name="replay", status="kept", message=told)]


def _notes(unused: list[str]) -> tuple[str, ...]:
    if not unused:
        return ()
    more = f" and {len(unused) - SHOWN} more" if len(unused) > SHOWN else ""
    return (f"{len(unused)} recorded cases that no request asked for: {', '.join(unused[:SHOWN])}{more}",)


GATE = Stage("gate", run)
