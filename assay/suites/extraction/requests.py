"""verify, replay, record: what a provider is asked for one case, and what an oracle would answer."""

from __future__ import annotations

import json

from assay.model.exchange import Message, Request
from assay.model.gold import GoldCase
from assay.model.suite import Provider
from assay.suites.extraction.cases import Conversation, ExpectedMemory


def requests_for(case: GoldCase, prompt: str, schema_sha256: str, provider: Provider) -> tuple[Request, ...]:
    """The requests of one case, in order: the whole conversation in one."""
    conversation = Conversation.model_validate(case.input)
    messages = (
        Message(role="system", content=prompt),
        Message(role="user", content=_transcript(conversation)),
    )
    return (
        Request(
            model=provider.model,
            messages=messages,
            schema_sha256=schema_sha256,
            sampling=provider.sampling,
        ),
    )


def oracle_reply(case: GoldCase) -> str:
    """The expectation in the form of a reply: the text that a perfect model would send."""
    rows = case.expected["memories"]
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


def _transcript(conversation: Conversation) -> str:
    lines = [f"[{number}] {turn.role}: {turn.content}" for number, turn in enumerate(conversation.turns, start=1)]
    return "\n".join([f"Reference time: {conversation.reference_time}", "", "<conversation>", *lines, "</conversation>"])
