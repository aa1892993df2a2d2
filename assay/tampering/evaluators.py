"""Named checks of a suite's options: which evaluators look at an output, and what their scores are wanted to be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pydantic import JsonValue

from assay.evaluators.objectives import Objective, objective_of
from assay.evaluators.refusal import InvalidCall
from assay.tampering.finding import Finding, moved
from assay.tampering.side import Side

CHECKS = "checks"
"""The option that lists them."""
_OBJECTIVE = "objective"
Entry = Mapping[str, JsonValue]


def evaluator_findings(before: Side, after: Side) -> Iterator[Finding]:
    """Checks that are gone or decide no longer, look at something else, or want less of a score. A new check is harder."""
    suite, now = before.suite.suite, entries_of(after.options)
    for name, old in sorted(entries_of(before.options).items()):
        new = now.get(name)
        if new is None:
            yield Finding("disabled evaluator", suite, f"the check {name}: {_evaluator(old)} -> gone", detail=name)
            continue
        if new.get("advisory") and not old.get("advisory"):
            yield Finding("disabled evaluator", suite, f"the check {name}: decides -> advisory", detail=name)
        yield from _objective(suite, name, old, new)
        changes = _changes(old, new)
        if changes:
            yield Finding("changed evaluator", suite, f"the check {name}: {'; '.join(changes)}", detail=name)


def entries_of(options: Mapping[str, JsonValue]) -> dict[str, Entry]:
    """The checks by name; none where the options list no named checks."""
    listed = options.get(CHECKS)
    entries = [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []
    return {str(entry["name"]): entry for entry in entries if "name" in entry}


def _evaluator(entry: Entry) -> str:
    return str(entry.get("evaluator") or entry["name"])


def _config(entry: Entry) -> dict[str, JsonValue]:
    config = entry.get("config")
    return dict(config) if isinstance(config, dict) else {}


def _changes(old: Entry, new: Entry) -> list[str]:
    """What differs besides the objective and whether the check is advisory; of options each one by its name."""
    fields: list[tuple[str, JsonValue, JsonValue]] = [("evaluator", _evaluator(old), _evaluator(new))]
    fields += [(f, old.get(f), new.get(f)) for f in sorted({*old, *new} - {"name", "evaluator", "config", "advisory"})]
    then, now = _config(old), _config(new)
    fields += [(f"config.{f}", then.get(f), now.get(f)) for f in sorted({*then, *now} - {_OBJECTIVE})]
    then_wanted, now_wanted = _wanted(then.get(_OBJECTIVE)), _wanted(now.get(_OBJECTIVE))
    if not (isinstance(then_wanted, Objective) and isinstance(now_wanted, Objective)):
        fields.append((_OBJECTIVE, _told(then_wanted), _told(now_wanted)))
    return [f"{name} {moved(before, after)}" for name, before, after in fields if before != after]


def _objective(suite: str, name: str, old: Entry, new: Entry) -> Iterator[Finding]:
    """Two objectives that both decide; to begin or to cease to decide is told as a changed evaluator."""
    then, now = _wanted(_config(old).get(_OBJECTIVE)), _wanted(_config(new).get(_OBJECTIVE))
    if not (isinstance(then, Objective) and isinstance(now, Objective)) or then == now:
        return
    told = f"the objective of {name}: {then} -> {now}"
    if then.threshold is None or now.threshold is None or then.direction != now.direction:
        yield Finding("flipped objective", suite, told, detail=name)
    elif now.threshold < then.threshold if then.direction == "maximize" else now.threshold > then.threshold:
        yield Finding("eased objective", suite, told, detail=name)


def _wanted(value: JsonValue) -> Objective | JsonValue:
    """The objective that decides, None where the evaluator's own verdict does, else the value that is no objective."""
    try:
        objective = objective_of(value, _OBJECTIVE)
    except InvalidCall:
        return value
    return objective if objective is not None and objective.decides else None


def _told(wanted: Objective | JsonValue) -> JsonValue:
    return str(wanted) if isinstance(wanted, Objective) else wanted
