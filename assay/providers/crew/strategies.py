"""What a crew could do without working: strategies that the suite must tell from its subject."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from pydantic import JsonValue

from assay.model.exchange import Reply
from assay.model.gold import GoldCase
from assay.model.target import Target, TargetContext
from assay.model.transcript import Event
from assay.model.verdict import Check

Run = Callable[[Mapping[str, JsonValue]], Iterator[Event]]


def idle(context: TargetContext) -> Run:
    """Says at once that it is done, and has done nothing."""

    def run(given: Mapping[str, JsonValue]) -> Iterator[Event]:
        yield Event(kind="stream", name="run_started")
        yield Event(kind="stream", name="run_done")
        yield Event(kind="final", name="DONE")

    return run


def gives_up(context: TargetContext) -> Run:
    """Fails at once."""

    def run(given: Mapping[str, JsonValue]) -> Iterator[Event]:
        yield Event(kind="stream", name="run_started")
        yield Event(kind="stream", name="run_failed")
        yield Event(kind="final", name="FAILED")

    return run


class OtherCase:
    """Answers each case with what the subject did in the next one."""

    def __init__(self, context: TargetContext) -> None:
        names = [case.id for case in context.cases]
        self._next = dict(zip(names, [*names[1:], *names[:1]], strict=True))
        self._replies = context.replies

    def answer(self, case: GoldCase) -> str:
        """The transcript of the next case. Raises LookupError where it has none."""
        found = [outcome.text for outcome in self._replies.get(self._next[case.id], ()) if isinstance(outcome, Reply)]
        if not found or self._next[case.id] == case.id:
            raise LookupError(f"no other case has a run to stand in for {case.id}")
        return found[0]

    def checks(self) -> tuple[Check, ...]:
        """Nothing."""
        return ()


def other_case(context: TargetContext) -> Target:
    """The runs of the provider in `of`, each in the place of another case."""
    return OtherCase(context)
