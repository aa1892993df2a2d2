"""Targets that rest on a model: asked live, and recorded."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from assay.contract import record_command
from assay.digest import sha256_hex
from assay.errors import Incomplete, Problem, Refused
from assay.model.exchange import FileFacts, TargetManifest
from assay.model.gold import GoldCase
from assay.model.suite import Provider
from assay.model.target import RecordableTarget, TargetContext, TargetRecording
from assay.providers.budget import BudgetSpent
from assay.redaction import refuse_secrets, suite_secrets
from assay.stores.cassettes import write_recording
from assay.stores.goldsets import Source
from assay.stores.targets import imported
from flows.chain import run_load, target_files
from flows.recording import Asking, budget_for
from tasks._engine import Engine
from tasks.replay_targets import answers_of


def record_target(source: Source, name: str, provider: Provider, home: Path, now: datetime, asking: Asking) -> TargetManifest:
    """Ask the model behind a target for all that replay needs, and replace its recording. Raises UserError."""
    if not provider.asks_model:
        told = "answers in process, so there is nothing to record"
        raise Refused(Problem(f"provider {name}", told, remedy="`assay run` computes it anew each time."))
    engine = Engine(home)
    cases = [GoldCase.model_validate(row) for row in engine.artifacts.get(run_load(source, engine))]
    body, recording = asked(source, name, provider, cases, home, asking)
    failed = [case for case, (outcome,) in body["replies"].items() if "reason" in outcome]
    if failed:
        reason = str(body["replies"][failed[0]][0]["reason"]).splitlines()[-1]
        raise Refused(Problem(f"provider {name}", f"failed on {len(failed)} of {len(cases)} cases ({failed[0]}: {reason})"))
    manifest = manifest_of_target(source, name, provider, recording, now)
    refuse_secrets(f"recording of {name}", manifest.model_dump(mode="json"), suite_secrets(source.suite, asking.environ))
    write_recording(source.place(name), manifest, recording.body)
    return manifest


def asked(
    source: Source, name: str, provider: Provider, cases: Sequence[GoldCase], home: Path, asking: Asking
) -> tuple[dict[str, Any], TargetRecording]:
    """A target's answers with its model asked, as the score stage reads them, and what they rested on.

    Raises Incomplete at a limit: half of a target's answers are no recording.
    """
    where = f"{source.shown}/suite.yaml: providers.{name}.target"
    imported(source.root, where, provider.target or "")
    context = TargetContext(
        cases=cases,
        provider=provider,
        files={role: (file, source.files[role][1]) for role, file in target_files(source).items()},
        options=source.suite.options,
        mode="live",
        environ=asking.environ,
        home=home,
        budget=budget_for(name, provider, asking),
    )
    try:
        body, target = answers_of(context, told=asking.progress)
    except BudgetSpent as spent:
        raise Incomplete(Problem(f"provider {name}", f"stopped ({spent})", remedy="Raise the limit and run again.")) from None
    if not isinstance(target, RecordableTarget):
        raise Refused(Problem(where, "gives no `recording()`, so its model cannot be recorded", provider.target))
    recording, secrets = target.recording(), suite_secrets(source.suite, asking.environ)
    refuse_secrets(f"{name}: replies", body, secrets)
    refuse_secrets(f"{name}: recording", recording.body.decode("utf-8", "replace"), secrets)
    return body, recording


def manifest_of_target(
    source: Source, name: str, provider: Provider, recording: TargetRecording, now: datetime
) -> TargetManifest:
    """The provenance of what was just asked."""
    return TargetManifest(
        format=1,
        suite=source.suite.suite,
        gold_version=source.suite.version,
        provider=name,
        cassette_kind=f"live_{name}_recorded",
        model_asked=provider.model,
        model_served=recording.model_served,
        recorded_at=now.isoformat(timespec="seconds"),
        recorded_by=record_command(source.suite.suite, name, oracle=False),
        body=FileFacts(sha256=sha256_hex(recording.body), rows=recording.rows),
        identity=dict(recording.identity),
    )
