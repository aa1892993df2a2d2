"""gate: the scores of all providers against the baseline."""

from __future__ import annotations

from assay.gate import judge
from assay.model.baseline import Baseline
from assay.model.report import Evidence, Proof, RunFacts
from assay.model.suite import Provider
from assay.model.verdict import Check
from assay.reading import record
from assay.stores.artifacts import Body
from assay.stores.scores import metrics_in, outcomes_in
from tasks._stage import Inputs, Params, Stage

SHOWN = 5


def run(kind: str, inputs: Inputs, params: Params) -> Body:
    """Inputs: proofs, baseline (where there is one), per provider `<name>.scores` and `<name>.replies`.

    Params: facts, providers (of this run), declared (name to enforcement), notes and stability by provider.
    Body: a Judgement; rows is its number of checks.
    """
    facts = RunFacts.model_validate(params["facts"])
    evidence = {name: _evidence(name, declared, inputs, params) for name, declared in params["providers"].items()}
    baseline = record(inputs["baseline"], "baseline.json", Baseline) if "baseline" in inputs else None
    suite_checks = [Check.model_validate(check) for check in inputs["proofs"]["suite"]]
    judgement = judge(evidence, baseline, facts, suite_checks, declared=params["declared"])
    rows = len(judgement.checks) + sum(len(report.checks) for report in judgement.providers.values())
    return Body("json", judgement.model_dump(mode="json"), rows)


def _evidence(name: str, declared: object, inputs: Inputs, params: Params) -> Evidence:
    provider = Provider.model_validate(declared)
    proof = Proof.model_validate(inputs["proofs"]["providers"][name])
    table = inputs.get(f"{name}.scores")
    outcomes, failed = outcomes_in(table) if table is not None else ({}, {})
    replies = inputs.get(f"{name}.replies", {"misses": {}, "unused": []})
    return Evidence(
        role=provider.role,
        enforcement=provider.enforcement,
        model=provider.model,
        cassette_kind=proof.recording.cassette_kind if proof.recording else None,
        recording=proof.recording,
        proof=(*proof.checks, *_replay_checks(replies["misses"], found=table is not None)),
        metrics=metrics_in(table) if table is not None else {},
        cases=outcomes,
        failed=failed,
        notes=(*_notes(replies["unused"]), *params["notes"].get(name, [])),
        stability=params["stability"].get(name, {}),
    )


def _replay_checks(misses: dict[str, str], *, found: bool) -> list[Check]:
    if not found:
        return []
    if misses:
        told = "; ".join(f"case {case}: {why}" for case, why in list(misses.items())[:SHOWN])
        more = f"; and {len(misses) - SHOWN} more" if len(misses) > SHOWN else ""
        return [Check(name="replay", status="broken", message=f"{len(misses)} cases without a recording. {told}{more}")]
    return [Check(name="replay", status="kept", message="every request has its recording")]


def _notes(unused: list[str]) -> tuple[str, ...]:
    if not unused:
        return ()
    more = f" and {len(unused) - SHOWN} more" if len(unused) > SHOWN else ""
    return (f"{len(unused)} recorded cases that no request asked for: {', '.join(unused[:SHOWN])}{more}",)


GATE = Stage("gate", run)
