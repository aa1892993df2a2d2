"""Recordings: the load stage, then replies, then cassette and manifest."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from assay.contract import record_command
from assay.digest import sha256_hex
from assay.model.exchange import ORACLE, Contract, Manifest
from assay.model.gold import GoldCase
from assay.model.ports import cases_part, requests_part
from assay.model.suite import Provider
from assay.providers.oracle import oracle_exchanges
from assay.stores.cassettes import Place, exchange_lines, file_facts, write_recording
from assay.stores.goldsets import Source
from flows.chain import run_load
from tasks._engine import Engine


def record_oracle(source: Source, name: str, provider: Provider, home: Path, now: datetime) -> Manifest:
    """Write a provider's oracle-aligned recording and return its manifest. Raises UserError before anything is written."""
    suite, engine = source.suite, Engine(home)
    cases = [GoldCase.model_validate(row) for row in engine.artifacts.get(run_load(source, engine))]
    schema_sha256 = sha256_hex(source.response_schema.encode())
    exchanges = oracle_exchanges(cases, requests_part(suite.kind), source.prompt, schema_sha256, provider)
    cassette = exchange_lines(exchanges)
    manifest = Manifest(
        format=1,
        suite=suite.suite,
        gold_version=suite.version,
        provider=name,
        cassette_kind=ORACLE,
        model_asked=provider.model,
        model_served=None,
        recorded_at=now.isoformat(timespec="seconds"),
        recorded_by=record_command(suite.suite, name, oracle=True),
        contract=Contract(
            prompt_sha256=sha256_hex(source.prompt.encode()),
            schema_sha256=schema_sha256,
            prompt=source.prompt,
            response_schema=source.response_schema,
        ),
        gold_files={source.files[role][0]: file_facts(source.files[role][1]) for role in cases_part(suite.kind).REQUIRED_FILES},
        cassette=file_facts(cassette),
        cases={case.id: case.digest for case in cases},
    )
    write_recording(Place(source.root, suite.suite, suite.version, name), manifest, cassette)
    return manifest
