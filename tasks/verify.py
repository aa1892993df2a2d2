"""verify: may the recordings be replayed, and do the calibrated thresholds still hold?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.contract import Present, Recorded, verify
from assay.digest import digest_of, sha256_hex
from assay.model.exchange import Contract, Exchange, FileFacts, Manifest
from assay.model.gold import GoldCase
from assay.model.ports import calibration_part
from assay.model.report import Proof
from assay.model.suite import Provider
from assay.reading import record, records
from assay.stores.artifacts import Body
from assay.stores.cassettes import file_facts
from tasks._stage import Inputs, Params, Stage


def run(kind: str, inputs: Inputs, params: Params) -> Body:
    """Inputs: every gold case, gold files, prompt, schema, and per provider `<name>.manifest` and `<name>.cassette`.

    Params: suite, version, `files` (those a recording depends on), providers, drift, calibration files and code digest.
    """
    present = _present(inputs, params)
    proofs: dict[str, Any] = {}
    for name, declared in params["providers"].items():
        provider = Provider.model_validate(declared)
        recorded = _recorded(name, inputs, params["shown"].get(name, name), present.gold_files)
        proof: Proof = verify(name, provider, present, recorded, params["drift"])
        proofs[name] = proof.model_dump(mode="json")
    files = {role: (name, inputs[name]) for role, name in params["calibration_files"].items()}
    checks = calibration_part(kind).check(files, params["calibration_code"])
    body = {"suite": [check.model_dump(mode="json") for check in checks], "providers": proofs}
    return Body("json", body, sum(len(proof["checks"]) for proof in proofs.values()) + len(checks))


def _present(inputs: Inputs, params: Params) -> Present:
    cases = [GoldCase.model_validate(row) for row in inputs["cases"]]
    prompt, schema = inputs["prompt"], inputs["schema"]
    return Present(
        suite=params["suite"],
        version=params["version"],
        contract=Contract(
            prompt_sha256=sha256_hex(prompt),
            schema_sha256=sha256_hex(schema),
            prompt=prompt.decode(),
            response_schema=schema.decode(),
        ),
        gold_files={name: file_facts(inputs[name]) for name in params["files"]},
        cases={case.id: case.digest for case in cases},
    )


def _recorded(name: str, inputs: Inputs, shown: str, gold_files: Mapping[str, FileFacts]) -> Recorded | None:
    if f"{name}.manifest" not in inputs:
        return None
    cassette = inputs[f"{name}.cassette"]
    return Recorded(
        manifest=record(inputs[f"{name}.manifest"], shown.replace(".jsonl", ".manifest.json"), Manifest),
        cassette=file_facts(cassette),
        exchanges=records(cassette, shown, Exchange),
        gold_sha256=gold_digest(gold_files),
    )


def gold_digest(files: Mapping[str, FileFacts]) -> str:
    """One digest over the gold files that a recording depends on."""
    return digest_of({name: facts.sha256 for name, facts in files.items()})


VERIFY = Stage("verify", run, part="calibration")
