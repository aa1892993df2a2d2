"""The oracle: answers every case with its own expectation. Proves plumbing; asks no model."""

from __future__ import annotations

from collections.abc import Iterable

from assay.model.exchange import Exchange, Reply
from assay.model.gold import GoldCase
from assay.model.ports import RequestsPart
from assay.model.suite import Provider


def oracle_exchanges(
    cases: Iterable[GoldCase], part: RequestsPart, prompt: str, schema_sha256: str, provider: Provider
) -> list[Exchange]:
    """One exchange per request, in gold order. Nothing was measured, so usage, latency and served model are null."""
    return [
        Exchange(
            request_sha256=request.fields.digest,
            case_id=case.id,
            request=request.fields,
            reply=Reply(
                text=part.oracle_reply(case, portion), finish_reason="stop", model_served=None, usage=None, latency_ms=None
            ),
        )
        for case in cases
        for portion, request in enumerate(part.requests_for(case, prompt, schema_sha256, provider))
    ]
