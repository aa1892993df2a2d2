"""verify: may the recordings be replayed, do the calibrated constants still hold, and what does luck alone give?"""

from __future__ import annotations

from collections.abc import Mapping

from assay.contract import Present, Recorded, verify
from assay.digest import digest_of, sha256_hex
from assay.model.exchange import Contract, Exchange, FileFacts, Manifest, TargetManifest
from assay.model.gold import GoldCase
from assay.model.ports import Setting, calibration_part
from assay.model.report import Proof
from assay.model.suite import Provider
from assay.reading import record, records
from assay.stores.artifacts import Body
from assay.stores.cassettes import file_facts
from assay.target_contract import RecordedBody, TargetOf, verify_target
from tasks._stage import Inputs, Params, Stage


def run(kind: str, inputs: Inputs, params: Params) -> Body:
    """Inputs: every gold case, gold files, prompt, schema, and per provider `<name>.manifest` and `<name>.cassette`.

    Params: suite, version, `files` (those a recording depends on), providers, subjects, options, drift, calibration files and
    code digest, and by target whose model states a version, the installed `packages` it comes from.
    """
    cases = [GoldCase.model_validate(row) for row in inputs["cases"]]
    present = _present(cases, inputs, params)
    providers = {name: Provider.model_validate(declared) for name, declared in params["providers"].items()}
    proofs = {name: _proof(name, provider, present, inputs, params) for name, provider in providers.items()}
    setting = Setting(
        suite=params["suite"],
        version=params["version"],
        cases=cases,
        files={role: (name, inputs[name]) for role, name in params["setting_files"].items()},
        options=params["options"],
        subjects={name: Provider.model_validate(declared) for name, declared in params["subjects"].items()},
        constants=params["constants"],
        code_sha256=params["calibration_code"],
    )
    part = calibration_part(kind)
    checks = part.check(setting)
    body = {
        "suite": [check.model_dump(mode="json") for check in checks],
        "providers": {name: proof.model_dump(mode="json") for name, proof in proofs.items()},
        "chance": {
            name: found.model_dump(mode="json")
            for name, provider in providers.items()
            if provider.role == "negative_control" and provider.control
            if (found := part.chance(provider.control.metric, setting))
        },
    }
    return Body("json", body, sum(len(proof.checks) for proof in proofs.values()) + len(checks))


def gold_digest(files: Mapping[str, FileFacts]) -> str:
    """One digest over the gold files that a recording depends on."""
    return digest_of({name: facts.sha256 for name, facts in files.items()})


def _present(cases: list[GoldCase], inputs: Inputs, params: Params) -> Present:
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


def _proof(name: str, provider: Provider, present: Present, inputs: Inputs, params: Params) -> Proof:
    gold, shown = gold_digest(present.gold_files), params["shown"].get(name, name)
    if provider.target is not None:
        place = TargetOf(present.suite, present.version, name, gold)
        return verify_target(place, provider, _recorded_body(name, inputs, shown), params["packages"].get(name, {}))
    return verify(name, provider, present, _recorded(name, inputs, shown, gold), params["drift"])


def _recorded(name: str, inputs: Inputs, shown: str, gold_sha256: str) -> Recorded | None:
    if f"{name}.manifest" not in inputs:
        return None
    cassette = inputs[f"{name}.cassette"]
    return Recorded(
        manifest=record(inputs[f"{name}.manifest"], f"{shown}.manifest.json", Manifest),
        cassette=file_facts(cassette),
        exchanges=records(cassette, f"{shown}.jsonl", Exchange),
        gold_sha256=gold_sha256,
    )


def _recorded_body(name: str, inputs: Inputs, shown: str) -> RecordedBody | None:
    if f"{name}.manifest" not in inputs:
        return None
    manifest = record(inputs[f"{name}.manifest"], f"{shown}.manifest.json", TargetManifest)
    present = FileFacts(sha256=sha256_hex(inputs[f"{name}.cassette"]), rows=manifest.body.rows)
    return RecordedBody(manifest, present)


VERIFY = Stage("verify", run, part="calibration")
