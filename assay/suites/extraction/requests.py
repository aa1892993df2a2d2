"""verify, replay, record: what a provider is asked for one case, and what an oracle would answer."""

from __future__ import annotations

import json
from collections.abc import Sequence

from assay.model.exchange import Message, Request
from assay.model.gold import GoldCase
from assay.model.suite import Provider
from assay.suites.extraction.cases import Conversation, ExpectedMemory, Turn


def requests_for(case: GoldCase, prompt: str, schema_sha256: str, provider: Provider, repeat: int = 0) -> tuple[Request, ...]:
    """The requests of one case, in order: the whole conversation in one, or some user turns in each."""
    conversation = Conversation.model_validate(case.input)
    system = Message(role="system", content=prompt)
    return tuple(
        Request(
            model=provider.model,
            messages=(system, Message(role="user", content=_transcript(conversation, turns))),
            schema_sha256=schema_sha256,
            response_format=provider.response_format,
            sampling=provider.sampling,
            repeat=repeat,
        )
        for turns in _portions(conversation, provider.turns_per_request)
    )


def oracle_reply(case: GoldCase, portion: int = 0) -> str:
    """The expectation in the form of a reply: all of it to the first portion of a case, nothing to the others."""
    rows = case.expected["memories"] if portion == 0 else []
    memories = [ExpectedMemory.model_validate(row) for row in rows] if isinstance(rows, list) else []
    contents = {memory.id: memory.content for memory in memories}
    answer = [
        {
            "content": memory.content,
            "categories": list(memory.categories),
            "temporal_kind": memory.temporal_kind,
            "valid_from": memory.valid_from,
            "valid_until": memory.valid_until,
            "supersedes": contents[memory.supersedes] if memory.supersedes else None,
        }
        for memory in memories
    ]
    return json.dumps({"memories": answer}, ensure_ascii=False)


Numbered = tuple[int, Turn]


def _portions(conversation: Conversation, size: int | None) -> list[list[Numbered]]:
    """The turns of each request. A portion opens with what the assistant said just before its first user turn."""
    turns = list(enumerate(conversation.turns, start=1))
    if size is None:
        return [turns]
    portions: list[list[Numbered]] = []
    pending: list[Numbered] = []
    for numbered in turns:
        pending.append(numbered)
        if sum(turn.role == "user" for _, turn in pending) == size:
            portions.append(pending)
            pending = []
    if any(turn.role == "user" for _, turn in pending) or not portions:
        portions.append(pending)
    return portions


def _transcript(conversation: Conversation, turns: Sequence[Numbered]) -> str:
    lines = [f"[{number}] {turn.role}: {turn.content}" for number, turn in turns]
    return "\n".join([f"Reference time: {conversation.reference_time}", "", "<conversation>", *lines, "</conversation>"])
