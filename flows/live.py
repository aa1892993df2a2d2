"""Live answers: providers are asked in place of their recordings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from pathlib import Path

from assay.contract import DriftPolicy
from assay.errors import Incomplete, UsageError
from assay.model.evidence import TOO_SOON
from assay.model.exchange import Exchange, Manifest, TargetManifest
from assay.model.gold import GoldCase
from assay.model.report import Proof, Recording
from assay.model.run import RunRequest
from assay.model.suite import Provider
from assay.model.target import TargetRecording
from assay.model.verdict import Check
from assay.providers.budget import Budget, Limits
from assay.providers.client import endpoint_of
from assay.reading import record
from assay.reporting.asking import told_on_stderr
from assay.stores.artifacts import Body, Ref
from assay.stores.cassettes import exchange_lines, file_facts, read_recording
from assay.stores.goldsets import Source
from assay.stores.scores import outcomes_in
from assay.target_contract import RecordedBody, TargetOf, verify_target
from flows.answers import Answer, Answers
from flows.chain import contract_files, packages_of, recorded_answers, run_replay, run_score, run_targets, run_verify
from flows.fresh import Fresh, Wanted, fresh_replies
from flows.recording import Asking, Origin, manifest_of
from flows.targets import asked as answers_and_recording
from flows.targets import manifest_of_target
from tasks._engine import Engine
from tasks.verify import gold_digest


@dataclass(frozen=True)
class Desk:
    """Where a live run works: its cache, its environment and its time."""

    home: Path
    environ: Mapping[str, str]
    now: datetime
    files: dict[str, bytes]
    """Filled with each provider's exchanges and their manifest, by file name."""


@dataclass(frozen=True)
class Question:
    """One provider that is to be asked for these cases, within this budget."""

    source: Source
    name: str
    provider: Provider
    request: RunRequest
    engine: Engine
    cases: Ref
    gold: Sequence[GoldCase]
    """The same cases."""
    asking: Asking
    desk: Desk


@dataclass(frozen=True)
class Answered:
    """What one provider answered, or why it was skipped."""

    proof: Proof
    replies: Ref | None = None
    cases: Ref | None = None
    cut: str | None = None
    skipped: str | None = None
    notes: tuple[str, ...] = ()
    stability: Mapping[str, str] = field(default_factory=dict)


def live_answers(desk: Desk) -> Answer:
    """How a chain gets fresh answers."""
    return partial(_answers, desk=desk)


def _answers(  # what every way of answering gets, and where a live one works
    source: Source,
    request: RunRequest,
    engine: Engine,
    providers: Mapping[str, Provider],
    cases: Ref,
    drift: DriftPolicy,
    *,
    desk: Desk,
) -> Answers:
    """Every provider's replies. Raises UsageError for a missing key before anything is asked, Incomplete at a limit.

    With a period neither is raised: who cannot be reached is skipped by name, and a limit cuts the asking short.
    """
    subjects = {name: provider for name, provider in providers.items() if name in source.suite.subjects}
    fresh = {name: provider for name, provider in subjects.items() if provider.target is None or provider.asks_model}
    skipped = _unreachable(fresh, request, desk)
    coded = {name: provider for name, provider in providers.items() if name not in fresh}
    verified = engine.artifacts.get(run_verify(source, coded, engine, cases, drift))
    gold = [GoldCase.model_validate(row) for row in engine.artifacts.get(cases)]
    limits = Limits(request.max_requests, request.max_usd, request.max_minutes)
    budget = Budget(limits, None)
    found = {name: _skipped(why) for name, why in skipped.items()}
    for name, provider in fresh.items():
        if name not in skipped:
            own = Budget(_applicable(limits, provider), None) if request.period else budget
            ask = _ask_target if provider.target else _ask_model
            asking = Asking(desk.environ, own, progress=told_on_stderr(name))
            found[name] = ask(Question(source, name, provider, request, engine, cases, gold, asking, desk))
    replies = {name: run_targets(source, name, {name: p}, engine, cases, {}) for name, p in subjects.items() if name in coded}
    replies |= {name: answered.replies for name, answered in found.items() if answered.replies is not None}
    proofs = verified["providers"] | {name: answered.proof.model_dump(mode="json") for name, answered in found.items()}
    body = {"suite": verified["suite"], "providers": proofs, "chance": verified["chance"]}
    cut = {name: answered.cut for name, answered in found.items() if answered.cut}
    whole = {name: ref for name, ref in replies.items() if name not in cut}
    return Answers(
        proofs=engine.artifacts.put(Body("json", body, len(proofs))),
        replies=replies,
        material=_recorded_material(source, request, engine, providers, cases, drift, whole) | whole,
        notes={name: list(answered.notes) for name, answered in found.items()},
        stability={name: dict(answered.stability) for name, answered in found.items()},
        skipped={name: answered.skipped for name, answered in found.items() if answered.skipped},
        cut=cut,
        cases={name: answered.cases for name, answered in found.items() if answered.cases is not None},
    )


def _unreachable(providers: Mapping[str, Provider], request: RunRequest, desk: Desk) -> dict[str, str]:
    """Providers without key or address, with the reason; nothing ever stands in for them.

    Raises UsageError before anything is asked, but for a run that nobody waits for and for targets that nobody named
    and that gate nothing.
    """
    found = {}
    for name, provider in providers.items():
        if provider.target and provider.live is None:
            continue  # its model runs on this machine
        try:
            endpoint_of(name, provider, desk.environ)
        except UsageError as error:
            is_optional = provider.target and provider.enforcement == "manual" and name not in request.providers
            if request.period is None and not is_optional:
                raise
            found[name] = error.problems[0].what
    return found


def _applicable(limits: Limits, provider: Provider) -> Limits:
    """One provider's limits where each has its own: money only where it has a price."""
    is_priced = provider.live is not None and provider.live.price is not None
    return limits if is_priced else replace(limits, max_usd=None)


def _skipped(why: str) -> Answered:
    check = Check(name="live", status="could-not-run", message=f"skipped: {why}")
    return Answered(Proof(checks=(check,), usable=False, recording=None), skipped=why)


def _recorded_material(  # what every way of answering gets, and what was answered whole
    source: Source,
    request: RunRequest,
    engine: Engine,
    providers: Mapping[str, Provider],
    cases: Ref,
    drift: DriftPolicy,
    whole: Mapping[str, Ref],
) -> dict[str, Ref]:
    """Recorded replies for controls that are made from a provider which this run has no whole answers of.

    A control tries the measures, not the model, so that a recording serves it as well.
    """
    wanted = {provider.of for provider in providers.values() if provider.of} - set(whole)
    needed = {name: provider for name, provider in providers.items() if name in wanted}
    return dict(recorded_answers(source, request, engine, needed, cases, drift).replies) if needed else {}


def _ask_model(asked: Question) -> Answered:
    """A recorded model, asked as often as wanted; only the first asking is judged."""
    source, name, request, desk, engine = asked.source, asked.name, asked.request, asked.desk, asked.engine
    wanted = Wanted(name, asked.provider, asked.gold, request.refresh, request.period, request.seed)
    rounds: list[tuple[Fresh, Ref]] = []
    for repeat in range(request.repeat):
        fresh = fresh_replies(source, wanted, asked.asking, desk.home, repeat)
        if not fresh.gold or (fresh.stopped and rounds):
            break  # a further asking that a limit cuts tells nothing of stability
        rounds.append((fresh, engine.uncached("ask", name, partial(_replies_body, name, fresh))))
        desk.files.update(_evidence_files(source, name, asked.provider, fresh, desk.now, repeat))
    if not rounds:
        return _skipped(f"{fresh.stopped} {TOO_SOON}")
    first, replies = rounds[0]
    part = _part_of(asked.cases, first, engine) if first.stopped else None
    passed = [_passed(source, name, engine, part or asked.cases, ref) for _, ref in rounds]
    stability = stability_of(passed) if len(rounds) > 1 else {}
    manifest = Manifest.model_validate_json(desk.files[f"evidence-{name}.manifest.json"])
    cut = f"{first.stopped}: {len(first.gold)} of {len(asked.gold)} cases were asked" if first.stopped else None
    notes = (*_stability_note(stability, len(rounds)), *_flips(asked, replies, passed[0]))
    return Answered(_proof(manifest), replies, part, cut, None, notes, stability)


def _ask_target(asked: Question) -> Answered:
    """A target with its model asked. Half of its answers are none, so a limit skips it where the run goes on."""
    source, name, provider, desk = asked.source, asked.name, asked.provider, asked.desk
    recordings: list[TargetRecording] = []

    def ask() -> Body:
        body, recording = answers_and_recording(source, name, provider, asked.gold, desk.home, asked.asking)
        recordings.append(recording)
        return Body("json", {"providers": {name: body}}, len(body["replies"]))

    try:
        replies = asked.engine.uncached("ask", name, ask)
    except Incomplete as error:
        if asked.request.period is None:
            raise
        return _skipped(f"{error.problems[0].what} {TOO_SOON}")
    manifest = manifest_of_target(source, name, provider, recordings[0], desk.now)
    desk.files[f"evidence-{name}.{provider.recorded_as}"] = recordings[0].body
    desk.files[f"evidence-{name}.manifest.json"] = (manifest.model_dump_json(indent=1) + "\n").encode()
    return Answered(_target_proof(source, name, provider, manifest), replies)


def stability_of(rounds: Sequence[Mapping[str, bool]]) -> dict[str, str]:
    """Each case over all askings: passed always, sometimes or never."""
    return {
        case: "stable pass"
        if all(found[case] for found in rounds)
        else "flaky"
        if any(found[case] for found in rounds)
        else "stable fail"
        for case in rounds[0]
    }


def _part_of(cases: Ref, fresh: Fresh, engine: Engine) -> Ref:
    """The cases that were asked, as the load stage gives them."""
    answered = {case.id for case in fresh.gold}
    rows = [row for row in engine.artifacts.get(cases) if row["id"] in answered]
    return engine.artifacts.put(Body("jsonl", rows, len(rows)))


def _passed(source: Source, name: str, engine: Engine, cases: Ref, replies: Ref) -> dict[str, bool]:
    table = run_score(source, name, engine, cases, replies)
    outcomes = outcomes_in(engine.artifacts.get(table), name)[0] if table else {}
    return {case: found.passed for case, found in outcomes.items()}


def _target_proof(source: Source, name: str, provider: Provider, manifest: TargetManifest) -> Proof:
    gold = gold_digest({name: file_facts(source.files[role][1]) for role, name in contract_files(source).items()})
    place = TargetOf(source.suite.suite, source.suite.version, name, gold)
    return verify_target(place, provider, RecordedBody(manifest, manifest.body), packages_of(source, name, provider))


def _replies_body(name: str, fresh: Fresh) -> Body:
    """What the score stage reads, the same as from a replay."""
    replies: dict[str, list[object]] = {}
    for case_id, request in fresh.planned:
        outcome = fresh.exchanges[request.fields.digest].outcome
        replies.setdefault(case_id, []).append(outcome.model_dump(mode="json"))
    body = {"replies": replies, "misses": {}, "unused": [], "checks": []}
    return Body("json", {"providers": {name: body}}, len(fresh.planned))


def _evidence_files(
    source: Source, name: str, provider: Provider, fresh: Fresh, now: datetime, repeat: int
) -> dict[str, bytes]:
    origin = Origin(f"live_{name}_recorded", now, f"assay run {source.suite.suite} --mode live")
    exchanges: list[Exchange] = list(fresh.exchanges.values())
    manifest = manifest_of(source, name, provider, fresh.gold, exchanges, origin)
    stem = f"evidence-{name}" + (f"-repeat{repeat}" if repeat else "")
    return {
        f"{stem}.jsonl": exchange_lines(exchanges),
        f"{stem}.manifest.json": (manifest.model_dump_json(indent=1) + "\n").encode(),
    }


def _proof(manifest: Manifest) -> Proof:
    """Fresh answers are under the present contract by construction; the checks say under which."""
    contract = manifest.contract
    told = f"asked now under prompt {contract.prompt_sha256[:12]}… and schema {contract.schema_sha256[:12]}…"
    return Proof(
        checks=(Check(name="contract", status="kept", message=told),),
        usable=True,
        recording=Recording(
            cassette_kind=manifest.cassette_kind,
            cassette_sha256=manifest.cassette.sha256,
            model_asked=manifest.model_asked,
            model_served=manifest.model_served,
            recorded_at=manifest.recorded_at,
            gold_sha256=gold_digest(manifest.gold_files),
            prompt_sha256=contract.prompt_sha256,
            schema_sha256=contract.schema_sha256,
        ),
    )


def _stability_note(stability: Mapping[str, str], repeat: int) -> list[str]:
    if not stability:
        return []
    counts = {kind: sum(found == kind for found in stability.values()) for kind in ("stable pass", "flaky", "stable fail")}
    return [f"over {repeat} askings: " + ", ".join(f"{count} {kind}" for kind, count in counts.items())]


def _flips(asked: Question, fresh: Ref, passed: Mapping[str, bool]) -> list[str]:
    """How far the fresh answers are from the committed recording, where there is a live one."""
    source, name, engine = asked.source, asked.name, asked.engine
    place = source.place(name)
    found = read_recording(place)
    manifest = record(found[0], place.shown_manifest, Manifest) if found else None
    if manifest is None or manifest.is_oracle:
        return []
    replies = run_replay(source, name, asked.provider, engine, asked.cases)
    recorded = _passed(source, name, engine, asked.cases, replies)
    flipped = sum(recorded[case] != now for case, now in passed.items())
    before, after = (engine.artifacts.get(ref)["providers"][name]["replies"] for ref in (replies, fresh))
    pairs = [pair for case in after for pair in zip(before[case], after[case], strict=False)]
    differing = sum(old.get("text") != new.get("text") for old, new in pairs)
    return [
        f"flip rate against the recording of {manifest.recorded_at[:10]}: {flipped} of {len(passed)} cases changed between "
        f"pass and fail, {differing} of {len(pairs)} replies differ in text"
    ]
