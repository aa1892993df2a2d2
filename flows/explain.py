"""`assay explain`: a run's report, with what the suite's files add to it while they are still those of the run."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from assay.digest import sha256_hex
from assay.errors import Problem, UsageError, UserError, nearest
from assay.model.baseline import Baseline, Calibration
from assay.model.exchange import Exchange, Failure
from assay.model.gold import GoldCase
from assay.model.ports import requests_part, scoring_part
from assay.model.report import FailedCase, Proof, Report
from assay.model.suite import SUBJECT, Provider
from assay.model.verdict import CaseOutcome
from assay.reading import record, records
from assay.reporting.explanation import Known, case_text
from assay.reporting.explanation_metric import metric_text
from assay.stores.artifacts import Ref
from assay.stores.cassettes import read_recording
from assay.stores.goldsets import Source, open_suite
from assay.stores.runs import read_report, run_folder
from assay.stores.scores import COLUMNS, outcomes_in
from flows.chain import run_load, run_replay, run_score, run_targets, run_verify, selected
from tasks._engine import Engine

if TYPE_CHECKING:
    import pyarrow as pa

ANSWERED = {
    "cassette_sha256": "recording",
    "gold_sha256": "gold set",
    "prompt_sha256": "prompt",
    "schema_sha256": "schema",
}
"""What a recording rests on, in words."""


@dataclass(frozen=True)
class Desk:
    """Where runs and suites lie."""

    root: Path
    home: Path
    goldset: Path | None = None


class _Moved(Exception):
    """The files are no longer those of the run; the message says which."""


def explained_case(run: str, case: str, provider: str | None, desk: Desk) -> str:
    """Why the case has its score, under the provider, or under each gated one. Raises UsageError, InputError."""
    folder = run_folder(desk.home, run)
    report = read_report(folder)
    names = _providers(report, provider)
    for name in names:
        _one_of("CASE", "unknown case", case, report.providers[name].cases, listed=False)
    texts = [case_text(report, folder.name, name, case, known_of(report, name, case, desk)) for name in names]
    return "\n\n".join(texts)


def explained_metric(run: str, metric: str, provider: str | None, desk: Desk) -> str:
    """Why the metric has its value, under the provider, or under each gated one. Raises UsageError, InputError."""
    folder = run_folder(desk.home, run)
    report = read_report(folder)
    names = _providers(report, provider)
    for name in names:
        known = report.facts.measures.keys() & report.providers[name].metrics.keys()
        _one_of("--metric", "unknown metric", metric, [one for one in report.facts.measures if one in known])
    return "\n\n".join(metric_text(report, folder.name, name, metric) for name in names)


def known_of(report: Report, name: str, case: str, desk: Desk) -> Known:
    """What the suite's files add, or why they may not: only while files and scoring are those of the run."""
    try:
        return _known(report, name, case, desk)
    except _Moved as moved:
        return Known(why_not=str(moved))
    except UserError as error:
        return Known(why_not=f"they cannot be read as the run read them ({error.problems[0]})".removesuffix("."))


def _known(report: Report, name: str, case: str, desk: Desk) -> Known:
    facts, provider = report.facts, report.providers[name]
    if facts.mode == "live":
        raise _Moved("the answers were asked for in that run, and no recording holds them")
    if facts.overrides:
        raise _Moved(f"the run was not of the committed suite ({'; '.join(facts.overrides)})")
    source = open_suite(desk.root, facts.suite, facts.version, goldset=desk.goldset)
    _same_suite(source, report)
    engine = Engine(desk.home)
    cases = run_load(source, engine)
    _same_answers(source, report, name, engine, cases)
    declared = source.suite.providers[name]
    before = _before(source, report, name, case)
    if provider.role != SUBJECT:
        return Known(requests=(_answered(source, name, declared),), before=before)
    gold = {row["id"]: GoldCase.model_validate(row) for row in engine.artifacts.get(cases)}[case]
    if declared.target:
        replies = run_targets(source, name, {name: declared}, engine, cases, {})
    else:
        replies = run_replay(source, name, declared, engine, cases)
    scored = run_score(source, name, engine, cases, replies)
    found = _row(engine.artifacts.get(scored), name, case, provider.cases[case]) if scored else None
    requests = (_answered(source, name, declared),) if declared.target else tuple(_requests(source, name, declared, gold))
    return Known(requests=requests, found=found, before=before, objectives=_objectives(source, gold))


def _same_suite(source: Source, report: Report) -> None:
    """Raise _Moved where suite.yaml or the calibration say something else than in the run."""
    facts, suite = report.facts, source.suite
    calibration = source.files.get("calibration")
    now = record(calibration[1], calibration[0], Calibration) if calibration else None
    told = {
        "kind": facts.kind == suite.kind,
        "measures": facts.measures == dict(scoring_part(suite.kind).measures(suite.options)),
        "gate": facts.rule == suite.gate,
        "calibration": facts.calibration == now,
        "providers": set(report.providers) <= set(suite.providers),
    }
    moved = [what for what, is_same in told.items() if not is_same]
    if moved:
        raise _Moved(f"{source.shown} has changed since the run ({', '.join(moved)})")


def _same_answers(source: Source, report: Report, name: str, engine: Engine, cases: Ref) -> None:
    """Raise _Moved where the recording or what it rests on is another than in the run."""
    proofs = run_verify(source, selected(source, ()), engine, cases, "refuse")
    now = Proof.model_validate(engine.artifacts.get(proofs)["providers"][name]).recording
    then = report.providers[name].recording
    if now != then or now is None or then is None:
        differing = [told for field, told in ANSWERED.items() if now and then and getattr(now, field) != getattr(then, field)]
        raise _Moved(f"{source.shown} has changed since the run ({', '.join(differing) or 'what is told of the recording'})")


def _before(source: Source, report: Report, name: str, case: str) -> CaseOutcome | None:
    """The case in the committed baseline, while its metrics are those that the run was compared with."""
    if source.baseline is None:
        return None
    block = record(source.baseline, f"{source.shown}/baseline.json", Baseline).providers.get(name)
    is_same = block is not None and block.metrics and block.metrics == report.providers[name].baseline
    return (block.cases or {}).get(case) if block and is_same else None


def _row(table: pa.Table, name: str, case: str, told: CaseOutcome) -> FailedCase:
    """The case scored again, right or not. Raises _Moved where that comes out otherwise than in the run."""
    keys = zip(table["provider"].to_pylist(), table["case_id"].to_pylist(), strict=True)
    at = next((i for i, key in enumerate(keys) if key == (name, case)), None)
    if at is None:
        raise _Moved("the case is no longer scored")
    one = table.slice(at, 1)
    if outcomes_in(one, name)[0][case] != told:
        raise _Moved("the code scores the case otherwise than in the run")
    row = one.select(list(COLUMNS)).to_pylist()[0]
    return FailedCase(status=row["status"], reason=row["reason"], detail=json.loads(row["detail"]))


def _answered(source: Source, name: str, declared: Provider) -> str:
    recorded = f" from {source.place(name).shown}" if read_recording(source.place(name)) else ""
    return f"Answered in process by {declared.target}{recorded}; no request was sent in this run."


def _requests(source: Source, name: str, declared: Provider, gold: GoldCase) -> Iterable[str]:
    """A sentence per request: its digest, and what the recording holds for it."""
    found, place = read_recording(source.place(name)), source.place(name).shown
    exchanges = {e.request_sha256: e for e in records(found[1], place, Exchange)} if found else {}
    schema = sha256_hex(source.response_schema.encode())
    asked = requests_part(source.suite.kind).requests_for(gold, source.prompt, schema, declared)
    for i, request in enumerate(asked, start=1):
        digest = request.fields.digest
        exchange = exchanges.get(digest)
        yield f"Request {i} of {len(asked)}, {digest[:12]}…, in {place}: {_outcome(exchange)}."


def _outcome(exchange: Exchange | None) -> str:
    if exchange is None:
        return "no recording of it"
    outcome = exchange.outcome
    if isinstance(outcome, Failure):
        return f"no answer after {outcome.attempts} attempts"
    served = f" from {outcome.model_served}" if outcome.model_served else ""
    return f"a reply of {len(outcome.text)} characters{served}, finished by {outcome.finish_reason or 'no reason told'}"


def _objectives(source: Source, gold: GoldCase) -> dict[str, str] | None:
    """Of a suite of checks: by evaluator what its score is wanted to be in this case."""
    if source.suite.kind != "checks":
        return None
    from assay.suites.checks.options import options_of
    from assay.suites.checks.planning import Plans

    applied = Plans(options_of(source.suite.options), None).of(gold)
    return {one.entry.name: str(one.plan.objective or "of the evaluator itself") for one in applied}


def _providers(report: Report, asked: str | None) -> list[str]:
    """The provider asked for, else the gated subjects with numbers, else every subject with numbers. Raises UsageError."""
    with_numbers = [name for name, provider in report.providers.items() if provider.cases and provider.metrics]
    if asked is not None:
        _one_of("--provider", "unknown provider", asked, report.providers)
        if asked not in with_numbers:
            raise UsageError(Problem("--provider", "has no numbers in this run", asked, f"one of {', '.join(with_numbers)}"))
        return [asked]
    subjects = [name for name in with_numbers if report.providers[name].role == SUBJECT]
    found = [name for name in subjects if report.providers[name].decides] or subjects
    if not found:
        raise UsageError(Problem("RUN", "no subject has numbers in this run", remedy=f"It says: {report.headline}"))
    return found


def _one_of(where: str, what: str, name: str, known: Iterable[str], *, listed: bool = True) -> None:
    names = list(known)
    if name not in names:
        expected = f"one of {', '.join(names)}" if listed else f"one of the {len(names)} of the run"
        raise UsageError(Problem(where, what, name, expected, nearest(name, names)))
