"""A recording that fits its suite, and ways to make it stop fitting."""

from __future__ import annotations

from typing import Any

from assay.contract import DriftPolicy, Present, Recorded, verify
from assay.digest import sha256_hex
from assay.model.exchange import ORACLE, Contract, Exchange, FileFacts, Manifest
from assay.model.report import Proof
from assay.model.verdict import Check
from tests.builders import exchange, provider, reply, request

MEND = "Mend it with `assay record extraction --provider p --oracle`."
MEND_LIVE = "Mend it with `assay record extraction --provider p`."
CASES = {name: sha256_hex(name.encode()) for name in ("c1", "c2", "c3")}


def contract(prompt: str = "Be brief.\nBe right.\n", schema: str = "{}\n") -> Contract:
    hashes = {"prompt_sha256": sha256_hex(prompt.encode()), "schema_sha256": sha256_hex(schema.encode())}
    return Contract(**hashes, prompt=prompt, response_schema=schema)


def file(content: str, rows: int = 3) -> FileFacts:
    return FileFacts(sha256=sha256_hex(content.encode()), rows=rows)


PRESENT = Present(
    suite="extraction", version="v1", contract=contract(), gold_files={"conversations.jsonl": file("gold")}, cases=CASES
)


def exchanges(model_served: str | None = None) -> list[Exchange]:
    made = [exchange(request(name), name) for name in CASES]
    served = reply().model_copy(update={"model_served": model_served})
    return [e.model_copy(update={"reply": served}) for e in made]


def recorded(said: list[Exchange] | None = None, cassette: FileFacts | None = None, **changes: Any) -> Recorded:
    """An oracle-aligned recording that fits PRESENT, but for the changes to its manifest."""
    fields: dict[str, Any] = {
        "format": 1,
        "suite": "extraction",
        "gold_version": "v1",
        "provider": "p",
        "cassette_kind": ORACLE,
        "model_asked": "m",
        "model_served": None,
        "recorded_at": "2026-11-30T12:00:00+00:00",
        "recorded_by": "test",
        "contract": contract(),
        "gold_files": PRESENT.gold_files,
        "cassette": file("cassette"),
        "cases": CASES,
        **changes,
    }
    said = exchanges() if said is None else said
    return Recorded(Manifest.model_validate(fields), cassette or file("cassette"), said, gold_sha256=sha256_hex(b"gold"))


def live(served: str | None = "m-2026", **changes: Any) -> Recorded:
    return recorded(exchanges(served), **{"cassette_kind": "live_p_recorded", "model_served": served, **changes})


def proof_of(found: Recorded | None, present: Present = PRESENT, drift: DriftPolicy = "refuse", **changes: Any) -> Proof:
    return verify("p", provider(**changes), present, found, drift)


def broken(proof: Proof) -> dict[str, str]:
    assert proof.usable == all(check.status != "broken" for check in proof.checks)
    return {check.name: check.message for check in proof.checks if check.status != "kept"}


def check(proof: Proof, name: str) -> Check:
    return next(check for check in proof.checks if check.name == name)
