"""What the committed gold set of decisions v1 must keep: its counts, and that each planted fault is noticed by one check."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
import yaml
from rapidfuzz import fuzz

from assay.evaluators.metric import EvalMetric
from assay.evaluators.plan import chosen, planned
from assay.providers.policy.engine import Engine, engine_of
from assay.suites.checks.options import Options, options_of

FOLDER = Path(__file__).resolve().parents[2] / "goldsets" / "decisions" / "v1"
AS_OF = "2026-11-30T00:00:00+00:00"
EVALUATORS = ("decision_scores", "temporal_range")
NOTICED_BY = {
    "missing provenance": ("decision_scores", "provenance"),
    "confidence out of range": ("decision_scores", "confidence"),
    "flipped outcome": ("decision_scores", "outcome"),
    "blank reasoning": ("decision_scores", "reasoning"),
    "policy breach": ("decision_scores", "policy"),
    "stale timestamp": ("temporal_range", None),
}
BROKEN_RULES = {
    "loan-06": "second-signature",
    "triage-13": "vitals-taken-lately",
    "mod-03": "suspension-by-two",
}


@dataclass(frozen=True)
class Row:
    """A case with its recorded output."""

    case: Mapping[str, Any]
    output: Mapping[str, Any]

    @property
    def fault(self) -> str | None:
        return self.case["planted"]  # type: ignore[no-any-return]  # JSON

    @property
    def domain(self) -> str:
        return str(self.case["input"]["domain"])

    def policy_id(self) -> str:
        return str(self.case["config"]["decision_scores"]["policy_id"])


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / name).read_text("utf-8").splitlines()]


@cache
def rows() -> dict[str, Row]:
    outputs = {line["id"]: line["output"] for line in lines("outputs.jsonl")}
    return {case["id"]: Row(case, outputs[case["id"]]) for case in lines("cases.jsonl")}


@cache
def options() -> Options:
    """The suite's own."""
    return options_of(yaml.safe_load((FOLDER / "suite.yaml").read_text("utf-8"))["options"])


@cache
def engine() -> Engine:
    return engine_of((FOLDER / "policies.yaml").read_bytes(), "policies.yaml", AS_OF)


def shared() -> dict[str, dict[str, Any]]:
    """What the suite sets for every case, with its policy engine in place of the engine's name."""
    made = {"policies": engine()}
    return {
        check.name: {**check.config, **{option: made[name] for option, name in check.resources.items()}}
        for check in options().checks
    }


def metrics(row: Row, output: Mapping[str, Any], config: object = None) -> dict[str, EvalMetric]:
    """What the case's checks say of the part of the output that the suite shows them."""
    case = row.case
    plan = planned(chosen(case.get("checks", EVALUATORS)), shared() if config is None else config, case["config"])
    reads = {check.name: output[check.path] if check.path else output for check in options().checks}
    return {one.name: one.metric(reads[one.name], case["expected"]["outcome"]) for one in plan}


def broken(found: Mapping[str, EvalMetric]) -> set[tuple[str, str | None]]:
    """Every check that was not kept, by evaluator; an evaluator without named checks counts whole."""
    failures: set[tuple[str, str | None]] = set()
    for name, metric in found.items():
        assert metric.error is None
        checks = metric.meta.get("checks")
        if isinstance(checks, Mapping):
            failures |= {(name, check) for check, is_kept in checks.items() if not is_kept}
        elif not metric.passed:
            failures.add((name, None))
    return failures


def mended(row: Row) -> dict[str, Any]:
    """The output with its one planted fault put right."""
    output = json.loads(json.dumps(row.output))
    metadata = output["metadata"]
    match row.fault:
        case "missing provenance":
            metadata["lineage"] = "desk sheet"
        case "confidence out of range":
            output["confidence"] = 0.9
        case "flipped outcome":
            output["outcome"] = row.case["expected"]["outcome"]
            metadata["facts"]["reason_code"] = "R09 borrower is somebody else"
        case "blank reasoning":
            output["reasoning"] = "The money went to a betting site."
        case "policy breach":
            metadata["facts"] |= {
                "loan-06": {"second_signatory": "K. Heidenreich"},
                "triage-13": {"vitals_at": "2026-11-23T15:55:00+01:00"},
                "mod-03": {"reviewers": 2},
            }[row.case["id"]]
        case "stale timestamp":
            output["timestamp"] = {"loan-15": "2026-11-19T10:45:00+01:00", "triage-11": "2026-11-21T22:51:00+01:00"}[
                row.case["id"]
            ]
    return output  # type: ignore[no-any-return]  # JSON


def test_every_case_has_one_output_in_the_same_order() -> None:
    cases = [case["id"] for case in lines("cases.jsonl")]
    assert cases == [output["id"] for output in lines("outputs.jsonl")]
    assert len(set(cases)) == len(cases) == 48


def test_the_suite_looks_with_these_evaluators_at_these_parts_and_names_a_check_for_each_fault() -> None:
    found = {check.name: (check.used, check.path, check.expected, dict(check.resources)) for check in options().checks}
    assert found == {
        "decision_scores": ("decision_scores", "", "outcome", {"policy_engine": "policies"}),
        "temporal_range": ("temporal_range", "timestamp", "", {}),
    }
    assert not any(check.advisory for check in options().checks)
    named = {
        fault: (name, reason or None) for fault, told in options().planted.items() for name, _, reason in [told.partition(".")]
    }
    assert named == NOTICED_BY
    assert options().resources["policies"].options == {"as_of": AS_OF}


def test_the_suite_wants_every_check_of_a_record_and_a_time_in_november() -> None:
    assert {name: {k: v for k, v in config.items() if k != "policy_engine"} for name, config in shared().items()} == {
        "decision_scores": {
            "provenance_key": "lineage",
            "min_confidence": 0.5,
            "max_confidence": 1.0,
            "objective": {"direction": "maximize", "threshold": 1.0},
        },
        "temporal_range": {"min": "2026-11-01T00:00:00+00:00", "max": AS_OF},
    }


def test_the_gate_wants_every_case_and_every_planted_fault() -> None:
    gate = yaml.safe_load((FOLDER / "suite.yaml").read_text("utf-8"))["gate"]
    assert gate["floors"] == {"cases_passed": 1.0, "planted_noticed": 1.0}
    assert gate["max_drop_pp"] == 0.0
    assert set(gate["metrics"]) >= {"cases_passed", "planted_noticed", "could_not_run", *EVALUATORS}


def test_a_case_belongs_to_the_stratum_of_its_domain() -> None:
    assert all(row.case["strata"] == [row.domain] for row in rows().values())


def test_there_are_sixteen_records_of_each_domain() -> None:
    assert Counter(row.domain for row in rows().values()) == {"loans": 16, "triage": 16, "moderation": 16}
    assert all(row.output["category"] == row.domain for row in rows().values())


def test_a_third_is_planted_each_way_at_least_twice_and_in_two_domains() -> None:
    faults = Counter(row.fault for row in rows().values() if row.fault)
    assert sum(faults.values()) * 3 == len(rows())
    assert faults == {
        "missing provenance": 3,
        "confidence out of range": 3,
        "flipped outcome": 3,
        "policy breach": 3,
        "blank reasoning": 2,
        "stale timestamp": 2,
    }
    for fault in NOTICED_BY:
        assert len({row.domain for row in rows().values() if row.fault == fault}) >= 2


@pytest.mark.parametrize("name", rows())
def test_a_record_breaks_the_check_of_its_planted_fault_and_nothing_else(name: str) -> None:
    row = rows()[name]
    wanted = {NOTICED_BY[row.fault]} if row.fault else set()
    found = metrics(row, row.output)
    assert broken(found) == wanted
    assert {evaluator for evaluator, metric in found.items() if not metric.passed} == {evaluator for evaluator, _ in wanted}


@pytest.mark.parametrize("name", [name for name, row in rows().items() if row.fault])
def test_a_planted_record_that_is_put_right_passes_everything(name: str) -> None:
    row = rows()[name]
    assert broken(metrics(row, mended(row))) == set()


def test_every_check_ran_on_every_record() -> None:
    for row in rows().values():
        assert "skipped" not in metrics(row, row.output)["decision_scores"].meta


@pytest.mark.parametrize("name", rows())
def test_a_record_breaks_no_rule_of_its_policy_but_the_planted_one(name: str) -> None:
    row = rows()[name]
    found = engine().judgement(row.output, row.policy_id())
    wanted = [BROKEN_RULES[name]] if name in BROKEN_RULES else []
    assert [(finding.rule, finding.status) for finding in found.findings] == [(rule, "broken") for rule in wanted]


def test_every_rule_of_every_policy_is_put_to_the_test_by_a_record() -> None:
    applied = {
        (row.policy_id(), rule) for row in rows().values() for rule in engine().judgement(row.output, row.policy_id()).applied
    }
    assert applied == {(policy.id, rule.name) for policy in engine().policies for rule in policy.rules}


def test_every_outcome_of_every_policy_family_is_expected_somewhere() -> None:
    by_domain = {
        domain: {row.case["expected"]["outcome"] for row in rows().values() if row.domain == domain}
        for domain in ("loans", "triage", "moderation")
    }
    assert by_domain == {
        "loans": {"approve", "decline", "refer"},
        "triage": {"emergency", "urgent", "routine", "self_care"},
        "moderation": {"keep", "label", "remove", "suspend"},
    }


def test_a_record_names_the_policy_that_it_is_judged_by() -> None:
    assert all(row.output["metadata"]["policy_id"] == row.policy_id() for row in rows().values())


def test_timestamps_have_a_zone_and_are_not_after_the_reference_moment() -> None:
    for row in rows().values():
        moment = datetime.fromisoformat(row.output["timestamp"])
        assert moment.utcoffset() is not None
        assert moment <= datetime.fromisoformat(AS_OF)


def test_one_stale_timestamp_lies_inside_the_window_of_the_suite_and_only_its_own_bounds_tell() -> None:
    low, high = (datetime.fromisoformat(str(shared()["temporal_range"][side])) for side in ("min", "max"))
    stale = {
        name: datetime.fromisoformat(row.output["timestamp"]) for name, row in rows().items() if row.fault == "stale timestamp"
    }
    assert {name: low <= moment <= high for name, moment in stale.items()} == {"loan-15": False, "triage-11": True}


@pytest.mark.parametrize("part", ["situation", "scenario", "reasoning"])
def test_no_two_texts_are_alike(part: str) -> None:
    texts = [str({**row.output, **row.case["input"]}[part]) for row in rows().values()]
    written = [text for text in texts if text.strip()]
    alike = [(a, b) for a, b in combinations(written, 2) if fuzz.ratio(a, b) > 70]
    assert not alike


def test_decision_ids_are_given_once() -> None:
    assert len({row.output["decision_id"] for row in rows().values()}) == len(rows())


def test_an_objective_of_six_checks_in_seven_would_hide_every_fault_that_decision_scores_notices() -> None:
    config = shared()
    config["decision_scores"]["objective"] = {"direction": "maximize", "threshold": 0.85}
    for row in rows().values():
        assert metrics(row, row.output, config)["decision_scores"].passed


def test_without_its_provenance_key_every_record_fails() -> None:
    config = shared()
    del config["decision_scores"]["provenance_key"]
    for row in rows().values():
        assert ("decision_scores", "provenance") in broken(metrics(row, row.output, config))


def test_without_the_policy_engine_the_breaches_pass_and_the_check_is_said_to_be_skipped() -> None:
    config = shared()
    del config["decision_scores"]["policy_engine"]
    for name in BROKEN_RULES:
        metric = metrics(rows()[name], rows()[name].output, config)["decision_scores"]
        assert metric.passed
        assert metric.meta["skipped"] == ["policy"]


def test_the_datasheet_tells_the_counts_that_the_files_have() -> None:
    table = [line.strip("| ").split(" | ") for line in (FOLDER / "README.md").read_text("utf-8").splitlines()]
    told = {cells[0]: [int(cell) for cell in cells[1:]] for cells in table if len(cells) == 5 and cells[1].isdigit()}
    domains = ("loans", "triage", "moderation")
    found = Counter((row.fault or "none", row.domain) for row in rows().values())
    counted = {fault: [found[fault, domain] for domain in domains] for fault in (*NOTICED_BY, "none")}
    counted["all"] = [16, 16, 16]
    assert told == {name: [*counts, sum(counts)] for name, counts in counted.items()}
