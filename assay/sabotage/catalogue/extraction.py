"""Wrong memories of the extraction kind."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

from assay.sabotage.catalogue.replies import on_json, system
from assay.sabotage.defect import Answered, Defect

KIND = "extraction"
TURNED = {"factual": "episodic", "episodic": "factual", "procedural": "preference", "preference": "behavioral"}
Memory = dict[str, Any]


def _each(change: Callable[[Memory], Memory | None]) -> Callable[[Answered], str | None]:
    """Every memory of an answer; None drops one."""

    def changed(value: Any) -> Any:  # noqa: ANN401  # JSON
        memories = value.get("memories") if isinstance(value, dict) else None
        if not memories:
            return None
        return {**value, "memories": [found for memory in memories if (found := change(dict(memory))) is not None]}

    return on_json(changed)


def _all(change: Callable[[list[Memory]], list[Memory]]) -> Callable[[Answered], str | None]:
    def changed(value: Any) -> Any:  # noqa: ANN401  # JSON
        memories = value.get("memories") if isinstance(value, dict) else None
        return {**value, "memories": change(memories)} if memories else None

    return on_json(changed)


def _later(memory: Memory) -> Memory:
    for key in ("valid_from", "valid_until"):
        if memory.get(key):
            memory[key] = (date.fromisoformat(memory[key]) + timedelta(days=30)).isoformat()
    return memory


def _without_time(memory: Memory) -> Memory:
    if memory["temporal_kind"] == "supersession":
        return memory
    return memory | {"temporal_kind": "indefinite", "valid_from": None, "valid_until": None}


def _current(memory: Memory) -> Memory:
    """A replacement told as if nothing had been replaced."""
    if memory["temporal_kind"] != "supersession":
        return memory
    return memory | {"temporal_kind": "indefinite", "valid_until": None, "supersedes": None}


def _invented(value: list[Memory]) -> list[Memory]:
    told = "The user once won a regatta on Lake Titicaca with a borrowed bathtub."
    return [*value, value[0] | {"content": told, "temporal_kind": "indefinite", "supersedes": None} | _NEVER]


_NEVER = {"valid_from": None, "valid_until": None}

DEFECTS: tuple[Defect, ...] = (
    system("wrong category", _each(lambda m: m | {"categories": [TURNED.get(m["categories"][0], "factual")]}), KIND),
    system("every category", _each(lambda m: m | {"categories": [*TURNED, "behavioral"]}), KIND),
    system("dates shifted by 30 days", _each(_later), KIND),
    system("dates forgotten", _each(_without_time), KIND),
    system("supersession not told", _each(_current), KIND),
    system("hallucinated extra", _all(_invented), KIND),
    system("every memory twice", _all(lambda found: [*found, *found]), KIND),
    system("first memory lost", _all(lambda found: found[1:]), KIND),
    system("nothing found", _all(lambda _: []), KIND),
    system("memory negated", _each(lambda m: m | {"content": f"It is not true that {m['content']}"}), KIND),
    system("names swapped for pronouns", _each(lambda m: m | {"content": "They said something about it."}), KIND),
    system("all memories in one", _all(lambda found: [found[0] | {"content": " ".join(m["content"] for m in found)}]), KIND),
)
