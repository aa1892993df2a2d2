"""Outputs that were recorded elsewhere, from a file of the suite, and strategies that make outputs without working."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import Field, JsonValue

from assay.digest import canonical
from assay.errors import InputError, Problem
from assay.model.base import Frozen
from assay.model.exchange import Reply
from assay.model.gold import GoldCase
from assay.model.run import plural
from assay.model.target import Target, TargetContext
from assay.model.verdict import Check
from assay.reading import records

ROLE = "outputs"
SHOWN = 5


class Row(Frozen):
    """One line of the outputs file."""

    id: str = Field(min_length=1)
    output: JsonValue


class Outputs:
    """Answers each case with its recorded output."""

    def __init__(self, texts: Mapping[str, str], cases: Sequence[GoldCase], shown: str) -> None:
        self._texts, self._cases, self._shown = texts, cases, shown

    def answer(self, case: GoldCase) -> str:
        """The recorded output. Raises LookupError where there is none."""
        if case.id not in self._texts:
            raise LookupError(f"{self._shown} holds no output for {case.id}")
        return self._texts[case.id]

    def checks(self) -> Sequence[Check]:
        """Whether there is an output for every case and none for a case that is not there."""
        ids = {case.id for case in self._cases}
        lost, strange = sorted(ids - set(self._texts)), sorted(set(self._texts) - ids)
        if lost:
            more = f" and {len(lost) - SHOWN} more" if len(lost) > SHOWN else ""
            told = f"{plural(len(lost), 'case')} without an output: {', '.join(lost[:SHOWN])}{more}"
            return (Check(name="outputs", status="broken", message=f"{self._shown}: {told}"),)
        told = f"; {len(strange)} outputs belong to no case of this run" if strange else ""
        return (Check(name="outputs", status="kept", message=f"{len(ids)} cases have their output{told}"),)


class Fixed:
    """Answers by a rule that looks at no case."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts

    def answer(self, case: GoldCase) -> str:
        """The text that stands for the case. Raises LookupError where there is none."""
        if case.id not in self._texts:
            raise LookupError(f"no output stands in for {case.id}")
        return self._texts[case.id]

    def checks(self) -> Sequence[Check]:
        """Nothing."""
        return ()


def recorded(context: TargetContext) -> Target:
    """The outputs in the suite's `outputs` file."""
    shown, texts = _texts(context)
    return Outputs(texts, context.cases, shown)


def other_case(context: TargetContext) -> Target:
    """The reply to the next case, by the provider in `of`."""
    names = [case.id for case in context.cases]
    after = dict(zip(names, [*names[1:], *names[:1]], strict=True))
    said = {name: [outcome.text for outcome in found if isinstance(outcome, Reply)] for name, found in context.replies.items()}
    return Fixed({name: said[other][0] for name, other in after.items() if other != name and said.get(other)})


def constant(context: TargetContext) -> Target:
    """The same output for every case: that of the first."""
    said = [outcome.text for found in context.replies.values() for outcome in found if isinstance(outcome, Reply)]
    return Fixed(dict.fromkeys([case.id for case in context.cases], said[0]) if said else {})


def empty(context: TargetContext) -> Target:
    """Nothing for every case: an empty object, or an empty text where outputs are read as text."""
    nothing = "" if context.options.get("reads") == "text" else "{}"
    return Fixed(dict.fromkeys([case.id for case in context.cases], nothing))


def _texts(context: TargetContext) -> tuple[str, dict[str, str]]:
    if ROLE not in context.files:
        raise InputError(Problem("suite.yaml: files", f"names no {ROLE!r} file", expected="lines with `id` and `output`"))
    shown, data = context.files[ROLE]
    rows = records(data, shown, Row)
    if len({row.id for row in rows}) != len(rows):
        raise InputError(Problem(shown, "an id stands twice", expected="one output per case"))
    return shown, {row.id: row.output if isinstance(row.output, str) else canonical(row.output).decode() for row in rows}
