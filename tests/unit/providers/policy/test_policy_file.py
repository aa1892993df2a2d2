"""Policies from YAML: the documented examples, and every fault with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.errors import InputError
from assay.providers.policy import rules
from assay.providers.policy.policy_file import policies_of
from assay.providers.policy.rules import FORMS

ROOT = Path(__file__).resolve().parents[4]
HEAD = "format: 1\npolicies:\n- id: p\n  title: P\n  outcomes: [approve, decline]\n"


def faults(text: str) -> list[str]:
    with pytest.raises(InputError) as error:
        policies_of(text.encode(), "p.yaml")
    return [str(problem) for problem in error.value.problems]


def test_the_examples_of_the_documentation_are_rules_of_every_form() -> None:
    documented = rules.__doc__ or ""
    text = documented[documented.index("    - name:") :]
    (found,) = policies_of(f"{HEAD}  rules:\n{text}".encode(), "p.yaml")
    assert [rule.form for rule in found.rules] == list(FORMS)


def test_the_policies_of_the_gold_set_have_three_to_six_rules_each() -> None:
    found = policies_of((ROOT / "goldsets" / "decisions" / "v1" / "policies.yaml").read_bytes(), "policies.yaml")
    assert [policy.id for policy in found] == [
        "lending-v3",
        "small-business-v2",
        "triage-adult-v5",
        "triage-child-v2",
        "moderation-v7",
    ]
    assert all(3 <= len(policy.rules) <= 6 for policy in found)
    assert {rule.form for policy in found for rule in policy.rules} == set(FORMS)


@pytest.mark.parametrize(
    ("rule", "fault"),
    [
        (
            "{name: a, mst: {outcome: approve}}",
            "p.yaml:7 (a): is no rule (no form; expected one of the keys must, forbid, present, fresh. Did you mean 'must'?), "
            "got {'name': 'a', 'mst': {'outcome': 'approve'}}.",
        ),
        (
            "{name: a}",
            "p.yaml:7 (a): is no rule (no form; expected one of the keys must, forbid, present, fresh), got {'name': 'a'}.",
        ),
        ("3", "p.yaml:7: is no rule (a rule is a mapping with a name and the key of one form), got 3."),
        (
            "{name: a, must: {outcome: approve}, present: [outcome]}",
            "p.yaml:7 (a): is no rule (must and present are 2 forms; a rule has one), "
            "got {'name': 'a', 'must': {'outcome': 'approve'}, 'present': ['outcome']}.",
        ),
        (
            "{name: a, when: {outcome: aprove}, present: [facts.x]}",
            "p.yaml:7 (a): names an outcome that the policy lacks, got 'aprove'; expected one of approve, decline. "
            "Did you mean 'approve'?",
        ),
        (
            "{name: a, when: {facts.x: 1}, forbid: [refer]}",
            "p.yaml:7 (a): names an outcome that the policy lacks, got 'refer'; expected one of approve, decline.",
        ),
        (
            "{name: a, present: [fact.x]}",
            "p.yaml:7 (a): present.0: is not valid (no such place in a decision; expected one of category, confidence, "
            "decision_id, decision_maker, outcome, reasoning, scenario, timestamp, facts.<name>, metadata.<name>. "
            "Did you mean 'facts'?), "
            "got 'fact.x'.",
        ),
        ("{present: [outcome]}", "p.yaml:7: name: is missing."),
    ],
)
def test_a_fault_of_a_rule_has_its_line(rule: str, fault: str) -> None:
    assert faults(f"{HEAD}  rules:\n  - {rule}\n") == [fault]


@pytest.mark.parametrize(
    ("rule", "part"),
    [
        ("forbid: [approve]", "forbid needs when"),
        ("forbid: [approve], when: {outcome: approve}", "forbid names the outcome itself"),
        ("forbid: [], when: {facts.x: 1}", "at least one item"),
        ("present: []", "at least one item"),
        ("must: {}", "at least one item"),
        ("must: {facts.x: {}}", "says nothing"),
        ("must: {facts.x: {at_leas: 1}}", "unknown key, got 'at_leas'"),
        ("must: {facts.x: {at_least: yes}}", "not a number"),
        ("present: [outcome], when: {}", "at least one item"),
        ("fresh: {field: timestamp, within_days: 7}", "fresh.of: is missing"),
        ("fresh: {field: timestamp, of: as_of}", "exactly one of within_minutes"),
        ("fresh: {field: timestamp, of: as_of, within_days: 7, within_hours: 1}", "exactly one of within_minutes"),
        ("fresh: {field: timestamp, of: timestamp, within_days: 7}", "never older than itself"),
        ("fresh: {field: timestamp, of: now, within_days: 7}", "'as_of' or 'timestamp'"),
        ("fresh: {field: timestamp, of: as_of, within_days: 0}", "greater than 0"),
        ("fresh: {field: timestamp, of: as_of, within_days: .inf}", "finite number"),
        ("fresh: {field: timestamp, of: as_of, within_days: 2000000}", "less than or equal to 1000000"),
        ("present: [outcome], why: ''", "at least 1 character"),
    ],
)
def test_a_rule_that_cannot_be_meant_is_refused(rule: str, part: str) -> None:
    found = faults(f"{HEAD}  rules:\n  - {{name: a, {rule}}}\n")
    assert len(found) == 1
    assert found[0].startswith("p.yaml:7 (a): ")
    assert part in found[0]


RULE = "  rules: [{name: a, present: [outcome]}]\n"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "p.yaml: is not a mapping, got 'NoneType'; expected format: 1 and a list of policies."),
        ("format: 1\n", "p.yaml: holds no policies; expected a list with at least one policy."),
        ("format: 1\npolicies: []\n", "p.yaml: holds no policies, got []; expected a list with at least one policy."),
        ("format: 1\npolicies: {}\n", "p.yaml: holds no policies, got {}; expected a list with at least one policy."),
        ("format: 2\npolicies: []\n", "p.yaml: unknown format version, got 2; expected format: 1."),
        ("format: true\npolicies: []\n", "p.yaml: unknown format version, got True; expected format: 1."),
        ("format: 1\npolicies: [3]\n", "p.yaml:2: is no policy, got 3; expected a mapping with id, title, outcomes and rules."),
        (f"{HEAD}", "p.yaml:3: holds no rules; expected a list with at least one rule."),
        (f"{HEAD}  rules: []\n", "p.yaml:3: holds no rules, got []; expected a list with at least one rule."),
        (
            f"{HEAD}{RULE}".replace("[approve, decline]", "[approve]"),
            "p.yaml:3: outcomes: is not valid (no choice; expected two outcomes or more), got ['approve'].",
        ),
        (f"{HEAD}{RULE}  owner: x\n", "p.yaml:3: owner: unknown key, got 'owner'; expected one of id, outcomes, title."),
        (f"{HEAD}{RULE}extra: 1\n", "p.yaml: unknown key, got 'extra'; expected format and policies."),
        (f"{HEAD}{RULE}  title: Q\n", "p.yaml:7: the key 'title' stands twice."),
        ("format: 1\npolicies: &a [*a]\n", "p.yaml:2: holds an alias; expected plain values."),
        ("policies:\n" + "[" * 32, "p.yaml:2: is nested too deeply; expected at most 32 levels."),
        ("format: 1\npolicies: [\n", "p.yaml:3: is not YAML (expected the node content, but found '<stream end>')."),
        (
            f"{HEAD}{RULE}{HEAD.partition('policies:')[2].lstrip(chr(10))}{RULE}",
            "p.yaml: more than one policy has this name, got 'p'; expected each name once.",
        ),
        (
            f"{HEAD}  rules: [{{name: a, present: [outcome]}}, {{name: a, present: [timestamp]}}]\n",
            "p.yaml:3: more than one rule has this name, got 'a'; expected each name once.",
        ),
    ],
)
def test_a_file_that_holds_no_policies_is_refused(text: str, fault: str) -> None:
    assert [found.replace(" (p)", "") for found in faults(text)] == [fault]


def test_every_fault_of_a_file_is_told_at_once_with_its_line() -> None:
    first = "{name: a, presnt: [outcome]}", "{name: b, present: [outcome]}", "{name: c, must: {}}"
    second = "- id: Q!\n  title: Q\n  outcomes: [x, x]\n  rules: 3\n"
    text = f"{HEAD}  rules:\n" + "".join(f"  - {rule}\n" for rule in first) + second
    assert [found.partition(": ")[0] for found in faults(text)] == [
        "p.yaml:7 (a)",
        "p.yaml:9 (c)",
        "p.yaml:10 (Q!)",
        "p.yaml:10 (Q!)",
        "p.yaml:10 (Q!)",
    ]


@pytest.mark.parametrize("text", ["!!int ''", "!!timestamp x", "!!python/object:os.system {}", "[" * 200000, "\x00"])
def test_odd_files_are_refused_and_never_crash(text: str) -> None:
    assert faults(text)
