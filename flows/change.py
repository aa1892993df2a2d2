"""A change against its merge base: what it can touch is run, the contracts are verified, and what it makes easier is told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from assay.acknowledgements import Settled, settled
from assay.beside_base import BesideBase, beside_base
from assay.change import ChangeOutcome, SuiteChange, finding_check
from assay.common_cases import common_checks
from assay.errors import UserError
from assay.model.baseline import Baseline, Block
from assay.model.report import Evidence, Report
from assay.model.run import RunOutcome, RunRequest
from assay.model.suite import SUBJECT
from assay.model.verdict import CaseOutcome, Check, Metric
from assay.stores.git import changed_files, merge_base, tree_at
from assay.stores.goldsets import Source, open_suite, suites_in
from assay.tampering import (
    Finding,
    Side,
    added_cases,
    baseline_differs,
    dropped_metrics,
    findings,
    oracle_findings,
    removed_suite,
    unchanged_cases,
)
from flows.plan import NEW, changes_since
from flows.policy import policy_checks, proof_checks
from flows.side import judging_code, side_of
from flows.suite_run import drift_policy
from flows.suites_run import Runner, run_suites
from tasks._engine import Engine

BESIDE_THE_GATE = frozenset({"baseline.json", "prompt", "schema"})


@dataclass(frozen=True)
class Change:
    """What is judged: everything since the merge base with `base`, under the text of its pull request."""

    base: str
    body: str = ""
    every: bool = False
    """Run every suite, also those that the change cannot touch."""
    sabotage: bool = False
    """Put the gate itself on trial where the change touches a suite's gold set, declaration or code."""
    out: str | None = None


@dataclass(frozen=True)
class Sides:
    """One suite at the merge base and now, as far as it is there and can be read."""

    source: Source | None
    before: Side | None
    after: Side | None
    policy: tuple[Check, ...] = ()
    problem: str = ""
    """Why the two could not be compared."""


@dataclass(frozen=True)
class Compared:
    """One suite's numbers beside those of the merge base."""

    checks: tuple[Check, ...] = ()
    dropped: tuple[Finding, ...] = ()
    """Metrics that came out worse than the merge base allows: to be acknowledged like everything that is made easier."""
    notes: tuple[str, ...] = ()
    beside: Mapping[str, BesideBase] = field(default_factory=dict)


@dataclass(frozen=True)
class Trial:
    """What is known of all suites before any is judged."""

    inputs: Mapping[str, list[str]]
    sides: Mapping[str, Sides]
    results: Mapping[str, RunOutcome | UserError]
    compared: Mapping[str, Compared]
    found: tuple[Finding, ...]
    settled: Settled
    sabotage: Mapping[str, Check]
    """By suite whose gate was on trial."""


def judge_change(change: Change, runner: Runner) -> ChangeOutcome:
    """Run, compare and settle. Raises UsageError where there is no merge base or no suite can be compared."""
    base = merge_base(runner.root, change.base, "--base")
    inputs = changes_since(runner.root, base, "--base")
    present = list(suites_in(runner.root))
    changed = changed_files(runner.root, base)
    with tree_at(runner.root, base) as before:
        rejudged = judging_code(before) != judging_code(runner.root)
        sides = {name: _sides(name, inputs[name], before, changed, runner, rejudged=rejudged) for name in present}
        gone = [name for name in inputs if name not in present]
        lost = [finding for name in gone for finding in _removed(name, before, runner)]
    touched = [name for name in present if inputs[name] or change.every]
    sabotage = _sabotage(inputs, sides, runner) if change.sabotage else {}  # first, so that the reports of this run show it
    results = run_suites(touched, RunRequest("all", out=change.out), runner).results
    easier = [*lost, *(finding for name in present for finding in _found(sides[name], results.get(name)))]
    acknowledged = [finding for finding, _ in settled(easier, change.body).acknowledged]
    compared = {name: _against_base(name, sides[name], results.get(name), acknowledged) for name in present}
    found = (*easier, *(finding for one in compared.values() for finding in one.dropped))
    trial = Trial(inputs, sides, results, compared, found, settled(found, change.body), sabotage)
    return ChangeOutcome(
        base=base,
        suites={name: _judged(name, trial, runner) for name in present},
        settled=trial.settled,
        removed=tuple(gone),
        loose=tuple(finding_check(finding) for finding in trial.settled.open if finding.suite not in present),
    )


def _sides(name: str, inputs: list[str], before: Path, changed: Iterable[str], runner: Runner, *, rejudged: bool) -> Sides:
    """Both sides where the suite's run or the code that judges it differs."""
    engine = Engine(runner.home)
    try:
        source = open_suite(runner.root, name)
        policy = tuple(policy_checks(source, (), set(changed), ""))
        after = side_of(source, engine)
    except UserError as error:
        return Sides(None, None, None, problem=f"it cannot be read: {error.problems[0]}")
    if inputs == [NEW] or not (inputs or rejudged):
        return Sides(source, None, after, policy)
    try:
        return Sides(source, side_of(open_suite(before, name), engine), after, policy)
    except UserError as error:
        return Sides(source, None, after, policy, f"at the merge base it cannot be read: {error.problems[0]}")


def _removed(name: str, before: Path, runner: Runner) -> list[Finding]:
    try:
        return [removed_suite(side_of(open_suite(before, name), Engine(runner.home)))]
    except UserError:
        return [Finding("removed suite", name, f"suite {name} is gone; at the merge base it could not be read")]


def _found(sides: Sides, result: RunOutcome | UserError | None) -> list[Finding]:
    """Every way in which the change makes this suite easier to pass."""
    if sides.after is None:
        return []
    found = list(oracle_findings(sides.policy, sides.after))
    if sides.before is not None:
        found += findings(sides.before, sides.after)
    report = result.parsed if isinstance(result, RunOutcome) else None
    if report is not None and sides.after.baseline is not None:
        found += baseline_differs(sides.after.baseline, _recomputed(report))
    return found


def _recomputed(report: Report) -> dict[str, tuple[Mapping[str, Metric], Mapping[str, CaseOutcome]]]:
    return {
        name: (provider.metrics, provider.cases)
        for name, provider in report.providers.items()
        if provider.role == SUBJECT and provider.metrics
    }


def _judged(name: str, trial: Trial, runner: Runner) -> SuiteChange:
    sides, result, compared = trial.sides[name], trial.results.get(name), trial.compared[name]
    checks = [finding_check(finding) for finding in trial.settled.open if finding.suite == name]
    excusable = {finding.provider for finding in trial.found if finding.suite == name and finding.name == "oracle policy"}
    checks += [check for check in sides.policy if check.name.removeprefix("oracle_policy.") not in excusable]
    if sides.problem and not isinstance(result, UserError):
        checks.append(Check(name="base", status="broken" if result is None else "could-not-run", message=sides.problem))
    if result is None and sides.source is not None:
        checks += proof_checks(sides.source, (), Engine(runner.home), drift_policy(runner.environ))[1]
    sabotage = trial.sabotage.get(name)
    return SuiteChange(
        suite=name,
        inputs=tuple(trial.inputs[name]),
        result=result,
        checks=(*checks, *compared.checks, *([sabotage] if sabotage else [])),
        is_new=trial.inputs[name] == [NEW],
        added=tuple(added_cases(sides.before, sides.after)) if sides.before and sides.after else (),
        notes=(*compared.notes, *([f"sabotage: {sabotage.message}"] if sabotage else [])),
        beside=compared.beside,
    )


def _sabotage(inputs: Mapping[str, list[str]], sides: Mapping[str, Sides], runner: Runner) -> dict[str, Check]:
    """The kill matrix of every suite that can be read and of which the change touches what must notice a defect."""
    return {
        name: _on_trial(side.source, runner)
        for name, side in sides.items()
        if side.source is not None and _touches_the_gate(inputs[name])
    }


def _touches_the_gate(inputs: Iterable[str]) -> bool:
    """Whether more than recordings, contract and baseline differs."""
    return not all(name in BESIDE_THE_GATE or name.startswith("cassettes/") for name in inputs)


def _on_trial(source: Source, runner: Runner) -> Check:
    from assay.sabotage.text import headline
    from flows.sabotage.running import sabotaged

    try:
        matrix, _ = sabotaged(source, runner.home)
    except UserError as error:
        return Check(name="sabotage", status="could-not-run", message=str(error.problems[0]))
    return Check(name="sabotage", status="kept" if matrix.is_as_declared else "broken", message=headline(matrix))


def _against_base(name: str, sides: Sides, result: RunOutcome | UserError | None, acknowledged: Iterable[Finding]) -> Compared:
    """Cases that both sides have, by the merge base's numbers and its tolerance."""
    report = result.parsed if isinstance(result, RunOutcome) else None
    if report is None or sides.before is None or sides.after is None or sides.before.baseline is None:
        return Compared()
    mine = [finding for finding in acknowledged if finding.suite == name]
    if measured := [finding.subject for finding in mine if finding.changes_measure]:
        return Compared(notes=(f"not compared with the merge base, whose numbers are another measure: {', '.join(measured)}",))
    unchanged = unchanged_cases(sides.before, sides.after)
    before, after = sides.before.suite.gate, sides.after.suite.gate
    is_raised = any(finding.name == "raised max_drop_pp" for finding in mine)
    rule = before.model_copy(update={"max_drop_pp": after.max_drop_pp}) if is_raised else before
    checks, dropped, notes = list[Check](), list[Finding](), list[str]()
    beside = dict[str, BesideBase]()
    for provider, evidence, block in _gated(report, sides.before.baseline):
        if block.source is not None and block.source.cassette_kind != evidence.cassette_kind:
            told = f"{block.source.cassette_kind} there and {evidence.cassette_kind} here"
            notes.append(f"{provider} is not compared with the merge base: {told}; the head's baseline gates it")
            continue
        found = common_checks(provider, evidence, block, report.facts, unchanged, rule)
        beside[provider] = beside_base(evidence, block, report.facts, unchanged)
        dropped += dropped_metrics(name, provider, found)
        checks += [
            check.model_copy(update={"name": f"{provider}: {check.name}"}) for check in found if check.status != "broken"
        ]
    return Compared(tuple(checks), tuple(dropped), tuple(notes), beside)


def _gated(report: Report, baseline: Baseline) -> Iterator[tuple[str, Evidence, Block]]:
    """Gated subjects that the merge base has numbers of: (name, evidence, block)."""
    for name, provider in report.providers.items():
        block = baseline.providers.get(name)
        if provider.role == SUBJECT and provider.decides and provider.metrics and block is not None and block.metrics:
            yield name, Evidence.model_validate(provider.model_dump(include=set(Evidence.model_fields))), block
