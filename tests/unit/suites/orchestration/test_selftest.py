"""The self-test holds for the rules and measures as they are, and goes red for each way in which they could be wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import comb
from typing import Any

import pytest

from assay.model.transcript import Transcript
from assay.suites.orchestration.rule_check import Broken, CouldNotRun, Judgement, Kept, judge
from assay.suites.orchestration.rules import Counted, Eventually, Every, Final, Never, Rule, Streamed, Survived
from assay.suites.orchestration.selftest import selftest

Judge = Callable[[Sequence[Rule], Transcript], tuple[Judgement, ...]]


def red(**broken: Any) -> set[str]:
    return {check.name for check in selftest(**broken) if not check.holds}


def kept(rule: Rule) -> Kept:
    return Kept(rule=rule.name, vacuous=False)


def broken(rule: Rule, at: int = 0) -> Broken:
    return Broken(rule=rule.name, at=at, reason="planted", event=None, before=(), after=())


def with_rules(changed: Callable[[Rule], Rule]) -> Judge:
    """Judges by other rules than those given."""
    return lambda rules, transcript: judge([changed(rule) for rule in rules], transcript)


def with_judgements(changed: Callable[[Rule, Judgement, Transcript], Judgement]) -> Judge:
    """Judges rightly and says something else."""

    def judged(rules: Sequence[Rule], transcript: Transcript) -> tuple[Judgement, ...]:
        found = zip(rules, judge(rules, transcript), strict=True)
        return tuple(changed(rule, judgement, transcript) for rule, judgement in found)

    return judged


def always_kept(rule: Rule, found: Judgement, transcript: Transcript) -> Judgement:
    return kept(rule)


def always_broken(rule: Rule, found: Judgement, transcript: Transcript) -> Judgement:
    return broken(rule)


def one_event_late(rule: Rule, found: Judgement, transcript: Transcript) -> Judgement:
    return found.model_copy(update={"at": found.at + 1}) if isinstance(found, Broken) else found


def vacuous_is_broken(rule: Rule, found: Judgement, transcript: Transcript) -> Judgement:
    return broken(rule) if isinstance(found, Kept) and found.vacuous else found


def final_ignored(rule: Rule, found: Judgement, transcript: Transcript) -> Judgement:
    return kept(rule) if isinstance(rule, Final) else found


def any_end_will_do(rule: Rule, found: Judgement, transcript: Transcript) -> Judgement:
    if isinstance(rule, Final) and any(event.kind == "final" for event in transcript.events):
        return kept(rule)
    return found


def no_end_is_no_breach(rule: Rule, found: Judgement, transcript: Transcript) -> Judgement:
    if isinstance(rule, Final) and not any(event.kind == "final" for event in transcript.events):
        return kept(rule)
    return found


def doubt_is_kept(rule: Rule, found: Judgement, transcript: Transcript) -> Judgement:
    return kept(rule) if isinstance(found, CouldNotRun) else found


def doubt_is_broken(rule: Rule, found: Judgement, transcript: Transcript) -> Judgement:
    return broken(rule, found.at) if isinstance(found, CouldNotRun) else found


def one_more_allowed(rule: Rule) -> Rule:
    return rule.model_copy(update={"at_most": rule.at_most + 1}) if isinstance(rule, Counted) and rule.at_most else rule


def one_less_allowed(rule: Rule) -> Rule:
    return rule.model_copy(update={"at_most": rule.at_most - 1}) if isinstance(rule, Counted) and rule.at_most else rule


def one_less_wanted(rule: Rule) -> Rule:
    return rule.model_copy(update={"at_least": rule.at_least - 1}) if isinstance(rule, Counted) and rule.at_least else rule


def at_most_as_at_least(rule: Rule) -> Rule:
    if isinstance(rule, Counted) and rule.at_most is not None:
        return rule.model_copy(update={"at_most": None, "at_least": rule.at_most})
    return rule


def at_least_as_at_most(rule: Rule) -> Rule:
    if isinstance(rule, Counted) and rule.at_least is not None:
        return rule.model_copy(update={"at_least": None, "at_most": rule.at_least})
    return rule


def exactly_as_at_most(rule: Rule) -> Rule:
    if isinstance(rule, Counted) and rule.exactly is not None:
        return rule.model_copy(update={"exactly": None, "at_least": rule.exactly})
    return rule


def one_event_more(rule: Rule) -> Rule:
    return rule.model_copy(update={"within": rule.within + 1}) if isinstance(rule, Every) and rule.within else rule


def without_before(rule: Rule) -> Rule:
    return rule.model_copy(update={"before": None}) if isinstance(rule, Never) else rule


def without_within(rule: Rule) -> Rule:
    return rule.model_copy(update={"within": None}) if isinstance(rule, Every) else rule


def with_replacement(successes: int, repeats: int, k: int) -> float:
    return (successes / repeats) ** k


def any_of_k(successes: int, repeats: int, k: int) -> float:
    return 1 - comb(repeats - successes, k) / comb(repeats, k)


def share(successes: int, repeats: int, k: int) -> float:
    return successes / repeats


def test_the_rules_as_they_are_hold_every_check() -> None:
    assert red() == set()


def test_there_are_at_least_thirty_checks_each_with_a_name_of_its_own() -> None:
    names = [check.name for check in selftest()]
    assert len(names) == len(set(names)) >= 30


def test_expectations_do_not_depend_on_what_is_tried() -> None:
    tried = selftest(with_judgements(always_broken), with_replacement)
    assert [(check.name, check.expected) for check in tried] == [(check.name, check.expected) for check in selftest()]


@pytest.mark.parametrize(
    ("planted", "named"),
    [
        (with_judgements(always_kept), "never before: the writer came first"),
        (with_judgements(always_kept), "a run that breaks one does not"),
        (with_judgements(always_broken), "never before: the writer came after the angles"),
        (with_judgements(always_broken), "a run that keeps both rules passes"),
        (with_judgements(one_event_late), "the first violation is the first event"),
        (with_judgements(vacuous_is_broken), "never before: nobody came at all"),
        (with_judgements(final_ignored), "another final phase"),
        (with_judgements(final_ignored), "no final phase"),
        (with_judgements(any_end_will_do), "another final phase"),
        (with_judgements(no_end_is_no_breach), "no final phase"),
        (with_judgements(doubt_is_kept), "a missing argument cannot be told"),
        (with_judgements(doubt_is_broken), "a missing argument cannot be told"),
        (with_rules(one_more_allowed), "at most one: two"),
        (with_rules(one_less_allowed), "at most one: one"),
        (with_rules(one_less_wanted), "at least two: one"),
        (with_rules(at_most_as_at_least), "at most one: two"),
        (with_rules(at_least_as_at_most), "at least two: one"),
        (with_rules(exactly_as_at_most), "exactly none: one"),
        (with_rules(one_event_more), "followed by: too late"),
        (with_rules(without_within), "followed by: too late"),
        (with_rules(without_before), "never before: the writer came after the angles"),
    ],
)
def test_each_broken_version_of_the_rules_turns_its_check_red(planted: Judge, named: str) -> None:
    assert named in red(judged=planted)


def told_of(form: type[Rule], judgement: Callable[[Rule], Judgement]) -> Judge:
    """Judges rules of one form without looking at the run."""
    return with_judgements(lambda rule, found, transcript: judgement(rule) if isinstance(rule, form) else found)


@pytest.mark.parametrize("form", [Never, Counted, Every, Eventually, Survived, Final, Streamed])
def test_a_form_that_is_always_kept_turns_a_check_red(form: type[Rule]) -> None:
    assert red(judged=told_of(form, kept))


@pytest.mark.parametrize("form", [Never, Counted, Every, Eventually, Survived, Final, Streamed])
def test_a_form_that_is_always_broken_turns_a_check_red(form: type[Rule]) -> None:
    assert red(judged=told_of(form, broken))


@pytest.mark.parametrize(
    ("planted", "named"),
    [
        (with_replacement, "pass^2 of 3 in 4 is C(3,2)/C(4,2)"),
        (any_of_k, "pass^2 of 3 in 4 is C(3,2)/C(4,2)"),
        (share, "pass^2 of 3 in 4 is C(3,2)/C(4,2)"),
        (with_replacement, "pass^4 of 3 in 4 is 0"),
    ],
)
def test_each_broken_version_of_pass_k_turns_its_check_red(planted: Callable[[int, int, int], float], named: str) -> None:
    assert named in red(repeats=planted)


def test_a_biased_pass_k_is_wrong_for_every_k_but_the_first() -> None:
    # (3/4)^2 = 0.5625 instead of 3/6, (3/4)^4 = 0.32 instead of 0; (3/4)^1 is right.
    assert red(repeats=with_replacement) == {"pass^2 of 3 in 4 is C(3,2)/C(4,2)", "pass^4 of 3 in 4 is 0"}
