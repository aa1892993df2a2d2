"""Gold sets that are wrong: cases lost, doubled, mixed up or without an expectation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from assay.sabotage.catalogue.gold_rows import ABSENT, Row, rows_of, with_rows
from assay.sabotage.defect import STRENGTHS, Defect, InMaterial, Material, NotApplicable, Pick

NOTICED = ("integrity.*", "baseline", "cases", "input", "calibration")


def _edited(change: Callable[[list[Row], set[str]], Sequence[Row]], offers: Callable[[Row], bool] = lambda _: True) -> Any:  # noqa: ANN401  # a change
    """The cases edited; `change` is given all of them and the ids that are hit, of those that offer something."""

    def changed(material: Material, pick: Pick) -> Material:
        rows = rows_of(material)
        fitting = pick.in_order(row.id for row in rows if offers(row))
        if not fitting:
            raise NotApplicable("no case offers what it would damage")
        return with_rows(material, change(rows, set(fitting[: pick.strength.of(len(rows))])))

    return changed


def _dropped(rows: list[Row], hit: set[str]) -> list[Row]:
    return [row for row in rows if row.id not in hit]


def _doubled(rows: list[Row], hit: set[str]) -> list[Row]:
    return [row for one in rows for row in ([one, one] if one.id in hit else [one])]


def _shuffled(rows: list[Row], hit: set[str]) -> list[Row]:
    """Each case that is hit gets the expectation of the next one that differs."""
    found = []
    for at, row in enumerate(rows):
        others = [other.wanted for other in (*rows[at + 1 :], *rows[:at]) if other.wanted not in (ABSENT, row.wanted)]
        found.append(replace(row, wanted=others[0]) if row.id in hit and others else row)
    return found


def _blank(value: Any) -> Any:  # noqa: ANN401  # JSON
    if isinstance(value, dict):
        return {key: _blank(one) for key, one in value.items()}
    return "" if isinstance(value, str) else [] if isinstance(value, list) else value


def _blanked(rows: list[Row], hit: set[str]) -> list[Row]:
    return [replace(row, wanted=_blank(row.wanted)) if row.id in hit else row for row in rows]


def _unexpected(rows: list[Row], hit: set[str]) -> list[Row]:
    """For each case that is hit, one more without any expectation."""
    more = [
        Row(f"{row.id}-more", row.role, {**row.own, "id": f"{row.own['id']}-more"}, ABSENT) for row in rows if row.id in hit
    ]
    return [*rows, *more]


def _reworded(rows: list[Row], hit: set[str]) -> list[Row]:
    """The question, or what stands in its place, edited."""
    return [replace(row, own=_edit(row.own)) if row.id in hit else row for row in rows]


def _edit(own: dict[str, Any]) -> dict[str, Any]:
    for key in ("query", "question"):
        if key in own:
            return {**own, key: f"{own[key]} Please."}
    if "turns" in own:
        first = own["turns"][0]
        return {**own, "turns": [{**first, "content": f"{first['content']} Please."}, *own["turns"][1:]]}
    if isinstance(own.get("input"), dict):
        return {
            **own,
            "input": {key: f"{v} Please." if isinstance(v, str) and " " in v else v for key, v in own["input"].items()},
        }
    return own


def _has_expectation(row: Row) -> bool:
    return row.wanted is not ABSENT and bool(row.wanted)


def _gold(name: str, change: Any) -> Defect:  # noqa: ANN401  # a change
    return Defect(name, "gold", InMaterial(change), NOTICED, strengths=STRENGTHS)


def _file_cut(material: Material, _: Pick) -> Material:
    """Half of the largest gold file is gone, as after a bad copy."""
    role = max(material.files, key=lambda one: (len(material.files[one][1]), one))
    data = material.files[role][1]
    return material.with_file(role, data[: len(data) // 2])


def _file_empty(material: Material, _: Pick) -> Material:
    role = rows_of(material)[0].role
    return material.with_file(role, b"")


DEFECTS: tuple[Defect, ...] = (
    _gold("cases dropped", _edited(_dropped)),
    _gold("case doubled", _edited(_doubled)),
    _gold("labels shuffled", _edited(_shuffled, _has_expectation)),
    _gold("expectation blank", _edited(_blanked, _has_expectation)),
    _gold("case without expectation added", _edited(_unexpected, _has_expectation)),
    _gold("question reworded", _edited(_reworded)),
    Defect("gold file cut in half", "gold", InMaterial(_file_cut), NOTICED),
    Defect("gold file empty", "gold", InMaterial(_file_empty), NOTICED),
)
