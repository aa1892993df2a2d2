"""The committed cases, run by a crew, and judged by their own rules."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.model.gold import GoldCase
from assay.model.target import TargetContext
from assay.model.transcript import Event, Transcript
from assay.providers.crew import factory
from assay.providers.crew.orchestrator import Task, run
from assay.providers.crew.parts import Parts
from assay.providers.crew.policy import Policy, own
from assay.providers.crew.scenario import Line, Scenario
from assay.providers.crew.scripted import ScriptedModel
from assay.suites.orchestration.rule_check import judge
from assay.suites.orchestration.rule_file import rules_from, rules_of
from tests.builders import provider

GOLD = Path(__file__).resolve().parents[4] / "goldsets" / "orchestration" / "v1"
ROWS: tuple[dict[str, Any], ...] = tuple(json.loads(line) for line in (GOLD / "cases.jsonl").read_text("utf-8").splitlines())
NAMES = tuple(row["id"] for row in ROWS)
CASES: Mapping[str, GoldCase] = {row["id"]: GoldCase(id=row["id"], input=row["input"], expected=row["expect"]) for row in ROWS}
RULES = rules_of((GOLD / "rules.yaml").read_bytes(), "rules.yaml")
PASS, REVISE = {"verdict": "pass", "notes": ""}, {"verdict": "revise", "notes": "Again."}


def context(**changes: Any) -> TargetContext:
    """What a target is built from when the suite names `scripted`."""
    files = {"scenarios": ("scenarios.jsonl", (GOLD / "scenarios.jsonl").read_bytes())}
    fields: dict[str, Any] = {"cases": tuple(CASES.values()), "provider": provider(model="scripted"), "files": files}
    return TargetContext(**{**fields, **changes})


def answers(names: Sequence[str] = NAMES, parts: Parts | None = None) -> dict[str, str]:
    """Each case's answer, all by one target, in the given order."""
    target = factory(context(), parts=parts)
    return {name: target.answer(CASES[name]) for name in names}


def red(found: Mapping[str, str]) -> tuple[str, ...]:
    """The cases that break a rule of their own or of all, in the order they were run."""
    return tuple(name for name, answer in found.items() if broken(name, answer))


def broken(name: str, answer: str) -> list[str]:
    """The rules that the answer does not keep."""
    rules = (*RULES, *rules_from(CASES[name].expected["rules"], name))
    return [found.rule for found in judge(rules, Transcript.model_validate_json(answer)) if found.status != "kept"]


def said(**value: Any) -> Line:
    """A line that is a JSON object."""
    return Line(say=value)


def scenario(**changes: Sequence[Line]) -> Scenario:
    """A scenario in which all goes well, but for what is changed."""
    lines: dict[str, Any] = {
        "strategist": [said(angles=["An angle."])],
        "writer": [said(draft="A draft.")],
        "editor": [said(**PASS)],
    }
    return Scenario(id="s", about="A test.", **{**lines, **changes})


def events_of(script: Scenario, policy: Policy = own, parts: Parts | None = None) -> tuple[Event, ...]:
    """The events of one scripted run."""
    return run(Task("c1", "A brief.", "scripted", "suite"), ScriptedModel(script, policy), parts or Parts()).events


def shown(events: Sequence[Event]) -> list[str]:
    """Each event by kind and name."""
    return [f"{event.kind} {event.name}" for event in events]
