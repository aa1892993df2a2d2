"""The six stages of every run, plain: what both engines run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from assay.contract import DriftPolicy
from assay.errors import Problem, UsageError, UserError, nearest
from assay.model.baseline import Calibration
from assay.model.ports import calibration_part, cases_part, scoring_part
from assay.model.report import RunFacts
from assay.model.run import RunRequest
from assay.model.suite import Provider
from assay.reading import raise_all, record
from assay.stores.artifacts import Ref
from assay.stores.cassettes import Place, read_recording
from assay.stores.code import code_digest
from assay.stores.goldsets import Source
from tasks._engine import Engine
from tasks._stage import StageCall
from tasks.gate import GATE
from tasks.load import LOAD
from tasks.publish import PUBLISH
from tasks.replay import REPLAY
from tasks.score import SCORE
from tasks.verify import VERIFY


@dataclass(frozen=True)
class Answers:
    """What the providers of a run answered: proofs, and for each that may be scored the Ref of its replies."""

    proofs: Ref
    replies: Mapping[str, Ref]
    notes: Mapping[str, list[str]] = field(default_factory=dict)
    stability: Mapping[str, dict[str, str]] = field(default_factory=dict)


Answer = Callable[[Source, RunRequest, Engine, Mapping[str, Provider], Ref, DriftPolicy], Answers]
"""(source, request, engine, providers, cases of this run, drift) -> Answers."""


def run_chain(
    source: Source, request: RunRequest, engine: Engine, drift: DriftPolicy, answer: Answer | None = None
) -> dict[str, bytes]:
    """Load -> verify -> replay -> score -> gate -> publish; returns the report's files. Raises UserError.

    `answer` takes the place of verify and replay where replies are asked for instead of taken from a recording.
    """
    try:
        return _published(source, request, engine, drift, answer or recorded_answers)
    except UserError as error:
        raise error.within(source.shown) if _is_bare(error, source) else error from None


def run_load(source: Source, engine: Engine, sample: int | None = None, seed: int = 0) -> Ref:
    """The load stage alone: all gold cases, or a sample."""
    files = {role: source.files[role][0] for role in _roles(source, cases_part(source.suite.kind).REQUIRED_FILES)}
    inputs = {name: engine.artifacts.put_bytes(source.files[role][1]) for role, name in files.items()}
    params: dict[str, Any] = {"files": files, "sample": sample, "seed": seed}
    return engine(StageCall(LOAD, source.suite.kind, inputs, params))


def run_verify(source: Source, providers: Mapping[str, Provider], engine: Engine, cases: Ref, drift: DriftPolicy) -> Ref:
    """The verify stage: proofs for the given providers over all gold cases."""
    suite, put = source.suite, engine.artifacts.put_bytes
    part = calibration_part(suite.kind)
    gold = [source.files[role][0] for role in cases_part(suite.kind).REQUIRED_FILES]
    calibration = {role: source.files[role][0] for role in _roles(source, part.FILES)}
    inputs = {name: put(data) for name, data in source.files.values() if name in {*gold, *calibration.values()}}
    inputs |= {"cases": cases, **_contract(source, engine)}
    shown = {name: Place(source.root, suite.suite, suite.version, name).shown for name in providers}
    for name in providers:
        inputs |= _recording(source, name, engine)
    params: dict[str, Any] = {
        "suite": suite.suite,
        "version": suite.version,
        "files": gold,
        "providers": {name: provider.model_dump(mode="json") for name, provider in providers.items()},
        "shown": shown,
        "drift": drift,
        "calibration_files": calibration,
        "calibration_code": code_digest(*part.CODE),
    }
    return engine(StageCall(VERIFY, suite.kind, inputs, params))


def selected(source: Source, names: tuple[str, ...]) -> dict[str, Provider]:
    """The declared providers of these names, all of them when none is given. Raises UsageError."""
    declared = source.suite.providers
    for name in names:
        if name not in declared:
            raise UsageError(
                Problem("--provider", "unknown provider", name, f"one of {', '.join(declared)}", nearest(name, declared))
            )
    return {name: provider for name, provider in declared.items() if not names or name in names}


def recorded_answers(
    source: Source,
    request: RunRequest,
    engine: Engine,
    providers: Mapping[str, Provider],
    cases: Ref,
    drift: DriftPolicy,
) -> Answers:
    """verify, then replay for every provider whose recording may be replayed."""
    every_case = cases if request.sample is None else run_load(source, engine)
    proofs = run_verify(source, providers, engine, every_case, drift)
    replies = {}
    for name, provider in providers.items():
        proof = engine.artifacts.get(proofs)["providers"][name]
        if proof["usable"]:
            drifted = any(check["status"] == "could-not-run" for check in proof["checks"])
            replies[name] = run_replay(source, name, provider, engine, cases, by_case=drifted)
    return Answers(proofs, replies)


def _published(source: Source, request: RunRequest, engine: Engine, drift: DriftPolicy, answer: Answer) -> dict[str, bytes]:
    _known_metrics(source)
    providers = selected(source, request.providers)
    cases = run_load(source, engine, request.sample, request.seed)
    answers = answer(source, request, engine, providers, cases, drift)
    facts = _facts(source, request, cases.rows, drift).model_dump(mode="json")
    scores = {f"{name}.scores": run_score(source, name, engine, cases, replies) for name, replies in answers.replies.items()}
    judgement = _judged(source, providers, engine, answers, scores, facts)
    report = engine(StageCall(PUBLISH, source.suite.kind, {"judgement": judgement, **scores}, {"facts": facts}))
    files: dict[str, bytes] = engine.artifacts.get(report)
    return files


def run_replay(source: Source, name: str, provider: Provider, engine: Engine, cases: Ref, *, by_case: bool = False) -> Ref:
    """The replay stage of one provider."""
    cassette = _recording(source, name, engine)[f"{name}.cassette"]
    inputs = {"cases": cases, "cassette": cassette, **_contract(source, engine)}
    params: dict[str, Any] = {
        "provider": provider.model_dump(mode="json"),
        "shown": Place(source.root, source.suite.suite, source.suite.version, name).shown,
        "by_case": by_case,
    }
    return engine(StageCall(REPLAY, source.suite.kind, inputs, params, name))


def run_score(source: Source, name: str, engine: Engine, cases: Ref, replies: Ref) -> Ref:
    """The score stage of one provider."""
    roles = _roles(source, scoring_part(source.suite.kind).FILES)
    files: dict[str, Any] = {role: source.files[role][0] for role in roles}
    inputs = {source.files[role][0]: engine.artifacts.put_bytes(source.files[role][1]) for role in roles}
    return engine(StageCall(SCORE, source.suite.kind, {"cases": cases, "replies": replies, **inputs}, {"files": files}, name))


def _judged(
    source: Source,
    providers: Mapping[str, Provider],
    engine: Engine,
    answers: Answers,
    scores: Mapping[str, Ref],
    facts: dict[str, Any],
) -> Ref:
    inputs = {"proofs": answers.proofs, **scores}
    inputs |= {f"{name}.replies": replies for name, replies in answers.replies.items()}
    if source.baseline is not None:
        inputs["baseline"] = engine.artifacts.put_bytes(source.baseline)
    params: dict[str, Any] = {
        "facts": facts,
        "providers": {name: provider.model_dump(mode="json") for name, provider in providers.items()},
        "declared": {name: provider.enforcement for name, provider in source.suite.providers.items()},
        "notes": {name: list(notes) for name, notes in answers.notes.items()},
        "stability": {name: dict(cases) for name, cases in answers.stability.items()},
    }
    return engine(StageCall(GATE, source.suite.kind, inputs, params))


def _known_metrics(source: Source) -> None:
    """Raise InputError when the gate names a metric that the kind does not measure."""
    known = scoring_part(source.suite.kind).MEASURES
    where = f"{source.shown}/suite.yaml: gate.metrics"
    raise_all(
        [
            Problem(where, "unknown metric", name, f"one of {', '.join(known)}", nearest(name, known))
            for name in source.suite.gate.metrics
            if name not in known
        ],
        where,
    )


def _facts(source: Source, request: RunRequest, cases: int, drift: DriftPolicy) -> RunFacts:
    suite, scoring = source.suite, scoring_part(source.suite.kind)
    calibration = source.files.get("calibration")
    overrides = tuple(f"--set {override}" for override in request.overrides)
    return RunFacts(
        suite=suite.suite,
        version=suite.version,
        kind=suite.kind,
        title=suite.title,
        synthetic=suite.synthetic,
        mode=request.mode,
        cases=cases,
        sample=request.sample,
        overrides=(*overrides, "contract drift is allowed") if drift == "allow" else overrides,
        rule=suite.gate,
        measures=dict(scoring.MEASURES),
        calibration=record(calibration[1], calibration[0], Calibration) if calibration else None,
        text_normaliser=scoring.TEXT_NORMALISER,
    )


def _contract(source: Source, engine: Engine) -> dict[str, Ref]:
    put = engine.artifacts.put_bytes
    return {"prompt": put(source.prompt.encode()), "schema": put(source.response_schema.encode())}


def _recording(source: Source, name: str, engine: Engine) -> dict[str, Ref]:
    found = read_recording(Place(source.root, source.suite.suite, source.suite.version, name))
    if found is None:
        return {}
    put = engine.artifacts.put_bytes
    return {f"{name}.manifest": put(found[0]), f"{name}.cassette": put(found[1])}


def _roles(source: Source, wanted: tuple[str, ...]) -> tuple[str, ...]:
    """`wanted`, all of them declared. Raises UsageError for the first that suite.yaml lacks."""
    for role in wanted:
        if role not in source.files:
            where = f"{source.shown}/suite.yaml: files"
            raise UsageError(Problem(where, f"names no {role!r} file", expected=f"all of {', '.join(wanted)}"))
    return wanted


def _is_bare(error: UserError, source: Source) -> bool:
    """Whether the error names files of the suite relative to its folder."""
    names = tuple({"baseline.json", *(name for name, _ in source.files.values())})
    return all(problem.where.startswith(names) for problem in error.problems)
