"""Fresh replies of one model, through a memo so that a second look is free."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from assay.errors import Incomplete, Problem
from assay.model.exchange import Exchange, Outcome, Request
from assay.model.gold import GoldCase
from assay.model.suite import Provider
from assay.redaction import refuse_secrets, suite_secrets
from assay.sampling import in_sample_order
from assay.stores.goldsets import Source
from assay.stores.memo import Memo
from flows.recording import Asking, ask_and_keep, planned_requests


@dataclass(frozen=True)
class Wanted:
    """What is asked of one model, and what counts as fresh."""

    name: str
    provider: Provider
    gold: Sequence[GoldCase]
    refresh: bool = False
    """Ask again what the memo holds."""
    period: str | None = None
    """Take only answers of this period; a limit then cuts the asking short instead of stopping the run."""
    seed: int = 0
    """Which cases come first, where a limit may cut."""


@dataclass(frozen=True)
class Fresh:
    """What was answered."""

    planned: Sequence[tuple[str, Request]]
    """The requests of the cases that were asked whole, in gold order."""
    exchanges: Mapping[str, Exchange]
    """By request digest."""
    gold: Sequence[GoldCase]
    """Those cases."""
    stopped: str | None
    """Why not all of them, or None."""


def fresh_replies(source: Source, wanted: Wanted, asking: Asking, home: Path, repeat: int) -> Fresh:
    """Every case's replies, or with a period as many as the limits allow. Raises Incomplete at a limit without a period."""
    gold = wanted.gold
    planned = planned_requests(source, wanted.provider, gold, repeat)
    done, stopped = _asked(source, wanted, planned, asking, home)
    if stopped and wanted.period is None:
        what = f"stopped ({stopped}); {len(done)} of {len(planned)} requests are answered"
        raise Incomplete(Problem(f"provider {wanted.name}", what, remedy="Run again to go on; nothing is asked twice."))
    lacking = {case for case, request in planned if request.fields.digest not in done}
    whole = [(case, request) for case, request in planned if case not in lacking]
    exchanges = {request.fields.digest: done[request.fields.digest] for _, request in whole}
    return Fresh(whole, exchanges, [case for case in gold if case.id not in lacking], stopped)


def _asked(
    source: Source, wanted: Wanted, planned: Sequence[tuple[str, Request]], asking: Asking, home: Path
) -> tuple[dict[str, Exchange], str | None]:
    """Exchanges by digest, from the memo where it has them, and why the asking stopped early."""
    secrets = suite_secrets(source.suite, asking.environ)
    done: dict[str, Exchange] = {}
    with Memo(home) as memo:
        for _, request in [] if wanted.refresh else planned:
            found = _remembered(memo, request.fields.digest, wanted.period)
            if found is not None:
                done[request.fields.digest] = found

        def keep(case_id: str, request: Request, outcome: Outcome) -> None:
            exchange = Exchange.of(case_id, request, outcome)
            refuse_secrets(f"{wanted.name}: reply to case {case_id}", exchange.model_dump(mode="json"), secrets)
            if exchange.reply:  # a failure never takes the place of an answer that was paid for
                memo.keep(_kept_as(exchange.request_sha256, wanted.period), exchange.model_dump_json().encode())
            done[exchange.request_sha256] = exchange

        todo = [(case, request) for case, request in planned if request.fields.digest not in done]
        stopped = ask_and_keep(source, wanted.name, wanted.provider, _in_order(todo, wanted), keep, asking)
    return done, stopped


def _in_order(todo: Sequence[tuple[str, Request]], wanted: Wanted) -> Sequence[tuple[str, Request]]:
    """Gold order; where a limit may cut, an order whose beginning is a fair sample."""
    if wanted.period is None:
        return todo
    place = {case.id: position for position, case in enumerate(in_sample_order(wanted.gold, wanted.seed))}
    return sorted(todo, key=lambda asked: place[asked[0]])


def _kept_as(digest: str, period: str | None) -> str:
    return f"{period}/{digest}" if period else digest


def _remembered(memo: Memo, digest: str, period: str | None) -> Exchange | None:
    """A reply that was paid for; failures are asked again."""
    data = memo.find(_kept_as(digest, period))
    try:
        exchange = Exchange.model_validate_json(data) if data else None
    except ValidationError:
        return None
    return exchange if exchange and exchange.reply and exchange.request_sha256 == digest else None
