"""Rules from YAML: the documented examples, and every fault with its place."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import TypeAdapter, ValidationError

from assay.errors import InputError
from assay.suites.orchestration import rules
from assay.suites.orchestration.rule_file import rules_from, rules_of
from assay.suites.orchestration.rules import FORMS, Rule

ROOT = Path(__file__).resolve().parents[4]
HEAD = "format: 1\nrules:\n"
FORM_KEYS = "never, count, every, eventually, refused, final, stream"


def faults(text: str) -> list[str]:
    with pytest.raises(InputError) as error:
        rules_of(text.encode(), "r.yaml")
    return [str(problem) for problem in error.value.problems]


def test_the_examples_of_the_documentation_are_rules_of_every_form() -> None:
    documented = rules.__doc__ or ""
    found = rules_of((HEAD + documented[documented.index("    - name:") :]).encode(), "r.yaml")
    assert {rule.form for rule in found} == set(FORMS)
    assert len(found) == 9


@pytest.mark.parametrize("name", ["airline.yaml", "who_and_when.yaml"])
def test_the_rule_files_of_the_project_are_read(name: str) -> None:
    assert rules_of((ROOT / "tools" / "rules" / name).read_bytes(), name)


@pytest.mark.parametrize(
    ("rule", "fault"),
    [
        (
            "{name: a, nevr: {kind: error}}",
            f"r.yaml:3 (a): is no rule (no form; expected one of the keys {FORM_KEYS}. Did you mean 'never'?), "
            "got {'name': 'a', 'nevr': {'kind': 'error'}}.",
        ),
        (
            "{name: a, never: {kin: error}}",
            "r.yaml:3 (a): never.kin: unknown key, got 'kin'; expected one of actor, kind, name, where. Did you mean 'kind'?",
        ),
        (
            "{name: a, never: {where: {text: {matchs: x}}}}",
            "r.yaml:3 (a): never.where.text.matchs: unknown key, got 'matchs'; expected one of equals, exists, greater, in, "
            "less, matches. Did you mean 'matches'?",
        ),
        (
            "{name: a, never: {where: {text: {matches: '('}}}}",
            "r.yaml:3 (a): never.where.text.matches: is not valid (not a regular expression: missing ), unterminated "
            "subpattern at position 0), got '('.",
        ),
        (
            "{name: a, final: [A, yes]}",
            "r.yaml:3 (a): final.name.1: is not valid (Input should be a valid string), got True.",
        ),
        ("{never: {kind: error}}", "r.yaml:3: name: is missing."),
        ("3", "r.yaml:3: is no rule (a rule is a mapping with a name and the keys of one form), got 3."),
    ],
)
def test_a_fault_has_its_line_and_the_nearest_key(rule: str, fault: str) -> None:
    assert faults(f"{HEAD}- {rule}\n") == [fault]


@pytest.mark.parametrize(
    ("rule", "part"),
    [
        ("count: {kind: error}", "count needs at_most, at_least or exactly"),
        ("count: {kind: error}, at_most: 1, at_least: 2", "no count is at least 2 and at most 1"),
        ("count: {kind: error}, exactly: 1, at_least: 1", "exactly contradicts"),
        ("count: {kind: error}, at_least: 0", "says nothing"),
        ("count: {kind: error}, at_most: -1", "greater than or equal to 0"),
        ("count: {kind: error}, at_most: true", "valid integer"),
        ("count: {kind: error}, exactly: 1, since: {kind: final}", "since goes with at_most alone"),
        ("never: {kind: error}, since: {kind: final}", "since needs before"),
        ("never: {kind: error}, eventually: {kind: final}", "never and eventually are two forms"),
        ("every: {kind: error}, followed_by: {kind: final}, within: 0", "greater than or equal to 1"),
        ("every: {kind: error}", "followed_by: is missing"),
        ("refused: {kind: error}, reached: {kind: final}", "the kind is 'refused' here"),
        ("stream: 3", "stream: is not valid"),
        ("final: []", "at least 1 item"),
    ],
)
def test_a_rule_that_contradicts_itself_is_refused(rule: str, part: str) -> None:
    found = faults(f"{HEAD}- {{name: a, {rule}}}\n")
    assert len(found) == 1
    assert found[0].startswith("r.yaml:3 (a): ")
    assert part in found[0]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "r.yaml: is not a mapping, got 'NoneType'; expected format: 1 and a list of rules."),
        ("format: 1\nrules: []\n", "r.yaml: holds no rules, got []; expected a list with at least one rule."),
        ("format: 1\n", "r.yaml: holds no rules; expected a list with at least one rule."),
        ("format: 2\nrules: []\n", "r.yaml: unknown format version, got 2; expected format: 1."),
        ("rules: []\n", "r.yaml: unknown format version; expected format: 1."),
        ("format: 1\nrule: []\n", "r.yaml: unknown key, got 'rule'; expected format and rules. Did you mean 'rules'?"),
        ("format: 1\nrules: &a [*a]\n", "r.yaml:2: holds an alias; expected plain values."),
        (f"{HEAD}- name: a\n  never: {{kind: error, kind: final}}\n", "r.yaml:4: the key 'kind' stands twice."),
        (
            f"{HEAD}- {{name: a, final: X}}\n- {{name: a, final: Y}}\n",
            "r.yaml:4 (a): a rule of this name stands already, got 'r.yaml:3 (a)'.",
        ),
    ],
)
def test_a_file_that_holds_no_rules_is_refused(text: str, fault: str) -> None:
    assert faults(text) == [fault]


def test_every_fault_of_a_file_is_told_at_once() -> None:
    assert len(faults(f"{HEAD}- {{name: a, fina: X}}\n- {{name: b, final: X}}\n- {{name: c, final: 3}}\n")) == 2


def test_broken_yaml_has_its_line() -> None:
    assert faults(f"{HEAD}- {{name: a\n")[0].startswith("r.yaml:4: is not YAML (")


def test_rules_from_another_file_are_placed_by_number() -> None:
    assert rules_from([{"name": "a", "final": "DONE"}], "suite.yaml: rules")[0].name == "a"
    with pytest.raises(InputError, match=r"suite\.yaml: rules\.1 \(b\): final\.kin: unknown key"):
        rules_from([{"name": "a", "final": "X"}, {"name": "b", "final": {"kin": "X"}}], "suite.yaml: rules")


def test_a_rule_in_a_field_of_a_record_is_told_by_its_key() -> None:
    adapter: TypeAdapter[Rule] = TypeAdapter(Rule)
    rule = adapter.validate_python({"name": "a", "refused": "x", "reached": {"kind": "final"}})
    assert rule.form == "refused"
    assert adapter.validate_python(rule) == rule
    assert adapter.validate_json(adapter.dump_json(rule, by_alias=True, exclude_unset=True)) == rule
    with pytest.raises(ValidationError, match="Did you mean 'eventually'"):
        adapter.validate_python({"name": "a", "eventualy": {"kind": "final"}})
