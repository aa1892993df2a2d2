"""Live answers: providers are asked in place of their recordings, through a memo so that a second look is free."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path

from pydantic import ValidationError

from assay.contract import DriftPolicy
from assay.errors import Incomplete, Problem, UsageError
from assay.model.exchange import Exchange, Manifest, Outcome, Request, TargetManifest
from assay.model.gold import GoldCase
from assay.model.report import Proof, Recording
from assay.model.run import RunRequest
from assay.model.suite import SUBJECT, Provider
from assay.model.target import TargetRecording
from assay.model.verdict import Check
from assay.providers.budget import Budget, Limits
from assay.providers.client import endpoint_of
from assay.reading import record
from assay.redaction import refuse_secrets, suite_secrets
from assay.stores.artifacts import Body, Ref
from assay.stores.cassettes import exchange_lines, file_facts, read_recording
from assay.stores.goldsets import Source
from assay.stores.memo import Memo
from assay.stores.scores import outcomes_in
from assay.target_contract import RecordedBody, TargetOf, verify_target
from flows.chain import Answer, Answers, contract_files, run_replay, run_score, run_targets, run_verify
from flows.recording import Asking, Origin, ask_and_keep, manifest_of, planned_requests
from flows.targets import asked, manifest_of_target
from tasks._engine import Engine
from tasks.verify import gold_digest


def live_answers(home: Path, environ: Mapping[str, str], now: datetime, evidence: dict[str, bytes]) -> Answer:
    """How a chain gets fresh answers. Fills `evidence` with each provider's exchanges and their manifest, by file name."""
    return partial(_answers, home=home, environ=environ, now=now, evidence=evidence)


def _answers(  # noqa: PLR0913  # what every way of answering gets, and what a live one needs besides
    source: Source,
    request: RunRequest,
    engine: Engine,
    providers: Mapping[str, Provider],
    cases: Ref,
    drift: DriftPolicy,
    *,
    home: Path,
    environ: Mapping[str, str],
    now: datetime,
    evidence: dict[str, bytes],
) -> Answers:
    """Every provider's replies. Raises UsageError for a missing key before anything is asked, Incomplete at a limit."""
    models = {name: provider for name, provider in providers.items() if provider.target is None}
    for name, provider in models.items():
        endpoint_of(name, provider, environ)
    targets = {name: provider for name, provider in providers.items() if provider.target}
    skipped = _skipped(targets, request, environ)
    coded = {name: p for name, p in targets.items() if not p.asks_model or name in source.suite.controls}
    verified = engine.artifacts.get(run_verify(source, coded, engine, cases, drift))
    gold = [GoldCase.model_validate(row) for row in engine.artifacts.get(cases)]
    asking = Asking(environ, Budget(Limits(request.max_requests, request.max_usd, request.max_minutes), None))
    proofs, replies, notes, stability = dict(verified["providers"]), dict[str, Ref](), dict[str, list[str]](), {}
    for name, provider in targets.items():
        if name not in source.suite.subjects:
            continue
        if name in coded:
            replies[name] = run_targets(source, name, {name: provider}, engine, cases, {})
            continue
        if name in skipped:
            proofs[name] = skipped[name].model_dump(mode="json")
            continue
        recordings: list[TargetRecording] = []
        replies[name] = engine.uncached(
            "ask", name, partial(_ask_target, source, name, provider, gold, home, asking, recordings)
        )
        recording = recordings[0]
        manifest = manifest_of_target(source, name, provider, recording, now)
        proofs[name] = _target_proof(source, name, provider, manifest).model_dump(mode="json")
        evidence |= {
            f"evidence-{name}.{provider.recorded_as}": recording.body,
            f"evidence-{name}.manifest.json": (manifest.model_dump_json(indent=1) + "\n").encode(),
        }
    for name, provider in models.items():
        rounds: list[Ref] = []
        for repeat in range(request.repeat):
            planned = planned_requests(source, provider, gold, repeat)
            exchanges = _asked(source, name, provider, planned, asking, home, refresh=request.refresh)
            rounds.append(engine.uncached("ask", name, partial(_replies_body, name, planned, exchanges)))
            evidence |= _evidence_files(source, name, provider, gold, list(exchanges.values()), now, repeat)
        replies[name] = rounds[0]
        passed = [_passed(source, name, engine, cases, ref) for ref in rounds]
        stability[name] = stability_of(passed) if request.repeat > 1 else {}
        exchanged = Manifest.model_validate_json(evidence[f"evidence-{name}.manifest.json"])
        proofs[name] = _proof(source, exchanged).model_dump(mode="json")
        flips = _flips(source, name, provider, engine, cases, rounds[0], passed[0])
        notes[name] = [*_stability_note(stability[name], request.repeat), *flips]
    body = {"suite": verified["suite"], "providers": proofs, "chance": verified["chance"]}
    kept = engine.artifacts.put(Body("json", body, len(proofs)))
    return Answers(kept, replies, notes, stability)


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


def _asked(
    source: Source,
    name: str,
    provider: Provider,
    planned: Sequence[tuple[str, Request]],
    asking: Asking,
    home: Path,
    *,
    refresh: bool,
) -> dict[str, Exchange]:
    """Every planned request's exchange by digest, from the memo where it is there. Raises Incomplete at a limit."""
    secrets = suite_secrets(source.suite, asking.environ)
    done: dict[str, Exchange] = {}
    with Memo(home) as memo:
        for _, request in [] if refresh else planned:
            found = _remembered(memo, request.fields.digest)
            if found is not None:
                done[request.fields.digest] = found

        def keep(case_id: str, request: Request, outcome: Outcome) -> None:
            exchange = Exchange.of(case_id, request, outcome)
            refuse_secrets(f"{name}: reply to case {case_id}", exchange.model_dump(mode="json"), secrets)
            if exchange.reply:  # a failure never takes the place of an answer that was paid for
                memo.keep(exchange.request_sha256, exchange.model_dump_json().encode())
            done[exchange.request_sha256] = exchange

        todo = [(case, request) for case, request in planned if request.fields.digest not in done]
        stopped = ask_and_keep(source, name, provider, todo, keep, asking)
    if stopped:
        what = f"stopped ({stopped}); {len(done)} of {len(planned)} requests are answered"
        raise Incomplete(Problem(f"provider {name}", what, remedy="Run again to go on; nothing is asked twice."))
    return {request.fields.digest: done[request.fields.digest] for _, request in planned}


def _remembered(memo: Memo, digest: str) -> Exchange | None:
    """A reply that was paid for; failures are asked again."""
    data = memo.find(digest)
    try:
        exchange = Exchange.model_validate_json(data) if data else None
    except ValidationError:
        return None
    return exchange if exchange and exchange.reply and exchange.request_sha256 == digest else None


def _passed(source: Source, name: str, engine: Engine, cases: Ref, replies: Ref) -> dict[str, bool]:
    table = run_score(source, name, engine, cases, replies)
    outcomes = outcomes_in(engine.artifacts.get(table), name)[0] if table else {}
    return {case: found.passed for case, found in outcomes.items()}


def _skipped(targets: Mapping[str, Provider], request: RunRequest, environ: Mapping[str, str]) -> dict[str, Proof]:
    """Targets that cannot be asked here: those that nobody named and that gate nothing are left out, and the report says so.

    Raises UsageError for any other without its key or address, before anything is asked.
    """
    found = {}
    for name, provider in targets.items():
        if not provider.asks_model or provider.live is None or provider.role != SUBJECT:
            continue
        try:
            endpoint_of(name, provider, environ)
        except UsageError as error:
            if provider.enforcement == "ci" or name in request.providers:
                raise
            check = Check(name="live", status="could-not-run", message=f"skipped: {error}")
            found[name] = Proof(checks=(check,), usable=False, recording=None)
    return found


def _ask_target(  # what asking takes, and where its recording goes
    source: Source,
    name: str,
    provider: Provider,
    gold: Sequence[GoldCase],
    home: Path,
    asking: Asking,
    recordings: list[TargetRecording],
) -> Body:
    body, recording = asked(source, name, provider, gold, home, asking)
    recordings.append(recording)
    return Body("json", {"providers": {name: body}}, len(body["replies"]))


def _target_proof(source: Source, name: str, provider: Provider, manifest: TargetManifest) -> Proof:
    gold = gold_digest({name: file_facts(source.files[role][1]) for role, name in contract_files(source).items()})
    place = TargetOf(source.suite.suite, source.suite.version, name, gold)
    return verify_target(place, provider, RecordedBody(manifest, manifest.body))


def _replies_body(name: str, planned: Sequence[tuple[str, Request]], exchanges: Mapping[str, Exchange]) -> Body:
    """What the score stage reads, the same as from a replay."""
    replies: dict[str, list[object]] = {}
    for case_id, request in planned:
        outcome = exchanges[request.fields.digest].outcome
        replies.setdefault(case_id, []).append(outcome.model_dump(mode="json"))
    body = {"replies": replies, "misses": {}, "unused": [], "checks": []}
    return Body("json", {"providers": {name: body}}, len(planned))


def _evidence_files(
    source: Source,
    name: str,
    provider: Provider,
    gold: Sequence[GoldCase],
    exchanges: Sequence[Exchange],
    now: datetime,
    repeat: int,
) -> dict[str, bytes]:
    origin = Origin(f"live_{name}_recorded", now, f"assay run {source.suite.suite} --mode live")
    manifest = manifest_of(source, name, provider, gold, exchanges, origin)
    stem = f"evidence-{name}" + (f"-repeat{repeat}" if repeat else "")
    return {
        f"{stem}.jsonl": exchange_lines(exchanges),
        f"{stem}.manifest.json": (manifest.model_dump_json(indent=1) + "\n").encode(),
    }


def _proof(source: Source, manifest: Manifest) -> Proof:
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


def _flips(
    source: Source,
    name: str,
    provider: Provider,
    engine: Engine,
    cases: Ref,
    fresh: Ref,
    passed: Mapping[str, bool],
) -> list[str]:
    """How far the fresh answers are from the committed recording, where there is a live one."""
    place = source.place(name)
    found = read_recording(place)
    manifest = record(found[0], place.shown_manifest, Manifest) if found else None
    if manifest is None or manifest.is_oracle:
        return []
    replies = run_replay(source, name, provider, engine, cases)
    recorded = _passed(source, name, engine, cases, replies)
    flipped = sum(recorded[case] != now for case, now in passed.items())
    before, after = (engine.artifacts.get(ref)["providers"][name]["replies"] for ref in (replies, fresh))
    pairs = [pair for case in before for pair in zip(before[case], after.get(case, []), strict=False)]
    differing = sum(old.get("text") != new.get("text") for old, new in pairs)
    return [
        f"flip rate against the recording of {manifest.recorded_at[:10]}: {flipped} of {len(passed)} cases changed between "
        f"pass and fail, {differing} of {len(pairs)} replies differ in text"
    ]
