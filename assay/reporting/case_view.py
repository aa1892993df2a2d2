"""A case that is not right as people compare it: what stands opposite what, what differs, and which one edit would do.

In: `FailedCase.detail` as the kind's scoring left it. Out: plain rows that Python and the page's script draw alike.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from pydantic import JsonValue

from assay.model.report import FailedCase

Item = TypeVar("Item")

TEXT, ROWS, LINES = 700, 24, 24
"""How much of a text, and how many rows and lines, a page shows of one case."""
FIELDS = ("categories", "temporal_kind", "valid_from", "valid_until", "supersedes")
ELSEWHERE = "more in report.json"
State = Literal["right", "differs", "alone"]


@dataclass(frozen=True)
class Side:
    """What stands on one side of a row."""

    text: str
    fields: tuple[tuple[str, str, bool], ...] = ()
    """Name, value, and whether the other side has another."""

    def packed(self) -> list[object]:
        """As the script reads it."""
        return [self.text, [[name, value, int(differs)] for name, value, differs in self.fields]]


@dataclass(frozen=True)
class Opposite:
    """An expectation and what was matched with it; one of the two is None where it found no partner."""

    expected: Side | None
    predicted: Side | None
    link: str
    """What is written on the line between them."""
    state: State

    def packed(self) -> list[object]:
        """As the script reads it."""
        sides = [side.packed() if side else None for side in (self.expected, self.predicted)]
        return [*sides, self.link, self.state]


@dataclass(frozen=True)
class CaseView:
    """All that the page tells of one case."""

    reason: str
    rows: tuple[Opposite, ...]
    lines: tuple[str, ...]
    """Differences that the rows do not show by themselves."""
    edits: tuple[str, ...]
    """What single edit would have matched, or that none would."""

    def packed(self) -> list[object]:
        """As the script reads it."""
        return [self.reason, [found.packed() for found in self.rows], self.lines, self.edits]


def case_view(failed: FailedCase) -> CaseView:
    """The view of a case, cut to what a page can hold."""
    detail = failed.detail
    rows, lines = _rows(detail)
    return CaseView(
        reason=cut(failed.reason or "", TEXT),
        rows=tuple(_few(rows, ROWS, lambda more: Opposite(Side(more), None, "", "alone"))),
        lines=tuple(_few([cut(line, TEXT) for line in lines], LINES, lambda more: more)),
        edits=tuple(_few([cut(edit, TEXT) for edit in _edits(failed)], LINES, lambda more: more)),
    )


def _rows(detail: Mapping[str, JsonValue]) -> tuple[list[Opposite], list[str]]:
    """The rows, and the lines of difference that they do not show."""
    lines = _texts(detail.get("difference"))
    matched = _matched(detail)
    if matched is not None:
        return matched, [line for line in lines if not line.startswith(("missing: ", "extra: "))]
    ranked = _ranked(detail)
    if ranked is not None:
        return ranked, lines
    sides = [_plain(detail[key]) if key in detail else None for key in ("expected", "predicted")]
    return ([Opposite(sides[0], sides[1], "", "differs")] if any(sides) else []), lines


def _matched(detail: Mapping[str, JsonValue]) -> list[Opposite] | None:
    """Records matched one to one; None where the detail is no matching."""
    expected, predicted = _records(detail.get("expected")), _records(detail.get("predicted"))
    matched = _records(detail.get("matched"))
    if expected is None or predicted is None or matched is None:
        return None
    rows, seen = [], (set[int](), set[int]())
    for match in matched:
        i, j, similarity = match.get("expected"), match.get("predicted"), match.get("similarity")
        if not isinstance(i, int) or not isinstance(j, int) or not (0 <= i < len(expected) and 0 <= j < len(predicted)):
            return None
        differing = differing_fields(expected[i], predicted[j], _texts(detail.get("difference")))
        link = f"{similarity:.2f}" if isinstance(similarity, int | float) else ""
        sides = (_memory(expected[i], differing), _memory(predicted[j], differing))
        rows.append(Opposite(*sides, link, "differs" if differing else "right"))
        seen[0].add(i)
        seen[1].add(j)
    rows += [Opposite(_memory(m), None, "missing", "alone") for i, m in enumerate(expected) if i not in seen[0]]
    return rows + [Opposite(None, _memory(m), "extra", "alone") for j, m in enumerate(predicted) if j not in seen[1]]


def _ranked(detail: Mapping[str, JsonValue]) -> list[Opposite] | None:
    """Documents that were wanted opposite where they stand; None where the detail is no ranking."""
    expected, predicted = detail.get("expected"), detail.get("predicted")
    if not isinstance(expected, list) or not isinstance(predicted, list) or not predicted:
        return None
    ranking: dict[str, tuple[int, JsonValue]] = {}
    for place, entry in enumerate(predicted, start=1):
        if not isinstance(entry, list) or len(entry) != 2 or not isinstance(entry[0], str):  # noqa: PLR2004  # name and score
            return None
        ranking.setdefault(entry[0], (place, entry[1]))
    wanted = [name for name in expected if isinstance(name, str)]
    rows = [Opposite(Side(cut(name, TEXT)), None, "not among these", "alone") for name in wanted if name not in ranking]
    for name, (place, score) in ranking.items():
        side = Side(cut(name, TEXT), (("rank", str(place), False), ("score", f"{score}", False)))
        left = Side(cut(name, TEXT)) if name in wanted else None
        rows.append(Opposite(left, side, f"rank {place}", "right" if left else "alone"))
    return rows


def differing_fields(expected: Mapping[str, JsonValue], predicted: Mapping[str, JsonValue], lines: Sequence[str]) -> list[str]:
    """The fields in which two matched records differ. What `supersedes` means, the scoring's line tells."""
    found = [name for name in FIELDS[:-1] if _value(expected.get(name)) != _value(predicted.get(name))]
    if any(line.startswith(f"{expected.get('id')} supersedes: ") for line in lines):
        found.append(FIELDS[-1])
    return found


def _edits(failed: FailedCase) -> Iterator[str]:
    """What single edit would have matched."""
    detail, lines = failed.detail, _texts(failed.detail.get("difference"))
    if failed.status in {"unanswered", "missing", "crashed"}:
        yield "Nothing to edit: there is no answer."
        return
    if failed.status == "malformed":
        yield "First of all the reply must be readable; the reason above names the first fault."
    elif len(lines) == 1:
        yield _as_edit(lines[0])
    elif lines:
        yield f"{len(lines)} differences: no single edit makes the whole case right."
    yield from _near_misses(detail, lines)


def _as_edit(line: str) -> str:
    what, _, rest = line.partition(": ")
    if what == "missing":
        return f"One edit would make this case right: to say what is missing: {rest}"
    if what == "extra":
        return f"One edit would make this case right: to leave out what is extra: {rest}"
    return f"One difference keeps this case from being right: {line}"


def _near_misses(detail: Mapping[str, JsonValue], lines: Sequence[str]) -> Iterator[str]:
    """Matched records that one field keeps from being right, and a missing one beside a single extra one."""
    expected, predicted = _records(detail.get("expected")), _records(detail.get("predicted"))
    matched = _matched(detail)
    if matched is None or expected is None or predicted is None or len(lines) == 1:
        return
    for found in matched:
        differing = [field for field in (found.expected.fields if found.expected else ()) if field[2]]
        if found.state == "differs" and found.expected and len(differing) == 1:
            name, value, _ = differing[0]
            yield f"One field keeps this from being right: {name} must be {value} in “{cut(found.expected.text, 80)}”."
    alone = [found for found in matched if found.state == "alone"]
    if len(alone) == 2 and alone[0].expected and alone[1].predicted:  # noqa: PLR2004  # one missing, one extra
        yield "One is missing and one is extra: the extra one, reworded as the missing one, would match it."


def _memory(record: Mapping[str, JsonValue], differing: Sequence[str] = ()) -> Side:
    text = record.get("content")
    fields = [
        (name, cut(_value(record.get(name)), TEXT), name in differing) for name in FIELDS if _is_told(record, name, differing)
    ]
    named = [("id", cut(record["id"], TEXT), False)] if isinstance(record.get("id"), str) else []  # type: ignore[arg-type]
    return Side(cut(text, TEXT) if isinstance(text, str) else cut(_value(record.get("content")), TEXT), (*named, *fields))


def _is_told(record: Mapping[str, JsonValue], name: str, differing: Sequence[str]) -> bool:
    return record.get(name) is not None or name in differing


def _plain(value: JsonValue) -> Side | None:
    if value is None:
        return None
    text = (
        value
        if isinstance(value, str)
        else "\n".join(map(str, value))
        if isinstance(value, list) and _is_lines(value)
        else json.dumps(value, ensure_ascii=False, indent=1)
    )
    return Side(cut(text, TEXT * 3))


def _is_lines(value: JsonValue) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _value(value: JsonValue) -> str:
    if value is None:
        return "none"
    if isinstance(value, list):
        return ", ".join(sorted({_value(item) for item in value}))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _records(value: JsonValue) -> list[dict[str, JsonValue]] | None:
    if not isinstance(value, list):
        return None
    found = [item for item in value if isinstance(item, dict)]
    return found if len(found) == len(value) else None


def _texts(value: JsonValue) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _few(items: Sequence[Item], limit: int, more: Callable[[str], Item]) -> Sequence[Item]:
    """All items, or the first of them and one that says how many are left."""
    return items if len(items) <= limit else [*items[: limit - 1], more(f"and {len(items) - limit + 1} more, in report.json")]


def cut(text: str, limit: int) -> str:
    """The text, or its beginning with a sign that there is more."""
    return text if len(text) <= limit else text[: limit - 1] + "…"
