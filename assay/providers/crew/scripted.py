"""The mock: specialists that speak a scenario's lines, and decisions by a policy. `choice` says when it may answer."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence

from assay.providers.crew.policy import Policy
from assay.providers.crew.port import ChatMessage, ChatModel, ChatReply, ModelOutage, Purpose, Tool
from assay.providers.crew.scenario import Scenario


class ScriptedModel:
    """Answers one case. It knows how often each specialist has spoken, so no two cases may share one."""

    def __init__(self, scenario: Scenario, policy: Policy) -> None:
        self._scenario, self._policy = scenario, policy
        self._spoken = Counter[str]()

    def complete(self, purpose: Purpose, messages: Sequence[ChatMessage], tools: Sequence[Tool]) -> ChatReply:
        """The policy's decision, or the specialist's next line. Raises ModelOutage where the script says so."""
        if purpose == "decide":
            return self._policy(messages)
        line = self._scenario.line(purpose, self._spoken[purpose])
        self._spoken[purpose] += 1
        if line.outage is not None:
            raise ModelOutage(line.outage)
        return ChatReply(json.dumps(line.say, ensure_ascii=False) if line.text is None else line.text)


class WithPolicy:
    """A model whose decisions are a policy's; the specialists stay its own."""

    def __init__(self, model: ChatModel, policy: Policy) -> None:
        self._model, self._policy = model, policy

    def complete(self, purpose: Purpose, messages: Sequence[ChatMessage], tools: Sequence[Tool]) -> ChatReply:
        """The policy's decision, or what the model says."""
        return self._policy(messages) if purpose == "decide" else self._model.complete(purpose, messages, tools)
