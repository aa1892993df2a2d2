"""A case passes when every rule is kept in every repeat; what cannot be read, and what could not run, is not kept."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InputError
from assay.model.exchange import Failure, Outcome
from assay.model.score import CaseScore
from assay.suites.orchestration.rule_file import rules_from
from assay.suites.orchestration.scoring import measures, score_case, scorer
from tests.builders import reply
from tests.unit.suites.orchestration.gold import BAD, DONE, GOOD, ORDERED, case, event, events, files, row, run, transcript

CRASH = Failure(reason="Traceback (most recent call last):\n  desk.py:7 in desk\nKeyError: 'x'", attempts=1)
OF_ARGUMENT = {"name": "cheap", "never": {"kind": "tool_call", "where": {"arguments.price": {"greater": 10}}}}


def scored(*outcomes: Outcome, rules: Sequence[Any] = (DONE, ORDERED), common: Sequence[Any] = ()) -> CaseScore:
    return score_case(case(*rules), outcomes, rules_from(list(common), "rules.yaml") if common else ())


def test_a_run_that_keeps_all_rules_passes() -> None:
    found = scored(run(*GOOD))
    assert (found.case_id, found.status, found.passed, found.score, found.reason) == ("c1", "scored", True, 1.0, None)
    assert found.counts == {"cases": 1, "passed": 1, "rules": 2, "rules_kept": 2, "rules_vacuous": 0, "pass^1": 1.0}
    assert found.detail["predicted"] == ["tool_call angles", "tool_call write", "final DONE"]
    assert (found.detail["difference"], found.detail["violations"]) == ([], [])
    assert found.detail["expected"] == {"user": "It works.", "rules": ["ends-well", "angles-first"]}


def test_a_run_that_breaks_one_of_two_rules_is_half_right_and_does_not_pass() -> None:
    found = scored(run("stream opened", *BAD))
    # The writer came at event 1; the rule of the end is kept.
    assert (found.passed, found.score, found.status) == (False, 0.5, "scored")
    assert found.counts == {
        **{"cases": 1, "passed": 0, "rules": 2, "rules_kept": 1, "rules_vacuous": 0, "pass^1": 0.0},
        **{"violations": 1, "violation": 1.0, "violation_squared": 1.0},
    }
    assert found.detail["difference"] == [
        "angles-first is broken: it occurred before what must come first (event 1, tool_call write)"
    ]
    (violation,) = found.detail["violations"]
    assert violation["event"]["name"] == "write"
    assert ([one["name"] for one in violation["before"]], [one["name"] for one in violation["after"]]) == (["opened"], ["DONE"])


def test_what_only_the_end_breaks_is_told_as_the_end() -> None:
    found = scored(run("tool_call angles"))
    assert found.detail["difference"] == ["ends-well is broken: no event of kind 'final' occurred (at the end)"]
    # The position is the number of events. ORDERED is kept, but nobody wrote.
    assert (found.counts["violation"], found.counts["rules_kept"], found.counts["rules_vacuous"]) == (1.0, 1, 1)


def test_the_first_violation_of_a_run_is_the_earliest_of_its_rules() -> None:
    # ORDERED breaks at event 0, DONE at the end, which is 2.
    assert scored(run("tool_call write", "final FAILED")).counts["violation"] == 0.0


def test_the_rules_of_all_cases_count_beside_its_own() -> None:
    found = scored(run(*BAD), rules=[ORDERED], common=[DONE])
    assert (found.counts["rules"], found.counts["rules_kept"]) == (2, 1)
    assert found.detail["expected"]["rules"] == ["ends-well", "angles-first"]


def test_a_rule_that_could_not_run_is_not_kept_and_fails_the_case() -> None:
    found = scored(run(*GOOD), rules=[DONE, OF_ARGUMENT])
    assert (found.passed, found.score, found.status) == (False, 0.5, "scored")
    assert "violations" not in found.counts
    (told,) = found.detail["difference"]
    assert re.fullmatch(r"cheap could not run: event 0: .+ \(event 0\)", told)
    assert [one["status"] for one in found.detail["violations"]] == ["could-not-run"]
    priced = transcript([event("tool_call buy", arguments={"price": 10}), event("final DONE")])
    assert scored(priced, rules=[DONE, OF_ARGUMENT]).passed


@pytest.mark.parametrize(("successes", "shares"), [(4, [1, 1, 1, 1]), (3, [0.75, 0.5, 0.25, 0]), (0, [0, 0, 0, 0])])
def test_repeats_pass_together_or_not_at_all(successes: int, shares: list[float]) -> None:
    # C(3,1)/C(4,1) = 3/4, C(3,2)/C(4,2) = 3/6, C(3,3)/C(4,3) = 1/4, C(3,4) = 0.
    found = scored(*[run(*GOOD)] * successes, *[run(*BAD)] * (4 - successes))
    assert found.passed is (successes == 4)
    assert [found.counts[f"pass^{k}"] for k in (1, 2, 3, 4)] == shares
    assert (found.counts["cases"], found.counts["rules"], found.counts["rules_kept"]) == (1, 8, 4 + successes)
    assert found.score == (4 + successes) / 8


def test_the_runs_of_repeats_are_shown_one_by_one() -> None:
    assert scored(run(*GOOD), run(*BAD)).detail["predicted"] == [list(GOOD), list(BAD)]


def test_violations_of_repeats_are_summed() -> None:
    found = scored(run(*BAD), run(*GOOD), run("stream a", "stream b", *BAD))
    # At 0 and at 2: sum 2, squares 4.
    assert [found.counts[name] for name in ("violations", "violation", "violation_squared")] == [2, 2.0, 4.0]


def test_a_crash_is_a_failed_case_with_its_traceback() -> None:
    found = scored(CRASH)
    assert (found.status, found.passed, found.score, found.reason) == ("unanswered", False, 0.0, CRASH.reason)
    assert found.counts == {"cases": 1, "passed": 0, "rules": 2, "rules_kept": 0, "rules_vacuous": 0, "pass^1": 0.0}


def test_a_crash_in_one_repeat_fails_the_case_and_the_other_repeat_still_counts() -> None:
    found = scored(run(*GOOD), CRASH)
    assert (found.status, found.passed, found.score, found.reason) == ("unanswered", False, 0.5, CRASH.reason)
    assert (found.counts["rules"], found.counts["rules_kept"], found.counts["pass^1"], found.counts["pass^2"]) == (4, 2, 0.5, 0)


def test_no_run_at_all_is_missing_and_keeps_nothing() -> None:
    found = scored()
    assert (found.status, found.passed, found.score, found.reason) == ("missing", False, 0.0, "no recorded run")
    assert (found.counts["cases"], found.counts["rules"], found.counts["rules_kept"]) == (1, 2, 0)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "is not JSON (Expecting value"),
        ("DONE", "is not JSON (Expecting value"),
        ('{"format": 1, "id": "t"}', "events: Field required"),
        ('{"format": 2, "id": "t", "events": []}', "format: Input should be 1"),
        ('[{"kind": "finale", "name": "DONE"}]', "0.kind: Input should be 'decision', 'refused'"),
        ('[{"kind": "final"}]', "0.name: Field required"),
        ('[{"kind": "final", "name": ""}]', "0.name: String should have at least 1 character"),
        ('[{"kind": "final", "name": "DONE", "at": 3}]', "0.at: Extra inputs are not permitted"),
        ('["DONE"]', "0: Input should be a valid dictionary"),
    ],
)
def test_what_is_no_transcript_is_malformed_and_keeps_nothing(text: str, told: str) -> None:
    found = scored(reply(text=text))
    assert (found.status, found.passed, found.score, found.counts["rules_kept"]) == ("malformed", False, 0.0, 0)
    assert told in (found.reason or "")


@pytest.mark.parametrize("text", ["null", "3", '"DONE"', "NaN", '[{"kind": "final", "name": "DONE", "result": NaN}]'])
def test_other_json_and_what_is_no_number_is_malformed(text: str) -> None:
    assert scored(reply(text=text)).status == "malformed"


def test_an_empty_list_is_a_run_in_which_nothing_happened() -> None:
    found = scored(reply(text="[]"))
    assert (found.status, found.passed, found.detail["predicted"]) == ("scored", False, [])
    # ORDERED is kept, and nothing was put to the test.
    assert (found.counts["rules_kept"], found.counts["rules_vacuous"], found.counts["violation"]) == (1, 1, 0.0)


def test_a_list_of_events_is_the_same_as_a_transcript_of_them() -> None:
    for lines in (GOOD, BAD):
        as_list, whole = scored(run(*lines)), scored(transcript(events(*lines)))
        assert (as_list.counts, as_list.detail, as_list.passed) == (whole.counts, whole.detail, whole.passed)


def test_the_judge_can_be_passed_in() -> None:
    found = score_case(case(DONE, ORDERED), [run(*BAD)], (), lambda rules, transcript: ())
    assert (found.passed, found.counts["rules_kept"], found.score) == (True, 0, 0.0)


def test_a_scorer_has_the_rules_of_all_cases_built_in() -> None:
    score = scorer(files(row()), {})
    assert score(case(ORDERED), [run(*GOOD)]).passed
    assert not score(case(ORDERED), [run("tool_call angles", "final FAILED")]).passed
    assert not score(case(ORDERED), [run(*BAD)]).passed
    with pytest.raises(InputError, match=r"^rules\.yaml: holds no rules"):
        scorer(files(row(), rules="format: 1\nrules: []\n"), {})


@pytest.mark.parametrize(("options", "shares"), [({}, ["pass^1"]), ({"repeats": 3}, ["pass^1", "pass^2", "pass^3"])])
def test_there_is_a_pass_k_for_every_number_of_repeats(options: dict[str, int], shares: list[str]) -> None:
    found = measures(options)
    assert list(found) == ["cases_passed", "rules_kept", "rules_vacuous", "first_violation_position", *shares]
    assert [name for name, measure in found.items() if measure.direction == "lower"] == ["rules_vacuous"]


@pytest.mark.parametrize("repeats", [0, 101, "two"])
def test_a_number_of_repeats_that_means_nothing_is_refused(repeats: object) -> None:
    with pytest.raises(InputError, match=r"^suite\.yaml: options: repeats: is not valid"):
        measures({"repeats": repeats})  # type: ignore[dict-item]  # the wrong value is the point
    with pytest.raises(InputError, match=r"^suite\.yaml: options: repeat: unknown key"):
        measures({"repeat": 2})


RUNS = st.lists(st.sampled_from([run(*GOOD), run(*BAD), run("final FAILED"), reply(text="no"), CRASH]), min_size=1, max_size=6)


@given(outcomes=RUNS)
def test_counts_stay_in_their_ranges_and_do_not_depend_on_the_order_of_repeats(outcomes: list[Outcome]) -> None:
    found, backwards = scored(*outcomes), scored(*outcomes[::-1])
    assert found.counts == backwards.counts
    counts, repeats = found.counts, len(outcomes)
    assert counts["rules"] == 2 * repeats
    assert 0 <= counts["rules_vacuous"] <= counts["rules_kept"] <= counts["rules"]
    assert found.score == pytest.approx(counts["rules_kept"] / counts["rules"])
    shares = [counts[f"pass^{k}"] for k in range(1, repeats + 1)]
    assert shares == sorted(shares, reverse=True)
    assert (counts["passed"], shares[-1]) == ((1, 1.0) if found.passed else (0, 0.0))
    json.dumps(found.detail, allow_nan=False)
