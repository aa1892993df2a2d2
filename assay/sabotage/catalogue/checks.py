"""Wrong records of the checks kind: the faults that decision records have, and faults that were put right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from assay.sabotage.catalogue.replies import on_json, system
from assay.sabotage.defect import Answered, Defect

KIND = "checks"
Record = dict[str, Any]


def _field(name: str, change: Callable[[Any], Any]) -> Callable[[Answered], str | None]:
    """One field of a record that has it."""

    def changed(value: Any) -> Any:  # noqa: ANN401  # JSON
        return {**value, name: change(value[name])} if isinstance(value, dict) and name in value else None

    return on_json(changed)


def _without(name: str) -> Callable[[Answered], str | None]:
    def changed(value: Any) -> Any:  # noqa: ANN401  # JSON
        if not isinstance(value, dict) or name not in value:
            return None
        return {key: found for key, found in value.items() if key != name}

    return on_json(changed)


def _unsourced(metadata: Record) -> Record:
    return {key: value for key, value in metadata.items() if key not in {"lineage", "provenance"}}


DEFECTS: tuple[Defect, ...] = (
    system("outcome negated", _field("outcome", lambda outcome: f"not {outcome}"), KIND),
    system("reasoning blank", _field("reasoning", lambda _: " "), KIND),
    system("confidence over 1", _field("confidence", lambda _: 1.5), KIND),
    system("confidence of nothing", _field("confidence", lambda _: 0.0), KIND),
    system("confidence in words", _field("confidence", lambda _: "high"), KIND),
    system("provenance withheld", _field("metadata", _unsourced), KIND),
    system("timestamp a year old", _field("timestamp", lambda told: f"2025{str(told)[4:]}"), KIND),
    system("timestamp withheld", _without("timestamp"), KIND),
    system("outcome withheld", _without("outcome"), KIND),
    system("record in a list", on_json(lambda value: [value]), KIND),
)
