"""Bytes of a file to transcripts, whichever known form they have. What does not parse is a problem with file and event.

Forms, told apart by their keys:

    assay         our JSON lines: one transcript per line, as `jsonl_of` writes them
    chat          OpenAI chat messages: {"messages": [...]}, a list of messages, or one such object per line
    tau-bench     a list of {"task_id", "trial", "reward", "traj": messages}
    who-and-when  one log: {"history": [...], "mistake_step", "mistake_agent", ...}
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from assay.digest import canonical
from assay.errors import InputError, Problem
from assay.model.transcript import Transcript
from assay.reading import json_value, raise_all, text_of, validated
from assay.suites.orchestration.chat import chat_transcript
from assay.suites.orchestration.recorded import Reading, Recorded
from assay.suites.orchestration.who_and_when import logged_run

_ANY = "a transcript, chat messages, a tau-bench trajectory or a Who&When log"


def jsonl_of(transcripts: Iterable[Transcript]) -> bytes:
    """Our JSON lines: one transcript per line, keys sorted; no transcripts give no bytes."""
    lines = (one.model_dump(mode="json", exclude_defaults=True) | {"format": one.format} for one in transcripts)
    return b"".join(canonical(line) + b"\n" for line in lines)


def transcripts_of(data: bytes, where: str) -> tuple[Recorded, ...]:
    """All transcripts of a file. Raises InputError with every fault."""
    found = read(data, where)
    raise_all(list(found.errors), where)
    return found.recorded


def read(data: bytes, where: str) -> Reading:
    """What a file holds: every transcript that parses, and the faults of each that does not. A file's faults never raise.

    A file whose name ends in `.jsonl` is read line by line, any other as one JSON value. No transcript at all is a fault.
    """
    problems: list[Problem] = []
    recorded: dict[str, Recorded] = {}
    forms: list[str] = []
    items = _items(data, where, problems)
    failed = len(problems)
    found = len(items) + failed
    for place, item in items:
        try:
            form = _form(item, place)
            one = _READERS[form](item, place, where)
        except InputError as error:
            problems.extend(error.problems)
            failed += 1
            continue
        name = one.transcript.id
        if name in recorded:
            problems.append(Problem(place, "the id of a transcript stands twice", name))
            failed += 1
        else:
            recorded[name] = one
            forms.append(form)
    if not recorded and not problems:
        problems.append(Problem(where, "holds no transcript", expected=_ANY))
    return Reading(" and ".join(sorted(set(forms))) or "unknown", tuple(recorded.values()), tuple(problems), found, failed)


def _items(data: bytes, where: str, problems: list[Problem]) -> list[tuple[str, object]]:
    """What may be transcripts, each with its place."""
    try:
        text = text_of(data, where)
        if not where.endswith(".jsonl"):
            return _parts(json_value(text, where), where)
    except InputError as error:
        problems.extend(error.problems)
        return []
    items: list[tuple[str, object]] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            place = f"{where}:{number}"
            try:
                items.append((place, json_value(line, place)))
            except InputError as error:
                problems.extend(error.problems)
    return items


def _parts(value: object, where: str) -> list[tuple[str, object]]:
    """A list of messages is one transcript; the items of any other list are one each."""
    if isinstance(value, list) and not any(isinstance(item, dict) and "role" in item for item in value):
        return [(f"{where}: {number}", item) for number, item in enumerate(value)]
    return [(where, value)]


def _form(item: object, place: str) -> str:
    if isinstance(item, list):
        return "chat"
    for form, keys in _KEYS.items():
        if isinstance(item, dict) and keys <= item.keys():
            return form
    raise InputError(Problem(place, "has no known form", sorted(item) if isinstance(item, dict) else item, _ANY))


def _assay(item: Any, place: str, where: str) -> Recorded:  # noqa: ANN401  # parsed JSON
    transcript = validated(item, place, Transcript)
    return Recorded(transcript.model_copy(update={"source": transcript.source or where}))


def _chat(item: Any, place: str, where: str) -> Recorded:  # noqa: ANN401  # parsed JSON
    messages, beside = (item, {}) if isinstance(item, list) else (item["messages"], item)
    name = beside.get("id") or place
    if not isinstance(name, str):
        raise InputError(Problem(f"{place}: id", "is no text", name))
    labels = {key: value for key, value in beside.items() if key not in {"messages", "id"}}
    return Recorded(chat_transcript(messages, place, name, where), labels)


def _tau(item: Any, place: str, where: str) -> Recorded:  # noqa: ANN401  # parsed JSON
    name = f"task-{item['task_id']}-trial-{item['trial']}"
    transcript = chat_transcript(item["traj"], f"{place} ({name})", name, where)
    return Recorded(transcript, {key: value for key, value in item.items() if key != "traj"})


def _who_and_when(item: Any, place: str, where: str) -> Recorded:  # noqa: ANN401  # parsed JSON
    return logged_run(item, place, place, where)


_KEYS = {
    "assay": {"events"},
    "chat": {"messages"},
    "tau-bench": {"traj", "task_id", "trial", "reward"},
    "who-and-when": {"history", "mistake_step"},
}
_READERS: dict[str, Callable[[Any, str, str], Recorded]] = {
    "assay": _assay,
    "chat": _chat,
    "tau-bench": _tau,
    "who-and-when": _who_and_when,
}
