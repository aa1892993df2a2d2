"""replay, record: what a model is asked for one case, and what an oracle would answer."""

from __future__ import annotations

import json

from assay.errors import InputError, Problem
from assay.model.exchange import Message, Request
from assay.model.gold import GoldCase
from assay.model.suite import Provider


def requests_for(case: GoldCase, prompt: str, schema_sha256: str, provider: Provider, repeat: int = 0) -> tuple[Request, ...]:
    """One request: the contract's prompt, and the case's `input.prompt` or all of its input as JSON."""
    asked = case.input.get("prompt", case.input)
    text = asked if isinstance(asked, str) else json.dumps(asked, ensure_ascii=False, sort_keys=True)
    if not text.strip() or text == "{}":
        raise InputError(Problem(f"case {case.id}", "asks nothing", expected="an input"))
    return (
        Request(
            model=provider.model,
            messages=(Message(role="system", content=prompt), Message(role="user", content=text)),
            schema_sha256=schema_sha256,
            response_format=provider.response_format,
            sampling=provider.sampling,
            repeat=repeat,
        ),
    )


def oracle_reply(case: GoldCase, portion: int = 0) -> str:
    """The expectation as the output: a text as it is, anything else as JSON."""
    expected = case.expected["expected"]
    return expected if isinstance(expected, str) else json.dumps(expected, ensure_ascii=False)
