"""Recordings of other people's agents: every one is read, event for event, and figures that others published come out again.

The data is public and no part of the project; without its folder these tests are skipped and say so.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from assay.metrics.passk import mean_pass_k
from assay.suites.orchestration.recorded import Reading
from assay.suites.orchestration.rule_check import judge
from assay.suites.orchestration.rule_file import rules_of
from assay.suites.orchestration.transcripts import read

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT.parent / "shared" / "data"
TAU = DATA / "tau-bench" / "historical_trajectories" / "gpt-4o-airline.json"
LOGS = DATA / "who-and-when" / "Who&When"


def present(path: Path) -> Path:
    if not path.exists():
        pytest.skip(f"public data is not here: shared/data/{path.relative_to(DATA).as_posix()} beside the project")
    return path


@pytest.fixture(scope="module")
def tau() -> Reading:
    return read(present(TAU).read_bytes(), TAU.name)


@pytest.fixture(scope="module")
def logs() -> dict[str, Reading]:
    names = {path: path.relative_to(LOGS).as_posix() for path in sorted(present(LOGS).rglob("*.json"))}
    return {name: read(path.read_bytes(), name) for path, name in names.items()}


def rules(name: str) -> Any:
    return rules_of((ROOT / "tools" / "rules" / name).read_bytes(), name)


def test_every_trajectory_of_tau_bench_is_read(tau: Reading) -> None:
    assert (tau.form, tau.found, len(tau.recorded), tau.errors, tau.skipped) == ("tau-bench", 200, 200, (), 0)


def test_every_message_and_call_of_tau_bench_is_an_event(tau: Reading) -> None:
    for one, raw in zip(tau.recorded, json.loads(TAU.read_text("utf-8")), strict=True):
        events = one.transcript.events
        calls = [call for message in raw["traj"] for call in message.get("tool_calls") or []]
        made = [event for event in events if event.kind == "tool_call"]
        assert [(event.name, event.arguments) for event in made] == [
            (call["function"]["name"], json.loads(call["function"]["arguments"])) for call in calls
        ]
        assert [event.text for event in made] == [message["content"] for message in raw["traj"] if message["role"] == "tool"]
        said = [
            (message["role"], message["content"]) for message in raw["traj"] if message["role"] != "tool" and message["content"]
        ]
        assert [(event.actor, event.text) for event in events if event.kind == "stream"] == said
        assert len(events) == len(made) + len(said)


def test_pass_k_of_tau_bench_is_what_its_authors_publish(tau: Reading) -> None:
    # The README of sierra-research/tau-bench gives for airline, tool calling, gpt-4o: pass^1..4 = 0.420, 0.273, 0.220, 0.200.
    won: Counter[Any] = Counter()
    repeats: Counter[Any] = Counter()
    for one in tau.recorded:
        won[one.labels["task_id"]] += one.labels["reward"] == 1.0
        repeats[one.labels["task_id"]] += 1
    tasks = [(won[task], repeats[task]) for task in repeats]
    values = [mean_pass_k(tasks, k).value for k in (1, 2, 3, 4)]
    assert [f"{value:.3f}" for value in values] == ["0.420", "0.273", "0.220", "0.200"]


def test_every_log_of_who_and_when_is_read_step_for_step(logs: dict[str, Reading]) -> None:
    assert len(logs) == 184
    assert {(reading.form, reading.found, len(reading.recorded), reading.skipped) for reading in logs.values()} == {
        ("who-and-when", 1, 1, 0)
    }
    for name, reading in logs.items():
        history = json.loads((LOGS / name).read_text("utf-8"))["history"]
        assert [event.text for event in reading.recorded[0].transcript.events] == [step["content"] for step in history]


def test_the_one_ledger_of_who_and_when_that_is_not_json_is_told(logs: dict[str, Reading]) -> None:
    assert [str(problem) for reading in logs.values() for problem in reading.errors] == [
        "Hand-Crafted/10.json: event 2: the ledger is not JSON (Expecting ',' delimiter: line 22 column 1 (char 995))."
    ]


def test_rules_over_tau_bench_agree_with_a_count_over_the_raw_messages(tau: Reading) -> None:
    """Two rules counted again from the raw file: an approval before any write, and words beside a call."""
    writes = {
        "book_reservation",
        "cancel_reservation",
        "update_reservation_flights",
        "update_reservation_baggages",
        "update_reservation_passengers",
    }
    yes = ("yes", "yeah", "confirm", "proceed", "go ahead")
    unapproved: set[str] = set()
    beside: set[str] = set()
    for raw in json.loads(TAU.read_text("utf-8")):
        name = f"task-{raw['task_id']}-trial-{raw['trial']}"
        approved = False
        for message in raw["traj"]:
            words = "".join(c if c.isalnum() or c == "_" else " " for c in (message["content"] or "").lower())
            padded = f" {' '.join(words.split())} "
            approved |= message["role"] == "user" and any(f" {word} " in padded for word in yes)
            calls = message.get("tool_calls") or []
            if calls and message["content"]:
                beside.add(name)
            if not approved and any(call["function"]["name"] in writes for call in calls):
                unapproved.add(name)
    wanted = rules("airline.yaml")
    broken: dict[str, set[str]] = {}
    for one in tau.recorded:
        for found in judge(wanted, one.transcript):
            assert found.status != "could-not-run"
            if found.status == "broken":
                broken.setdefault(found.rule, set()).add(one.transcript.id)
    assert broken["yes-before-any-write"] == unapproved
    assert broken["no-words-beside-a-call"] == beside
    assert unapproved
    assert beside


def test_rules_over_who_and_when_can_all_run_and_some_are_broken(logs: dict[str, Reading]) -> None:
    wanted = rules("who_and_when.yaml")
    counts = Counter(found.status for reading in logs.values() for found in judge(wanted, reading.recorded[0].transcript))
    assert counts.total() == 184 * len(wanted)
    assert counts["broken"] > 0
    assert counts["kept"] > 0
