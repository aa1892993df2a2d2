"""Recordings: the load stage, then replies, then cassette and manifest."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count
from pathlib import Path

from assay.contract import record_command
from assay.digest import sha256_hex
from assay.errors import AssayError, InputError, Problem, Refused, UsageError
from assay.model.exchange import ORACLE, Contract, Exchange, Manifest, Outcome, Request
from assay.model.gold import GoldCase
from assay.model.ports import requests_part
from assay.model.suite import Provider
from assay.providers.budget import Budget, Limits, estimated_tokens, worst_usd
from assay.providers.chat import ChatEndpoint
from assay.providers.client import endpoint_of
from assay.providers.oracle import oracle_exchanges
from assay.reading import record, records
from assay.redaction import refuse_secrets, suite_secrets
from assay.stores.cassettes import Place, exchange_lines, file_facts, read_recording, write_recording
from assay.stores.files import remove_leftovers
from assay.stores.goldsets import Source
from assay.stores.journal import Journal
from flows.chain import contract_files, run_load
from tasks._engine import Engine


@dataclass(frozen=True)
class Plan:
    """What a recording is about to ask, said before anything is asked."""

    provider: str
    planned: int
    recorded: int
    to_ask: int
    prompt_tokens: int
    worst_usd: float
    limits: Limits


@dataclass(frozen=True)
class Origin:
    """How a recording came to be."""

    kind: str
    now: datetime
    command: str


@dataclass(frozen=True)
class Recorded:
    """How a recording ended: the manifest of a whole one, or why it stopped early."""

    manifest: Manifest | None
    asked: int
    failed: int
    left: int
    stopped: str | None


Keep = Callable[[str, Request, Outcome], None]
Progress = Callable[[int, int], None]
"""Told how many are done, of how many that had to be asked."""


def silent(done: int, of: int) -> None:
    """Progress that nobody follows."""


@dataclass(frozen=True)
class Asking:
    """How to record: what to reuse, what to spend, and who is told."""

    environ: Mapping[str, str]
    budget: Budget = field(default_factory=lambda: Budget(Limits(), None))
    """Shared by all that one run asks."""
    only_missing: bool = False
    retry_failed: bool = False
    announce: Callable[[Plan], None] = lambda plan: None
    progress: Progress = silent


def record_oracle(source: Source, name: str, provider: Provider, home: Path, now: datetime) -> Manifest:
    """Write a provider's oracle-aligned recording and return its manifest. Raises UserError before anything is written."""
    cases = gold_cases(source, home)
    schema_sha256 = sha256_hex(source.response_schema.encode())
    part = requests_part(source.suite.kind)
    exchanges = oracle_exchanges(cases, part, source.prompt, schema_sha256, provider)
    origin = Origin(ORACLE, now, record_command(source.suite.suite, name, oracle=True))
    return _written(source, name, provider, cases, exchanges, origin)


def record_live(source: Source, name: str, provider: Provider, home: Path, now: datetime, asking: Asking) -> Recorded:
    """Ask a provider for every case and replace its recording once all have an outcome.

    Outcomes go to a journal first, so that an interrupted recording is taken up where it stopped. Raises UserError for a
    missing key before anything is asked, and Refused while another process records the same cassette.
    """
    endpoint_of(name, provider, asking.environ)
    cases = gold_cases(source, home)
    planned = planned_requests(source, provider, cases)
    _refuse_twins(planned)
    contract = {"prompt": source.prompt, "schema": source.response_schema}
    refuse_secrets(source.shown, contract, suite_secrets(source.suite, asking.environ))
    place = source.place(name)
    with Journal(place.cassette.with_suffix(".journal.jsonl")) as journal:
        remove_leftovers(place.cassette, place.manifest)
        done = _done(journal, place, asking)
        todo = [(case, request) for case, request in planned if request.fields.digest not in done]
        asking.announce(_plan(name, provider, planned, todo, asking.budget.limits))
        stopped = ask_and_keep(source, name, provider, todo, _keeper(source, name, journal, done, asking), asking)
        exchanges = [done[digest] for _, request in planned if (digest := request.fields.digest) in done]
        left = len(planned) - len(exchanges)
        failed = sum(exchange.failure is not None for exchange in exchanges)
        if left:
            return Recorded(None, len(todo) - left, failed, left, stopped)
        if failed == len(exchanges):
            first = next(exchange.failure.reason for exchange in exchanges if exchange.failure)
            raise Refused(
                Problem(
                    f"provider {name}",
                    f"gave no answer to any of {failed} requests ({first}), so the committed recording stays",
                    remedy="Ask again with --retry-failed.",
                )
            )
        origin = Origin(f"live_{name}_recorded", now, record_command(source.suite.suite, name, oracle=False))
        manifest = _written(source, name, provider, cases, exchanges, origin)
        journal.remove()
    return Recorded(manifest, len(todo), failed, 0, None)


def budget_for(name: str, provider: Provider, asking: Asking) -> Budget:
    """The run's budget at the provider's price. Raises UsageError where a limit in USD would limit nothing."""
    price = provider.live.price if provider.live else None
    if asking.budget.limits.max_usd is not None and price is None and provider.live is not None:
        remedy = "Declare live.price in suite.yaml, or limit requests or minutes; nothing was asked."
        raise UsageError(Problem(f"provider {name}", "declares no price, so --max-usd would limit nothing", remedy=remedy))
    asking.budget.price = price
    return asking.budget


def ask_and_keep(
    source: Source,
    name: str,
    provider: Provider,
    todo: Sequence[tuple[str, Request]],
    keep: Keep,
    asking: Asking,
) -> str | None:
    """Ask the requests of one provider; returns why it stopped early, or None."""
    if provider.live is None or not todo:
        return None
    live, budget = provider.live, budget_for(name, provider, asking)

    from assay.providers.asking import ask_all

    async def run() -> str | None:
        endpoint = ChatEndpoint(name, provider, json.loads(source.response_schema), asking.environ)
        try:
            return await ask_all(todo, endpoint, live, budget, counted(keep, len(todo), asking.progress))
        finally:
            await endpoint.close()

    return asyncio.run(run())


def counted(keep: Keep, of: int, progress: Progress) -> Keep:
    """`keep`, and word after each outcome of how many there are."""
    numbers = count(1)

    def kept(case_id: str, request: Request, outcome: Outcome) -> None:
        keep(case_id, request, outcome)
        progress(next(numbers), of)

    return kept


def gold_cases(source: Source, home: Path) -> list[GoldCase]:
    """All cases of the suite, through the cached load stage."""
    engine = Engine(home)
    return [GoldCase.model_validate(row) for row in engine.artifacts.get(run_load(source, engine))]


def planned_requests(
    source: Source, provider: Provider, cases: Sequence[GoldCase], repeat: int = 0
) -> list[tuple[str, Request]]:
    """Every request of every case, in gold order."""
    part, schema_sha256 = requests_part(source.suite.kind), sha256_hex(source.response_schema.encode())
    return [
        (case.id, request)
        for case in cases
        for request in part.requests_for(case, source.prompt, schema_sha256, provider, repeat)
    ]


def _done(journal: Journal, place: Place, asking: Asking) -> dict[str, Exchange]:
    """What need not be asked again, by request digest."""
    found = [*(_reusable(place) if asking.only_missing else ()), *journal.found]
    kept = [e for e in found if not (asking.retry_failed and e.failure)]
    return {exchange.request_sha256: exchange for exchange in kept}


def _reusable(place: Place) -> list[Exchange]:
    """The committed exchanges, if they were recorded live and nobody has edited them since."""
    if not place.manifest.exists() or not place.cassette.exists():
        return []
    found = read_recording(place)
    manifest = record(found[0], place.shown.replace(".jsonl", ".manifest.json"), Manifest) if found else None
    if found is None or manifest is None or manifest.is_oracle or file_facts(found[1]) != manifest.cassette:
        return []
    return records(found[1], place.shown, Exchange)


def _refuse_twins(planned: Sequence[tuple[str, Request]]) -> None:
    """Two cases that ask the very same would be paid for twice and could not be told apart."""
    first: dict[str, str] = {}
    for case_id, request in planned:
        other = first.setdefault(request.fields.digest, case_id)
        if other != case_id:
            what = f"asks the same as case {other}"
            raise InputError(Problem(f"case {case_id}", what, expected="cases that differ", remedy="Remove one of them."))


def _keeper(source: Source, name: str, journal: Journal, done: dict[str, Exchange], asking: Asking) -> Keep:
    secrets = suite_secrets(source.suite, asking.environ)

    def keep(case_id: str, request: Request, outcome: Outcome) -> None:
        exchange = Exchange.of(case_id, request, outcome)
        refuse_secrets(f"{name}: reply to case {case_id}", exchange.model_dump(mode="json"), secrets)
        journal.append(exchange)
        done[exchange.request_sha256] = exchange

    return keep


def _plan(
    name: str, provider: Provider, planned: Sequence[tuple[str, Request]], todo: Sequence[tuple[str, Request]], limits: Limits
) -> Plan:
    price = provider.live.price if provider.live else None
    return Plan(
        provider=name,
        planned=len(planned),
        recorded=len(planned) - len(todo),
        to_ask=len(todo),
        prompt_tokens=sum(estimated_tokens(request) for _, request in todo),
        worst_usd=sum(worst_usd(request, price) for _, request in todo),
        limits=limits,
    )


def _written(
    source: Source,
    name: str,
    provider: Provider,
    cases: Sequence[GoldCase],
    exchanges: Sequence[Exchange],
    origin: Origin,
) -> Manifest:
    if {exchange.case_id for exchange in exchanges} != {case.id for case in cases}:
        raise AssayError("a recording must hold an outcome for every case")
    manifest = manifest_of(source, name, provider, cases, exchanges, origin)
    write_recording(source.place(name), manifest, exchange_lines(exchanges))
    return manifest


def manifest_of(
    source: Source,
    name: str,
    provider: Provider,
    cases: Sequence[GoldCase],
    exchanges: Sequence[Exchange],
    origin: Origin,
) -> Manifest:
    """The provenance of exchanges that were just made."""
    suite = source.suite
    served = sorted({e.reply.model_served for e in exchanges if e.reply and e.reply.model_served})
    return Manifest(
        format=1,
        suite=suite.suite,
        gold_version=suite.version,
        provider=name,
        cassette_kind=origin.kind,
        model_asked=provider.model,
        model_served=", ".join(served) or None,
        recorded_at=origin.now.isoformat(timespec="seconds"),
        recorded_by=origin.command,
        contract=Contract(
            prompt_sha256=sha256_hex(source.prompt.encode()),
            schema_sha256=sha256_hex(source.response_schema.encode()),
            prompt=source.prompt,
            response_schema=source.response_schema,
        ),
        gold_files={name: file_facts(source.files[role][1]) for role, name in contract_files(source).items()},
        cassette=file_facts(exchange_lines(exchanges)),
        cases={case.id: case.digest for case in cases},
    )
