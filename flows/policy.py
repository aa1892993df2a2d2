"""What is asked of a suite without running it: whether its recordings still belong to it, and the oracle policy."""

from __future__ import annotations

from collections.abc import Collection

from assay.contract import DriftPolicy
from assay.model.exchange import Manifest
from assay.model.verdict import Check
from assay.oracle_policy import oracle_policy
from assay.reading import record
from assay.stores.cassettes import read_recording
from assay.stores.goldsets import Source
from flows.chain import run_load, run_verify, selected
from tasks._engine import Engine


def policy_checks(source: Source, providers: tuple[str, ...], changed: Collection[str], body: str) -> list[Check]:
    """Whether the change touches a contract that oracle-aligned recordings stand for. `body` is the pull request's text."""
    cassettes = {}
    for name, provider in selected(source, providers).items():
        place = source.place(name)
        found = None if provider.target else read_recording(place)
        if found is not None:
            cassettes[name] = (place.shown, record(found[0], place.shown_manifest, Manifest))
    return list(oracle_policy(source.suite.suite, source.contract_files, cassettes, changed, body).values())


def proof_checks(source: Source, names: tuple[str, ...], engine: Engine, drift: DriftPolicy) -> tuple[list[Check], list[Check]]:
    """All checks of the verify stage, each under its provider's name, and those of them that decide."""
    providers = selected(source, names)
    proofs = engine.artifacts.get(run_verify(source, providers, engine, run_load(source, engine), drift))
    checks = [Check.model_validate(check) for check in proofs["suite"]]
    gated = list(checks)
    for name, proof in proofs["providers"].items():
        found = [Check.model_validate(check) for check in proof["checks"]]
        named = [check.model_copy(update={"name": f"{name}: {check.name}"}) for check in found]
        checks += named
        gated += named if providers[name].enforcement == "ci" else []
    return checks, gated
