"""Who&When logs of several agents as transcripts: one event per step, so that a position in one is a step in the other.

Source: S. Zhang et al., Which Agent Causes Task Failures and When?, arXiv 2505.00212 (2025), the data of
Agents_Failure_Attribution. The logs hold texts only, and what a step was is read off its speaker:

    a terminal                          tool_call terminal, the output as text, result.exit_code where it names one
    Orchestrator (thought)              decision: plan, ledger (its JSON as arguments), next_speaker (arguments.to) or thought
    Orchestrator (-> Agent)             decision instruct, arguments.to
    Orchestrator (termination condition)  final stopped
    anyone else                         stream message
"""

from __future__ import annotations

import json
import re
from typing import Any

from pydantic import Field, JsonValue

from assay.errors import Problem
from assay.model.base import Frozen
from assay.model.transcript import Event, Transcript
from assay.reading import validated
from assay.suites.orchestration.chat import MESSAGE
from assay.suites.orchestration.recorded import Recorded

TERMINALS = ("Computer_terminal", "ComputerTerminal")
_EXIT = re.compile(r"exit ?code: ?(\d+)")
_ORCHESTRATOR = re.compile(r"Orchestrator \((?:-> )?(.+)\)")
_LEDGER = "Updated Ledger:"
_NEXT = re.compile(r"Next speaker (\S+)")
_PLANS = ("Initial plan:", "New plan:")


class _Step(Frozen):
    role: str = Field(min_length=1)
    name: str | None = Field(None, min_length=1)
    content: str


class _Log(Frozen):
    history: tuple[_Step, ...] = Field(min_length=1)
    mistake_agent: str
    mistake_step: str = Field(pattern=r"^\d+$")
    mistake_reason: str
    mistake_type: str | None = None
    question: str
    question_id: str = Field(alias="question_ID")
    ground_truth: str
    level: JsonValue = None
    labels: JsonValue = None
    is_correct: bool | None = None
    is_corrected: bool | None = None
    system_prompt: dict[str, str] = Field(default_factory=dict)


def logged_run(value: object, where: str, id: str, source: str | None = None) -> Recorded:  # noqa: A002  # the field's name
    """The run of one log file, with the labelled agent, step and reason. Raises InputError where the file has another shape.

    A ledger that is not JSON is a problem of its event, which keeps the text and has no arguments.
    """
    log = validated(value, where, _Log)
    problems: list[Problem] = []
    events = [_event(step, f"{where}: event {at}", problems) for at, step in enumerate(log.history)]
    return Recorded(
        Transcript(id=id, source=source, events=tuple(events)),
        {
            "mistake_agent": log.mistake_agent,
            "mistake_step": int(log.mistake_step),
            "mistake_reason": log.mistake_reason,
            "question_ID": log.question_id,
        },
        tuple(problems),
    )


def _event(step: _Step, place: str, problems: list[Problem]) -> Event:
    actor = step.name or step.role
    if actor in TERMINALS:
        code = _EXIT.search(step.content)
        result = {"exit_code": int(code.group(1))} if code else None
        return Event(kind="tool_call", name="terminal", actor=actor, result=result, text=step.content)
    part = _ORCHESTRATOR.fullmatch(actor)
    if part is None:
        return Event(kind="stream", name=MESSAGE, actor=actor, text=step.content)
    match part.group(1):
        case "thought":
            return _thought(step.content, place, problems)
        case "termination condition":
            return Event(kind="final", name="stopped", actor="Orchestrator", text=step.content)
        case agent:
            return Event(kind="decision", name="instruct", actor="Orchestrator", arguments={"to": agent}, text=step.content)


def _thought(text: str, place: str, problems: list[Problem]) -> Event:
    name, arguments = "thought", dict[str, Any]()
    if text.startswith(_LEDGER):
        name, arguments = "ledger", _ledger(text.removeprefix(_LEDGER).lstrip(), place, problems)
    elif chosen := _NEXT.match(text):
        name, arguments = "next_speaker", {"to": chosen.group(1)}
    elif text.startswith(_PLANS):
        name = "plan"
    return Event(kind="decision", name=name, actor="Orchestrator", arguments=arguments, text=text)


def _ledger(text: str, place: str, problems: list[Problem]) -> dict[str, Any]:
    """The object at the start of the text; the logs have warnings of the program run on behind it."""
    try:
        value, _ = json.JSONDecoder().raw_decode(text)
    except ValueError as error:
        problems.append(Problem(place, f"the ledger is not JSON ({error})"))
        return {}
    if not isinstance(value, dict):
        problems.append(Problem(place, "the ledger is no JSON object", value))
        return {}
    return value
