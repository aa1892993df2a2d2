"""verify, replay, calibrate: which other conversation's reply each conversation is given, and that reply as one text."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from pydantic import ValidationError

from assay.digest import sha256_hex
from assay.model.exchange import Outcome, Reply
from assay.suites.extraction.schema import BatchExtractionResult


def donors(case_ids: Iterable[str], answered: Collection[str], seed: int) -> dict[str, str]:
    """For each case the other case whose reply it gets: the next answered one on a ring of all cases that the seed orders.

    Where all are answered, everyone gives once and nobody to himself: a derangement that is one cycle, so every other case
    is equally likely. The order of the ids never matters. A case without another that is answered is left out.
    """
    ring = sorted(case_ids, key=lambda name: sha256_hex(f"{seed}:{name}".encode()))
    after = next((name for name in ring if name in answered), None)
    found: dict[str, str] = {}
    for name in reversed(ring):
        if after is not None and after != name:
            found[name] = after
        after = name if name in answered else after
    return found


def joined(outcomes: Sequence[Outcome]) -> str | None:
    """The replies of one case as one: all memories of those that parse, else the first text as it is; null without a reply."""
    texts = [outcome.text for outcome in outcomes if isinstance(outcome, Reply)]
    results = [result for text in texts if (result := parsed(text)) is not None]
    if not results:
        return texts[0] if texts else None
    together = BatchExtractionResult(memories=tuple(memory for result in results for memory in result.memories))
    return together.model_dump_json()


def parsed(text: str) -> BatchExtractionResult | None:
    """The reply's result; null where it does not parse."""
    try:
        return BatchExtractionResult.model_validate_json(text)
    except ValidationError:
        return None
