"""What makes the numbers: scoring code, calibrated constants, gold files that all cases share, and the code that judges."""

from __future__ import annotations

from collections.abc import Iterator

from assay.model.exchange import ELSEWHERE
from assay.tampering.finding import Finding, moved, some
from assay.tampering.providers import edited
from assay.tampering.side import Digests, Side

_DIGITS = 12


def measure_findings(before: Side, after: Side) -> Iterator[Finding]:
    """Changed code, constants and shared files. Whether a change of these eases passing cannot be told, so all are told."""
    yield from _code(before, after)
    yield from _calibration(before, after)
    for role, old in sorted(before.files.items()):
        yield from _file(role, old, after.files.get(role, {}), before, after)


def _code(before: Side, after: Side) -> Iterator[Finding]:
    """Scoring code by module, with the pieces of it that changed; a module that judges besides."""
    suite = before.suite.suite
    pieces = edited(before.scoring_code, after.scoring_code)
    by_module: dict[str, list[str]] = {}
    for piece in pieces:
        by_module.setdefault(module_of(piece), []).append(_digests(before.scoring_code, after.scoring_code, piece))
    for module, told in by_module.items():
        yield Finding("changed scorer", suite, f"scoring rests on {module}: {some(told)}", detail=module)
    for module in edited(before.gate_code, after.gate_code):
        if module not in by_module:
            told_once = f"the verdict rests on {_digests(before.gate_code, after.gate_code, module)}"
            yield Finding("changed gate", suite, told_once, detail=module)


def module_of(piece: str) -> str:
    """The module that a piece of code stands in."""
    return piece.partition(":")[0]


def _digests(old: Digests, new: Digests, name: str) -> str:
    called = name.partition(":")[2] or name
    return f"{called} {old[name][:_DIGITS]} -> {new[name][:_DIGITS] if name in new else 'gone'}"


def _calibration(before: Side, after: Side) -> Iterator[Finding]:
    """Constants apart from the bounds that suite.yaml sets, which are told in their direction."""
    old, new, suite = before.calibration, after.calibration, before.suite.suite
    if old is None:
        return
    bounds = before.suite.constants.keys() | after.suite.constants.keys()
    constants = new.constants if new else {}
    for name, value in sorted(old.constants.items()):
        if name not in bounds and constants.get(name) != value:
            told = f"the calibrated {name}: {moved(value, constants.get(name))}"
            yield Finding("changed constant", suite, told, detail=name)
    if new is not None and new.calibrated_at == old.calibrated_at:
        changes = [f"{name} {moved(then, now)}" for name, then, now in _measured(before, after) if then != now]
        if changes:
            told = f"the calibration says something else at the same inputs: {'; '.join(changes)}"
            yield Finding("edited calibration", suite, told)


def _measured(before: Side, after: Side) -> Iterator[tuple[str, float | None, float | None]]:
    """What was measured and drawn, by name, on both sides."""
    old, new = before.calibration, after.calibration
    if old is None or new is None:
        return
    for name in sorted(old.measured.keys() | new.measured.keys()):
        then, now = old.measured.get(name), new.measured.get(name)
        yield name, then.value if then else None, now.value if now else None
    for name in sorted(old.chance.keys() | new.chance.keys()):
        drawn, drawn_now = old.chance.get(name), new.chance.get(name)
        yield f"chance of {name}", drawn.mean if drawn else None, drawn_now.mean if drawn_now else None
        yield f"quantile of {name}", drawn.quantile if drawn else None, drawn_now.quantile if drawn_now else None


def _file(role: str, old: Digests, new: Digests, before: Side, after: Side) -> Iterator[Finding]:
    """Answers made elsewhere are told case by case; of any other file one finding says what changed in it."""
    suite = before.suite.suite
    if _holds_answers(old, before) and _holds_answers(new, after):
        for case in sorted(before.cases.keys() & after.cases.keys()):
            if old.get(case) != new.get(case):
                then, now = (found.get(case, "none")[:_DIGITS] for found in (old, new))
                told = f"the recorded answer to {case}, which no model is on record for: {then} -> {now}"
                yield Finding("edited answer", suite, told, detail=case)
        return
    gone, added = sorted(old.keys() - new.keys()), sorted(new.keys() - old.keys())
    changed = sorted(part for part in old.keys() & new.keys() if old[part] != new[part])
    removed_cases, new_cases = before.cases.keys() - after.cases.keys(), after.cases.keys() - before.cases.keys()
    groups = {
        "gone": [part for part in gone if part not in removed_cases],
        "changed": changed,
        "new": [part for part in added if part not in new_cases],
    }
    told = "; ".join(f"{len(parts)} {word} ({some(parts)})" for word, parts in groups.items() if parts)
    if told:
        told = f"the file {role}: {len(old)} parts -> {len(new)}; {told}"
        yield Finding("changed file", suite, told, detail=role)


def _holds_answers(parts: Digests, side: Side) -> bool:
    """Whether every part is the answer to a case, and somebody's answers are read from a file."""
    from_files = any(side.kind_of_recording(name) == ELSEWHERE for name in side.suite.subjects)
    return from_files and bool(parts) and parts.keys() <= side.cases.keys()
