"""What each case's checks are: names, options, objectives, resources and other people's code."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import InputError, UserError
from assay.model.ports import Setting
from assay.suites.checks import calibration
from assay.suites.checks.options import options_of
from assay.suites.checks.planning import Plans, at_path, evaluator_of, imports_of
from tests.unit.suites.checks.built import HERE, NOT_CALLABLE, WORD, gold, one, row, shout

WORDS = {"words": ("words.txt", b"ship boat")}
RESOURCES = {"words": {"factory": f"{HERE}:dictionary", "files": ["words"], "options": {"more": ["raft"]}}}
KNOWN = {"name": "known", "evaluator": f"{HERE}:known_word", "path": "word", "resources": {"words": "words"}}


def plans(options: dict[str, Any], files: Any = None) -> Plans:
    return Plans(options_of(options), files or {})


def refused(options: dict[str, Any], **changes: Any) -> str:
    with pytest.raises(UserError) as found:
        plans(options).of(one(**changes))
    assert found.value.exit_code == 2
    return "\n".join(map(str, found.value.problems))


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("", (True, {"a": {"b": [10, {"c": None}]}, "0": "zero"})),
        ("a.b.0", (True, 10)),
        ("a.b.1.c", (True, None)),
        ("0", (True, "zero")),
        ("a.b.2", (False, None)),
        ("a.b.-1", (False, None)),
        ("a.b.x", (False, None)),
        ("a.c", (False, None)),
        ("a.b.0.d", (False, None)),
        ("a.b.1.c.d", (False, None)),
    ],
)
def test_a_path_leads_through_keys_and_list_indices(path: str, found: tuple[bool, object]) -> None:
    assert at_path({"a": {"b": [10, {"c": None}]}, "0": "zero"}, path) == found


def test_no_path_leads_into_a_text() -> None:
    assert at_path("text", "0") == (False, None)
    assert at_path("text", "") == (True, "text")


VALUES = st.recursive(
    st.integers(),
    lambda inner: st.dictionaries(st.from_regex("[a-z]{1,3}", fullmatch=True), inner) | st.lists(inner),
    max_leaves=8,
)


@settings(max_examples=50)
@given(VALUES)
def test_every_leaf_is_found_at_its_own_path(value: object) -> None:
    def leaves(below: object, path: tuple[str, ...]) -> list[tuple[str, object]]:
        if isinstance(below, dict):
            return [leaf for key, item in below.items() for leaf in leaves(item, (*path, key))]
        if isinstance(below, list):
            return [leaf for i, item in enumerate(below) for leaf in leaves(item, (*path, str(i)))]
        return [(".".join(path), below)]

    assert all(at_path(value, path) == (True, leaf) for path, leaf in leaves(value, ()))


def test_a_case_takes_all_checks_or_those_it_names_in_the_suites_order() -> None:
    def names(**changes: Any) -> list[str]:
        return [applied.entry.name for applied in plans(WORD).of(one(**changes))]

    assert names() == ["same", "long"]
    assert names(checks=["long", "same"]) == ["same", "long"]
    assert names(checks=["long"]) == ["long"]


def test_options_of_a_case_are_laid_over_those_of_the_suite() -> None:
    (_, suite), (_, own) = (plans(WORD).of(one(config=config)) for config in ({}, {"long": {"min": 2, "max": 9}}))
    assert suite.plan.options == {"max": 4}
    assert own.plan.options == {"max": 9, "min": 2}


def test_an_objective_of_a_case_replaces_part_of_the_suites() -> None:
    checks = [{"name": "levenshtein", "config": {"objective": {"direction": "minimize", "threshold": 0.5}}}]
    (applied,) = plans({"checks": checks}).of(one(config={"levenshtein": {"objective": {"threshold": 0.25}}}))
    assert str(applied.plan.objective) == "minimize, score <= 0.25"
    assert "objective" not in applied.plan.options


def test_a_check_or_config_that_is_not_there_is_told_with_the_nearest() -> None:
    told = "case c: unknown check, got 'lonh'; expected one of same, long. Did you mean 'long'?"
    assert refused(WORD, checks=["lonh"]) == told
    assert refused(WORD, config={"lonh": {}}) == told


def test_an_unknown_evaluator_lists_the_known_and_the_nearest() -> None:
    told = refused({"checks": [{"name": "exact_mach"}]})
    assert told.startswith("evaluators: unknown evaluator, got 'exact_mach'; expected one of decision_scores, exact_match, ")
    assert told.endswith(" temporal_range. Did you mean 'exact_match'?")


@pytest.mark.parametrize(
    ("objective", "message"),
    [
        ({"direction": "minimize"}, "minimizes without a threshold"),
        ({"direction": "maximise"}, "is unknown, got \"'maximise'\""),
        ({"threshold": "high"}, "is no number"),
        ({"threshold": True}, "is no number"),
        ({"expect": 1}, "is no boolean"),
        ({"expect": True, "threshold": 0.5}, "has expect together with a direction or threshold"),
        ({"expect": True, "direction": "minimize"}, "has expect together with a direction or threshold"),
        ({"treshold": 0.5}, "unknown key, got 'treshold'"),
        ({}, "is no objective"),
        (0.8, "is no objective"),
        ([], "is no objective"),
    ],
)
@pytest.mark.parametrize("place", ["suite", "case"])
def test_an_invalid_objective_is_an_input_error_that_names_the_case(objective: object, message: str, place: str) -> None:
    config = {"objective": objective}
    checks = [{"name": "levenshtein", "config": config if place == "suite" else {}}]
    told = refused({"checks": checks}, config={} if place == "suite" else {"levenshtein": config})
    assert told.startswith("case c: config.levenshtein.objective")
    assert message in told


@pytest.mark.parametrize("threshold", [float("nan"), float("inf"), -float("inf"), 10**400], ids=["nan", "inf", "-inf", "1e400"])
def test_a_threshold_that_is_no_finite_number_never_gets_in(threshold: float) -> None:
    with pytest.raises(UserError):
        plans({"checks": [{"name": "levenshtein", "config": {"objective": {"threshold": threshold}}}]}).of(one())


def test_a_maximum_without_a_threshold_and_no_objective_leave_the_verdict_alone() -> None:
    for config in ({"objective": {"direction": "maximize"}}, {"objective": None}, {}):
        (applied,) = plans({"checks": [{"name": "levenshtein", "config": config}]}).of(one())
        assert applied.plan.metric("aple", "apple").passed


def test_what_is_wrong_in_every_case_is_told_at_once_before_anything_is_answered() -> None:
    bad = {"config": {"same": {"objective": {"direction": "minimize"}}}}
    cases = gold(row("a", **bad), row("b"), row("c", checks=["smae"]), row("d", **bad))
    setting = Setting(suite="s", version="v1", cases=cases, files={}, options=WORD, subjects={})
    with pytest.raises(UserError) as found:
        calibration.check(setting)
    assert found.value.exit_code == 2
    told = [str(problem) for problem in found.value.problems]
    assert [line.partition(": ")[0] for line in told] == ["case a", "case c", "case d"]
    assert told[1].endswith("Did you mean 'same'?")


def test_sound_plans_break_nothing_and_make_no_resource() -> None:
    resources = {"words": {"factory": f"{HERE}:broken_factory"}}
    setting = Setting(
        suite="s", version="v1", cases=gold(row()), files={}, options={"checks": [KNOWN], "resources": resources}, subjects={}
    )
    assert calibration.check(setting) == []
    assert calibration.chance("cases_passed", setting) is None


def test_an_evaluator_by_import_string_is_the_function() -> None:
    assert evaluator_of(f"{HERE}:shout") is shout
    (applied,) = plans({"checks": [{"name": "loud", "evaluator": f"{HERE}:shout", "config": {"ending": "!"}}]}).of(one())
    assert [applied.plan.metric(text, None).passed for text in ("SHIP!", "SHIP", "ship!")] == [True, False, False]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("no_such_module:f", "cannot be imported (ModuleNotFoundError: No module named 'no_such_module')"),
        (f"{HERE}:no_such_function", "cannot be imported (AttributeError: "),
        (f"{HERE}:NOT_CALLABLE", "is no function"),
    ],
)
def test_an_import_string_that_leads_nowhere_is_an_input_error(name: str, message: str) -> None:
    assert NOT_CALLABLE == 17
    told = refused({"checks": [{"name": "mine", "evaluator": name}]})
    assert told.startswith(f"suite.yaml: options: {message}")
    assert told.endswith(f"got {name!r}.")


def test_a_module_that_breaks_while_it_is_imported_is_an_input_error(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "breaks_on_import.py").write_text("raise ValueError('half a module')\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert "ValueError: half a module" in refused({"checks": [{"name": "mine", "evaluator": "breaks_on_import:f"}]})


def test_a_resource_is_made_of_its_files_and_options_and_handed_to_the_check_that_asks() -> None:
    options = {"checks": [KNOWN, *WORD["checks"]], "resources": RESOURCES}
    known, same, _ = plans(options, WORDS | {"other": ("other.txt", b"galleon")}).of(one())
    assert known.plan.options == {"words": frozenset({"ship", "boat", "raft"})}
    assert same.plan.options == {}
    assert [known.plan.metric(word, None).passed for word in ("boat", "raft", "galleon")] == [True, True, False]


def test_a_resource_that_two_checks_ask_for_is_made_once() -> None:
    options = {"checks": [KNOWN, {**KNOWN, "name": "again"}], "resources": RESOURCES}
    first, second = plans(options, WORDS).of(one())
    assert first.plan.options["words"] is second.plan.options["words"]


def test_a_factory_that_raises_is_an_input_error_that_names_the_resource() -> None:
    resources = {"words": {"factory": f"{HERE}:broken_factory"}}
    with pytest.raises(
        InputError, match=r"suite\.yaml: options\.resources\.words: cannot be made \(KeyError: 'no such thing'\)"
    ):
        plans({"checks": [KNOWN], "resources": resources})


def test_the_policy_engine_says_which_file_or_moment_is_missing() -> None:
    policies = {"factory": "assay.providers.policy.resource:policies", "files": ["policies"], "options": {}}
    options = {"checks": [{"name": "decision_scores", "resources": {"policy_engine": "p"}}], "resources": {"p": policies}}
    with pytest.raises(InputError, match="names no 'policies' file; expected `policies: <file>`"):
        plans(options)
    with pytest.raises(InputError, match="has no `as_of`; expected a moment with its offset, in quotes"):
        plans(options, {"policies": ("policies.yaml", b"")})


def test_the_code_that_scoring_runs_besides_its_own_is_named() -> None:
    options = {"checks": [KNOWN, {"name": "loud", "evaluator": f"{HERE}:shout"}, *WORD["checks"]], "resources": RESOURCES}
    assert imports_of(options_of(options)) == (f"{HERE}:dictionary", f"{HERE}:known_word", f"{HERE}:shout")
    assert imports_of(options_of(WORD)) == ()
