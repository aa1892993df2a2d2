"""replay: the recorded replies for a list of requests, found by request digest through an index."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from assay.model.exchange import Exchange, Outcome, Request, RequestFields

EXPLAINED_MISSES = 3
"""For how many misses the nearest recording is looked up; the others are only named."""


@dataclass(frozen=True)
class Replay:
    """Replies by case, in request order; what was not found; what nobody asked for."""

    replies: Mapping[str, tuple[Outcome, ...]]
    misses: Mapping[str, str]
    """Case id to what is missing, with the nearest recording and the fields that differ."""
    unused: tuple[str, ...]
    """Case ids of recordings that no request asked for."""


def replay(
    requests: Iterable[tuple[str, Sequence[Request]]], exchanges: Sequence[Exchange], *, by_case: bool = False
) -> Replay:
    """The replies to each case's requests; a case with any miss has none. Linear in requests plus exchanges.

    `by_case` takes recordings by case id whatever was asked: for a run under an allowed contract drift, never judged.
    """
    by_digest = {exchange.request_sha256: exchange for exchange in exchanges}
    of_case: dict[str, list[Exchange]] = {}
    for exchange in exchanges:
        of_case.setdefault(exchange.case_id, []).append(exchange)
    replies: dict[str, tuple[Outcome, ...]] = {}
    misses: dict[str, str] = {}
    used: set[str] = set()
    for case_id, asked in requests:
        wanted = [request.fields for request in asked]
        if not wanted:
            misses[case_id] = "the case asks nothing"
            continue
        found = of_case.get(case_id, []) if by_case else [by_digest.get(fields.digest) for fields in wanted]
        lost = [fields for fields, exchange in zip(wanted, found, strict=False) if exchange is None]
        if lost or not found:
            explained = len(misses) < EXPLAINED_MISSES
            misses[case_id] = _miss(case_id, (lost or wanted)[0], of_case, exchanges if explained else ())
            continue
        replies[case_id] = tuple(exchange.outcome for exchange in found if exchange)
        used.update(exchange.request_sha256 for exchange in found if exchange)
    unused = tuple(sorted({e.case_id for e in exchanges if e.request_sha256 not in used}))
    return Replay(replies, misses, unused)


def differences(asked: RequestFields, recorded: RequestFields) -> list[str]:
    """The fields in which two requests differ, with both values."""
    found = []
    for name in ("model", "schema_sha256", "response_format", "repeat"):
        before, after = getattr(recorded, name), getattr(asked, name)
        if before != after:
            found.append(f"{name}: recorded {_short(before)}, asked {_short(after)}")
    for name, after in asked.sampling:
        before = getattr(recorded.sampling, name)
        if before != after:
            found.append(f"sampling.{name}: recorded {before}, asked {after}")
    if len(asked.messages_sha256) != len(recorded.messages_sha256):
        found.append(f"messages: recorded {len(recorded.messages_sha256)}, asked {len(asked.messages_sha256)}")
    pairs = zip(recorded.messages_sha256, asked.messages_sha256, strict=False)
    found += [f"messages[{i}]: recorded {_short(b)}, asked {_short(a)}" for i, (b, a) in enumerate(pairs) if a != b]
    return found


def _miss(case_id: str, asked: RequestFields, of_case: Mapping[str, Sequence[Exchange]], others: Sequence[Exchange]) -> str:
    candidates = of_case.get(case_id) or others
    if not candidates:
        return f"no recording of request {_short(asked.digest)}"
    nearest = min(candidates, key=lambda e: (len(differences(asked, e.request)), e.case_id))
    differing = "; ".join(differences(asked, nearest.request)) or "nothing: recorded under another digest"
    return (
        f"no recording of request {_short(asked.digest)}; the nearest is that of case {nearest.case_id}, "
        f"which differs in {differing}"
    )


def _short(value: object) -> str:
    text = str(value)
    return f"{text[:12]}…" if len(text) == 64 else text  # noqa: PLR2004  # a SHA-256 in hexadecimal
