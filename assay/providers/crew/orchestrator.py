"""The orchestrator: a model decides each move, illegal ones are refused and survived, and every run ends DONE or FAILED."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import dataclass, field

from pydantic import JsonValue

from assay.model.transcript import Transcript
from assay.providers.crew.moves import ASSIGN, CONSULT, FINALIZE, REVIEW, TOOLS
from assay.providers.crew.parts import DONE, FAILED, Ending, Parts
from assay.providers.crew.port import ChatMessage, ChatModel, ChatReply, ModelOutage, ToolCall
from assay.providers.crew.prompts import ORCHESTRATOR
from assay.providers.crew.recorder import Instrumented, Recorder
from assay.providers.crew.specialists import (
    Angles,
    Draft,
    OutOfForm,
    Question,
    ReplyRecord,
    Review,
    editor_question,
    strategist_question,
    writer_question,
)
from assay.providers.crew.state import State, fresh_database
from assay.providers.crew.telemetry import Telemetry

NO_MOVE = "no_move"
Result = dict[str, JsonValue]
"""What a move came to, as the model is told."""


@dataclass(frozen=True)
class Task:
    """One case."""

    id: str
    brief: str
    model: str
    """What answers, and who chose it, such as `scripted` and `suite`."""
    chosen_by: str


def run(task: Task, model: ChatModel, parts: Parts) -> Transcript:
    """The transcript of one run, with a database of its own. What is no outage of a model passes through."""
    with closing(fresh_database()) as database:
        recorder, telemetry = Recorder(), parts.telemetry(database)
        crew = _Run(task, Instrumented(model, recorder, telemetry), parts, recorder, State(database), telemetry)
        crew.to_its_end()
    return Transcript(id=task.id, events=recorder.events)


@dataclass
class _Run:
    task: Task
    model: ChatModel
    parts: Parts
    recorder: Recorder
    state: State
    telemetry: Telemetry
    messages: list[ChatMessage] = field(default_factory=list)
    phase: str = ""
    moves: int = 0
    refusals_in_a_row: int = 0
    failures_in_a_row: int = 0

    def to_its_end(self) -> None:
        chosen: Result = {"model": self.task.model, "chosen_by": self.task.chosen_by}
        self.recorder.note("stream", "run_started", arguments=chosen, text=self.task.brief)
        self.messages = [ChatMessage("system", ORCHESTRATOR), ChatMessage("user", f"Brief: {self.task.brief}")]
        ending = None
        while ending is None:
            ending = self._step()
        self._end(ending)

    def _step(self) -> Ending | None:
        """Ask for a decision and carry it out. Returns how the run ends, or None when it goes on."""
        if self.moves >= self.parts.limits.max_moves:
            return self._close(f"no end after {self.moves} moves")
        try:
            decided: ChatReply | Ending = self.model.complete("decide", self.messages, TOOLS)
        except ModelOutage as outage:
            self.recorder.note("error", type(outage).__name__, text=str(outage))
            decided = self.parts.after_outage(outage, self.messages)
        if isinstance(decided, Ending):
            return decided
        self.messages.append(ChatMessage("assistant", decided.text, decided.tool_calls))
        first, *others = decided.tool_calls or (ToolCall(NO_MOVE),)
        ending = self._carry_out(first, self.parts.refusal(first.name, self.state, self.parts.limits))
        for call in others:
            ending = ending or self._carry_out(call, "one move at a time")
        return ending

    def _carry_out(self, call: ToolCall, refusal: str | None) -> Ending | None:
        self.moves += 1
        self.recorder.note("decision", call.name, arguments=call.arguments)
        self.telemetry.moved(call.name, is_refused=refusal is not None)
        if refusal is not None:
            return self._refuse(call, refusal)
        self.refusals_in_a_row = 0
        if call.name == FINALIZE:
            return self._hand_over(call)
        try:
            result = self._consulted(call)
        except (ModelOutage, OutOfForm) as error:
            return self._survive(call, error)
        self.failures_in_a_row = 0
        self._tell(call, result)
        return self.parts.without_angles() if call.name == CONSULT and not self.state.angles() else None

    def _refuse(self, call: ToolCall, reason: str) -> Ending | None:
        self.refusals_in_a_row += 1
        self.recorder.note("refused", call.name, arguments=call.arguments, text=reason)
        self.messages.append(ChatMessage("tool", json.dumps({"refused": reason}), tool=call.name))
        ending = self.parts.after_refusal(reason)
        if ending is None and self.refusals_in_a_row >= self.parts.limits.max_refusals_in_a_row:
            return self._close(f"{self.refusals_in_a_row} moves in a row were refused")
        return ending

    def _survive(self, call: ToolCall, error: Exception) -> Ending | None:
        """A specialist failed: the model is told and may try again, until it has failed too often."""
        self.failures_in_a_row += 1
        self.recorder.note("error", type(error).__name__, _ACTORS[call.name], text=str(error))
        self._tell(call, {"failed": f"{type(error).__name__}: {error}"})
        if self.failures_in_a_row >= self.parts.limits.max_failures_in_a_row:
            return self._close(f"the {_ACTORS[call.name]} failed {self.failures_in_a_row} times in a row: {error}")
        return None

    def _consulted(self, call: ToolCall) -> Result:
        """What the specialist's answer came to. Raises ModelOutage, OutOfForm."""
        if call.name == CONSULT:
            self._enter("STRATEGY")
            return self._angles(self._asked(strategist_question(self.task.brief), Angles))
        if call.name == ASSIGN:
            self._enter("WRITING")
            notes = str(call.arguments.get("notes") or "")
            return self._draft(self._asked(writer_question(self.task.brief, self.state, notes), Draft))
        self._enter("REVIEW")
        return self._review(self._asked(editor_question(self.task.brief, self.state), Review))

    def _asked(self, question: Question, form: type[ReplyRecord]) -> ReplyRecord:
        return self.parts.ask(self.model, question, form, self.parts.limits.max_askings, self._mismatch)

    def _mismatch(self, purpose: str, fault: str) -> None:
        self.telemetry.mismatched(purpose, fault)
        self.recorder.note("stream", "schema_mismatch", purpose, text=fault)

    def _angles(self, reply: Angles) -> Result:
        self.state.keep_angles(reply.angles)
        return {"angles": list(reply.angles)}

    def _draft(self, reply: Draft) -> Result:
        return {"draft": self.state.keep_draft(reply.draft), "revision": self.state.revisions()}

    def _review(self, reply: Review) -> Result:
        self.state.keep_review(reply.verdict, reply.notes)
        return {"verdict": reply.verdict, "notes": reply.notes, "draft": self.state.drafts()}

    def _tell(self, call: ToolCall, result: Result) -> None:
        """The tool's result, to the transcript and to the model."""
        self.recorder.note("tool_call", call.name, _ACTORS[call.name], arguments=call.arguments, result=result)
        if "failed" not in result and result.get("angles") != []:
            self.recorder.note("stream", _NEWS[call.name], _ACTORS[call.name], arguments=result)
        self.messages.append(ChatMessage("tool", json.dumps(result, ensure_ascii=False), tool=call.name))

    def _close(self, reason: str) -> Ending:
        """End a run that its model does not end: with the latest draft where it may be handed over, else in failure."""
        if self.parts.refusal(FINALIZE, self.state, self.parts.limits) is not None:
            return Ending(FAILED, reason)
        self.recorder.note("stream", "closed_by_orchestrator", text=reason)
        return self._hand_over(ToolCall(FINALIZE))

    def _hand_over(self, call: ToolCall) -> Ending:
        result: Result = {"draft": self.state.drafts(), "approved": self.state.is_approved()}
        self.recorder.note("tool_call", FINALIZE, arguments=call.arguments, result=result)
        return Ending(DONE)

    def _enter(self, phase: str) -> None:
        if phase != self.phase:
            self.phase = phase
            self.recorder.note("phase", phase)

    def _end(self, ending: Ending) -> None:
        """The last three events. A failed run hands out no draft."""
        is_done = ending.phase == DONE
        self._enter(ending.phase)
        self.recorder.note("stream", "run_done" if is_done else "run_failed", text=ending.reason or None)
        result: Result = {
            "draft": self.state.draft() if is_done else None,
            "approved": is_done and self.state.is_approved(),
            "drafts": self.state.drafts(),
            "revisions": self.state.revisions(),
            "telemetry": dict(self.telemetry.counts()),
        }
        self.recorder.note("final", ending.phase, result=result, text=ending.reason or None)


_ACTORS = {CONSULT: "strategist", ASSIGN: "writer", REVIEW: "editor"}
_NEWS = {CONSULT: "angles_ready", ASSIGN: "draft_ready", REVIEW: "review_ready"}
