"""Small real objects for tests."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from assay.digest import sha256_hex
from assay.model.baseline import Baseline, Block, Calibration, Chance, Source
from assay.model.exchange import IN_PROCESS, ORACLE, Exchange, Message, Reply, Request
from assay.model.gold import GoldCase
from assay.model.report import Evidence, Recording, RunFacts
from assay.model.score import Measure
from assay.model.suite import Control, Enforcement, GateRule, Provider, Role, Sampling
from assay.model.verdict import CaseOutcome, Metric

ZERO = "0" * 64


def conversation(name: str = "c1", **changes: Any) -> dict[str, Any]:
    """A conversation as it stands in conversations.jsonl."""
    return {
        "id": name,
        "reference_time": "2026-03-14T09:30:00+01:00",
        "languages": ["en"],
        "tags": [],
        "turns": [{"role": "user", "content": "I live in Lyon."}],
        **changes,
    }


def memory(name: str = "c1-m1", case: str = "c1", **changes: Any) -> dict[str, Any]:
    """A memory as it stands in expected_memories.jsonl."""
    return {
        "id": name,
        "conversation_id": case,
        "content": "The user lives in Lyon.",
        "categories": ["factual"],
        "temporal_kind": "indefinite",
        "valid_from": None,
        "valid_until": None,
        "supersedes": None,
        **changes,
    }


def extracted(**changes: Any) -> dict[str, Any]:
    """A memory as a model answers it."""
    row = memory(**changes)
    return {key: value for key, value in row.items() if key not in {"id", "conversation_id"}}


def case(name: str = "c1", *memories: dict[str, Any], **changes: Any) -> GoldCase:
    """A gold case of the extraction suite; without memories it expects nothing."""
    expects_nothing = {} if memories else {"expects_nothing": True}
    return GoldCase(id=name, input=conversation(name, **expects_nothing, **changes), expected={"memories": list(memories)})


def reply(*memories: dict[str, Any], text: str | None = None) -> Reply:
    """A reply with the given memories, or with any text."""
    body = json.dumps({"memories": list(memories)}) if text is None else text
    return Reply(text=body, finish_reason="stop", model_served=None, usage=None, latency_ms=None)


def json_lines(*rows: Mapping[str, Any]) -> bytes:
    """Rows as a JSON-lines file."""
    return b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)


def request(text: str = "hello", model: str = "m", **sampling: Any) -> Request:
    """A request with one system and one user message."""
    messages = (Message(role="system", content="prompt"), Message(role="user", content=text))
    return Request(model=model, messages=messages, schema_sha256=ZERO, sampling=Sampling(**sampling))


def exchange(asked: Request, case_id: str = "c1", text: str = '{"memories": []}') -> Exchange:
    """The recording of a request."""
    return Exchange(request_sha256=asked.fields.digest, case_id=case_id, request=asked.fields, reply=reply(text=text))


def provider(enforcement: Enforcement = "ci", **changes: Any) -> Provider:
    """A provider as suite.yaml declares it."""
    return Provider(enforcement=enforcement, model=changes.pop("model", "m"), **changes)


def control(role: Role, metric_name: str = "recall", **changes: Any) -> Provider:
    """A control as suite.yaml declares it, judged by one metric; a positive one has a floor of 0.5."""
    floor = changes.pop("floor", 0.5 if role == "positive_control" else None)
    fields = {"target": "package.module:control", "control": Control(metric=metric_name, floor=floor), **changes}
    return provider(fields.pop("enforcement", "ci"), role=role, **fields)


def chance(mean: float = 0.1, quantile: float = 0.2) -> Chance:
    """What luck gives."""
    return Chance(mean=mean, quantile=quantile, how="drawn")


def calibration(**changes: Any) -> Calibration:
    """A calibration of one constant, without anything that it was measured at."""
    fields = {"calibrated_at": {}, "constants": {"threshold": 0.5}, "measured": {}, "chance": {}, "summary": "Measured."}
    return Calibration.model_validate({**fields, **changes})


def metric(value: float | None, n: int = 100) -> Metric:
    """A metric over n rows; None is undefined."""
    if value is None:
        return Metric(value=None, n=0, numerator=None, denominator=None, low=None, high=None, reason="no rows")
    return Metric(value=value, n=n, numerator=value * n, denominator=n, low=0.0, high=1.0)


def recording(**changes: Any) -> Recording:
    """Where replies came from."""
    facts = {
        "cassette_kind": ORACLE,
        "cassette_sha256": sha256_hex(b"cassette"),
        "model_asked": "m",
        "model_served": None,
        "recorded_at": "2026-11-30T12:00:00+00:00",
        "gold_sha256": sha256_hex(b"gold"),
        "prompt_sha256": sha256_hex(b"prompt"),
        "schema_sha256": sha256_hex(b"schema"),
    }
    return Recording.model_validate({**facts, **changes})


def evidence(metrics: Mapping[str, Metric], **changes: Any) -> Evidence:
    """What a gated provider's answers came to, over three cases that are right."""
    fields: dict[str, Any] = {
        "role": "subject",
        "enforcement": "ci",
        "model": "m",
        "cassette_kind": ORACLE,
        "recording": recording(),
        "proof": (),
        "metrics": dict(metrics),
        "cases": {name: CaseOutcome(passed=True, score=1.0) for name in ("c1", "c2", "c3")},
        "failed": {},
    }
    return Evidence(**{**fields, **changes})


def control_evidence(role: Role, metrics: Mapping[str, Metric], metric_name: str = "recall", **changes: Any) -> Evidence:
    """What a control's answers came to."""
    declared = control(role, metric_name, **({"floor": changes.pop("floor")} if "floor" in changes else {}))
    fields = {"role": role, "cassette_kind": IN_PROCESS, "recording": recording(cassette_kind=IN_PROCESS)}
    return evidence(metrics, **{**fields, "control": declared.control, **changes})


def facts(*metrics: str, **changes: Any) -> RunFacts:
    """A run over three cases whose gate names the given metrics, 3 pp."""
    fields: dict[str, Any] = {
        "suite": "extraction",
        "version": "v1",
        "kind": "extraction",
        "title": "Memories from conversations",
        "synthetic": True,
        "mode": "replay",
        "cases": 3,
        "sample": None,
        "overrides": (),
        "rule": GateRule(metrics=metrics or ("recall",)),
        "measures": {name: Measure() for name in metrics or ("recall",)},
        "calibration": None,
        "text_normaliser": None,
    }
    return RunFacts(**{**fields, **changes})


def baseline_of(found: Evidence, **changes: Any) -> Baseline:
    """The baseline that publishing this evidence as provider `p` would make."""
    come_from = found.recording or recording()
    source = Source(
        run="run",
        cassette_kind=come_from.cassette_kind,
        cassette_sha256=come_from.cassette_sha256,
        recorded_at=come_from.recorded_at,
        gold_sha256=come_from.gold_sha256,
        prompt_sha256=come_from.prompt_sha256,
        schema_sha256=come_from.schema_sha256,
    )
    block = Block(
        enforcement=found.enforcement,
        last_refreshed="2026-11-30",
        reason="test",
        source=source,
        metrics=found.metrics,
        cases=found.cases,
    )
    fields = {"format": 1, "suite": "extraction", "gold_version": "v1", "calibration": None, "providers": {"p": block}}
    return Baseline.model_validate({**fields, **changes})
