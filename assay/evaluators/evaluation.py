"""evaluate: named evaluators over each case."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assay.errors import Problem
from assay.evaluators.cases import Case, Given, Target, case_list
from assay.evaluators.config import Config
from assay.evaluators.guard import told
from assay.evaluators.metric import CaseResult, EvalSummary
from assay.evaluators.plan import Planned, case_result, chosen, planned, unanswered
from assay.evaluators.refusal import InvalidCall

PROBLEM_LIMIT = 20


def evaluate(
    cases: Iterable[Given], evaluators: Sequence[str], config: Config | None = None, target_fn: Target | None = None
) -> EvalSummary:
    """Every named evaluator over every case.

    A case is `(expected, actual)` or a dict; a missing `actual` comes from the case's `target_fn`, else the call's, called
    with the case. A case's `config` is laid over the call's, to any depth. `config` holds options by evaluator, and under
    `objective` what the score is wanted to be. What raises makes its case `error`, with the text kept, and the run goes on.
    No cases give a pass rate of 1.0, which is no verdict.

    Raises:
        InvalidCall: a ValueError, before anything runs: an unknown evaluator, a case that is none, an invalid objective of
            any case.

    Examples:
        A decision is judged field by field:

        >>> from assay import Decision, evaluate
        >>> decision = Decision(
        ...     decision_id="d-1",
        ...     category="loan",
        ...     scenario="loan-request",
        ...     reasoning="vetted against lending policy v3",
        ...     outcome="approve",
        ...     confidence=0.87,
        ...     timestamp="2026-01-05T09:30:00+00:00",
        ...     decision_maker="approver-a",
        ...     metadata={"provenance": "workflow:loan/v3"},
        ... )
        >>> wanted = {"decision_scores": {"expected_outcome": "approve", "min_confidence": 0.7}}
        >>> summary = evaluate([{"id": "loan-001", "actual": decision, "config": wanted}], ["decision_scores"])
        >>> summary.passed, summary.failed, summary.errors, summary.pass_rate
        (1, 0, 0, 1.0)

        One letter of five is missing, which the default threshold of 0.8 allows and 0.9 does not:

        >>> evaluate([("apple", "aple")], ["levenshtein"]).pass_rate
        1.0
        >>> objective = {"direction": "maximize", "threshold": 0.9}
        >>> (case,) = evaluate([("apple", "aple")], ["levenshtein"], {"levenshtein": {"objective": objective}}).cases
        >>> case.status, case.metrics["levenshtein"].score
        ('fail', 0.8)

        Texts that should differ are still too much alike:

        >>> objective = {"direction": "minimize", "threshold": 0.5}
        >>> (case,) = evaluate([("night", "nacht")], ["levenshtein"], {"levenshtein": {"objective": objective}}).cases
        >>> case.status, case.metrics["levenshtein"].score
        ('fail', 0.6)

        An output that should not match does:

        >>> (case,) = evaluate([("ok", "ok")], ["exact_match"], {"exact_match": {"objective": {"expect": False}}}).cases
        >>> case.status, case.metrics["exact_match"].score, case.metrics["exact_match"].passed
        ('fail', 1.0, False)
    """
    return summary_of([run_case(case, plan) for case, plan in prepared(cases, evaluators, config, target_fn)])


def prepared(
    cases: Iterable[Given], evaluators: Sequence[str], config: Config | None, target_fn: Target | None
) -> list[tuple[Case, tuple[Planned, ...]]]:
    """Each case with its plan. Raises InvalidCall with what is wrong in every case; nothing has run then."""
    named, found = chosen(evaluators), case_list(cases, target_fn)
    shared = planned(named, config) if not found or any(case.config is None for case in found) else ()
    plans: list[tuple[Case, tuple[Planned, ...]]] = []
    problems: list[Problem] = []
    for case in found:
        try:
            own = shared if case.config is None else planned(named, config, case.config, f"case {case.id!r}: config")
            plans.append((case, own))
        except InvalidCall as fault:
            problems.extend(fault.problems)
    if len(problems) > PROBLEM_LIMIT:
        problems[PROBLEM_LIMIT:] = [Problem("cases", f"and {len(problems) - PROBLEM_LIMIT} more problems")]
    if problems:
        raise InvalidCall(problems)
    return plans


def run_case(case: Case, plan: Sequence[Planned]) -> CaseResult:
    """The case's output, made if it is missing, under its evaluators. Never raises."""
    actual = case.actual
    if actual is None:
        if case.target_fn is None:
            return unanswered(case.id, "the case has no actual, and there is no target_fn to make one", plan)
        try:
            actual = case.target_fn(dict(case.given))
        except Exception as fault:  # noqa: BLE001  # the one place where a target's crash becomes its case's error
            return unanswered(case.id, told(fault), plan)
    return case_result(case.id, case.expected, actual, plan)


def summary_of(results: Sequence[CaseResult]) -> EvalSummary:
    """The counts of the results; a pass rate of 1.0 for none."""
    passed, failed = (sum(case.status == status for case in results) for status in ("pass", "fail"))
    total = len(results)
    return EvalSummary(total, passed, failed, total - passed - failed, passed / total if total else 1.0, list(results))
