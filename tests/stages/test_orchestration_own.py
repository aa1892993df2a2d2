"""An orchestrator of somebody else, in a project of its own and in another style, graded by import string and YAML rules."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.stages.copies import FAIL, NO_VERDICT, PASS, command
from tests.stages.orchestration_runs import appended, edited, ran

ROOT = Path(__file__).resolve().parents[2]
DESK = '''
"""A returns desk: looks the order up, asks a supervisor above its limit, and refunds once."""

ORDERS = {"A1": 40, "B2": 250, "C3": 900}
LIMIT = 100


def event(kind, name, result=None, **arguments):
    return {"kind": kind, "name": name, "arguments": arguments, "result": result}


def closed(kind, name):
    yield event(kind, name)
    yield event("final", "CLOSED", {"refunded": 0})


def desk(context):
    """What the suite names."""
    return handle


def handle(ticket):
    order = ticket["order"]
    if order not in ORDERS:
        yield from closed("error", "UnknownOrder")
        return
    amount = ORDERS[order]
    yield event("tool_call", "look_up", {"amount": amount}, order=order)
    if amount > LIMIT:
        yield event("refused", "refund", amount=amount)
        answer = "yes" if amount <= 500 else "no"
        yield event("tool_call", "ask_supervisor", {"answer": answer}, amount=amount)
        if answer == "no":
            yield from closed("stream", "told_no")
            return
    yield event("tool_call", "refund", order=order, amount=amount)
    yield event("final", "REFUNDED", {"refunded": amount})
'''
DESK_RULES = """
format: 1
rules:
  - name: no-refund-before-look-up
    never: {kind: tool_call, name: refund}
    before: {kind: tool_call, name: look_up}
  - name: large-sums-need-a-yes
    never: {kind: tool_call, name: refund, where: {arguments.amount: {greater: 100}}}
    before: {kind: tool_call, name: ask_supervisor, where: {result.answer: {equals: "yes"}}}
  - name: one-refund
    count: {kind: tool_call, name: refund}
    at_most: 1
"""
DESK_SUITE = """
format: 1
suite: returns
version: v1
kind: orchestration
title: A returns desk
synthetic: true
files: {cases: cases.jsonl, rules: rules.yaml}
providers:
  desk: {role: subject, enforcement: ci, model: a table of orders, target: returns_desk:desk}
gate: {max_drop_pp: 3.0, metrics: [cases_passed], floors: {cases_passed: 1.0}}
"""
DESK_CASES: dict[str, tuple[str, list[dict[str, Any]]]] = {
    "small": ("A1", [{"name": "ends", "final": {"name": "REFUNDED", "where": {"result.refunded": {"equals": 40}}}}]),
    "large": ("B2", [{"name": "ends", "refused": "refund", "reached": {"kind": "final", "name": "REFUNDED"}}]),
    "too-large": ("C3", [{"name": "ends", "final": "CLOSED"}, {"name": "told", "stream": "told_no"}]),
    "unknown": ("Z9", [{"name": "ends", "final": "CLOSED"}, {"name": "told", "eventually": {"kind": "error"}}]),
}
DESK_STAGES = {"score self-test", "load", "verify", "replay desk", "score desk", "gate", "publish"}
CODE = {"PYTHONPATH": str(ROOT)}
"""The project is somebody else's, so assay comes from where it is installed."""


def opened(folder: Path) -> None:
    """The desk's suite, written into this folder."""
    folder.mkdir(parents=True)
    (folder / "suite.yaml").write_text(DESK_SUITE, "utf-8")
    (folder / "rules.yaml").write_text(DESK_RULES, "utf-8")
    rows = [
        {"id": name, "input": {"order": order}, "expect": {"user": "My money comes back where it may.", "rules": rules}}
        for name, (order, rules) in DESK_CASES.items()
    ]
    (folder / "cases.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


@pytest.fixture(scope="module")
def shop_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project of somebody else, with a baseline, after its first runs."""
    project = tmp_path_factory.mktemp("shop") / "project"
    opened(project / "goldsets" / "returns" / "v1")
    (project / "returns_desk.py").write_text(DESK, "utf-8")
    found = ran(project, suite="returns", **CODE)
    assert (found.code, found.checks("could-not-run", "desk"), found.failed("desk")) == (NO_VERDICT, ["baseline"], [])
    done = command(project, "baseline", "update", "returns", "--provider", "desk", "--reason", "the first", **CODE)
    assert done.returncode == PASS, done.stderr
    return project


@pytest.fixture
def shop(shop_template: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(shop_template, tmp_path / "shop"))


def test_somebody_elses_orchestrator_passes_by_its_own_rules(shop: Path) -> None:
    found = ran(shop, suite="returns", **CODE)
    assert (found.code, found.report["verdict"], found.stages) == (PASS, "PASS", DESK_STAGES)
    assert found.passed("desk") == dict.fromkeys(DESK_CASES, True)
    assert found.computed <= {"gate", "publish"}  # the baseline alone is new
    appended(shop, "returns_desk.py", "\n# A remark.\n")
    assert ran(shop, suite="returns", **CODE).computed == set()


def test_a_bug_in_it_runs_it_again_and_fails_by_the_name_of_the_rule(shop: Path) -> None:
    edited(shop, "returns_desk.py", "LIMIT = 100", "LIMIT = 1000")
    found = ran(shop, suite="returns", **CODE)
    assert (found.code, found.report["verdict"], found.failed("desk")) == (FAIL, "FAIL", ["large", "too-large"])
    assert {"replay desk", "score desk"} <= found.computed
    assert not {"score self-test", "load", "verify"} & found.computed
    told = "large-sums-need-a-yes is broken: it occurred before what must come first (event 1, tool_call refund)"
    assert all(told in found.told("desk", case) for case in ("large", "too-large"))
    assert found.junit.count(told) == 2


def test_an_exception_in_it_is_its_cases_failure(shop: Path) -> None:
    edited(shop, "returns_desk.py", "if order not in ORDERS:", "if False:")
    found = ran(shop, suite="returns", **CODE)
    assert (found.code, found.failed("desk")) == (FAIL, ["unknown"])
    assert "KeyError: 'Z9'" in found.junit
    assert str(shop) not in found.junit


def test_it_is_graded_from_a_folder_outside_any_project_too(shop_template: Path, tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / "goldsets").mkdir(parents=True)
    folder = tmp_path / "elsewhere" / "returns"
    shutil.copytree(shop_template / "goldsets" / "returns" / "v1", folder)
    (folder.parent / "returns_desk.py").write_text(DESK, "utf-8")
    found = ran(project, "--goldset", str(folder), suite="returns", **CODE)
    assert (found.code, found.passed("desk")) == (PASS, dict.fromkeys(DESK_CASES, True))
