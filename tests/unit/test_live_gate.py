"""What the live gate decides between two noisy runs, and what it says."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.model.score import Measure
from tests.builders import recording
from tests.unit.live_builders import (
    Cases,
    broken,
    cases,
    found,
    judged,
    noticed_pp,
    outcome,
    right,
    share,
    told,
    wrong,
)

TWO: Mapping[str, Measure] = {"accuracy": share(), "errors": share(right="errors", direction="lower")}


def test_a_run_against_itself_passes_and_says_all_its_numbers() -> None:
    now = found(cases(right(150), wrong(50)))
    judgement = judged(now, now)
    assert judgement.verdict == "PASS"
    assert told(judgement) == {
        "live.cases_passed": ("kept", "0 cases lost, 0 won of 200, exact McNemar p = 1.0000 (Holm)"),
        "live.accuracy": (
            "kept",
            "accuracy 0.7500 (n=200) against 0.7500 (n=200): drop +0.00 pp, p = 1.0000 (Holm); "
            "a drop of _ pp would be noticed 8 times in 10",
        ),
    }
    others = [c.name for c in judgement.providers["p"].checks if not c.name.startswith("live")]
    assert others == ["results", "cases", "power.accuracy"]


def test_a_drop_that_is_more_than_chance_fails_with_its_numbers() -> None:
    # Eight cases lost, none won: 2^-8 = 0.0039 for both tests, twice that after Holm.
    judgement = judged(found(cases(right(12), wrong(8))), found(cases(right(20))))
    assert judgement.verdict == "FAIL"
    assert told(judgement) == {
        "live.cases_passed": ("broken", "8 cases lost, 0 won of 20, exact McNemar p = 0.0078 (Holm)"),
        "live.accuracy": (
            "broken",
            "accuracy 0.6000 (n=20) against 1.0000 (n=20): drop +40.00 pp, p = 0.0078 (Holm); "
            "a drop of _ pp would be noticed 8 times in 10",
        ),
    }


def test_a_metric_fails_even_where_no_case_changes_sides() -> None:
    # No case passes before or after; ten of them have two right of three, then one. 2^-10 for the mean, McNemar 1.
    before = found(cases((10, outcome(passed=False, right=2, asked=3)), wrong(10)))
    now = found(cases((10, outcome(passed=False, right=1, asked=3)), wrong(10)))
    assert broken(judged(now, before)) == ["live.accuracy"]


def test_lost_cases_fail_even_where_no_metric_moves() -> None:
    before = found(cases((10, outcome(passed=True, right=1, asked=2)), right(10)))
    now = found(cases((10, outcome(passed=False, right=1, asked=2)), right(10)))
    assert broken(judged(now, before)) == ["live.cases_passed"]


def test_a_drop_within_chance_is_kept_although_a_replay_would_fail() -> None:
    # 6 lost, 2 won of 100: 4 pp, more than max_drop_pp; P(X >= 6 of 8) = (28 + 8 + 1) / 256 = 0.1445.
    before = found(cases(right(90), wrong(2), right(8)))
    now = found(cases(right(84), wrong(6), right(2), right(8)))
    judgement = judged(now, before)
    assert judgement.verdict == "PASS"
    assert told(judgement)["live.cases_passed"][1] == "6 cases lost, 2 won of 100, exact McNemar p = 0.2891 (Holm)"


def test_the_more_is_tested_the_more_it_takes_to_fail() -> None:
    # Five lost: 2^-5 = 0.031. Both tests have it, so Holm gives 2 * 0.031 = 0.0625 > 0.05. A sixth: 2 * 2^-6 = 0.031.
    before = found(cases(right(40)))
    assert judged(found(cases(right(35), wrong(5))), before, must=100.0).verdict == "PASS"
    assert judged(found(cases(right(34), wrong(6))), before).verdict == "FAIL"
    three = {"accuracy": share(), "again": share(), "once_more": share()}  # 4 * 2^-6 = 0.0625
    assert judged(found(cases(right(34), wrong(6)), three), found(cases(right(40)), three), three, must=100.0).verdict == "PASS"


@pytest.mark.parametrize(("level", "verdict"), [(0.01, "PASS"), (0.03, "PASS"), (0.04, "FAIL"), (0.2, "FAIL")])
def test_the_suite_sets_the_level_of_false_alarms(level: float, verdict: str) -> None:
    now, before = found(cases(right(94), wrong(6))), found(cases(right(100)))  # 2 * 2^-6 = 0.031
    assert judged(now, before, level=level).verdict == verdict


def test_no_verdict_where_the_drop_that_must_be_noticed_could_not_be() -> None:
    now = found(cases(right(3)))
    judgement = judged(now, now, must=10.0)
    assert judgement.verdict == "NO VERDICT"
    assert told(judgement)["live.accuracy"] == (
        "could-not-run",
        "accuracy 1.0000 (n=3) against 1.0000 (n=3): drop +0.00 pp, p = 1.0000 (Holm); "
        "no drop would be noticed 8 times in 10, but the suite must notice 10 pp",  # 2^-3 can reject nothing
    )


def test_the_verdict_turns_where_the_drop_noticed_meets_the_drop_that_must_be() -> None:
    before, now = found(cases(right(80), wrong(20))), found(cases(right(70), wrong(10), right(10), wrong(10)))
    shown = noticed_pp(judged(now, before))
    assert 1 < shown < 99
    assert judged(now, before, must=shown + 0.1).verdict == "PASS"
    assert judged(now, before, must=shown - 0.1).verdict == "NO VERDICT"


def test_the_drop_said_to_be_noticed_is_that_of_the_corrected_test() -> None:
    """With seven metrics more the level of each is lower, so what it can notice is larger."""
    now, many = cases(right(200)), {name: share() for name in ("accuracy", *"abcdefg")}
    alone, among = found(now), found(now, many)
    assert noticed_pp(judged(among, among, many)) > noticed_pp(judged(alone, alone))


def test_a_suite_that_does_not_say_what_it_must_notice_has_no_verdict() -> None:
    now = found(cases(right(1000)))
    judgement = judged(now, now, must=None)
    assert judgement.verdict == "NO VERDICT"
    assert told(judgement)["live.accuracy"][1].endswith(
        "a drop of _ pp would be noticed 8 times in 10, but the suite declares no must_detect_pp"
    )


@pytest.mark.parametrize("must", [None, 0.5])
def test_a_rejection_outweighs_what_could_not_be_noticed(must: float | None) -> None:
    assert judged(found(cases(right(10), wrong(10))), found(cases(right(20))), must=must).verdict == "FAIL"


def test_where_lower_is_better_a_rise_fails_and_a_fall_does_not() -> None:
    few = found(cases((50, outcome(passed=True, right=1, asked=1))), TWO)
    many = found(
        cases((40, outcome(passed=True, right=1, asked=1)), (10, outcome(passed=True, right=1, asked=1, errors=1))), TWO
    )
    rise, fall = judged(many, few, TWO), judged(few, many, TWO)
    assert broken(rise) == ["live.errors"]
    assert "errors 0.2000 (n=50) against 0.0000 (n=50): drop +20.00 pp, p = 0.0029 (Holm)" in told(rise)["live.errors"][1]
    assert fall.verdict == "PASS"  # 3 * 2^-10 = 0.0029 the other way round
    assert "errors 0.0000 (n=50) against 0.2000 (n=50): drop -20.00 pp, p = 1.0000 (Holm)" in told(fall)["live.errors"][1]


def test_live_answers_are_never_compared_with_an_oracle() -> None:
    now = found(cases(right(200)))
    judgement = judged(now, found(cases(right(200)), recording=recording()))
    assert judgement.verdict == "NO VERDICT"
    assert told(judgement) == {}
    assert judgement.providers["p"].checks[-1].message == (
        "made from another kind of recording (oracle_aligned_expected_json, now live_p_recorded). "
        'Publish this run with `assay baseline update extraction --provider p --from latest --reason "..."`.'
    )


def test_another_gold_set_is_not_compared_and_another_recording_is() -> None:
    now, kind = found(cases(right(200))), "live_p_recorded"
    other_gold = found(cases(right(200)), recording=recording(cassette_kind=kind, gold_sha256="a" * 64))
    other_recording = found(cases(right(200)), recording=recording(cassette_kind=kind, cassette_sha256="a" * 64))
    assert judged(now, other_gold).verdict == "NO VERDICT"
    assert judged(now, other_recording).verdict == "PASS"


sides = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=40)


def thirds(rights: list[int]) -> Cases:
    return cases(*[(1, outcome(passed=right == 3, right=right, asked=3)) for right in rights])


@settings(deadline=None, max_examples=40)
@given(sides, st.randoms(use_true_random=False))
def test_no_order_of_cases_counts_or_metrics_changes_anything(pairs: list[tuple[int, int]], random: Random) -> None:
    def mixed(outcomes: Cases) -> Cases:
        names = random.sample(list(outcomes), len(outcomes))
        return {name: outcome(passed=outcomes[name].passed, **dict([*outcomes[name].counts.items()][::-1])) for name in names}

    before, now = (thirds([pair[side] for pair in pairs]) for side in (0, 1))
    plain = judged(found(now, TWO), found(before, TWO), TWO)
    turned = judged(found(mixed(now), TWO), found(mixed(before), TWO), dict([*TWO.items()][::-1]))
    assert (turned.verdict, told(turned), noticed_pp(turned)) == (plain.verdict, told(plain), noticed_pp(plain))


@settings(deadline=None, max_examples=40)
@given(sides)
def test_a_run_that_is_worse_nowhere_never_fails(pairs: list[tuple[int, int]]) -> None:
    before, now = thirds([min(pair) for pair in pairs]), thirds([max(pair) for pair in pairs])
    assert judged(found(now), found(before)).verdict != "FAIL"
