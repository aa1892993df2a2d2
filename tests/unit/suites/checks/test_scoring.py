"""What scoring makes of one case: every check over every output, and whether it came out as expected.

`WORD` looks at one word with two checks: `same` wants the expected word (ship), `long` at most four letters.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.metrics.ratios import measured, summed
from assay.model.exchange import Outcome
from assay.model.ports import ScoresWithOthersCode, scoring_part
from assay.suites.checks.scoring import SHOWN, advisory, imports, measures, scorer
from tests.unit.suites.checks.built import DECISION, HERE, RECORD, WORD, difference, failed, gold, row, said, score

RIGHT, WRONG, BOTH = said({"word": "ship"}), said({"word": "bark"}), said({"word": "barque"})
JUDGE: dict[str, Any] = {"name": "judge", "evaluator": f"{HERE}:shout", "path": "word", "advisory": True}


def numbers(options: dict[str, Any], rows: list[dict[str, Any]], *outputs: tuple[Outcome, ...]) -> dict[str, float | None]:
    """The measures of a whole suite."""
    rule = scorer({}, options)
    scores = [rule(case, given) for case, given in zip(gold(*rows), outputs, strict=True)]
    found = measured(summed(one.counts for one in scores), measures(options))
    return {name: metric.value for name, metric in found.items()}


def test_an_output_that_every_check_passes_passes() -> None:
    found = score(WORD, RIGHT)
    assert (found.status, found.passed, found.score, found.reason, difference(found)) == ("scored", True, 1.0, None, [])
    assert found.counts == {
        "cases": 1, "passed": 1, "checked": 2, "errors": 0,
        "same of": 1, "same": 1, "same scored": 1, "same score": 1.0, "same score_squared": 1.0,
        "long of": 1, "long": 1, "long scored": 1, "long score": 1.0, "long score_squared": 1.0,
    }  # fmt: skip
    assert found.detail["predicted"] == {"word": "ship"}
    assert found.detail["expected"] == {
        "expected": {"word": "ship"},
        "planted": None,
        "checks": {"same": "to pass", "long": "to pass"},
    }


def test_one_check_that_fails_fails_the_case_and_says_why() -> None:
    found = score(WORD, WRONG)
    assert (found.status, found.passed, found.score) == ("scored", False, 0.5)
    assert difference(found) == ["same had to pass and failed (score 0)"]
    assert (found.counts["passed"], found.counts["same"], found.counts["long"], found.counts["errors"]) == (0, 0, 1, 0)


def test_a_planted_fault_that_its_check_notices_passes() -> None:
    found = score(WORD, WRONG, planted="wrong word")
    assert (found.passed, found.score, difference(found)) == (True, 1.0, [])
    assert (found.counts["planted"], found.counts["planted_noticed"]) == (1, 1)
    assert found.detail["expected"]["checks"] == {"same": "to fail", "long": "to pass"}


def test_a_planted_fault_that_its_check_does_not_notice_fails() -> None:
    found = score(WORD, RIGHT, planted="wrong word")
    assert (found.passed, found.score, found.counts["planted_noticed"]) == (False, 0.5, 0)
    assert difference(found) == ["same had to fail and passed (score 1)"]


def test_a_planted_fault_beside_another_one_fails() -> None:
    found = score(WORD, BOTH, planted="wrong word")
    assert (found.passed, found.counts["planted_noticed"], found.counts["same"], found.counts["long"]) == (False, 0, 1, 0)
    assert difference(found)[0].startswith("long had to pass and failed (score ")


def test_a_planted_fault_that_is_noticed_for_its_reason_alone_passes() -> None:
    found = score(RECORD, said({**DECISION, "reasoning": " "}), expected={"outcome": "keep"}, planted="blank reasoning")
    assert (found.passed, difference(found)) == (True, [])
    assert found.detail["expected"]["checks"] == {"decision_scores": "to fail for reasoning"}


@pytest.mark.parametrize(
    "change",
    [{"scenario": ""}, {"reasoning": "", "scenario": ""}, {"reasoning": "", "outcome": "remove"}, {"confidence": 2.0}],
    ids=str,
)
def test_a_planted_fault_that_is_noticed_for_another_reason_or_also_for_one_fails(change: dict[str, Any]) -> None:
    found = score(RECORD, said({**DECISION, **change}), expected={"outcome": "keep"}, planted="blank reasoning")
    assert (found.passed, found.counts["planted_noticed"]) == (False, 0)
    (told,) = difference(found)
    assert told.startswith("decision_scores had to fail for reasoning and failed (score 0.")


def test_without_a_named_reason_any_will_do() -> None:
    assert score(RECORD, said({**DECISION, "scenario": ""}), expected={"outcome": "keep"}, planted="anything").passed


def test_a_named_reason_needs_an_evaluator_that_tells_its_reasons() -> None:
    options = {**WORD, "planted": {"wrong word": "same.spelling"}}
    assert not score(options, WRONG, planted="wrong word").passed


@pytest.mark.parametrize("output", [RIGHT, WRONG, BOTH])
def test_a_planted_fault_that_no_check_is_named_for_is_never_noticed(output: Outcome) -> None:
    found = score(WORD, output, planted="a leak")
    assert (found.passed, found.counts["planted"], found.counts["planted_noticed"]) == (False, 1, 0)
    assert difference(found)[0] == "no check of this case must notice the planted 'a leak'"


def test_a_planted_fault_whose_check_does_not_look_at_the_case_is_not_noticed() -> None:
    found = score(WORD, RIGHT, planted="wrong word", checks=["long"])
    assert (found.passed, found.counts["planted_noticed"]) == (False, 0)


@pytest.mark.parametrize(
    ("check", "output", "told"),
    [
        ({"name": "regex_match", "expected": "word"}, {"word": "ship"}, "regex_match could not run: actual"),
        ({"name": "exact_match", "path": "wrod"}, {"word": "ship"}, "could not run: actual: the output has nothing at 'wrod'"),
        ({"name": "exact_match", "expected": "x"}, {"word": "ship"}, "could not run: expected: the case has nothing at 'x'"),
        ({"name": "numeric_range", "path": "word", "config": {"min": 1}}, {"word": 2}, "numeric_range could not run: max"),
        ({"name": "llm_as_judge"}, {"word": "ship"}, "llm_as_judge could not run: judge_fn: is missing"),
        ({"name": "mine", "evaluator": f"{HERE}:crashing"}, {}, "mine could not run: ZeroDivisionError: oh no"),
        ({"name": "mine", "evaluator": f"{HERE}:odd"}, {}, "mine could not run: the evaluator returned str, no EvalMetric"),
        ({"name": "mine", "evaluator": f"{HERE}:nan"}, {}, "mine could not run: the evaluator returned score nan"),
    ],
)
def test_a_check_that_could_not_run_never_comes_out_as_expected(check: dict[str, Any], output: object, told: str) -> None:
    options = {"checks": [check]}
    found = score(options, said(output))
    assert (found.passed, found.counts[check["name"]], f"{check['name']} scored" in found.counts) == (False, 0, False)
    assert told in difference(found)[0]
    if check["name"] != "llm_as_judge":
        assert found.counts["errors"] == 1
        noticed = score({**options, "planted": {"f": check["name"]}}, said(output), planted="f")
        assert (noticed.passed, noticed.counts["planted_noticed"]) == (False, 0)


def test_an_objective_does_not_turn_an_error_into_a_verdict() -> None:
    check = {"name": "exact_match", "path": "gone", "config": {"objective": {"expect": False}}}
    assert not score({"checks": [check]}, said({})).passed


def test_an_objective_turns_the_verdict_of_a_check_that_ran() -> None:
    check = {**WORD["checks"][0], "config": {"objective": {"expect": False}}}
    assert [score({"checks": [check]}, output).passed for output in (RIGHT, WRONG)] == [False, True]


@pytest.mark.parametrize(
    ("path", "output", "passes"),
    [
        ("a.b", {"a": {"b": "ship"}}, True),
        ("a.1", {"a": ["boat", "ship"]}, True),
        ("a.1.b", {"a": [0, {"b": "ship"}]}, True),
        ("1", ["boat", "ship"], True),
        ("", "ship", True),
        ("a.2", {"a": ["boat", "ship"]}, False),
        ("a.b", {"a": "ship"}, False),
    ],
)
def test_a_path_says_which_part_of_the_output_is_looked_at(path: str, output: object, passes: bool) -> None:
    import json

    options = {"checks": [{"name": "exact_match", "path": path, "expected": "word"}]}
    found = score(options, said(json.dumps(output)))
    assert found.passed is passes
    assert found.counts["errors"] == int(not passes)


def test_a_null_at_the_path_is_there_and_cannot_be_compared() -> None:
    found = score(WORD, said({"word": None}))
    assert difference(found)[0].startswith("same could not run: actual: is None")
    assert found.counts["errors"] == 2


def test_an_output_read_as_text_stays_as_it_is() -> None:
    options = {"checks": [{"name": "exact_match"}], "reads": "text"}
    assert score(options, said('{"word": "ship"}'), expected='{"word": "ship"}').passed
    assert score(options, said(" ship"), expected=" ship").passed
    assert score(options, said("ship"), expected="ship").status == "scored"
    assert score({"checks": [{"name": "exact_match"}]}, said("ship"), expected="ship").status == "malformed"


def test_a_case_may_have_options_and_checks_of_its_own() -> None:
    assert score(WORD, BOTH, checks=["same"], expected={"word": "barque"}).counts["checked"] == 1
    assert score(WORD, BOTH, config={"long": {"max": 6}}, expected={"word": "barque"}).passed
    assert not score(WORD, BOTH, expected={"word": "barque"}).passed


@pytest.mark.parametrize(
    ("outcomes", "status", "reason"),
    [
        ((), "missing", "no recorded output"),
        ((failed(),), "unanswered", "no answer: HTTP 500"),
        ((said("{"),), "malformed", "is not JSON (Expecting property name"),
        ((said("ship"),), "malformed", "is not JSON (Expecting value"),
        ((said(""),), "malformed", "is not JSON (Expecting value"),
    ],
)
@pytest.mark.parametrize("planted", [None, "wrong word"])
def test_without_an_output_nothing_comes_out_as_expected_and_everything_stays_in_its_denominator(
    outcomes: tuple[Outcome, ...], status: str, reason: str, planted: str | None
) -> None:
    found = score(WORD, *outcomes, planted=planted)
    assert (found.status, found.passed, found.score) == (status, False, 0.0)
    assert found.reason is not None
    assert found.reason.startswith(reason)
    wanted = {"cases": 1, "passed": 0, "checked": 2, "errors": 2, "same of": 1, "same": 0, "long of": 1, "long": 0}
    assert found.counts == wanted | ({"planted": 1, "planted_noticed": 0} if planted else {})
    assert found.detail["predicted"] is None


def test_every_repeat_has_to_come_out_as_expected() -> None:
    assert score(WORD, RIGHT, RIGHT, RIGHT).passed
    found = score(WORD, RIGHT, WRONG, RIGHT)
    assert (found.passed, found.score) == (False, 0.833333333333)  # 5 of 6 checks
    assert (found.counts["same"], found.counts["same of"], found.counts["checked"]) == (2, 3, 6)
    noticed = [score(WORD, *outputs, planted="wrong word").passed for outputs in ((WRONG, WRONG), (WRONG, RIGHT))]
    assert noticed == [True, False]


@pytest.mark.parametrize("bad", [failed(), said("{")])
def test_a_repeat_without_an_output_leaves_the_denominators_as_large_as_with_one(bad: Outcome) -> None:
    whole, broken = score(WORD, RIGHT, RIGHT, RIGHT), score(WORD, RIGHT, bad, RIGHT)
    assert not broken.passed
    for name in ("same of", "long of", "checked"):
        assert broken.counts[name] == whole.counts[name]
    assert (broken.counts["same"], broken.counts["errors"]) == (0, 6)


@given(st.lists(st.sampled_from([RIGHT, WRONG, BOTH, failed(), said("{")]), max_size=4), st.sampled_from([None, "wrong word"]))
def test_no_count_exceeds_what_it_is_a_share_of(outcomes: list[Outcome], planted: str | None) -> None:
    found = score(WORD, *outcomes, planted=planted)
    counts = found.counts
    for part, whole in (("passed", "cases"), ("errors", "checked"), ("same", "same of"), ("long", "long of")):
        assert 0 <= counts[part] <= counts[whole]
    assert counts["same of"] == counts["long of"] == (len(outcomes) or 1)
    assert counts.get("planted_noticed", 0) <= counts.get("planted", 0)
    assert 0 <= found.score <= 1
    assert found.passed == (found.score == 1.0) == bool(counts["passed"])


def test_an_advisory_check_decides_nothing_and_is_reported() -> None:
    options = {**WORD, "checks": [*WORD["checks"], JUDGE]}
    found = score(options, RIGHT)
    assert (found.passed, found.score, found.counts["judge"], found.counts["judge of"]) == (True, 1.0, 0, 1)
    assert difference(found) == ["judge had to pass and failed (score 0)"]
    assert found.counts["checked"] == 2


def test_an_advisory_check_that_could_not_run_is_in_no_gated_measure() -> None:
    options = {**WORD, "checks": [*WORD["checks"], {"name": "llm_as_judge", "path": "word", "expected": "word"}]}
    found = score(options, RIGHT)
    assert (found.passed, found.counts["errors"], found.counts["checked"]) == (True, 0, 2)
    assert "llm_as_judge could not run" in difference(found)[0]
    assert (found.counts["llm_as_judge of"], found.counts["llm_as_judge"]) == (0, 0)
    values = numbers(options, [row()], (RIGHT,))
    assert (values["could_not_run"], values["llm_as_judge"]) == (0.0, None)


def test_a_case_that_only_advisory_checks_look_at_is_in_no_measure_of_cases() -> None:
    options = {**WORD, "checks": [*WORD["checks"], JUDGE]}
    found = numbers(options, [row("a"), row("b", checks=["judge"])], (RIGHT,), (said({"word": "SHIP"}),))
    assert (found["cases_passed"], found["judge"], found["could_not_run"]) == (1.0, 0.5, 0.0)
    alone = numbers({"checks": [JUDGE]}, [row()], (RIGHT,))
    assert (alone["cases_passed"], alone["could_not_run"], alone["judge"]) == (None, None, 0.0)


def test_the_measures_of_a_suite_are_shares_over_all_cases() -> None:
    rows = [row("a"), row("b"), row("c", planted="wrong word"), row("d", planted="wrong word"), row("e", checks=["long"])]
    found = numbers(WORD, rows, (RIGHT,), (WRONG,), (WRONG,), (RIGHT,), ())
    assert found == {
        "cases_passed": 0.4,  # a and c of five
        "planted_noticed": 0.5,  # c of c and d
        "could_not_run": round(1 / 9, 12),  # one check of e; the others have two each
        "same": 0.5,  # a and c of four
        "same_score": 0.5,  # a and d of four
        "long": 0.8,  # all but e
        "long_score": 1.0,  # e has no score
    }


def test_no_planted_fault_leaves_its_measure_undefined() -> None:
    assert numbers(WORD, [row()], (RIGHT,))["planted_noticed"] is None


def test_every_measure_is_better_when_higher_but_what_could_not_run() -> None:
    found = measures(WORD)
    assert {name for name, measure in found.items() if measure.direction == "lower"} == {"could_not_run"}
    assert {name for name, measure in found.items() if not measure.fixed_n} == {"same_score", "long_score"}
    judged = measures({**WORD, "checks": [*WORD["checks"], JUDGE]})
    assert {name for name, measure in judged.items() if not measure.fixed_n} == {
        "same_score",
        "long_score",
        "judge",
        "judge_score",
    }


@pytest.mark.parametrize(
    ("check", "names"),
    [
        ({"name": "tone", "evaluator": "levenshtein", "advisory": True}, {"tone", "tone_score"}),
        ({"name": "tone", "evaluator": "llm_as_judge"}, {"tone", "tone_score"}),
        ({"name": "llm_as_judge"}, {"llm_as_judge", "llm_as_judge_score"}),
        ({"name": "tone", "evaluator": "levenshtein"}, set()),
    ],
)
def test_the_measures_of_advisory_checks_may_not_be_gated(check: dict[str, Any], names: set[str]) -> None:
    assert advisory({"checks": [*WORD["checks"], check]}) == names


def test_the_kind_says_whose_code_it_runs_and_what_it_does_not_gate() -> None:
    assert isinstance(scoring_part("checks"), ScoresWithOthersCode)
    assert imports({"checks": [{"name": "loud", "evaluator": f"{HERE}:shout"}]}) == (f"{HERE}:shout",)


def test_a_resource_reaches_the_evaluator() -> None:
    options = {
        "checks": [{"name": "known", "evaluator": f"{HERE}:known_word", "path": "word", "resources": {"words": "w"}}],
        "resources": {"w": {"factory": f"{HERE}:dictionary", "files": ["words"]}},
    }
    files = {"words": ("words.txt", b"ship boat")}
    assert [score(options, output, files=files).passed for output in (RIGHT, WRONG)] == [True, False]


def test_a_long_output_is_cut_in_the_detail_and_only_there() -> None:
    text = "x" * (SHOWN + 1)
    found = score({"checks": [{"name": "exact_match"}], "reads": "text"}, said(text), expected=text)
    assert found.passed
    assert found.detail["predicted"] == "x" * SHOWN + "…"
