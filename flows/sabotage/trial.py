"""One suite under every defect: who was noticed, and from which strength on."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from assay.digest import digest_of, sha256_hex
from assay.errors import Problem, UsageError, UserError
from assay.gate import judge
from assay.model.ports import scoring_part, selftest_part
from assay.model.run import RunRequest
from assay.model.verdict import EXIT_CODES
from assay.reporting.build import build_report
from assay.reporting.markdown import markdown_text
from assay.sabotage.defect import INPUT, WHOLE, Defect, InMaterial, InOptions, InTarget, NotApplicable, Pick, Strength
from assay.sabotage.outcome import Mutant, Seen, absent, fate_of, mutant_of
from assay.sabotage.parts import Parts
from assay.scoring import metrics_of
from assay.stores.artifacts import Body
from assay.stores.goldsets import Source
from flows.chain import run_chain
from flows.sabotage.engine import Act, SabotageEngine
from flows.sabotage.material import material_of, source_of
from flows.sabotage.memory import Shared
from tasks._stage import Stage


@dataclass(frozen=True)
class Bench:
    """A suite with all that its mutants share."""

    source: Source
    shared: Shared
    parts: Parts
    subject: str
    """The provider whose answers are damaged, the first gated one of which something is claimed. No other one takes part."""
    instead: Mapping[Stage, Callable[..., Body]] = field(default_factory=dict)
    """Functions for stages' own, in the clean run and in every mutant."""


def bench_of(source: Source, shared: Shared, parts: Parts | None = None) -> Bench:
    """The suite as it stands. `parts` takes the place of the true functions, with a memory of its own.

    Raises UsageError without a gated subject.
    """
    gated = tuple(name for name, provider in source.suite.subjects.items() if provider.enforcement == "ci")
    claimed = [name for name in gated if source.suite.subjects[name].claims is None]
    if not gated:
        raise UsageError(Problem(f"{source.shown}/suite.yaml: providers", "holds no gated subject, so nothing can fail"))
    return Bench(source, shared, parts or true_parts(source.suite.kind), (claimed or list(gated))[0])


def true_parts(kind: str) -> Parts:
    """The functions that every run is composed of."""
    return Parts(
        scorer=scoring_part(kind).scorer,
        metrics=metrics_of,
        selftest=selftest_part(kind).selftest,
        judge=judge,
        build=build_report,
        markdown=markdown_text,
        exit_codes=EXIT_CODES,
    )


def tried(bench: Bench, defects: Iterable[Defect]) -> list[Mutant]:
    """Every defect in this suite, in the order given."""
    clean = {reports: seen_of(bench, None, reports=reports) for reports in (False, True)}
    return [_mutant(bench, defect, clean[defect.layer == "report"]) for defect in defects]


def seen_of(bench: Bench, act: Act | None, *, reports: bool, source: Source | None = None) -> Seen:
    """One run, from outside. Raises NotApplicable where the defect finds nothing to hit."""
    try:
        engine = SabotageEngine(bench.shared, bench.parts, act, reports=reports, instead=bench.instead)
        used = source or _source(bench, act)
        files = run_chain(used, RunRequest(used.suite.suite, providers=(bench.subject,)), engine, "refuse")
        outputs = digest_of([engine.judgement, {name: sha256_hex(data) for name, data in files.items()}])
    except NotApplicable:
        raise
    except UserError as error:
        if all(problem.where for problem in error.problems):
            return Seen(verdict="ERROR", unkept=(INPUT,), outputs=digest_of(str(error)))
        return Seen(verdict="ERROR", unkept=(), outputs="", crash=f"an error that names no place: {error}")
    except Exception as crash:  # noqa: BLE001  # whatever a mutant raises is its result, and never a kill
        return Seen(verdict="ERROR", unkept=(), outputs="", crash=f"{type(crash).__name__}: {crash}")
    said: dict[str, Any] = json.loads(files["report.json"]) if "report.json" in files else engine.judgement or {}
    return Seen(verdict=said["verdict"], unkept=_unkept(said), outputs=outputs)


def numbers_of(bench: Bench, act: Act | None, source: Source | None = None, *, remembers: bool = True) -> dict[str, Any]:
    """Verdict, unkept checks and the subject's metrics of one run, by name. Raises NotApplicable.

    Controls count by their checks: one that is made from the answer to another case has other numbers in another order.
    """
    engine = SabotageEngine(bench.shared, bench.parts, act, remembers=remembers, instead=bench.instead)
    used = source or _source(bench, act)
    try:
        run_chain(used, RunRequest(used.suite.suite, providers=(bench.subject,)), engine, "refuse")
    except UserError as error:
        return {"verdict": "ERROR", "error": str(error)}
    said = engine.judgement or {}
    subject = said["providers"][bench.subject]
    metrics = {name: found["value"] for name, found in subject["metrics"].items()}
    return {"verdict": said["verdict"], "unkept": _unkept(said), **metrics}


def _unkept(said: dict[str, Any]) -> tuple[str, ...]:
    """Names of the deciding checks that are not kept, of a judgement or a report."""
    decides = [one for one in said["providers"].values() if one["enforcement"] == "ci" and one["skipped"] is None]
    checks = [*said["checks"], *(check for one in decides for check in one["checks"])]
    return tuple(sorted({check["name"] for check in checks if check["status"] != "kept"}))


def _source(bench: Bench, act: Act | None) -> Source:
    damage = act.defect.damage if act else None
    material = material_of(bench.source)
    if isinstance(damage, InMaterial) and act:
        changed = damage.change(material, act.pick)
        if changed == material:
            raise NotApplicable("the suite has nothing that it would change")
        material = changed
    return source_of(material, bench.source)


def _mutant(bench: Bench, defect: Defect, clean: Seen) -> Mutant:
    why = defect.why_not(bench.source.suite.kind) or _why_not_target(bench, defect)
    if why is not None:
        return absent(defect, why)
    try:
        return mutant_of(defect, _at_strengths(bench, defect, clean), clean)
    except NotApplicable as error:
        return absent(defect, str(error))


def _why_not_target(bench: Bench, defect: Defect) -> str | None:
    """Why a defect of a target does not apply to this subject; None where it does."""
    damage, target = defect.damage, bench.source.suite.providers[bench.subject].target
    if not isinstance(damage, InTarget | InOptions):
        return None
    if target is None:
        return f"{bench.subject} is a recorded model and no target"
    if isinstance(damage, InTarget) and damage.only not in {None, target}:
        return f"stands in for {damage.only} alone"
    return None


def _at_strengths(bench: Bench, defect: Defect, clean: Seen) -> Sequence[tuple[str, Seen]]:
    """The strongest first; where it is killed, from the weakest on until one is. Weakest first."""
    *weaker, strongest = defect.strengths or (WHOLE,)

    def seen(strength: Strength) -> Seen:
        return seen_of(bench, Act(defect, Pick(defect.name, strength), bench.subject), reports=defect.layer == "report")

    last = (strongest.name, seen(strongest))
    found: list[tuple[str, Seen]] = []
    for strength in weaker if fate_of(defect, last[1], clean)[0] == "killed" else ():
        found.append((strength.name, seen(strength)))
        if fate_of(defect, found[-1][1], clean)[0] == "killed":
            break
    return [*found, last]
