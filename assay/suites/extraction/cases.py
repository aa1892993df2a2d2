"""load: conversations and expected memories as gold cases, every fault of the files reported at once."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from assay.errors import Problem
from assay.model.base import Frozen
from assay.model.gold import GoldCase
from assay.reading import raise_all, records
from assay.suites.extraction.schema import Category, DateText, TemporalKind

REQUIRED_FILES = ("conversations", "expected")
TARGET_FILES = ()
LONG_TURNS = 20


def _aware(text: str) -> str:
    if datetime.fromisoformat(text).tzinfo is None:
        raise ValueError("a reference time needs a UTC offset")
    return text


class Turn(Frozen):
    """One message of a conversation."""

    role: Literal["user", "assistant"]
    content: str = Field(min_length=1)


class Conversation(Frozen):
    """What the extractor reads."""

    id: str = Field(min_length=1)
    reference_time: Annotated[str, AfterValidator(_aware)]
    """When the conversation took place, ISO 8601 with offset; relative dates are resolved against it."""
    languages: tuple[str, ...] = Field(min_length=1)
    tags: tuple[Literal["hostile", "relative_dates"], ...]
    turns: tuple[Turn, ...] = Field(min_length=1)
    expects_nothing: bool = False
    """True when nothing must be extracted: an expectation, not a gap."""


class ExpectedMemory(Frozen):
    """One memory that must be extracted."""

    id: str = Field(min_length=1)
    conversation_id: str
    content: str = Field(pattern=r"\S")
    categories: tuple[Category, ...] = Field(min_length=1)
    temporal_kind: TemporalKind
    valid_from: DateText | None
    valid_until: DateText | None
    supersedes: str | None
    """The id of the earlier memory of the same conversation that it replaces."""

    @model_validator(mode="after")
    def _time_makes_sense(self) -> Self:
        kind, start, end = self.temporal_kind, self.valid_from, self.valid_until
        if len(set(self.categories)) != len(self.categories):
            raise ValueError("a category stands twice")
        if kind == "point" and (start is None or start != end):
            raise ValueError("a point has the same day in valid_from and valid_until")
        if kind == "bounded" and start is None and end is None:
            raise ValueError("a bounded memory has at least one date")
        if kind == "indefinite" and end is not None:
            raise ValueError("an indefinite memory has no valid_until")
        if start and end and start > end:
            raise ValueError("valid_from lies after valid_until")
        if (kind == "supersession") != (self.supersedes is not None):
            raise ValueError("temporal_kind is supersession exactly when supersedes is given")
        return self


def load(files: Mapping[str, tuple[str, bytes]]) -> list[GoldCase]:
    """The gold cases in file order. `files` maps each required name to (shown path, bytes). Raises InputError."""
    conversations, memories = parse(files)
    if not conversations:
        return []
    shown = files["expected"][0]
    raise_all(faults(conversations, memories, files["conversations"][0], shown), shown)
    return gold_cases(conversations, memories)


def parse(files: Mapping[str, tuple[str, bytes]]) -> tuple[list[Conversation], list[ExpectedMemory]]:
    """Both files as records, each valid on its own. Raises InputError."""
    conversations = records(files["conversations"][1], files["conversations"][0], Conversation)
    return conversations, records(files["expected"][1], files["expected"][0], ExpectedMemory)


def faults(
    conversations: Sequence[Conversation], memories: Sequence[ExpectedMemory], cases_file: str, memories_file: str
) -> list[Problem]:
    """What is wrong between the records: duplicate ids, dangling references, cases without an expectation."""
    found = [
        Problem(file, f"the id {name!r} stands {count} times", expected="each id once")
        for file, ids in (
            (cases_file, [c.id for c in conversations]),
            (memories_file, [m.id for m in memories]),
        )
        for name, count in sorted(Counter(ids).items())
        if count > 1
    ]
    case_ids = {c.id for c in conversations}
    places = {m.id: m.conversation_id for m in memories}
    for memory in memories:
        where = f"{memories_file}: {memory.id}"
        if memory.conversation_id not in case_ids:
            found.append(Problem(where, "unknown conversation", memory.conversation_id, f"an id of {cases_file}"))
        if memory.supersedes is not None and (
            memory.supersedes == memory.id or places.get(memory.supersedes) != memory.conversation_id
        ):
            found.append(
                Problem(where, "supersedes no earlier memory", memory.supersedes, "another id of the same conversation")
            )
    found += [Problem(f"{memories_file}: {name}", "supersedes itself in a circle") for name in _circular(memories)]
    described = {m.conversation_id for m in memories}
    for case in conversations:
        if case.expects_nothing == (case.id in described):
            what = "expects nothing and has memories" if case.expects_nothing else "has no expectation"
            found.append(
                Problem(f"{cases_file}: {case.id}", what, expected='memories or "expects_nothing": true, one of the two')
            )
    return found


def _circular(memories: Sequence[ExpectedMemory]) -> list[str]:
    """Ids from which following `supersedes` leads back to themselves, apart from those that name themselves."""
    replaced = {m.id: m.supersedes for m in memories}
    found = []
    for name, first in replaced.items():
        step, seen = first, set[str]()
        while step is not None and step != name and step not in seen:
            seen.add(step)
            step = replaced.get(step)
        if step == name and first != name:
            found.append(name)
    return found


def gold_cases(conversations: Sequence[Conversation], memories: Sequence[ExpectedMemory]) -> list[GoldCase]:
    """Conversations joined with their memories, in file order. Both are valid already, so the cases are not validated anew."""
    by_case: dict[str, list[ExpectedMemory]] = defaultdict(list)
    for memory in memories:
        by_case[memory.conversation_id].append(memory)
    return [
        GoldCase.model_construct(
            id=case.id,
            input=case.model_dump(mode="json"),
            expected={"memories": [m.model_dump(mode="json") for m in by_case[case.id]]},
            strata=strata(case),
        )
        for case in conversations
    ]


def strata(case: Conversation) -> tuple[str, ...]:
    """The groups of the case that a sample keeps in proportion."""
    groups = {
        "English only": case.languages == ("en",),
        "hostile": "hostile" in case.tags,
        "relative dates": "relative_dates" in case.tags,
        "expects nothing": case.expects_nothing,
        "long": len(case.turns) >= LONG_TURNS,
    }
    return tuple(name for name, holds in groups.items() if holds)
