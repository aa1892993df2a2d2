"""The six stages of every run, plain: what both engines run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from assay.contract import DriftPolicy
from assay.errors import Problem, UsageError, UserError, nearest
from assay.model.baseline import Calibration, Chance
from assay.model.ports import (
    EVERY_OTHER,
    advisory_files_in,
    advisory_in,
    calibration_part,
    cases_part,
    imports_of,
    scoring_part,
)
from assay.model.report import RunFacts
from assay.model.run import RunRequest
from assay.model.suite import Provider
from assay.reading import raise_all, record
from assay.reporting.page.rendering import read_templates
from assay.stores.artifacts import Ref
from assay.stores.code import code_digest
from assay.stores.goldsets import Source
from assay.stores.targets import make_importable, target_digest, versions_behind
from assay.target_contract import states_a_version
from flows.answers import Answer, Answers
from tasks._engine import Engine, stage_digest
from tasks._stage import StageCall
from tasks.gate import GATE
from tasks.load import LOAD
from tasks.publish import PUBLISH
from tasks.replay import REPLAY
from tasks.replay_targets import REPLAY_TARGETS
from tasks.score import SCORE, SELFTEST
from tasks.verify import VERIFY

CONTROLS = "controls"
"""The group in which all controls are answered and scored, so that they cost two stages however many there are."""


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
    params: dict[str, Any] = {"files": files, "sample": sample, "seed": seed}
    return engine(StageCall(LOAD, source.suite.kind, _put(source, engine, files), params))


def run_verify(source: Source, providers: Mapping[str, Provider], engine: Engine, cases: Ref, drift: DriftPolicy) -> Ref:
    """The verify stage: proofs for the given providers over all gold cases."""
    suite = source.suite
    part = calibration_part(suite.kind)
    make_importable(source.root)
    gold = contract_files(source)
    setting = gold | {role: source.files[role][0] for role in _roles(source, part.FILES)}
    inputs = {"cases": cases, **_put(source, engine, setting), **_contract(source, engine)}
    for name in providers:
        inputs |= recording_of(source, name, engine)
    params: dict[str, Any] = {
        "suite": suite.suite,
        "version": suite.version,
        "files": list(gold.values()),
        "setting_files": setting,
        "providers": {name: provider.model_dump(mode="json") for name, provider in providers.items()},
        "subjects": {name: provider.model_dump(mode="json") for name, provider in suite.subjects.items()},
        "options": suite.options,
        "constants": suite.constants,
        "shown": {name: source.place(name).shown.removesuffix(f".{source.place(name).suffix}") for name in providers},
        "drift": drift,
        "packages": {name: packages_of(source, name, provider) for name, provider in providers.items()},
        "calibration_code": code_digest(*part.CODE) if part.CODE else "",
    }
    return engine(StageCall(VERIFY, suite.kind, inputs, params))


def run_replay(source: Source, name: str, provider: Provider, engine: Engine, cases: Ref, *, by_case: bool = False) -> Ref:
    """The replay stage of one recorded model."""
    cassette = recording_of(source, name, engine)[f"{name}.cassette"]
    inputs = {"cases": cases, "cassette": cassette, **_contract(source, engine)}
    params: dict[str, Any] = {
        "name": name,
        "provider": provider.model_dump(mode="json"),
        "shown": source.place(name).shown,
        "by_case": by_case,
    }
    return engine(StageCall(REPLAY, source.suite.kind, inputs, params, name))


def run_targets(
    source: Source, group: str, providers: Mapping[str, Provider], engine: Engine, cases: Ref, replies: Mapping[str, Ref]
) -> Ref:
    """The replay stage of targets: their code runs in process."""
    return engine(targets_call(source, group, providers, engine, cases, replies))


def targets_call(
    source: Source, group: str, providers: Mapping[str, Provider], engine: Engine, cases: Ref, replies: Mapping[str, Ref]
) -> StageCall:
    """The replay stage of targets with all that it depends on. `replies` holds what controls may be made from."""
    inputs = {"cases": cases}
    for name, provider in providers.items():
        inputs |= {key: ref for key, ref in recording_of(source, name, engine).items() if key.endswith(".cassette")}
        if provider.of and provider.of in replies:
            inputs[f"{name}.of"] = replies[provider.of]
    files = target_files(source)
    params: dict[str, Any] = {
        "providers": {name: provider.model_dump(mode="json") for name, provider in providers.items()},
        "files": files,
        "options": source.suite.options,
        "code": {name: _target_code(source, name, provider) for name, provider in providers.items()},
    }
    return StageCall(REPLAY_TARGETS, source.suite.kind, inputs | _put(source, engine, files), params, group)


def run_score(source: Source, group: str, engine: Engine, cases: Ref, replies: Ref) -> Ref | None:
    """The score stage of a group of providers; none where nobody in it could answer at all."""
    answered = [name for name, one in engine.artifacts.get(replies)["providers"].items() if "*" not in one["misses"]]
    if not answered:
        return None
    part = scoring_part(source.suite.kind)
    files = {role: source.files[role][0] for role in _roles(source, part.FILES)}
    inputs = {"cases": cases, "replies": replies, **_put(source, engine, files)}
    where = f"{source.shown}/suite.yaml: options"
    params: dict[str, Any] = {
        "files": files,
        "options": source.suite.options,
        "providers": answered,
        "code": {name: target_digest(source.root, where, name) for name in imports_of(part, source.suite.options)},
    }
    return engine(StageCall(SCORE, source.suite.kind, inputs, params, group))


def selected(source: Source, names: tuple[str, ...]) -> dict[str, Provider]:
    """The declared providers of these names with all controls; every provider when no name is given. Raises UsageError."""
    declared = source.suite.providers
    for name in names:
        if name not in declared:
            raise UsageError(
                Problem("--provider", "unknown provider", name, f"one of {', '.join(declared)}", nearest(name, declared))
            )
    wanted = {*names, *source.suite.controls}
    return {name: provider for name, provider in declared.items() if not names or name in wanted}


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
    found = engine.artifacts.get(proofs)["providers"]
    usable = {name: provider for name, provider in providers.items() if found[name]["usable"]}
    replies: dict[str, Ref] = {}
    for name, provider in usable.items():
        if name in source.suite.subjects:
            drifted = any(check["status"] == "could-not-run" for check in found[name]["checks"])
            replies[name] = _replayed(source, name, provider, engine, cases, drifted=drifted)
    return Answers(proofs, replies, material=replies)


def target_files(source: Source) -> dict[str, str]:
    """The gold files that targets are built from, by role: the kind's, and those that only a target knows."""
    roles = [*_roles(source, cases_part(source.suite.kind).TARGET_FILES), *_roles_of_answers(source)]
    return {role: source.files[role][0] for role in roles}


def contract_files(source: Source) -> dict[str, str]:
    """The files that answers depend on, by role: the kind's gold files, and those that only a target knows."""
    roles = [*_roles(source, cases_part(source.suite.kind).REQUIRED_FILES), *_roles_of_answers(source)]
    return {role: source.files[role][0] for role in roles}


def _roles_of_answers(source: Source) -> list[str]:
    """Roles that the kind does not know and that an answer may depend on."""
    advisory = advisory_files_in(scoring_part(source.suite.kind), source.suite.options)
    return [role for role in _foreign_roles(source) if role not in advisory]


def _foreign_roles(source: Source) -> list[str]:
    """Roles of the suite's files that the kind does not know."""
    kind = source.suite.kind
    known = {*cases_part(kind).REQUIRED_FILES, *calibration_part(kind).FILES, *scoring_part(kind).FILES, "calibration"}
    return [role for role in source.files if role not in known]


def _replayed(source: Source, name: str, provider: Provider, engine: Engine, cases: Ref, *, drifted: bool) -> Ref:
    if provider.target:
        return run_targets(source, name, {name: provider}, engine, cases, {})
    return run_replay(source, name, provider, engine, cases, by_case=drifted)


def _published(source: Source, request: RunRequest, engine: Engine, drift: DriftPolicy, answer: Answer) -> dict[str, bytes]:
    _known_metrics(source)
    kind, providers = source.suite.kind, selected(source, request.providers)
    trial = StageCall(SELFTEST, kind, {}, {}, "self-test")
    cases = run_load(source, engine, request.sample, request.seed)
    tried = engine(trial) if request.mode == "live" else None  # nothing is asked for numbers that would not be believed
    answers = answer(source, request, engine, providers, cases, drift)
    controls = _answerable(source, providers, engine, answers)
    if controls and not engine.knows(targets_call(source, CONTROLS, controls, engine, cases, answers.material)):
        engine.ahead(lambda other: _run_controls(source, controls, other, cases, answers.material))
    try:
        selftest = tried or engine(trial)
        is_believed = all(check["status"] == "kept" for check in engine.artifacts.get(selftest))
        scored = {
            group: run_score(source, group, engine, answers.cases.get(group, cases), ref)
            for group, ref in answers.replies.items()
            if is_believed
        }
    finally:
        engine.catch_up(lambda: _read_ahead(kind))
    replies = dict(answers.replies)
    if controls and is_believed:
        replies[CONTROLS], scored[CONTROLS] = _run_controls(source, controls, engine, cases, answers.material)
    scores = {f"{group}.scores": ref for group, ref in scored.items() if ref is not None}
    answers = replace(answers, replies=replies)
    chance = engine.artifacts.get(answers.proofs)["chance"]
    facts = _facts(source, request, cases.rows, drift, chance).model_dump(mode="json")
    judgement = _judged(source, providers, engine, answers, {"selftest": selftest, **scores}, facts)
    report = engine(StageCall(PUBLISH, kind, {"judgement": judgement, **scores}, {"facts": facts}))
    files: dict[str, bytes] = engine.artifacts.get(report)
    return files


def _read_ahead(kind: str) -> None:
    """What judging and publishing take whatever the scores are: done while a second process is at work on the controls."""
    for stage in (GATE, PUBLISH):
        stage_digest(stage, kind)
    read_templates()


def _answerable(source: Source, providers: Mapping[str, Provider], engine: Engine, answers: Answers) -> dict[str, Provider]:
    """The controls of this run that may be answered: proven, and with the replies that they are made from."""
    proofs = engine.artifacts.get(answers.proofs)["providers"]
    return {
        name: provider
        for name, provider in providers.items()
        if name in source.suite.controls and proofs[name]["usable"] and (provider.of is None or provider.of in answers.material)
    }


def _run_controls(
    source: Source, controls: Mapping[str, Provider], engine: Engine, cases: Ref, replies: Mapping[str, Ref]
) -> tuple[Ref, Ref | None]:
    """All controls, answered in one stage and scored in one."""
    answered = run_targets(source, CONTROLS, controls, engine, cases, replies)
    return answered, run_score(source, CONTROLS, engine, cases, answered)


def _judged(
    source: Source,
    providers: Mapping[str, Provider],
    engine: Engine,
    answers: Answers,
    found: Mapping[str, Ref],
    facts: dict[str, Any],
) -> Ref:
    inputs = {"proofs": answers.proofs, **found}
    inputs |= {f"{group}.replies": replies for group, replies in answers.replies.items()}
    if source.baseline is not None:
        inputs["baseline"] = engine.artifacts.put_bytes(source.baseline)
    params: dict[str, Any] = {
        "facts": facts,
        "providers": {name: provider.model_dump(mode="json") for name, provider in providers.items()},
        "group": dict.fromkeys(source.suite.controls, CONTROLS),
        "declared": {name: provider.enforcement for name, provider in source.suite.subjects.items()},
        "notes": {name: list(notes) for name, notes in answers.notes.items()},
        "stability": {name: dict(cases) for name, cases in answers.stability.items()},
        "skipped": dict(answers.skipped),
        "cut": dict(answers.cut),
    }
    return engine(StageCall(GATE, source.suite.kind, inputs, params))


def _known_metrics(source: Source) -> None:
    """Raise InputError when the suite names a metric that the kind does not measure."""
    suite = source.suite
    known = scoring_part(suite.kind).measures(suite.options)
    where = f"{source.shown}/suite.yaml"
    named = {f"{where}: gate.{part}": list(getattr(suite.gate, part)) for part in ("metrics", "floors", "ceilings")}
    named |= {f"{where}: providers.{name}.control": [p.control.metric] for name, p in suite.controls.items() if p.control}
    unproven = advisory_in(scoring_part(suite.kind), suite.options)
    problems = [
        Problem(place, "unknown metric", name, f"one of {', '.join(known)}", nearest(name, known))
        for place, names in named.items()
        for name in names
        if name not in known
    ]
    problems += [
        Problem(place, "is advisory until it has been calibrated, so it cannot be gated", name)
        for place, names in named.items()
        for name in names
        if name in unproven
    ]
    problems += [
        Problem(f"{where}: providers.{name}.control", "is better when it is lower, so it shows no control", p.control.metric)
        for name, p in suite.controls.items()
        if p.control and p.role != "trivial_strategy" and p.control.metric in known
        if known[p.control.metric].direction == "lower"
    ]
    raise_all(problems, where)


def _facts(source: Source, request: RunRequest, cases: int, drift: DriftPolicy, chance: Mapping[str, Any]) -> RunFacts:
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
        is_foreign=request.goldset is not None,
        overrides=(*overrides, "contract drift is allowed") if drift == "allow" else overrides,
        rule=suite.gate,
        measures=dict(scoring.measures(suite.options)),
        calibration=record(calibration[1], calibration[0], Calibration) if calibration else None,
        chance={name: Chance.model_validate(found) for name, found in chance.items()},
        advisory=tuple(sorted(advisory_in(scoring, suite.options))),
        text_normaliser=scoring.TEXT_NORMALISER,
    )


def _put(source: Source, engine: Engine, files: Mapping[str, str]) -> dict[str, Ref]:
    return {name: engine.artifacts.put_bytes(source.files[role][1]) for role, name in files.items()}


def _contract(source: Source, engine: Engine) -> dict[str, Ref]:
    put = engine.artifacts.put_bytes
    return {"prompt": put(source.prompt.encode()), "schema": put(source.response_schema.encode())}


def recording_of(source: Source, name: str, engine: Engine) -> dict[str, Ref]:
    """Manifest and body of a provider's recording, where there is one."""
    found = source.recording(name)
    if found is None:
        return {}
    put = engine.artifacts.put_bytes
    return {f"{name}.manifest": put(found[0]), f"{name}.cassette": put(found[1])}


def packages_of(source: Source, name: str, provider: Provider) -> dict[str, str | None]:
    """The installed versions of what a target comes from, where its model states any. Raises InputError."""
    if provider.target is None or not states_a_version(provider):
        return {}
    return versions_behind(source.root, _where_of(source, name), provider.target)


def _target_code(source: Source, name: str, provider: Provider) -> str:
    return target_digest(source.root, _where_of(source, name), provider.target or "")


def _where_of(source: Source, name: str) -> str:
    return f"{source.shown}/suite.yaml: providers.{name}.target"


def _roles(source: Source, wanted: tuple[str, ...]) -> tuple[str, ...]:
    """`wanted`, all declared; `*` is every file that the kind does not know. Raises UsageError for the first missing."""
    named = tuple(role for role in wanted if role != EVERY_OTHER)
    for role in named:
        if role not in source.files:
            where = f"{source.shown}/suite.yaml: files"
            raise UsageError(Problem(where, f"names no {role!r} file", expected=f"all of {', '.join(named)}"))
    return (*named, *(_foreign_roles(source) if EVERY_OTHER in wanted else ()))


def _is_bare(error: UserError, source: Source) -> bool:
    """Whether the error names files of the suite relative to its folder."""
    names = tuple({"baseline.json", *(name for name, _ in source.files.values())})
    return all(problem.where.startswith(names) for problem in error.problems)
