"""One suite at one revision, and edits of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import replace
from typing import Any

from assay.digest import sha256_hex
from assay.model.baseline import Baseline, Block
from assay.model.exchange import Contract, FileFacts, Manifest, TargetManifest
from assay.model.gold import GoldCase
from assay.model.suite import Suite
from assay.model.verdict import CaseOutcome
from assay.tampering import Side
from tests.builders import baseline_of, calibration, chance, evidence, metric

A, B, C = (sha256_hex(text) for text in (b"a", b"b", b"c"))
LIVE = "live_recorded_recorded"
DECLARED: dict[str, Any] = {
    "format": 1,
    "suite": "desk",
    "version": "v1",
    "kind": "checks",
    "title": "A desk",
    "synthetic": True,
    "files": {"cases": "cases.jsonl"},
    "contract": {"prompt": "prompt.md", "schema": "schema.json"},
    "providers": {
        "recorded": {"enforcement": "ci", "model": "m-1"},
        "coded": {"enforcement": "ci", "model": "a function", "target": "desk.app:subject"},
        "filed": {"enforcement": "ci", "model": "made in May", "target": "desk.app:filed", "recorded_as": "file"},
        "tried": {"enforcement": "manual", "model": "m-2"},
        "good": {
            "role": "positive_control",
            "enforcement": "ci",
            "model": "words",
            "target": "desk.app:good",
            "control": {"metric": "recall", "floor": 0.3},
        },
        "same": {
            "role": "trivial_strategy",
            "enforcement": "ci",
            "model": "the same",
            "target": "desk.app:same",
            "of": "recorded",
            "control": {"metric": "recall"},
        },
    },
    "gate": {
        "max_drop_pp": 3.0,
        "metrics": ["recall", "errors"],
        "floors": {"recall": 0.5},
        "ceilings": {"errors": 0.1},
        "must_detect_pp": 20,
        "false_alarm": 0.05,
    },
}
CHECK: dict[str, Any] = {
    "name": "near",
    "evaluator": "levenshtein",
    "path": "",
    "expected": "",
    "resources": {},
    "advisory": False,
    "config": {"normaliser": "nfkc", "objective": {"direction": "maximize", "threshold": 0.8}},
}
OPTIONS: dict[str, Any] = {
    "top_k": 5,
    "checks": [CHECK, {**CHECK, "name": "exact", "evaluator": "", "config": {}}],
    "planted": {"blank": "near"},
    "audit": {"near_duplicate_limit": 0.8, "documents": 34, "grades": {"live": 14}},
}
Edit = Callable[[Side], Side]


def suite(raw: Mapping[str, Any] = DECLARED) -> Suite:
    return Suite.model_validate(raw)


def gold(name: str, given: str = "?", wanted: str = "!") -> GoldCase:
    return GoldCase(id=name, input={"ask": given}, expected={"say": wanted})


def manifest(kind: str = LIVE, body: str = A, at: str = "2026-11-01T00:00:00+00:00", **changes: Any) -> Manifest:
    """The manifest of provider `recorded`."""
    fields = {
        "format": 1,
        "suite": "desk",
        "gold_version": "v1",
        "provider": "recorded",
        "cassette_kind": kind,
        "model_asked": "m-1",
        "model_served": "m-1-May",
        "recorded_at": at,
        "recorded_by": "a command",
        "contract": Contract(prompt_sha256=A, schema_sha256=A, prompt="", response_schema=""),
        "gold_files": {},
        "cassette": FileFacts(sha256=body, rows=1),
        "cases": {},
    }
    return Manifest.model_validate({**fields, **changes})


def vectors(body: str = A, at: str = "2026-11-01T00:00:00+00:00") -> TargetManifest:
    return TargetManifest(
        format=1,
        suite="desk",
        gold_version="v1",
        provider="coded",
        cassette_kind="live_coded_recorded",
        model_asked="m-1",
        model_served="m-1",
        recorded_at=at,
        recorded_by="a command",
        body=FileFacts(sha256=body, rows=1),
        identity={},
    )


def baseline(**outcomes: CaseOutcome) -> Baseline:
    """A baseline of provider `p` with the given cases in place of right ones."""
    cases = {name: CaseOutcome(passed=True, score=1.0) for name in ("c1", "c2", "c3")}
    found = evidence({"recall": metric(1.0)}, cases={**cases, **outcomes})
    return baseline_of(found, suite="desk")


def side(**changes: Any) -> Side:
    fields: dict[str, Any] = {
        "suite": suite(),
        "cases": {name: gold(name) for name in ("c1", "c2", "c3")},
        "options": OPTIONS,
        "baseline": baseline(),
        "manifests": {"recorded": manifest()},
        "files": {"answers": {"c1": A, "c2": A, "c3": A}, "policies": {"rules/age": A, "rules/sum": A}},
        "calibration": calibration(
            calibrated_at={"pairs": 9},
            constants={"threshold": 0.5},
            measured={"held_out": metric(0.96)},
            chance={"recall": chance()},
        ),
        "scoring_code": {"desk.words:fold": A, "desk.words:split": A, "desk.match:pair": A},
        "control_code": {"good": {"desk.app:good": A, "desk.words:fold": A}},
        "gate_code": {"assay.gate": A, "desk.words": A},
    }
    return Side(**{**fields, **changes})


def declared(*path: str, to: Any) -> Edit:
    """Set one value of suite.yaml; None takes the key away."""

    def edit(before: Side) -> Side:
        raw = before.suite.model_dump(mode="json", by_alias=True, exclude_unset=True)
        return replace(before, suite=suite(_set(raw, path, to)))

    return edit


def option(*path: str, to: Any) -> Edit:
    """The same of the options."""

    def edit(before: Side) -> Side:
        return replace(before, options=_set(deepcopy(dict(before.options)), path, to))

    return edit


def check(**changes: Any) -> Edit:
    """Change the check `near`."""

    def edit(before: Side) -> Side:
        _, *others = before.options["checks"]  # type: ignore[misc]  # a list of two checks
        return replace(before, options={**before.options, "checks": [{**CHECK, **changes}, *others]})

    return edit


def objective(**wanted: Any) -> Edit:
    """Change what is wanted of the score of `near`."""
    return check(config={"normaliser": "nfkc", "objective": wanted})


def part(name: str, **changes: Any) -> Edit:
    """Change entries of a mapping of the side; None takes the entry away."""

    def edit(before: Side) -> Side:
        merged = {**getattr(before, name), **{key.replace("__", ":"): value for key, value in changes.items()}}
        return replace(before, **{name: {key: value for key, value in merged.items() if value is not None}})

    return edit


def whole(**changes: Any) -> Edit:
    return lambda before: replace(before, **changes)


def block(enforcement: str = "ci", **changes: Any) -> Block:
    """The baseline's block of provider `p`."""
    found = baseline().providers["p"]
    assert found is not None
    return found.model_copy(update={"enforcement": enforcement, **changes})


def _set(value: dict[str, Any], path: tuple[str, ...], to: Any) -> dict[str, Any]:
    *parents, last = path
    place = value
    for name in parents:
        place = place[name]
    if to is None:
        del place[last]
    else:
        place[last] = to
    return value
